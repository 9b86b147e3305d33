/*
 * Function calls for the engine: most by the template of the table, here those that depend on types or literals.
 */
#include "base/time.h"
#include "expr/expr_int.h"

enum { ARGUMENTS_TEMPLATE = 3 };

static const struct type date = {.kind = TYPE_DATE}, string = {.kind = TYPE_STRING}, whole = {.kind = TYPE_INT};

static struct type argument_type(const struct expr *call, size_t index) {
    const struct function *f = function_find(call->text, call->count);
    struct type common;
    function_common(f, call, &common);
    return parameter_type(function_parameter(f, index), call->args[index]->type, common);
}

static struct value argument(const struct expr *call, size_t index) {
    return value_of(call->args[index], argument_type(call, index));
}

void print_call(struct printer *p, const struct expr *call) {
    const struct function *f = function_find(call->text, call->count);
    if (f->print) {
        f->print(p, call);
        return;
    }
    struct value values[ARGUMENTS_TEMPLATE] = {0};
    for (size_t i = 0; i < call->count; i++) values[i] = argument(call, i);
    print_template(p, f->sql, values, call->count);
}

void call_list(struct printer *p, const struct expr *call) {
    buf_add(p->out, call->text);
    buf_addc(p->out, '(');
    for (size_t i = 0; i < call->count; i++) {
        if (i) buf_addz(p->out, ", ");
        print_as(p, call->args[i], call->type);
    }
    buf_addc(p->out, ')');
}

void call_concat(struct printer *p, const struct expr *call) {
    buf_addc(p->out, '(');
    for (size_t i = 0; i < call->count; i++) {
        if (i) buf_addz(p->out, " || ");
        print_as(p, call->args[i], string);
    }
    buf_addc(p->out, ')');
}

/** Not the engine's nullif, a macro that has its first value twice. */
void call_nullif(struct printer *p, const struct expr *call) {
    const struct expr *a = call->args[0], *b = call->args[1];
    struct type common;
    typing_compare(a, b, &common); /* expr_check has seen it succeed */
    bool is_one = type_eq(common, a->type);
    unsigned name = is_one ? 0 : print_named(p, a);
    struct value values[] = {{a, common, name, a->type}, value_of(b, common), {a, a->type, name, a->type}};
    print_template(p, is_one ? "CASE WHEN $1 = $2 THEN NULL ELSE $1 END" : "CASE WHEN $1 = $2 THEN NULL ELSE $3 END",
                   values, 3);
    print_named_end(p, name);
}

void call_days(struct printer *p, const struct expr *call) {
    struct buf sql = {0};
    struct value values[] = {value_of(call->args[0], date), value_of(call->args[1], whole)};
    days_template(str_eq(call->text, STR("date_add")) ? '+' : '-', &sql);
    print_template(p, sql.data, values, 2);
    buf_free(&sql);
}

void call_days_between(struct printer *p, const struct expr *call) {
    struct buf sql = {0};
    struct value values[] = {value_of(call->args[0], date), value_of(call->args[1], date)};
    wrap_template(whole, "($1 - $2)", &sql);
    print_template(p, sql.data, values, 2);
    buf_free(&sql);
}

/** The moment of printing: one for all rows, and the test clock's in tests. */
void call_now(struct printer *p, const struct expr *call) {
    buf_printf(p->out, "CAST(make_timestamp(%lld) AS ", (long long)time_now_us());
    type_print_engine(p->out, call->type);
    buf_addc(p->out, ')');
}

/* ---- numbers ---- */

void call_abs(struct printer *p, const struct expr *call) {
    struct value value = argument(call, 0);
    print_template(p, type_is_integer(value.as) ? "coalesce(TRY(abs($1)), $1)" : "abs($1)", &value, 1);
}

int round_scale(const struct expr *call) {
    if (call->count < 2) return 0;
    int64_t scale;
    bool is_literal = call->args[1]->kind == EXPR_NUMBER && str_int64(call->args[1]->text, &scale) == ASSAY_OK;
    return is_literal && scale >= 0 && scale <= 18 ? (int)scale : -1;
}

static bool is_fraction(struct type type) { return type.kind == TYPE_FLOAT || type.kind == TYPE_DOUBLE; }

