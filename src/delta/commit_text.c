/*
 * The text of a commit file (protocol: "Actions"; commitInfo as Spark 3.2 writes it).
 *
 * 1. commitInfo comes first, then metaData, protocol, txn, remove, add, cdc; one action per line.
 * 2. Nothing in it depends on the version it gets, so a rebased commit is the same text; but for in-commit timestamps,
 * of which each is later than the one of the version before.
 * 3. A remove carries what its add said: the path as it was written there, the deletion vector, partition values, size,
 * tags, row tracking, stats.
 * 4. The txnId is random and is how a writer knows its own commit when it reads one back.
 */
#include "delta/delta_int.h"

#include "base/hash.h"
#include "base/time.h"

static void put_metrics(struct json_writer *w, const struct delta_commit *commit) {
    json_key(w, "operationMetrics");
    json_begin_object(w);
    for (size_t i = 0; i < commit->metric_count; i++) {
        json_key_str(w, commit->metrics[i].name);
        json_put_str(w, commit->metrics[i].value);
    }
    json_end_object(w);
}

static void put_commit_info(struct json_writer *w, const struct delta_attempt *attempt, int64_t now_ms) {
    const struct delta_commit *commit = attempt->commit;
    bool is_blind =
        commit->scope == DELTA_READ_NOTHING && commit->remove_count == 0 && !(commit->base && commit->metadata);
    json_begin_object(w);
    if (attempt->has_time) json_key(w, "inCommitTimestamp"), json_put_int(w, attempt->time_ms);
    json_key(w, "timestamp"), json_put_int(w, now_ms);
    json_key(w, "operation"), json_put_str(w, str_of(commit->operation));
    json_key(w, "operationParameters"), json_put_raw(w, commit->parameters.len ? commit->parameters : STR("{}"));
    if (commit->base) json_key(w, "readVersion"), json_put_int(w, commit->base->version);
    json_key(w, "isolationLevel"),
        json_put_str(w, commit->is_rearranged ? STR("SnapshotIsolation") : STR("Serializable"));
    json_key(w, "isBlindAppend"), json_put_bool(w, is_blind);
    put_metrics(w, commit);
    if (commit->user_metadata.len) json_key(w, "userMetadata"), json_put_str(w, commit->user_metadata);
    json_key(w, "engineInfo"), json_put_str(w, STR("assay/" ASSAY_VERSION));
    json_key(w, "txnId"), json_put_str(w, attempt->txn_id);
    json_end_object(w);
}

/* Members of the add, as the table has it, that its remove must carry. */
static enum assay_code put_remove(struct json_writer *w, const struct delta_file *file,
                                  const struct delta_commit *commit, int64_t now_ms, struct assay_error *err) {
    static const char *const CARRIED[] = {"partitionValues", "size",      "tags",
                                          "deletionVector",  "baseRowId", "defaultRowCommitVersion"};
    struct json *add = NULL;
    TRY(json_parse(file->raw, "add", &add, err));
    json_begin_object(w);
    json_key(w, "path"), json_put_str(w, json_str(json_member(add, "path")));
    json_key(w, "deletionTimestamp"), json_put_int(w, now_ms);
    json_key(w, "dataChange"), json_put_bool(w, !commit->is_rearranged);
    json_key(w, "extendedFileMetadata"), json_put_bool(w, true);
    for (size_t i = 0; i < sizeof CARRIED / sizeof CARRIED[0]; i++) {
        const struct json *value = json_member(add, CARRIED[i]);
        if (json_kind_of(value) == JSON_KIND_NULL) continue;
        struct buf text = {0};
        json_print(&text, value);
        json_key(w, CARRIED[i]), json_put_raw(w, buf_str(&text));
        buf_free(&text);
    }
    if (file->stats.len) json_key(w, "stats"), json_put_str(w, file->stats);
    json_end_object(w);
    json_close(&add);
    return ASSAY_OK;
}

/* By their names in files. */
static void put_partition_values(struct json_writer *w, const struct delta_metadata *m, const struct str *values) {
    json_key(w, "partitionValues");
    json_begin_object(w);
    for (size_t i = 0; i < m->partition_column_count; i++) {
        size_t field = delta_field_find(&m->schema, m->partition_columns[i]);
        json_key_str(w, m->schema.fields[field].physical_name);
        if (values[i].ptr)
            json_put_str(w, values[i]);
        else
            json_put_null(w);
    }
    json_end_object(w);
}

static void put_add(struct json_writer *w, const struct delta_attempt *attempt, size_t i,
                    const struct delta_metadata *metadata, const bool *stats_columns, int64_t now_ms) {
    const struct delta_new_file *new_file = &attempt->commit->adds[i];
    json_begin_object(w);
    json_key(w, "path"), json_put_str(w, delta_publish_path(attempt, attempt->add_keys[i]));
    put_partition_values(w, metadata, new_file->partition_values);
    json_key(w, "size"), json_put_int(w, new_file->file.size_bytes);
    json_key(w, "modificationTime"), json_put_int(w, now_ms);
    json_key(w, "dataChange"), json_put_bool(w, !attempt->commit->is_rearranged);
    json_key(w, "stats"), json_put_str(w, delta_stats_make(metadata, stats_columns, &new_file->file, attempt->arena));
    json_end_object(w);
}

