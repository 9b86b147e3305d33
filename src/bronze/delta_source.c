/*
 * The columns and rows of a batch that is a Delta table.
 *
 * 1. The version is the newest that the batch's files name. A commit that comes while the batch is read is not of the
 * batch: it was not hashed.
 * 2. Every data file of the version is one of the batch's, as long as the log says, so a change to any of them is a
 * change of the batch, and a delivery that is not complete is refused. Files that the version does not name are not
 * read.
 * 3. A row's place is its data file and its number there, which stays what it is when other rows are deleted.
 * Source: the protocol, "Add File and Remove File"; delta/scan.c.
 */
#include "bronze/delta_source.h"

#include <string.h>

enum { VERSION_DIGITS = 20 };

/* ---- errors ---- */

/** What is wrong with the table is wrong with the batch. */
static enum assay_code as_refused(enum assay_code rc, struct assay_error *err) {
    if (rc != ASSAY_CORRUPT && rc != ASSAY_UNSUPPORTED && rc != ASSAY_NOT_FOUND && rc != ASSAY_LIMIT) return rc;
    if (!err) return ASSAY_REFUSED;
    struct assay_error said = *err;
    return error_set(err, ASSAY_REFUSED, said.where,
                     "the batch's Delta table cannot be read: %s\nno row of the batch was loaded%s", said.message,
                     strstr(said.message, "\nnext: ")
                         ? ""
                         : "\nnext: ask the source to deliver the table again, whole and without what is named");
}

static enum assay_code refuse_file(const struct delta_snapshot *table, struct str path, struct str what,
                                   struct assay_error *err) {
    struct buf name = {0};
    buf_add_printable(&name, path);
    enum assay_code rc =
        error_set(err, ASSAY_REFUSED, table->root.ptr,
                  "version %lld of the Delta table has the data file %s, %.*s; no row of the batch was "
                  "loaded\nnext: deliver the table's folder again when it is complete",
                  (long long)table->version, name.data, STR_ARG(what));
    buf_free(&name);
    return rc;
}

static enum assay_code refuse_column(const struct delta_snapshot *table, struct str column, struct str what,
                                     struct assay_error *err) {
    struct buf name = {0};
    buf_add_printable(&name, str_sub(column, 0, 100));
    enum assay_code rc = error_set(err, ASSAY_REFUSED, table->root.ptr,
                                   "column `%s` of the Delta table %.*s; no row of the batch was loaded\nnext: ask the "
                                   "source for another name or type, or for the table without it",
                                   name.data ? name.data : "", STR_ARG(what));
    buf_free(&name);
    return rc;
}

/* ---- the version and its files ---- */

/** Invariant 1; -1 when no name in the log begins with a version. */
static int64_t find_version(const struct landing_batch *batch) {
    int64_t newest = -1;
    for (size_t i = 0; i < batch->file_count; i++) {
        struct str folder, name = str_split(batch->files[i].name, '/', &folder);
        if (!str_eq(folder, STR("_delta_log")) || str_find_char(name, '.') != VERSION_DIGITS) continue;
        int64_t version;
        if (str_int64(str_sub(name, 0, VERSION_DIGITS), &version) == ASSAY_OK && version > newest) newest = version;
    }
    return newest;
}

