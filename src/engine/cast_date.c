/*
 * Text to DATE, TIMESTAMP and TIMESTAMP_NTZ.
 *
 * 1. DATE: sign, year of 4 to 7 digits, month and day of 1 or 2, each part but the year optional; after a day a blank
 * or `T` ends it and anything may follow. TIMESTAMP: the year has at most 6 digits, then hour, minute, second,
 * fraction, zone, each optional in this order, but a zone only after seconds.
 * 2. A fraction is cut after six digits, never rounded. There is no 24:00 and no leap second.
 * 3. Proleptic Gregorian calendar, year 0 and negative ones included; what does not fit the type is no value.
 * 4. A text with only a time is no TIMESTAMP: Spark would take today's date.
 * 5. The usual shapes are read at fixed places first. They give what the grammar gives, since each of their parts is
 * one of the grammar's, of a width it allows.
 *
 * Source: SparkDateTimeUtils.stringToDate and parseTimestampString of Spark 3.5.
 */
#include "engine/cast.h"
#include "engine/cast_text.h"
#include "engine/zone.h"

#include "base/time.h"

enum { DATE_YEAR_DIGITS = 7, TIMESTAMP_YEAR_DIGITS = 6, SECONDS_PER_DAY = 86400, US_PER_S = 1000000 };

static bool take_char(struct str s, size_t *at, char c) {
    if (*at == s.len || s.ptr[*at] != c) return false;
    (*at)++;
    return true;
}

/** One or two digits. */
static bool take_part(struct str s, size_t *at, int *value) { return take_digits(s, at, 2, value) > 0; }

/** `[+-]yyyy[-m[-d]]`; has_day tells whether all three were there. What follows is the caller's question. */
static bool take_date(struct str s, size_t *at, size_t year_digits, int64_t *year, int *month, int *day,
                      bool *has_day) {
    int value;
    *month = *day = 1;
    bool is_negative = s.len > 0 && s.ptr[0] == '-';
    if (is_negative || (s.len > 0 && s.ptr[0] == '+')) ++*at;
    if (take_digits(s, at, year_digits, &value) < 4) return false;
    *year = is_negative ? -value : value;
    *has_day = false;
    if (!take_char(s, at, '-')) return true;
    if (!take_part(s, at, month)) return false;
    if (!take_char(s, at, '-')) return true;
    *has_day = true;
    return take_part(s, at, day);
}

bool cast_date(struct str text, int32_t *days) {
    struct str s = trim_controls(text);
    int64_t year;
    int month, day, usual_year;
    bool has_day = true;
    size_t at = 0;
    if (s.len >= 10 && usual_date(s.ptr, &usual_year, &month, &day)) {
        year = usual_year;
        at = 10;
    } else if (!take_date(s, &at, DATE_YEAR_DIGITS, &year, &month, &day, &has_day)) {
        return false;
    }
    if (at < s.len && !(has_day && (s.ptr[at] == ' ' || s.ptr[at] == 'T'))) return false;
    if (!time_is_date(year, month, day)) return false;
    int64_t value = time_days_of(year, month, day);
    *days = (int32_t)value;
    return value >= INT32_MIN && value <= INT32_MAX;
}

/** A wall time and the text of its zone, which is empty when there is none. */
struct wall_time {
    int64_t year;
    int month, day, hour, minute, second, us;
    struct str zone;
};

static bool read_usual(struct str s, size_t *at, struct wall_time *out) {
    int year;
    const char *p = s.ptr;
    if (s.len < 19 || !usual_date(p, &year, &out->month, &out->day)) return false;
    if ((p[10] != ' ' && p[10] != 'T') || p[13] != ':' || p[16] != ':') return false;
    out->year = year;
    *at = 19;
    return two_digits(p + 11, &out->hour) && two_digits(p + 14, &out->minute) && two_digits(p + 17, &out->second);
}

/** Up to the seconds. is_done: the text ended earlier, at a place where it may. */
static bool read_any(struct str s, size_t *at, struct wall_time *out, bool *is_done) {
    bool has_day;
    *is_done = true;
    *at = 0;
    out->hour = out->minute = out->second = 0;
    if (!take_date(s, at, TIMESTAMP_YEAR_DIGITS, &out->year, &out->month, &out->day, &has_day)) return false;
    if (*at == s.len) return true;
    if (!has_day || (!take_char(s, at, ' ') && !take_char(s, at, 'T'))) return false;
    if (!take_part(s, at, &out->hour)) return false;
    if (*at == s.len) return true;
    if (!take_char(s, at, ':') || !take_part(s, at, &out->minute)) return false;
    if (*at == s.len) return true;
    *is_done = false;
    return take_char(s, at, ':') && take_part(s, at, &out->second);
}

/** The fraction if there is one; the rest is the zone. */
static bool read_after_seconds(struct str s, size_t at, struct wall_time *out) {
    if (at < s.len && is_digit(s.ptr[at])) return false;
    if (take_char(s, &at, '.')) {
        for (int place = 100000; at < s.len && is_digit(s.ptr[at]); at++, place /= 10)
            out->us += place * (s.ptr[at] - '0');
    }
    out->zone = str_sub(s, at, s.len);
    return true;
}

static bool read_wall_time(struct str text, struct wall_time *out) {
    struct str s = trim_controls(text);
    size_t at = 0;
    bool is_done = false;
    out->us = 0;
    out->zone = (struct str){0};
    if (!read_usual(s, &at, out) && !read_any(s, &at, out, &is_done)) return false;
    if (!is_done && !read_after_seconds(s, at, out)) return false;
    return time_is_date(out->year, out->month, out->day) && out->hour < 24 && out->minute < 60 && out->second < 60;
}

static int64_t local_seconds(const struct wall_time *t) {
    return time_days_of(t->year, t->month, t->day) * SECONDS_PER_DAY + t->hour * 3600 + t->minute * 60 + t->second;
}

bool cast_timestamp(struct str text, int64_t *us) {
    struct wall_time t;
    struct zone zone = {0};
    if (!read_wall_time(text, &t)) return false;
    if (t.zone.len > 0 && !str_eq(t.zone, STR("Z")) && !zone_parse(t.zone, &zone)) return false;
    return zone_instant(&zone, local_seconds(&t), t.us, us);
}

bool cast_timestamp_ntz(struct str text, int64_t *us) {
    struct wall_time t;
    struct zone zone, utc = {0};
    if (!read_wall_time(text, &t)) return false;
    if (t.zone.len > 0 && !zone_parse(t.zone, &zone)) return false;
    return zone_instant(&utc, local_seconds(&t), t.us, us);
}

bool cast_zone_instant(struct str text, int64_t local_us, int64_t *instant_us) {
    struct zone zone;
    if (!zone_parse(text, &zone)) return false;
    int64_t fraction = local_us % US_PER_S;
    if (fraction < 0) fraction += US_PER_S;
    int64_t local_s = local_us / US_PER_S - (local_us % US_PER_S < 0);
    return zone_instant(&zone, local_s, (int32_t)fraction, instant_us);
}
