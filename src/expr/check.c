/*
 * Names and types of a tree: columns resolved, every node typed as Spark 3.5 types it, everything refused that the
 * engine could not compute with the same result.
 *
 * 1. After expr_check each node has its type, and each cast that printing needs exists (cast_template).
 * 2. A tree may be checked more than once; the second time changes nothing.
 */
#include "base/json_path.h"
#include "base/limits.h"
#include "base/regex.h"
#include "expr/expr_int.h"

struct checker {
    const struct expr_column *columns;
    size_t count;
    struct arena *arena;
    struct assay_error *err;
};

static const struct type boolean = {.kind = TYPE_BOOLEAN}, string = {.kind = TYPE_STRING};

/** A type's name for a message, in the arena. */
static const char *name_of(const struct checker *c, struct type type) {
    if (type.kind == TYPE_NONE) return "NULL";
    struct buf text = {0};
    type_print(&text, type);
    const char *name = str_c(c->arena, buf_str(&text));
    buf_free(&text);
    return name;
}

/** With its article. */
static const char *a_name_of(const struct checker *c, struct type type) {
    const char *article = type.kind == TYPE_NONE ? "" : type.kind == TYPE_INT ? "an " : "a ";
    return str_printf(c->arena, "%s%s", article, name_of(c, type)).ptr;
}

/** Whether a value can be used as the type, with a message if not. */
static enum assay_code need_cast(const struct checker *c, const struct expr *e, struct type to) {
    struct buf unused = {0};
    bool is_known = cast_template(e->type, to, &unused), is_text = to.kind == TYPE_STRING && type_is_number(e->type);
    buf_free(&unused);
    if (is_known) return ASSAY_OK;
    return fail_at(c->err, e->offset, "%s cannot be used as %s here%s", a_name_of(c, e->type), name_of(c, to),
                   is_text ? ", its digits depend on the engine; cast it to a decimal of at most 6 places first" : "");
}

static enum assay_code need_boolean(const struct checker *c, const struct expr *e, const char *what) {
    if (e->type.kind == TYPE_BOOLEAN || e->type.kind == TYPE_NONE) return ASSAY_OK;
    return fail_at(c->err, e->offset, "%s is %s, expected a condition", what, a_name_of(c, e->type));
}

/* ---- columns and literals ---- */

static enum assay_code check_column(const struct checker *c, struct expr *e) {
    for (size_t i = 0; i < c->count; i++) {
        if (!str_eq_nocase(e->text, c->columns[i].name)) continue;
        e->text = c->columns[i].name;
        e->type = c->columns[i].type;
        if (e->type.kind == TYPE_NONE)
            return fail_at(c->err, e->offset, "the column %.*s is a list, map or struct; rules read plain values",
                           STR_ARG(e->text));
        return ASSAY_OK;
    }
    const struct function *f = function_find(e->text, 0);
    if (f) { /* Spark takes current_date for the function when there is no such column */
        e->kind = EXPR_CALL;
        e->type = (struct type){.kind = f->result == RESULT_DATE ? TYPE_DATE : TYPE_TIMESTAMP};
        e->text = str_lower(c->arena, e->text);
        return ASSAY_OK;
    }
    struct str *names = ARENA_ARRAY(c->arena, c->count, struct str);
    for (size_t i = 0; i < c->count; i++) names[i] = c->columns[i].name;
    struct str nearest = str_nearest(e->text, names, c->count);
    if (nearest.len)
        return fail_at(c->err, e->offset, "there is no column '%.*s'; did you mean '%.*s'?", STR_ARG(e->text),
                       STR_ARG(nearest));
    return fail_at(c->err, e->offset, "there is no column '%.*s'", STR_ARG(e->text));
}

static enum assay_code check_number(const struct checker *c, struct expr *e, struct str digits, bool is_negative) {
    const char *wrong = literal_number_type(digits, is_negative, &e->type);
    return wrong ? fail_at(c->err, e->offset, "%.*s: %s", STR_ARG(str_sub(digits, 0, 60)), wrong) : ASSAY_OK;
}

