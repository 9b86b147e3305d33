/*
 * Exact statistics of the files that a COPY wrote. They go into Delta logs, where a wrong bound loses rows: what is not
 * certainly exact is not said.
 *
 * 1. DuckDB's RETURN_STATS gives a map per leaf of the schema, under its quoted path. Only top-level columns are read
 * here; a list, struct or map has no entry of its own, so nothing is known of it (null_count -1).
 * 2. Bounds of floating point leave NaN out, although Spark orders it above all: with NaN there are no bounds. has_nan
 * of RETURN_STATS speaks of the last row group only, so the footers are asked: a row group with NaN has no bounds
 * there. Infinities have no JSON. A bound of zero gets the sign that holds for both zeros.
 * 3. Bounds of strings are cut at 256 bytes, and a cut maximum is raised and may become short; RETURN_STATS does not
 * tell which. The footers do (is_min_value_exact): one cut row group and the column has no bounds. Bounds of booleans
 * stand only there.
 * 4. Dates and timestamps come as DuckDB prints them, years before 1 as `0044-03-15 (BC)`, and leave as Spark prints
 * them.
 *
 * Source: DuckDB 1.5.6, extension/parquet: parquet_writer.cpp, parquet_write_stats.hpp;
 * tests/unit/engine/test_write_stats.c.
 */
#include "engine/engine_int.h"

#include "base/time.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/** What RETURN_STATS says of one leaf; ptr is NULL where it says nothing. */
struct facts {
    struct str min, max, null_count;
};

static struct str text_at(duckdb_vector vector, idx_t row) {
    return string_view((duckdb_string_t *)duckdb_vector_get_data(vector) + row);
}

/** The facts of map `row` of a vector MAP(VARCHAR, VARCHAR). */
static struct facts facts_at(duckdb_vector maps, idx_t row) {
    duckdb_list_entry entry = ((duckdb_list_entry *)duckdb_vector_get_data(maps))[row];
    duckdb_vector pairs = duckdb_list_vector_get_child(maps);
    duckdb_vector keys = duckdb_struct_vector_get_child(pairs, 0), values = duckdb_struct_vector_get_child(pairs, 1);
    struct facts f = {0};
    for (idx_t i = entry.offset; i < entry.offset + entry.length; i++) {
        struct str key = text_at(keys, i), value = text_at(values, i);
        if (str_eq(key, STR("min")))
            f.min = value;
        else if (str_eq(key, STR("max")))
            f.max = value;
        else if (str_eq(key, STR("null_count")))
            f.null_count = value;
    }
    return f;
}

/** Read digits from *text: at least one, at most `most`. */
static bool take_number(struct str *text, size_t most, int64_t *out) {
    size_t n = 0;
    *out = 0;
    while (n < text->len && n < most && text->ptr[n] >= '0' && text->ptr[n] <= '9')
        *out = *out * 10 + (text->ptr[n++] - '0');
    *text = str_sub(*text, n, text->len);
    return n > 0;
}

static bool take(struct str *text, struct str expected) {
    if (!str_starts(*text, expected)) return false;
    *text = str_sub(*text, expected.len, text->len);
    return true;
}

static bool take_date(struct str *text, int64_t *days) {
    int64_t year, month, day;
    if (!take_number(text, 7, &year) || !take(text, STR("-")) || !take_number(text, 2, &month) ||
        !take(text, STR("-")) || !take_number(text, 2, &day))
        return false;
    if (take(text, STR(" (BC)"))) year = 1 - year;
    if (!time_is_date(year, (int)month, (int)day)) return false;
    *days = time_days_of(year, (int)month, (int)day);
    return true;
}

/** ` 01:02:03.5` as microseconds. */
static bool take_clock(struct str *text, int64_t *us) {
    int64_t hour, minute, second, fraction = 0;
    if (!take(text, STR(" ")) || !take_number(text, 2, &hour) || !take(text, STR(":")) ||
        !take_number(text, 2, &minute) || !take(text, STR(":")) || !take_number(text, 2, &second))
        return false;
    if (take(text, STR("."))) {
        size_t before = text->len;
        if (!take_number(text, 6, &fraction)) return false;
        for (size_t digits = before - text->len; digits < 6; digits++) fraction *= 10;
    }
    *us = ((hour * 60 + minute) * 60 + second) * 1000000 + fraction;
    return true;
}

