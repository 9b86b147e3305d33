/*
 * The commit protocol (protocol: "Writer Requirements", "Delta Log Entries"; conflicts: conflict.c).
 *
 * States of a commit, in order:
 *     checked    nothing is written: metadata, features, appendOnly and the removes are right
 *     published  the data files are in the table's folder, durable, and no version names them
 *     attempted  a put-if-absent of `<version>.json` was sent
 *     committed  the file of a version is ours                                              -> OK
 *     lost       every version tried is somebody else's, and one of them matters to us, or the retries are used up ->
 * CONFLICT failed     the store refused the put and the version is certainly not ours            -> the store's code
 *     unknown    the put may have happened and cannot be looked at                          -> UNKNOWN
 *
 * 1. A version's file is put once, never replaced, so a version is either all of a commit or nothing of it.
 * 2. The data files that a commit names are durable before it is put.
 * 3. Whatever a put answers but OK, the object is read back: our bytes there mean committed, also after EXISTS.
 * 4. A version is tried only when every version between the base and it was read and does not matter to us
 * (conflict.c).
 * 5. Published files are taken back only when no put was sent, or every put is proven to be somebody else's; never
 * because a commit seemed to fail.
 */
#include "delta/delta_int.h"

#include "base/hash.h"
#include "base/limits.h"

#include <stdlib.h>

/* ---- checked ---- */

static enum assay_code check_removes(const struct delta_commit *commit, struct assay_error *err) {
    if (commit->remove_count == 0) return ASSAY_OK;
    if (!commit->base) return error_set(err, ASSAY_INTERNAL, NULL, "a commit that creates a table cannot remove files");
    if (!commit->is_rearranged &&
        str_eq_nocase(delta_property_get(&commit->base->metadata, STR("delta.appendOnly")), STR("true")))
        return error_set(err, ASSAY_UNSUPPORTED, NULL,
                         "the table is append-only (delta.appendOnly = true): rows cannot be changed or removed");
    bool *is_seen = memory_alloc(commit->base->file_count + 1);
    for (size_t i = 0; i < commit->base->file_count; i++) is_seen[i] = false;
    enum assay_code rc = ASSAY_OK;
    for (size_t i = 0; i < commit->remove_count && rc == ASSAY_OK; i++) {
        size_t file = commit->removes[i];
        if (file >= commit->base->file_count || is_seen[file])
            rc = error_set(err, ASSAY_INTERNAL, NULL, "file %zu is removed twice or is not in the snapshot", file);
        else
            is_seen[file] = true;
    }
    free(is_seen);
    return rc;
}

/* The table's rules bind those who write rows; without rows, one that is outside of the language can still be dropped.
 */
static enum assay_code check_writable(const struct delta_protocol *protocol, const struct delta_metadata *metadata,
                                      bool has_rows, struct assay_error *err) {
    struct arena scratch = {0};
    struct delta_rule *rules;
    size_t count;
    enum assay_code rc = delta_protocol_writable(protocol, metadata, err);
    if (rc == ASSAY_OK && has_rows) rc = delta_rules_load(metadata, NULL, &scratch, &rules, &count, err);
    arena_reset(&scratch);
    return rc;
}

static enum assay_code check_base(const struct delta_snapshot *base, bool has_rows, struct assay_error *err) {
    enum assay_code rc = check_writable(&base->protocol, &base->metadata, has_rows, err);
    if (rc) error_prepend(err, "%.*s version %lld", STR_ARG(base->root), (long long)base->version);
    return rc;
}

enum assay_code delta_writable(const struct delta_snapshot *snapshot, struct assay_error *err) {
    return check_base(snapshot, true, err);
}

static enum assay_code check_commit(const struct delta_commit *commit, struct arena *arena, struct assay_error *err) {
    if (!commit->base && !commit->metadata)
        return error_set(err, ASSAY_INTERNAL, NULL, "a commit that creates a table needs its metadata");
    bool has_rows = commit->add_count > 0;
    if (commit->base) TRY(check_base(commit->base, has_rows, err));
    if (commit->metadata) {
        struct delta_protocol protocol;
        delta_protocol_derive(commit->base ? &commit->base->protocol : NULL, commit->metadata, arena, &protocol);
        TRY(delta_metadata_check(commit->metadata, err));
        TRY(check_writable(&protocol, commit->metadata, has_rows, err));
    }
    return check_removes(commit, err);
}

