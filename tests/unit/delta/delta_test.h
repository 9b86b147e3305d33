/** Helpers of delta's tests: a lake, an engine that may read it, and short forms of what every test does. */
#ifndef TESTS_UNIT_DELTA_TEST_H
#define TESTS_UNIT_DELTA_TEST_H

#include "support/test.h"

#include "delta/delta_int.h"

#include <string.h>

#define ROOT STR("Tables/silver/t")
/** printf into the tests' arena, as a C string or as a str. */
#define text_of(...) str_printf(&arena, __VA_ARGS__).ptr
#define str_printf_of(...) str_printf(&arena, __VA_ARGS__)

/** Opened by open_lake for every test, closed by close_lake. */
static struct engine *engine;
static struct store *store;
static struct staging *staging;
static const char *lake;
static struct arena arena;

static inline int open_lake(void **state) {
    UNUSED(state);
    struct assay_error err = {0};
    lake = test_dir();
    struct str folders[] = {str_of(lake), str_of(test_data(&arena, "spark-tables"))};
    struct engine_options options = {
        .temp_folder = str_of(test_dir()), .folders = folders, .folder_count = 2, .threads = 2};
    if (!engine) assert_ok(engine_open(&options, &engine, &err), &err);
    assert_ok(store_open_local(str_of(lake), false, &store, &err), &err);
    assert_ok(staging_open(store, &staging, &err), &err);
    return 0;
}

static inline int close_lake(void **state) {
    UNUSED(state);
    staging_close(&staging);
    store_close(&store);
    engine_close(&engine);
    arena_reset(&arena);
    return 0;
}

static inline struct delta_snapshot *load(void) {
    struct assay_error err = {0};
    struct delta_snapshot *snapshot = NULL;
    assert_ok(delta_snapshot_load(store, engine, ROOT, DELTA_LATEST, &arena, &snapshot, &err), &err);
    return snapshot;
}

/** The rows of a query: cells with `|` between them, a newline between rows, NULL as `NULL`. */
static inline struct str ask(struct str sql) {
    struct assay_error err = {0};
    struct engine_result r;
    struct buf text = {0};
    assert_ok(engine_query(engine, sql, 100000, &arena, &r, &err), &err);
    for (size_t row = 0; row < r.row_count; row++) {
        for (size_t column = 0; column < r.column_count; column++) {
            const struct engine_cell *cell = engine_cell_at(&r, row, column);
            if (column) buf_addc(&text, '|');
            buf_add(&text, cell->is_null ? STR("NULL") : cell->text);
        }
        if (row + 1 < r.row_count) buf_addc(&text, '\n');
    }
    struct str out = str_copy(&arena, buf_str(&text));
    buf_free(&text);
    return out;
}

/** `select` with `{t}` replaced by the scan of some files of a snapshot. */
static inline struct str ask_files(const struct delta_snapshot *snapshot, const char *select, const size_t *files,
                                   size_t count, bool with_place) {
    struct assay_error err = {0};
    struct buf sql = {0};
    const char *hole = strstr(select, "{t}");
    buf_add(&sql, (struct str){select, (size_t)(hole - select)});
    assert_ok(delta_scan_sql(snapshot, files, count, with_place, &arena, &sql, &err), &err);
    buf_addz(&sql, hole + 3);
    struct str rows = ask(buf_str(&sql));
    buf_free(&sql);
    return rows;
}

static inline struct str ask_table(const struct delta_snapshot *snapshot, const char *select) {
    return ask_files(snapshot, select, NULL, 0, false);
}

/** id BIGINT NOT NULL, name STRING */
static inline struct delta_metadata *simple_metadata(void) {
    struct delta_metadata *m = ARENA_NEW(&arena, struct delta_metadata);
    delta_field_add(m, &arena, STR("id"), (struct type){.kind = TYPE_BIGINT}, false, STR("the key"));
    delta_field_add(m, &arena, STR("name"), (struct type){.kind = TYPE_STRING}, true, (struct str){0});
    return m;
}

static inline struct delta_new_files stage(const struct delta_metadata *metadata, const char *select) {
    struct assay_error err = {0};
    struct delta_new_files files = {0};
    struct engine_write_options options = {0};
    assert_ok(delta_write_files(engine, staging, metadata, str_of(select), &options, &arena, &files, &err), &err);
    return files;
}

static inline struct delta_commit append_of(const struct delta_snapshot *base, const struct delta_new_files *files) {
    return (struct delta_commit){.base = base,
                                 .adds = files->files,
                                 .add_count = files->count,
                                 .operation = "WRITE",
                                 .parameters = STR("{\"mode\":\"Append\",\"partitionBy\":\"[]\"}")};
}

static inline int64_t commit_ok(const struct delta_commit *commit) {
    struct assay_error err = {0};
    int64_t version = -1;
    assert_ok(delta_commit(store, engine, ROOT, commit, &version, &err), &err);
    return version;
}

/** Create the table with the rows of a select; its snapshot. */
static inline struct delta_snapshot *create(const struct delta_metadata *metadata, const char *select) {
    struct delta_new_files files = select ? stage(metadata, select) : (struct delta_new_files){0};
    struct delta_commit commit = append_of(NULL, &files);
    commit.metadata = metadata;
    commit.operation = "CREATE TABLE";
    commit_ok(&commit);
    return load();
}

static inline struct delta_snapshot *append(const struct delta_snapshot *base, const char *select) {
    struct delta_new_files files = stage(&base->metadata, select);
    struct delta_commit commit = append_of(base, &files);
    commit_ok(&commit);
    return load();
}

/** Put a commit as some other writer would. */
static inline void put_commit(int64_t version, const char *text) {
    struct assay_error err = {0};
    assert_ok(store_put(store, delta_log_commit_key(&arena, ROOT, version), str_of(text), &err), &err);
}

static inline struct str commit_text(int64_t version) {
    struct assay_error err = {0};
    struct str text = {0};
    assert_ok(store_get(store, delta_log_commit_key(&arena, ROOT, version), &arena, &text, &err), &err);
    return text;
}

#define LAKE_TEST(name) cmocka_unit_test_setup_teardown(name, open_lake, close_lake)

#endif