static bool read_date(struct str text, struct arena *arena, struct str *out) {
    int64_t days;
    if (!take_date(&text, &days) || text.len) return false;
    *out = time_date_text(arena, days);
    return true;
}

static bool read_timestamp(struct str text, struct arena *arena, struct str *out) {
    int64_t days, clock, us;
    if (!take_date(&text, &days) || !take_clock(&text, &clock)) return false;
    (void)take(&text, STR("+00"));
    if (text.len || __builtin_mul_overflow(days, INT64_C(86400000000), &us) || __builtin_add_overflow(us, clock, &us))
        return false;
    *out = time_text(arena, us);
    return true;
}

static bool read_real(struct str text, bool is_float, bool is_min, struct arena *arena, struct str *out) {
    char *end, *copy = str_c(arena, text);
    double value = strtod(copy, &end);
    if (end == copy || *end || !isfinite(value)) return false;
    if (value == 0) value = is_min ? -0.0 : 0.0;
    struct buf printed = {0};
    if (is_float)
        value_print_float(&printed, strtof(copy, NULL) == 0 ? (float)value : strtof(copy, NULL));
    else
        value_print_double(&printed, value);
    *out = str_copy(arena, buf_str(&printed));
    buf_free(&printed);
    return true;
}

/** DuckDB leaves the 0 before the point out where all digits are behind it. */
static struct str read_decimal(struct str text, struct arena *arena) {
    bool is_negative = str_starts(text, STR("-"));
    struct str digits = str_sub(text, is_negative, text.len);
    if (!str_starts(digits, STR("."))) return str_copy(arena, text);
    return str_printf(arena, "%s0%.*s", is_negative ? "-" : "", STR_ARG(digits));
}

/** A bound as engine_value_text would print it; false if it cannot be said. */
static bool read_bound(duckdb_type type, struct str text, bool is_min, struct arena *arena, struct str *out) {
    switch (type) {
    case DUCKDB_TYPE_DATE:
        return read_date(text, arena, out);
    case DUCKDB_TYPE_TIMESTAMP:
    case DUCKDB_TYPE_TIMESTAMP_TZ:
        return read_timestamp(text, arena, out);
    case DUCKDB_TYPE_FLOAT:
    case DUCKDB_TYPE_DOUBLE:
        return read_real(text, type == DUCKDB_TYPE_FLOAT, is_min, arena, out);
    case DUCKDB_TYPE_TINYINT:
    case DUCKDB_TYPE_SMALLINT:
    case DUCKDB_TYPE_INTEGER:
    case DUCKDB_TYPE_BIGINT:
    case DUCKDB_TYPE_VARCHAR:
        *out = str_copy(arena, text);
        return true;
    case DUCKDB_TYPE_DECIMAL:
        *out = read_decimal(text, arena);
        return true;
    default:
        return false;
    }
}

static bool is_nested(duckdb_type type) {
    return type == DUCKDB_TYPE_LIST || type == DUCKDB_TYPE_STRUCT || type == DUCKDB_TYPE_MAP;
}

static void read_column(const struct write_column *column, const struct facts *facts, struct arena *arena,
                        struct engine_column_stats *out) {
    *out = (struct engine_column_stats){.name = column->name, .null_count = -1};
    if (!facts || is_nested(column->type)) return;
    if (str_int64(facts->null_count, &out->null_count) != ASSAY_OK) out->null_count = -1;
    if (!facts->min.ptr || !facts->max.ptr) return;
    out->has_bounds = read_bound(column->type, facts->min, true, arena, &out->min) &&
                      read_bound(column->type, facts->max, false, arena, &out->max);
}

/** A leaf of the schema: its quoted path, and its place in the vector of facts. */
struct leaf {
    struct str path;
    idx_t place;
};

static int compare_leaves(const void *a, const void *b) {
    return str_cmp(((const struct leaf *)a)->path, ((const struct leaf *)b)->path);
}

