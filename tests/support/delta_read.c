/*
 * Reads a Delta table for tests in Python: `delta_read LAKE TABLE OUT [VERSION]` writes its rows to OUT-<n>.parquet and
 * says on one line of JSON what it is. An error is on stderr as `CODE: WHERE: MESSAGE`, with exit code 1.
 *
 * LAKE is the folder that may be read, TABLE the table's folder in it, OUT lies in a folder of its own.
 */
#include "delta/delta_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct program {
    struct arena arena;
    struct store *store;
    struct engine *engine;
};

static enum assay_code open_all(struct program *p, char **arguments, struct assay_error *err) {
    struct str out = str_of(arguments[3]);
    struct str folders[] = {str_of(arguments[1]), str_sub(out, 0, out.len - str_basename(out).len - 1)};
    struct engine_options options = {.temp_folder = folders[1], .folders = folders, .folder_count = 2, .threads = 2};
    TRY(store_open_local(folders[0], false, &p->store, err));
    return engine_open(&options, &p->engine, err);
}

static void print_names(struct json_writer *w, const char *key, const struct str *names, size_t count) {
    json_key(w, key);
    json_begin_array(w);
    for (size_t i = 0; i < count; i++) json_put_str(w, names[i]);
    json_end_array(w);
}

static void print_table(const struct delta_snapshot *s, int64_t row_count, int64_t counted) {
    struct buf text = {0}, schema = {0};
    struct json_writer w = {.out = &text};
    delta_schema_print(&schema, &s->metadata.schema);
    json_begin_object(&w);
    json_key(&w, "version");
    json_put_int(&w, s->version);
    json_key(&w, "schema");
    json_put_raw(&w, buf_str(&schema));
    print_names(&w, "partitionColumns", s->metadata.partition_columns, s->metadata.partition_column_count);
    json_key(&w, "properties");
    json_begin_object(&w);
    for (size_t i = 0; i < s->metadata.property_count; i++) {
        json_key_str(&w, s->metadata.properties[i].name);
        json_put_str(&w, s->metadata.properties[i].value);
    }
    json_end_object(&w);
    json_key(&w, "protocol");
    delta_protocol_print(&w, &s->protocol);
    json_key(&w, "files");
    json_put_int(&w, (int64_t)s->file_count);
    json_key(&w, "rows");
    json_put_int(&w, row_count);
    json_key(&w, "counted");
    json_put_int(&w, counted);
    json_end_object(&w);
    printf("%s\n", text.data);
    buf_free(&text);
    buf_free(&schema);
}

/* How many rows the stats say are left, or -1. */
static int64_t count_by_stats(const struct delta_snapshot *s) {
    int64_t count = 0;
    for (size_t i = 0; i < s->file_count; i++) {
        if (s->files[i].row_count < 0) return -1;
        count += s->files[i].row_count - (s->files[i].vector ? s->files[i].vector->cardinality : 0);
    }
    return count;
}

static enum assay_code read_table(struct program *p, char **arguments, int64_t version, struct assay_error *err) {
    struct delta_snapshot *snapshot = NULL;
    struct engine_files files = {0};
    struct engine_write_options options = {0};
    struct buf sql = {0};
    TRY(delta_snapshot_load(p->store, p->engine, str_of(arguments[2]), version, &p->arena, &snapshot, err));
    buf_addz(&sql, "SELECT * FROM ");
    enum assay_code rc = delta_scan_sql(snapshot, NULL, 0, false, &p->arena, &sql, err);
    if (rc == ASSAY_OK)
        rc = engine_write_parquet(p->engine, buf_str(&sql), str_of(arguments[3]), &options, &p->arena, &files, err);
    buf_free(&sql);
    if (rc == ASSAY_OK) print_table(snapshot, files.row_count, count_by_stats(snapshot));
    return rc;
}

int main(int count, char **arguments) {
    struct program p = {0};
    struct assay_error err = {0};
    int64_t version = DELTA_LATEST;
    if (count < 4 || count > 5 || (count == 5 && str_int64(str_of(arguments[4]), &version) != ASSAY_OK)) {
        fputs("usage: delta_read LAKE TABLE OUT [VERSION]\n", stderr);
        return 2;
    }
    enum assay_code rc = open_all(&p, arguments, &err);
    if (rc == ASSAY_OK) rc = read_table(&p, arguments, version, &err);
    if (rc) fprintf(stderr, "%s: %s: %s\n", assay_code_name(rc), err.where, err.message);
    engine_close(&p.engine);
    store_close(&p.store);
    arena_reset(&p.arena);
    return rc ? 1 : 0;
}
