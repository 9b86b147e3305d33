/*
 * Files of a snapshot as a SQL relation (protocol: "Partition Value Serialization", "Deletion Vectors", "Column
 * Mapping", "Type Widening"; column semantics of Spark's Delta reader).
 *
 * 1. Data columns are read by what mapping.c says they are called, with the type of the schema; what a file lacks is
 * NULL, what it has beside is not seen. A TIMESTAMP of INT96, which has no zone in the file, becomes an instant in UTC,
 * the engine's zone. A void column is in no file.
 * 2. Partition columns come from the log, never from the file.
 * 3. A row's place is (file, row in the file): the engine's own file_index and file_row_number, so names never need to
 * be compared. The table's columns are called c0, c1, ... until the last step, so that none is in the way.
 * 4. A deleted row is left out and changes no other row's place.
 * 5. A condition on a column whose type was widened stays above the scan. The engine would compare in the type of the
 * file and cast the constant to it: `> 0.1` as float, `= 5.5` as integer; rows would be lost and invented.
 * 6. No file of the table is named unless it is in the snapshot, and none outside of the engine's folders.
 */
#include "delta/delta_int.h"

static void print_column_schema(struct buf *sql, struct str name, struct str type) {
    buf_addz(sql, ": {name: ");
    engine_sql_text(sql, name);
    buf_addz(sql, ", type: ");
    engine_sql_text(sql, type);
    buf_addz(sql, ", default_value: NULL}");
}

void delta_sql_parquet(struct buf *sql, const struct str *paths, size_t path_count, const struct str *names,
                       const struct str *types, size_t column_count) {
    struct buf schema = {0};
    buf_addz(&schema, "schema=MAP{");
    for (size_t i = 0; i < column_count; i++) {
        if (i) buf_addz(&schema, ", ");
        engine_sql_text(&schema, names[i]);
        print_column_schema(&schema, names[i], types[i]);
    }
    buf_addc(&schema, '}');
    engine_sql_parquet(sql, paths, path_count, schema.data);
    buf_free(&schema);
}

struct column {
    enum { COLUMN_DATA, COLUMN_PARTITION, COLUMN_VOID } kind;
    size_t partition;
    bool is_widened;
    struct str type; /* as files have it */
};

struct scan {
    const struct delta_snapshot *snapshot;
    const size_t *files; /* NULL: all */
    size_t file_count;
    bool with_place, has_vector;
    enum delta_mapping mapping;
    struct column *columns; /* of the schema */
    struct arena *arena;
};

static const struct delta_file *file_at(const struct scan *scan, size_t i) {
    return &scan->snapshot->files[scan->files ? scan->files[i] : i];
}

static enum assay_code load_columns(struct scan *scan, struct assay_error *err) {
    const struct delta_metadata *m = &scan->snapshot->metadata;
    struct buf text = {0};
    struct str changes = STR("\"delta.typeChanges\"");
    enum assay_code rc = ASSAY_OK;
    scan->columns = ARENA_ARRAY(scan->arena, m->schema.count, struct column);
    for (size_t i = 0; i < m->schema.count && rc == ASSAY_OK; i++) {
        const struct delta_field *field = &m->schema.fields[i];
        size_t p = 0;
        while (p < m->partition_column_count && !str_eq(m->partition_columns[p], field->name)) p++;
        buf_clear(&text);
        rc = delta_field_type_stored(field, scan->mapping, &text, err);
        bool is_void = str_eq(field->type_json, STR("\"void\""));
        scan->columns[i] = (struct column){.kind = p < m->partition_column_count ? COLUMN_PARTITION
                                                   : is_void                     ? COLUMN_VOID
                                                                                 : COLUMN_DATA,
                                           .partition = p,
                                           .is_widened = str_find(field->metadata, changes) != SIZE_MAX ||
                                                         str_find(field->type_json, changes) != SIZE_MAX,
                                           .type = str_copy(scan->arena, buf_str(&text))};
    }
    buf_free(&text);
    return rc;
}

/* ---- where rows come from ---- */

static enum assay_code load_paths(const struct scan *scan, struct str **out, struct assay_error *err) {
    const struct delta_snapshot *s = scan->snapshot;
    struct delta_places places = {0};
    *out = ARENA_ARRAY(scan->arena, scan->file_count, struct str);
    for (size_t i = 0; i < scan->file_count; i++) {
        struct str path = file_at(scan, i)->path;
        if (path.ptr[0] != '/') {
            TRY(store_local_path(s->store, str_path(scan->arena, s->root, path), scan->arena, &(*out)[i], err));
            continue;
        }
        if (places.count == 0) places = delta_places_of(s->engine, scan->arena);
        TRY(delta_places_check(&places, path, scan->arena, err));
        (*out)[i] = path;
    }
    return ASSAY_OK;
}

