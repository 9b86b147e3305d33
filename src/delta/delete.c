/*
 * Deleting rows, copy-on-write (protocol: "Add File and Remove File"; Spark's DELETE).
 *
 * 1. A row goes only if the predicate is TRUE of it; NULL keeps it.
 * 2. A file without such a row is not touched, one with no other row is removed whole; one that also holds others is
 * written anew with exactly those, without the rows that its deletion vector had deleted.
 * 3. With a change feed the commit says which rows went, and which came with it, once a file is written anew.
 */
#include "delta/delta_int.h"

static enum assay_code count_hits(struct engine *engine, const struct delta_snapshot *snapshot, struct str predicate,
                                  const size_t *files, size_t count, struct arena *arena, struct engine_result *out,
                                  struct assay_error *err) {
    struct buf sql = {0};
    buf_printf(&sql, "SELECT t." DELTA_SCAN_FILE ", count(*), count(*) FILTER (WHERE (%.*s) IS TRUE) AS hits FROM ",
               STR_ARG(predicate));
    enum assay_code rc = delta_scan_sql(snapshot, files, count, true, arena, &sql, err);
    buf_addz(&sql, " t GROUP BY t." DELTA_SCAN_FILE " HAVING hits > 0 ORDER BY t." DELTA_SCAN_FILE);
    if (rc == ASSAY_OK) rc = engine_query(engine, buf_str(&sql), SIZE_MAX, arena, out, err);
    if (rc) rc = delta_read_failed(snapshot, rc, err);
    buf_free(&sql);
    return rc;
}

enum assay_code delta_deletion_find(struct engine *engine, const struct delta_snapshot *snapshot, struct str predicate,
                                    const size_t *candidates, const bool *is_whole, size_t count, struct arena *arena,
                                    struct delta_deletion *out, struct assay_error *err) {
    size_t *asked = ARENA_ARRAY(arena, count, size_t), asked_count = 0;
    struct engine_result r = {0};
    *out = (struct delta_deletion){ARENA_ARRAY(arena, count, size_t), 0, ARENA_ARRAY(arena, count, size_t), 0, 0};
    for (size_t i = 0; i < count; i++) {
        const struct delta_file *file = &snapshot->files[candidates[i]];
        if (!is_whole || !is_whole[i]) {
            asked[asked_count++] = candidates[i];
            continue;
        }
        out->removes[out->remove_count++] = candidates[i];
        out->row_count += file->row_count - (file->vector ? file->vector->cardinality : 0);
    }
    if (asked_count == 0) return ASSAY_OK;
    TRY(count_hits(engine, snapshot, predicate, asked, asked_count, arena, &r, err));
    for (size_t i = 0; i < r.row_count; i++) {
        size_t file = (size_t)engine_cell_int(engine_cell_at(&r, i, 0), 0);
        int64_t rows = engine_cell_int(engine_cell_at(&r, i, 1), 0),
                hits = engine_cell_int(engine_cell_at(&r, i, 2), 0);
        out->removes[out->remove_count++] = file;
        if (hits < rows) out->mixed[out->mixed_count++] = file;
        out->row_count += hits;
    }
    return ASSAY_OK;
}

static enum assay_code write_others(struct engine *engine, struct staging *staging,
                                    const struct delta_snapshot *snapshot, const struct delta_metadata *metadata,
                                    const struct delta_deletion *deletion, struct str predicate, struct arena *arena,
                                    struct delta_new_files *out, struct assay_error *err) {
    struct buf sql = {0};
    buf_addz(&sql, "SELECT * FROM ");
    enum assay_code rc = delta_scan_sql(snapshot, deletion->mixed, deletion->mixed_count, false, arena, &sql, err);
    buf_printf(&sql, " t WHERE (%.*s) IS NOT TRUE", STR_ARG(predicate));
    if (rc == ASSAY_OK)
        rc = delta_write_files(engine, staging, metadata, buf_str(&sql),
                               &(struct engine_write_options){.keep_order = true}, arena, out, err);
    if (rc) rc = delta_read_failed(snapshot, rc, err);
    buf_free(&sql);
    return rc;
}

