/**
 * Quarantine: every rejected row of a batch, with its raw values, every reason, its file and line. The batch's rows are
 * replaced in one commit.
 *
 * 1. It is written before the gates are judged, so a refused batch already has its evidence.
 * 2. `_corrupt_bytes` comes into the table with the first batch that has a row with such bytes.
 */
#include "silver/silver_int.h"

#include "base/time.h"

static const char RULES_TYPE[] =
    "{\"type\":\"array\",\"elementType\":{\"type\":\"struct\",\"fields\":["
    "{\"name\":\"rule\",\"type\":\"string\",\"nullable\":true,\"metadata\":{}},"
    "{\"name\":\"column\",\"type\":\"string\",\"nullable\":true,\"metadata\":{}},"
    "{\"name\":\"reason\",\"type\":\"string\",\"nullable\":true,\"metadata\":{}}]},\"containsNull\":true}";

static struct str raw_name(const struct plan *plan, size_t i, struct arena *arena) {
    return str_printf(arena, QUARANTINE_RAW_PREFIX "%.*s", STR_ARG(plan->columns[i].name));
}

static const struct type STRING = {.kind = TYPE_STRING}, BIGINT = {.kind = TYPE_BIGINT},
                         TIMESTAMP = {.kind = TYPE_TIMESTAMP}, BINARY = {.kind = TYPE_BINARY};

static void add_missing_field(struct delta_metadata *m, struct arena *arena, struct str name, struct type type,
                              bool *changed) {
    if (delta_field_find(&m->schema, name) != SIZE_MAX) return;
    delta_field_add(m, arena, name, type, true, (struct str){0});
    *changed = true;
}

/** The columns that the table lacks, in the order of the design. */
static bool complete_metadata(const struct silver_load *load, bool with_bytes, struct delta_metadata *m) {
    const struct plan *plan = load->in->plan;
    bool changed = false;
    for (size_t i = 0; i < plan->column_count; i++)
        add_missing_field(m, load->arena, raw_name(plan, i, load->arena), STRING, &changed);
    add_missing_field(m, load->arena, STR(BRONZE_CORRUPT_RECORD), STRING, &changed);
    add_missing_field(m, load->arena, STR(QUARANTINE_REASON), STRING, &changed);
    if (delta_field_find(&m->schema, STR(QUARANTINE_RULES)) == SIZE_MAX) {
        delta_field_add_json(m, load->arena, STR(QUARANTINE_RULES), str_of(RULES_TYPE), true);
        changed = true;
    }
    add_missing_field(m, load->arena, STR(LINEAGE_SOURCE_FILE), STRING, &changed);
    add_missing_field(m, load->arena, STR(LINEAGE_SOURCE_LINE), BIGINT, &changed);
    add_missing_field(m, load->arena, STR(LINEAGE_BATCH_ID), STRING, &changed);
    add_missing_field(m, load->arena, STR(QUARANTINE_VERSION), STRING, &changed);
    add_missing_field(m, load->arena, STR(QUARANTINE_AT), TIMESTAMP, &changed);
    if (with_bytes) add_missing_field(m, load->arena, STR(BRONZE_CORRUPT_BYTES), BINARY, &changed);
    return changed;
}

/** `CASE WHEN "=f3" THEN <what> END` for each error rule, corrupt record first; `what` is the reason or the structured
 * entry. */
static void print_reasons(const struct plan *plan, bool is_structured, struct buf *sql) {
    for (size_t k = 0; k <= plan->rule_count; k++) {
        const struct plan_rule *rule = k ? &plan->rules[k - 1] : NULL;
        if (rule && rule->severity != CONTRACT_ERROR) continue;
        struct str reason = rule ? rule->reason : STR("corrupt record");
        if (rule)
            buf_printf(sql, ", CASE WHEN \"=f%zu\" THEN ", k - 1);
        else
            buf_addz(sql, is_structured ? "CASE WHEN \"=corrupt\" THEN " : ", CASE WHEN \"=corrupt\" THEN ");
        if (is_structured) {
            buf_addz(sql, "{'rule': ");
            engine_sql_text(sql, rule ? rule->id : STR("corrupt_record"));
            buf_addz(sql, ", 'column': ");
            if (rule && rule->column != SIZE_MAX)
                engine_sql_text(sql, plan->columns[rule->column].name);
            else
                buf_addz(sql, "NULL::VARCHAR");
            buf_addz(sql, ", 'reason': ");
        }
        engine_sql_text(sql, reason);
        buf_addz(sql, is_structured ? "} END" : " END");
    }
}

