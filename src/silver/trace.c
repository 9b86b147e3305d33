/**
 * Back from silver to bronze: of which rows of its batch a row of silver is made.
 *
 * Silver keeps the batch and the file of a row, not its line, so the way is by grain: the batch's rows are cleaned and
 * cast as they were on the way in, and those of the row's key are taken. Rows that quarantine holds did not compete; of
 * the others the first in the contract's order became the row, and the rest lost to it.
 */
#include "silver/silver_int.h"

enum { LOST_SHOWN = 10 };

/** The batch in bronze; columns that the contract has and bronze does not are null. */
static enum assay_code find_raw(struct silver_load *load, struct assay_error *err) {
    const struct silver_input *in = load->in;
    const struct plan *plan = in->plan;
    struct str root;
    struct delta_snapshot *bronze, with_all;
    struct delta_range range = {STR(LINEAGE_BATCH_ID), in->batch_id, in->batch_id};
    size_t *files, count;
    struct buf sql = {0};
    TRY(plan_table_root(plan->bronze_table, load->arena, &root, err));
    TRY(delta_snapshot_load(in->store, in->engine, root, DELTA_LATEST, load->arena, &bronze, err));
    load->has_corrupt_bytes = delta_field_find(&bronze->metadata.schema, STR(BRONZE_CORRUPT_BYTES)) != SIZE_MAX;
    TRY(delta_prune(bronze, &range, 1, load->arena, &files, &count, err));
    with_all = *bronze;
    with_all.metadata = *delta_metadata_copy(&bronze->metadata, load->arena);
    buf_addz(&sql, "(SELECT *");
    for (size_t i = 0; i < plan->source_column_count; i++) {
        if (delta_field_find(&bronze->metadata.schema, plan->source_columns[i]) != SIZE_MAX) continue;
        buf_addz(&sql, ", NULL::VARCHAR AS ");
        engine_sql_name(&sql, plan->source_columns[i]);
        delta_field_add(&with_all.metadata, load->arena, plan->source_columns[i], (struct type){.kind = TYPE_STRING},
                        true, (struct str){0});
    }
    buf_addz(&sql, " FROM ");
    enum assay_code rc = delta_scan_sql(bronze, files, count, false, load->arena, &sql, err);
    buf_addz(&sql, " WHERE \"_batch_id\" = ");
    engine_sql_text(&sql, in->batch_id);
    buf_addc(&sql, ')');
    load->raw = str_copy(load->arena, buf_str(&sql));
    buf_free(&sql);
    return rc ? rc : typed_prepare(load, &with_all, err);
}

/** ` AND NOT EXISTS (...)` of the rows that quarantine holds; nothing when there is no such table. */
static enum assay_code print_not_rejected(const struct silver_load *load, struct buf *sql, struct assay_error *err) {
    const struct silver_input *in = load->in;
    struct str root;
    struct delta_snapshot *s;
    struct delta_range range = {STR(LINEAGE_BATCH_ID), in->batch_id, in->batch_id};
    size_t *files, count;
    TRY(plan_table_root(in->plan->quarantine_table, load->arena, &root, err));
    enum assay_code rc = delta_snapshot_load(in->store, in->engine, root, DELTA_LATEST, load->arena, &s, err);
    if (rc == ASSAY_NOT_FOUND) return ASSAY_OK;
    if (rc) return rc;
    TRY(delta_prune(s, &range, 1, load->arena, &files, &count, err));
    buf_addz(sql, " AND NOT EXISTS (SELECT 1 FROM ");
    TRY(delta_scan_sql(s, files, count, false, load->arena, sql, err));
    buf_addz(sql, " q WHERE q.\"_batch_id\" = b.\"_batch_id\" AND q.\"_source_file\" = b.\"_source_file\" AND "
                  "q.\"_source_line\" = b.\"_source_line\")");
    return ASSAY_OK;
}

/** Whether every contract column that silver has is what bronze gives now. */
static void print_equal(const struct plan *plan, const struct delta_schema *silver, struct buf *sql) {
    buf_addz(sql, "true");
    for (size_t i = 0; i < plan->column_count; i++) {
        if (delta_field_find(silver, plan->columns[i].name) == SIZE_MAX) continue; /* the contract is younger */
        buf_addz(sql, " AND s.");
        engine_sql_name(sql, plan->columns[i].name);
        buf_addz(sql, " IS NOT DISTINCT FROM b.");
        engine_sql_name(sql, plan->columns[i].name);
    }
}

