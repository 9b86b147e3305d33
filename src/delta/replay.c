/*
 * The log as a table: a snapshot (protocol: "Action Reconciliation").
 *
 * 1. Commits, or compactions in their place, are read from the newest to the oldest, then the checkpoint: the first
 * action seen of a file, an application id, a domain, the metadata or the protocol wins. Within one file of the log the
 * later line wins.
 * 2. Every version between the checkpoint (or the beginning) and the one that is asked for is read, or the log is
 * CORRUPT and the gap is named.
 * 3. A snapshot has exactly one metadata and one protocol and names a path once, or it is CORRUPT: a path that stands
 * twice would double its rows.
 * 4. The newest checkpoint that can be read is used; a broken one falls back to an older one, or to the commits from 0,
 * if they are there. So does a broken compaction to its commits. A broken commit is needed by all and ends the search.
 */
#include "delta/delta_int.h"

#include <stdlib.h>

enum { CHECKPOINT_TRIES = 8 };

bool delta_replay_is_seen(const struct delta_replay *replay, struct str key) {
    const struct delta_key *slot = delta_keyset_find(&replay->files, key);
    return slot && slot->round < replay->round;
}

/* The slot of a key that this round decides, or NULL if a newer commit did. What an earlier line of this round said is
 * forgotten. */
static struct delta_key *claim_key(struct delta_replay *replay, struct str key) {
    struct delta_key *slot = delta_keyset_put(&replay->files, key, replay->arena);
    if (slot->round && slot->round < replay->round) return NULL;
    if (slot->value != SIZE_MAX && slot->is_gone) replay->remains->tombstones[slot->value].raw = (struct str){0};
    if (slot->value != SIZE_MAX && !slot->is_gone) replay->snapshot->files[slot->value].path = (struct str){0};
    slot->round = replay->round;
    slot->value = SIZE_MAX;
    return slot;
}

void delta_replay_add(struct delta_replay *replay, const struct delta_file *file) {
    struct delta_snapshot *s = replay->snapshot;
    LIST_PUSH(replay->arena, s->files, s->file_count, replay->file_capacity) = *file;
}

static struct str copy_rest(struct delta_replay *replay, const struct json *body) {
    struct buf rest = {0};
    delta_add_print_rest(&rest, body);
    struct str copy = str_copy(replay->arena, buf_str(&rest));
    buf_free(&rest);
    return copy;
}

static const struct delta_vector *copy_vector(struct arena *arena, const struct delta_vector *vector) {
    struct delta_vector *copy = ARENA_NEW(arena, struct delta_vector);
    *copy = *vector;
    copy->storage_type = str_copy(arena, vector->storage_type);
    copy->path_or_inline = str_copy(arena, vector->path_or_inline);
    return copy;
}

static void take_add(struct delta_replay *replay, const struct delta_action *action) {
    struct delta_key *slot = claim_key(replay, action->key);
    if (!slot) return;
    slot->value = replay->snapshot->file_count;
    slot->is_gone = false;
    struct delta_file file = {
        .path = action->has_vector ? str_copy(replay->arena, action->path) : slot->text,
        .vector = action->has_vector ? copy_vector(replay->arena, &action->vector) : NULL,
        .size_bytes = action->size_bytes,
        .modified_ms = action->modified_ms,
        .stats = str_copy(replay->arena, action->stats),
        .raw = copy_rest(replay, action->body),
    };
    delta_replay_add(replay, &file);
}

static enum assay_code take_remove(struct delta_replay *replay, const struct delta_action *action,
                                   struct assay_error *err) {
    struct delta_key *slot = claim_key(replay, action->key);
    struct delta_remains *remains = replay->remains;
    if (!slot || !remains) return ASSAY_OK;
    struct delta_tombstone tombstone = {.raw = copy_rest(replay, action->body)};
    enum assay_code rc = json_get_int(action->body, "deletionTimestamp", &tombstone.deleted_ms, err);
    if (rc != ASSAY_OK && rc != ASSAY_NOT_FOUND) return rc;
    slot->value = remains->tombstone_count;
    slot->is_gone = true;
    LIST_PUSH(replay->arena, remains->tombstones, remains->tombstone_count, replay->tombstone_capacity) = tombstone;
    return ASSAY_OK;
}