static const struct landing_file *find_file(const struct landing_batch *batch, struct str name) {
    size_t low = 0, high = batch->file_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = str_cmp(batch->files[middle].name, name);
        if (order == 0) return &batch->files[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/** Invariant 2. */
static enum assay_code take_files(const struct bronze_input *in, const struct delta_snapshot *table,
                                  struct arena *arena, struct parquet_batch *out, struct assay_error *err) {
    struct bronze_file *files = ARENA_ARRAY(arena, table->file_count, struct bronze_file);
    for (size_t i = 0; i < table->file_count; i++) {
        const struct delta_file *file = &table->files[i];
        const struct landing_file *landed = find_file(in->batch, file->path);
        struct str path;
        if (str_starts(file->path, STR("/")) || (file->vector && str_eq(file->vector->storage_type, STR("p"))))
            return refuse_file(table, file->path, STR("which has a part outside of the batch's folder"), err);
        if (!landed) return refuse_file(table, file->path, STR("which is not among the batch's files"), err);
        if (landed->size_bytes != file->size_bytes)
            return refuse_file(table, file->path,
                               str_printf(arena, "of %lld bytes, and the file there has %lld",
                                          (long long)file->size_bytes, (long long)landed->size_bytes),
                               err);
        TRY(store_local_path(in->store, landed->key, arena, &path, err));
        files[i] =
            (struct bronze_file){.key = landed->key, .path = str_c(arena, path), .size_bytes = landed->size_bytes};
    }
    out->files = files;
    out->file_count = table->file_count;
    out->fields = ARENA_ARRAY(arena, table->file_count, struct parquet_field *);
    out->field_counts = ARENA_ARRAY(arena, table->file_count, size_t);
    return ASSAY_OK;
}

/* ---- columns ---- */

static enum assay_code take_column(const struct delta_snapshot *table, size_t at, struct str engine_type,
                                   struct arena *arena, struct parquet_column *out, struct assay_error *err) {
    const struct delta_field *field = &table->metadata.schema.fields[at];
    const char *fault = column_name_fault(field->name);
    struct buf json = {0};
    struct str refused;
    if (fault) return refuse_column(table, field->name, str_printf(arena, "has a name that %s", fault), err);
    if (delta_field_find(&table->metadata.schema, field->name) != at)
        return refuse_column(table, field->name, STR("is there twice, if the case of letters is left aside"), err);
    *out = (struct parquet_column){.name = field->name, .file = table->root};
    if (str_eq(field->type_json, STR("\"void\""))) return ASSAY_OK;
    bool is_taken = parquet_type_delta(engine_type, false, &json, &refused);
    out->type_json = str_copy(arena, buf_str(&json));
    buf_free(&json);
    if (is_taken) return ASSAY_OK;
    return refuse_column(table, field->name,
                         str_printf(arena, "is of the type %.*s, which is not taken (%.*s)",
                                    STR_ARG(str_sub(engine_type, 0, 100)), STR_ARG(str_sub(refused, 0, 100))),
                         err);
}

static enum assay_code take_columns(const struct bronze_input *in, const struct delta_snapshot *table,
                                    struct arena *arena, struct parquet_batch *out, struct assay_error *err) {
    struct engine_result r;
    struct buf sql = {0};
    buf_addz(&sql, "SELECT column_type FROM (DESCRIBE SELECT * FROM ");
    enum assay_code rc = delta_scan_sql(table, NULL, 0, true, arena, &sql, err);
    buf_addc(&sql, ')');
    if (rc == ASSAY_OK) rc = engine_query(in->engine, buf_str(&sql), SIZE_MAX, arena, &r, err);
    buf_free(&sql);
    if (rc) return as_refused(rc, err);
    out->column_count = table->metadata.schema.count;
    out->columns = ARENA_ARRAY(arena, out->column_count, struct parquet_column);
    for (size_t i = 0; i < out->column_count; i++)
        TRY(take_column(table, i, engine_cell_at(&r, i, 0)->text, arena, &out->columns[i], err));
    return ASSAY_OK;
}

enum assay_code delta_source_open(const struct bronze_input *in, struct arena *arena, struct delta_snapshot **table,
                                  struct parquet_batch *out, struct assay_error *err) {
    int64_t version = find_version(in->batch);
    *out = (struct parquet_batch){0};
    if (version < 0)
        return error_set(err, ASSAY_REFUSED, in->batch->folder.ptr,
                         "the folder's _delta_log has no version of a Delta table; no row of the batch was loaded\n"
                         "next: deliver the table's folder whole");
    enum assay_code rc = delta_snapshot_load(in->store, in->engine, in->batch->folder, version, arena, table, err);
    if (rc) return as_refused(rc, err);
    TRY(take_files(in, *table, arena, out, err));
    return take_columns(in, *table, arena, out, err);
}

/* ---- rows ---- */

enum assay_code delta_source_rows_sql(const struct delta_snapshot *table, const struct parquet_batch *batch,
                                      struct arena *arena, struct buf *sql, struct assay_error *err) {
    buf_addz(sql, "SELECT ");
    for (size_t i = 0; i < batch->column_count; i++) {
        if (batch->columns[i].type_json.len == 0) continue; /* void: nothing but nulls */
        engine_sql_name(sql, batch->columns[i].name);
        buf_addz(sql, ", ");
    }
    buf_addz(sql, "(CAST([");
    for (size_t i = 0; i < batch->file_count; i++) {
        if (i) buf_addc(sql, ',');
        engine_sql_text(sql, batch->files[i].key);
    }
    buf_addz(sql, "] AS VARCHAR[]))[" DELTA_SCAN_FILE " + 1] AS \"" LINEAGE_SOURCE_FILE "\", CAST(" DELTA_SCAN_ROW
                  " + 1 AS BIGINT) AS \"" LINEAGE_SOURCE_LINE "\" FROM ");
    return as_refused(delta_scan_sql(table, NULL, 0, true, arena, sql, err), err);
}
