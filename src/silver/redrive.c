/**
 * Redrive: rejected rows are judged again, and what becomes of each is kept in the table `<quarantine>_redriven`, one
 * row for each row that was ever redriven.
 *
 * A redrive is a load of the whole batch from bronze under the contract as it is now. So a row that passes now meets
 * the others of its batch and of the table by the same rules of order as if it had always passed, with its own batch,
 * file, line and load time; a rerun of the batch comes to the same; and the account is the batch's.
 *
 * 1. The rows are written down, without a fate, before anything else is: the load takes those that pass out of
 * quarantine before it brings them into silver, and after a stop between the two nothing else would tell of them.
 * 2. Every load of the batch that gets to its end, also one that is no redrive, says what became of such rows.
 * 3. The fate is read from the tables as they are then. The same load again finds the same.
 */
#include "silver/silver_int.h"

#include "base/time.h"

#define OPEN_TABLE "assay_redriven_open" /* temp table: rows of the batch without a fate */

#define PLACE_IS(a, b)                                                                                                 \
    a ".\"_source_file\" IS NOT DISTINCT FROM " b ".\"_source_file\" AND " a                                           \
      ".\"_source_line\" IS NOT DISTINCT FROM " b ".\"_source_line\""

static struct delta_metadata *make_metadata(struct arena *arena) {
    static const struct type text = {.kind = TYPE_STRING}, number = {.kind = TYPE_BIGINT},
                             moment = {.kind = TYPE_TIMESTAMP};
    struct delta_metadata *m = ARENA_NEW(arena, struct delta_metadata);
    m->description = STR("What became of rows of quarantine that were redriven; without a fate: not finished.");
    delta_field_add(m, arena, STR(LINEAGE_BATCH_ID), text, true, (struct str){0});
    delta_field_add(m, arena, STR(LINEAGE_SOURCE_FILE), text, true, (struct str){0});
    delta_field_add(m, arena, STR(LINEAGE_SOURCE_LINE), number, true, (struct str){0});
    delta_field_add(m, arena, STR(QUARANTINE_REASON), text, true, STR("before"));
    delta_field_add(m, arena, STR("_redriven_at"), moment, true, (struct str){0});
    delta_field_add(m, arena, STR("_fate"), text, true, STR("accepted, superseded, quarantined or gone"));
    delta_field_add(m, arena, STR("_fate_reason"), text, true, STR("why it is quarantined again"));
    delta_field_add(m, arena, STR(QUARANTINE_VERSION), text, true, STR("of the contract that it was judged by"));
    return m;
}

/** A table of the lake; *out is NULL when it is not there. */
static enum assay_code load_table(const struct silver_load *load, struct str name, int64_t version,
                                  struct delta_snapshot **out, struct assay_error *err) {
    struct str root;
    *out = NULL;
    TRY(plan_table_root(name, load->arena, &root, err));
    enum assay_code rc = delta_snapshot_load(load->in->store, load->in->engine, root, version, load->arena, out, err);
    if (rc != ASSAY_NOT_FOUND) return rc;
    *out = NULL;
    return ASSAY_OK;
}

static struct str redriven_name(const struct silver_load *load) {
    return str_printf(load->arena, "%.*s_redriven", STR_ARG(load->in->plan->quarantine_table));
}

/** `(SELECT * FROM table WHERE _batch_id = ...)`; `columns` without rows when there is no table. */
static enum assay_code print_batch(const struct silver_load *load, const struct delta_snapshot *s, const char *columns,
                                   struct buf *sql, struct assay_error *err) {
    struct str batch = load->in->batch_id;
    struct delta_range range = {STR(LINEAGE_BATCH_ID), batch, batch};
    size_t *files, count;
    if (!s) {
        buf_printf(sql, "(SELECT %s WHERE false)", columns);
        return ASSAY_OK;
    }
    TRY(delta_prune(s, &range, 1, load->arena, &files, &count, err));
    buf_addz(sql, "(SELECT * FROM ");
    TRY(delta_scan_sql(s, files, count, false, load->arena, sql, err));
    buf_addz(sql, " WHERE \"_batch_id\" = ");
    engine_sql_text(sql, batch);
    buf_addc(sql, ')');
    return ASSAY_OK;
}

