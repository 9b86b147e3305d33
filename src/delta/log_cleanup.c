/*
 * Removing log files that nobody needs any more (protocol: "Metadata Cleanup"; Spark's MetadataCleanup).
 *
 * 1. Only what lies wholly before a checkpoint that stays, that is older than delta.logRetentionDuration (30 days,
 * counted to the last midnight, UTC) and that was read to the end just before. No such checkpoint: nothing is removed.
 * 2. That checkpoint, its commit and everything after it stay. Older versions cannot be read any more; newer ones can.
 * 3. The oldest files go first, so that at every instant what is left is a log without a gap.
 * 4. A commit's time is its file's, made to rise; where in-commit timestamps are in use, the commit's own.
 * 5. Never when delta.enableExpiredLogCleanup is false, when a duration is not understood, or under a feature that
 * guards old versions (checkpointProtection) or is not known.
 * 6. Sidecars are left: whether another checkpoint names them is not known without reading all.
 */
#include "delta/delta_int.h"

#include "base/time.h"

#include <stdlib.h>
#include <string.h>

static const int64_t DAY_MS = 86400000;

static bool is_allowed(const struct delta_snapshot *s) {
    if (delta_protocol_known(&s->protocol, NULL) != ASSAY_OK) return false;
    if (delta_protocol_lists(&s->protocol, "checkpointProtection")) return false;
    return !str_eq_nocase(delta_property_get(&s->metadata, STR("delta.enableExpiredLogCleanup")), STR("false"));
}

/* The newest commit that is not later than the cut-off, or -1. */
static int64_t find_last_expired(const struct delta_log *log, int64_t cutoff_ms) {
    int64_t last = -1, time_ms = INT64_MIN;
    for (size_t i = 0; i < log->commit_count; i++) {
        int64_t modified_ms = log->entries[i].modified_us / 1000;
        time_ms = modified_ms > time_ms ? modified_ms : time_ms + 1;
        if (time_ms > cutoff_ms) break;
        last = log->commits[i];
    }
    return last;
}

static bool is_expired_by_itself(const struct delta_snapshot *s, int64_t version, int64_t cutoff_ms) {
    if (!delta_in_commit_timestamp_is_on(&s->metadata)) return true;
    struct arena scratch = {0};
    struct str text, key = delta_log_commit_key(&scratch, s->root, version);
    int64_t time_ms;
    bool is_expired = store_get(s->store, key, &scratch, &text, NULL) == ASSAY_OK &&
                      delta_in_commit_timestamp_of(text, key.ptr, &time_ms, NULL) == ASSAY_OK && time_ms <= cutoff_ms;
    arena_reset(&scratch);
    return is_expired;
}

static const struct delta_checkpoint *find_kept(const struct delta_log *log, int64_t last_expired) {
    const struct delta_checkpoint *kept = NULL;
    for (size_t i = 0; i < log->checkpoint_count && log->checkpoints[i].version <= last_expired; i++)
        kept = &log->checkpoints[i];
    return kept;
}

static int compare_entries(const void *a, const void *b) {
    return str_cmp(((const struct store_entry *)a)->key, ((const struct store_entry *)b)->key);
}

static enum assay_code remove_before(const struct delta_snapshot *s, int64_t version, struct arena *arena,
                                     int64_t *removed_count, struct assay_error *err) {
    struct store_entry *entries;
    size_t count;
    TRY(store_list_flat(s->store, str_path(arena, s->root, STR("_delta_log")), arena, &entries, &count, err));
    if (count) qsort(entries, count, sizeof *entries, compare_entries);
    for (size_t i = 0; i < count; i++) {
        if (!delta_log_is_before(str_basename(entries[i].key), version)) continue;
        TRY(store_remove(s->store, entries[i].key, err));
        ++*removed_count;
    }
    return ASSAY_OK;
}

static enum assay_code cleanup(struct engine *engine, const struct delta_snapshot *s, struct arena *arena,
                               int64_t *removed_count, struct assay_error *err) {
    int64_t keep_ms = delta_interval_property(&s->metadata, STR("delta.logRetentionDuration"), 30 * DAY_MS);
    if (keep_ms < 0 || !is_allowed(s)) return ASSAY_OK;
    struct delta_log log;
    TRY(delta_log_list(s->store, s->root, arena, &log, err));
    int64_t cutoff_ms = time_now_us() / 1000 - keep_ms;
    cutoff_ms -= cutoff_ms % DAY_MS;
    int64_t last_expired = find_last_expired(&log, cutoff_ms);
    if (last_expired < 0 || !is_expired_by_itself(s, last_expired, cutoff_ms)) return ASSAY_OK;
    const struct delta_checkpoint *kept = find_kept(&log, last_expired);
    if (!kept || (log.commits[0] >= kept->version && log.checkpoints[0].version >= kept->version)) return ASSAY_OK;
    struct delta_snapshot *whole;
    TRY(delta_replay_checkpoint(s->store, engine, s->root, &log, kept, arena, &whole, err));
    return remove_before(s, kept->version, arena, removed_count, err);
}

enum assay_code delta_log_cleanup(struct engine *engine, const struct delta_snapshot *snapshot, int64_t *removed_count,
                                  struct assay_error *err) {
    struct arena arena = {0};
    *removed_count = 0;
    enum assay_code rc = cleanup(engine, snapshot, &arena, removed_count, err);
    arena_reset(&arena);
    return rc;
}
