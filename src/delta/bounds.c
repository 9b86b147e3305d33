/*
 * Values of ranges and of stats, so that they can be compared (protocol: "Per-file Statistics"; Spark's order of
 * values).
 *
 * 1. Integers, dates, timestamps and decimals are exact integers; nothing but float and double is ever a double.
 * 2. What cannot be understood exactly is open: nothing is known on that side, and no file is passed over because of
 * it.
 * 3. A timestamp in the stats is cut to milliseconds, so a maximum is raised by one.
 * 4. A text maximum may be cut with U+FFFD as its last character, which Spark 3.2 picks in UTF-16 order; it is raised
 * to the largest text of that prefix in byte order. NaN is the largest number.
 * 5. The bound of a double may have been written when the column was float: then its text is the shortest that is this
 * float, and the double which the float became lies on either side of the text.
 */
#include "delta/delta_int.h"

#include "base/time.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct delta_bound OPEN = {.is_open = true};

/* value = value * 10 + digit; false beyond 38 digits. */
static bool push_digit(delta_int128 *value, int digit) {
    static const delta_int128 LIMIT = (delta_int128)1000000000000000000 * 1000000000000000000 * 10; /* 10^37 */
    if (*value >= LIMIT) return false;
    *value = *value * 10 + digit;
    return true;
}

/* A decimal text as an integer of units of 10^-scale, if it is one exactly. */
static bool parse_decimal(struct str text, int scale, delta_int128 *out) {
    size_t i = 0;
    bool is_negative = text.len > 0 && text.ptr[0] == '-';
    if (text.len > 0 && (text.ptr[0] == '-' || text.ptr[0] == '+')) i++;
    delta_int128 value = 0;
    int64_t exponent = 0;
    bool has_point = false, has_digit = false;
    for (; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == '.' && !has_point)
            has_point = true;
        else if (c >= '0' && c <= '9') {
            if (!push_digit(&value, c - '0')) return false;
            has_digit = true;
            exponent -= has_point;
        } else
            break;
    }
    if (i < text.len) {
        struct str power = str_sub(text, i + 1, text.len);
        if (power.len > 0 && power.ptr[0] == '+') power = str_sub(power, 1, power.len);
        int64_t shift;
        if ((text.ptr[i] != 'e' && text.ptr[i] != 'E') || str_int64(power, &shift) != ASSAY_OK || shift > 100 ||
            shift < -100)
            return false;
        exponent += shift;
    }
    if (!has_digit) return false;
    for (int64_t left = exponent + scale; left > 0 && value != 0; left--)
        if (!push_digit(&value, 0)) return false;
    for (int64_t left = exponent + scale; left < 0 && value != 0; left++) {
        if (value % 10) return false;
        value /= 10;
    }
    *out = is_negative ? -value : value;
    return true;
}

/* `[+-]y{4,}-MM-dd` */
static bool parse_date(struct str text, int64_t *days) {
    bool is_negative = text.len > 0 && text.ptr[0] == '-';
    struct str rest = text.len > 0 && (text.ptr[0] == '-' || text.ptr[0] == '+') ? str_sub(text, 1, text.len) : text,
               year, month;
    struct str day = str_split(str_split(rest, '-', &year), '-', &month);
    int64_t y, m, d;
    if (year.len < 4 || year.len > 7 || month.len != 2 || day.len != 2) return false;
    if (str_int64(year, &y) || str_int64(month, &m) || str_int64(day, &d)) return false;
    if (is_negative) y = -y;
    if (m < 1 || m > 12 || d < 1 || d > 31 || !time_is_date(y, (int)m, (int)d)) return false;
    *days = time_days_of(y, (int)m, (int)d);
    return true;
}

/* An ISO instant, or a wall time read as UTC: a blank for the T, no zone. */
static bool parse_instant(struct str text, int64_t *us) {
    char iso[64];
    if (text.len < 19 || text.len + 2 > sizeof iso) return false;
    memcpy(iso, text.ptr, text.len);
    size_t len = text.len;
    if (iso[10] == ' ') iso[10] = 'T';
    if (time_parse_iso((struct str){iso, len}, us)) return true;
    iso[len++] = 'Z';
    return time_parse_iso((struct str){iso, len}, us);
}