static void print_rows(const struct silver_load *load, bool with_bytes, struct buf *sql) {
    const struct plan *plan = load->in->plan;
    buf_addz(sql, "SELECT ");
    for (size_t i = 0; i < plan->column_count; i++) {
        buf_printf(sql, "\"=r%zu\" AS ", i);
        engine_sql_name(sql, raw_name(plan, i, load->arena));
        buf_addz(sql, ", ");
    }
    buf_addz(sql, "\"_corrupt_record\", concat_ws('; '");
    print_reasons(plan, false, sql);
    buf_addz(sql, ") AS \"" QUARANTINE_REASON "\", list_filter([");
    print_reasons(plan, true, sql);
    buf_addz(sql, "], lambda x: x IS NOT NULL) AS \"" QUARANTINE_RULES
                  "\", \"_source_file\", \"_source_line\", \"_batch_id\", ");
    engine_sql_text(sql, plan->contract_version);
    buf_printf(sql, " AS \"" QUARANTINE_VERSION "\", make_timestamptz(%lld) AS \"" QUARANTINE_AT "\"",
               (long long)time_now_us());
    if (with_bytes) buf_addz(sql, ", \"_corrupt_bytes\"");
    buf_addz(sql, " FROM " VERDICT_TABLE " WHERE \"=rejected\"");
}

static enum assay_code has_bytes(const struct silver_load *load, bool *out, struct assay_error *err) {
    struct engine_result r = {0};
    *out = false;
    if (!load->has_corrupt_bytes) return ASSAY_OK;
    TRY(engine_query(load->in->engine,
                     STR("SELECT count(\"_corrupt_bytes\") FROM " VERDICT_TABLE " WHERE \"=rejected\""), 1, load->arena,
                     &r, err));
    *out = engine_cell_int(engine_cell_at(&r, 0, 0), 0) > 0;
    return ASSAY_OK;
}

static enum assay_code replace_batch(struct silver_load *load, struct str root, const struct delta_snapshot *snapshot,
                                     const struct delta_metadata *metadata, bool is_changed,
                                     const struct delta_new_files *files, struct assay_error *err) {
    const struct silver_input *in = load->in;
    struct delta_commit commit = {
        .metadata = is_changed ? metadata : NULL,
        .adds = files->files,
        .add_count = files->count,
        .operation = "WRITE",
        .parameters = str_printf(load->arena, "{\"mode\":\"Overwrite\",\"predicate\":\"_batch_id = '%.*s'\"}",
                                 STR_ARG(in->batch_id)),
        .user_metadata = in->user_metadata,
    };
    struct delta_range equal = {STR(LINEAGE_BATCH_ID), in->batch_id, in->batch_id};
    if (snapshot)
        return delta_replace_where(in->engine, in->staging, snapshot, &commit, equal, load->arena,
                                   &load->out->quarantine_version, err);
    return delta_commit(in->store, in->engine, root, &commit, &load->out->quarantine_version, err);
}

/** One try. CONFLICT: another writer came between; the caller tries again. */
static enum assay_code write_once(void *context, struct assay_error *err) {
    struct silver_load *load = context;
    const struct silver_input *in = load->in;
    struct str root;
    struct delta_snapshot *snapshot = NULL;
    TRY(plan_table_root(in->plan->quarantine_table, load->arena, &root, err));
    enum assay_code rc = delta_snapshot_load(in->store, in->engine, root, DELTA_LATEST, load->arena, &snapshot, err);
    if (rc && rc != ASSAY_NOT_FOUND) return rc;
    if (rc == ASSAY_NOT_FOUND) {
        snapshot = NULL;
        if (load->out->quarantined == 0) return ASSAY_OK; /* nothing to keep, nothing to replace */
    }
    bool with_bytes;
    TRY(has_bytes(load, &with_bytes, err));
    struct delta_metadata *metadata = snapshot ? delta_metadata_copy(&snapshot->metadata, load->arena)
                                               : ARENA_NEW(load->arena, struct delta_metadata);
    bool is_changed = complete_metadata(load, with_bytes, metadata);
    struct delta_new_files files = {0};
    if (load->out->quarantined) {
        struct buf sql = {0};
        print_rows(load, with_bytes, &sql);
        rc = delta_write_files(in->engine, in->staging, metadata, buf_str(&sql), &(struct engine_write_options){0},
                               load->arena, &files, err);
        buf_free(&sql);
        if (rc) return rc;
    }
    int64_t before = snapshot ? snapshot->version : -1;
    TRY(replace_batch(load, root, snapshot, metadata, is_changed && load->out->quarantined > 0, &files, err));
    load->out->is_quarantine_written = load->out->quarantine_version != before;
    return ASSAY_OK;
}

enum assay_code quarantine_write(struct silver_load *load, struct assay_error *err) {
    load->out->quarantine_version = -1;
    return delta_redo(write_once, load, err);
}
