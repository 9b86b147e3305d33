/**
 * Replace-where: new rows in the place of all rows whose text column has one value (a batch).
 *
 * 1. A file that holds only such rows is removed whole; no other file is rewritten for it.
 * 2. A file that also holds other rows is written anew with exactly those others (rows where the column is NULL are
 * others).
 * 3. Both happen in one commit, which conflicts with a winner that touched the same value.
 * Source: Delta protocol, "Add File and Remove File"; Spark's replaceWhere.
 */
#include "delta/delta.h"

/** Files that may hold the value, parted into those that hold nothing else and the others. */
struct parted {
    size_t *removes; /* all of them */
    size_t remove_count;
    size_t *mixed;
    size_t mixed_count;
};

static enum assay_code part_files(const struct delta_snapshot *snapshot, struct delta_range equal, struct arena *arena,
                                  struct parted *out, struct assay_error *err) {
    size_t *files, count;
    TRY(delta_prune(snapshot, &equal, 1, arena, &files, &count, err));
    out->removes = files;
    out->remove_count = count;
    out->mixed = ARENA_ARRAY(arena, count, size_t);
    for (size_t i = 0; i < count; i++)
        if (!delta_file_is_all(snapshot, files[i], equal.column, equal.min)) out->mixed[out->mixed_count++] = files[i];
    return ASSAY_OK;
}

/** A file that stats could not rule out, but that has no such row, stays as it is. */
static enum assay_code drop_strangers(struct engine *engine, const struct delta_snapshot *snapshot,
                                      struct delta_range equal, struct parted *p, struct arena *arena,
                                      struct assay_error *err) {
    size_t kept = 0, mixed = 0;
    for (size_t i = 0; i < p->remove_count; i++) {
        size_t file = p->removes[i];
        bool is_mixed = mixed < p->mixed_count && p->mixed[mixed] == file;
        int64_t hits = 1;
        if (is_mixed) {
            struct engine_result r = {0};
            struct buf sql = {0};
            buf_addz(&sql, "SELECT count(*) FROM ");
            enum assay_code rc = delta_scan_sql(snapshot, &file, 1, false, arena, &sql, err);
            buf_addz(&sql, " t WHERE t.");
            engine_sql_name(&sql, equal.column);
            buf_addz(&sql, " = ");
            engine_sql_text(&sql, equal.min);
            if (rc == ASSAY_OK) rc = engine_query(engine, buf_str(&sql), 1, arena, &r, err);
            buf_free(&sql);
            if (rc) return rc;
            hits = engine_cell_int(engine_cell_at(&r, 0, 0), 0);
            if (hits == 0) { /* take it out of both lists */
                for (size_t j = mixed + 1; j < p->mixed_count; j++) p->mixed[j - 1] = p->mixed[j];
                p->mixed_count--;
                continue;
            }
            mixed++;
        }
        p->removes[kept++] = file;
    }
    p->remove_count = kept;
    return ASSAY_OK;
}

static enum assay_code write_others(struct engine *engine, struct staging *staging,
                                    const struct delta_snapshot *snapshot, const struct delta_metadata *metadata,
                                    struct delta_range equal, const struct parted *p, struct arena *arena,
                                    struct engine_files *out, struct assay_error *err) {
    struct buf sql = {0};
    buf_addz(&sql, "SELECT * FROM ");
    enum assay_code rc = delta_scan_sql(snapshot, p->mixed, p->mixed_count, false, arena, &sql, err);
    buf_addz(&sql, " t WHERE t.");
    engine_sql_name(&sql, equal.column);
    buf_addz(&sql, " IS DISTINCT FROM ");
    engine_sql_text(&sql, equal.min);
    if (rc == ASSAY_OK)
        rc = delta_write_files(engine, staging, metadata, buf_str(&sql),
                               &(struct engine_write_options){.keep_order = true}, arena, out, err);
    buf_free(&sql);
    return rc;
}

enum assay_code delta_replace_where(struct engine *engine, struct staging *staging,
                                    const struct delta_snapshot *snapshot, struct delta_commit *commit,
                                    struct delta_range equal, struct arena *arena, int64_t *version,
                                    struct assay_error *err) {
    struct parted p = {0};
    struct engine_files others = {0};
    TRY(part_files(snapshot, equal, arena, &p, err));
    if (p.mixed_count) TRY(drop_strangers(engine, snapshot, equal, &p, arena, err));
    if (p.mixed_count) {
        const struct delta_metadata *metadata = commit->metadata ? commit->metadata : &snapshot->metadata;
        TRY(write_others(engine, staging, snapshot, metadata, equal, &p, arena, &others, err));
    }
    struct engine_file *adds = ARENA_ARRAY(arena, commit->add_count + others.count, struct engine_file);
    for (size_t i = 0; i < commit->add_count; i++) adds[i] = commit->adds[i];
    for (size_t i = 0; i < others.count; i++) adds[commit->add_count + i] = others.files[i];
    commit->base = snapshot;
    commit->adds = adds;
    commit->add_count += others.count;
    commit->removes = p.removes;
    commit->remove_count = p.remove_count;
    commit->scope = DELTA_READ_RANGES;
    commit->ranges = &equal;
    commit->range_count = 1;
    return delta_commit(snapshot->store, engine, snapshot->root, commit, version, err);
}
