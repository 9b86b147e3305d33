/*
 * + - * / % for the engine, with Java's results.
 *
 * 1. Whole numbers are computed in a wider type and wrapped; nothing overflows. x / 0 and x % 0 are NULL.
 * 2. Decimals are computed exactly and rounded once, HALF_UP, to Spark's result type; what does not fit is NULL. Where
 * the exact value could need more than 38 digits there is no template, and expr_check refuses.
 */
#include "expr/expr_int.h"

enum { DIGITS_MAX = 38 };

static const char *const symbols[] = {
    [EXPR_ADD] = "+", [EXPR_SUBTRACT] = "-", [EXPR_MULTIPLY] = "*", [EXPR_DIVIDE] = "/", [EXPR_MODULO] = "%"};

static const char *wide_of(struct type type) { return type.kind == TYPE_BIGINT ? "HUGEINT" : "BIGINT"; }

void days_template(char sign, struct buf *out) {
    struct buf days = {0};
    buf_printf(&days, "(($1 - DATE '1970-01-01') %c CAST($2 AS BIGINT))", sign);
    buf_addz(out, "TRY(DATE '1970-01-01' + ");
    wrap_template((struct type){.kind = TYPE_INT}, days.data, out);
    buf_addc(out, ')');
    buf_free(&days);
}

/** The values come as bigint; two of them need a hugeint. */
static void whole_template(enum expr_op op, struct type type, struct buf *out) {
    bool is_big = type.kind == TYPE_BIGINT;
    const char *left = is_big ? "CAST($1 AS HUGEINT)" : "$1", *right = is_big ? "CAST($2 AS HUGEINT)" : "$2";
    struct buf exact = {0};
    if (op == EXPR_MODULO) {
        buf_printf(out, "CAST(%s %% nullif(%s, 0) AS ", left, right);
        type_print_engine(out, type);
        buf_addc(out, ')');
    } else {
        buf_printf(&exact, "(%s %s %s)", left, symbols[op], right);
        wrap_template(type, exact.data, out);
    }
    buf_free(&exact);
}

/* ---- decimals ---- */

static void add_type(struct buf *out, int precision, int scale) {
    type_print_engine(out, (struct type){TYPE_DECIMAL, precision, scale});
}

/** 1 followed by zeros. */
static void add_power(struct buf *out, int zeros) {
    buf_addc(out, '1');
    for (int i = 0; i < zeros; i++) buf_addc(out, '0');
}

/** The type made wide enough that the engine multiplies in 128 bits; it stays at 64 when both factors have at most 18
 * digits. */
static void add_wide(struct buf *out, struct type type) {
    add_type(out, type.precision > 19 ? type.precision : 19, type.scale);
}

static bool add_template(enum expr_op op, const struct typing *t, struct buf *out) {
    int scale = t->left.scale > t->right.scale ? t->left.scale : t->right.scale;
    int left = t->left.precision - t->left.scale + scale, right = t->right.precision - t->right.scale + scale;
    int digits = (left > right ? left : right) + 1;
    if (digits > DIGITS_MAX && (t->result.scale != scale || left > DIGITS_MAX || right > DIGITS_MAX)) return false;
    buf_addz(out, "TRY(CAST($1 AS ");
    add_type(out, digits < DIGITS_MAX ? digits : DIGITS_MAX, scale);
    buf_printf(out, ") %s CAST($2 AS ", symbols[op]);
    add_type(out, digits < DIGITS_MAX ? digits : DIGITS_MAX, scale);
    buf_addz(out, "))");
    return true;
}

static bool multiply_template(const struct typing *t, struct buf *out) {
    int digits = t->left.precision + t->right.precision, scale = t->left.scale + t->right.scale;
    if (scale > DIGITS_MAX || (digits > DIGITS_MAX && t->result.scale != scale)) return false;
    buf_addz(out, "TRY(CAST($1 AS ");
    add_wide(out, t->left);
    buf_addz(out, ") * $2)");
    return true;
}

static bool modulo_template(const struct typing *t, struct buf *out) {
    int scale = t->left.scale > t->right.scale ? t->left.scale : t->right.scale;
    int left = t->left.precision - t->left.scale + scale, right = t->right.precision - t->right.scale + scale;
    int digits = left > right ? left : right;
    if (digits > DIGITS_MAX || t->result.scale != scale) return false;
    buf_addz(out, "(CAST($1 AS ");
    add_type(out, digits, scale);
    buf_addz(out, ") % nullif(CAST($2 AS ");
    add_type(out, digits, scale);
    buf_addz(out, "), 0))");
    return true;
}