static enum assay_code check_moment(const struct checker *c, struct expr *e) {
    int64_t value;
    bool is_date = e->kind == EXPR_DATE;
    e->type = (struct type){.kind = is_date ? TYPE_DATE : TYPE_TIMESTAMP};
    if (is_date ? literal_date(e->text, &value) : literal_timestamp(e->text, &value)) return ASSAY_OK;
    return fail_at(c->err, e->offset, "'%.*s' is no %s", STR_ARG(e->text), is_date ? "date" : "timestamp");
}

/* ---- patterns ---- */

static enum assay_code check_pattern(const struct checker *c, const struct expr *e) {
    struct regex *regex = NULL;
    if (e->kind != EXPR_TEXT) return fail_at(c->err, e->offset, "the pattern has to be a text that is written out");
    struct assay_error why = {0};
    enum assay_code rc = regex_open(e->text, &regex, &why);
    regex_close(&regex);
    return rc ? fail_at(c->err, e->offset, "the pattern cannot be read: %s", why.message) : ASSAY_OK;
}

/** Spark gives NULL for a path that it cannot read, on every row. */
static enum assay_code check_path(const struct checker *c, const struct expr *e) {
    struct json_path *path = NULL;
    if (e->kind != EXPR_TEXT) return fail_at(c->err, e->offset, "the path has to be a text that is written out");
    struct assay_error why = {0};
    enum assay_code rc = json_path_open(e->text, &path, &why);
    json_path_close(&path);
    return rc ? fail_at(c->err, e->offset, "%s", why.message) : ASSAY_OK;
}

/** Spark throws when a backslash of a LIKE pattern escapes anything but _ % and itself. */
static enum assay_code check_like(const struct checker *c, const struct expr *e) {
    if (e->kind != EXPR_TEXT)
        return fail_at(c->err, e->offset, "the pattern of LIKE has to be a text that is written out");
    for (size_t i = 0; i < e->text.len; i++) {
        if (e->text.ptr[i] != '\\') continue;
        i++;
        if (i == e->text.len || (e->text.ptr[i] != '_' && e->text.ptr[i] != '%' && e->text.ptr[i] != '\\'))
            return fail_at(c->err, e->offset,
                           "in a pattern of LIKE a backslash stands before _ or %% or another backslash");
    }
    return ASSAY_OK;
}

/* ---- operators ---- */

/** Spark 3.5 answers TRUE or FALSE even for NULL when a whole number meets a constant that no bigint can be. */
static bool is_beyond_bigint(const struct expr *a, const struct expr *b) {
    struct str digits;
    bool is_negative;
    return type_is_integer(a->type) && b->type.kind == TYPE_DECIMAL && literal_number(b, &digits, &is_negative) &&
           b->type.precision - b->type.scale > 18;
}

static enum assay_code check_comparable(const struct checker *c, size_t offset, const struct expr *a,
                                        const struct expr *b) {
    struct type common;
    if (!typing_compare(a, b, &common))
        return fail_at(c->err, offset, "%s and %s cannot be compared", a_name_of(c, a->type), a_name_of(c, b->type));
    if (is_beyond_bigint(a, b) || is_beyond_bigint(b, a))
        return fail_at(c->err, offset, "the number is beyond every bigint, so the comparison says nothing");
    TRY(need_cast(c, a, common));
    return need_cast(c, b, common);
}

static enum assay_code check_arithmetic(const struct checker *c, struct expr *e) {
    struct typing t;
    const struct expr *a = e->args[0], *b = e->args[1];
    const char *wrong = typing_arithmetic(e->op, a, b, &t);
    if (wrong)
        return fail_at(c->err, e->offset, "%s and %s cannot be combined like this: %s", a_name_of(c, a->type),
                       a_name_of(c, b->type), wrong);
    e->type = t.result;
    TRY(need_cast(c, a, t.left));
    return need_cast(c, b, t.right);
}

