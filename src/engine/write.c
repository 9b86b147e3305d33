/*
 * Rows as Parquet files, by DuckDB's COPY.
 *
 * 1. COPY writes into a folder of its own, `<prefix>.writing`. When it is done the files are renamed to
 * `<prefix>-<n>.parquet` and the folder goes; when it fails the folder goes with all it holds. A process that dies
 * leaves only that folder, in staging.
 * 2. What Parquet or Delta would change in silence is refused before a byte is written: DuckDB stores HUGEINT as
 * DOUBLE, for example.
 * 3. Version 1 pages: delta-rs cannot read version 2. Small dictionaries: they find out soon that a column of ids wants
 * none.
 * 4. The numbers in the names follow the order of the files in the result; they have five digits, so that names sort
 * like numbers.
 */
#include "engine/engine_int.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_BYTES_DEFAULT = 128 * 1024 * 1024 };

/** Types that a Delta table has, nested ones by what they hold. */
static bool is_storable(duckdb_logical_type type) {
    duckdb_logical_type child;
    bool is_ok = true;
    switch (duckdb_get_type_id(type)) {
    case DUCKDB_TYPE_BOOLEAN:
    case DUCKDB_TYPE_TINYINT:
    case DUCKDB_TYPE_SMALLINT:
    case DUCKDB_TYPE_INTEGER:
    case DUCKDB_TYPE_BIGINT:
    case DUCKDB_TYPE_FLOAT:
    case DUCKDB_TYPE_DOUBLE:
    case DUCKDB_TYPE_DECIMAL:
    case DUCKDB_TYPE_VARCHAR:
    case DUCKDB_TYPE_BLOB:
    case DUCKDB_TYPE_DATE:
    case DUCKDB_TYPE_TIMESTAMP:
    case DUCKDB_TYPE_TIMESTAMP_TZ:
        return true;
    case DUCKDB_TYPE_LIST:
        child = duckdb_list_type_child_type(type);
        is_ok = is_storable(child);
        duckdb_destroy_logical_type(&child);
        return is_ok;
    case DUCKDB_TYPE_MAP:
        child = duckdb_map_type_key_type(type);
        is_ok = is_storable(child);
        duckdb_destroy_logical_type(&child);
        child = duckdb_map_type_value_type(type);
        is_ok = is_ok && is_storable(child);
        duckdb_destroy_logical_type(&child);
        return is_ok;
    case DUCKDB_TYPE_STRUCT:
        for (idx_t i = 0; is_ok && i < duckdb_struct_type_child_count(type); i++) {
            child = duckdb_struct_type_child_type(type, i);
            is_ok = is_storable(child);
            duckdb_destroy_logical_type(&child);
        }
        return is_ok;
    default:
        return false;
    }
}

static enum assay_code read_columns(struct engine *engine, struct str select, struct arena *arena,
                                    struct write_column **out, size_t *count, struct assay_error *err) {
    duckdb_prepared_statement statement;
    TRY(statement_prepare(engine, str_c(arena, select), &statement, err));
    *count = duckdb_prepared_statement_column_count(statement);
    struct write_column *columns = *out = ARENA_ARRAY(arena, *count, struct write_column);
    enum assay_code rc = ASSAY_OK;
    for (size_t i = 0; !rc && i < *count; i++) {
        const char *name = duckdb_prepared_statement_column_name(statement, i);
        duckdb_logical_type type = duckdb_prepared_statement_column_logical_type(statement, i);
        columns[i] = (struct write_column){str_copy(arena, str_of(name)), duckdb_get_type_id(type)};
        if (!is_storable(type))
            rc = error_set(err, ASSAY_UNSUPPORTED, NULL,
                           "column %s has an SQL type (%d) that no Delta table has; cast it", name,
                           (int)columns[i].type);
        duckdb_free((void *)(uintptr_t)name);
        duckdb_destroy_logical_type(&type);
    }
    duckdb_destroy_prepare(&statement);
    return rc;
}

/** With its files, and the folders of parts in it. */
static void remove_folder(struct str folder, struct arena *arena) {
    DIR *dir = opendir(folder.ptr);
    if (!dir) return;
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        if (unlinkat(dirfd(dir), entry->d_name, 0) != 0)
            remove_folder(str_path(arena, folder, str_of(entry->d_name)), arena);
    }
    closedir(dir);
    rmdir(folder.ptr);
}

