/*
 * The log as a table: a snapshot (protocol: "Action Reconciliation").
 *
 * 1. Commits are read from the newest to the oldest, then the checkpoint: the first action seen of a file, an
 * application id, the metadata or the protocol wins. Within one commit the later line wins.
 * 2. A snapshot has exactly one metadata and one protocol, or it is CORRUPT.
 * 3. The newest checkpoint that can be read is used; a broken one falls back to an older one, or to the commits from 0,
 * if they are there.
 * 4. A table with a reader feature that is not known, or a live deletion vector, is refused by name.
 */
#include "delta/delta_int.h"

#include <stdlib.h>

bool delta_replay_is_seen(const struct delta_replay *replay, struct str key) {
    const struct delta_key *slot = delta_keyset_find(&replay->files, key);
    return slot && slot->round < replay->round;
}

/* The slot of a key that this round decides, or NULL if a newer commit did. */
static struct delta_key *claim_key(struct delta_replay *replay, struct str key) {
    struct delta_key *slot = delta_keyset_put(&replay->files, key, replay->arena);
    if (slot->round && slot->round < replay->round) return NULL;
    if (slot->value != SIZE_MAX) replay->snapshot->files[slot->value].path = (struct str){0};
    slot->round = replay->round;
    slot->value = SIZE_MAX;
    return slot;
}

void delta_replay_add(struct delta_replay *replay, struct str key, const struct delta_file *file) {
    struct delta_key *slot = claim_key(replay, key);
    if (!slot) return;
    struct delta_snapshot *s = replay->snapshot;
    slot->value = s->file_count;
    LIST_PUSH(replay->arena, s->files, s->file_count, replay->file_capacity) = *file;
}

enum assay_code delta_replay_txn(struct delta_replay *replay, const struct delta_txn *txn) {
    struct delta_key *slot = delta_keyset_put(&replay->apps, txn->app_id, replay->arena);
    if (slot->value != SIZE_MAX) return ASSAY_OK;
    struct delta_snapshot *s = replay->snapshot;
    slot->value = s->txn_count;
    LIST_PUSH(replay->arena, s->txns, s->txn_count, replay->txn_capacity) = *txn;
    return ASSAY_OK;
}

static enum assay_code take_add(struct delta_replay *replay, const struct delta_action *action,
                                struct assay_error *err) {
    if (delta_replay_is_seen(replay, action->key)) return ASSAY_OK;
    if (action->has_vector)
        return error_set(
            err, ASSAY_UNSUPPORTED, replay->where,
            "the file '%.*s' has a deletion vector (feature deletionVectors), which assay does not read yet",
            STR_ARG(action->path));
    struct buf rest = {0};
    delta_add_print_rest(&rest, action->body);
    struct delta_file file = {
        .path = str_copy(replay->arena, action->path),
        .size_bytes = action->size_bytes,
        .modified_ms = action->modified_ms,
        .stats = str_copy(replay->arena, action->stats),
        .raw = str_copy(replay->arena, buf_str(&rest)),
    };
    buf_free(&rest);
    delta_replay_add(replay, action->key, &file);
    return ASSAY_OK;
}

static enum assay_code take_action(void *context, const struct delta_action *action, struct assay_error *err) {
    struct delta_replay *replay = context;
    struct delta_snapshot *s = replay->snapshot;
    switch (action->kind) {
    case DELTA_ACTION_ADD:
        return take_add(replay, action, err);
    case DELTA_ACTION_REMOVE:
        claim_key(replay, action->key);
        return ASSAY_OK;
    case DELTA_ACTION_METADATA:
        if (replay->has_metadata) return ASSAY_OK;
        replay->has_metadata = true;
        return delta_metadata_parse(action->body, replay->where, replay->arena, &s->metadata, err);
    case DELTA_ACTION_PROTOCOL:
        if (replay->has_protocol) return ASSAY_OK;
        replay->has_protocol = true;
        return delta_protocol_parse(action->body, replay->where, replay->arena, &s->protocol, err);
    case DELTA_ACTION_TXN: {
        struct delta_txn txn;
        TRY(delta_txn_parse(action->body, replay->arena, &txn, err));
        return delta_replay_txn(replay, &txn);
    }
    case DELTA_ACTION_COMMIT_INFO:
    case DELTA_ACTION_OTHER:
        break;
    }
    return ASSAY_OK;
}

static enum assay_code read_commit(struct delta_replay *replay, int64_t version, struct assay_error *err) {
    struct arena bytes = {0};
    struct str key = delta_log_commit_key(&bytes, replay->snapshot->root, version);
    struct str text;
    replay->where = key.ptr;
    replay->round++;
    enum assay_code rc = store_get(replay->snapshot->store, key, &bytes, &text, err);
    if (rc == ASSAY_NOT_FOUND)
        rc = error_set(err, ASSAY_CORRUPT, key.ptr,
                       "the commit was in the listing and is gone; was the log cleaned up just now? Run again");
    if (rc == ASSAY_OK) rc = delta_actions_each(text, key.ptr, replay->folder, take_action, replay, err);
    replay->where = "";
    arena_reset(&bytes);
    return rc;
}

static enum assay_code read_checkpoint(struct delta_replay *replay, struct engine *engine,
                                       const struct delta_checkpoint *checkpoint, struct assay_error *err) {
    replay->where = checkpoint->keys[0].ptr;
    replay->round++;
    return delta_checkpoint_read(engine, replay->snapshot->store, checkpoint, replay, err);
}

/* ---- finish ---- */

