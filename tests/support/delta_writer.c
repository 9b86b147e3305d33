/*
 * One of many writers to a Delta table, for tests of races: `delta_writer LAKE TABLE create`, or
 * `delta_writer LAKE TABLE NAME COMMITS SEED`. The table has the columns id, owner and value.
 *
 * Every commit is an append of new ids, a raise of the value of some ids (a merge), a delete of some ids, or a rewrite
 * of some files without a change of data, as OPTIMIZE does it. A commit that lost to another writer is done again on a
 * new snapshot. What succeeded is said on one line of JSON each: tag, op, ids, version. The tag is in the commit's
 * userMetadata. Any error but a conflict that is left after all tries ends the program with exit code 1.
 */
#include "delta/delta_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IDS_MAX = 3, IDS_OF_WRITER = 1000000, FILES_REWRITTEN_MAX = 6 };
enum op { APPEND, RAISE, DELETE, REWRITE };
static const char *const OPS[] = {"append", "raise", "delete", "rewrite"};

struct writer {
    struct store *store;
    struct engine *engine;
    struct staging *staging;
    struct str root;
    const char *name;
    int number, done; /* done: commits that stand */
    int64_t next_id;
    uint64_t random_state;
    struct arena arena; /* of one try */
    enum op op;
    int64_t ids[IDS_MAX], version;
    size_t id_count;
};

static size_t random_below(struct writer *w, size_t limit) {
    w->random_state ^= w->random_state << 13;
    w->random_state ^= w->random_state >> 7;
    w->random_state ^= w->random_state << 17;
    return limit ? (size_t)((w->random_state >> 11) % limit) : 0;
}

static void print_ids(const struct writer *w, struct buf *out) {
    for (size_t i = 0; i < w->id_count; i++) buf_printf(out, "%s%lld", i ? "," : "", (long long)w->ids[i]);
}

/* ---- one try ---- */

static enum assay_code stage(struct writer *w, const struct delta_metadata *m, const struct buf *sql,
                             struct delta_commit *commit, struct assay_error *err) {
    struct delta_new_files files;
    TRY(delta_write_files(w->engine, w->staging, m, buf_str(sql), &(struct engine_write_options){0}, &w->arena, &files,
                          err));
    commit->adds = files.files;
    commit->add_count = files.count;
    return ASSAY_OK;
}

static enum assay_code plan_append(struct writer *w, struct buf *sql) {
    w->id_count = 1 + random_below(w, IDS_MAX);
    for (size_t i = 0; i < w->id_count; i++) w->ids[i] = w->next_id + (int64_t)i;
    buf_addz(sql, "SELECT unnest([");
    print_ids(w, sql);
    buf_printf(sql, "])::BIGINT AS id, '%s' AS owner, 0::BIGINT AS value", w->name);
    return ASSAY_OK;
}

static enum assay_code plan_rewrite(struct writer *w, struct delta_commit *commit, struct buf *sql,
                                    struct assay_error *err) {
    const struct delta_snapshot *t = commit->base;
    size_t *files = ARENA_ARRAY(&w->arena, FILES_REWRITTEN_MAX, size_t), count = 0;
    size_t first = random_below(w, t->file_count);
    for (; count < FILES_REWRITTEN_MAX && first + count < t->file_count; count++) files[count] = first + count;
    w->id_count = 0;
    if (count == 0) return ASSAY_OK;
    commit->removes = files;
    commit->remove_count = count;
    commit->is_rearranged = true;
    buf_addz(sql, "SELECT id, owner, value FROM ");
    return delta_scan_sql(t, files, count, false, &w->arena, sql, err);
}

/* Some rows, and the files they are in. */
static enum assay_code pick_rows(struct writer *w, struct delta_commit *commit, struct assay_error *err) {
    struct engine_result rows;
    struct buf sql = {0};
    size_t *files = ARENA_ARRAY(&w->arena, IDS_MAX, size_t);
    buf_addz(&sql, "SELECT id, " DELTA_SCAN_FILE " FROM ");
    enum assay_code rc = delta_scan_sql(commit->base, NULL, 0, true, &w->arena, &sql, err);
    buf_addz(&sql, " ORDER BY id");
    if (rc == ASSAY_OK) rc = engine_query(w->engine, buf_str(&sql), 1000000, &w->arena, &rows, err);
    buf_free(&sql);
    TRY(rc);
    w->id_count = 0;
    commit->removes = files;
    size_t wanted = 1 + random_below(w, IDS_MAX), at = random_below(w, rows.row_count);
    for (; w->id_count < wanted && at < rows.row_count; at++) {
        size_t file = (size_t)engine_cell_int(engine_cell_at(&rows, at, 1), -1), k = 0;
        w->ids[w->id_count++] = engine_cell_int(engine_cell_at(&rows, at, 0), -1);
        while (k < commit->remove_count && files[k] != file) k++;
        if (k == commit->remove_count) files[commit->remove_count++] = file;
    }
    return ASSAY_OK;
}

