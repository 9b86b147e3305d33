/*
 * Replace-where: new rows in the place of all rows whose text column has one value (a batch).
 *
 * 1. What goes is what a delete of these rows takes away (delete.c); a file whose stats say that it holds nothing else
 * goes without being read. Rows where the column is NULL stay.
 * 2. Old rows and new ones change places in one commit, which conflicts with a winner that touched the same value.
 * Source: Delta protocol, "Add File and Remove File"; Spark's replaceWhere.
 */
#include "delta/delta_int.h"

static enum assay_code find_rows(struct engine *engine, const struct delta_snapshot *snapshot,
                                 const struct delta_range *equal, struct str predicate, struct arena *arena,
                                 struct delta_deletion *out, struct assay_error *err) {
    size_t *files, count;
    TRY(delta_prune(snapshot, equal, 1, arena, &files, &count, err));
    bool *is_whole = ARENA_ARRAY(arena, count, bool);
    for (size_t i = 0; i < count; i++) is_whole[i] = delta_file_is_all(snapshot, files[i], equal->column, equal->min);
    return delta_deletion_find(engine, snapshot, predicate, files, is_whole, count, arena, out, err);
}

enum assay_code delta_replace_where(struct engine *engine, struct staging *staging,
                                    const struct delta_snapshot *snapshot, struct delta_commit *commit,
                                    struct delta_range equal, struct arena *arena, int64_t *version,
                                    struct assay_error *err) {
    struct delta_deletion deletion = {0};
    struct buf text = {0};
    buf_addz(&text, "t.");
    engine_sql_name(&text, equal.column);
    buf_addz(&text, " = ");
    engine_sql_text(&text, equal.min);
    struct str predicate = str_copy(arena, buf_str(&text));
    buf_free(&text);
    TRY(find_rows(engine, snapshot, &equal, predicate, arena, &deletion, err));
    TRY(delta_deletion_apply(engine, staging, snapshot, &deletion, predicate, commit, arena, err));
    commit->scope = DELTA_READ_RANGES;
    commit->ranges = &equal;
    commit->range_count = 1;
    return delta_commit(snapshot->store, engine, snapshot->root, commit, version, err);
}