/** What the stats say; files without stats count nothing. */
static int64_t count_rows(const struct scan *scan) {
    int64_t count = 0;
    for (size_t i = 0; i < scan->file_count; i++) {
        const struct delta_file *file = file_at(scan, i);
        int64_t rows = file->row_count - (file->vector ? file->vector->cardinality : 0);
        if (rows > 0 && __builtin_add_overflow(count, rows, &count)) return INT64_MAX;
    }
    return count;
}

/** Without a number of rows the engine takes such a relation for empty, and builds its hash tables on the larger side.
 */
static enum assay_code print_files(struct buf *sql, const struct scan *scan, struct assay_error *err) {
    const struct delta_schema *schema = &scan->snapshot->metadata.schema;
    struct str *paths = NULL;
    struct buf extra = {0};
    bool is_first = true;
    TRY(load_paths(scan, &paths, err));
    if (scan->mapping == DELTA_MAPPING_ID)
        TRY(delta_mapping_check_files(&scan->snapshot->metadata, scan->snapshot->engine, paths, scan->file_count, err));
    buf_addz(&extra, "schema=MAP{");
    for (size_t i = 0; i < schema->count; i++) {
        if (scan->columns[i].kind != COLUMN_DATA) continue;
        if (!is_first) buf_addz(&extra, ", ");
        is_first = false;
        if (scan->mapping == DELTA_MAPPING_ID)
            buf_printf(&extra, "%lld", (long long)schema->fields[i].mapping_id);
        else
            engine_sql_text(&extra, schema->fields[i].physical_name);
        print_column_schema(&extra, str_printf(scan->arena, "c%zu", i), scan->columns[i].type);
    }
    if (is_first) buf_addz(&extra, "'_assay_none': {name: '_assay_none', type: 'INTEGER', default_value: NULL}");
    buf_addc(&extra, '}');
    int64_t row_count = count_rows(scan);
    if (row_count > 0) buf_printf(&extra, ", explicit_cardinality=%lld", (long long)row_count);
    engine_sql_parquet(sql, paths, scan->file_count, extra.data);
    buf_free(&extra);
    return ASSAY_OK;
}

/* A table without files to read: no row, the right names and types. */
static void print_no_files(struct buf *sql, const struct scan *scan) {
    buf_addz(sql, "(SELECT CAST(NULL AS BIGINT) AS file_index, CAST(NULL AS BIGINT) AS file_row_number");
    for (size_t i = 0; i < scan->snapshot->metadata.schema.count; i++)
        buf_printf(sql, ", CAST(NULL AS %.*s) AS c%zu", STR_ARG(scan->columns[i].type), i);
    buf_addz(sql, ") WHERE FALSE");
}

static enum assay_code print_deleted(struct buf *sql, const struct scan *scan, struct assay_error *err) {
    struct delta_vector_scan vectors = {scan->snapshot, scan->files, scan->file_count};
    struct str name;
    TRY(delta_vector_register(&vectors, scan->arena, &name, err));
    buf_printf(sql, " WHERE NOT %.*s(CAST(file_index AS BIGINT), CAST(file_row_number AS BIGINT))", STR_ARG(name));
    return ASSAY_OK;
}

/* ---- columns ---- */

/* The file's value of a partition column, picked from a list by the file's place in the query. */
static enum assay_code print_partition(struct buf *sql, const struct scan *scan, size_t field,
                                       struct assay_error *err) {
    const struct delta_field *f = &scan->snapshot->metadata.schema.fields[field];
    const struct column *column = &scan->columns[field];
    buf_addz(sql, "(CAST([");
    for (size_t i = 0; i < scan->file_count; i++) {
        const struct delta_file *file = file_at(scan, i);
        struct str value = file->partition_values[column->partition];
        if (!delta_partition_value_is(value, f->type))
            return error_set(err, ASSAY_CORRUPT, NULL,
                             "the log gives the file '%.*s' the value '%.*s' of the partition column '%.*s', which is "
                             "no %.*s",
                             STR_ARG(file->path), STR_ARG(value), STR_ARG(f->name), STR_ARG(f->type_json));
        if (i) buf_addc(sql, ',');
        delta_partition_value_print(sql, value, f->type);
    }
    buf_printf(sql, "] AS %.*s[]))[CAST(file_index AS BIGINT) + 1]", STR_ARG(column->type));
    return ASSAY_OK;
}