static enum assay_code check_negate(const struct checker *c, struct expr *e) {
    struct expr *a = e->args[0];
    e->type = parameter_type(PARAMETER_NUMBER, a->type, boolean);
    if (!type_is_number(e->type)) return fail_at(c->err, e->offset, "%s has no negative", a_name_of(c, a->type));
    return need_cast(c, a, e->type);
}

static enum assay_code check_operator(const struct checker *c, struct expr *e) {
    e->type = boolean;
    switch (e->op) {
    case EXPR_IS_NULL:
    case EXPR_IS_NOT_NULL:
        return ASSAY_OK;
    case EXPR_NOT:
    case EXPR_AND:
    case EXPR_OR:
    case EXPR_IS_TRUE:
    case EXPR_IS_NOT_TRUE:
    case EXPR_IS_FALSE:
    case EXPR_IS_NOT_FALSE:
        for (size_t i = 0; i < e->count; i++) TRY(need_boolean(c, e->args[i], "what stands here"));
        return ASSAY_OK;
    case EXPR_EQ:
    case EXPR_NE:
    case EXPR_LT:
    case EXPR_LE:
    case EXPR_GT:
    case EXPR_GE:
    case EXPR_NULL_SAFE_EQ:
        return check_comparable(c, e->offset, e->args[0], e->args[1]);
    case EXPR_LIKE:
        TRY(need_cast(c, e->args[0], string));
        return check_like(c, e->args[1]);
    case EXPR_RLIKE:
        TRY(need_cast(c, e->args[0], string));
        return check_pattern(c, e->args[1]);
    case EXPR_CONCAT:
        e->type = string;
        TRY(need_cast(c, e->args[0], string));
        return need_cast(c, e->args[1], string);
    case EXPR_NEGATE:
        return check_negate(c, e);
    case EXPR_ADD:
    case EXPR_SUBTRACT:
    case EXPR_MULTIPLY:
    case EXPR_DIVIDE:
    case EXPR_MODULO:
        return check_arithmetic(c, e);
    }
    return ASSAY_OK;
}

/** Values that need one type: every step-th of count. */
static enum assay_code check_common(const struct checker *c, size_t offset, struct expr **values, size_t count,
                                    size_t step, bool has_text, struct type *out) {
    if (!typing_common(values, count, step, has_text, out)) {
        const struct expr *first = values[0], *other = first;
        for (size_t i = 1; i < count && type_eq(other->type, first->type); i++) other = values[i * step];
        return fail_at(c->err, offset, "the values have no common type: %s and %s", name_of(c, first->type),
                       name_of(c, other->type));
    }
    for (size_t i = 0; i < count; i++) TRY(need_cast(c, values[i * step], *out));
    return ASSAY_OK;
}

static enum assay_code check_between(const struct checker *c, struct expr *e) {
    e->type = boolean;
    TRY(check_comparable(c, e->offset, e->args[0], e->args[1]));
    return check_comparable(c, e->offset, e->args[0], e->args[2]);
}

static enum assay_code check_case(const struct checker *c, struct expr *e) {
    for (size_t i = 0; i + 1 < e->count; i += 2) {
        if (e->args[i]->type.kind == TYPE_NONE) return fail_at(c->err, e->args[i]->offset, "WHEN NULL never holds");
        TRY(need_boolean(c, e->args[i], "what WHEN asks"));
    }
    /* the values are at 1, 3, 5...; the last of an odd count is at an even place */
    size_t pairs = e->count / 2, count = pairs + e->count % 2;
    struct expr **values = ARENA_ARRAY(c->arena, count, struct expr *);
    for (size_t i = 0; i < pairs; i++) values[i] = e->args[2 * i + 1];
    if (e->count % 2) values[pairs] = e->args[e->count - 1];
    return check_common(c, e->offset, values, count, 1, true, &e->type);
}

