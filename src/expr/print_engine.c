/*
 * A checked tree as SQL for the embedded engine, with Spark's results.
 *
 * 1. Every value is printed as the type it is used as; the engine never chooses a cast of its own.
 * 2. No value of a row makes a statement fail.
 * 3. Everything is in brackets of its own or a call, so pieces can stand anywhere.
 */
#include "base/time.h"
#include "expr/expr_int.h"

static const struct type boolean = {.kind = TYPE_BOOLEAN}, string = {.kind = TYPE_STRING};

static void print_node(struct printer *p, const struct expr *e);

/* ---- values ---- */

static bool is_literal(const struct expr *e) {
    struct str digits;
    bool is_negative;
    return e->kind <= EXPR_TIMESTAMP || literal_number(e, &digits, &is_negative);
}

/** Costs nothing to be printed twice. */
static bool is_simple(const struct value *v) {
    bool is_cast = !type_eq(v->as, v->name ? v->named : v->e->type);
    return is_literal(v->e) || ((v->name || v->e->kind == EXPR_COLUMN) && !is_cast);
}

static void print_cast(struct printer *p, struct value v, struct type to) {
    struct buf sql = {0};
    cast_template(v.as, to, &sql);
    print_template(p, sql.data, &v, 1);
    buf_free(&sql);
}

static void print_value(struct printer *p, const struct value *v) {
    if (v->name == 0)
        print_as(p, v->e, v->as);
    else if (type_eq(v->as, v->named))
        buf_printf(p->out, "_assay_%u", v->name);
    else
        print_cast(p, (struct value){v->e, v->named, v->name, v->named}, v->as);
}

static unsigned open_name(struct printer *p, const struct value *v) {
    buf_addz(p->out, "list_transform([");
    print_value(p, v);
    unsigned name = ++p->names;
    buf_printf(p->out, "], lambda _assay_%u: ", name);
    return name;
}

unsigned print_named(struct printer *p, const struct expr *e) {
    struct value v = value_of(e, e->type);
    return is_simple(&v) ? 0 : open_name(p, &v);
}

void print_named_end(struct printer *p, unsigned name) {
    if (name) buf_addz(p->out, ")[1]");
}

static size_t uses_of(const char *sql, size_t index) {
    size_t uses = 0;
    for (const char *c = sql; *c; c++)
        if (c[0] == '$' && c[1] == (char)('1' + index)) uses++;
    return uses;
}

void print_template(struct printer *p, const char *sql, const struct value *values, size_t count) {
    struct value own[4] = {0};
    size_t named = 0;
    for (size_t i = 0; i < count; i++) {
        own[i] = values[i];
        if (uses_of(sql, i) < 2 || is_simple(&own[i])) continue;
        own[i].name = open_name(p, &own[i]);
        own[i].named = own[i].as;
        named++;
    }
    for (const char *c = sql; *c; c++) {
        if (c[0] == '$' && c[1] >= '1' && c[1] < (char)('1' + count))
            print_value(p, &own[*++c - '1']);
        else
            buf_addc(p->out, *c);
    }
    while (named--) buf_addz(p->out, ")[1]");
}

void print_text(struct printer *p, struct str text) {
    bool has_nul = str_find_char(text, '\0') != SIZE_MAX;
    buf_addz(p->out, has_nul ? "('" : "'");
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '\0') {
            buf_addz(p->out, "' || chr(0) || '"); /* the engine's parser ends at NUL */
            continue;
        }
        if (text.ptr[i] == '\'') buf_addc(p->out, '\'');
        buf_addc(p->out, text.ptr[i]);
    }
    buf_addz(p->out, has_nul ? "')" : "'");
}

static void print_null(struct printer *p, struct type as) {
    if (as.kind == TYPE_NONE) {
        buf_addz(p->out, "NULL");
        return;
    }
    buf_addz(p->out, "CAST(NULL AS ");
    type_print_engine(p->out, as);
    buf_addc(p->out, ')');
}

/** A number straight as the type it is used as. */
static void print_number(struct printer *p, struct str text, bool is_negative, struct type as) {
    struct str digits = literal_number_digits(text);
    buf_printf(p->out, "CAST('%s%.*s' AS ", is_negative ? "-" : "", STR_ARG(digits));
    type_print_engine(p->out, as);
    buf_addc(p->out, ')');
}

/** Whether a number of one type keeps its value and its digits say so in the other. */
static bool reads_alike(struct type from, struct type to) {
    struct type digits = typing_decimal_of(from);
    if (to.kind == TYPE_DOUBLE) return from.kind != TYPE_FLOAT;
    if (to.kind == TYPE_FLOAT) return from.kind == TYPE_DECIMAL;
    if (to.kind == TYPE_DECIMAL)
        return digits.kind == TYPE_DECIMAL && to.scale >= digits.scale &&
               to.precision - to.scale >= digits.precision - digits.scale;
    return type_is_integer(from) && type_is_integer(to) && from.kind < to.kind;
}

