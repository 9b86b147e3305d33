/*
 * Writing a checkpoint: the state of one version as one Parquet file (protocol: "Checkpoints", "V1 Spec", "Checkpoint
 * Schema").
 *
 * 1. It holds the protocol, the metadata, every txn, domain and file that stands, and the tombstones that VACUUM still
 * needs (delta.deletedFileRetentionDuration); of txns only those with delta.setTransactionRetentionDuration still to
 * run, if the table has that. A duration that is not understood keeps all.
 * 2. What it says of a file is what its add said, member by member; only dataChange is false, as in any state. `stats`
 * stay JSON text. A deletion vector of empty strings, as some writers have it, is none, which is NULL.
 * 3. A table with a feature that is not known is refused: what that feature keeps in the log would be lost.
 * 4. The file gets its name when it is whole and its rows were counted in it again; a name that is taken stays as it
 * is.
 * `_last_checkpoint` comes after it.
 * 5. Columns are those of Spark's checkpoints, all optional, in encodings of Parquet's first version, which every
 * reader knows.
 */
#include "delta/delta_int.h"

#include "base/limits.h"
#include "base/time.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { DEFAULT_INTERVAL = 10 };
static const int64_t WEEK_MS = 7 * 86400000LL;

/* ---- the state as lines of JSON, one action a line ---- */

enum phase { PROTOCOL, METADATA, TXNS, DOMAINS, TOMBSTONES, FILES, END };

struct lines {
    const struct delta_snapshot *snapshot;
    const struct delta_remains *remains;
    int64_t tombstones_since_ms, txns_since_ms;
    enum phase phase;
    size_t at; /* in the list of the phase */
    int64_t action_count;
};

static size_t count_of(const struct lines *lines) {
    switch (lines->phase) {
    case PROTOCOL:
    case METADATA:
        return 1;
    case TXNS:
        return lines->snapshot->txn_count;
    case DOMAINS:
        return lines->snapshot->domain_count;
    case TOMBSTONES:
        return lines->remains->tombstone_count;
    case FILES:
        return lines->snapshot->file_count;
    case END:
        break;
    }
    return 0;
}

static void put_txn(struct json_writer *w, const struct delta_txn *txn) {
    json_key(w, "txn");
    json_begin_object(w);
    json_key(w, "appId"), json_put_str(w, txn->app_id);
    json_key(w, "version"), json_put_int(w, txn->version);
    if (txn->last_updated_ms >= 0) json_key(w, "lastUpdated"), json_put_int(w, txn->last_updated_ms);
    json_end_object(w);
}

static void put_domain(struct json_writer *w, const struct delta_domain *domain) {
    json_key(w, "domainMetadata");
    json_begin_object(w);
    json_key(w, "domain"), json_put_str(w, domain->name);
    json_key(w, "configuration"), json_put_str(w, domain->configuration);
    json_key(w, "removed"), json_put_bool(w, false);
    json_end_object(w);
}

static void put_file(struct json_writer *w, const struct delta_file *file) {
    json_key(w, "add"), json_put_raw(w, file->raw);
    if (file->stats.len) json_key(w, "stats"), json_put_str(w, file->stats);
}

/* One action; false if it is not to be kept. */
static bool print_action(const struct lines *lines, struct buf *line) {
    struct json_writer w = {.out = line};
    size_t at = lines->at;
    json_begin_object(&w);
    switch (lines->phase) {
    case PROTOCOL:
        json_key(&w, "protocol"), json_put_raw(&w, lines->remains->protocol);
        break;
    case METADATA:
        json_key(&w, "metaData"), json_put_raw(&w, lines->remains->metadata);
        break;
    case TXNS:
        if (lines->snapshot->txns[at].last_updated_ms < lines->txns_since_ms) return false;
        put_txn(&w, &lines->snapshot->txns[at]);
        break;
    case DOMAINS:
        put_domain(&w, &lines->snapshot->domains[at]);
        break;
    case TOMBSTONES: {
        const struct delta_tombstone *tombstone = &lines->remains->tombstones[at];
        if (tombstone->raw.len == 0 || tombstone->deleted_ms <= lines->tombstones_since_ms) return false;
        json_key(&w, "remove"), json_put_raw(&w, tombstone->raw);
        break;
    }
    case FILES:
        put_file(&w, &lines->snapshot->files[at]);
        break;
    case END:
        return false;
    }
    json_end_object(&w);
    return true;
}

