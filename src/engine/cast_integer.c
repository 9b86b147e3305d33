/*
 * Text to integers and booleans, and TRIM.
 *
 * 1. A number is an optional sign and ASCII digits, nothing else: no point, no exponent, no separators. Out of range is
 * no value.
 * 2. Booleans are ten words, case ignored.
 *
 * Source: UTF8String.toLongExact and toIntExact, StringUtils.isTrueString and isFalseString of Spark 3.5.
 */
#include "engine/cast.h"
#include "engine/cast_text.h"

/** Counted downwards, since the least value has no positive twin. */
static bool read_integer(struct str text, int64_t least, int64_t most, int64_t *out) {
    struct str s = trim_controls(text);
    bool is_negative = s.len > 0 && s.ptr[0] == '-';
    if (s.len > 0 && (is_negative || s.ptr[0] == '+')) s.ptr++, s.len--;
    if (s.len == 0) return false;

    int64_t value = 0;
    for (size_t i = 0; i < s.len; i++) {
        if (!is_digit(s.ptr[i])) return false;
        if (__builtin_mul_overflow(value, 10, &value) || __builtin_sub_overflow(value, s.ptr[i] - '0', &value))
            return false;
    }
    if (!is_negative && __builtin_sub_overflow((int64_t)0, value, &value)) return false;
    *out = value;
    return value >= least && value <= most;
}

bool cast_tinyint(struct str text, int8_t *out) {
    int64_t value;
    if (!read_integer(text, INT8_MIN, INT8_MAX, &value)) return false;
    *out = (int8_t)value;
    return true;
}

bool cast_smallint(struct str text, int16_t *out) {
    int64_t value;
    if (!read_integer(text, INT16_MIN, INT16_MAX, &value)) return false;
    *out = (int16_t)value;
    return true;
}

bool cast_int(struct str text, int32_t *out) {
    int64_t value;
    if (!read_integer(text, INT32_MIN, INT32_MAX, &value)) return false;
    *out = (int32_t)value;
    return true;
}

bool cast_bigint(struct str text, int64_t *out) { return read_integer(text, INT64_MIN, INT64_MAX, out); }

bool cast_boolean(struct str text, bool *out) {
    static const struct {
        struct str word;
        bool value;
    } words[] = {{{"true", 4}, true}, {{"false", 5}, false}, {{"1", 1}, true},  {{"0", 1}, false},  {{"y", 1}, true},
                 {{"n", 1}, false},   {{"t", 1}, true},      {{"f", 1}, false}, {{"yes", 3}, true}, {{"no", 2}, false}};
    struct str s = trim_controls(text);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (!str_eq_nocase(s, words[i].word)) continue;
        *out = words[i].value;
        return true;
    }
    return false;
}

struct str cast_trim(struct str text) {
    while (text.len > 0 && text.ptr[0] == ' ') text.ptr++, text.len--;
    while (text.len > 0 && text.ptr[text.len - 1] == ' ') text.len--;
    return text;
}
