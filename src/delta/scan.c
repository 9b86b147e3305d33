/*
 * Files of a snapshot as a SQL relation (protocol: "Partition Value Serialization"; column semantics of Spark's Delta
 * reader).
 *
 * 1. Data columns are read by name with the type of the schema; what a file lacks is NULL, what it has beside is not
 * seen. A TIMESTAMP of INT96, which has no zone in the file, becomes an instant in UTC, the engine's zone.
 * 2. Partition columns come from the log, never from the file.
 * 3. A row's place is (file, row in the file): the engine's own file_index and file_row_number, so names never need to
 * be compared. A table with columns of these names is refused when places are asked for.
 * 4. No file of the table is named unless it is in the snapshot.
 */
#include "delta/delta_int.h"

/** Without row_count (0) the engine takes such a relation for empty, and builds its hash tables on the larger side. */
static void print_parquet(struct buf *sql, const struct str *paths, size_t path_count, const struct str *names,
                          const struct str *types, size_t column_count, int64_t row_count) {
    struct buf schema = {0};
    buf_addz(&schema, "schema=MAP{");
    for (size_t i = 0; i < column_count; i++) {
        if (i) buf_addz(&schema, ", ");
        engine_sql_text(&schema, names[i]);
        buf_addz(&schema, ": {name: ");
        engine_sql_text(&schema, names[i]);
        buf_addz(&schema, ", type: ");
        engine_sql_text(&schema, types[i]);
        buf_addz(&schema, ", default_value: NULL}");
    }
    if (column_count == 0)
        buf_addz(&schema, "'_assay_none': {name: '_assay_none', type: 'INTEGER', default_value: NULL}");
    buf_addc(&schema, '}');
    if (row_count > 0) buf_printf(&schema, ", explicit_cardinality=%lld", (long long)row_count);
    engine_sql_parquet(sql, paths, path_count, schema.data);
    buf_free(&schema);
}

void delta_sql_parquet(struct buf *sql, const struct str *paths, size_t path_count, const struct str *names,
                       const struct str *types, size_t column_count) {
    print_parquet(sql, paths, path_count, names, types, column_count, 0);
}

struct scan {
    const struct delta_snapshot *snapshot;
    const size_t *files; /* NULL: all */
    size_t file_count;
    bool with_place;
    struct str *types; /* of the schema's columns */
};

static size_t file_at(const struct scan *scan, size_t i) { return scan->files ? scan->files[i] : i; }

static enum assay_code load_types(const struct delta_schema *schema, struct arena *arena, struct str **out,
                                  struct assay_error *err) {
    struct buf text = {0};
    enum assay_code rc = ASSAY_OK;
    *out = ARENA_ARRAY(arena, schema->count, struct str);
    for (size_t i = 0; i < schema->count && rc == ASSAY_OK; i++) {
        buf_clear(&text);
        rc = delta_field_type_engine(&schema->fields[i], &text, err);
        (*out)[i] = str_copy(arena, buf_str(&text));
    }
    buf_free(&text);
    return rc;
}

/* A table without files to read: no row, the right names and types. */
static void print_empty(struct buf *sql, const struct scan *scan) {
    const struct delta_schema *schema = &scan->snapshot->metadata.schema;
    buf_addz(sql, "(SELECT ");
    for (size_t i = 0; i < schema->count; i++) {
        if (i) buf_addz(sql, ", ");
        buf_printf(sql, "CAST(NULL AS %.*s) AS ", STR_ARG(scan->types[i]));
        engine_sql_name(sql, schema->fields[i].name);
    }
    if (scan->with_place)
        buf_addz(sql, ", CAST(NULL AS BIGINT) AS " DELTA_SCAN_FILE ", CAST(NULL AS BIGINT) AS " DELTA_SCAN_ROW);
    buf_addz(sql, " WHERE FALSE)");
}

/* The file's value of a partition column, picked from a list by the file's place in the query. */
static void print_partition(struct buf *sql, const struct scan *scan, size_t field, size_t partition) {
    bool is_binary = scan->snapshot->metadata.schema.fields[field].type.kind == TYPE_BINARY;
    buf_addz(sql, "(CAST([");
    for (size_t i = 0; i < scan->file_count; i++) {
        struct str value = scan->snapshot->files[file_at(scan, i)].partition_values[partition];
        if (i) buf_addc(sql, ',');
        if (!value.ptr)
            buf_addz(sql, "NULL");
        else if (is_binary)
            buf_addz(sql, "encode("), engine_sql_text(sql, value), buf_addc(sql, ')');
        else
            engine_sql_text(sql, value);
    }
    buf_printf(sql, "] AS %.*s[]))[CAST(file_index AS BIGINT) + 1]", STR_ARG(scan->types[field]));
}