static enum assay_code fill_lines(void *source, void *worker, struct engine_sink *sink, struct assay_error *err) {
    struct lines *lines = source;
    struct buf line = {0};
    (void)worker, (void)err;
    while (sink->row_count < sink->capacity && lines->phase != END) {
        if (lines->at >= count_of(lines)) {
            lines->phase++;
            lines->at = 0;
            continue;
        }
        buf_clear(&line);
        if (print_action(lines, &line)) engine_sink_text(sink, 0, sink->row_count++, buf_str(&line));
        lines->at++;
    }
    lines->action_count += (int64_t)sink->row_count;
    buf_free(&line);
    return ASSAY_OK;
}

/* ---- from the lines to Parquet ---- */

#define MAP_TYPE "\"MAP(VARCHAR, VARCHAR)\""
#define VECTOR_TYPE                                                                                                    \
    "\"deletionVector\":{\"storageType\":\"VARCHAR\",\"pathOrInlineDv\":\"VARCHAR\",\"offset\":\"INTEGER\","           \
    "\"sizeInBytes\":\"INTEGER\",\"cardinality\":\"BIGINT\"},"
#define ROW_TRACKING_TYPE "\"baseRowId\":\"BIGINT\",\"defaultRowCommitVersion\":\"BIGINT\""
/* In a file's members dataChange is absent, so that it can be put in its place. */
static const char SHAPE[] =
    "{\"txn\":{\"appId\":\"VARCHAR\",\"version\":\"BIGINT\",\"lastUpdated\":\"BIGINT\"},"
    "\"add\":{\"path\":\"VARCHAR\",\"partitionValues\":" MAP_TYPE
    ",\"size\":\"BIGINT\",\"modificationTime\":\"BIGINT\","
    "\"tags\":" MAP_TYPE "," VECTOR_TYPE ROW_TRACKING_TYPE ",\"clusteringProvider\":\"VARCHAR\"},"
    "\"stats\":\"VARCHAR\","
    "\"remove\":{\"path\":\"VARCHAR\",\"deletionTimestamp\":\"BIGINT\",\"extendedFileMetadata\":\"BOOLEAN\","
    "\"partitionValues\":" MAP_TYPE ",\"size\":\"BIGINT\"," VECTOR_TYPE ROW_TRACKING_TYPE "},"
    "\"metaData\":{\"id\":\"VARCHAR\",\"name\":\"VARCHAR\",\"description\":\"VARCHAR\","
    "\"format\":{\"provider\":\"VARCHAR\",\"options\":" MAP_TYPE "},\"schemaString\":\"VARCHAR\","
    "\"partitionColumns\":[\"VARCHAR\"],\"configuration\":" MAP_TYPE ",\"createdTime\":\"BIGINT\"},"
    "\"protocol\":{\"minReaderVersion\":\"INTEGER\",\"minWriterVersion\":\"INTEGER\","
    "\"readerFeatures\":[\"VARCHAR\"],\"writerFeatures\":[\"VARCHAR\"]},"
    "\"domainMetadata\":{\"domain\":\"VARCHAR\",\"configuration\":\"VARCHAR\",\"removed\":\"BOOLEAN\"}}";

