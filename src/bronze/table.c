/**
 * The bronze table: source columns as strings, then `_corrupt_record`, `_source_file`, `_source_line`, `_batch_id`,
 * `_loaded_at`; columns that came later stand behind, in order of first appearance.
 */
#include "bronze/table.h"

static bool add_field(struct delta_metadata *m, struct arena *arena, struct str name, enum type_kind kind) {
    if (delta_field_find(&m->schema, name) != SIZE_MAX) return false;
    delta_field_add(m, arena, name, (struct type){.kind = kind}, true, (struct str){0});
    return true;
}

bool bronze_complete_metadata(struct delta_metadata *m, const struct plan *plan, bool with_bytes, struct arena *arena) {
    bool is_changed = false;
    for (size_t i = 0; i < plan->source_column_count; i++)
        is_changed |= add_field(m, arena, plan->source_columns[i], TYPE_STRING);
    is_changed |= add_field(m, arena, STR(BRONZE_CORRUPT_RECORD), TYPE_STRING);
    is_changed |= add_field(m, arena, STR(LINEAGE_SOURCE_FILE), TYPE_STRING);
    is_changed |= add_field(m, arena, STR(LINEAGE_SOURCE_LINE), TYPE_BIGINT);
    is_changed |= add_field(m, arena, STR(LINEAGE_BATCH_ID), TYPE_STRING);
    is_changed |= add_field(m, arena, STR(LINEAGE_LOADED_AT), TYPE_TIMESTAMP);
    if (with_bytes) is_changed |= add_field(m, arena, STR(BRONZE_CORRUPT_BYTES), TYPE_BINARY);
    for (size_t i = 0; i < plan->bronze_property_count; i++) {
        const struct plan_property *p = &plan->bronze_properties[i];
        if (str_eq(delta_property_get(m, p->name), p->value)) continue;
        delta_property_set(m, arena, p->name, p->value);
        is_changed = true;
    }
    return is_changed;
}

enum assay_code bronze_check_fields(const struct delta_snapshot *snapshot, const struct plan *plan,
                                    struct assay_error *err) {
    for (size_t i = 0; i < plan->source_column_count; i++) {
        size_t at = delta_field_find(&snapshot->metadata.schema, plan->source_columns[i]);
        if (at == SIZE_MAX || snapshot->metadata.schema.fields[at].type.kind == TYPE_STRING) continue;
        return error_set(err, ASSAY_INVALID, snapshot->root.ptr,
                         "column %.*s is %.*s in the bronze table, where every value is kept as a string; another "
                         "contract or writer made it\n"
                         "next: give this contract a bronze table of its own (assayBronze)",
                         STR_ARG(plan->source_columns[i]), STR_ARG(snapshot->metadata.schema.fields[at].type_json));
    }
    return ASSAY_OK;
}

enum assay_code bronze_count_batch(struct engine *engine, const struct delta_snapshot *snapshot, struct str batch_id,
                                   struct arena *arena, struct bronze_batch_state *out, struct assay_error *err) {
    struct delta_range range = {STR(LINEAGE_BATCH_ID), batch_id, batch_id};
    struct engine_result r = {0};
    struct buf sql = {0};
    size_t *files, count;
    *out = (struct bronze_batch_state){0};
    TRY(delta_prune(snapshot, &range, 1, arena, &files, &count, err));
    if (count == 0) return ASSAY_OK;
    buf_addz(&sql, "SELECT count(*), count(\"_corrupt_record\"), epoch_us(min(\"_loaded_at\")), "
                   "epoch_us(max(\"_loaded_at\")) FROM ");
    enum assay_code rc = delta_scan_sql(snapshot, files, count, false, arena, &sql, err);
    if (rc == ASSAY_OK) {
        buf_addz(&sql, " WHERE \"_batch_id\" = ");
        engine_sql_text(&sql, batch_id);
        rc = engine_query(engine, buf_str(&sql), 1, arena, &r, err);
    }
    buf_free(&sql);
    if (rc) return rc;
    out->row_count = engine_cell_int(engine_cell_at(&r, 0, 0), 0);
    out->corrupt_count = engine_cell_int(engine_cell_at(&r, 0, 1), 0);
    out->loaded_at_min_us = engine_cell_int(engine_cell_at(&r, 0, 2), 0);
    out->loaded_at_max_us = engine_cell_int(engine_cell_at(&r, 0, 3), 0);
    return ASSAY_OK;
}
