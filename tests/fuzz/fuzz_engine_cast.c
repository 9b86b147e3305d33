/* Any bytes are a value of the type or none, and the types agree with each other. */
#include "engine/cast.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_decimals(struct str text) {
    int128 limit = 1;
    for (int precision = 1; precision <= 38; precision++) {
        limit *= 10;
        int scale = (int)(text.len % (size_t)(precision + 1));
        int128 value;
        bool is_exact;
        if (cast_decimal(text, precision, scale, &value, &is_exact) && (value >= limit || value <= -limit)) abort();
    }
}

/** A text that is a small integer is the same as a larger one and as a decimal. */
static void check_integers(struct str text) {
    int8_t tiny;
    int16_t small;
    int32_t middle;
    int64_t big;
    int128 decimal;
    if (cast_tinyint(text, &tiny) && (!cast_smallint(text, &small) || small != tiny)) abort();
    if (cast_smallint(text, &small) && (!cast_int(text, &middle) || middle != small)) abort();
    if (cast_int(text, &middle) && (!cast_bigint(text, &big) || big != middle)) abort();
    if (cast_bigint(text, &big) && cast_decimal(text, 38, 0, &decimal, NULL) && decimal != big) abort();
}

/** A timestamp's text is a date's text, and the wall time lies in that day. */
static void check_times(struct str text) {
    int32_t days;
    int64_t us, wall_us;
    bool is_date = cast_date(text, &days), is_wall = cast_timestamp_ntz(text, &wall_us);
    if (is_wall && !is_date) abort();
    if (is_wall && wall_us / 86400000000 - (wall_us % 86400000000 < 0) != days) abort();
    if (cast_timestamp(text, &us) && is_wall && llabs(us / 1000000 - wall_us / 1000000) > 18 * 3600 + 1) abort();
    cast_zone_instant(text, INT64_MIN + 1, &us);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct str text = {(const char *)data, size};
    float single;
    double real;
    bool truth;
    if (cast_float(text, &single) != cast_double(text, &real)) abort();
    cast_boolean(text, &truth);
    check_decimals(text);
    check_integers(text);
    check_times(text);
    return 0;
}
