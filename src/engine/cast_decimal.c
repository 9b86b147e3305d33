/*
 * Text to DECIMAL(p,s) as java.math.BigDecimal reads it and Spark rounds it, without big numbers.
 *
 * 1. Grammar: sign, digits with at most one point and at least one digit, then e or E, sign, digits. Digits are those
 * of Character.isDigit(char): every decimal digit of the basic plane, mixed as you like.
 * 2. precision counts significant digits (1 for zero), scale is digits after the point less the exponent. Both alone
 * decide what becomes of the value, so any exponent costs the same.
 * 3. More than 38 digits before the point is no value, even for zero (`0e38`): Spark's guard, in Java's 32-bit
 * arithmetic.
 * 4. Rounding is half away from zero, then the digits are counted against p.
 * 5. Where BigDecimal cannot compute the power of ten and throws, there is no value.
 *
 * Source: BigDecimal(char[]) and setScale of JDK 17, Decimal.fromString and changePrecision of Spark 3.5.
 */
#include "engine/cast.h"
#include "engine/cast_text.h"

enum {
    MAX_DIGITS = 38,
    SHORT_DIGITS = 18,             /* that many digits fit an uint64_t */
    BIG_INTEGER_POWER = 536870920, /* the least power of ten that BigInteger.pow refuses */
};

static int128 power_of_ten(int exponent) {
    static const uint64_t powers[] = {
        1U,
        10U,
        100U,
        1000U,
        10000U,
        100000U,
        1000000U,
        10000000U,
        100000000U,
        1000000000U,
        10000000000U,
        100000000000U,
        1000000000000U,
        10000000000000U,
        100000000000000U,
        1000000000000000U,
        10000000000000000U,
        100000000000000000U,
        1000000000000000000U,
        10000000000000000000U,
    };
    return exponent < 20 ? (int128)powers[exponent] : (int128)powers[19] * (int128)powers[exponent - 19];
}

/** The common case: at most 18 ASCII digits, one point, a sign. False says nothing about the text. */
static bool read_short(struct str s, bool *is_negative, uint64_t *value, int *scale) {
    *is_negative = s.len > 0 && s.ptr[0] == '-';
    if (s.len > 0 && (*is_negative || s.ptr[0] == '+')) s.ptr++, s.len--;
    if (s.len > SHORT_DIGITS + 1) return false;

    const char *end = s.ptr + s.len, *point = NULL;
    uint64_t v = 0;
    for (const char *at = s.ptr; at < end; at++) {
        if (is_digit(*at))
            v = v * 10 + (uint64_t)(*at - '0');
        else if (*at == '.' && !point)
            point = at;
        else
            return false;
    }
    size_t digits = s.len - (point != NULL);
    *value = v;
    *scale = point ? (int)(end - point - 1) : 0;
    return digits > 0 && digits <= SHORT_DIGITS;
}

/** The value with `scale` digits after the point, given the wanted scale and counted. */
static bool round_short(uint64_t value, int scale, int precision, int wanted, int128 *out, bool *is_exact) {
    *is_exact = true;
    *out = 0;
    if (scale <= wanted) {
        int room = precision - (wanted - scale); /* digits the value may have */
        if (value == 0) return true;
        if (room <= 0 || (room < SHORT_DIGITS && (int128)value >= power_of_ten(room))) return false;
        *out = (int128)value * power_of_ten(wanted - scale);
        return true;
    }
    uint64_t divisor = (uint64_t)power_of_ten(scale - wanted);
    uint64_t rest = value % divisor;
    *is_exact = rest == 0;
    *out = (int128)(value / divisor + (rest >= divisor / 2));
    return *out < power_of_ten(precision);
}

/** The zeros of the decimal digits of Unicode 13 in the basic plane beyond ASCII; each is followed by its one to nine.
 */
static const uint16_t zeros[] = {0x0660, 0x06F0, 0x07C0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6,
                                 0x0C66, 0x0CE6, 0x0D66, 0x0DE6, 0x0E50, 0x0ED0, 0x0F20, 0x1040, 0x1090,
                                 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90, 0x1B50, 0x1BB0, 0x1C40,
                                 0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10};

static int digit_of(uint32_t code_point) {
    for (size_t i = sizeof zeros / sizeof zeros[0]; i-- > 0;)
        if (code_point >= zeros[i]) return code_point < zeros[i] + 10U ? (int)(code_point - zeros[i]) : -1;
    return -1;
}

