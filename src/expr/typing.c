/*
 * Spark 3.5's implicit casts with ANSI off (TypeCoercion.scala, DecimalPrecision.scala), as pure functions of types.
 *
 * 1. A string beside another value is cast to that value's type where two are compared (a decimal and a string to
 * double), and makes all strings where several values need one type (IN, CASE, coalesce).
 * 2. A whole number written out beside a decimal counts as a decimal of just its digits.
 * 3. What is not here is refused: booleans beside numbers, binary beside strings.
 */
#include "expr/expr_int.h"

enum { PRECISION_MAX = 38, SCALE_KEPT = 6 };

static const struct type text = {.kind = TYPE_STRING}, whole_double = {.kind = TYPE_DOUBLE}, none = {0};

static bool is_kind(struct type t, enum type_kind kind) { return t.kind == kind; }

static int smaller(int a, int b) { return a < b ? a : b; }
static int larger(int a, int b) { return a > b ? a : b; }

static bool is_moment(struct type t) {
    return t.kind == TYPE_DATE || t.kind == TYPE_TIMESTAMP || t.kind == TYPE_TIMESTAMP_NTZ;
}

static bool is_fraction(struct type t) { return t.kind == TYPE_FLOAT || t.kind == TYPE_DOUBLE; }

struct type typing_decimal_of(struct type type) {
    switch (type.kind) {
    case TYPE_TINYINT:
        return (struct type){TYPE_DECIMAL, 3, 0};
    case TYPE_SMALLINT:
        return (struct type){TYPE_DECIMAL, 5, 0};
    case TYPE_INT:
        return (struct type){TYPE_DECIMAL, 10, 0};
    case TYPE_BIGINT:
        return (struct type){TYPE_DECIMAL, 20, 0};
    default:
        return type;
    }
}

struct type typing_decimal(int precision, int scale) {
    if (precision <= PRECISION_MAX) return (struct type){TYPE_DECIMAL, precision, scale};
    int kept = larger(PRECISION_MAX - (precision - scale), smaller(scale, SCALE_KEPT));
    return (struct type){TYPE_DECIMAL, PRECISION_MAX, kept};
}

/** DecimalPrecision.widerDecimalType: digits that do not fit are cut off before the point. */
static struct type wider_decimal(struct type a, struct type b) {
    int scale = larger(a.scale, b.scale), whole = larger(a.precision - a.scale, b.precision - b.scale);
    return (struct type){TYPE_DECIMAL, smaller(whole + scale, PRECISION_MAX), scale};
}

static bool has_room(struct type decimal, struct type other) {
    return decimal.precision - decimal.scale >= other.precision - other.scale && decimal.scale >= other.scale;
}

static bool wider_number(struct type a, struct type b, struct type *out) {
    bool is_a = is_kind(a, TYPE_DECIMAL), is_b = is_kind(b, TYPE_DECIMAL);
    if (!is_a && !is_b) {
        *out = a.kind > b.kind ? a : b; /* in the order of the enum, as Spark's numericPrecedence */
        return true;
    }
    if (is_fraction(a) || is_fraction(b)) {
        *out = whole_double;
        return true;
    }
    struct type x = typing_decimal_of(a), y = typing_decimal_of(b);
    *out = is_a && has_room(x, y) ? x : is_b && has_room(y, x) ? y : wider_decimal(x, y);
    return true;
}

/** findWiderTypeForTwo; without has_text findWiderTypeWithoutStringPromotionForTwo. */
static bool wider(struct type a, struct type b, bool has_text, struct type *out) {
    *out = is_kind(a, TYPE_NONE) ? b : a;
    if (type_eq(a, b) || is_kind(a, TYPE_NONE) || is_kind(b, TYPE_NONE)) return true;
    if (type_is_number(a) && type_is_number(b)) return wider_number(a, b, out);
    if (is_moment(a) && is_moment(b)) {
        bool has_instant = is_kind(a, TYPE_TIMESTAMP) || is_kind(b, TYPE_TIMESTAMP);
        *out = (struct type){.kind = has_instant ? TYPE_TIMESTAMP : TYPE_TIMESTAMP_NTZ};
        return true;
    }
    struct type other = is_kind(a, TYPE_STRING) ? b : a;
    *out = text;
    return has_text && (is_kind(a, TYPE_STRING) || is_kind(b, TYPE_STRING)) && !is_kind(other, TYPE_BINARY) &&
           !is_kind(other, TYPE_BOOLEAN);
}

bool typing_common(struct expr *const *values, size_t count, size_t step, bool has_text, struct type *out) {
    *out = none;
    /* strings first, so that the order of the others does not matter (findWiderCommonType) */
    for (size_t i = 0; i < count; i++)
        if (has_text && is_kind(values[i * step]->type, TYPE_STRING)) *out = text;
    for (size_t i = 0; i < count; i++)
        if (!wider(*out, values[i * step]->type, has_text, out)) return false;
    return true;
}

