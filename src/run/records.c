/**
 * The memory of runs: the Delta table `assay.runs`, one row for each batch that was run under a contract.
 *
 * 1. The record is written after everything it tells of is durable. A run without a record is pending and is simply run
 * again.
 * 2. Only the last record of a batch (by end, then run id) counts.
 */
#include "run/run_int.h"

#include "base/json.h"
#include "base/limits.h"

enum { RECORDS_MAX = 1000000 };

static const struct type STRING = {.kind = TYPE_STRING}, BIGINT = {.kind = TYPE_BIGINT},
                         TIMESTAMP = {.kind = TYPE_TIMESTAMP};

/** The table's columns, in order. print_row fills them in this order. */
static const struct {
    const char *name;
    const struct type *type;
} columns[] = {
    {"run_id", &STRING},
    {"table_name", &STRING},
    {"contract_id", &STRING},
    {"contract_version", &STRING},
    {"contract_hash", &STRING},
    {"batch_id", &STRING},
    {"status", &STRING},
    {"gate", &STRING},
    {"message", &STRING},
    {"reader_settings", &STRING},
    {"files", &STRING},
    {"rules", &STRING},
    {"landed", &BIGINT},
    {"corrupt", &BIGINT},
    {"accepted", &BIGINT},
    {"superseded", &BIGINT},
    {"quarantined", &BIGINT},
    {"inserted", &BIGINT},
    {"updated", &BIGINT},
    {"unchanged", &BIGINT},
    {"left_behind", &BIGINT},
    {"bronze_version", &BIGINT},
    {"quarantine_version", &BIGINT},
    {"silver_version_before", &BIGINT},
    {"silver_version", &BIGINT},
    {"started_at", &TIMESTAMP},
    {"ended_at", &TIMESTAMP},
    {"engine", &STRING},
};
enum { COLUMN_COUNT = sizeof columns / sizeof columns[0] };

const char *run_status(const struct run_result *result) {
    return result->code == ASSAY_OK ? "done" : result->code == ASSAY_REFUSED ? "refused" : "failed";
}

const struct run_record *records_find(const struct run_record *records, size_t count, struct str batch_id) {
    for (size_t i = 0; i < count; i++)
        if (str_eq(records[i].batch_id, batch_id)) return &records[i];
    return NULL;
}

static enum assay_code query_records(struct session *session, const struct delta_snapshot *snapshot,
                                     const struct plan *plan, struct arena *arena, struct engine_result *out,
                                     struct assay_error *err) {
    struct buf sql = {0};
    buf_addz(&sql, "SELECT batch_id, status, gate, contract_hash, reader_settings, files, "
                   "last_value(files IGNORE NULLS) OVER (PARTITION BY batch_id ORDER BY ended_at, run_id ROWS BETWEEN "
                   "UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM ");
    enum assay_code rc = delta_scan_sql(snapshot, NULL, snapshot->file_count, false, arena, &sql, err);
    if (rc == ASSAY_OK) {
        buf_addz(&sql, " WHERE table_name = ");
        engine_sql_text(&sql, plan->table);
        buf_addz(&sql, " QUALIFY row_number() OVER (PARTITION BY batch_id ORDER BY ended_at DESC, run_id DESC) = 1 "
                       "ORDER BY batch_id");
        rc = engine_query(session->engine, buf_str(&sql), RECORDS_MAX, arena, out, err);
    }
    buf_free(&sql);
    return rc ? delta_read_failed(snapshot, rc, err) : ASSAY_OK;
}

enum assay_code records_load(struct session *session, const struct plan *plan, struct arena *arena,
                             struct run_record **out, size_t *count, struct assay_error *err) {
    struct delta_snapshot *snapshot;
    struct engine_result r = {0};
    *out = NULL;
    *count = 0;
    enum assay_code rc =
        delta_snapshot_load(session->store, session->engine, STR(RUNS_ROOT), DELTA_LATEST, arena, &snapshot, err);
    if (rc == ASSAY_NOT_FOUND) return ASSAY_OK;
    if (rc) return rc;
    TRY(query_records(session, snapshot, plan, arena, &r, err));
    *out = ARENA_ARRAY(arena, r.row_count, struct run_record);
    *count = r.row_count;
    for (size_t i = 0; i < r.row_count; i++)
        (*out)[i] = (struct run_record){engine_cell_at(&r, i, 0)->text, engine_cell_at(&r, i, 1)->text,
                                        engine_cell_at(&r, i, 2)->text, engine_cell_at(&r, i, 3)->text,
                                        engine_cell_at(&r, i, 4)->text, engine_cell_at(&r, i, 5)->text,
                                        engine_cell_at(&r, i, 6)->text};
    return ASSAY_OK;
}