void print_as(struct printer *p, const struct expr *e, struct type as) {
    struct str digits;
    bool is_negative;
    if (e->type.kind == TYPE_NONE && as.kind != TYPE_NONE) {
        print_null(p, as);
    } else if (!type_eq(e->type, as) && literal_number(e, &digits, &is_negative) && reads_alike(e->type, as)) {
        print_number(p, digits, is_negative, as);
    } else if (type_eq(e->type, as) || as.kind == TYPE_NONE) {
        print_node(p, e);
    } else {
        print_cast(p, value_of(e, e->type), as);
    }
}

/* ---- nodes ---- */

static void print_name(struct printer *p, struct str name) {
    if (p->prefix.len) buf_printf(p->out, "%.*s.", STR_ARG(p->prefix));
    buf_addc(p->out, '"');
    for (size_t i = 0; i < name.len; i++) {
        if (name.ptr[i] == '"') buf_addc(p->out, '"');
        buf_addc(p->out, name.ptr[i]);
    }
    buf_addc(p->out, '"');
}

static void print_moment(struct printer *p, const struct expr *e) {
    int64_t value = 0, year;
    int month, day;
    if (e->kind == EXPR_TIMESTAMP) {
        literal_timestamp(e->text, &value);
        buf_printf(p->out, "CAST(make_timestamp(%lld) AS TIMESTAMPTZ)", (long long)value);
        return;
    }
    literal_date(e->text, &value);
    time_date_of(value, &year, &month, &day);
    buf_printf(p->out, "DATE '%04d-%02d-%02d'", (int)year, month, day);
}

static void print_compare(struct printer *p, const struct expr *e) {
    static const char *const templates[] = {
        [EXPR_EQ] = "($1 = $2)",
        [EXPR_NE] = "($1 <> $2)",
        [EXPR_LT] = "($1 < $2)",
        [EXPR_LE] = "($1 <= $2)",
        [EXPR_GT] = "($1 > $2)",
        [EXPR_GE] = "($1 >= $2)",
        [EXPR_NULL_SAFE_EQ] = "($1 IS NOT DISTINCT FROM $2)",
    };
    struct type common;
    typing_compare(e->args[0], e->args[1], &common); /* expr_check has seen it succeed */
    struct value values[] = {value_of(e->args[0], common), value_of(e->args[1], common)};
    print_template(p, templates[e->op], values, 2);
}

/** a AND b AND c in one pair of brackets: the engine counts brackets as depth. */
static void print_chain(struct printer *p, const struct expr *e, enum expr_op op) {
    if (e->kind != EXPR_OPERATOR || e->op != op) {
        print_as(p, e, boolean);
        return;
    }
    print_chain(p, e->args[0], op);
    buf_addz(p->out, op == EXPR_AND ? " AND " : " OR ");
    print_chain(p, e->args[1], op);
}

static void print_matched(struct printer *p, const struct expr *e) {
    struct value values[] = {value_of(e->args[0], string), value_of(e->args[1], string)};
    print_template(p, e->op == EXPR_LIKE ? "($1 LIKE $2 ESCAPE '\\')" : "java_regexp_find($1, $2)", values, 2);
}

static void print_operator(struct printer *p, const struct expr *e) {
    static const char *const tests[] = {
        [EXPR_NOT] = "(NOT $1)",
        [EXPR_IS_NULL] = "($1 IS NULL)",
        [EXPR_IS_NOT_NULL] = "($1 IS NOT NULL)",
        [EXPR_IS_TRUE] = "($1 IS NOT DISTINCT FROM true)",
        [EXPR_IS_NOT_TRUE] = "($1 IS DISTINCT FROM true)",
        [EXPR_IS_FALSE] = "($1 IS NOT DISTINCT FROM false)",
        [EXPR_IS_NOT_FALSE] = "($1 IS DISTINCT FROM false)",
    };
    struct value value =
        value_of(e->args[0], e->op == EXPR_IS_NULL || e->op == EXPR_IS_NOT_NULL ? e->args[0]->type : boolean);
    switch (e->op) {
    case EXPR_NEGATE:
        print_negate(p, e);
        break;
    case EXPR_AND:
    case EXPR_OR:
        buf_addc(p->out, '(');
        print_chain(p, e, e->op);
        buf_addc(p->out, ')');
        break;
    case EXPR_EQ:
    case EXPR_NE:
    case EXPR_LT:
    case EXPR_LE:
    case EXPR_GT:
    case EXPR_GE:
    case EXPR_NULL_SAFE_EQ:
        print_compare(p, e);
        break;
    case EXPR_LIKE:
    case EXPR_RLIKE:
        print_matched(p, e);
        break;
    case EXPR_CONCAT:
        call_concat(p, e);
        break;
    case EXPR_ADD:
    case EXPR_SUBTRACT:
    case EXPR_MULTIPLY:
    case EXPR_DIVIDE:
    case EXPR_MODULO:
        print_arithmetic(p, e);
        break;
    default:
        print_template(p, tests[e->op], &value, 1);
    }
}

