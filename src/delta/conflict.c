/*
 * Whether another writer's commit matters to ours (Spark's ConflictChecker under Serializable; protocol: "Writer
 * Requirements").
 *
 * 1. A winner that changed the protocol or the metadata is always a conflict, and so is one that set an application id
 * that we set.
 * 2. A file that both remove is a conflict.
 * 3. Adds and removes with dataChange are checked against what we read: nothing, the rows of some ranges, or the table.
 * Rearranged files (dataChange=false) hold the same rows and matter only by 2.
 * 4. A change of metadata of ours may be about all rows (a new CHECK), so any winner's data is a conflict to it.
 * 5. A winner that cannot be read or understood is no reason to go on: its error ends the commit.
 */
#include "delta/delta_int.h"

#include <stdlib.h>

struct check {
    const struct delta_attempt *attempt;
    struct arena scratch;
    struct delta_stats_range *ranges;
    size_t range_count;
    struct str operation, engine; /* of the winner */
    struct str reason;            /* the first conflict; empty: none */
};

static int compare_path(const void *key, const void *file) {
    return str_cmp(*(const struct str *)key, ((const struct delta_file *)file)->path);
}

static const struct delta_file *find_base_file(const struct delta_snapshot *base, struct str path) {
    if (!base || base->file_count == 0) return NULL;
    return bsearch(&path, base->files, base->file_count, sizeof *base->files, compare_path);
}

static bool is_removed_by_us(const struct delta_commit *commit, const struct delta_file *file) {
    for (size_t i = 0; file && i < commit->remove_count; i++)
        if (&commit->base->files[commit->removes[i]] == file) return true;
    return false;
}

/* A range over a column that the table does not have, or that has no order, was left out: then nothing can be ruled out
 * by it. */
static bool may_matter(struct check *check, struct str stats, const struct str *partition) {
    const struct delta_commit *commit = check->attempt->commit;
    if (commit->metadata && commit->base) return true;
    if (commit->scope == DELTA_READ_NOTHING) return false;
    if (commit->scope == DELTA_READ_TABLE) return true;
    return delta_stats_may_match(&commit->base->metadata, stats, partition, check->ranges, check->range_count,
                                 &check->scratch);
}

static void note_file(struct check *check, const struct delta_action *action) {
    bool is_add = action->kind == DELTA_ACTION_ADD;
    const struct delta_commit *commit = check->attempt->commit;
    const struct delta_file *ours = find_base_file(commit->base, action->path);
    if (!is_add && is_removed_by_us(commit, ours)) {
        check->reason =
            str_printf(&check->scratch, "it removed the file %.*s, which this commit rewrites or removes too",
                       STR_ARG(action->path));
        return;
    }
    if (!action->is_data_change) return;
    struct str stats = action->stats.len || !ours ? action->stats : ours->stats;
    if (may_matter(check, stats, !is_add && ours ? ours->partition_values : NULL))
        check->reason =
            str_printf(&check->scratch, "it %s the file %.*s, which may hold rows that this commit has read",
                       is_add ? "added" : "removed", STR_ARG(action->path));
}

static enum assay_code note_txn(struct check *check, const struct delta_action *action, struct assay_error *err) {
    const struct delta_commit *commit = check->attempt->commit;
    struct delta_txn txn;
    TRY(delta_txn_parse(action->body, &check->scratch, &txn, err));
    for (size_t i = 0; i < commit->txn_count; i++)
        if (str_eq(commit->txns[i].app_id, txn.app_id))
            check->reason =
                str_printf(&check->scratch, "it set the transaction '%.*s' to %lld, which this commit sets too",
                           STR_ARG(txn.app_id), (long long)txn.version);
    return ASSAY_OK;
}

static enum assay_code note_action(void *context, const struct delta_action *action, struct assay_error *err) {
    struct check *check = context;
    if (action->kind == DELTA_ACTION_COMMIT_INFO) {
        check->operation = str_copy(&check->scratch, json_str(json_member(action->body, "operation")));
        check->engine = str_copy(&check->scratch, json_str(json_member(action->body, "engineInfo")));
        return ASSAY_OK;
    }
    if (check->reason.len) return ASSAY_OK;
    switch (action->kind) {
    case DELTA_ACTION_ADD:
    case DELTA_ACTION_REMOVE:
        note_file(check, action);
        return ASSAY_OK;
    case DELTA_ACTION_TXN:
        return note_txn(check, action, err);
    case DELTA_ACTION_METADATA:
        check->reason = STR("it changed the table's metadata (schema, properties or constraints)");
        return ASSAY_OK;
    case DELTA_ACTION_PROTOCOL:
        check->reason = STR("it changed the table's protocol");
        return ASSAY_OK;
    case DELTA_ACTION_COMMIT_INFO:
    case DELTA_ACTION_DOMAIN: /* a commit of ours sets none */
    case DELTA_ACTION_SIDECAR:
    case DELTA_ACTION_OTHER:
        break;
    }
    return ASSAY_OK;
}

enum assay_code delta_conflict_check(const struct delta_attempt *attempt, int64_t version, struct str text,
                                     struct assay_error *err) {
    const struct delta_commit *commit = attempt->commit;
    struct check check = {.attempt = attempt};
    struct str where = delta_log_commit_key(&check.scratch, attempt->root, version);
    if (commit->base)
        delta_ranges_resolve(&commit->base->metadata, commit->ranges, commit->range_count, &check.scratch,
                             &check.ranges, &check.range_count);
    else
        check.reason = STR("it created the table");
    struct str folder = {0};
    if (store_local_path(attempt->store, attempt->root, &check.scratch, &folder, NULL) != ASSAY_OK)
        folder = (struct str){0};
    enum assay_code rc = delta_actions_each(text, where.ptr, folder, note_action, &check, err);
    if (rc == ASSAY_OK && check.reason.len)
        rc = error_set(
            err, ASSAY_CONFLICT, where.ptr,
            "%.*s by %.*s was first as version %lld: %.*s. Nothing of this commit stands; load the table and run again",
            STR_ARG(check.operation.len ? check.operation : STR("a commit")),
            STR_ARG(check.engine.len ? check.engine : STR("another writer")), (long long)version,
            STR_ARG(check.reason));
    arena_reset(&check.scratch);
    return rc;
}