/** The type of a value beside a decimal: that of its digits when it is a whole number written out. */
static struct type exact_type(const struct expr *e) {
    struct str digits;
    bool is_negative;
    struct type type = typing_decimal_of(e->type);
    if (type_is_integer(e->type) && literal_number(e, &digits, &is_negative)) {
        digits = literal_number_digits(digits);
        while (digits.len > 1 && digits.ptr[0] == '0') digits = str_sub(digits, 1, digits.len);
        type.precision = (int)digits.len;
    }
    return type;
}

bool typing_compare(const struct expr *a, const struct expr *b, struct type *out) {
    struct type x = a->type, y = b->type;
    bool is_text = is_kind(x, TYPE_STRING), is_other_text = is_kind(y, TYPE_STRING);
    if (is_text != is_other_text && !is_kind(x, TYPE_NONE) && !is_kind(y, TYPE_NONE)) {
        *out = is_text ? y : x;
        if (is_kind(*out, TYPE_DECIMAL)) *out = whole_double;
        return !is_kind(*out, TYPE_BINARY);
    }
    bool has_decimal = is_kind(x, TYPE_DECIMAL) || is_kind(y, TYPE_DECIMAL);
    if (has_decimal && type_is_number(x) && type_is_number(y) && !is_fraction(x) && !is_fraction(y)) {
        *out = wider_decimal(exact_type(a), exact_type(b));
        return true;
    }
    return wider(x, y, false, out);
}

/* ---- arithmetic ---- */

static struct type decimal_result(enum expr_op op, struct type a, struct type b) {
    int scale = larger(a.scale, b.scale);
    int whole = larger(a.precision - a.scale, b.precision - b.scale);
    int shared = smaller(a.precision - a.scale, b.precision - b.scale);
    switch (op) {
    case EXPR_MULTIPLY:
        return typing_decimal(a.precision + b.precision + 1, a.scale + b.scale);
    case EXPR_DIVIDE:
        scale = larger(SCALE_KEPT, a.scale + b.precision + 1);
        return typing_decimal(a.precision - a.scale + b.scale + scale, scale);
    case EXPR_MODULO:
        return typing_decimal(shared + scale, scale);
    default:
        return typing_decimal(whole + scale + 1, scale);
    }
}

static const char *decimal_arithmetic(enum expr_op op, const struct expr *a, const struct expr *b, struct typing *out) {
    out->left = exact_type(a);
    out->right = exact_type(b);
    out->result = decimal_result(op, out->left, out->right);
    struct buf sql = {0};
    bool is_known = decimal_template(op, out, &sql);
    buf_free(&sql);
    return is_known ? NULL
                    : "the result has more digits than both engines round alike; cast the operands to smaller decimals "
                      "or to double";
}

/** Days are added to and taken from dates. */
static bool date_arithmetic(enum expr_op op, struct type a, struct type b, struct typing *out) {
    struct type date = {.kind = TYPE_DATE}, count = {.kind = TYPE_INT};
    bool is_count = type_is_integer(b) && b.kind != TYPE_BIGINT;
    bool is_count_first = type_is_integer(a) && a.kind != TYPE_BIGINT;
    if (is_kind(a, TYPE_DATE) && is_count && (op == EXPR_ADD || op == EXPR_SUBTRACT))
        *out = (struct typing){date, count, date};
    else if (is_kind(b, TYPE_DATE) && is_count_first && op == EXPR_ADD)
        *out = (struct typing){count, date, date};
    else
        return false;
    return true;
}

const char *typing_arithmetic(enum expr_op op, const struct expr *a, const struct expr *b, struct typing *out) {
    struct type x = is_kind(a->type, TYPE_STRING) ? whole_double : a->type;
    struct type y = is_kind(b->type, TYPE_STRING) ? whole_double : b->type;
    if (is_kind(x, TYPE_NONE)) x = is_kind(y, TYPE_NONE) ? whole_double : y;
    if (is_kind(y, TYPE_NONE)) y = x;
    if (date_arithmetic(op, x, y, out)) return NULL;
    if (is_moment(x) || is_moment(y))
        return "days are added with date + int or date_add, counted with datediff; timestamps have no arithmetic here";
    if (!type_is_number(x) || !type_is_number(y)) return "numbers are expected";
    bool has_fraction = is_fraction(x) || is_fraction(y);
    bool has_decimal = is_kind(x, TYPE_DECIMAL) || is_kind(y, TYPE_DECIMAL);
    bool is_decimal = has_decimal && !has_fraction;
    if (is_decimal && !is_kind(a->type, TYPE_NONE) && !is_kind(b->type, TYPE_NONE))
        return decimal_arithmetic(op, a, b, out);
    if (is_decimal) return "NULL beside a decimal is always NULL";
    struct type common = whole_double;
    if (op != EXPR_DIVIDE) wider_number(x, y, &common);
    *out = (struct typing){common, common, common};
    return NULL;
}