static void print_in(struct printer *p, const struct expr *e) {
    struct type common;
    typing_common(e->args, e->count, 1, true, &common); /* expr_check has seen it succeed */
    buf_addc(p->out, '(');
    print_as(p, e->args[0], common);
    buf_addz(p->out, " IN (");
    for (size_t i = 1; i < e->count; i++) {
        if (i > 1) buf_addz(p->out, ", ");
        print_as(p, e->args[i], common);
    }
    buf_addz(p->out, "))");
}

/** Each bound is compared by itself, as Spark does it. */
static void print_between(struct printer *p, const struct expr *e) {
    struct type low, high;
    typing_compare(e->args[0], e->args[1], &low); /* expr_check has seen both succeed */
    typing_compare(e->args[0], e->args[2], &high);
    bool is_one = type_eq(low, high);
    const struct expr *a = e->args[0];
    unsigned name = is_one ? 0 : print_named(p, a);
    struct value values[] = {
        {a, low, name, a->type}, value_of(e->args[1], low), value_of(e->args[2], high), {a, high, name, a->type}};
    print_template(p, is_one ? "($1 >= $2 AND $1 <= $3)" : "($1 >= $2 AND $4 <= $3)", values, 4);
    print_named_end(p, name);
}

static void print_case(struct printer *p, const struct expr *e) {
    buf_addz(p->out, "CASE");
    for (size_t i = 0; i + 1 < e->count; i += 2) {
        buf_addz(p->out, " WHEN ");
        print_as(p, e->args[i], boolean);
        buf_addz(p->out, " THEN ");
        print_as(p, e->args[i + 1], e->type);
    }
    if (e->count % 2) {
        buf_addz(p->out, " ELSE ");
        print_as(p, e->args[e->count - 1], e->type);
    }
    buf_addz(p->out, " END");
}

static void print_bare(struct printer *p, const struct expr *e) {
    struct str digits;
    bool is_negative;
    if (literal_number(e, &digits, &is_negative)) {
        if (e->type.kind == TYPE_INT && !is_negative)
            buf_add(p->out, digits);
        else
            print_number(p, digits, is_negative, e->type);
        return;
    }
    switch (e->kind) {
    case EXPR_NULL:
        print_null(p, e->type);
        break;
    case EXPR_BOOL:
        buf_add(p->out, e->text);
        break;
    case EXPR_NUMBER:
        break;
    case EXPR_TEXT:
        print_text(p, e->text);
        break;
    case EXPR_DATE:
    case EXPR_TIMESTAMP:
        print_moment(p, e);
        break;
    case EXPR_COLUMN:
        print_name(p, e->text);
        break;
    case EXPR_OPERATOR:
        print_operator(p, e);
        break;
    case EXPR_IN:
        print_in(p, e);
        break;
    case EXPR_BETWEEN:
        print_between(p, e);
        break;
    case EXPR_CASE:
        print_case(p, e);
        break;
    case EXPR_CAST:
        print_as(p, e->args[0], e->type);
        break;
    case EXPR_CALL:
        print_call(p, e);
        break;
    }
}

static void print_node(struct printer *p, const struct expr *e) {
    if (e->is_negated) buf_addz(p->out, "(NOT ");
    print_bare(p, e);
    if (e->is_negated) buf_addc(p->out, ')');
}

void expr_print_engine(struct buf *out, const struct expr *e, struct str prefix) {
    struct printer p = {.out = out, .prefix = prefix};
    print_node(&p, e);
}

/* ---- what the SQL needs ---- */

struct decimals {
    struct arena *arena;
    struct type *list;
    size_t count, capacity;
};

static void add_decimals(const struct expr *e, struct decimals *d) {
    struct type type = decimal_called(e);
    bool is_new = type.kind == TYPE_DECIMAL;
    for (size_t i = 0; is_new && i < d->count; i++) is_new = !type_eq(type, d->list[i]);
    if (is_new) LIST_PUSH(d->arena, d->list, d->count, d->capacity) = type;
    for (size_t i = 0; i < e->count; i++) add_decimals(e->args[i], d);
}

void expr_decimals(const struct expr *e, struct arena *arena, struct type **out, size_t *count) {
    struct decimals d = {.arena = arena};
    add_decimals(e, &d);
    *out = d.list;
    *count = d.count;
}
