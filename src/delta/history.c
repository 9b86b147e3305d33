/*
 * A table's history: the commitInfo of its commits, newest first (protocol: "Commit Provenance Information").
 *
 * 1. commitInfo is free-form and may be missing: then a version has its time and nothing else.
 * 2. Other actions are not looked at, so the history of a table that assay cannot read can still be shown.
 * 3. Times are those that time travel goes by (time_travel.c).
 */
#include "delta/delta_int.h"

static struct str copy_json(const struct json *node, struct arena *arena) {
    if (json_kind_of(node) == JSON_KIND_NULL) return (struct str){0};
    if (json_kind_of(node) == JSON_KIND_STRING) return str_copy(arena, json_str(node));
    struct buf text = {0};
    json_print(&text, node);
    struct str copy = str_copy(arena, buf_str(&text));
    buf_free(&text);
    return copy;
}

static void take_info(const struct json *info, struct arena *arena, struct delta_history_entry *entry) {
    const struct json *time = json_member(info, "inCommitTimestamp"), *read = json_member(info, "readVersion");
    const struct json *blind = json_member(info, "isBlindAppend");
    if (json_kind_of(time) == JSON_KIND_INT) entry->timestamp_ms = json_int(time);
    if (json_kind_of(read) == JSON_KIND_INT) entry->read_version = json_int(read);
    entry->has_blind_append = json_kind_of(blind) == JSON_KIND_BOOL;
    entry->is_blind_append = json_bool(blind);
    entry->operation = copy_json(json_member(info, "operation"), arena);
    entry->parameters = copy_json(json_member(info, "operationParameters"), arena);
    entry->metrics = copy_json(json_member(info, "operationMetrics"), arena);
    entry->user_metadata = copy_json(json_member(info, "userMetadata"), arena);
    entry->user_name = copy_json(json_member(info, "userName"), arena);
    entry->isolation_level = copy_json(json_member(info, "isolationLevel"), arena);
    const struct json *engine = json_member(info, "engineInfo");
    if (json_kind_of(engine) == JSON_KIND_NULL) engine = json_member(info, "clientVersion"); /* delta-rs */
    entry->engine_info = copy_json(engine, arena);
}

static enum assay_code read_entry(struct store *store, const struct store_entry *commit, struct arena *arena,
                                  struct delta_history_entry *entry, struct assay_error *err) {
    struct arena scratch = {0};
    struct str text;
    bool is_found = false;
    enum assay_code rc = store_get(store, commit->key, &scratch, &text, err);
    for (struct str rest = text, line; rc == ASSAY_OK && !is_found && rest.len > 0;) {
        rest = str_split(rest, '\n', &line);
        if (str_find(line, STR("\"commitInfo\"")) == SIZE_MAX) continue;
        struct json *tree = NULL;
        rc = json_parse(line, str_c(&scratch, commit->key), &tree, err);
        const struct json *info = json_member(tree, "commitInfo");
        is_found = json_kind_of(info) == JSON_KIND_OBJECT;
        if (is_found) take_info(info, arena, entry);
        json_close(&tree);
    }
    arena_reset(&scratch);
    return rc;
}

enum assay_code delta_history(struct store *store, struct str root, size_t limit, struct arena *arena,
                              struct delta_history_entry **out, size_t *count, struct assay_error *err) {
    struct delta_log log;
    TRY(delta_log_list(store, root, arena, &log, err));
    if (delta_log_newest(&log) < 0)
        return error_set(err, ASSAY_NOT_FOUND, log.prefix.ptr, "there is no Delta table here: the folder has no log");
    size_t shown = log.commit_count < limit ? log.commit_count : limit;
    const int64_t *times = delta_log_times(&log, arena);
    struct delta_history_entry *entries = ARENA_ARRAY(arena, shown, struct delta_history_entry);
    for (size_t i = 0; i < shown; i++) {
        size_t at = log.commit_count - 1 - i;
        entries[i] =
            (struct delta_history_entry){.version = log.commits[at], .timestamp_ms = times[at], .read_version = -1};
        TRY(read_entry(store, &log.entries[at], arena, &entries[i], err));
    }
    *out = entries;
    *count = shown;
    return ASSAY_OK;
}
