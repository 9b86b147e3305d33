/**
 * The bronze table: source columns as strings (Parquet, Delta: as they are), then `_corrupt_record` (not for those),
 * `_source_file`, `_source_line`, `_batch_id`, `_loaded_at`; columns that came later stand behind, in order of first
 * appearance. A new table is created with optimizeWrite and autoCompact; later runs set only what the contract says, so
 * what people change on the table stays.
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

static bool is_corrupt_record(size_t i) { return str_eq(ADDED[i].name, STR(BRONZE_CORRUPT_RECORD)); }

/** Typed sources have no rows that cannot be read. */
static bool is_added(const struct plan *plan, size_t i) {
    return !contract_format_is_typed(plan->source.format) || !is_corrupt_record(i);
}

static bool add_field(struct delta_metadata *m, struct arena *arena, struct str name, enum type_kind kind) {
    if (delta_field_find(&m->schema, name) != SIZE_MAX) return false;
    delta_field_add(m, arena, name, (struct type){.kind = kind}, true, (struct str){0});
    return true;
}

static struct str type_of(const struct bronze_column *column) {
    return column->type_json.len ? column->type_json : STR("\"string\"");
}

static void add_columns(struct delta_metadata *m, const struct bronze_columns *columns, bool *is_changed,
                        struct arena *arena) {
    bool *is_there = ARENA_ARRAY(arena, columns->count, bool);
    for (size_t i = 0; i < m->schema.count; i++) {
        size_t at = columns_find(columns, m->schema.fields[i].name);
        if (at != SIZE_MAX) is_there[at] = true;
    }
    for (size_t i = 0; i < columns->count; i++) {
        if (is_there[i]) continue;
        delta_field_add_json(m, arena, columns->list[i].name, type_of(&columns->list[i]), true);
        *is_changed = true;
    }
}

static void add_added(struct delta_metadata *m, const struct plan *plan, bool *is_changed, struct arena *arena) {
    for (size_t i = 0; i < ADDED_COUNT; i++)
        if (is_added(plan, i)) *is_changed |= add_field(m, arena, ADDED[i].name, ADDED[i].kind);
}

bool bronze_complete_metadata(struct delta_metadata *m, const struct plan *plan, const struct bronze_columns *columns,
                              bool with_bytes, struct arena *arena) {
    bool is_changed = false, is_new = m->schema.count == 0;
    if (!is_new) { /* what comes later stands behind */
        add_added(m, plan, &is_changed, arena);
        add_columns(m, columns, &is_changed, arena);
    } else {
        add_columns(m, columns, &is_changed, arena);
        add_added(m, plan, &is_changed, arena);
    }
    if (with_bytes) is_changed |= add_field(m, arena, STR(BRONZE_CORRUPT_BYTES), TYPE_BINARY);
    if (is_new) {
        delta_property_set(m, arena, STR("delta.autoOptimize.optimizeWrite"), STR("true"));
        delta_property_set(m, arena, STR("delta.autoOptimize.autoCompact"), STR("true"));
    }
    for (size_t i = 0; i < plan->bronze_property_count; i++) {
        const struct plan_property *p = &plan->bronze_properties[i];
        if (str_eq(delta_property_get(m, p->name), p->value)) continue;
        delta_property_set(m, arena, p->name, p->value);
        is_changed = true;
    }
    return is_changed;
}

static enum assay_code check_added(const struct delta_snapshot *snapshot, struct str name, enum type_kind kind,
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

static enum assay_code check_column(const struct delta_snapshot *snapshot, const struct delta_field *field,
                                    const struct bronze_column *column, struct assay_error *err) {
    if (str_eq(field->type_json, type_of(column))) return ASSAY_OK;
    if (column->type_json.len == 0) return check_added(snapshot, field->name, TYPE_STRING, err);
    return error_set(err, ASSAY_REFUSED, snapshot->root.ptr,
                     "column %.*s is %.*s in the bronze table and %.*s in the files; no row of the batch was loaded\n"
                     "next: ask the source for the agreed type, or give the new one a bronze table of its own "
                     "(assayBronze)",
                     STR_ARG(field->name), STR_ARG(field->type_json), STR_ARG(column->type_json));
}

enum assay_code bronze_match_fields(const struct delta_snapshot *snapshot, struct bronze_columns *columns,
                                    struct assay_error *err) {
    const struct delta_schema *schema = &snapshot->metadata.schema;
    for (size_t i = 0; i < ADDED_COUNT; i++) TRY(check_added(snapshot, ADDED[i].name, ADDED[i].kind, err));
    for (size_t i = 0; i < schema->count; i++) {
        size_t at = columns_find(columns, schema->fields[i].name);
        if (at == SIZE_MAX) continue;
        TRY(check_column(snapshot, &schema->fields[i], &columns->list[at], err));
        columns->list[at].name = schema->fields[i].name;
    }
    return ASSAY_OK;
}

bool bronze_has_fields(const struct delta_snapshot *snapshot) {
    for (size_t i = 0; i < ADDED_COUNT; i++)
        if (!is_corrupt_record(i) && delta_field_find(&snapshot->metadata.schema, ADDED[i].name) == SIZE_MAX)
            return false;
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
    bool has_corrupt = delta_field_find(&snapshot->metadata.schema, STR(BRONZE_CORRUPT_RECORD)) != SIZE_MAX;
    buf_printf(&sql, "SELECT count(*), %s, epoch_us(min(\"_loaded_at\")), epoch_us(max(\"_loaded_at\")) FROM ",
               has_corrupt ? "count(\"_corrupt_record\")" : "0");
    enum assay_code rc = delta_scan_sql(snapshot, files, count, false, arena, &sql, err);
    if (rc == ASSAY_OK) {
        buf_addz(&sql, " WHERE \"_batch_id\" = ");
        engine_sql_text(&sql, batch_id);
        rc = engine_query(engine, buf_str(&sql), 1, arena, &r, err);
    }
    buf_free(&sql);
    if (rc) return delta_read_failed(snapshot, rc, err);
    out->row_count = engine_cell_int(engine_cell_at(&r, 0, 0), 0);
    out->corrupt_count = engine_cell_int(engine_cell_at(&r, 0, 1), 0);
    out->loaded_at_min_us = engine_cell_int(engine_cell_at(&r, 0, 2), 0);
    out->loaded_at_max_us = engine_cell_int(engine_cell_at(&r, 0, 3), 0);
    return ASSAY_OK;
}
