/*
 * The checksum of a version (protocol: "Version Checksum File"): how many files and bytes the table has, and what it
 * is.
 *
 * 1. Written only for a commit that stands on the very version it was made from: then its numbers are those of the
 * snapshot, less what the commit removed, plus what it added. A rebased commit gets none.
 * 2. Protocol and metadata are those of the commit's own text, else the snapshot's.
 * 3. Never in the place of one that is there; a failure is no matter.
 */
#include "delta/delta_int.h"

struct state {
    struct arena *arena;
    int64_t file_count, size_bytes, in_commit_timestamp_ms;
    struct str metadata, protocol;
};

static struct str print_body(const struct json *body, struct arena *arena) {
    struct buf text = {0};
    json_print(&text, body);
    struct str copy = str_copy(arena, buf_str(&text));
    buf_free(&text);
    return copy;
}

static void start_from(struct state *state, const struct delta_snapshot *base) {
    for (size_t i = 0; i < base->file_count; i++) state->size_bytes += base->files[i].size_bytes;
    state->file_count = (int64_t)base->file_count;
    struct buf text = {0};
    struct json_writer w = {.out = &text};
    delta_metadata_print(&w, &base->metadata);
    state->metadata = str_copy(state->arena, buf_str(&text));
    buf_clear(&text);
    w = (struct json_writer){.out = &text};
    delta_protocol_print(&w, &base->protocol);
    state->protocol = str_copy(state->arena, buf_str(&text));
    buf_free(&text);
}

static enum assay_code take_action(void *context, const struct delta_action *action, struct assay_error *err) {
    struct state *state = context;
    if (action->kind == DELTA_ACTION_ADD) state->file_count++, state->size_bytes += action->size_bytes;
    if (action->kind == DELTA_ACTION_METADATA) state->metadata = print_body(action->body, state->arena);
    if (action->kind == DELTA_ACTION_PROTOCOL) state->protocol = print_body(action->body, state->arena);
    if (action->kind != DELTA_ACTION_COMMIT_INFO) return ASSAY_OK;
    enum assay_code rc = json_get_int(action->body, "inCommitTimestamp", &state->in_commit_timestamp_ms, err);
    return rc == ASSAY_NOT_FOUND ? ASSAY_OK : rc;
}

static struct str print_checksum(const struct delta_attempt *attempt, const struct state *state) {
    struct buf text = {0};
    struct json_writer w = {.out = &text};
    json_begin_object(&w);
    json_key(&w, "txnId"), json_put_str(&w, attempt->txn_id);
    json_key(&w, "tableSizeBytes"), json_put_int(&w, state->size_bytes);
    json_key(&w, "numFiles"), json_put_int(&w, state->file_count);
    json_key(&w, "numMetadata"), json_put_int(&w, 1);
    json_key(&w, "numProtocol"), json_put_int(&w, 1);
    if (state->in_commit_timestamp_ms >= 0)
        json_key(&w, "inCommitTimestampOpt"), json_put_int(&w, state->in_commit_timestamp_ms);
    json_key(&w, "metadata"), json_put_raw(&w, state->metadata);
    json_key(&w, "protocol"), json_put_raw(&w, state->protocol);
    json_end_object(&w);
    struct str copy = str_copy(attempt->arena, buf_str(&text));
    buf_free(&text);
    return copy;
}

void delta_checksum_put(const struct delta_attempt *attempt, int64_t version) {
    const struct delta_commit *commit = attempt->commit;
    const struct delta_snapshot *base = commit->base;
    struct state state = {.arena = attempt->arena, .in_commit_timestamp_ms = -1};
    if (version != (base ? base->version + 1 : 0)) return;
    if (base) start_from(&state, base);
    for (size_t i = 0; i < commit->remove_count; i++) {
        state.file_count--;
        state.size_bytes -= base->files[commit->removes[i]].size_bytes;
    }
    struct str folder = {0};
    if (store_local_path(attempt->store, attempt->root, attempt->arena, &folder, NULL) != ASSAY_OK)
        folder = (struct str){0};
    if (delta_actions_each(attempt->text, "commit", folder, take_action, &state, NULL) != ASSAY_OK) return;
    if (state.metadata.len == 0 || state.protocol.len == 0) return;
    struct str key = str_path(attempt->arena, attempt->root,
                              str_printf(attempt->arena, "_delta_log/%020lld.crc", (long long)version));
    enum assay_code rc = store_put_if_absent(attempt->store, key, print_checksum(attempt, &state), NULL);
    (void)rc; /* a table does without */
}
