/*
 * Clocks and the proleptic Gregorian calendar, in arithmetic of our own: the C library's calendar knows time zones and
 * locales, and stops at int years.
 *
 * 1. Days and microseconds before 1970 are negative and are split by floor division, so a time of day is never
 * negative.
 * 2. Texts are those of java.time (years of four digits, sign beyond), which is what Spark prints.
 *
 * Source of the day count: the era method (400 years of 146097 days, years from 1 March).
 */
#include "base/time.h"

#include <stdlib.h>
#include <time.h>

#define US_PER_S INT64_C(1000000)
#define US_PER_DAY (INT64_C(86400) * US_PER_S)

int64_t time_now_us(void) {
    int64_t fixed;
    if (str_int64(str_of(getenv("ASSAY_TEST_NOW")), &fixed) == ASSAY_OK) return fixed;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * US_PER_S + now.tv_nsec / 1000;
}

double time_monotonic_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }

int64_t time_days_of(int64_t year, int month, int day) {
    int64_t y = year - (month <= 2);
    int64_t era = floor_div(y, 400);
    int64_t year_of_era = y - era * 400;
    int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719468;
}

void time_date_of(int64_t days, int64_t *year, int *month, int *day) {
    int64_t z = days + 719468;
    int64_t era = floor_div(z, 146097);
    int64_t day_of_era = z - era * 146097;
    int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t m = (5 * day_of_year + 2) / 153; /* 0 is March */
    *day = (int)(day_of_year - (153 * m + 2) / 5 + 1);
    *month = (int)(m < 10 ? m + 3 : m - 9);
    *year = year_of_era + era * 400 + (*month <= 2);
}

bool time_is_date(int64_t year, int month, int day) {
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (month < 1 || month > 12 || day < 1) return false;
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return day <= days[month - 1] + (month == 2 && leap);
}

struct str time_date_text(struct arena *arena, int64_t days) {
    int64_t year;
    int month, day;
    time_date_of(days, &year, &month, &day);
    const char *sign = year < 0 ? "-" : year > 9999 ? "+" : "";
    return str_printf(arena, "%s%04lld-%02d-%02d", sign, (long long)(year < 0 ? -year : year), month, day);
}

/** The date, `between`, and the time of day to the second; *fraction_us is what is left. */
static struct str print_to_second(struct arena *arena, int64_t us, char between, int *fraction_us) {
    int64_t days = floor_div(us, US_PER_DAY);
    int64_t of_day = us % US_PER_DAY + (us % US_PER_DAY < 0 ? US_PER_DAY : 0);
    int second = (int)(of_day / US_PER_S);
    *fraction_us = (int)(of_day % US_PER_S);
    struct str date = time_date_text(arena, days);
    return str_printf(arena, "%.*s%c%02d:%02d:%02d", STR_ARG(date), between, second / 3600, second / 60 % 60,
                      second % 60);
}

struct str time_iso_ms(struct arena *arena, int64_t us) {
    int fraction;
    struct str text = print_to_second(arena, us, 'T', &fraction);
    return str_printf(arena, "%.*s.%03dZ", STR_ARG(text), fraction / 1000);
}

struct str time_text(struct arena *arena, int64_t us) {
    int fraction;
    struct str text = print_to_second(arena, us, ' ', &fraction);
    if (fraction == 0) return text;
    text = str_printf(arena, "%.*s.%06d", STR_ARG(text), fraction);
    while (text.ptr[text.len - 1] == '0') text.len--;
    return text;
}

/** Take exactly `count` digits off the front of *s. */
static bool take_digits(struct str *s, size_t count, int *out) {
    if (s->len < count) return false;
    int value = 0;
    for (size_t i = 0; i < count; i++) {
        if (s->ptr[i] < '0' || s->ptr[i] > '9') return false;
        value = value * 10 + (s->ptr[i] - '0');
    }
    *s = str_sub(*s, count, s->len);
    *out = value;
    return true;
}

static bool take_any(struct str *s, const char *either) {
    if (s->len == 0 || str_find_char(str_of(either), s->ptr[0]) == SIZE_MAX) return false;
    *s = str_sub(*s, 1, s->len);
    return true;
}

static bool take_fraction(struct str *s, int *us) {
    *us = 0;
    if (!take_any(s, ".")) return true;
    int digit, scale = 100000;
    if (s->len == 0 || s->ptr[0] < '0' || s->ptr[0] > '9') return false;
    for (; scale > 0 && take_digits(s, 1, &digit); scale /= 10) *us += digit * scale;
    return true;
}

static bool take_offset(struct str *s, int *minutes) {
    *minutes = 0;
    if (take_any(s, "Zz")) return true;
    if (s->len == 0) return false;
    int sign = s->ptr[0] == '-' ? -1 : 1, hour, minute;
    if (!take_any(s, "+-") || !take_digits(s, 2, &hour) || !take_any(s, ":") || !take_digits(s, 2, &minute))
        return false;
    *minutes = sign * (hour * 60 + minute);
    return hour < 24 && minute < 60;
}

bool time_parse_iso(struct str text, int64_t *us) {
    int year, month, day, hour, minute, second, fraction, offset;
    struct str s = text;
    if (!take_digits(&s, 4, &year) || !take_any(&s, "-") || !take_digits(&s, 2, &month) || !take_any(&s, "-") ||
        !take_digits(&s, 2, &day) || !take_any(&s, "Tt"))
        return false;
    if (!take_digits(&s, 2, &hour) || !take_any(&s, ":") || !take_digits(&s, 2, &minute) || !take_any(&s, ":") ||
        !take_digits(&s, 2, &second) || !take_fraction(&s, &fraction) || !take_offset(&s, &offset))
        return false;
    if (s.len || !time_is_date(year, month, day) || hour > 23 || minute > 59 || second > 59) return false;
    int64_t seconds = time_days_of(year, month, day) * 86400 + hour * 3600 + (minute - offset) * 60 + second;
    *us = seconds * US_PER_S + fraction;
    return true;
}