static enum assay_code read_partition_values(const struct delta_metadata *m, struct delta_file *file,
                                             struct arena *arena, struct assay_error *err) {
    struct json *body = NULL;
    TRY(json_parse(file->raw, file->path.ptr, &body, err));
    const struct json *values = json_member(body, "partitionValues");
    file->partition_values = ARENA_ARRAY(arena, m->partition_column_count, struct str);
    for (size_t i = 0; i < m->partition_column_count; i++) {
        const struct json *value = json_member(values, str_c(arena, m->partition_columns[i]));
        if (json_kind_of(value) == JSON_KIND_STRING && json_str(value).len > 0)
            file->partition_values[i] = str_copy(arena, json_str(value));
    }
    json_close(&body);
    return ASSAY_OK;
}

static int compare_files(const void *a, const void *b) {
    return str_cmp(((const struct delta_file *)a)->path, ((const struct delta_file *)b)->path);
}

static enum assay_code finish(struct delta_replay *replay, struct assay_error *err) {
    struct delta_snapshot *s = replay->snapshot;
    if (!replay->has_metadata || !replay->has_protocol)
        return error_set(err, ASSAY_CORRUPT, s->root.ptr, "the log up to version %lld has no %s action",
                         (long long)s->version, replay->has_metadata ? "protocol" : "metaData");
    size_t live = 0;
    for (size_t i = 0; i < s->file_count; i++)
        if (s->files[i].path.len > 0) s->files[live++] = s->files[i];
    s->file_count = live;
    if (live) qsort(s->files, live, sizeof *s->files, compare_files);
    for (size_t i = 0; i < live; i++) {
        s->files[i].row_count = delta_stats_int(s->files[i].stats, "numRecords", (struct str){0});
        if (s->metadata.partition_column_count)
            TRY(read_partition_values(&s->metadata, &s->files[i], replay->arena, err));
    }
    enum assay_code rc = delta_protocol_readable(&s->protocol, &s->metadata, err);
    if (rc) error_prepend(err, "%.*s", STR_ARG(s->root));
    return rc;
}

/* One try: the commits after `checkpoint` (NULL: all from 0), newest first. */
static enum assay_code replay_log(struct delta_replay *replay, const struct delta_log *log, struct engine *engine,
                                  const struct delta_checkpoint *checkpoint, struct assay_error *err) {
    int64_t base = checkpoint ? checkpoint->version : -1;
    int64_t version = replay->snapshot->version;
    TRY(delta_log_contiguous(log, base, version, err));
    for (; version > base; version--) TRY(read_commit(replay, version, err));
    if (checkpoint) TRY(read_checkpoint(replay, engine, checkpoint, err));
    return finish(replay, err);
}

static enum assay_code try_from(struct store *store, struct engine *engine, struct str root, struct str folder,
                                const struct delta_log *log, int64_t version, const struct delta_checkpoint *checkpoint,
                                struct arena *arena, struct delta_snapshot **out, struct assay_error *err) {
    struct delta_snapshot *snapshot = ARENA_NEW(arena, struct delta_snapshot);
    *snapshot = (struct delta_snapshot){.store = store, .root = str_copy(arena, root), .version = version};
    struct delta_replay replay = {.arena = arena, .snapshot = snapshot, .folder = folder, .where = ""};
    enum assay_code rc = replay_log(&replay, log, engine, checkpoint, err);
    delta_keyset_free(&replay.files);
    delta_keyset_free(&replay.apps);
    if (rc == ASSAY_OK) *out = snapshot;
    return rc;
}

enum assay_code delta_snapshot_load(struct store *store, struct engine *engine, struct str root, int64_t version,
                                    struct arena *arena, struct delta_snapshot **out, struct assay_error *err) {
    struct delta_log log;
    struct str folder = {0};
    TRY(delta_log_list(store, root, arena, &log, err));
    int64_t newest = delta_log_newest(&log);
    if (newest < 0)
        return error_set(err, ASSAY_NOT_FOUND, log.prefix.ptr, "there is no Delta table here: the folder has no log");
    if (version == DELTA_LATEST) version = newest;
    if (version < 0 || version > newest)
        return error_set(err, ASSAY_NOT_FOUND, log.prefix.ptr, "the table has no version %lld; the newest is %lld",
                         (long long)version, (long long)newest);
    if (store_local_path(store, root, arena, &folder, NULL) != ASSAY_OK)
        folder = (struct str){0}; /* only for absolute paths */
    struct assay_error first = {0};
    for (size_t i = log.checkpoint_count; i-- > 0;) {
        if (log.checkpoints[i].version > version) continue;
        struct assay_error failure = {0};
        enum assay_code rc =
            try_from(store, engine, root, folder, &log, version, &log.checkpoints[i], arena, out, &failure);
        if (rc == ASSAY_OK) return ASSAY_OK;
        if (first.code == ASSAY_OK) first = failure;
        if (rc != ASSAY_CORRUPT && rc != ASSAY_NOT_FOUND) break;
    }
    if (first.code != ASSAY_OK && (first.code != ASSAY_CORRUPT || log.commit_count == 0 || log.commits[0] != 0)) {
        if (err) *err = first;
        return first.code;
    }
    return try_from(store, engine, root, folder, &log, version, NULL, arena, out, err);
}

const struct delta_txn *delta_txn_find(const struct delta_snapshot *s, struct str app_id) {
    for (size_t i = 0; i < s->txn_count; i++)
        if (str_eq(s->txns[i].app_id, app_id)) return &s->txns[i];
    return NULL;
}
