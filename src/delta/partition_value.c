/*
 * Values of partition columns, which stand in the log as texts (protocol: "Partition Value Serialization").
 *
 * 1. The empty text is NULL for every type; whoever reads the log makes it so.
 * 2. A text must be a value of its column's type, exactly: a number that would be rounded or cut, a day that no month
 * has, is not taken for something near it.
 * 3. assay writes a timestamp with its zone, `2024-01-05T12:30:45.500000Z`. One without is one of UTC, the engine's
 * zone: the log does not say what zone its writer was in.
 */
#include "delta/delta_int.h"

static bool is_in_range(delta_int128 value, enum type_kind kind) {
    int bits = kind == TYPE_TINYINT ? 8 : kind == TYPE_SMALLINT ? 16 : kind == TYPE_INT ? 32 : 64;
    delta_int128 limit = (delta_int128)1 << (bits - 1);
    return value >= -limit && value < limit;
}

static bool is_in_precision(delta_int128 value, int precision) {
    delta_int128 limit = 1;
    for (int i = 0; i < precision; i++) limit *= 10;
    return value < limit && value > -limit;
}

bool delta_partition_value_is(struct str text, struct type type) {
    if (!text.ptr || type.kind == TYPE_STRING || type.kind == TYPE_BINARY) return true;
    if (type.kind == TYPE_BOOLEAN) return str_eq_nocase(text, STR("true")) || str_eq_nocase(text, STR("false"));
    struct delta_bound value = delta_bound_of_text(text, type);
    if (value.is_open && type.kind == TYPE_TIMESTAMP_NTZ) /* written when the column was a date */
        value = delta_bound_of_text(text, (struct type){.kind = TYPE_DATE});
    if (value.is_open) return false;
    if (type_is_integer(type)) return is_in_range(value.number, type.kind);
    return type.kind != TYPE_DECIMAL || is_in_precision(value.number, type.precision);
}

void delta_partition_value_print(struct buf *sql, struct str text, struct type type) {
    if (!text.ptr) {
        buf_addz(sql, "NULL");
    } else if (type.kind == TYPE_BINARY) {
        buf_addz(sql, "encode(");
        engine_sql_text(sql, text);
        buf_addc(sql, ')');
    } else {
        engine_sql_text(sql, text);
    }
}

/* `2024-01-05 12:30:45.5` to `2024-01-05T12:30:45.500000Z`: in UTC whatever the reader's zone is. */
static struct str instant_text(struct str value, struct arena *arena) {
    struct str day, clock = str_split(value, ' ', &day), fraction = {0}, seconds;
    fraction = str_split(clock, '.', &seconds);
    return str_printf(arena, "%.*sT%.*s.%.*s%.*sZ", STR_ARG(day), STR_ARG(seconds), STR_ARG(fraction),
                      (int)(fraction.len < 6 ? 6 - fraction.len : 0), "000000");
}

struct str delta_partition_value_text(struct str value, struct type type, struct arena *arena) {
    if (value.len == 0) return (struct str){0};
    return type.kind == TYPE_TIMESTAMP ? instant_text(value, arena) : value;
}