struct type decimal_called(const struct expr *e) {
    if (e->kind == EXPR_CAST && e->type.kind == TYPE_DECIMAL) {
        struct type from = e->args[0]->type;
        return from.kind == TYPE_STRING || is_fraction(from) ? e->type : (struct type){0};
    }
    if (e->kind != EXPR_CALL || !str_eq(e->text, STR("round")) || !is_fraction(e->type)) return (struct type){0};
    return (struct type){TYPE_DECIMAL, 38, round_scale(e)};
}

/** Spark rounds the decimal digits that a double prints as; from 2^53 on a double has no fraction. */
void call_round(struct printer *p, const struct expr *call) {
    struct buf sql = {0};
    struct value value = argument(call, 0);
    if (is_fraction(value.as)) {
        bool is_float = value.as.kind == TYPE_FLOAT;
        buf_printf(&sql,
                   "CASE WHEN abs($1) < 1e16 THEN spark_%s(CAST(spark_decimal_38_%d(CAST(%s AS VARCHAR)) AS VARCHAR)) "
                   "ELSE $1 END",
                   is_float ? "float" : "double", round_scale(call), is_float ? "CAST($1 AS DOUBLE)" : "$1");
    } else if (value.as.kind == TYPE_DECIMAL) {
        buf_addz(&sql, "TRY_CAST($1 AS ");
        type_print_engine(&sql, call->type);
        buf_addc(&sql, ')');
    } else {
        buf_addz(&sql, "$1");
    }
    print_template(p, sql.data, &value, 1);
    buf_free(&sql);
}

/** Replace each `$1` of a template. */
static void substitute(const char *sql, const char *value, struct buf *out) {
    for (struct str rest = str_of(sql); rest.len;) {
        size_t at = str_find(rest, STR("$1"));
        buf_add(out, str_sub(rest, 0, at));
        if (at != SIZE_MAX) buf_addz(out, value);
        rest = str_sub(rest, at == SIZE_MAX ? rest.len : at + 2, rest.len);
    }
}

/** floor and ceil: fractions give a bigint that stops at its ends. */
void call_whole(struct printer *p, const struct expr *call) {
    struct value value = argument(call, 0);
    bool is_floor = str_eq(call->text, STR("floor"));
    struct buf sql = {0}, cut = {0};
    if (value.as.kind == TYPE_DECIMAL) {
        buf_addz(&sql, is_floor ? "TRY_CAST(floor($1) AS " : "TRY_CAST(ceil($1) AS ");
        type_print_engine(&sql, call->type);
        buf_addc(&sql, ')');
    } else if (is_fraction(value.as)) {
        cast_template((struct type){.kind = TYPE_DOUBLE}, call->type, &cut);
        substitute(cut.data, is_floor ? "floor(CAST($1 AS DOUBLE))" : "ceil(CAST($1 AS DOUBLE))", &sql);
    } else {
        buf_addz(&sql, "CAST($1 AS BIGINT)");
    }
    print_template(p, sql.data, &value, 1);
    buf_free(&sql);
    buf_free(&cut);
}

/* ---- texts ---- */

/* Spark's substring counts characters from 1; 0 is 1 too; a negative start counts from the end and may lie before the
 * text, which then eats from the length. CASE and not greatest(), which passes over NULL. */
#define START "(CASE WHEN $2 > 0 THEN $2 - 1 WHEN $2 < 0 THEN length($1) + $2 ELSE $2 END)"
#define FROM "(CASE WHEN " START " < 0 THEN 0 ELSE " START " END)"
#define SUBSTRING(end) "substring($1, " FROM " + 1, CASE WHEN " end " < " FROM " THEN 0 ELSE " end " - " FROM " END)"

/** Whether the value is a number from 0 that is written out. */
static bool is_plain_count(const struct expr *e) { return e->kind == EXPR_NUMBER && e->type.kind == TYPE_INT; }

void call_substring(struct printer *p, const struct expr *call) {
    const struct type big = {.kind = TYPE_BIGINT};
    bool is_plain = is_plain_count(call->args[1]) && (call->count < 3 || is_plain_count(call->args[2]));
    struct value values[ARGUMENTS_TEMPLATE] = {argument(call, 0), value_of(call->args[1], big), {0}};
    if (call->count == 3) values[2] = value_of(call->args[2], big);
    if (is_plain && str_find(call->args[1]->text, STR("0")) != 0) {
        print_template(p, call->count == 3 ? "substring($1, $2, $3)" : "substring($1, $2)", values, call->count);
        return;
    }
    print_template(p, call->count == 3 ? SUBSTRING("(" START " + $3)") : SUBSTRING("2147483647"), values, call->count);
}