static enum assay_code take_txn(struct delta_replay *replay, const struct json *body, struct assay_error *err) {
    struct delta_snapshot *s = replay->snapshot;
    struct delta_txn txn;
    TRY(delta_txn_parse(body, replay->arena, &txn, err));
    struct delta_key *slot = delta_keyset_put(&replay->apps, txn.app_id, replay->arena);
    if (slot->round) return ASSAY_OK;
    slot->round = replay->round;
    LIST_PUSH(replay->arena, s->txns, s->txn_count, replay->txn_capacity) = txn;
    return ASSAY_OK;
}

static enum assay_code take_domain(struct delta_replay *replay, const struct json *body, struct assay_error *err) {
    struct delta_snapshot *s = replay->snapshot;
    struct str name, configuration = {0};
    bool is_removed = false;
    enum assay_code rc = json_get_str(body, "domain", &name, err);
    if (rc == ASSAY_NOT_FOUND)
        return error_set(err, ASSAY_CORRUPT, NULL, "the action 'domainMetadata' has no 'domain'");
    if (rc == ASSAY_OK) rc = json_get_str(body, "configuration", &configuration, err);
    if (rc == ASSAY_OK || rc == ASSAY_NOT_FOUND) rc = json_get_bool(body, "removed", &is_removed, err);
    if (rc != ASSAY_OK && rc != ASSAY_NOT_FOUND) return rc;
    struct delta_key *slot = delta_keyset_put(&replay->domains, name, replay->arena);
    if (slot->round) return ASSAY_OK;
    slot->round = replay->round;
    if (!is_removed)
        LIST_PUSH(replay->arena, s->domains, s->domain_count, replay->domain_capacity) =
            (struct delta_domain){slot->text, str_copy(replay->arena, configuration)};
    return ASSAY_OK;
}

static void keep_body(struct delta_replay *replay, const struct json *body, struct str *out) {
    struct buf text = {0};
    json_print(&text, body);
    *out = str_copy(replay->arena, buf_str(&text));
    buf_free(&text);
}

static enum assay_code take_metadata(struct delta_replay *replay, const struct json *body, struct assay_error *err) {
    if (replay->has_metadata) return ASSAY_OK;
    replay->has_metadata = true;
    if (replay->remains) keep_body(replay, body, &replay->remains->metadata);
    return delta_metadata_parse(body, replay->where, replay->arena, &replay->snapshot->metadata, err);
}

static enum assay_code take_protocol(struct delta_replay *replay, const struct json *body, struct assay_error *err) {
    if (replay->has_protocol) return ASSAY_OK;
    replay->has_protocol = true;
    if (replay->remains) keep_body(replay, body, &replay->remains->protocol);
    return delta_protocol_parse(body, replay->where, replay->arena, &replay->snapshot->protocol, err);
}

static enum assay_code take_sidecar(struct delta_replay *replay, const struct json *body, struct assay_error *err) {
    if (!replay->is_checkpoint) return ASSAY_OK;
    struct str path = {0};
    enum assay_code rc = json_get_str(body, "path", &path, err);
    if (rc == ASSAY_NOT_FOUND) return error_set(err, ASSAY_CORRUPT, NULL, "the action 'sidecar' has no 'path'");
    TRY(rc);
    LIST_PUSH(replay->arena, replay->sidecars, replay->sidecar_count, replay->sidecar_capacity) =
        str_copy(replay->arena, path);
    return ASSAY_OK;
}

