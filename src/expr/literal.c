/*
 * What literals mean: the type of a number as it is written, dates and timestamps written out.
 *
 * 1. A number's type is Spark's: digits are int, bigint or decimal(n,0) by size, with a point decimal, with an exponent
 * double; a suffix L S Y D F BD names the type (SqlBase's `number`, AstBuilder.visitIntegerLiteral and its neighbours).
 * 2. Dates and timestamps are the plain forms of what Spark reads; years have four digits, so every engine prints them
 * alike.
 */
#include "base/time.h"
#include "expr/expr_int.h"

#include <limits.h>
#include <stdlib.h>

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* ---- numbers ---- */

struct number {
    struct str digits; /* without suffix */
    struct str suffix;
    bool has_point, has_exponent;
};

static struct number split_number(struct str text) {
    struct number n = {.digits = text};
    while (n.digits.len && !is_digit(n.digits.ptr[n.digits.len - 1]) && n.digits.ptr[n.digits.len - 1] != '.')
        n.digits.len--;
    n.suffix = str_sub(text, n.digits.len, text.len);
    n.has_point = str_find_char(n.digits, '.') != SIZE_MAX;
    n.has_exponent = str_find_char(n.digits, 'e') != SIZE_MAX || str_find_char(n.digits, 'E') != SIZE_MAX;
    return n;
}

struct str literal_number_digits(struct str text) {
    return split_number(text).digits;
}

/** As BigDecimal counts: digits after leading zeros, and those after the point; a scale is never larger than the
 * precision. */
static const char *decimal_type(struct str digits, struct type *out) {
    size_t point = str_find_char(digits, '.'), significant = 0;
    size_t scale = point == SIZE_MAX ? 0 : digits.len - point - 1;
    for (size_t i = 0; i < digits.len; i++)
        if (is_digit(digits.ptr[i]) && (significant || digits.ptr[i] != '0')) significant++;
    if (significant == 0) significant = 1;
    if (significant < scale) significant = scale;
    if (significant > 38) return "a number has at most 38 digits";
    *out = (struct type){TYPE_DECIMAL, (int)significant, (int)scale};
    return NULL;
}

/** Whether the digits with their sign are a value of a whole type of `bits` bits. */
static bool fits(struct str digits, bool is_negative, int bits) {
    while (digits.len > 1 && digits.ptr[0] == '0') digits = str_sub(digits, 1, digits.len);
    if (digits.len > 19) return false;
    uint64_t value = 0;
    for (size_t i = 0; i < digits.len; i++) value = value * 10 + (uint64_t)(digits.ptr[i] - '0');
    return value <= ((uint64_t)1 << (bits - 1)) - (is_negative ? 0 : 1);
}

static const char *whole_type(const struct number *n, bool is_negative, struct type *out) {
    static const struct {
        const char *suffix;
        enum type_kind kind;
        int bits;
    } kinds[] = {{"Y", TYPE_TINYINT, 8},
                 {"S", TYPE_SMALLINT, 16},
                 {"", TYPE_INT, 32},
                 {"L", TYPE_BIGINT, 64},
                 {"", TYPE_BIGINT, 64}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (!str_eq_nocase(n->suffix, str_of(kinds[i].suffix)) || !fits(n->digits, is_negative, kinds[i].bits))
            continue;
        *out = (struct type){.kind = kinds[i].kind};
        return NULL;
    }
    if (n->suffix.len) return "the number does not fit the type its suffix names";
    return decimal_type(n->digits, out);
}

const char *literal_number_type(struct str text, bool is_negative, struct type *out) {
    struct number n = split_number(text);
    bool is_double = str_eq_nocase(n.suffix, STR("D")), is_float = str_eq_nocase(n.suffix, STR("F"));
    if (is_double || is_float || (n.has_exponent && n.suffix.len == 0)) {
        char digits[400];
        if (n.digits.len >= sizeof digits) return "the number is too long";
        for (size_t i = 0; i < n.digits.len; i++) digits[i] = n.digits.ptr[i];
        digits[n.digits.len] = '\0';
        bool is_finite =
            is_float ? strtof(digits, NULL) <= 3.4028234663852886e38f : strtod(digits, NULL) <= 1.7976931348623157e308;
        *out = (struct type){.kind = is_float ? TYPE_FLOAT : TYPE_DOUBLE};
        return is_finite ? NULL : "the number is too large for its type";
    }
    bool is_decimal = n.has_point || str_eq_nocase(n.suffix, STR("BD"));
    if (n.has_exponent) return "a number with an exponent takes no suffix but D and F";
    if (is_decimal)
        return n.suffix.len == 1 ? "a number with a point takes no suffix but D, F and BD"
                                 : decimal_type(n.digits, out);
    return whole_type(&n, is_negative, out);
}

