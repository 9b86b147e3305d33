/*
 * Values as text: one form for results, statistics and reports.
 *
 * 1. Numbers never pass through a wider or narrower type: decimals and 128-bit integers are printed from their integer.
 * 2. Dates and timestamps are Spark's text, in UTC (base/time.h). The infinities that DuckDB knows are `infinity` and
 * `-infinity`.
 * 3. A type without a text here (TIME, INTERVAL, UUID, BIT, UNION) is UNSUPPORTED: our SQL casts it to VARCHAR if it
 * wants one.
 */
#include "engine/engine_int.h"

#include "base/json.h"
#include "base/time.h"
#include "engine/cast.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 uint128;

/** Fewest significant digits that read back equal, as %g writes them. */
static void print_shortest(struct buf *out, double value, bool is_float) {
    char text[40];
    for (int digits = is_float ? 6 : 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (is_float ? strtof(text, NULL) == (float)value : strtod(text, NULL) == value) break;
    }
    char *comma = strchr(text, ','); /* a host program may have set a locale */
    if (comma) *comma = '.';
    buf_addz(out, text);
    if (!strpbrk(text, ".e")) buf_addz(out, ".0");
}

static void print_real(struct buf *out, double value, bool is_float) {
    if (isnan(value))
        buf_addz(out, "NaN");
    else if (isinf(value))
        buf_addz(out, value < 0 ? "-Infinity" : "Infinity");
    else
        print_shortest(out, value, is_float);
}

void value_print_double(struct buf *out, double value) { print_real(out, value, false); }
void value_print_float(struct buf *out, float value) { print_real(out, (double)value, true); }

/** An integer with the point before its last `scale` digits. */
static void print_scaled(struct buf *out, int128 value, unsigned scale) {
    char text[48], *at = text + sizeof text;
    uint128 left = value < 0 ? -(uint128)value : (uint128)value;
    unsigned digits = 0;
    do {
        if (scale && digits == scale) *--at = '.';
        *--at = (char)('0' + (int)(left % 10));
        left /= 10;
        digits++;
    } while (left || digits <= scale);
    if (value < 0) *--at = '-';
    buf_add(out, (struct str){at, (size_t)(text + sizeof text - at)});
}

static int128 hugeint(const duckdb_hugeint *h) { return (int128)((uint128)(uint64_t)h->upper << 64 | h->lower); }

static void print_decimal(struct buf *out, duckdb_logical_type type, const void *data, idx_t row) {
    unsigned scale = duckdb_decimal_scale(type);
    switch (duckdb_decimal_internal_type(type)) {
    case DUCKDB_TYPE_SMALLINT:
        print_scaled(out, ((const int16_t *)data)[row], scale);
        break;
    case DUCKDB_TYPE_INTEGER:
        print_scaled(out, ((const int32_t *)data)[row], scale);
        break;
    case DUCKDB_TYPE_BIGINT:
        print_scaled(out, ((const int64_t *)data)[row], scale);
        break;
    default:
        print_scaled(out, hugeint((const duckdb_hugeint *)data + row), scale);
        break;
    }
}

static void print_date(struct buf *out, int32_t days) {
    struct arena arena = {0};
    if (days == INT32_MAX || days == -INT32_MAX)
        buf_addz(out, days > 0 ? "infinity" : "-infinity");
    else
        buf_add(out, time_date_text(&arena, days));
    arena_reset(&arena);
}

static void print_timestamp(struct buf *out, int64_t us) {
    struct arena arena = {0};
    if (us == INT64_MAX || us == -INT64_MAX)
        buf_addz(out, us > 0 ? "infinity" : "-infinity");
    else
        buf_add(out, time_text(&arena, us));
    arena_reset(&arena);
}

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }

static void print_hex(struct buf *out, struct str bytes) {
    for (size_t i = 0; i < bytes.len; i++) buf_printf(out, "%02x", (unsigned)(unsigned char)bytes.ptr[i]);
}

static void print_enum(struct buf *out, duckdb_logical_type type, const void *data, idx_t row) {
    idx_t index;
    switch (duckdb_enum_internal_type(type)) {
    case DUCKDB_TYPE_UTINYINT:
        index = ((const uint8_t *)data)[row];
        break;
    case DUCKDB_TYPE_USMALLINT:
        index = ((const uint16_t *)data)[row];
        break;
    default:
        index = ((const uint32_t *)data)[row];
        break;
    }
    char *text = duckdb_enum_dictionary_value(type, index);
    buf_addz(out, text);
    duckdb_free(text);
}