static void put_change(struct json_writer *w, const struct delta_attempt *attempt, size_t i,
                       const struct delta_metadata *metadata) {
    const struct delta_new_file *new_file = &attempt->commit->changes[i];
    json_begin_object(w);
    json_key(w, "path"), json_put_str(w, delta_publish_path(attempt, attempt->change_keys[i]));
    put_partition_values(w, metadata, new_file->partition_values);
    json_key(w, "size"), json_put_int(w, new_file->file.size_bytes);
    json_key(w, "dataChange"), json_put_bool(w, false);
    json_end_object(w);
}

/* The add as its own version had it; Spark's RESTORE writes it as a change of data. */
static enum assay_code put_restored(struct json_writer *w, const struct delta_file *file, struct assay_error *err) {
    struct json *add = NULL;
    struct str key;
    const struct json *value;
    TRY(json_parse(file->raw, "add", &add, err));
    json_begin_object(w);
    for (size_t i = 0; json_member_at(add, i, &key, &value); i++) {
        struct buf text = {0};
        json_print(&text, value);
        json_key_str(w, key);
        json_put_raw(w, str_eq(key, STR("dataChange")) ? STR("true") : buf_str(&text));
        buf_free(&text);
    }
    if (json_kind_of(json_member(add, "dataChange")) == JSON_KIND_NULL)
        json_key(w, "dataChange"), json_put_bool(w, true);
    if (file->stats.len) json_key(w, "stats"), json_put_str(w, file->stats);
    json_end_object(w);
    json_close(&add);
    return ASSAY_OK;
}

static void put_txn(struct json_writer *w, const struct delta_txn *txn, int64_t now_ms) {
    json_begin_object(w);
    json_key(w, "appId"), json_put_str(w, txn->app_id);
    json_key(w, "version"), json_put_int(w, txn->version);
    json_key(w, "lastUpdated"), json_put_int(w, txn->last_updated_ms > 0 ? txn->last_updated_ms : now_ms);
    json_end_object(w);
}

static struct json_writer begin_line(struct buf *text, const char *action) {
    struct json_writer w = {.out = text};
    json_begin_object(&w);
    json_key(&w, action);
    return w;
}

static void end_line(struct json_writer *w) {
    json_end_object(w);
    buf_addc(w->out, '\n');
}

static void put_metadata(struct buf *text, const struct delta_attempt *attempt, int64_t now_ms) {
    const struct delta_commit *commit = attempt->commit;
    struct delta_metadata metadata = *delta_metadata_copy(commit->metadata, attempt->arena);
    if (attempt->has_time)
        delta_in_commit_timestamp_enable(&metadata, commit->base, attempt->version, attempt->time_ms, attempt->arena);
    if (metadata.id.len == 0) metadata.id = commit->base ? commit->base->metadata.id : hash_uuid(attempt->arena);
    if (metadata.created_ms == 0) metadata.created_ms = commit->base ? commit->base->metadata.created_ms : now_ms;
    struct json_writer w = begin_line(text, "metaData");
    delta_metadata_print(&w, &metadata);
    end_line(&w);
    struct delta_protocol protocol;
    if (!delta_protocol_derive(commit->base ? &commit->base->protocol : NULL, &metadata, attempt->arena, &protocol))
        return;
    w = begin_line(text, "protocol");
    delta_protocol_print(&w, &protocol);
    end_line(&w);
}

static void put_new_files(struct buf *text, const struct delta_attempt *attempt, int64_t now_ms) {
    const struct delta_commit *commit = attempt->commit;
    const struct delta_metadata *metadata = commit->metadata ? commit->metadata : &commit->base->metadata;
    const bool *stats_columns = delta_stats_columns(metadata, commit->base, attempt->arena);
    for (size_t i = 0; i < commit->add_count; i++) {
        if (commit->adds[i].file.row_count == 0) continue;
        struct json_writer w = begin_line(text, "add");
        put_add(&w, attempt, i, metadata, stats_columns, now_ms);
        end_line(&w);
    }
    for (size_t i = 0; i < commit->change_count; i++) {
        if (commit->changes[i].file.row_count == 0) continue;
        struct json_writer w = begin_line(text, "cdc");
        put_change(&w, attempt, i, metadata);
        end_line(&w);
    }
}

static enum assay_code put_actions(struct buf *text, const struct delta_attempt *attempt, int64_t now_ms,
                                   struct assay_error *err) {
    const struct delta_commit *commit = attempt->commit;
    struct json_writer w = begin_line(text, "commitInfo");
    put_commit_info(&w, attempt, now_ms);
    end_line(&w);
    if (commit->metadata) put_metadata(text, attempt, now_ms);
    for (size_t i = 0; i < commit->txn_count; i++) {
        w = begin_line(text, "txn");
        put_txn(&w, &commit->txns[i], now_ms);
        end_line(&w);
    }
    for (size_t i = 0; i < commit->remove_count; i++) {
        w = begin_line(text, "remove");
        TRY(put_remove(&w, &commit->base->files[commit->removes[i]], commit, now_ms, err));
        end_line(&w);
    }
    for (size_t i = 0; i < commit->restored_count; i++) {
        w = begin_line(text, "add");
        TRY(put_restored(&w, &commit->restored_of->files[commit->restored[i]], err));
        end_line(&w);
    }
    put_new_files(text, attempt, now_ms);
    return ASSAY_OK;
}

enum assay_code delta_commit_text(struct delta_attempt *attempt, struct assay_error *err) {
    struct buf text = {0};
    enum assay_code rc = put_actions(&text, attempt, time_now_us() / 1000, err);
    if (rc == ASSAY_OK) attempt->text = str_copy(attempt->arena, buf_str(&text));
    buf_free(&text);
    return rc;
}