/* ---- attempted ---- */

enum outcome { COMMITTED, TAKEN, ENDED };

/* What the object at this version says after a put that did not answer OK. */
static enum outcome look_at(const struct delta_attempt *attempt, struct str key, enum assay_code put_rc,
                            enum assay_code *rc, struct assay_error *err) {
    struct arena scratch = {0};
    struct str text;
    struct assay_error look = {0};
    enum assay_code get_rc = store_get(attempt->store, key, &scratch, &text, &look);
    enum outcome outcome = get_rc == ASSAY_OK ? (str_eq(text, attempt->text) ? COMMITTED : TAKEN) : ENDED;
    arena_reset(&scratch);
    *rc = ASSAY_OK;
    if (outcome != ENDED) return outcome;
    bool is_certain = get_rc == ASSAY_NOT_FOUND && put_rc != ASSAY_UNKNOWN && put_rc != ASSAY_EXISTS;
    *rc = is_certain ? put_rc
                     : error_set(err, ASSAY_UNKNOWN, key.ptr,
                                 "it is not known whether this commit stands: the store did not say, and reading it "
                                 "back gave: %s. Nothing was taken back; "
                                 "run again, that is safe",
                                 look.message[0] ? look.message : assay_code_name(get_rc));
    return ENDED;
}

/* Move attempt->version behind the winners that are there, each checked. OK: the version is free, or *is_ours. */
static enum assay_code pass_winners(struct delta_attempt *attempt, bool *is_ours, struct assay_error *err) {
    for (;; ++attempt->version) {
        struct arena scratch = {0};
        struct str text, key = delta_log_commit_key(&scratch, attempt->root, attempt->version);
        enum assay_code rc = store_get(attempt->store, key, &scratch, &text, err);
        *is_ours = rc == ASSAY_OK && str_eq(text, attempt->text);
        bool is_end = rc == ASSAY_NOT_FOUND || *is_ours;
        if (rc == ASSAY_OK && !is_end) rc = delta_conflict_check(attempt, attempt->version, text, err);
        if (rc == ASSAY_OK && !is_end && attempt->has_time)
            rc = delta_in_commit_timestamp_of(text, key.ptr, &attempt->time_before_ms, err);
        arena_reset(&scratch);
        if (is_end) return ASSAY_OK;
        TRY(rc);
    }
}

/* ---- the text ---- */

/* In-commit timestamps come from the version before, so each try has its own; else the text is the same for all. */
static enum assay_code make_text(struct delta_attempt *attempt, struct assay_error *err) {
    if (attempt->text.len && !attempt->has_time) return ASSAY_OK;
    if (attempt->has_time) attempt->time_ms = delta_in_commit_timestamp_next(attempt->time_before_ms);
    return delta_commit_text(attempt, err);
}

static enum assay_code begin_time(struct delta_attempt *attempt, struct assay_error *err) {
    const struct delta_commit *commit = attempt->commit;
    attempt->has_time = delta_in_commit_timestamp_is_on(commit->metadata ? commit->metadata : &commit->base->metadata);
    if (!attempt->has_time) return ASSAY_OK;
    struct delta_protocol protocol = commit->base ? commit->base->protocol : (struct delta_protocol){0};
    if (commit->metadata)
        delta_protocol_derive(commit->base ? &protocol : NULL, commit->metadata, attempt->arena, &protocol);
    if (!delta_protocol_lists(&protocol, "inCommitTimestamp") &&
        !delta_protocol_lists(&protocol, "inCommitTimestamp-preview"))
        return error_set(
            err, ASSAY_UNSUPPORTED, attempt->root.ptr,
            "the table's properties turn in-commit timestamps on, which its protocol does not list (feature "
            "inCommitTimestamp)");
    attempt->time_before_ms = commit->base ? commit->base->in_commit_timestamp_ms : -1;
    bool was_on = commit->base && delta_in_commit_timestamp_is_on(&commit->base->metadata);
    if (was_on && attempt->time_before_ms < 0)
        return error_set(err, ASSAY_CORRUPT,
                         delta_log_commit_key(attempt->arena, attempt->root, commit->base->version).ptr,
                         "the commit has no inCommitTimestamp, which the table's properties ask for, so no later one "
                         "can be given to the next");
    return ASSAY_OK;
}