/* The rows that go, and those that came with the commit. */
static enum assay_code write_changes(struct engine *engine, struct staging *staging,
                                     const struct delta_snapshot *snapshot, const struct delta_metadata *metadata,
                                     const struct delta_deletion *deletion, struct str predicate,
                                     const struct delta_commit *commit, struct arena *arena,
                                     struct delta_new_files *out, struct assay_error *err) {
    struct delta_new_files inserted = {ARENA_ARRAY(arena, commit->add_count, struct delta_new_file), commit->add_count,
                                       0};
    struct buf sql = {0};
    buf_addz(&sql, "SELECT *, 'delete' AS " DELTA_CHANGE_TYPE " FROM ");
    enum assay_code rc = delta_scan_sql(snapshot, deletion->removes, deletion->remove_count, false, arena, &sql, err);
    buf_printf(&sql, " t WHERE (%.*s) IS TRUE", STR_ARG(predicate));
    if (rc == ASSAY_OK && commit->add_count) {
        for (size_t i = 0; i < commit->add_count; i++) inserted.files[i] = commit->adds[i];
        buf_addz(&sql, " UNION ALL BY NAME SELECT *, 'insert' AS " DELTA_CHANGE_TYPE " FROM ");
        rc = delta_staged_sql(snapshot->store, engine, metadata, &inserted, false, arena, &sql, err);
    }
    if (rc == ASSAY_OK) rc = delta_write_changes(engine, staging, metadata, buf_str(&sql), arena, out, err);
    buf_free(&sql);
    return rc;
}

enum assay_code delta_deletion_apply(struct engine *engine, struct staging *staging,
                                     const struct delta_snapshot *snapshot, const struct delta_deletion *deletion,
                                     struct str predicate, struct delta_commit *commit, struct arena *arena,
                                     struct assay_error *err) {
    const struct delta_metadata *metadata = commit->metadata ? commit->metadata : &snapshot->metadata;
    struct delta_new_files others = {0}, changes = {0};
    if (deletion->mixed_count)
        TRY(write_others(engine, staging, snapshot, metadata, deletion, predicate, arena, &others, err));
    if (deletion->mixed_count && delta_has_change_feed(metadata))
        TRY(write_changes(engine, staging, snapshot, metadata, deletion, predicate, commit, arena, &changes, err));
    struct delta_new_file *adds = ARENA_ARRAY(arena, commit->add_count + others.count, struct delta_new_file);
    for (size_t i = 0; i < commit->add_count; i++) adds[i] = commit->adds[i];
    for (size_t i = 0; i < others.count; i++) adds[commit->add_count + i] = others.files[i];
    commit->base = snapshot;
    commit->adds = adds;
    commit->add_count += others.count;
    commit->changes = changes.files;
    commit->change_count = changes.count;
    commit->removes = deletion->removes;
    commit->remove_count = deletion->remove_count;
    return ASSAY_OK;
}

/* As Spark writes it: {"predicate":"[\"...\"]"}. */
static struct str print_parameters(struct str shown, struct arena *arena) {
    struct buf list = {0}, out = {0};
    struct json_writer inner = {.out = &list}, w = {.out = &out};
    json_begin_array(&inner);
    json_put_str(&inner, shown);
    json_end_array(&inner);
    json_begin_object(&w);
    json_key(&w, "predicate"), json_put_str(&w, buf_str(&list));
    json_end_object(&w);
    struct str text = str_copy(arena, buf_str(&out));
    buf_free(&list);
    buf_free(&out);
    return text;
}

static struct delta_property metric(struct str name, int64_t value, struct arena *arena) {
    return (struct delta_property){name, str_printf(arena, "%lld", (long long)value)};
}

enum assay_code delta_delete(struct engine *engine, struct staging *staging, const struct delta_snapshot *snapshot,
                             struct str predicate, const struct delta_range *ranges, size_t range_count,
                             struct str shown, struct arena *arena, int64_t *deleted, int64_t *version,
                             struct assay_error *err) {
    size_t *files, count;
    struct delta_deletion deletion;
    struct delta_commit commit = {
        .scope = range_count ? DELTA_READ_RANGES : DELTA_READ_TABLE,
        .ranges = ranges,
        .range_count = range_count,
        .operation = "DELETE",
        .parameters = print_parameters(shown, arena),
    };
    TRY(delta_writable(snapshot, err));
    TRY(delta_prune(snapshot, ranges, range_count, arena, &files, &count, err));
    TRY(delta_deletion_find(engine, snapshot, predicate, files, NULL, count, arena, &deletion, err));
    TRY(delta_deletion_apply(engine, staging, snapshot, &deletion, predicate, &commit, arena, err));
    struct delta_property metrics[] = {
        metric(STR("numDeletedRows"), deletion.row_count, arena),
        metric(STR("numRemovedFiles"), (int64_t)deletion.remove_count, arena),
        metric(STR("numAddedFiles"), (int64_t)commit.add_count, arena),
        metric(STR("numAddedChangeFiles"), (int64_t)commit.change_count, arena),
    };
    commit.metrics = metrics;
    commit.metric_count = sizeof metrics / sizeof metrics[0];
    if (deleted) *deleted = deletion.row_count;
    return delta_commit(snapshot->store, engine, snapshot->root, &commit, version, err);
}