static bool parse_real(struct str text, bool is_float, double *out) {
    char digits[64], *end;
    if (text.len == 0 || text.len >= sizeof digits) return false;
    memcpy(digits, text.ptr, text.len);
    digits[text.len] = '\0';
    if (str_eq(text, STR("NaN")))
        *out = NAN;
    else if (str_eq(text, STR("Infinity")))
        *out = INFINITY;
    else if (str_eq(text, STR("-Infinity")))
        *out = -INFINITY;
    else if (strspn(digits, "+-.0123456789eE") != text.len)
        return false;
    else {
        *out = is_float ? (double)strtof(digits, &end) : strtod(digits, &end);
        return *end == '\0';
    }
    return true;
}

struct delta_bound delta_bound_of_text(struct str text, struct type type) {
    struct delta_bound bound = {.text = text};
    int64_t number;
    if (!text.ptr) return OPEN;
    switch (type.kind) {
    case TYPE_STRING:
        return bound;
    case TYPE_TINYINT:
    case TYPE_SMALLINT:
    case TYPE_INT:
    case TYPE_BIGINT:
        if (str_int64(text, &number) != ASSAY_OK) return OPEN;
        break;
    case TYPE_DATE:
        if (!parse_date(text, &number)) return OPEN;
        break;
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMP_NTZ:
        if (!parse_instant(text, &number)) return OPEN;
        break;
    case TYPE_DECIMAL:
        return parse_decimal(text, type.scale, &bound.number) ? bound : OPEN;
    case TYPE_FLOAT:
    case TYPE_DOUBLE:
        return parse_real(text, type.kind == TYPE_FLOAT, &bound.real) ? bound : OPEN;
    case TYPE_NONE:
    case TYPE_BOOLEAN:
    case TYPE_BINARY:
        return OPEN;
    }
    bound.number = number;
    return bound;
}

/* What is certainly not below any text that a writer cut to this maximum. */
static struct str raise_cut_text(struct str max, struct arena *arena) {
    struct str mark = STR("\xEF\xBF\xBD");
    if (!str_ends(max, mark)) return max;
    struct str prefix = str_sub(max, 0, max.len - mark.len);
    if (str_ends(prefix, STR("?"))) prefix = str_sub(prefix, 0, prefix.len - 1); /* half of a surrogate pair */
    return str_printf(arena, "%.*s\xF4\x8F\xBF\xBF\xF4\x8F\xBF\xBF", STR_ARG(prefix));
}

struct delta_bound delta_bound_of_stats(struct str raw, struct type type, bool is_max, struct arena *arena) {
    struct str text = raw;
    if (raw.len > 0 && raw.ptr[0] == '"' && !delta_stats_text(raw, arena, &text)) return OPEN;
    bool is_quoted = raw.len > 0 && raw.ptr[0] == '"';
    bool is_text = type.kind == TYPE_STRING;
    if (is_text && !is_quoted) return OPEN;
    if (is_text && is_max) text = raise_cut_text(text, arena);
    struct delta_bound bound = delta_bound_of_text(text, type);
    if (type.kind == TYPE_DOUBLE && !bound.is_open) {
        double as_float = (double)(float)bound.real;
        if (is_max ? as_float > bound.real : as_float < bound.real) bound.real = as_float;
    }
    bool is_time = type.kind == TYPE_TIMESTAMP || type.kind == TYPE_TIMESTAMP_NTZ;
    if (is_time && is_max && !bound.is_open) bound.number += 1000;
    return bound;
}

static int compare_reals(double a, double b) {
    if (isnan(a) || isnan(b)) return isnan(a) - isnan(b);
    return a < b ? -1 : a > b;
}

int delta_bound_cmp(const struct delta_bound *a, const struct delta_bound *b, struct type type) {
    if (type.kind == TYPE_STRING) return str_cmp(a->text, b->text);
    if (type.kind == TYPE_FLOAT || type.kind == TYPE_DOUBLE) return compare_reals(a->real, b->real);
    return a->number < b->number ? -1 : a->number > b->number;
}