static const char SELECT_SQL[] =
    "SELECT a.txn AS txn, CASE WHEN a.\"add\" IS NOT NULL THEN {path: a.\"add\".path, "
    "\"partitionValues\": a.\"add\".\"partitionValues\", size: a.\"add\".size, "
    "\"modificationTime\": a.\"add\".\"modificationTime\", \"dataChange\": FALSE, tags: a.\"add\".tags, "
    "\"deletionVector\": CASE WHEN a.\"add\".\"deletionVector\".\"storageType\" <> '' THEN "
    "a.\"add\".\"deletionVector\" END, \"baseRowId\": a.\"add\".\"baseRowId\", "
    "\"defaultRowCommitVersion\": a.\"add\".\"defaultRowCommitVersion\", "
    "\"clusteringProvider\": a.\"add\".\"clusteringProvider\", stats: a.stats} END AS \"add\", "
    "CASE WHEN a.\"remove\" IS NOT NULL THEN {path: a.\"remove\".path, "
    "\"deletionTimestamp\": a.\"remove\".\"deletionTimestamp\", \"dataChange\": FALSE, "
    "\"extendedFileMetadata\": a.\"remove\".\"extendedFileMetadata\", "
    "\"partitionValues\": a.\"remove\".\"partitionValues\", size: a.\"remove\".size, "
    "\"deletionVector\": CASE WHEN a.\"remove\".\"deletionVector\".\"storageType\" <> '' THEN "
    "a.\"remove\".\"deletionVector\" END, \"baseRowId\": a.\"remove\".\"baseRowId\", "
    "\"defaultRowCommitVersion\": a.\"remove\".\"defaultRowCommitVersion\"} END AS \"remove\", "
    "a.\"metaData\" AS \"metaData\", a.protocol AS protocol, a.\"domainMetadata\" AS \"domainMetadata\"";

static enum assay_code write_parquet(struct engine *engine, struct lines *lines, struct str path,
                                     struct assay_error *err) {
    static atomic_uint number;
    static const struct str COLUMN = {"line", 4};
    static const char *const TYPE = "VARCHAR";
    struct engine_source source = {.source = lines,
                                   .column_count = 1,
                                   .column_names = &COLUMN,
                                   .column_types = &TYPE,
                                   .workers_max = 1,
                                   .fill = fill_lines};
    struct arena scratch = {0};
    struct buf sql = {0};
    struct str name = str_printf(&scratch, "delta_checkpoint_%u", atomic_fetch_add(&number, 1));
    enum assay_code rc = engine_add_source(engine, name, &source, err);
    buf_printf(&sql, "COPY (%s FROM (SELECT from_json(line, ", SELECT_SQL);
    engine_sql_text(&sql, str_of(SHAPE));
    buf_printf(&sql, ") AS a FROM %.*s())) TO ", STR_ARG(name));
    engine_sql_text(&sql, path);
    buf_addz(&sql, " (FORMAT parquet, PARQUET_VERSION V1, COMPRESSION snappy)");
    if (rc == ASSAY_OK) rc = engine_run(engine, buf_str(&sql), err);
    buf_free(&sql);
    arena_reset(&scratch);
    return rc;
}

/* The file says again how many actions and files it has. */
static enum assay_code check_parquet(struct engine *engine, struct str path, const struct lines *lines,
                                     struct assay_error *err) {
    struct arena scratch = {0};
    struct buf sql = {0};
    struct engine_result counts;
    buf_addz(&sql, "SELECT count(*), count(\"add\".path), count(\"metaData\".\"schemaString\"), "
                   "count(protocol.\"minReaderVersion\"), "
                   "count(*) FILTER (\"remove\".path IS NOT NULL OR txn.\"appId\" IS NOT NULL OR "
                   "\"domainMetadata\".domain IS NOT NULL) FROM ");
    engine_sql_parquet(&sql, &path, 1, "");
    enum assay_code rc = engine_query(engine, buf_str(&sql), 1, &scratch, &counts, err);
    buf_free(&sql);
    int64_t files = (int64_t)lines->snapshot->file_count, all = lines->action_count;
    const int64_t expected[] = {all, files, 1, 1, all - files - 2};
    for (size_t i = 0; rc == ASSAY_OK && i < sizeof expected / sizeof expected[0]; i++)
        if (engine_cell_int(&counts.cells[i], -1) != expected[i])
            rc = error_set(err, ASSAY_INTERNAL, NULL,
                           "the checkpoint was written wrongly (count %zu is %.*s, expected %lld) and not kept", i,
                           STR_ARG(counts.cells[i].text), (long long)expected[i]);
    arena_reset(&scratch);
    return rc;
}