enum assay_code delta_replay_action(void *context, const struct delta_action *action, struct assay_error *err) {
    struct delta_replay *replay = context;
    switch (action->kind) {
    case DELTA_ACTION_ADD:
        take_add(replay, action);
        return ASSAY_OK;
    case DELTA_ACTION_REMOVE:
        return take_remove(replay, action, err);
    case DELTA_ACTION_METADATA:
        return take_metadata(replay, action->body, err);
    case DELTA_ACTION_PROTOCOL:
        return take_protocol(replay, action->body, err);
    case DELTA_ACTION_TXN:
        return take_txn(replay, action->body, err);
    case DELTA_ACTION_DOMAIN:
        return take_domain(replay, action->body, err);
    case DELTA_ACTION_SIDECAR:
        return take_sidecar(replay, action->body, err);
    case DELTA_ACTION_COMMIT_INFO:
    case DELTA_ACTION_OTHER:
        break;
    }
    return ASSAY_OK;
}

static enum assay_code read_json(struct delta_replay *replay, struct str key, struct assay_error *err) {
    struct arena bytes = {0};
    struct str text;
    const char *where = str_c(&bytes, key);
    replay->where = where;
    replay->round++;
    enum assay_code rc = store_get(replay->snapshot->store, key, &bytes, &text, err);
    if (rc == ASSAY_NOT_FOUND)
        rc = error_set(err, ASSAY_CORRUPT, where,
                       "the commit was in the listing and is gone; was the log cleaned up just now? Run again");
    if (rc == ASSAY_OK) rc = delta_actions_each(text, where, replay->folder, delta_replay_action, replay, err);
    replay->where = "";
    arena_reset(&bytes);
    return rc;
}

/* ---- finish ---- */

static enum assay_code read_partition_values(const struct delta_metadata *m, struct delta_file *file,
                                             struct arena *arena, struct assay_error *err) {
    file->partition_values = ARENA_ARRAY(arena, m->partition_column_count, struct str);
    for (size_t i = 0; i < m->partition_column_count; i++) {
        const struct delta_field *field = &m->schema.fields[delta_field_find(&m->schema, m->partition_columns[i])];
        struct str raw, value;
        if (!delta_stats_find(file->raw, "partitionValues", field->physical_name, &raw)) continue;
        if (!delta_stats_text(raw, arena, &value))
            return error_set(err, ASSAY_CORRUPT, file->path.ptr, "the value of the partition column '%.*s' is no text",
                             STR_ARG(field->name));
        if (value.len > 0) file->partition_values[i] = value;
    }
    return ASSAY_OK;
}

static int compare_files(const void *a, const void *b) {
    return str_cmp(((const struct delta_file *)a)->path, ((const struct delta_file *)b)->path);
}

static enum assay_code finish_files(struct delta_replay *replay, struct assay_error *err) {
    struct delta_snapshot *s = replay->snapshot;
    size_t live = 0;
    for (size_t i = 0; i < s->file_count; i++)
        if (s->files[i].path.len > 0) s->files[live++] = s->files[i];
    s->file_count = live;
    if (live) qsort(s->files, live, sizeof *s->files, compare_files);
    for (size_t i = 0; i < live; i++) {
        if (i > 0 && str_eq(s->files[i - 1].path, s->files[i].path))
            return error_set(err, ASSAY_CORRUPT, s->root.ptr,
                             "the log up to version %lld names the file '%.*s' twice; its rows would be doubled",
                             (long long)s->version, STR_ARG(s->files[i].path));
        s->files[i].row_count = delta_stats_int(s->files[i].stats, "numRecords", (struct str){0});
        if (s->metadata.partition_column_count)
            TRY(read_partition_values(&s->metadata, &s->files[i], replay->arena, err));
    }
    return ASSAY_OK;
}

