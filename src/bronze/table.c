/**
 * The bronze table: source columns as strings, then `_corrupt_record`, `_source_file`, `_source_line`, `_batch_id`,
 * `_loaded_at`; columns that came later stand behind, in order of first appearance.
 */
#include "bronze/table.h"

/** The columns that assay adds, in the order in which the table has them. */
static const struct {
    struct str name;
    enum type_kind kind;
} ADDED[] = {{{BRONZE_CORRUPT_RECORD, sizeof BRONZE_CORRUPT_RECORD - 1}, TYPE_STRING},
             {{LINEAGE_SOURCE_FILE, sizeof LINEAGE_SOURCE_FILE - 1}, TYPE_STRING},
             {{LINEAGE_SOURCE_LINE, sizeof LINEAGE_SOURCE_LINE - 1}, TYPE_BIGINT},
             {{LINEAGE_BATCH_ID, sizeof LINEAGE_BATCH_ID - 1}, TYPE_STRING},
             {{LINEAGE_LOADED_AT, sizeof LINEAGE_LOADED_AT - 1}, TYPE_TIMESTAMP}};
enum { ADDED_COUNT = sizeof ADDED / sizeof ADDED[0] };

static bool add_field(struct delta_metadata *m, struct arena *arena, struct str name, enum type_kind kind) {
    if (delta_field_find(&m->schema, name) != SIZE_MAX) return false;
    delta_field_add(m, arena, name, (struct type){.kind = kind}, true, (struct str){0});
    return true;
}

bool bronze_complete_metadata(struct delta_metadata *m, const struct plan *plan, bool with_bytes, struct arena *arena) {
    bool is_changed = false;
    for (size_t i = 0; i < plan->source_column_count; i++)
        is_changed |= add_field(m, arena, plan->source_columns[i], TYPE_STRING);
    for (size_t i = 0; i < ADDED_COUNT; i++) is_changed |= add_field(m, arena, ADDED[i].name, ADDED[i].kind);
    if (with_bytes) is_changed |= add_field(m, arena, STR(BRONZE_CORRUPT_BYTES), TYPE_BINARY);
    for (size_t i = 0; i < plan->bronze_property_count; i++) {
        const struct plan_property *p = &plan->bronze_properties[i];
        if (str_eq(delta_property_get(m, p->name), p->value)) continue;
        delta_property_set(m, arena, p->name, p->value);
        is_changed = true;
    }
    return is_changed;
}

static enum assay_code check_field(const struct delta_snapshot *snapshot, struct str name, enum type_kind kind,
                                   struct assay_error *err) {
    size_t at = delta_field_find(&snapshot->metadata.schema, name);
    if (at == SIZE_MAX || snapshot->metadata.schema.fields[at].type.kind == kind) return ASSAY_OK;
    struct buf expected = {0};
    type_print(&expected, (struct type){.kind = kind});
    enum assay_code rc = error_set(
        err, ASSAY_INVALID, snapshot->root.ptr,
        "column %.*s is %.*s in the bronze table, where assay keeps a %s; another contract or writer made it\n"
        "next: give this contract a bronze table of its own (assayBronze)",
        STR_ARG(name), STR_ARG(snapshot->metadata.schema.fields[at].type_json), expected.data);
    buf_free(&expected);
    return rc;
}

enum assay_code bronze_check_fields(const struct delta_snapshot *snapshot, const struct plan *plan,
                                    struct assay_error *err) {
    for (size_t i = 0; i < ADDED_COUNT; i++) TRY(check_field(snapshot, ADDED[i].name, ADDED[i].kind, err));
    for (size_t i = 0; i < plan->source_column_count; i++)
        TRY(check_field(snapshot, plan->source_columns[i], TYPE_STRING, err));
    return ASSAY_OK;
}

bool bronze_has_fields(const struct delta_snapshot *snapshot) {
    for (size_t i = 0; i < ADDED_COUNT; i++)
        if (delta_field_find(&snapshot->metadata.schema, ADDED[i].name) == SIZE_MAX) return false;
    return true;
}

enum assay_code bronze_count_batch(struct engine *engine, const struct delta_snapshot *snapshot, struct str batch_id,
                                   struct arena *arena, struct bronze_batch_state *out, struct assay_error *err) {
    struct delta_range range = {STR(LINEAGE_BATCH_ID), batch_id, batch_id};
    struct engine_result r = {0};
    struct buf sql = {0};
    size_t *files, count;
    *out = (struct bronze_batch_state){0};
    if (!bronze_has_fields(snapshot)) return ASSAY_OK;
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
