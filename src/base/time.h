/** Clocks and the proleptic Gregorian calendar. Instants are microseconds since 1970-01-01T00:00:00Z. */
#ifndef BASE_TIME_H
#define BASE_TIME_H

#include "base/str.h"

/** Now; ASSAY_TEST_NOW (microseconds) in the environment overrules the clock, for golden tests. */
int64_t time_now_us(void);
/** Monotonic seconds, for durations. */
double time_monotonic_s(void);
/** Days since 1970-01-01 of a valid date; any int32 year. */
int64_t time_days_of(int64_t year, int month, int day);
void time_date_of(int64_t days, int64_t *year, int *month, int *day);
bool time_is_date(int64_t year, int month, int day);
/** `2024-01-05T12:30:45.123Z`: ISO 8601, UTC, milliseconds (rounded down). */
struct str time_iso_ms(struct arena *arena, int64_t us);
/** `2024-01-05 12:30:45.123456` without trailing zeros of the fraction, UTC: as Spark prints a timestamp. */
struct str time_text(struct arena *arena, int64_t us);
/** `2024-01-05`, `+10000-01-01`, `-0001-01-01`: as Spark prints a date. */
struct str time_date_text(struct arena *arena, int64_t days);
/** Read what time_iso_ms and RFC 3339 write (`Z` or an offset, fraction 0-6 digits); false if it is not that. */
bool time_parse_iso(struct str text, int64_t *us);

#endif