/* The expression is volatile, so no condition on its result is moved below it. */
static enum assay_code print_data(struct buf *sql, const struct scan *scan, size_t field, struct assay_error *err) {
    struct str name = str_printf(scan->arena, "c%zu", field);
    bool is_widened = scan->columns[field].is_widened;
    if (is_widened) buf_addz(sql, "CASE WHEN as_computed(TRUE) THEN ");
    enum assay_code rc = delta_field_print_renamed(&scan->snapshot->metadata.schema.fields[field], scan->mapping,
                                                   DELTA_TO_SCHEMA, name, sql, err);
    if (is_widened) buf_addz(sql, " END");
    return rc;
}

static enum assay_code print_column(struct buf *sql, const struct scan *scan, size_t field, struct assay_error *err) {
    const struct delta_field *f = &scan->snapshot->metadata.schema.fields[field];
    if (scan->columns[field].kind == COLUMN_VOID)
        buf_addz(sql, "CAST(NULL AS INTEGER)");
    else if (scan->columns[field].kind == COLUMN_PARTITION && scan->file_count > 0)
        TRY(print_partition(sql, scan, field, err));
    else
        TRY(print_data(sql, scan, field, err));
    buf_addz(sql, " AS ");
    engine_sql_name(sql, f->name);
    return ASSAY_OK;
}

static void print_place(struct buf *sql, const struct scan *scan) {
    buf_addz(sql, ", ");
    if (scan->files && scan->file_count > 0) {
        buf_addz(sql, "(CAST([");
        for (size_t i = 0; i < scan->file_count; i++) buf_printf(sql, "%s%zu", i ? "," : "", scan->files[i]);
        buf_addz(sql, "] AS BIGINT[]))[CAST(file_index AS BIGINT) + 1]");
    } else {
        buf_addz(sql, "CAST(file_index AS BIGINT)");
    }
    buf_addz(sql, " AS " DELTA_SCAN_FILE ", CAST(file_row_number AS BIGINT) AS " DELTA_SCAN_ROW);
}

static enum assay_code check_place(const struct delta_schema *schema, struct assay_error *err) {
    static const char *const TAKEN[] = {DELTA_SCAN_FILE, DELTA_SCAN_ROW};
    for (size_t i = 0; i < sizeof TAKEN / sizeof TAKEN[0]; i++)
        if (delta_field_find(schema, str_of(TAKEN[i])) != SIZE_MAX)
            return error_set(err, ASSAY_UNSUPPORTED, NULL,
                             "the table has a column '%s', a name that assay needs to find rows", TAKEN[i]);
    return ASSAY_OK;
}

static enum assay_code print_scan(struct buf *sql, const struct scan *scan, struct assay_error *err) {
    const struct delta_schema *schema = &scan->snapshot->metadata.schema;
    buf_addz(sql, "(SELECT ");
    for (size_t i = 0; i < schema->count; i++) {
        if (i) buf_addz(sql, ", ");
        TRY(print_column(sql, scan, i, err));
    }
    if (scan->with_place) print_place(sql, scan);
    buf_addz(sql, " FROM ");
    if (scan->file_count == 0)
        print_no_files(sql, scan);
    else
        TRY(print_files(sql, scan, err));
    if (scan->has_vector) TRY(print_deleted(sql, scan, err));
    buf_addc(sql, ')');
    return ASSAY_OK;
}

enum assay_code delta_scan_sql(const struct delta_snapshot *snapshot, const size_t *files, size_t file_count,
                               bool with_place, struct arena *arena, struct buf *sql, struct assay_error *err) {
    struct scan scan = {.snapshot = snapshot,
                        .files = files,
                        .file_count = files ? file_count : snapshot->file_count,
                        .with_place = with_place,
                        .arena = arena};
    if (snapshot->metadata.schema.count == 0)
        return error_set(err, ASSAY_UNSUPPORTED, NULL, "the table has no columns to read");
    if (with_place) TRY(check_place(&snapshot->metadata.schema, err));
    TRY(delta_mapping_parse(&snapshot->metadata, &scan.mapping, err));
    TRY(load_columns(&scan, err));
    for (size_t i = 0; i < scan.file_count && !scan.has_vector; i++) scan.has_vector = file_at(&scan, i)->vector;
    return print_scan(sql, &scan, err);
}