/** Whole and floating numbers; false for any other type. */
static bool print_number(struct buf *out, duckdb_type id, const void *data, idx_t row) {
#define NUMBER(sql_type, c_type, print)                                                                                \
    if (id == (sql_type)) {                                                                                            \
        c_type value = ((const c_type *)data)[row];                                                                    \
        print;                                                                                                         \
        return true;                                                                                                   \
    }
    NUMBER(DUCKDB_TYPE_TINYINT, int8_t, buf_printf(out, "%d", value))
    NUMBER(DUCKDB_TYPE_SMALLINT, int16_t, buf_printf(out, "%d", value))
    NUMBER(DUCKDB_TYPE_INTEGER, int32_t, buf_printf(out, "%" PRId32, value))
    NUMBER(DUCKDB_TYPE_BIGINT, int64_t, buf_printf(out, "%" PRId64, value))
    NUMBER(DUCKDB_TYPE_UTINYINT, uint8_t, buf_printf(out, "%u", (unsigned)value))
    NUMBER(DUCKDB_TYPE_USMALLINT, uint16_t, buf_printf(out, "%u", (unsigned)value))
    NUMBER(DUCKDB_TYPE_UINTEGER, uint32_t, buf_printf(out, "%" PRIu32, value))
    NUMBER(DUCKDB_TYPE_UBIGINT, uint64_t, buf_printf(out, "%" PRIu64, value))
    NUMBER(DUCKDB_TYPE_HUGEINT, duckdb_hugeint, print_scaled(out, hugeint(&value), 0))
    NUMBER(DUCKDB_TYPE_FLOAT, float, value_print_float(out, value))
    NUMBER(DUCKDB_TYPE_DOUBLE, double, value_print_double(out, value))
#undef NUMBER
    return false;
}

static enum assay_code print_json(struct json_writer *w, duckdb_logical_type type, duckdb_vector vector, idx_t row,
                                  struct assay_error *err);

enum assay_code value_print(struct buf *out, duckdb_logical_type type, duckdb_vector vector, idx_t row,
                            struct assay_error *err) {
    const void *data = duckdb_vector_get_data(vector);
    duckdb_type id = duckdb_get_type_id(type);
    if (print_number(out, id, data, row)) return ASSAY_OK;
    switch (id) {
    case DUCKDB_TYPE_BOOLEAN:
        buf_addz(out, ((const bool *)data)[row] ? "true" : "false");
        return ASSAY_OK;
    case DUCKDB_TYPE_DECIMAL:
        print_decimal(out, type, data, row);
        return ASSAY_OK;
    case DUCKDB_TYPE_VARCHAR:
        buf_add(out, string_view((const duckdb_string_t *)data + row));
        return ASSAY_OK;
    case DUCKDB_TYPE_BLOB:
        print_hex(out, string_view((const duckdb_string_t *)data + row));
        return ASSAY_OK;
    case DUCKDB_TYPE_ENUM:
        print_enum(out, type, data, row);
        return ASSAY_OK;
    case DUCKDB_TYPE_DATE:
        print_date(out, ((const int32_t *)data)[row]);
        return ASSAY_OK;
    case DUCKDB_TYPE_TIMESTAMP:
    case DUCKDB_TYPE_TIMESTAMP_TZ:
        print_timestamp(out, ((const int64_t *)data)[row]);
        return ASSAY_OK;
    case DUCKDB_TYPE_TIMESTAMP_NS:
        print_timestamp(out, floor_div(((const int64_t *)data)[row], 1000));
        return ASSAY_OK;
    case DUCKDB_TYPE_LIST:
    case DUCKDB_TYPE_STRUCT:
    case DUCKDB_TYPE_MAP:
        return print_json(&(struct json_writer){.out = out}, type, vector, row, err);
    default:
        return error_set(err, ASSAY_UNSUPPORTED, NULL,
                         "the SQL engine: a result column of type %d has no text; cast it to VARCHAR", (int)id);
    }
}