bool literal_number(const struct expr *e, struct str *text, bool *is_negative) {
    *is_negative = e->kind == EXPR_OPERATOR && e->op == EXPR_NEGATE && e->args[0]->kind == EXPR_NUMBER;
    if (*is_negative) e = e->args[0];
    *text = e->text;
    return e->kind == EXPR_NUMBER;
}

/* ---- dates and timestamps ---- */

/** Read a number of min to max digits off the front. */
static bool take_number(struct str *s, size_t min, size_t max, int *out) {
    size_t count = 0;
    *out = 0;
    while (count < s->len && count <= max && is_digit(s->ptr[count])) *out = *out * 10 + (s->ptr[count++] - '0');
    *s = str_sub(*s, count, s->len);
    return count >= min && count <= max;
}

static bool take_char(struct str *s, char c) {
    if (s->len == 0 || s->ptr[0] != c) return false;
    *s = str_sub(*s, 1, s->len);
    return true;
}

static bool take_date(struct str *s, int64_t *days) {
    int year, month, day;
    if (!take_number(s, 4, 4, &year) || !take_char(s, '-') || !take_number(s, 1, 2, &month) || !take_char(s, '-') ||
        !take_number(s, 1, 2, &day) || year == 0 || !time_is_date(year, month, day))
        return false;
    *days = time_days_of(year, month, day);
    return true;
}

bool literal_date(struct str text, int64_t *days) {
    text = str_trim(text);
    return take_date(&text, days) && text.len == 0;
}

static bool take_fraction(struct str *s, int64_t *us) {
    size_t before = s->len;
    int digits;
    if (!take_number(s, 1, 6, &digits)) return false;
    *us = digits;
    for (size_t count = before - s->len; count < 6; count++) *us *= 10;
    return true;
}

/** `Z`, `UTC`, `+hh:mm`; microseconds east. */
static bool take_zone(struct str *s, int64_t *us) {
    *us = 0;
    if (str_eq(*s, STR("Z")) || str_eq(*s, STR("UTC"))) {
        *s = (struct str){0};
        return true;
    }
    bool is_west = take_char(s, '-');
    int hours, minutes;
    if (!is_west && !take_char(s, '+')) return false;
    if (!take_number(s, 1, 2, &hours) || !take_char(s, ':') || !take_number(s, 2, 2, &minutes) ||
        hours * 60 + minutes > 18 * 60 || minutes > 59)
        return false;
    *us = (int64_t)(hours * 60 + minutes) * 60000000 * (is_west ? -1 : 1);
    return true;
}

bool literal_timestamp(struct str text, int64_t *us) {
    text = str_trim(text);
    int64_t days, fraction = 0, zone = 0;
    int hour = 0, minute = 0, second = 0;
    if (!take_date(&text, &days)) return false;
    if (text.len) {
        if (!take_char(&text, 'T') && !take_char(&text, ' ')) return false;
        if (!take_number(&text, 1, 2, &hour) || !take_char(&text, ':') || !take_number(&text, 1, 2, &minute))
            return false;
        if (take_char(&text, ':') && !take_number(&text, 1, 2, &second)) return false;
        if (take_char(&text, '.') && !take_fraction(&text, &fraction)) return false;
        text = str_trim(text);
        if (text.len && !take_zone(&text, &zone)) return false;
    }
    if (text.len || hour > 23 || minute > 59 || second > 59) return false;
    *us = ((days * 24 + hour) * 60 + minute) * 60000000 + (int64_t)second * 1000000 + fraction - zone;
    return true;
}