/* After a version was lost the wait comes first and the winners are passed after it, so that the version tried next is
 * the newest one that is free and not one that was free before the wait. */
static enum assay_code put_version(struct delta_attempt *attempt, struct assay_error *err) {
    for (int lost = 0; lost <= LIMIT_COMMIT_RETRIES;) {
        if (lost > 0) TRY(make_text(attempt, err));
        struct str key = delta_log_commit_key(attempt->arena, attempt->root, attempt->version);
        enum assay_code rc = store_put_if_absent(attempt->store, key, attempt->text, err);
        if (rc == ASSAY_OK) return ASSAY_OK;
        enum outcome outcome = look_at(attempt, key, rc, &rc, err);
        if (outcome == COMMITTED) return ASSAY_OK;
        if (outcome == ENDED) return rc;
        delta_wait(++lost);
        bool is_ours;
        TRY(pass_winners(attempt, &is_ours, err));
        if (is_ours) return ASSAY_OK;
    }
    return error_set(err, ASSAY_CONFLICT, attempt->root.ptr,
                     "other writers were first %d times in a row; nothing of this commit stands. Run again when the "
                     "table is less busy",
                     LIMIT_COMMIT_RETRIES + 1);
}

static bool has_something(const struct delta_commit *commit) {
    bool has_rows = false;
    for (size_t i = 0; i < commit->add_count; i++) has_rows |= commit->adds[i].file.row_count > 0;
    return has_rows || commit->remove_count || commit->restored_count || commit->txn_count || commit->metadata;
}

static enum assay_code check_absent(const struct delta_attempt *attempt, struct assay_error *err) {
    struct delta_log log;
    TRY(delta_log_list(attempt->store, attempt->root, attempt->arena, &log, err));
    if (delta_log_newest(&log) < 0) return ASSAY_OK;
    return error_set(err, ASSAY_CONFLICT, attempt->root.ptr,
                     "the table cannot be created: it is there, at version %lld", (long long)delta_log_newest(&log));
}

static enum assay_code run_commit(struct delta_attempt *attempt, int64_t *version, struct assay_error *err) {
    const struct delta_commit *commit = attempt->commit;
    enum assay_code rc = check_commit(commit, attempt->arena, err);
    if (rc == ASSAY_OK && !commit->base) rc = check_absent(attempt, err);
    TRY(rc);
    attempt->txn_id = hash_uuid(attempt->arena);
    attempt->version = commit->base ? commit->base->version + 1 : 0;
    TRY(begin_time(attempt, err));
    rc = delta_publish(attempt, err);
    if (rc == ASSAY_OK) rc = make_text(attempt, err);
    if (rc) {
        delta_publish_undo(attempt);
        return rc;
    }
    rc = put_version(attempt, err);
    *version = attempt->version;
    if (rc == ASSAY_CONFLICT) delta_publish_undo(attempt);
    return rc;
}

enum assay_code delta_commit(struct store *store, struct engine *engine, struct str root,
                             const struct delta_commit *commit, int64_t *version, struct assay_error *err) {
    if (commit->base && !has_something(commit)) {
        *version = commit->base->version;
        return ASSAY_OK;
    }
    struct arena arena = {0};
    struct delta_attempt attempt = {.store = store, .root = str_copy(&arena, root), .commit = commit, .arena = &arena};
    enum assay_code rc = run_commit(&attempt, version, err);
    if (rc == ASSAY_OK) delta_after_commit(&attempt, engine, *version);
    arena_reset(&arena);
    return rc;
}