static const char REDRIVEN_COLUMNS[] =
    "NULL::VARCHAR AS \"_batch_id\", NULL::VARCHAR AS \"_source_file\", NULL::BIGINT AS \"_source_line\", "
    "NULL::VARCHAR AS \"_reject_reason\", NULL::TIMESTAMPTZ AS \"_redriven_at\", NULL::VARCHAR AS \"_fate\", "
    "NULL::VARCHAR AS \"_fate_reason\", NULL::VARCHAR AS \"_contract_version\"";
static const char REJECTED_COLUMNS[] = "NULL::VARCHAR AS \"_source_file\", NULL::BIGINT AS \"_source_line\", "
                                       "NULL::VARCHAR AS \"_reject_reason\"";

/** Put the rows of a SELECT in the place of the batch's. `s` NULL: the table is made. */
static enum assay_code replace_batch(const struct silver_load *load, const struct delta_snapshot *s, struct str select,
                                     struct assay_error *err) {
    const struct silver_input *in = load->in;
    struct delta_metadata *metadata = s ? delta_metadata_copy(&s->metadata, load->arena) : make_metadata(load->arena);
    struct delta_new_files files = {0};
    struct str root, batch = in->batch_id;
    int64_t version;
    TRY(plan_table_root(redriven_name(load), load->arena, &root, err));
    TRY(delta_write_files(in->engine, in->staging, metadata, select, &(struct engine_write_options){0}, load->arena,
                          &files, err));
    struct delta_commit commit = {
        .metadata = s ? NULL : metadata,
        .adds = files.files,
        .add_count = files.count,
        .operation = "WRITE",
        .parameters =
            str_printf(load->arena, "{\"mode\":\"Overwrite\",\"predicate\":\"_batch_id = '%.*s'\"}", STR_ARG(batch)),
        .user_metadata = in->user_metadata,
    };
    struct delta_range equal = {STR(LINEAGE_BATCH_ID), batch, batch};
    if (s) return delta_replace_where(in->engine, in->staging, s, &commit, equal, load->arena, &version, err);
    return delta_commit(in->store, in->engine, root, &commit, &version, err);
}

/* ---- before the load ---- */

static enum assay_code begin_once(void *context, struct assay_error *err) {
    struct silver_load *load = context;
    struct delta_snapshot *redriven, *quarantine;
    struct buf sql = {0}, old = {0}, rejected = {0};
    TRY(load_table(load, redriven_name(load), DELTA_LATEST, &redriven, err));
    TRY(load_table(load, load->in->plan->quarantine_table, DELTA_LATEST, &quarantine, err));
    enum assay_code rc = print_batch(load, redriven, REDRIVEN_COLUMNS, &old, err);
    if (rc == ASSAY_OK) rc = print_batch(load, quarantine, REJECTED_COLUMNS, &rejected, err);
    if (rc == ASSAY_OK) {
        /* those that a redrive left open stay; those in quarantine are opened; a fate told stays if it is the last */
        buf_printf(&sql,
                   "SELECT * FROM %s o WHERE o.\"_fate\" IS NULL OR NOT EXISTS (SELECT 1 FROM %s q WHERE " PLACE_IS(
                       "q", "o") ") UNION ALL BY NAME SELECT ",
                   old.data, rejected.data);
        engine_sql_text(&sql, load->in->batch_id);
        buf_printf(&sql,
                   " AS \"_batch_id\", q.\"_source_file\", q.\"_source_line\", q.\"_reject_reason\", "
                   "make_timestamptz(%lld) AS \"_redriven_at\", NULL::VARCHAR AS \"_fate\", NULL::VARCHAR AS "
                   "\"_fate_reason\", NULL::VARCHAR AS \"_contract_version\" FROM %s q WHERE NOT EXISTS (SELECT 1 FROM "
                   "%s o WHERE o.\"_fate\" IS NULL AND " PLACE_IS("q", "o") ")",
                   (long long)time_now_us(), rejected.data, old.data);
        rc = replace_batch(load, redriven, buf_str(&sql), err);
    }
    buf_free(&sql);
    buf_free(&old);
    buf_free(&rejected);
    return rc;
}

