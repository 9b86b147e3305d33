/*
 * The time of a commit as its writer set it (protocol: "In-Commit Timestamps").
 *
 * 1. In use when delta.enableInCommitTimestamps (or its preview name, as Delta 3.2 has it) is true; only then
 * commitInfo.inCommitTimestamp says anything.
 * 2. A commit's time is later than that of the version before it, whatever the clocks of the writers say.
 * 3. A table that turns it on after version 0 says from which version and time on, so that a reader knows where the
 * files' times end.
 */
#include "delta/delta_int.h"

#include "base/time.h"

static const struct {
    struct str enabled, version, time;
} NAMES[] = {
    {{"delta.enableInCommitTimestamps", 30},
     {"delta.inCommitTimestampEnablementVersion", 40},
     {"delta.inCommitTimestampEnablementTimestamp", 42}},
    {{"delta.enableInCommitTimestamps-preview", 38},
     {"delta.inCommitTimestampEnablementVersion-preview", 48},
     {"delta.inCommitTimestampEnablementTimestamp-preview", 50}},
};
enum { NAME_COUNT = sizeof NAMES / sizeof NAMES[0] };

static bool is_on(const struct delta_metadata *metadata, size_t i) {
    return str_eq_nocase(delta_property_get(metadata, NAMES[i].enabled), STR("true"));
}

bool delta_in_commit_timestamp_is_on(const struct delta_metadata *metadata) {
    for (size_t i = 0; i < NAME_COUNT; i++)
        if (is_on(metadata, i)) return true;
    return false;
}

static enum assay_code take_time(void *context, const struct delta_action *action, struct assay_error *err) {
    int64_t *time_ms = context;
    if (action->kind != DELTA_ACTION_COMMIT_INFO) return ASSAY_OK;
    enum assay_code rc = json_get_int(action->body, "inCommitTimestamp", time_ms, err);
    return rc == ASSAY_NOT_FOUND ? ASSAY_OK : rc;
}

enum assay_code delta_in_commit_timestamp_of(struct str text, const char *where, int64_t *time_ms,
                                             struct assay_error *err) {
    *time_ms = -1;
    return delta_actions_each(text, where, (struct str){0}, take_time, time_ms, err);
}

enum assay_code delta_in_commit_timestamp_load(struct delta_snapshot *s, struct assay_error *err) {
    s->in_commit_timestamp_ms = -1;
    if (!delta_in_commit_timestamp_is_on(&s->metadata)) return ASSAY_OK;
    struct arena scratch = {0};
    struct str text, key = delta_log_commit_key(&scratch, s->root, s->version);
    enum assay_code rc = store_get(s->store, key, &scratch, &text, err);
    if (rc == ASSAY_OK)
        rc = delta_in_commit_timestamp_of(text, key.ptr, &s->in_commit_timestamp_ms, err);
    else if (rc == ASSAY_NOT_FOUND)
        rc = ASSAY_OK; /* cleaned up: the table can be read */
    arena_reset(&scratch);
    return rc;
}

int64_t delta_in_commit_timestamp_next(int64_t before_ms) {
    int64_t now_ms = time_now_us() / 1000;
    return now_ms > before_ms ? now_ms : before_ms + 1;
}

void delta_in_commit_timestamp_enable(struct delta_metadata *metadata, const struct delta_snapshot *base,
                                      int64_t version, int64_t time_ms, struct arena *arena) {
    for (size_t i = 0; i < NAME_COUNT; i++) {
        if (!is_on(metadata, i) || !base || is_on(&base->metadata, i)) continue;
        delta_property_set(metadata, arena, NAMES[i].version, str_printf(arena, "%lld", (long long)version));
        delta_property_set(metadata, arena, NAMES[i].time, str_printf(arena, "%lld", (long long)time_ms));
    }
}