/** Give the files their final names; the empty ones are left to go with the folder. */
static enum assay_code name_files(struct str prefix, struct arena *arena, struct engine_files *files,
                                  struct assay_error *err) {
    size_t kept = 0;
    for (size_t i = 0; i < files->count; i++) {
        struct engine_file *file = &files->files[i];
        if (file->row_count == 0) continue;
        struct str path = str_printf(arena, "%.*s-%05zu.parquet", STR_ARG(prefix), kept);
        if (rename(str_c(arena, file->path), path.ptr) != 0)
            return error_errno(err, errno, path.ptr, "rename a written file");
        file->path = path;
        files->files[kept++] = *file;
    }
    files->count = kept;
    return ASSAY_OK;
}

/** COPY names its files `<n>.parquet`, in the folder of their part; its rows come in no certain order. */
static int compare_files(const void *a, const void *b) {
    const struct engine_file *left = a, *right = b;
    if (left->part != right->part) return left->part > right->part ? 1 : -1;
    long l = strtol(str_basename(left->path).ptr, NULL, 10), r = strtol(str_basename(right->path).ptr, NULL, 10);
    return (l > r) - (l < r);
}

/** Memory grows with both for each column, so tables with very many columns get less of them. */
static void print_sizes(struct buf *sql, size_t column_count) {
    const size_t group = 122880, dictionary = 4096, columns_group = 1000, columns_dictionary = 256;
    size_t rows = column_count > columns_group ? group * columns_group / column_count : group;
    size_t entries = column_count > columns_dictionary ? dictionary * columns_dictionary / column_count : dictionary;
    buf_printf(sql, "DICTIONARY_SIZE_LIMIT %zu, ROW_GROUP_SIZE %zu, ", entries, rows);
}

static void print_copy(struct buf *sql, struct str select, struct str folder, struct str part, size_t column_count,
                       const struct engine_write_options *options) {
    buf_addz(sql, "COPY (");
    buf_add(sql, select);
    buf_addz(sql, ") TO ");
    engine_sql_text(sql, folder);
    buf_addz(sql,
             " (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, PARQUET_VERSION v1, FILENAME_PATTERN '{i}', "
             "RETURN_STATS true, ");
    print_sizes(sql, column_count);
    if (options->in_parts) {
        buf_addz(sql, "PARTITION_BY (");
        engine_sql_name(sql, part);
        buf_addc(sql, ')');
    } else {
        buf_printf(sql, "WRITE_EMPTY_FILE false, FILE_SIZE_BYTES %" PRId64,
                   options->file_bytes > 0 ? options->file_bytes : FILE_BYTES_DEFAULT);
    }
    if (options->field_ids.len) buf_printf(sql, ", FIELD_IDS %.*s", STR_ARG(options->field_ids));
    buf_addc(sql, ')');
}

/** Without order, or with: then one thread writes, because several that start new files mix the order of the rows
 * across them. */
static enum assay_code run_copy(struct engine *engine, const char *sql, bool keep_order, duckdb_result *result,
                                struct assay_error *err) {
    if (!keep_order) return statement_run(engine, sql, result, err);
    char reset[96];
    struct assay_error ignored;
    snprintf(reset, sizeof reset, "SET preserve_insertion_order=false; SET threads=%d", engine->threads);
    TRY(statement_run(engine, "SET preserve_insertion_order=true; SET threads=1", NULL, err));
    enum assay_code rc = statement_run(engine, sql, result, err);
    (void)!statement_run(engine, reset, NULL,
                         &ignored); /* fails only after an interrupt, and then nothing runs any more */
    return rc;
}

enum assay_code engine_write_parquet(struct engine *engine, struct str select, struct str path_prefix,
                                     const struct engine_write_options *options, struct arena *arena,
                                     struct engine_files *out, struct assay_error *err) {
    struct write_column *columns = NULL;
    size_t column_count = 0;
    TRY(read_columns(engine, select, arena, &columns, &column_count, err));
    struct str folder = str_printf(arena, "%.*s.writing", STR_ARG(path_prefix));
    struct buf sql = {0};
    duckdb_result result;
    struct str part = options->in_parts ? columns[--column_count].name : (struct str){0};
    print_copy(&sql, select, folder, part, column_count, options);
    enum assay_code rc = run_copy(engine, sql.data, options->keep_order, &result, err);
    if (rc) goto done;
    rc = write_stats_read(engine, &result, columns, column_count, arena, out, err);
    duckdb_destroy_result(&result);
    if (rc) goto done;
    if (out->count) qsort(out->files, out->count, sizeof *out->files, compare_files);
    rc = name_files(path_prefix, arena, out, err);
done:
    remove_folder(folder, arena);
    buf_free(&sql);
    return rc;
}