static void print_rules(const struct run_result *r, struct buf *out) {
    struct json_writer w = {.out = out};
    json_begin_object(&w);
    for (size_t i = 0; i < r->silver.rule_count; i++) {
        json_key_str(&w, r->silver.rules[i].id);
        json_put_int(&w, r->silver.rules[i].count);
    }
    json_end_object(&w);
}

static void put_text(struct buf *sql, struct str text) {
    if (text.len == 0)
        buf_addz(sql, "NULL");
    else
        engine_sql_text(sql, text);
}

static void put_count(struct buf *sql, bool is_known, int64_t value) {
    if (is_known)
        buf_printf(sql, "%lld", (long long)value);
    else
        buf_addz(sql, "NULL");
}

/** The row as a SELECT without a table, values in the order of `columns`. */
static void print_row(const struct run_result *r, struct arena *arena, struct buf *sql) {
    const struct plan *p = r->plan;
    const struct silver_result *s = &r->silver;
    struct buf rules = {0};
    if (r->has_silver) print_rules(r, &rules);
    const struct str texts[] = {r->run_id,
                                p->table,
                                p->contract_id,
                                p->contract_version,
                                p->contract_hash,
                                r->batch_id,
                                str_of(run_status(r)),
                                r->gate,
                                str_of(r->err.message),
                                p->reader_settings,
                                r->has_batch ? record_files(&r->batch, arena) : (struct str){0},
                                buf_str(&rules)};
    const bool is_counted = r->has_silver && s->was_counted, is_merged = is_counted && r->code == ASSAY_OK;
    const struct {
        bool is_known;
        int64_t value;
    } counts[] = {{is_counted || r->has_bronze, is_counted ? s->landed : r->bronze.row_count},
                  {is_counted || r->has_bronze, is_counted ? s->corrupt : r->bronze.corrupt_count},
                  {is_counted, s->accepted},
                  {is_counted, s->superseded},
                  {is_counted, s->quarantined},
                  {is_merged, s->inserted},
                  {is_merged, s->updated},
                  {is_merged, s->unchanged},
                  {is_merged, s->left_behind},
                  {r->has_bronze, r->bronze.version},
                  {is_counted && s->quarantine_version >= 0, s->quarantine_version},
                  {is_merged && s->version_before >= 0, s->version_before},
                  {is_merged, s->version}};
    buf_addz(sql, "SELECT ");
    size_t at = 0;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        put_text(sql, texts[i]);
        buf_printf(sql, "::VARCHAR AS %s, ", columns[at++].name);
    }
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        put_count(sql, counts[i].is_known, counts[i].value);
        buf_printf(sql, "::BIGINT AS %s, ", columns[at++].name);
    }
    buf_printf(sql, "make_timestamptz(%lld) AS started_at, make_timestamptz(%lld) AS ended_at, 'embedded' AS engine",
               (long long)r->started_us, (long long)r->ended_us);
    buf_free(&rules);
}

static struct delta_metadata *runs_metadata(struct arena *arena) {
    struct delta_metadata *m = ARENA_NEW(arena, struct delta_metadata);
    m->description = STR("One row for each batch that was run under a contract.");
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        delta_field_add(m, arena, str_of(columns[i].name), *columns[i].type, true, (struct str){0});
    return m;
}

static enum assay_code add_once(struct session *session, struct str select, const struct run_result *result,
                                struct arena *arena, struct assay_error *err) {
    struct delta_snapshot *snapshot = NULL;
    struct delta_new_files files;
    int64_t version;
    enum assay_code rc =
        delta_snapshot_load(session->store, session->engine, STR(RUNS_ROOT), DELTA_LATEST, arena, &snapshot, err);
    if (rc && rc != ASSAY_NOT_FOUND) return rc;
    if (rc == ASSAY_NOT_FOUND) snapshot = NULL;
    const struct delta_metadata *metadata = snapshot ? &snapshot->metadata : runs_metadata(arena);
    TRY(delta_write_files(session->engine, session->staging, metadata, select, &(struct engine_write_options){0}, arena,
                          &files, err));
    struct delta_commit commit = {
        .base = snapshot,
        .metadata = snapshot ? NULL : metadata,
        .adds = files.files,
        .add_count = files.count,
        .scope = DELTA_READ_NOTHING,
        .operation = "WRITE",
        .parameters = STR("{\"mode\":\"Append\",\"partitionBy\":\"[]\"}"),
        .user_metadata = run_user_metadata(result, arena),
    };
    return delta_commit(session->store, session->engine, STR(RUNS_ROOT), &commit, &version, err);
}

enum assay_code records_add(struct session *session, const struct run_result *result, struct arena *arena,
                            struct assay_error *err) {
    struct buf select = {0};
    enum assay_code rc = ASSAY_CONFLICT;
    print_row(result, arena, &select);
    for (int i = 0; i < LIMIT_REDO && rc == ASSAY_CONFLICT; i++)
        rc = add_once(session, buf_str(&select), result, arena, err);
    buf_free(&select);
    return rc;
}
