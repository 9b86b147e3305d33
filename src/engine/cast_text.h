/** What the casts share: the two trims of Spark's casts, and digits. All inline: they run once a byte. */
#ifndef ENGINE_CAST_TEXT_H
#define ENGINE_CAST_TEXT_H

#include "base/str.h"

static inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

/** UTF8String.trimAll, for integers, booleans, dates and timestamps: bytes 0x00-0x20 and 0x7F, at both ends. */
static inline struct str trim_controls(struct str s) {
    while (s.len > 0 && ((unsigned char)s.ptr[0] <= 0x20 || s.ptr[0] == 0x7F)) s.ptr++, s.len--;
    while (s.len > 0 && ((unsigned char)s.ptr[s.len - 1] <= 0x20 || s.ptr[s.len - 1] == 0x7F)) s.len--;
    return s;
}

/** java.lang.String.trim, for decimals, floating point and zones: bytes 0x00-0x20. */
static inline struct str trim_java(struct str s) {
    while (s.len > 0 && (unsigned char)s.ptr[0] <= 0x20) s.ptr++, s.len--;
    while (s.len > 0 && (unsigned char)s.ptr[s.len - 1] <= 0x20) s.len--;
    return s;
}

/** The digits at *at, up to `most`: their value and, as the return, their count. More digits than that stay where they
 * are. */
static inline size_t take_digits(struct str s, size_t *at, size_t most, int *value) {
    size_t from = *at;
    *value = 0;
    while (*at < s.len && *at - from < most && is_digit(s.ptr[*at])) *value = *value * 10 + (s.ptr[(*at)++] - '0');
    return *at - from;
}

/** Two digits at a place known to exist; false if one of them is none. */
static inline bool two_digits(const char *at, int *value) {
    *value = (at[0] - '0') * 10 + (at[1] - '0');
    return is_digit(at[0]) && is_digit(at[1]);
}

/** `dddd-dd-dd` at a place known to have ten bytes. */
static inline bool usual_date(const char *at, int *year, int *month, int *day) {
    int century, rest;
    if (!two_digits(at, &century) || !two_digits(at + 2, &rest) || at[4] != '-' || at[7] != '-') return false;
    *year = century * 100 + rest;
    return two_digits(at + 5, month) && two_digits(at + 8, day);
}

#endif