static enum assay_code check_cast(const struct checker *c, struct expr *e) {
    return e->type.kind == TYPE_STRING && e->args[0]->type.kind == TYPE_BINARY
               ? fail_at(c->err, e->offset, "binary values have no text here")
               : need_cast(c, e->args[0], e->type);
}

/* ---- calls ---- */

static enum assay_code fail_function(const struct checker *c, const struct expr *e) {
    size_t min = 0, max = 0;
    if (!function_exists(e->text, &min, &max)) {
        struct str nearest = function_nearest(e->text);
        if (nearest.len)
            return fail_at(c->err, e->offset, "there is no function '%.*s'; did you mean '%.*s'?", STR_ARG(e->text),
                           STR_ARG(nearest));
        return fail_at(c->err, e->offset, "the function '%.*s' is not part of the rule language", STR_ARG(e->text));
    }
    if (max == ARGUMENTS_MANY)
        return fail_at(c->err, e->offset, "%.*s takes %zu or more values, found %zu", STR_ARG(e->text), min, e->count);
    if (min < max)
        return fail_at(c->err, e->offset, "%.*s takes %zu or %zu values, found %zu", STR_ARG(e->text), min, max,
                       e->count);
    return fail_at(c->err, e->offset, "%.*s takes %zu value%s, found %zu", STR_ARG(e->text), min, min == 1 ? "" : "s",
                   e->count);
}

static enum assay_code check_argument(const struct checker *c, const struct expr *call, size_t index,
                                      enum parameter parameter, struct type common) {
    const struct expr *a = call->args[index];
    bool is_null = a->type.kind == TYPE_NONE;
    switch (parameter) {
    case PARAMETER_PATTERN:
        return check_pattern(c, a);
    case PARAMETER_PATH:
        return check_path(c, a);
    case PARAMETER_BOOLEAN:
        return need_boolean(c, a, "the first value of this function");
    case PARAMETER_COUNT:
        if (is_null || (type_is_integer(a->type) && a->type.kind != TYPE_BIGINT)) return ASSAY_OK;
        return fail_at(c->err, a->offset, "value %zu of %.*s is %s, expected an int; write CAST(... AS INT)", index + 1,
                       STR_ARG(call->text), a_name_of(c, a->type));
    case PARAMETER_SCALE:
        if (round_scale(call) >= 0) return ASSAY_OK;
        return fail_at(c->err, a->offset, "value 2 of %.*s has to be a number from 0 to 18 that is written out",
                       STR_ARG(call->text));
    case PARAMETER_NUMBER:
    case PARAMETER_DOUBLE:
        if (is_null || type_is_number(a->type) || a->type.kind == TYPE_STRING) break;
        return fail_at(c->err, a->offset, "value %zu of %.*s is %s, expected a number", index + 1, STR_ARG(call->text),
                       a_name_of(c, a->type));
    case PARAMETER_DATE:
    case PARAMETER_TIMESTAMP:
        if (!type_is_number(a->type) && a->type.kind != TYPE_BOOLEAN && a->type.kind != TYPE_BINARY) break;
        return fail_at(c->err, a->offset, "value %zu of %.*s is %s, expected a %s", index + 1, STR_ARG(call->text),
                       a_name_of(c, a->type), parameter == PARAMETER_DATE ? "date" : "timestamp");
    default:
        break;
    }
    return need_cast(c, a, parameter_type(parameter, a->type, common));
}

static struct type whole_type(struct type from) {
    if (from.kind != TYPE_DECIMAL) return (struct type){.kind = TYPE_BIGINT};
    int digits = from.precision - from.scale + (from.scale ? 1 : 0);
    return (struct type){TYPE_DECIMAL, digits > 38 ? 38 : digits, 0};
}

/** RoundBase.dataType */
static struct type round_type(const struct expr *call, struct type from) {
    if (from.kind != TYPE_DECIMAL) return from;
    int scale = round_scale(call) < from.scale ? round_scale(call) : from.scale,
        digits = from.precision - from.scale + 1 + scale;
    return (struct type){TYPE_DECIMAL, digits > 38 ? 38 : digits, scale};
}

