/**
 * Text to values as Spark 3.5's try_cast does it, session zone UTC, as pure functions of bytes. They know nothing of
 * DuckDB. Each returns false where Spark gives NULL. Exceptions decided for assay: a time-only text is no TIMESTAMP;
 * what makes Spark throw (decimal exponents like 1e2147483647) is NULL. Any bytes may come in; none is trusted.
 *
 * Thread safety: all functions may run in many threads at once.
 * Source: Spark 3.5 Cast, SparkDateTimeUtils, UTF8String, Decimal; vectors in tests/data/spark.
 */
#ifndef ENGINE_CAST_H
#define ENGINE_CAST_H

#include "base/str.h"

bool cast_date(struct str text, int32_t *days);
bool cast_timestamp(struct str text, int64_t *us);     /* zone in the text obeyed, else UTC */
bool cast_timestamp_ntz(struct str text, int64_t *us); /* zone in the text checked, then ignored */
bool cast_tinyint(struct str text, int8_t *out);
bool cast_smallint(struct str text, int16_t *out);
bool cast_int(struct str text, int32_t *out);
bool cast_bigint(struct str text, int64_t *out);
bool cast_float(struct str text, float *out);
bool cast_double(struct str text, double *out);
bool cast_boolean(struct str text, bool *out);

/** A decimal of up to 38 digits as the unscaled 128-bit integer. */
__extension__ typedef __int128 int128;
/** is_exact: whether rounding to the scale changed nothing (meaningful only when true is returned). May be NULL. */
bool cast_decimal(struct str text, int precision, int scale, int128 *unscaled, bool *is_exact);

/** A date or timestamp pattern of Java's DateTimeFormatter as Spark 3.5 (CORRECTED) reads it, compiled once. */
struct datetime_pattern;
/** A `T` outside of quotes is the letter T. @return OK; INVALID names the letter that Spark refuses for reading, or the
 * unbalanced quote. */
enum assay_code datetime_pattern_open(struct str pattern, struct datetime_pattern **out,
                                      struct assay_error *err) NODISCARD;
void datetime_pattern_close(struct datetime_pattern **pattern);
bool datetime_pattern_date(const struct datetime_pattern *pattern, struct str text, int32_t *days);
bool datetime_pattern_timestamp(const struct datetime_pattern *pattern, struct str text, int64_t *us);

/** The instant of a local wall time in a zone given as text as Spark's getZoneId takes it (`Z`, `+05:30`, `UTC+3`,
 * `PST`, `Europe/Paris`) at a local wall time (us since the epoch, as if UTC); gaps move forward, overlaps take the
 * earlier offset. Region rules come from the machine's tzdata (TZDIR, else /usr/share/zoneinfo); without it no region
 * is known. */
bool cast_zone_instant(struct str zone, int64_t local_us, int64_t *instant_us);

/**
 * A number with these separators as the casts above read it, into `out` (cleared first). thousands may be empty.
 * False: the separators do not stand as in a number (number_text.c has the pattern).
 */
bool cast_plain_number(struct str text, struct str decimal, struct str thousands, struct buf *out);

/** Spark's TRIM: 0x20 only. A view of text. */
struct str cast_trim(struct str text);

#endif