static bool is_null_at(duckdb_vector vector, idx_t row) {
    const uint64_t *validity = duckdb_vector_get_validity(vector);
    return validity && !(validity[row / 64] >> (row % 64) & 1);
}

/** Numbers and booleans are JSON's own, if JSON can say them; all else is a string. */
static bool is_bare(duckdb_type id, struct str text) {
    if (id == DUCKDB_TYPE_FLOAT || id == DUCKDB_TYPE_DOUBLE)
        return text.ptr[text.len - 1] <= '9'; /* not NaN, Infinity */
    return id == DUCKDB_TYPE_BOOLEAN || id == DUCKDB_TYPE_DECIMAL || id == DUCKDB_TYPE_HUGEINT ||
           (id >= DUCKDB_TYPE_TINYINT && id <= DUCKDB_TYPE_UBIGINT);
}

static enum assay_code print_list(struct json_writer *w, duckdb_logical_type type, duckdb_vector vector, idx_t row,
                                  struct assay_error *err) {
    duckdb_list_entry entry = ((const duckdb_list_entry *)duckdb_vector_get_data(vector))[row];
    duckdb_logical_type child = duckdb_list_type_child_type(type);
    enum assay_code rc = ASSAY_OK;
    json_begin_array(w);
    for (idx_t i = 0; !rc && i < entry.length; i++)
        rc = print_json(w, child, duckdb_list_vector_get_child(vector), entry.offset + i, err);
    json_end_array(w);
    duckdb_destroy_logical_type(&child);
    return rc;
}

static enum assay_code print_struct(struct json_writer *w, duckdb_logical_type type, duckdb_vector vector, idx_t row,
                                    struct assay_error *err) {
    enum assay_code rc = ASSAY_OK;
    json_begin_object(w);
    for (idx_t i = 0; !rc && i < duckdb_struct_type_child_count(type); i++) {
        char *name = duckdb_struct_type_child_name(type, i);
        duckdb_logical_type child = duckdb_struct_type_child_type(type, i);
        json_key(w, name);
        rc = print_json(w, child, duckdb_struct_vector_get_child(vector, i), row, err);
        duckdb_destroy_logical_type(&child);
        duckdb_free(name);
    }
    json_end_object(w);
    return rc;
}

/** A MAP is a list of structs of key and value. */
static enum assay_code print_map(struct json_writer *w, duckdb_logical_type type, duckdb_vector vector, idx_t row,
                                 struct assay_error *err) {
    duckdb_list_entry entry = ((const duckdb_list_entry *)duckdb_vector_get_data(vector))[row];
    duckdb_vector pairs = duckdb_list_vector_get_child(vector);
    duckdb_logical_type key_type = duckdb_map_type_key_type(type), value_type = duckdb_map_type_value_type(type);
    struct buf key = {0};
    enum assay_code rc = ASSAY_OK;
    json_begin_object(w);
    for (idx_t i = entry.offset; !rc && i < entry.offset + entry.length; i++) {
        buf_clear(&key);
        if ((rc = value_print(&key, key_type, duckdb_struct_vector_get_child(pairs, 0), i, err))) break;
        json_key_str(w, buf_str(&key));
        rc = print_json(w, value_type, duckdb_struct_vector_get_child(pairs, 1), i, err);
    }
    json_end_object(w);
    buf_free(&key);
    duckdb_destroy_logical_type(&key_type);
    duckdb_destroy_logical_type(&value_type);
    return rc;
}

static enum assay_code print_json(struct json_writer *w, duckdb_logical_type type, duckdb_vector vector, idx_t row,
                                  struct assay_error *err) {
    if (is_null_at(vector, row)) {
        json_put_null(w);
        return ASSAY_OK;
    }
    duckdb_type id = duckdb_get_type_id(type);
    if (id == DUCKDB_TYPE_LIST) return print_list(w, type, vector, row, err);
    if (id == DUCKDB_TYPE_STRUCT) return print_struct(w, type, vector, row, err);
    if (id == DUCKDB_TYPE_MAP) return print_map(w, type, vector, row, err);
    struct buf text = {0};
    enum assay_code rc = value_print(&text, type, vector, row, err);
    if (rc) goto done;
    if (is_bare(id, buf_str(&text)))
        json_put_raw(w, buf_str(&text));
    else
        json_put_str(w, buf_str(&text));
done:
    buf_free(&text);
    return rc;
}