static enum assay_code plan_change(struct writer *w, struct delta_commit *commit, struct delta_range *range,
                                   struct buf *sql, struct assay_error *err) {
    TRY(pick_rows(w, commit, err));
    if (w->id_count == 0) return ASSAY_OK;
    *range = (struct delta_range){STR("id"), str_printf(&w->arena, "%lld", (long long)w->ids[0]),
                                  str_printf(&w->arena, "%lld", (long long)w->ids[w->id_count - 1])};
    commit->scope = DELTA_READ_RANGES;
    commit->ranges = range;
    commit->range_count = 1;
    buf_addz(sql, "SELECT id, owner, value");
    if (w->op == RAISE) buf_addz(sql, " + (id IN ("), print_ids(w, sql), buf_addz(sql, "))::BIGINT AS value");
    buf_addz(sql, " FROM ");
    TRY(delta_scan_sql(commit->base, commit->removes, commit->remove_count, false, &w->arena, sql, err));
    if (w->op == DELETE) buf_addz(sql, " WHERE id NOT IN ("), print_ids(w, sql), buf_addz(sql, ")");
    return ASSAY_OK;
}

static enum assay_code try_once(void *context, struct assay_error *err) {
    struct writer *w = context;
    struct delta_snapshot *t;
    struct delta_range range;
    arena_reset(&w->arena);
    TRY(delta_snapshot_load(w->store, w->engine, w->root, DELTA_LATEST, &w->arena, &t, err));
    static const char *const OPERATIONS[] = {"WRITE", "MERGE", "DELETE", "OPTIMIZE"};
    struct delta_commit commit = {
        .base = t, .operation = OPERATIONS[w->op], .user_metadata = str_printf(&w->arena, "%s-%d", w->name, w->done)};
    struct buf sql = {0};
    enum assay_code rc = w->op == APPEND    ? plan_append(w, &sql)
                         : w->op == REWRITE ? plan_rewrite(w, &commit, &sql, err)
                                            : plan_change(w, &commit, &range, &sql, err);
    if (rc == ASSAY_OK && sql.len) rc = stage(w, &t->metadata, &sql, &commit, err);
    w->version = -1;
    if (rc == ASSAY_OK && sql.len) rc = delta_commit(w->store, w->engine, w->root, &commit, &w->version, err);
    buf_free(&sql);
    return rc;
}

/* ---- all of them ---- */

static void report(const struct writer *w) {
    struct buf ids = {0};
    print_ids(w, &ids);
    printf("{\"tag\":\"%s-%d\",\"op\":\"%s\",\"version\":%lld,\"ids\":[%s]}\n", w->name, w->done, OPS[w->op],
           (long long)w->version, ids.data ? ids.data : "");
    fflush(stdout);
    buf_free(&ids);
}

static enum assay_code write_all(struct writer *w, int commits, struct assay_error *err) {
    while (w->done < commits) {
        size_t dice = random_below(w, 20);
        w->op = dice < 8 ? APPEND : dice < 13 ? RAISE : dice < 15 ? DELETE : REWRITE;
        TRY(delta_redo(try_once, w, err));
        if (w->version < 0) continue; /* there was nothing to change */
        report(w);
        if (w->op == APPEND) w->next_id += (int64_t)w->id_count;
        w->done++;
    }
    return ASSAY_OK;
}

static enum assay_code create(struct writer *w, struct assay_error *err) {
    struct delta_metadata m = {0};
    delta_field_add(&m, &w->arena, STR("id"), (struct type){.kind = TYPE_BIGINT}, true, (struct str){0});
    delta_field_add(&m, &w->arena, STR("owner"), (struct type){.kind = TYPE_STRING}, true, (struct str){0});
    delta_field_add(&m, &w->arena, STR("value"), (struct type){.kind = TYPE_BIGINT}, true, (struct str){0});
    struct delta_commit commit = {.metadata = &m, .operation = "CREATE TABLE"};
    return delta_commit(w->store, w->engine, w->root, &commit, &w->version, err);
}

static enum assay_code open_writer(struct writer *w, const char *lake, struct assay_error *err) {
    struct str folders[] = {str_of(lake)};
    TRY(store_open_local(folders[0], false, &w->store, err));
    TRY(staging_open(w->store, &w->staging, err));
    struct engine_options options = {.temp_folder = staging_folder(w->staging),
                                     .folders = folders,
                                     .folder_count = 1,
                                     .threads = 1,
                                     .memory_bytes = 256 << 20};
    return engine_open(&options, &w->engine, err);
}

int main(int argc, char **argv) {
    struct writer w = {0};
    struct assay_error err = {0};
    if (argc != 4 && argc != 6) return 2;
    w.root = str_of(argv[2]);
    w.name = argv[3];
    enum assay_code rc = open_writer(&w, argv[1], &err);
    if (rc == ASSAY_OK && argc == 4) rc = create(&w, &err);
    if (rc == ASSAY_OK && argc == 6) {
        w.number = (int)strtol(strpbrk(w.name, "0123456789"), NULL, 10);
        w.next_id = (int64_t)w.number * IDS_OF_WRITER;
        w.random_state = 0x9e3779b97f4a7c15u ^ (strtoul(argv[5], NULL, 10) * 7919 + (unsigned long)w.number);
        rc = write_all(&w, (int)strtol(argv[4], NULL, 10), &err);
    }
    if (rc) fprintf(stderr, "%s: %s: %s\n", assay_code_name(rc), err.where, err.message);
    engine_close(&w.engine);
    staging_close(&w.staging);
    store_close(&w.store);
    arena_reset(&w.arena);
    return rc ? 1 : 0;
}
