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

void days_template(char sign, struct buf *out) {
    struct buf days = {0};
    buf_printf(&days, "(($1 - DATE '1970-01-01') %c CAST($2 AS BIGINT))", sign);
    buf_addz(out, "TRY(DATE '1970-01-01' + ");
    wrap_template((struct type){.kind = TYPE_INT}, days.data, out);
    buf_addc(out, ')');
    buf_free(&days);
}

/** Of the type itself; the smallest number % -1 would overflow. */
static void modulo_whole_template(struct type type, struct buf *out) {
    buf_addz(out, "CAST($1 % CASE WHEN $2 = -1 THEN 1 ELSE $2 END AS ");
    type_print_engine(out, type);
    buf_addc(out, ')');
}

/** Both values are bigint. 128 bits are slow, so only what overflows 64 is computed in them. */
static void whole_template(enum expr_op op, struct type type, struct buf *out) {
    struct buf exact = {0};
    if (type.kind == TYPE_BIGINT) {
        buf_printf(&exact, "(CAST($1 AS HUGEINT) %s CAST($2 AS HUGEINT))", symbols[op]);
        buf_printf(out, "coalesce(TRY($1 %s $2), ", symbols[op]);
        wrap_template(type, exact.data, out);
        buf_addc(out, ')');
    } else {
        buf_printf(&exact, "($1 %s $2)", symbols[op]);
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
    buf_addz(out, ") % CAST($2 AS ");
    add_type(out, digits, scale);
    buf_addz(out, "))");
    return true;
}

enum { DIGITS_FAST = 18 }; /* of a whole number in 64 bits, and of the engine's decimals in as many */

/** A decimal's digits as a whole number. */
static void add_digits(struct buf *out, const char *value, struct type type, bool is_fast) {
    buf_printf(out, "CAST(CAST(%s AS ", value);
    if (is_fast)
        type_print_engine(out, type);
    else
        add_wide(out, type);
    buf_addz(out, ") * CAST(");
    add_power(out, type.scale);
    buf_addz(out, " AS ");
    add_type(out, type.scale + 1, 0);
    buf_addz(out, is_fast ? ") AS BIGINT)" : ") AS HUGEINT)");
}

/** n / d as whole numbers: cut towards zero, then one step away from it when the rest is at least half. */
static void add_quotient(struct buf *out, const struct typing *t, int shift, bool is_fast) {
    struct buf n = {0}, d = {0};
    buf_addc(&n, '(');
    add_digits(&n, "$1", t->left, is_fast);
    buf_addz(&n, " * ");
    add_power(&n, shift);
    buf_addz(&n, is_fast ? ")" : "::HUGEINT)");
    add_digits(&d, "$2", t->right, is_fast);
    buf_printf(out, "(%s // %s + CASE WHEN 2 * abs(%s %% %s) >= abs(%s) THEN sign($1) * sign($2) ELSE 0 END)", n.data,
               d.data, n.data, d.data, d.data);
    buf_free(&n);
    buf_free(&d);
}

static bool divide_template(const struct typing *t, struct buf *out) {
    int shift = t->result.scale + t->right.scale - t->left.scale, scale = t->result.scale;
    int left = t->left.precision + t->left.scale + 1, right = t->right.precision + t->right.scale + 1;
    int digits = t->left.precision + shift, widest = left > right ? left : right;
    if (shift < 0 || digits > DIGITS_MAX || widest > DIGITS_MAX || t->right.precision == DIGITS_MAX || scale == 0)
        return false;
    bool is_fast = digits <= DIGITS_FAST && widest <= DIGITS_FAST;
    buf_addz(out, "(CAST(");
    add_quotient(out, t, shift, is_fast);
    buf_printf(out, " AS DECIMAL(%d,0)) * CAST('0.", is_fast ? DIGITS_FAST : DIGITS_MAX);
    for (int i = 1; i < scale; i++) buf_addc(out, '0');
    buf_addz(out, "1' AS ");
    add_type(out, scale, scale);
    buf_addz(out, "))");
    return true;
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

static void arithmetic_template(enum expr_op op, const struct typing *t, struct buf *out) {
    if (t->result.kind == TYPE_DATE)
        days_template(op == EXPR_ADD ? '+' : '-', out);
    else if (type_is_integer(t->result) && op == EXPR_MODULO)
        modulo_whole_template(t->result, out);
    else if (type_is_integer(t->result))
        whole_template(op, t->result, out);
    else if (t->result.kind == TYPE_DECIMAL)
        decimal_template(op, t, out);
    else if (op == EXPR_DIVIDE || op == EXPR_MODULO)
        buf_printf(out, "($1 %s CASE WHEN $2 = 0 THEN NULL ELSE $2 END)", symbols[op]);
    else
        buf_printf(out, "($1 %s $2)", symbols[op]);
}

void print_arithmetic(struct printer *p, const struct expr *e) {
    const struct type wide = {.kind = TYPE_BIGINT};
    struct typing t;
    struct buf sql = {0};
    typing_arithmetic(e->op, e->args[0], e->args[1], &t); /* expr_check has seen it succeed */
    bool is_widened = type_is_integer(t.result) && e->op != EXPR_MODULO;
    bool is_count_first = t.result.kind == TYPE_DATE && t.left.kind != TYPE_DATE;
    struct value left = value_of(e->args[0], is_widened ? wide : t.left),
                 right = value_of(e->args[1], is_widened ? wide : t.right);
    struct value values[] = {is_count_first ? right : left, is_count_first ? left : right};
    arithmetic_template(e->op, &t, &sql);
    print_template(p, sql.data, values, 2);
    buf_free(&sql);
}

void print_negate(struct printer *p, const struct expr *e) {
    struct value value = value_of(e->args[0], e->type);
    /* the smallest number has no opposite; Java leaves it as it is */
    print_template(p, type_is_integer(e->type) ? "coalesce(TRY(-$1), $1)" : "(-$1)", &value, 1);
}
