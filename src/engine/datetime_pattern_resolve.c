/*
 * From the fields that a text gave to one instant.
 *
 * 1. Strict: a value outside of its field's range, a day its month does not have, and fields that contradict each other
 * are no value.
 * 2. Hours of half days need am or pm to become hours of the day; without, they are taken as they are.
 * 3. What is missing is 1970, January, day 1, midnight, UTC. A day of the year counts where month and day are not both
 * there.
 * 4. A year of an era without its era is not known, so it is 1970.
 * 5. Nanoseconds are cut to microseconds; what does not fit int64 is no value (Spark would clamp it).
 *
 * Source: java.time.format.Parsed.resolve (STRICT) and IsoChronology of JDK 17, DateTimeFormatterHelper.toZonedDateTime
 * of Spark 3.5.
 */
#include "engine/datetime_pattern.h"

#include "base/time.h"

#define YEAR_MAX INT64_C(999999999)

static bool is_between(int64_t value, int64_t least, int64_t most) { return value >= least && value <= most; }

/** Every field that is set is in its range. Widths are not checked when reading, so 13 may have come as a month. */
static bool are_in_range(const struct fields *f) {
    static const struct {
        int64_t least, most;
    } ranges[FIELD_COUNT] = {
        [FIELD_ERA] = {0, 1},
        [FIELD_YEAR] = {-YEAR_MAX, YEAR_MAX},
        [FIELD_YEAR_OF_ERA] = {1, YEAR_MAX + 1},
        [FIELD_MONTH] = {1, 12},
        [FIELD_DAY] = {1, 31},
        [FIELD_DAY_OF_YEAR] = {1, 366},
        [FIELD_AMPM] = {0, 1},
        [FIELD_HOUR] = {0, 23},
        [FIELD_CLOCK_HOUR] = {1, 24},
        [FIELD_HOUR_AMPM] = {0, 11},
        [FIELD_CLOCK_HOUR_AMPM] = {1, 12},
        [FIELD_MINUTE] = {0, 59},
        [FIELD_SECOND] = {0, 59},
        [FIELD_NANO] = {0, 999999999},
        [FIELD_OFFSET] = {-ZONE_OFFSET_MAX_S, ZONE_OFFSET_MAX_S},
    };
    for (int field = 0; field < FIELD_COUNT; field++)
        if (field_has(f, (enum field)field) && !is_between(f->value[field], ranges[field].least, ranges[field].most))
            return false;
    return true;
}

static int64_t value_or(const struct fields *f, enum field field, int64_t otherwise) {
    return field_has(f, field) ? f->value[field] : otherwise;
}

static bool is_same(const struct fields *f, enum field field, int64_t value) {
    return value_or(f, field, value) == value;
}

static bool resolve_year(struct fields *f) {
    if (!field_has(f, FIELD_YEAR_OF_ERA) || !field_has(f, FIELD_ERA)) return true;
    int64_t year = f->value[FIELD_YEAR_OF_ERA];
    return field_set(f, FIELD_YEAR, f->value[FIELD_ERA] == 1 ? year : 1 - year) &&
           is_between(f->value[FIELD_YEAR], -YEAR_MAX, YEAR_MAX);
}

static bool resolve_date(const struct fields *f, int64_t *days) {
    int64_t year = value_or(f, FIELD_YEAR, 1970);
    int month = (int)value_or(f, FIELD_MONTH, 1), day = (int)value_or(f, FIELD_DAY, 1);
    bool is_whole = field_has(f, FIELD_YEAR) && field_has(f, FIELD_MONTH) && field_has(f, FIELD_DAY);
    int64_t new_year = time_days_of(year, 1, 1);
    if (field_has(f, FIELD_DAY_OF_YEAR) && !is_whole) {
        int64_t found_year;
        *days = new_year + f->value[FIELD_DAY_OF_YEAR] - 1;
        time_date_of(*days, &found_year, &month, &day);
        return found_year == year && is_same(f, FIELD_MONTH, month) && is_same(f, FIELD_DAY, day);
    }
    if (!time_is_date(year, month, day)) return false;
    *days = time_days_of(year, month, day);
    return is_same(f, FIELD_DAY_OF_YEAR, *days - new_year + 1);
}

/** Clock hours become hours; am or pm and an hour become the hour of the day. */
static bool resolve_hours(struct fields *f) {
    if (field_has(f, FIELD_CLOCK_HOUR) && !field_set(f, FIELD_HOUR, f->value[FIELD_CLOCK_HOUR] % 24)) return false;
    if (field_has(f, FIELD_CLOCK_HOUR_AMPM) && !field_set(f, FIELD_HOUR_AMPM, f->value[FIELD_CLOCK_HOUR_AMPM] % 12))
        return false;
    if (!field_has(f, FIELD_AMPM) || !field_has(f, FIELD_HOUR_AMPM)) return true;
    return field_set(f, FIELD_HOUR, f->value[FIELD_AMPM] * 12 + f->value[FIELD_HOUR_AMPM]);
}

/** Java makes a time of an hour unless a field between it and the smallest one is missing; then it does not compare. */
static bool is_time_whole(const struct fields *f) {
    bool has_minute = field_has(f, FIELD_MINUTE), has_second = field_has(f, FIELD_SECOND),
         has_nano = field_has(f, FIELD_NANO);
    return field_has(f, FIELD_HOUR) && (has_minute || !(has_second || has_nano)) && (has_second || !has_nano);
}

static bool resolve_time(struct fields *f, int64_t *second_of_day) {
    if (!resolve_hours(f)) return false;
    int64_t hour = 0;
    if (field_has(f, FIELD_HOUR))
        hour = f->value[FIELD_HOUR];
    else if (field_has(f, FIELD_HOUR_AMPM))
        hour = f->value[FIELD_HOUR_AMPM];
    else if (value_or(f, FIELD_AMPM, 0) == 1)
        hour = 12;
    if (is_time_whole(f) && (!is_same(f, FIELD_AMPM, hour / 12) || !is_same(f, FIELD_HOUR_AMPM, hour % 12)))
        return false;
    *second_of_day = hour * 3600 + value_or(f, FIELD_MINUTE, 0) * 60 + value_or(f, FIELD_SECOND, 0);
    return true;
}

bool datetime_pattern_resolve(struct fields *f, int64_t *us) {
    int64_t days, second_of_day;
    if (!are_in_range(f) || !resolve_year(f) || !resolve_date(f, &days) || !resolve_time(f, &second_of_day))
        return false;
    struct zone zone = f->has_zone ? f->zone : (struct zone){.offset_s = (int32_t)value_or(f, FIELD_OFFSET, 0)};
    return zone_instant(&zone, days * 86400 + second_of_day, (int32_t)(value_or(f, FIELD_NANO, 0) / 1000), us);
}
