/**
 * The memory of runs: the Delta table `assay.runs`, one row for each batch that was run under a contract.
 *
 * 1. The record is written after everything it tells of is durable. A run without a record is pending and is simply run
 * again.
 * 2. Only the last record of a batch (by end, then run id) counts.
 */
#include "run/run_int.h"

#include "base/json.h"

enum { RECORDS_MAX = 1000000 };

/** The table's columns, in order. print_row fills them in this order. */
static const struct memory_column columns[] = {
    {"run_id", TYPE_STRING},
    {"table_name", TYPE_STRING},
    {"contract_id", TYPE_STRING},
    {"contract_version", TYPE_STRING},
    {"contract_hash", TYPE_STRING},
    {"batch_id", TYPE_STRING},
    {"status", TYPE_STRING},
    {"gate", TYPE_STRING},
    {"message", TYPE_STRING},
    {"reader_settings", TYPE_STRING},
    {"files", TYPE_STRING},
    {"rules", TYPE_STRING},
    {"landed", TYPE_BIGINT},
    {"corrupt", TYPE_BIGINT},
    {"accepted", TYPE_BIGINT},
    {"superseded", TYPE_BIGINT},
    {"quarantined", TYPE_BIGINT},
    {"inserted", TYPE_BIGINT},
    {"updated", TYPE_BIGINT},
    {"unchanged", TYPE_BIGINT},
    {"left_behind", TYPE_BIGINT},
    {"bronze_version", TYPE_BIGINT},
    {"quarantine_version", TYPE_BIGINT},
    {"silver_version_before", TYPE_BIGINT},
    {"silver_version", TYPE_BIGINT},
    {"started_at", TYPE_TIMESTAMP},
    {"ended_at", TYPE_TIMESTAMP},
    {"engine", TYPE_STRING},
    {"manifest_hash", TYPE_STRING},
    {"accepted_because", TYPE_STRING},
    {"overruled", TYPE_STRING},
    {"reference_versions", TYPE_STRING},
    {"bronze_seconds", TYPE_DOUBLE},
    {"silver_seconds", TYPE_DOUBLE},
};
enum { COLUMN_COUNT = sizeof columns / sizeof columns[0] };

const char *run_status(const struct run_result *result) {
    if (result->is_started) return "started";
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

enum assay_code records_history(struct session *session, const struct plan *plan, struct str batch_id, int64_t most,
                                struct arena *arena, int64_t **out, size_t *count, struct assay_error *err) {
    struct delta_snapshot *snapshot;
    struct engine_result r = {0};
    struct buf sql = {0};
    *out = NULL;
    *count = 0;
    enum assay_code rc =
        delta_snapshot_load(session->store, session->engine, STR(RUNS_ROOT), DELTA_LATEST, arena, &snapshot, err);
    if (rc) return rc == ASSAY_NOT_FOUND ? ASSAY_OK : rc;
    buf_addz(&sql, "SELECT landed FROM (SELECT * FROM ");
    rc = delta_scan_sql(snapshot, NULL, snapshot->file_count, false, arena, &sql, err);
    buf_addz(&sql, " WHERE table_name = ");
    engine_sql_text(&sql, plan->table);
    buf_addz(&sql, " AND batch_id <> ");
    engine_sql_text(&sql, batch_id);
    buf_addz(&sql, " QUALIFY row_number() OVER (PARTITION BY batch_id ORDER BY ended_at DESC, run_id DESC) = 1) "
                   "WHERE status = 'done' AND landed IS NOT NULL ORDER BY ended_at DESC, run_id DESC");
    buf_printf(&sql, " LIMIT %lld", (long long)most);
    if (rc == ASSAY_OK) rc = engine_query(session->engine, buf_str(&sql), (size_t)most, arena, &r, err);
    buf_free(&sql);
    *out = ARENA_ARRAY(arena, r.row_count, int64_t);
    for (size_t i = 0; i < r.row_count; i++) (*out)[(*count)++] = engine_cell_int(engine_cell_at(&r, i, 0), 0);
    return rc;
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
                                r->kept_settings.len ? r->kept_settings : p->reader_settings,
                                r->has_batch ? record_files(&r->batch, arena) : r->kept_files,
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
    const struct {
        const char *name;
        struct str text;
    } more[] = {{"manifest_hash", r->batch.manifest_sha256},
                {"accepted_because", r->accepted_because},
                {"overruled", s->overruled},
                {"reference_versions", s->reference_versions}};
    for (size_t i = 0; i < sizeof more / sizeof more[0]; i++) {
        buf_addz(sql, ", ");
        put_text(sql, more[i].text);
        buf_printf(sql, "::VARCHAR AS %s", more[i].name);
    }
    buf_printf(sql, ", %.6f::DOUBLE AS bronze_seconds, %.6f::DOUBLE AS silver_seconds", r->bronze_s, r->silver_s);
    buf_free(&rules);
}

enum assay_code records_add(struct session *session, const struct run_result *result, struct arena *arena,
                            struct assay_error *err) {
    struct buf select = {0};
    print_row(result, arena, &select);
    enum assay_code rc = memory_append(session, STR(RUNS_ROOT), "One row for each batch that was run under a contract.",
                                       columns, COLUMN_COUNT, buf_str(&select), result, arena, err);
    buf_free(&select);
    return rc;
}