/** Columns of one file from row `row` of its MAP(VARCHAR, MAP(VARCHAR, VARCHAR)). */
static void read_columns(duckdb_vector maps, idx_t row, const struct write_column *columns, struct arena *arena,
                         struct engine_file *file) {
    duckdb_list_entry entry = ((duckdb_list_entry *)duckdb_vector_get_data(maps))[row];
    duckdb_vector pairs = duckdb_list_vector_get_child(maps);
    duckdb_vector keys = duckdb_struct_vector_get_child(pairs, 0), values = duckdb_struct_vector_get_child(pairs, 1);
    struct leaf *leaves = memory_alloc(entry.length * sizeof *leaves);
    for (idx_t i = 0; i < entry.length; i++)
        leaves[i] = (struct leaf){text_at(keys, entry.offset + i), entry.offset + i};
    qsort(leaves, entry.length, sizeof *leaves, compare_leaves);
    struct buf quoted = {0};
    for (size_t c = 0; c < file->column_count; c++) {
        buf_clear(&quoted);
        engine_sql_name(&quoted, columns[c].name);
        struct leaf wanted = {.path = buf_str(&quoted)};
        const struct leaf *leaf = bsearch(&wanted, leaves, entry.length, sizeof *leaves, compare_leaves);
        struct facts facts = leaf ? facts_at(values, leaf->place) : (struct facts){0};
        read_column(&columns[c], leaf ? &facts : NULL, arena, &file->columns[c]);
    }
    buf_free(&quoted);
    free(leaves);
}

enum { RESULT_PATH, RESULT_ROWS, RESULT_BYTES, RESULT_FOOTER, RESULT_COLUMNS, RESULT_PART };

/** The only value of a MAP(VARCHAR, VARCHAR) as a number; 0 without one: the rows were not written in parts. */
static int64_t read_part(duckdb_vector maps, idx_t row) {
    duckdb_list_entry entry = ((duckdb_list_entry *)duckdb_vector_get_data(maps))[row];
    uint64_t *validity = duckdb_vector_get_validity(maps);
    if ((validity && !duckdb_validity_row_is_valid(validity, row)) || entry.length != 1) return 0;
    duckdb_vector values = duckdb_struct_vector_get_child(duckdb_list_vector_get_child(maps), 1);
    int64_t part = 0;
    return str_int64(text_at(values, entry.offset), &part) == ASSAY_OK ? part : 0;
}

static void read_files(duckdb_result *result, const struct write_column *columns, size_t column_count,
                       struct arena *arena, struct engine_files *out, size_t *capacity) {
    for (duckdb_data_chunk chunk; (chunk = duckdb_fetch_chunk(*result));) {
        idx_t count = duckdb_data_chunk_get_size(chunk);
        for (idx_t row = 0; row < count; row++) {
            struct engine_file *file = &LIST_PUSH(arena, out->files, out->count, *capacity);
            *file = (struct engine_file){
                .path = str_copy(arena, text_at(duckdb_data_chunk_get_vector(chunk, RESULT_PATH), row)),
                .row_count = ((int64_t *)duckdb_vector_get_data(duckdb_data_chunk_get_vector(chunk, RESULT_ROWS)))[row],
                .size_bytes =
                    ((int64_t *)duckdb_vector_get_data(duckdb_data_chunk_get_vector(chunk, RESULT_BYTES)))[row],
                .columns = ARENA_ARRAY(arena, column_count, struct engine_column_stats),
                .column_count = column_count,
                .part = read_part(duckdb_data_chunk_get_vector(chunk, RESULT_PART), row)};
            read_columns(duckdb_data_chunk_get_vector(chunk, RESULT_COLUMNS), row, columns, arena, file);
            out->row_count += file->row_count;
        }
        duckdb_destroy_data_chunk(&chunk);
    }
}

static enum assay_code drop_bounds(void *context, const struct engine_cell *cells, size_t column_count,
                                   struct assay_error *err) {
    (void)column_count;
    (void)err;
    struct engine_files *files = context;
    for (size_t f = 0; f < files->count; f++) {
        if (!str_eq(files->files[f].path, cells[0].text)) continue;
        for (size_t c = 0; c < files->files[f].column_count; c++)
            if (str_eq(files->files[f].columns[c].name, cells[1].text)) files->files[f].columns[c].has_bounds = false;
    }
    return ASSAY_OK;
}