/** Past the digit at *at; -1 if there is none, with *at unmoved. */
static int take_digit(const char **at, const char *end) {
    const unsigned char *b = (const unsigned char *)*at;
    size_t left = (size_t)(end - *at);
    size_t size = 1;
    uint32_t code_point = 0;
    if (left > 0 && b[0] < 0x80) {
        if (!is_digit(**at)) return -1;
        return *(*at)++ - '0';
    }
    if (left > 1 && (b[0] & 0xE0) == 0xC0 && (b[1] & 0xC0) == 0x80) {
        code_point = (b[0] & 0x1FU) << 6 | (b[1] & 0x3FU);
        size = 2;
    } else if (left > 2 && (b[0] & 0xF0) == 0xE0 && (b[1] & 0xC0) == 0x80 && (b[2] & 0xC0) == 0x80) {
        code_point = (b[0] & 0xFU) << 12 | (b[1] & 0x3FU) << 6 | (b[2] & 0x3FU);
        size = 3;
    }
    bool is_overlong = (size == 2 && code_point < 0x80) || (size == 3 && code_point < 0x800);
    int digit = is_overlong ? -1 : digit_of(code_point);
    if (digit >= 0) *at += size;
    return digit;
}

/** A number of any length; the significant digits are read again when it is known how many matter. */
struct number {
    bool is_negative;
    struct str digits; /* from the first digit that is not 0: digits, and perhaps the point */
    int64_t precision, scale;
};

static bool take_exponent(const char *at, const char *end, int64_t *exponent) {
    bool is_negative = at < end && *at == '-';
    if (at < end && (is_negative || *at == '+')) at++;
    if (at == end) return false;
    int64_t value = 0;
    while (at < end) {
        int digit = take_digit(&at, end);
        if (digit < 0) return false;
        if (value <= INT32_MAX) value = value * 10 + digit;
    }
    *exponent = is_negative ? -value : value;
    return *exponent >= INT32_MIN && *exponent <= INT32_MAX;
}

static bool read_number(struct str s, struct number *out) {
    const char *at = s.ptr, *end = s.ptr + s.len;
    bool has_point = false, has_digit = false;
    int64_t exponent = 0;
    *out = (struct number){.is_negative = s.len > 0 && *at == '-'};
    if (s.len > 0 && (out->is_negative || *at == '+')) at++;

    while (at < end) {
        const char *here = at;
        int digit = take_digit(&at, end);
        if (digit >= 0) {
            has_digit = true;
            if (digit > 0 && out->precision == 0) out->digits.ptr = here;
            if (digit > 0 || out->precision > 0) out->precision++;
            if (has_point) out->scale++;
        } else if (*at == '.' && !has_point) {
            has_point = true;
            at++;
        } else if (*at == 'e' || *at == 'E') {
            end = at;
            if (!take_exponent(at + 1, s.ptr + s.len, &exponent)) return false;
        } else {
            return false;
        }
    }
    if (out->digits.ptr) out->digits.len = (size_t)(end - out->digits.ptr);
    out->scale -= exponent;
    return has_digit && out->scale >= INT32_MIN && out->scale <= INT32_MAX;
}

/** The first `kept` significant digits, rounded by the ones behind them. kept may be beyond the last digit. */
static int128 round_digits(const struct number *n, int64_t kept, bool *is_exact) {
    const char *at = n->digits.ptr, *end = at + n->digits.len;
    int128 value = 0;
    bool round_up = false;
    int64_t place = 0;
    while (at < end) {
        int digit = take_digit(&at, end);
        if (digit < 0) { /* the point */
            at++;
            continue;
        }
        if (place < kept)
            value = value * 10 + digit;
        else if (digit > 0)
            *is_exact = false;
        if (place == kept) round_up = digit >= 5;
        place++;
    }
    for (; place < kept; place++) value *= 10;
    return value + round_up;
}

static bool round_number(const struct number *n, int precision, int scale, int128 *out, bool *is_exact) {
    *is_exact = true;
    *out = 0;
    int64_t digits = n->precision > 0 ? n->precision : 1;
    if ((int32_t)((uint32_t)digits - (uint32_t)n->scale) > MAX_DIGITS) return false;
    if (n->precision == 0) return true;

    int64_t dropped = n->scale - scale;
    int64_t kept = n->precision - dropped;
    if (dropped >= BIG_INTEGER_POWER || kept > precision) return false;
    if (kept < 0)
        *is_exact = false;
    else
        *out = round_digits(n, kept, is_exact);
    return *out < power_of_ten(precision);
}

bool cast_decimal(struct str text, int precision, int scale, int128 *unscaled, bool *is_exact) {
    struct str s = trim_java(text);
    bool is_negative, exact;
    uint64_t value;
    int value_scale;
    if (read_short(s, &is_negative, &value, &value_scale)) {
        if (!round_short(value, value_scale, precision, scale, unscaled, &exact)) return false;
    } else {
        struct number number;
        if (!read_number(s, &number) || !round_number(&number, precision, scale, unscaled, &exact)) return false;
        is_negative = number.is_negative;
    }
    if (is_negative) *unscaled = -*unscaled;
    if (is_exact) *is_exact = exact;
    return true;
}