enum assay_code silver_redrive_begin(const struct silver_input *input, struct arena *arena, struct assay_error *err) {
    struct silver_load load = {.in = input, .arena = arena};
    return delta_redo(begin_once, &load, err);
}

enum assay_code silver_redrive_batches(struct store *store, struct engine *engine, const struct plan *plan,
                                       struct arena *arena, struct str **out, size_t *count, struct assay_error *err) {
    enum { BATCHES_MAX = 1000000 };
    struct silver_input in = {.store = store, .engine = engine, .plan = plan};
    struct silver_load load = {.in = &in, .arena = arena};
    struct delta_snapshot *tables[2];
    struct engine_result r = {0};
    struct buf sql = {0};
    enum assay_code rc = ASSAY_OK;
    *out = NULL;
    *count = 0;
    TRY(load_table(&load, plan->quarantine_table, DELTA_LATEST, &tables[0], err));
    TRY(load_table(&load, redriven_name(&load), DELTA_LATEST, &tables[1], err));
    for (size_t i = 0; i < 2 && rc == ASSAY_OK; i++) {
        if (!tables[i]) continue;
        buf_addz(&sql, sql.len ? " UNION SELECT \"_batch_id\" FROM " : "SELECT DISTINCT \"_batch_id\" FROM ");
        rc = delta_scan_sql(tables[i], NULL, tables[i]->file_count, false, arena, &sql, err);
        buf_addz(&sql, i ? " WHERE \"_fate\" IS NULL" : " WHERE \"_batch_id\" IS NOT NULL");
    }
    if (rc == ASSAY_OK && sql.len) {
        buf_addz(&sql, " ORDER BY 1");
        rc = engine_query(engine, buf_str(&sql), BATCHES_MAX, arena, &r, err);
    }
    buf_free(&sql);
    *out = ARENA_ARRAY(arena, r.row_count, struct str);
    for (size_t i = 0; i < r.row_count && rc == ASSAY_OK; i++) (*out)[(*count)++] = engine_cell_at(&r, i, 0)->text;
    return rc;
}

/* ---- after it ---- */

/** The open rows as they read now, and whether silver has their values: `"=there"`. */
static enum assay_code print_judged(const struct silver_load *load, struct buf *sql, struct assay_error *err) {
    const struct plan *plan = load->in->plan;
    struct delta_snapshot *silver;
    struct silver_load part = *load;
    part.raw = str_printf(load->arena, "(SELECT b.* FROM %.*s b SEMI JOIN " OPEN_TABLE " o ON " PLACE_IS("b", "o") ")",
                          STR_ARG(load->raw));
    part.keeps_all = true;
    TRY(load_table(load, plan->table, load->out->version, &silver, err));
    buf_addz(sql, "SELECT c.\"_source_file\", c.\"_source_line\", coalesce(bool_or(t.\"=there\"), false) AS \"=there\" "
                  "FROM ");
    checked_sql(&part, sql);
    buf_addz(sql, " c LEFT JOIN (SELECT *, true AS \"=there\" FROM ");
    TRY(delta_scan_sql(silver, NULL, silver->file_count, false, load->arena, sql, err));
    buf_addz(sql, ") t ON ");
    match_keys_sql(plan, "c", "t", sql);
    for (size_t i = 0; i < plan->column_count; i++) {
        buf_addz(sql, " AND c.");
        engine_sql_name(sql, plan->columns[i].name);
        buf_addz(sql, " IS NOT DISTINCT FROM t.");
        engine_sql_name(sql, plan->columns[i].name);
    }
    buf_addz(sql, " GROUP BY ALL");
    return ASSAY_OK;
}