static void print_order(const struct plan *plan, struct buf *sql) {
    buf_addz(sql, "\"=is_file\" DESC");
    for (size_t i = 0; i < plan->order_count; i++) {
        buf_addz(sql, ", b.");
        engine_sql_name(sql, plan->order[i].column);
        buf_addz(sql, plan->order[i].is_ascending ? " ASC NULLS LAST" : " DESC NULLS LAST");
    }
}

static enum assay_code print_origins(const struct silver_load *load, const struct delta_schema *silver,
                                     struct str traced, struct buf *sql, struct assay_error *err) {
    const struct plan *plan = load->in->plan;
    buf_addz(sql, "SELECT s.\"=n\", b.\"_source_file\", b.\"_source_line\", epoch_us(b.\"_loaded_at\"), (");
    print_equal(plan, silver, sql);
    buf_addz(sql, "), b.\"_source_file\" = s.\"_source_file\" AS \"=is_file\", "
                  "row_number() OVER (PARTITION BY s.\"=n\" ORDER BY ");
    print_order(plan, sql);
    buf_addz(sql, ") AS \"=place\", count(*) OVER (PARTITION BY s.\"=n\") FROM ");
    engine_sql_name(sql, traced);
    buf_addz(sql, " s JOIN ");
    checked_sql(load, sql);
    buf_addz(sql, " b ON ");
    match_keys_sql(plan, "s", "b", sql);
    buf_addz(sql, " WHERE s.\"_batch_id\" = ");
    engine_sql_text(sql, load->in->batch_id);
    buf_addz(sql, " AND b.\"_corrupt_record\" IS NULL");
    TRY(print_not_rejected(load, sql, err));
    buf_printf(sql, " QUALIFY \"=place\" <= %d ORDER BY s.\"=n\", \"=place\"", LOST_SHOWN + 1);
    return ASSAY_OK;
}

enum assay_code silver_origins(const struct silver_input *input, const struct delta_schema *silver, struct str traced,
                               size_t row_count, struct arena *arena, struct silver_origin **out, size_t *count,
                               struct assay_error *err) {
    struct plan plan = *input->plan; /* its rules were asked when the batch was loaded */
    plan.rule_count = plan.check_count = plan.constraint_count = 0;
    plan.update_when = NULL;
    struct silver_input in = *input;
    in.plan = &plan;
    struct silver_result ignored = {0};
    struct silver_load load = {.in = &in, .arena = arena, .keeps_all = true, .out = &ignored};
    struct engine_result r = {0};
    struct buf sql = {0};
    *out = NULL;
    *count = 0;
    enum assay_code rc = find_raw(&load, err);
    if (rc == ASSAY_OK) rc = checked_prepare(&load, err);
    if (rc == ASSAY_OK) rc = print_origins(&load, silver, traced, &sql, err);
    if (rc == ASSAY_OK) rc = engine_query(in.engine, buf_str(&sql), row_count * (LOST_SHOWN + 1), arena, &r, err);
    buf_free(&sql);
    if (rc) return rc;
    *out = ARENA_ARRAY(arena, r.row_count, struct silver_origin);
    *count = r.row_count;
    for (size_t i = 0; i < r.row_count; i++) {
        bool is_file = str_eq(engine_cell_at(&r, i, 5)->text, STR("true"));
        (*out)[i] = (struct silver_origin){.row = (size_t)engine_cell_int(engine_cell_at(&r, i, 0), 0),
                                           .source_file = engine_cell_at(&r, i, 1)->text,
                                           .source_line = engine_cell_int(engine_cell_at(&r, i, 2), -1),
                                           .loaded_at_us = engine_cell_int(engine_cell_at(&r, i, 3), 0),
                                           .is_equal = str_eq(engine_cell_at(&r, i, 4)->text, STR("true")),
                                           .is_row = is_file && engine_cell_int(engine_cell_at(&r, i, 6), 0) == 1,
                                           .total = engine_cell_int(engine_cell_at(&r, i, 7), 0)};
    }
    return ASSAY_OK;
}
