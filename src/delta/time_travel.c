/*
 * Which version a table had at a moment (protocol: "In-Commit Timestamps"; Spark's DeltaHistoryManager).
 *
 * 1. A commit's time is the in-commit timestamp that it carries. Commits without one have the time of their file, made
 * to rise by at least a millisecond: a copied log may have lost the order.
 * 2. In-commit timestamps begin with some version and stay, so they are looked for from the newest commit downwards.
 * 3. commitInfo's `timestamp` is not looked at: it is what a writer's clock said, and Spark's RESTORE writes none.
 */
#include "delta/delta_int.h"

#include "base/time.h"

enum { HEAD_BYTES = 64 * 1024 };

int64_t *delta_log_times(const struct delta_log *log, struct arena *arena) {
    int64_t *times = ARENA_ARRAY(arena, log->commit_count, int64_t), last = INT64_MIN;
    for (size_t i = 0; i < log->commit_count; i++) {
        int64_t time = log->entries[i].modified_us / 1000;
        last = times[i] = time > last ? time : last + 1;
    }
    return times;
}

static enum assay_code take_time(struct str line, const char *where, int64_t *ms, struct assay_error *err) {
    struct json *tree = NULL;
    TRY(json_parse(line, where, &tree, err));
    const struct json *time = json_member(json_member(tree, "commitInfo"), "inCommitTimestamp");
    if (json_kind_of(time) == JSON_KIND_INT) *ms = json_int(time);
    json_close(&tree);
    return ASSAY_OK;
}

enum assay_code delta_commit_time(struct store *store, struct str key, int64_t *ms, struct assay_error *err) {
    struct arena scratch = {0};
    struct str text, line;
    *ms = -1;
    enum assay_code rc = store_get_range(store, key, 0, HEAD_BYTES, &scratch, &text, err);
    if (rc == ASSAY_OK && text.len == HEAD_BYTES && str_find_char(text, '\n') == SIZE_MAX)
        rc = store_get(store, key, &scratch, &text, err);
    if (rc == ASSAY_OK) {
        str_split(text, '\n', &line); /* where there is an in-commit timestamp, commitInfo is the first action */
        if (str_find(line, STR("\"inCommitTimestamp\"")) != SIZE_MAX)
            rc = take_time(line, str_c(&scratch, key), ms, err);
    }
    arena_reset(&scratch);
    return rc;
}

/* The commit that is the newest not after the moment, as an index; SIZE_MAX if none. `*first_ms` is the oldest one's.
 */
static enum assay_code find_commit(struct store *store, const struct delta_log *log, int64_t moment_ms,
                                   struct arena *arena, size_t *out, int64_t *first_ms, struct assay_error *err) {
    const int64_t *times = delta_log_times(log, arena);
    bool has_own = true;
    *out = SIZE_MAX;
    for (size_t i = log->commit_count; i-- > 0;) {
        int64_t time = -1;
        if (has_own) TRY(delta_commit_time(store, log->entries[i].key, &time, err));
        has_own = time >= 0;
        if (!has_own) time = times[i];
        *first_ms = time;
        if (time > moment_ms) continue;
        *out = i;
        return ASSAY_OK;
    }
    return ASSAY_OK;
}

enum assay_code delta_version_at(struct store *store, struct str root, int64_t us, struct arena *arena,
                                 int64_t *version, struct assay_error *err) {
    struct delta_log log;
    size_t found;
    int64_t first_ms = 0, moment_ms = us / 1000 - (us % 1000 < 0);
    TRY(delta_log_list(store, root, arena, &log, err));
    if (log.commit_count == 0)
        return error_set(err, ASSAY_NOT_FOUND, log.prefix.ptr, "there is no Delta table here: the folder has no log");
    if (us > time_now_us())
        return error_set(err, ASSAY_INVALID, root.ptr, "%.*s lies in the future; what the table is then is not known",
                         STR_ARG(time_text(arena, us)));
    TRY(find_commit(store, &log, moment_ms, arena, &found, &first_ms, err));
    if (found == SIZE_MAX)
        return error_set(err, ASSAY_NOT_FOUND, root.ptr,
                         "nothing is kept from %.*s: the first version in the log is %lld, of %.*s (UTC)",
                         STR_ARG(time_text(arena, us)), (long long)log.commits[0],
                         STR_ARG(time_text(arena, first_ms * 1000)));
    *version = log.commits[found];
    return ASSAY_OK;
}

/* `2026-04-05 12:30` as RFC 3339 has it: with a T, seconds and a zone. */
static struct str complete_time(struct str text, struct arena *arena) {
    enum { DATE_LENGTH = 10, MINUTE_LENGTH = 16 };
    if (text.len == DATE_LENGTH) return str_printf(arena, "%.*sT00:00:00Z", STR_ARG(text));
    if (text.len < MINUTE_LENGTH || (text.ptr[DATE_LENGTH] != ' ' && text.ptr[DATE_LENGTH] != 'T')) return text;
    struct str date = str_sub(text, 0, DATE_LENGTH), minute = str_sub(text, DATE_LENGTH + 1, MINUTE_LENGTH);
    struct str rest = str_sub(text, MINUTE_LENGTH, text.len);
    bool has_seconds = rest.len && rest.ptr[0] == ':';
    bool has_zone =
        str_ends(rest, STR("Z")) || str_find_char(rest, '+') != SIZE_MAX || str_find_char(rest, '-') != SIZE_MAX;
    return str_printf(arena, "%.*sT%.*s%s%.*s%s", STR_ARG(date), STR_ARG(minute), has_seconds ? "" : ":00",
                      STR_ARG(rest), has_zone ? "" : "Z");
}

enum assay_code delta_time_parse(struct str text, int64_t *us, struct assay_error *err) {
    struct arena scratch = {0};
    bool is_time = time_parse_iso(complete_time(str_trim(text), &scratch), us);
    arena_reset(&scratch);
    if (is_time) return ASSAY_OK;
    return error_set(err, ASSAY_INVALID, NULL,
                     "`%.*s` is no moment; write 2026-04-05, 2026-04-05 12:30 or 2026-04-05T12:30:00Z (UTC when it has "
                     "no zone)",
                     STR_ARG(text));
}