static struct type result_type(const struct function *f, const struct expr *call, struct type common) {
    struct type first = call->count ? parameter_type(f->parameters[0], call->args[0]->type, common) : common;
    switch (f->result) {
    case RESULT_BOOLEAN:
        return boolean;
    case RESULT_INT:
        return (struct type){.kind = TYPE_INT};
    case RESULT_TEXT:
        return string;
    case RESULT_DATE:
        return (struct type){.kind = TYPE_DATE};
    case RESULT_TIMESTAMP:
        return (struct type){.kind = TYPE_TIMESTAMP};
    case RESULT_FIRST:
        return first;
    case RESULT_COMMON:
        return common;
    case RESULT_ROUND:
        return round_type(call, first);
    case RESULT_WHOLE:
        return whole_type(first);
    }
    return common;
}

static enum assay_code check_call(const struct checker *c, struct expr *e) {
    const struct function *f = function_find(e->text, e->count);
    struct type common;
    if (!f) return fail_function(c, e);
    if (!function_common(f, e, &common)) {
        size_t from = f->parameters[0] == PARAMETER_BOOLEAN ? 1 : 0;
        bool has_text = f->parameters[from] == PARAMETER_COMMON;
        return check_common(c, e->offset, e->args + from, e->count - from, 1, has_text, &common);
    }
    for (size_t i = 0; i < e->count; i++) TRY(check_argument(c, e, i, function_parameter(f, i), common));
    if (f->print == call_nullif) TRY(check_comparable(c, e->offset, e->args[0], e->args[1]));
    e->type = result_type(f, e, common);
    return ASSAY_OK;
}

/* ---- the tree ---- */

static enum assay_code check(const struct checker *c, struct expr *e) {
    struct str digits;
    bool is_negative;
    /* the smallest bigint is one literal */
    if (literal_number(e, &digits, &is_negative)) return check_number(c, e, digits, is_negative);
    for (size_t i = 0; i < e->count; i++) TRY(check(c, e->args[i]));
    switch (e->kind) {
    case EXPR_NULL:
        e->type = (struct type){0};
        break;
    case EXPR_BOOL:
        e->type = boolean;
        break;
    case EXPR_TEXT:
        e->type = string;
        break;
    case EXPR_NUMBER:
        break;
    case EXPR_DATE:
    case EXPR_TIMESTAMP:
        return check_moment(c, e);
    case EXPR_COLUMN:
        return check_column(c, e);
    case EXPR_OPERATOR:
        return check_operator(c, e);
    case EXPR_BETWEEN:
        return check_between(c, e);
    case EXPR_IN: {
        struct type common;
        e->type = boolean;
        return check_common(c, e->offset, e->args, e->count, 1, true, &common);
    }
    case EXPR_CASE:
        return check_case(c, e);
    case EXPR_CAST:
        return check_cast(c, e);
    case EXPR_CALL:
        return check_call(c, e);
    }
    return ASSAY_OK;
}

enum assay_code expr_check(struct expr *e, const struct expr_column *columns, size_t count, struct arena *arena,
                           struct assay_error *err) {
    struct checker c = {.columns = columns, .count = count, .arena = arena, .err = err};
    if (e->height > LIMIT_RULE_DEPTH + 8) /* what plans put around a rule comes on top */
        return error_set(err, ASSAY_LIMIT, "column 1", "the expression is nested %u deep; at most %d", e->height,
                         LIMIT_RULE_DEPTH);
    return check(&c, e);
}

enum assay_code expr_check_predicate(struct expr *e, const struct expr_column *columns, size_t count,
                                     struct arena *arena, struct assay_error *err) {
    TRY(expr_check(e, columns, count, arena, err));
    struct checker c = {.arena = arena, .err = err};
    if (e->type.kind == TYPE_BOOLEAN) return ASSAY_OK;
    return fail_at(err, e->offset, "the expression is %s, expected a condition that is true or false",
                   a_name_of(&c, e->type));
}