static void print_place(struct buf *sql, const struct scan *scan) {
    buf_addz(sql, ", ");
    if (scan->files) {
        buf_addz(sql, "(CAST([");
        for (size_t i = 0; i < scan->file_count; i++) buf_printf(sql, "%s%zu", i ? "," : "", scan->files[i]);
        buf_addz(sql, "] AS BIGINT[]))[CAST(file_index AS BIGINT) + 1]");
    } else {
        buf_addz(sql, "CAST(file_index AS BIGINT)");
    }
    buf_addz(sql, " AS " DELTA_SCAN_FILE ", CAST(file_row_number AS BIGINT) AS " DELTA_SCAN_ROW);
}

static enum assay_code load_paths(const struct scan *scan, struct arena *arena, struct str **out,
                                  struct assay_error *err) {
    *out = ARENA_ARRAY(arena, scan->file_count, struct str);
    for (size_t i = 0; i < scan->file_count; i++) {
        struct str key = str_path(arena, scan->snapshot->root, scan->snapshot->files[file_at(scan, i)].path);
        TRY(store_local_path(scan->snapshot->store, key, arena, &(*out)[i], err));
    }
    return ASSAY_OK;
}

/** What the stats say; files without stats count nothing. */
static int64_t count_rows(const struct scan *scan) {
    int64_t count = 0;
    for (size_t i = 0; i < scan->file_count; i++) {
        int64_t rows = scan->snapshot->files[file_at(scan, i)].row_count;
        if (rows > 0 && __builtin_add_overflow(count, rows, &count)) return INT64_MAX;
    }
    return count;
}

static enum assay_code print_files(struct buf *sql, const struct scan *scan, struct arena *arena,
                                   struct assay_error *err) {
    const struct delta_metadata *m = &scan->snapshot->metadata;
    struct str *paths, *names = ARENA_ARRAY(arena, m->schema.count, struct str),
                       *types = ARENA_ARRAY(arena, m->schema.count, struct str);
    size_t data_count = 0;
    TRY(load_paths(scan, arena, &paths, err));
    buf_addz(sql, "(SELECT ");
    for (size_t i = 0; i < m->schema.count; i++) {
        struct str name = m->schema.fields[i].name;
        size_t p = 0;
        while (p < m->partition_column_count && !str_eq(m->partition_columns[p], name)) p++;
        if (i) buf_addz(sql, ", ");
        if (p < m->partition_column_count) {
            print_partition(sql, scan, i, p);
            buf_addz(sql, " AS ");
        } else {
            names[data_count] = name;
            types[data_count++] = scan->types[i];
        }
        engine_sql_name(sql, name);
    }
    if (scan->with_place) print_place(sql, scan);
    buf_addz(sql, " FROM ");
    print_parquet(sql, paths, scan->file_count, names, types, data_count, count_rows(scan));
    buf_addc(sql, ')');
    return ASSAY_OK;
}

static enum assay_code check_place(const struct delta_schema *schema, struct assay_error *err) {
    static const char *const TAKEN[] = {"file_index", "file_row_number", DELTA_SCAN_FILE, DELTA_SCAN_ROW};
    for (size_t i = 0; i < sizeof TAKEN / sizeof TAKEN[0]; i++)
        if (delta_field_find(schema, str_of(TAKEN[i])) != SIZE_MAX)
            return error_set(err, ASSAY_UNSUPPORTED, NULL,
                             "the table has a column '%s', a name that the engine needs to find rows", TAKEN[i]);
    return ASSAY_OK;
}

enum assay_code delta_scan_sql(const struct delta_snapshot *snapshot, const size_t *files, size_t file_count,
                               bool with_place, struct arena *arena, struct buf *sql, struct assay_error *err) {
    struct scan scan = {snapshot, files, files ? file_count : snapshot->file_count, with_place, NULL};
    if (with_place || snapshot->metadata.partition_column_count) TRY(check_place(&snapshot->metadata.schema, err));
    TRY(load_types(&snapshot->metadata.schema, arena, &scan.types, err));
    if (scan.file_count == 0) {
        print_empty(sql, &scan);
        return ASSAY_OK;
    }
    return print_files(sql, &scan, arena, err);
}
