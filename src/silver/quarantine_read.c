/**
 * Quarantine as people work with it: its rows, one after another, and how many there are of what.
 *
 * 1. Reasons are those that stand in the table, also of contracts that were changed since.
 * 2. A contract may be younger than the table: of columns that the table does not have, the raw value is null.
 */
#include "silver/silver_int.h"

/** The table as it is now; NULL when no row was ever rejected. */
static enum assay_code load_table(struct store *store, struct engine *engine, const struct plan *plan,
                                  struct arena *arena, struct delta_snapshot **out, struct assay_error *err) {
    struct str root;
    *out = NULL;
    TRY(plan_table_root(plan->quarantine_table, arena, &root, err));
    enum assay_code rc = delta_snapshot_load(store, engine, root, DELTA_LATEST, arena, out, err);
    if (rc == ASSAY_NOT_FOUND) {
        *out = NULL;
        return ASSAY_OK;
    }
    return rc;
}

static void print_columns(const struct plan *plan, const struct delta_snapshot *snapshot, struct arena *arena,
                          struct buf *sql) {
    buf_addz(sql, "SELECT \"_batch_id\", \"_source_file\", \"_source_line\", \"_reject_reason\"");
    for (size_t i = 0; i < plan->column_count; i++) {
        struct str name = str_printf(arena, QUARANTINE_RAW_PREFIX "%.*s", STR_ARG(plan->columns[i].name));
        bool is_there = delta_field_find(&snapshot->metadata.schema, name) != SIZE_MAX;
        buf_addz(sql, is_there ? ", " : ", NULL::VARCHAR AS ");
        engine_sql_name(sql, name);
    }
    bool has_bytes = delta_field_find(&snapshot->metadata.schema, STR(BRONZE_CORRUPT_BYTES)) != SIZE_MAX;
    buf_addz(sql, ", \"_corrupt_record\", ");
    buf_addz(sql, has_bytes ? "lower(hex(\"_corrupt_bytes\")) FROM " : "NULL::VARCHAR FROM ");
}

static void print_filter(const struct quarantine_query *query, struct buf *sql) {
    const char *glue = " WHERE ";
    if (query->batch_id.len) {
        buf_printf(sql, "%s\"_batch_id\" = ", glue);
        engine_sql_text(sql, query->batch_id);
        glue = " AND ";
    }
    const struct {
        const char *field;
        struct str value;
    } asked[] = {{"reason", query->reason}, {"rule", query->rule}};
    for (size_t i = 0; i < 2; i++) {
        if (asked[i].value.len == 0) continue;
        buf_printf(sql, "%slist_contains(list_transform(\"" QUARANTINE_RULES "\", lambda x: x.%s), ", glue,
                   asked[i].field);
        engine_sql_text(sql, asked[i].value);
        buf_addc(sql, ')');
        glue = " AND ";
    }
}

enum assay_code silver_quarantine_each(struct store *store, struct engine *engine, const struct plan *plan,
                                       const struct quarantine_query *query, engine_row_fn *row, void *context,
                                       struct assay_error *err) {
    struct arena arena = {0};
    struct buf sql = {0};
    struct delta_snapshot *snapshot = NULL;
    size_t *files = NULL, file_count = 0;
    struct delta_range range = {STR(LINEAGE_BATCH_ID), query->batch_id, query->batch_id};
    enum assay_code rc = load_table(store, engine, plan, &arena, &snapshot, err);
    if (rc || !snapshot) goto done;
    if ((rc = delta_prune(snapshot, &range, query->batch_id.len ? 1 : 0, &arena, &files, &file_count, err))) goto done;
    print_columns(plan, snapshot, &arena, &sql);
    if ((rc = delta_scan_sql(snapshot, files, file_count, false, &arena, &sql, err))) goto done;
    print_filter(query, &sql);
    buf_addz(&sql, " ORDER BY \"_batch_id\", \"_source_file\", \"_source_line\"");
    if (query->limit) buf_printf(&sql, " LIMIT %zu", query->limit);
    rc = engine_query_each(engine, buf_str(&sql), row, context, err);
    if (rc) rc = delta_read_failed(snapshot, rc, err);
done:
    buf_free(&sql);
    arena_reset(&arena);
    return rc;
}

enum assay_code silver_quarantine_count(struct store *store, struct engine *engine, const struct plan *plan,
                                        enum quarantine_group group, size_t rows_max, struct arena *arena,
                                        struct engine_result *out, struct assay_error *err) {
    static const char *const groups[] = {
        [QUARANTINE_BY_BATCH] = "\"_batch_id\" AS batch",
        [QUARANTINE_BY_REASON] = "e.reason AS reason, e.rule AS rule, e.\"column\" AS \"column\"",
        [QUARANTINE_BY_COLUMN] = "e AS \"column\"",
    };
    static const char *const entries[] = {
        [QUARANTINE_BY_BATCH] = "",
        [QUARANTINE_BY_REASON] = ", unnest(\"" QUARANTINE_RULES "\") AS e",
        [QUARANTINE_BY_COLUMN] = ", unnest(list_distinct(list_transform(\"" QUARANTINE_RULES
                                 "\", lambda x: coalesce(x.\"column\", '')))) AS e",
    };
    struct delta_snapshot *snapshot;
    struct buf sql = {0};
    *out = (struct engine_result){0};
    TRY(load_table(store, engine, plan, arena, &snapshot, err));
    if (!snapshot) return ASSAY_OK;
    buf_addz(&sql, "SELECT ");
    engine_sql_text(&sql, plan->table);
    buf_printf(&sql, " AS \"table\", %s, count(*) AS \"rows\", ", groups[group]);
    if (group == QUARANTINE_BY_BATCH)
        buf_addz(&sql, "count(*) FILTER (\"_corrupt_record\" IS NOT NULL) AS corrupt, ");
    else
        buf_addz(&sql, "count(DISTINCT \"_batch_id\") AS batches, ");
    buf_printf(&sql,
               "count(DISTINCT \"_source_file\") AS files, min(\"_quarantined_at\") AS first_at, "
               "max(\"_quarantined_at\") AS last_at FROM (SELECT *%s FROM ",
               entries[group]);
    enum assay_code rc = delta_scan_sql(snapshot, NULL, snapshot->file_count, false, arena, &sql, err);
    buf_addz(&sql, group == QUARANTINE_BY_BATCH ? ") GROUP BY ALL ORDER BY first_at, batch"
                                                : ") GROUP BY ALL ORDER BY \"rows\" DESC, 2, 3");
    if (rc == ASSAY_OK) rc = engine_query(engine, buf_str(&sql), rows_max, arena, out, err);
    buf_free(&sql);
    return rc ? delta_read_failed(snapshot, rc, err) : ASSAY_OK;
}