/** A decimal's digits as a whole number; false if the engine has no room for it. */
static bool add_digits(struct buf *out, const char *value, struct type type) {
    if (type.precision + type.scale + 1 > DIGITS_MAX) return false;
    buf_printf(out, "CAST(CAST(%s AS ", value);
    add_wide(out, type);
    buf_addz(out, ") * CAST(");
    add_power(out, type.scale);
    buf_addz(out, " AS ");
    add_type(out, type.scale + 1, 0);
    buf_addz(out, ") AS HUGEINT)");
    return true;
}

/** n / d as whole numbers: cut towards zero, then one step away from it when the rest is at least half. */
static bool divide_template(const struct typing *t, struct buf *out) {
    int shift = t->result.scale + t->right.scale - t->left.scale;
    if (shift < 0 || t->left.precision + shift > DIGITS_MAX || t->right.precision >= DIGITS_MAX || t->result.scale == 0)
        return false;
    struct buf n = {0}, d = {0};
    bool has_room = add_digits(&d, "$2", t->right) && add_digits(&n, "$1", t->left);
    if (has_room) {
        buf_addz(&n, " * ");
        add_power(&n, shift);
        buf_addz(&n, "::HUGEINT");
        buf_printf(out,
                   "(CAST(((%s) // nullif(%s, 0) + CASE WHEN 2 * abs((%s) %% nullif(%s, 0)) >= abs(%s) THEN sign($1) * "
                   "sign($2) ELSE 0 END) "
                   "AS DECIMAL(38,0)) * CAST('0.",
                   n.data, d.data, n.data, d.data, d.data);
        for (int i = 1; i < t->result.scale; i++) buf_addc(out, '0');
        buf_addz(out, "1' AS ");
        add_type(out, t->result.scale, t->result.scale);
        buf_addz(out, "))");
    }
    buf_free(&n);
    buf_free(&d);
    return has_room;
}

bool decimal_template(enum expr_op op, const struct typing *t, struct buf *out) {
    buf_addz(out, "TRY_CAST(");
    bool is_known = op == EXPR_MULTIPLY ? multiply_template(t, out)
                    : op == EXPR_DIVIDE ? divide_template(t, out)
                    : op == EXPR_MODULO ? modulo_template(t, out)
                                        : add_template(op, t, out);
    buf_addz(out, " AS ");
    type_print_engine(out, t->result);
    buf_addc(out, ')');
    return is_known;
}

/* ---- nodes ---- */

void print_arithmetic(struct printer *p, const struct expr *e) {
    struct typing t;
    struct buf sql = {0};
    typing_arithmetic(e->op, e->args[0], e->args[1], &t); /* expr_check has seen it succeed */
    const struct type wide = {.kind = TYPE_BIGINT};
    bool is_whole = type_is_integer(t.result);
    struct value values[] = {{e->args[0], is_whole ? wide : t.left, 0}, {e->args[1], is_whole ? wide : t.right, 0}};
    bool is_date = t.result.kind == TYPE_DATE, is_count_first = is_date && t.left.kind != TYPE_DATE;
    bool may_divide = e->op == EXPR_DIVIDE || e->op == EXPR_MODULO;
    if (is_date)
        days_template(e->op == EXPR_ADD ? '+' : '-', &sql);
    else if (is_whole)
        whole_template(e->op, t.result, &sql);
    else if (t.result.kind == TYPE_DECIMAL)
        decimal_template(e->op, &t, &sql);
    else
        buf_printf(&sql, may_divide ? "($1 %s nullif($2, 0))" : "($1 %s $2)", symbols[e->op]);
    if (is_count_first) {
        struct value date = values[1];
        values[1] = values[0];
        values[0] = date;
    }
    print_template(p, sql.data, values, 2);
    buf_free(&sql);
}

void print_negate(struct printer *p, const struct expr *e) {
    struct buf sql = {0}, exact = {0};
    struct value value = {e->args[0], e->type, 0};
    if (type_is_integer(e->type)) {
        buf_printf(&exact, "(0 - CAST($1 AS %s))", wide_of(e->type));
        wrap_template(e->type, exact.data, &sql);
    } else {
        buf_addz(&sql, "(-$1)");
    }
    print_template(p, sql.data, &value, 1);
    buf_free(&exact);
    buf_free(&sql);
}