/* ---- the whole ---- */

static int64_t since_ms(int64_t now_ms, int64_t interval_ms) {
    return interval_ms < 0 ? INT64_MIN : now_ms - interval_ms;
}

static struct lines begin_lines(const struct delta_snapshot *snapshot, const struct delta_remains *remains) {
    const struct delta_metadata *m = &snapshot->metadata;
    int64_t now_ms = time_now_us() / 1000;
    int64_t deleted_ms = delta_interval_property(m, STR("delta.deletedFileRetentionDuration"), WEEK_MS);
    int64_t txn_ms = delta_interval_property(m, STR("delta.setTransactionRetentionDuration"), -1);
    return (struct lines){.snapshot = snapshot,
                          .remains = remains,
                          .tombstones_since_ms = since_ms(now_ms, deleted_ms),
                          .txns_since_ms = since_ms(now_ms, txn_ms)};
}

static enum assay_code publish(struct store *store, struct engine *engine, struct staging *staging, struct lines *lines,
                               struct str key, struct arena *arena, struct delta_checkpoint_report *out,
                               struct assay_error *err) {
    struct str path = staging_path(staging, arena, STR("checkpoint.parquet"));
    struct store_entry entry;
    TRY(write_parquet(engine, lines, path, err));
    TRY(check_parquet(engine, path, lines, err));
    enum assay_code rc = store_publish(store, path, key, err);
    out->is_new = rc == ASSAY_OK;
    if (rc != ASSAY_OK && rc != ASSAY_EXISTS) return rc;
    TRY(store_stat(store, key, &entry, err));
    out->size_bytes = entry.size_bytes;
    out->action_count = lines->action_count;
    return ASSAY_OK;
}

static enum assay_code write_checkpoint(struct store *store, struct engine *engine, struct staging *staging,
                                        struct str root, int64_t version, struct arena *arena,
                                        struct delta_snapshot **snapshot, struct delta_checkpoint_report *out,
                                        struct assay_error *err) {
    struct delta_remains remains = {0};
    TRY(delta_replay_load(store, engine, root, version, arena, snapshot, &remains, err));
    TRY(delta_protocol_known(&(*snapshot)->protocol, err));
    struct str key = str_path(
        arena, root, str_printf(arena, "_delta_log/%020lld.checkpoint.parquet", (long long)(*snapshot)->version));
    struct store_entry entry;
    struct lines lines = begin_lines(*snapshot, &remains);
    *out = (struct delta_checkpoint_report){.version = (*snapshot)->version,
                                            .file_count = (int64_t)(*snapshot)->file_count};
    if (store_stat(store, key, &entry, NULL) == ASSAY_OK) {
        out->size_bytes = entry.size_bytes;
        return ASSAY_OK;
    }
    TRY(publish(store, engine, staging, &lines, key, arena, out, err));
    return out->is_new ? delta_last_checkpoint_put(store, root, out, err) : ASSAY_OK;
}

enum assay_code delta_checkpoint(struct store *store, struct engine *engine, struct staging *staging, struct str root,
                                 int64_t version, struct delta_checkpoint_report *out, struct assay_error *err) {
    struct arena arena = {0};
    struct delta_snapshot *snapshot;
    enum assay_code rc = write_checkpoint(store, engine, staging, root, version, &arena, &snapshot, out, err);
    if (rc == ASSAY_OK) rc = delta_log_cleanup(engine, snapshot, &out->removed_count, err);
    if (rc) error_prepend(err, "%.*s", STR_ARG(root));
    arena_reset(&arena);
    return rc;
}

bool delta_checkpoint_is_due(const struct delta_metadata *metadata, int64_t version) {
    int64_t interval;
    struct str text = delta_property_get(metadata, STR("delta.checkpointInterval"));
    if (str_int64(text, &interval) != ASSAY_OK || interval < 1) interval = DEFAULT_INTERVAL;
    return version > 0 && version % interval == 0;
}
