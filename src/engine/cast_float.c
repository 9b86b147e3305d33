/*
 * Text to DOUBLE and FLOAT: Java's grammar is checked here, the digits are turned into bits by the C library, which
 * rounds correctly.
 *
 * 1. Decimal numbers with an optional exponent, hexadecimal ones with a binary exponent (required), one letter d or f
 * at the end of either; NaN and Infinity with a sign; Spark's words inf, infinity and nan in any case. Nothing else
 * that strtod knows.
 * 2. Too large is infinity, too small is zero, never no value. FLOAT is read as FLOAT, not through DOUBLE.
 * 3. An exponent beyond 324 + the number of digits decides alone, whatever zeros stand before them: so does Java.
 * 4. Up to 15 digits (7 for FLOAT) with a small power of ten are computed here: both are exact, so one operation rounds
 * correctly.
 *
 * Source: jdk.internal.math.FloatingDecimal of JDK 17, Cast.processFloatingPointSpecialLiterals of Spark 3.5.
 */
#include "engine/cast.h"
#include "engine/cast_text.h"

#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { DECIMAL_EXPONENT_MAX = 324, EXPONENT_CAP = 100000000 };

enum real_kind { REAL_WORD, REAL_DECIMAL, REAL_HEX };

struct real {
    enum real_kind kind;
    bool is_negative;
    double word;        /* REAL_WORD: NaN, infinity or zero, without sign */
    struct str text;    /* without sign and suffix, for strtod */
    uint64_t digits;    /* REAL_DECIMAL with at most 19 digits: text = digits * 10^exponent */
    size_t digit_count; /* from the first that is not 0 */
    int64_t exponent;
};

static bool take_char(struct str s, size_t *at, const char *either) {
    if (*at == s.len || s.ptr[*at] == '\0' || !strchr(either, s.ptr[*at])) return false;
    (*at)++;
    return true;
}

static bool is_word(struct str s, bool has_sign, double *word) {
    *word = INFINITY;
    if (str_eq_nocase(s, STR("infinity")) || str_eq_nocase(s, STR("inf"))) return true;
    *word = (double)NAN;
    return has_sign ? str_eq(s, STR("NaN")) : str_eq_nocase(s, STR("nan"));
}

/** Sign and digits of an exponent; a value too large for any use is capped. */
static bool take_exponent(struct str s, size_t *at, int64_t *exponent) {
    bool is_negative = *at < s.len && s.ptr[*at] == '-';
    take_char(s, at, "+-");
    size_t from = *at;
    int64_t value = 0;
    for (; *at < s.len && is_digit(s.ptr[*at]); (*at)++)
        if (value < EXPONENT_CAP) value = value * 10 + (s.ptr[*at] - '0');
    *exponent = is_negative ? -value : value;
    return *at > from;
}

/** Digits with at most one point. */
static bool take_mantissa(struct str s, size_t *at, struct real *out) {
    bool has_point = false, has_digit = false;
    for (; *at < s.len; (*at)++) {
        char c = s.ptr[*at];
        if (c == '.' && !has_point) {
            has_point = true;
            continue;
        }
        if (!is_digit(c)) break;
        has_digit = true;
        if (c != '0' || out->digit_count > 0) out->digit_count++;
        if (out->digit_count <= 19) out->digits = out->digits * 10 + (uint64_t)(c - '0');
        if (has_point) out->exponent--;
    }
    return has_digit;
}

static bool read_decimal(struct str s, struct real *out) {
    size_t at = 0;
    int64_t exponent = 0;
    out->kind = REAL_DECIMAL;
    if (!take_mantissa(s, &at, out)) return false;
    if (take_char(s, &at, "eE") && !take_exponent(s, &at, &exponent)) return false;
    out->text = str_sub(s, 0, at);
    take_char(s, &at, "dDfF");

    out->exponent += exponent;
    int64_t limit = DECIMAL_EXPONENT_MAX + (int64_t)out->digit_count;
    if (out->digit_count == 0 || exponent > limit || exponent < -limit) {
        out->kind = REAL_WORD;
        out->word = out->digit_count > 0 && exponent > 0 ? INFINITY : 0.0;
    }
    return at == s.len;
}

static bool is_hex_digit(char c) { return is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f'); }

/** After `0x`. A point needs a digit on one of its sides. */
static bool read_hex(struct str s, struct real *out) {
    size_t at = 2;
    int64_t exponent;
    bool has_point = false, has_digit = false;
    out->kind = REAL_HEX;
    for (; at < s.len; at++) {
        if (is_hex_digit(s.ptr[at]))
            has_digit = true;
        else if (s.ptr[at] == '.' && !has_point)
            has_point = true;
        else
            break;
    }
    if (!has_digit || !take_char(s, &at, "pP") || !take_exponent(s, &at, &exponent)) return false;
    out->text = str_sub(s, 0, at);
    take_char(s, &at, "dDfF");
    return at == s.len;
}

static bool read_real(struct str text, struct real *out) {
    struct str s = trim_java(text);
    size_t at = 0;
    *out = (struct real){.is_negative = s.len > 0 && s.ptr[0] == '-'};
    bool has_sign = take_char(s, &at, "+-");
    s = str_sub(s, at, s.len);
    if (s.len > 0 && (is_digit(s.ptr[0]) || s.ptr[0] == '.')) {
        if (s.len > 1 && s.ptr[0] == '0' && (s.ptr[1] == 'x' || s.ptr[1] == 'X')) return read_hex(s, out);
        return read_decimal(s, out);
    }
    out->kind = REAL_WORD;
    return is_word(s, has_sign, &out->word);
}

static locale_t c_locale;
static void make_c_locale(void) { c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0); }

/** By the library, for what cannot be computed here. */
static void convert(struct str text, double *as_double, float *as_float) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_c_locale);
    char small[128];
    char *copy = text.len < sizeof small ? small : memory_alloc(text.len + 1);
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    if (as_double)
        *as_double = strtod_l(copy, NULL, c_locale);
    else
        *as_float = strtof_l(copy, NULL, c_locale);
    if (copy != small) free(copy);
}

bool cast_double(struct str text, double *out) {
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    struct real r;
    if (!read_real(text, &r)) return false;
    double value;
    if (r.kind == REAL_WORD)
        value = r.word;
    else if (r.kind == REAL_HEX || r.digit_count > 15 || r.exponent < -22 || r.exponent > 22)
        convert(r.text, &value, NULL);
    else if (r.exponent < 0)
        value = (double)r.digits / powers[-r.exponent];
    else
        value = (double)r.digits * powers[r.exponent];
    *out = r.is_negative && !isnan(value) ? -value : value;
    return true;
}

bool cast_float(struct str text, float *out) {
    static const float powers[] = {1e0F, 1e1F, 1e2F, 1e3F, 1e4F, 1e5F, 1e6F, 1e7F, 1e8F, 1e9F, 1e10F};
    struct real r;
    if (!read_real(text, &r)) return false;
    float value;
    if (r.kind == REAL_WORD)
        value = (float)r.word;
    else if (r.kind == REAL_HEX || r.digit_count > 7 || r.exponent < -10 || r.exponent > 10)
        convert(r.text, NULL, &value);
    else if (r.exponent < 0)
        value = (float)r.digits / powers[-r.exponent];
    else
        value = (float)r.digits * powers[r.exponent];
    *out = r.is_negative && !isnan(value) ? -value : value;
    return true;
}