static enum assay_code finish(struct delta_replay *replay, struct assay_error *err) {
    struct delta_snapshot *s = replay->snapshot;
    if (!replay->has_metadata || !replay->has_protocol)
        return error_set(err, ASSAY_CORRUPT, s->root.ptr, "the log up to version %lld has no %s action",
                         (long long)s->version, replay->has_metadata ? "protocol" : "metaData");
    enum assay_code rc = delta_protocol_readable(&s->protocol, &s->metadata, err);
    if (rc) error_prepend(err, "%.*s", STR_ARG(s->root));
    if (rc == ASSAY_OK) rc = finish_files(replay, err);
    if (rc == ASSAY_OK) rc = delta_in_commit_timestamp_load(s, err);
    return rc;
}

/* ---- the search for a way through the log ---- */

struct search {
    struct store *store;
    struct engine *engine;
    struct str root, folder;
    const struct delta_log *log;
    int64_t version;
    bool use_compactions;
    struct delta_remains *remains;
    struct arena *arena;
};

static const struct delta_compaction *find_compaction(const struct search *search, int64_t base, int64_t version) {
    return search->use_compactions ? delta_log_compaction(search->log, base, version) : NULL;
}

/* The first version after `base` without a commit. */
static int64_t find_gap(const struct delta_log *log, int64_t base) {
    int64_t expected = base + 1;
    for (size_t i = 0; i < log->commit_count && log->commits[i] <= expected; i++)
        if (log->commits[i] == expected) expected++;
    return expected;
}

/* OK if every version after `base` is there. */
static enum assay_code check_chain(const struct search *search, int64_t base, struct assay_error *err) {
    for (int64_t version = search->version; version > base;) {
        const struct delta_compaction *compaction = find_compaction(search, base, version);
        if (!compaction && !delta_log_has_commit(search->log, version))
            return error_set(
                err, ASSAY_CORRUPT, search->log->prefix.ptr,
                "the log has no %020lld.json, which version %lld needs; a commit is missing or was cleaned up",
                (long long)find_gap(search->log, base), (long long)search->version);
        version = compaction ? compaction->from - 1 : version - 1;
    }
    return ASSAY_OK;
}

/* One try: the commits after `checkpoint` (NULL: all from 0), newest first. */
static enum assay_code replay_log(struct delta_replay *replay, const struct search *search,
                                  const struct delta_checkpoint *checkpoint, struct assay_error *err) {
    int64_t base = checkpoint ? checkpoint->version : -1;
    TRY(check_chain(search, base, err));
    for (int64_t version = search->version; version > base;) {
        const struct delta_compaction *compaction = find_compaction(search, base, version);
        struct arena scratch = {0};
        struct str key = compaction ? compaction->key : delta_log_commit_key(&scratch, search->root, version);
        enum assay_code rc = read_json(replay, key, err);
        arena_reset(&scratch);
        TRY(rc);
        version = compaction ? compaction->from - 1 : version - 1;
    }
    if (checkpoint) {
        replay->is_checkpoint = true;
        replay->round++;
        TRY(delta_checkpoint_read(search->engine, search->store, checkpoint, replay, err));
    }
    return finish(replay, err);
}

static enum assay_code try_from(const struct search *search, const struct delta_checkpoint *checkpoint,
                                struct delta_snapshot **out, bool *is_checkpoint, struct assay_error *err) {
    struct delta_snapshot *snapshot = ARENA_NEW(search->arena, struct delta_snapshot);
    *snapshot = (struct delta_snapshot){.store = search->store,
                                        .engine = search->engine,
                                        .root = str_copy(search->arena, search->root),
                                        .version = search->version,
                                        .in_commit_timestamp_ms = -1};
    if (search->remains) *search->remains = (struct delta_remains){0};
    struct delta_replay replay = {.arena = search->arena,
                                  .snapshot = snapshot,
                                  .remains = search->remains,
                                  .folder = search->folder,
                                  .where = ""};
    enum assay_code rc = replay_log(&replay, search, checkpoint, err);
    delta_keyset_free(&replay.files);
    delta_keyset_free(&replay.apps);
    delta_keyset_free(&replay.domains);
    *is_checkpoint = replay.is_checkpoint;
    if (rc == ASSAY_OK) *out = snapshot;
    return rc;
}

