/**
 * One load of a batch into silver, step by step. See silver.h for the order of what is durable.
 *
 * 1. landed = accepted + superseded + quarantined, or the load fails.
 */
#include "silver/silver_int.h"

#include "base/json.h"

#include <stdlib.h>

static enum assay_code find_raw(struct silver_load *load, struct assay_error *err) {
    const struct silver_input *in = load->in;
    struct str root;
    struct delta_snapshot *bronze;
    struct delta_range range = {STR(LINEAGE_BATCH_ID), in->batch_id, in->batch_id};
    size_t *files, count;
    struct buf sql = {0};
    TRY(plan_table_root(in->plan->bronze_table, load->arena, &root, err));
    TRY(delta_snapshot_load(in->store, in->engine, root, in->bronze->version, load->arena, &bronze, err));
    load->bronze = bronze;
    TRY(gates_columns(load, bronze, err));
    load->has_corrupt_bytes = delta_field_find(&bronze->metadata.schema, STR(BRONZE_CORRUPT_BYTES)) != SIZE_MAX;
    TRY(delta_prune(bronze, &range, 1, load->arena, &files, &count, err));
    buf_addz(&sql, "(SELECT * FROM ");
    enum assay_code rc = delta_scan_sql(bronze, files, count, false, load->arena, &sql, err);
    bool is_whole = true;
    for (size_t i = 0; i < count; i++)
        is_whole = is_whole && delta_file_is_all(bronze, files[i], range.column, in->batch_id);
    if (!is_whole) {
        buf_addz(&sql, " WHERE \"_batch_id\" = ");
        engine_sql_text(&sql, in->batch_id);
    }
    buf_addc(&sql, ')');
    load->raw = str_copy(load->arena, buf_str(&sql));
    buf_free(&sql);
    return rc ? rc : typed_prepare(load, bronze, err);
}

/** The active keys of a reference table, as a temp table that the rule's answer looks into.
 * @param version  in: the one to look at; out: the same, as a number */
static enum assay_code load_reference(const struct silver_load *load, const struct plan_rule *rule, int64_t *version,
                                      struct assay_error *err) {
    const struct silver_input *in = load->in;
    struct arena *arena = load->arena;
    struct str root;
    struct delta_snapshot *s;
    struct buf sql = {0};
    TRY(plan_table_root(rule->reference_table, arena, &root, err));
    enum assay_code rc = delta_snapshot_load(in->store, in->engine, root, *version, arena, &s, err);
    if (rc == ASSAY_NOT_FOUND)
        return error_set(
            err, rc, root.ptr,
            "the rule %.*s of %.*s looks for values in the table %.*s, which is not there\nnext: load %.*s "
            "first, or take the rule out of the contract",
            STR_ARG(rule->id), STR_ARG(in->plan->table), STR_ARG(rule->reference_table),
            STR_ARG(rule->reference_table));
    if (rc) {
        error_prepend(err, "rule %.*s: reference table %.*s", STR_ARG(rule->id), STR_ARG(rule->reference_table));
        return rc;
    }
    *version = s->version;
    struct str name = str_printf(arena, "assay_reference_%.*s", STR_ARG(rule->id));
    buf_addz(&sql, "CREATE OR REPLACE TEMP TABLE ");
    engine_sql_name(&sql, name);
    buf_addz(&sql, " AS SELECT DISTINCT ");
    engine_sql_name(&sql, rule->reference_column);
    buf_addz(&sql, " AS \"=key\" FROM ");
    if ((rc = delta_scan_sql(s, NULL, s->file_count, false, arena, &sql, err))) goto done;
    buf_addz(&sql, " t WHERE \"=key\" IS NOT NULL");
    if (rule->reference_active_when.len) {
        struct expr *active;
        struct expr_column *columns = ARENA_ARRAY(arena, s->metadata.schema.count, struct expr_column);
        for (size_t i = 0; i < s->metadata.schema.count; i++)
            columns[i] = (struct expr_column){s->metadata.schema.fields[i].name, s->metadata.schema.fields[i].type};
        if ((rc = expr_parse(rule->reference_active_when, arena, &active, err))) goto done;
        if ((rc = expr_check_predicate(active, columns, s->metadata.schema.count, arena, err))) goto done;
        if ((rc = checked_need(load, active, err))) goto done;
        buf_addz(&sql, " AND (");
        expr_print_engine(&sql, active, STR("t"));
        buf_addc(&sql, ')');
    }
    rc = engine_run(in->engine, buf_str(&sql), err);
    if (rc) rc = delta_read_failed(s, rc, err);
done:
    buf_free(&sql);
    return rc;
}