static enum assay_code set_bounds(void *context, const struct engine_cell *cells, size_t column_count,
                                  struct assay_error *err) {
    (void)column_count;
    (void)err;
    static const struct str FALSE = {"false", 5}, TRUE = {"true", 4};
    struct engine_files *files = context;
    for (size_t f = 0; f < files->count; f++) {
        if (!str_eq(files->files[f].path, cells[0].text)) continue;
        for (size_t c = 0; c < files->files[f].column_count; c++) {
            struct engine_column_stats *column = &files->files[f].columns[c];
            if (!str_eq(column->name, cells[1].text)) continue;
            column->min = str_eq(cells[2].text, TRUE) ? TRUE : FALSE;
            column->max = str_eq(cells[3].text, TRUE) ? TRUE : FALSE;
            column->has_bounds = true;
        }
    }
    return ASSAY_OK;
}

/** RETURN_STATS has no bounds of booleans; the footers have. */
static enum assay_code read_booleans(struct engine *engine, const struct write_column *columns, size_t column_count,
                                     struct engine_files *files, struct assay_error *err) {
    size_t count = 0;
    struct buf sql = {0};
    struct arena arena = {0};
    buf_addz(&sql, "SELECT file_name, path_in_schema, min(stats_min_value), max(stats_max_value) FROM "
                   "parquet_metadata(");
    struct str *paths = ARENA_ARRAY(&arena, files->count, struct str);
    for (size_t i = 0; i < files->count; i++) paths[i] = files->files[i].path;
    engine_sql_paths(&sql, paths, files->count);
    buf_addz(&sql, ") WHERE type = 'BOOLEAN' AND path_in_schema IN (");
    for (size_t i = 0; i < column_count; i++) {
        if (columns[i].type != DUCKDB_TYPE_BOOLEAN) continue;
        if (count++) buf_addz(&sql, ", ");
        engine_sql_text(&sql, columns[i].name);
    }
    buf_addz(&sql, ") GROUP BY ALL HAVING count(*) FILTER (stats_null_count IS DISTINCT FROM num_values) > 0 AND "
                   "bool_and(stats_null_count IS NOT DISTINCT FROM num_values OR (stats_min_value IN ('false', 'true') "
                   "AND stats_max_value IN ('false', 'true')))");
    enum assay_code rc = ASSAY_OK;
    if (count && files->count) rc = engine_query_each(engine, buf_str(&sql), set_bounds, files, err);
    buf_free(&sql);
    arena_reset(&arena);
    return rc;
}

/** Take the bounds from columns of texts or floating point that have a row group with bounds that are cut or missing.
 */
static enum assay_code drop_inexact(struct engine *engine, const struct write_column *columns, size_t column_count,
                                    struct engine_files *files, struct assay_error *err) {
    bool is_needed = false;
    for (size_t i = 0; i < column_count; i++)
        is_needed = is_needed || columns[i].type == DUCKDB_TYPE_VARCHAR || columns[i].type == DUCKDB_TYPE_DOUBLE ||
                    columns[i].type == DUCKDB_TYPE_FLOAT;
    if (!is_needed || files->count == 0) return ASSAY_OK;
    struct buf sql = {0};
    struct arena arena = {0};
    struct str *paths = ARENA_ARRAY(&arena, files->count, struct str);
    for (size_t i = 0; i < files->count; i++) paths[i] = files->files[i].path;
    buf_addz(&sql, "SELECT DISTINCT file_name, path_in_schema FROM parquet_metadata(");
    engine_sql_paths(&sql, paths, files->count);
    buf_addz(&sql, ") WHERE type IN ('BYTE_ARRAY', 'DOUBLE', 'FLOAT') AND stats_null_count IS DISTINCT FROM num_values "
                   "AND (min_is_exact AND max_is_exact) IS NOT TRUE");
    enum assay_code rc = engine_query_each(engine, buf_str(&sql), drop_bounds, files, err);
    buf_free(&sql);
    arena_reset(&arena);
    return rc;
}

enum assay_code write_stats_read(struct engine *engine, duckdb_result *result, const struct write_column *columns,
                                 size_t column_count, struct arena *arena, struct engine_files *out,
                                 struct assay_error *err) {
    size_t capacity = 0;
    *out = (struct engine_files){0};
    read_files(result, columns, column_count, arena, out, &capacity);
    TRY(read_booleans(engine, columns, column_count, out, err));
    return drop_inexact(engine, columns, column_count, out, err);
}