/* By the newest checkpoints, then from 0. The error is that of the first try. */
static enum assay_code try_all(const struct search *search, struct delta_snapshot **out, struct assay_error *err) {
    struct assay_error first = {0};
    int tries = 0;
    for (size_t i = search->log->checkpoint_count; i-- > 0 && tries < CHECKPOINT_TRIES;) {
        if (search->log->checkpoints[i].version > search->version) continue;
        struct assay_error failure = {0};
        bool is_checkpoint;
        enum assay_code rc = try_from(search, &search->log->checkpoints[i], out, &is_checkpoint, &failure);
        if (rc == ASSAY_OK) return ASSAY_OK;
        if (tries++ == 0) first = failure;
        if (is_checkpoint && (rc == ASSAY_CORRUPT || rc == ASSAY_NOT_FOUND)) continue;
        if (err) *err = first;
        return first.code;
    }
    bool has_beginning = search->log->commit_count > 0 && search->log->commits[0] == 0;
    bool is_checkpoint;
    if (tries == 0 || has_beginning) {
        enum assay_code rc = try_from(search, NULL, out, &is_checkpoint, tries ? NULL : err);
        if (rc == ASSAY_OK || tries == 0) return rc;
    }
    if (err) *err = first;
    return first.code;
}

enum assay_code delta_replay_load(struct store *store, struct engine *engine, struct str root, int64_t version,
                                  struct arena *arena, struct delta_snapshot **out, struct delta_remains *remains,
                                  struct assay_error *err) {
    struct delta_log log;
    TRY(delta_log_list(store, root, arena, &log, err));
    int64_t newest = delta_log_newest(&log);
    if (newest < 0)
        return error_set(err, ASSAY_NOT_FOUND, log.prefix.ptr, "there is no Delta table here: the folder has no log");
    if (version == DELTA_LATEST) version = newest;
    if (version < 0 || version > newest)
        return error_set(err, ASSAY_NOT_FOUND, log.prefix.ptr, "the table has no version %lld; the newest is %lld",
                         (long long)version, (long long)newest);
    struct search search = {.store = store,
                            .engine = engine,
                            .root = root,
                            .log = &log,
                            .version = version,
                            .use_compactions = log.compaction_count > 0,
                            .remains = remains,
                            .arena = arena};
    if (store_local_path(store, root, arena, &search.folder, NULL) != ASSAY_OK)
        search.folder = (struct str){0}; /* only for absolute paths */
    enum assay_code rc = try_all(&search, out, err);
    if (rc != ASSAY_CORRUPT || !search.use_compactions) return rc;
    search.use_compactions = false;
    rc = try_all(&search, out, NULL);
    return rc == ASSAY_OK ? ASSAY_OK : ASSAY_CORRUPT;
}

enum assay_code delta_replay_checkpoint(struct store *store, struct engine *engine, struct str root,
                                        const struct delta_log *log, const struct delta_checkpoint *checkpoint,
                                        struct arena *arena, struct delta_snapshot **out, struct assay_error *err) {
    struct search search = {
        .store = store, .engine = engine, .root = root, .log = log, .version = checkpoint->version, .arena = arena};
    bool is_checkpoint;
    return try_from(&search, checkpoint, out, &is_checkpoint, err);
}

enum assay_code delta_snapshot_load(struct store *store, struct engine *engine, struct str root, int64_t version,
                                    struct arena *arena, struct delta_snapshot **out, struct assay_error *err) {
    return delta_replay_load(store, engine, root, version, arena, out, NULL, err);
}

const struct delta_txn *delta_txn_find(const struct delta_snapshot *s, struct str app_id) {
    for (size_t i = 0; i < s->txn_count; i++)
        if (str_eq(s->txns[i].app_id, app_id)) return &s->txns[i];
    return NULL;
}