/** The version at which an earlier rule looked into the same table, or the latest. */
static int64_t earlier_version(const struct plan *plan, const int64_t *versions, size_t rule) {
    for (size_t k = 0; k < rule; k++)
        if (versions[k] >= 0 && str_eq_nocase(plan->rules[k].reference_table, plan->rules[rule].reference_table))
            return versions[k];
    return DELTA_LATEST;
}

/** Every rule over a table looks at one version of it, which is told. */
static enum assay_code load_references(const struct silver_load *load, struct assay_error *err) {
    const struct plan *plan = load->in->plan;
    struct buf text = {0};
    struct json_writer w = {.out = &text};
    int64_t *versions = ARENA_ARRAY(load->arena, plan->rule_count, int64_t);
    enum assay_code rc = ASSAY_OK;
    json_begin_object(&w);
    for (size_t k = 0; k < plan->rule_count && rc == ASSAY_OK; k++) {
        versions[k] = -1;
        if (plan->rules[k].kind != CONTRACT_REFERENCE) continue;
        bool is_told = earlier_version(plan, versions, k) != DELTA_LATEST;
        versions[k] = earlier_version(plan, versions, k);
        rc = load_reference(load, &plan->rules[k], &versions[k], err);
        if (is_told) continue;
        json_key_str(&w, plan->rules[k].reference_table);
        json_put_int(&w, versions[k]);
    }
    json_end_object(&w);
    if (text.len > 2) load->out->reference_versions = str_copy(load->arena, buf_str(&text));
    buf_free(&text);
    return rc;
}

static enum assay_code check_account(const struct silver_load *load, struct assay_error *err) {
    const struct silver_result *out = load->out;
    if (out->landed == out->accepted + out->superseded + out->quarantined) return ASSAY_OK;
    return error_set(err, ASSAY_INTERNAL, load->in->plan->table.ptr,
                     "rows do not add up: %lld landed, but %lld accepted + %lld superseded + %lld quarantined",
                     (long long)out->landed, (long long)out->accepted, (long long)out->superseded,
                     (long long)out->quarantined);
}

/** ASSAY_TEST_SMALL_BATCH_ROWS=0 sends every batch the way of the large ones. */
static bool is_small(const struct silver_input *input) {
    int64_t most = SMALL_BATCH_ROWS, asked;
    if (str_int64(str_of(getenv("ASSAY_TEST_SMALL_BATCH_ROWS")), &asked) == ASSAY_OK) most = asked;
    return input->bronze->row_count <= most;
}

static enum assay_code run_steps(struct silver_load *load, struct assay_error *err) {
    int64_t *missing = ARENA_ARRAY(load->arena, load->in->plan->column_count, int64_t);
    TRY(find_raw(load, err));
    TRY(checked_prepare(load, err));
    TRY(load_references(load, err));
    TRY(grain_find_repeated(load, err));
    TRY(verdict_make(load, err));
    TRY(verdict_count(load, missing, err));
    TRY(checks_measure(load, err));
    TRY(quarantine_write(load, err));
    TRY(gates_judge(load, missing, err));
    TRY(merge_run(load, err));
    TRY(check_account(load, err));
    return redrive_end(load, err);
}

enum assay_code silver_load(const struct silver_input *input, struct arena *arena, struct silver_result *out,
                            struct assay_error *err) {
    struct silver_load load = {.in = input, .arena = arena, .out = out, .keeps_all = is_small(input)};
    *out = (struct silver_result){.version = -1, .version_before = -1, .quarantine_version = -1};
    enum assay_code rc = run_steps(&load, err);
    return rc && load.bronze ? delta_read_failed(load.bronze, rc, err) : rc;
}