/** The batch's rows of the table, those without a fate with it. */
static enum assay_code print_fates(const struct silver_load *load, const struct delta_snapshot *redriven,
                                   struct buf *sql, struct assay_error *err) {
    const struct plan *plan = load->in->plan;
    struct delta_snapshot *quarantine;
    TRY(load_table(load, plan->quarantine_table, DELTA_LATEST, &quarantine, err));
    buf_addz(sql, "SELECT o.* REPLACE (CASE WHEN q.\"=why\" IS NOT NULL THEN 'quarantined' WHEN c.\"=there\" IS NULL "
                  "THEN 'gone' WHEN c.\"=there\" THEN 'accepted' ELSE 'superseded' END AS \"_fate\", q.\"=why\" AS "
                  "\"_fate_reason\", ");
    engine_sql_text(sql, plan->contract_version);
    buf_addz(sql, " AS \"_contract_version\") FROM " OPEN_TABLE " o LEFT JOIN (SELECT \"_source_file\", "
                  "\"_source_line\", max(\"_reject_reason\") AS \"=why\" FROM ");
    TRY(print_batch(load, quarantine, REJECTED_COLUMNS, sql, err));
    buf_addz(sql, " GROUP BY ALL) q ON " PLACE_IS("o", "q") " LEFT JOIN (");
    TRY(print_judged(load, sql, err));
    buf_addz(sql, ") c ON " PLACE_IS("o", "c") " UNION ALL BY NAME SELECT * FROM ");
    TRY(print_batch(load, redriven, REDRIVEN_COLUMNS, sql, err));
    buf_addz(sql, " WHERE \"_fate\" IS NOT NULL");
    return ASSAY_OK;
}

static enum assay_code make_open(const struct silver_load *load, const struct delta_snapshot *redriven, int64_t *count,
                                 struct assay_error *err) {
    struct engine_result r = {0};
    struct buf sql = {0};
    buf_addz(&sql, "CREATE OR REPLACE TEMP TABLE " OPEN_TABLE " AS SELECT * FROM ");
    enum assay_code rc = print_batch(load, redriven, REDRIVEN_COLUMNS, &sql, err);
    buf_addz(&sql, " WHERE \"_fate\" IS NULL");
    if (rc == ASSAY_OK) rc = engine_run(load->in->engine, buf_str(&sql), err);
    buf_free(&sql);
    if (rc) return rc;
    TRY(engine_query(load->in->engine, STR("SELECT count(*) FROM " OPEN_TABLE), 1, load->arena, &r, err));
    *count = engine_cell_int(engine_cell_at(&r, 0, 0), 0);
    return ASSAY_OK;
}

static enum assay_code end_once(void *context, struct assay_error *err) {
    struct silver_load *load = context;
    struct silver_redriven *out = &load->out->redriven;
    struct delta_snapshot *redriven;
    struct engine_result r = {0};
    struct buf sql = {0};
    int64_t open = 0;
    TRY(load_table(load, redriven_name(load), DELTA_LATEST, &redriven, err));
    if (redriven) TRY(make_open(load, redriven, &open, err));
    if (open == 0) return ASSAY_OK;
    buf_addz(&sql, "CREATE OR REPLACE TEMP TABLE assay_redriven AS ");
    enum assay_code rc = print_fates(load, redriven, &sql, err);
    if (rc == ASSAY_OK) rc = engine_run(load->in->engine, buf_str(&sql), err);
    if (rc == ASSAY_OK) rc = replace_batch(load, redriven, STR("SELECT * FROM assay_redriven"), err);
    buf_free(&sql);
    if (rc) return rc;
    TRY(engine_query(load->in->engine,
                     STR("SELECT count(*) FILTER (r.\"_fate\" = 'accepted'), count(*) FILTER (r.\"_fate\" = "
                         "'superseded'), count(*) FILTER (r.\"_fate\" = 'quarantined'), count(*) FILTER (r.\"_fate\" = "
                         "'gone') FROM assay_redriven r SEMI JOIN " OPEN_TABLE " o ON " PLACE_IS("r", "o")),
                     1, load->arena, &r, err));
    out->accepted = engine_cell_int(engine_cell_at(&r, 0, 0), 0);
    out->superseded = engine_cell_int(engine_cell_at(&r, 0, 1), 0);
    out->quarantined = engine_cell_int(engine_cell_at(&r, 0, 2), 0);
    out->gone = engine_cell_int(engine_cell_at(&r, 0, 3), 0);
    return ASSAY_OK;
}

enum assay_code redrive_end(struct silver_load *load, struct assay_error *err) {
    return delta_redo(end_once, load, err);
}
