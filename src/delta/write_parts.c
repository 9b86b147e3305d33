/*
 * Rows into files of one partition each (protocol: "Partition Value Serialization", "Add File").
 *
 * 1. The rows are judged and kept in a table of the engine first, so that they are made once; the partitions are what
 * is distinct in them, NULL being one value.
 * 2. The engine tells partitions apart by a number, not by its own text of the values: what the log says of a value is
 * made here.
 * 3. Partition columns are not in the files.
 */
#include "delta/delta_int.h"

#define ROWS_TABLE "assay_rows"
#define PARTS_TABLE "assay_parts"
#define PART "\"=part\"" /* a name that no table has without column mapping */

static enum assay_code check_types(const struct delta_metadata *m, struct assay_error *err) {
    for (size_t i = 0; i < m->partition_column_count; i++) {
        size_t field = delta_field_find(&m->schema, m->partition_columns[i]);
        if (field == SIZE_MAX || m->schema.fields[field].type.kind == TYPE_NONE ||
            m->schema.fields[field].type.kind == TYPE_BINARY)
            return error_set(err, ASSAY_UNSUPPORTED, NULL,
                             "the table is partitioned by '%.*s', a column of a type (%.*s) whose values the log has "
                             "no certain text for; assay does not write such a table",
                             STR_ARG(m->partition_columns[i]),
                             STR_ARG(field == SIZE_MAX ? STR("absent") : m->schema.fields[field].type_json));
    }
    return ASSAY_OK;
}

static void print_partition_columns(const struct delta_metadata *m, struct buf *sql) {
    for (size_t i = 0; i < m->partition_column_count; i++) {
        if (i) buf_addz(sql, ", ");
        engine_sql_name(sql, m->partition_columns[i]);
    }
}

static enum assay_code make_tables(const struct delta_writing *writing, struct str select, struct assay_error *err) {
    const struct delta_metadata *m = writing->metadata;
    struct buf sql = {0};
    buf_addz(&sql, "CREATE OR REPLACE TEMP TABLE " ROWS_TABLE " AS ");
    buf_add(&sql, select);
    enum assay_code rc = engine_run(writing->engine, buf_str(&sql), err);
    buf_clear(&sql);
    buf_addz(&sql, "CREATE OR REPLACE TEMP TABLE " PARTS_TABLE
                   " AS SELECT *, CAST(row_number() OVER () - 1 AS BIGINT) AS " PART " FROM (SELECT DISTINCT ");
    print_partition_columns(m, &sql);
    buf_addz(&sql, " FROM " ROWS_TABLE ")");
    if (rc == ASSAY_OK) rc = engine_run(writing->engine, buf_str(&sql), err);
    buf_free(&sql);
    return rc;
}

/* The columns of the files, and the part. */
static enum assay_code write_parts(const struct delta_writing *writing, const struct engine_write_options *options,
                                   struct engine_files *files, struct assay_error *err) {
    const struct delta_metadata *m = writing->metadata;
    struct buf source = {0}, sql = {0};
    buf_addz(&source, "(SELECT r.*, p." PART " FROM " ROWS_TABLE " r JOIN " PARTS_TABLE " p ON ");
    for (size_t i = 0; i < m->partition_column_count; i++) {
        struct buf name = {0};
        engine_sql_name(&name, m->partition_columns[i]);
        buf_printf(&source, "%sr.%s IS NOT DISTINCT FROM p.%s", i ? " AND " : "", name.data, name.data);
        buf_free(&name);
    }
    buf_addc(&source, ')');
    struct engine_write_options in_parts = *options;
    in_parts.in_parts = true;
    struct str prefix = staging_path(writing->staging, writing->arena, str_of(writing->stem));
    enum assay_code rc = delta_print_stored(m, ", " PART, source.data, &sql, err);
    if (rc == ASSAY_OK)
        rc = engine_write_parquet(writing->engine, buf_str(&sql), prefix, &in_parts, writing->arena, files, err);
    buf_free(&source);
    buf_free(&sql);
    return rc;
}

/* The partition values of every part, by its number. */
static enum assay_code read_values(const struct delta_writing *writing, struct str ***out, struct assay_error *err) {
    const struct delta_metadata *m = writing->metadata;
    struct engine_result r = {0};
    struct buf sql = {0};
    buf_addz(&sql, "SELECT ");
    print_partition_columns(m, &sql);
    buf_addz(&sql, " FROM " PARTS_TABLE " ORDER BY " PART);
    enum assay_code rc = engine_query(writing->engine, buf_str(&sql), SIZE_MAX, writing->arena, &r, err);
    buf_free(&sql);
    if (rc) return rc;
    *out = ARENA_ARRAY(writing->arena, r.row_count, struct str *);
    for (size_t row = 0; row < r.row_count; row++) {
        (*out)[row] = ARENA_ARRAY(writing->arena, m->partition_column_count, struct str);
        for (size_t i = 0; i < m->partition_column_count; i++) {
            const struct engine_cell *cell = engine_cell_at(&r, row, i);
            size_t field = delta_field_find(&m->schema, m->partition_columns[i]);
            if (!cell->is_null)
                (*out)[row][i] = delta_partition_value_text(cell->text, m->schema.fields[field].type, writing->arena);
        }
    }
    return ASSAY_OK;
}

static enum assay_code write_tables(const struct delta_writing *writing, struct str select,
                                    const struct engine_write_options *options, struct delta_new_files *out,
                                    struct assay_error *err) {
    struct engine_files files = {0};
    struct str **values;
    TRY(make_tables(writing, select, err));
    TRY(read_values(writing, &values, err));
    TRY(write_parts(writing, options, &files, err));
    *out = (struct delta_new_files){ARENA_ARRAY(writing->arena, files.count, struct delta_new_file), files.count,
                                    files.row_count};
    for (size_t i = 0; i < files.count; i++)
        out->files[i] = (struct delta_new_file){files.files[i], values[files.files[i].part]};
    return ASSAY_OK;
}

enum assay_code delta_write_parts(const struct delta_writing *writing, struct str select,
                                  const struct engine_write_options *options, struct delta_new_files *out,
                                  struct assay_error *err) {
    TRY(check_types(writing->metadata, err));
    enum assay_code rc = write_tables(writing, select, options, out, err);
    struct assay_error ignored = {0};
    enum assay_code dropped = engine_run(
        writing->engine, STR("DROP TABLE IF EXISTS " ROWS_TABLE "; DROP TABLE IF EXISTS " PARTS_TABLE), &ignored);
    (void)dropped; /* they are replaced by the next write */
    return rc;
}
