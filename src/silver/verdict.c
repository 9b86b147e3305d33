/**
 * The verdict: one pass over the batch that keeps the rows that need attention, in the temp table VERDICT_TABLE:
 * rejected ones with their raw values and answers; accepted ones only when a warning spoke, a decimal was rounded, or
 * their key occurs again. Of a small batch every row is kept, each as if its key occurred again.
 *
 * 1. Every count of the run but `landed` comes from this table; a row that is not in it was accepted without a word.
 * 2. Raw values are kept for rejected rows only, typed values for accepted rows of repeated keys only.
 */
#include "silver/silver_int.h"

#include <stdlib.h>

static void print_kept_values(const struct plan *plan, struct buf *sql) {
    for (size_t i = 0; i < plan->column_count; i++)
        buf_printf(sql, ", CASE WHEN \"=rejected\" THEN \"=r%zu\" END AS \"=r%zu\"", i, i);
    for (size_t i = 0; i < plan->column_count; i++) {
        buf_addz(sql, ", CASE WHEN \"=repeated\" AND NOT \"=rejected\" THEN ");
        engine_sql_name(sql, plan->columns[i].name);
        buf_addz(sql, " END AS ");
        engine_sql_name(sql, plan->columns[i].name);
    }
}

/** Which rows are kept. */
static void print_attention(const struct plan *plan, struct buf *sql) {
    buf_addz(sql, " WHERE \"=rejected\" OR \"=repeated\"");
    for (size_t k = 0; k < plan->rule_count; k++)
        if (plan->rules[k].severity != CONTRACT_ERROR) buf_printf(sql, " OR \"=f%zu\"", k);
    for (size_t i = 0; i < plan->column_count; i++)
        if (plan->columns[i].is_rounded) buf_printf(sql, " OR \"=n%zu\"", i);
}

enum assay_code verdict_make(struct silver_load *load, struct assay_error *err) {
    const struct plan *plan = load->in->plan;
    struct buf sql = {0};
    buf_addz(
        &sql,
        "CREATE OR REPLACE TEMP TABLE " VERDICT_TABLE " AS SELECT \"=rejected\", \"=repeated\", \"=corrupt\", "
        "\"_corrupt_record\", \"_corrupt_bytes\", \"_source_file\", \"_source_line\", \"_batch_id\", \"_loaded_at\"");
    for (size_t k = 0; k < plan->rule_count; k++) buf_printf(&sql, ", \"=f%zu\"", k);
    for (size_t i = 0; i < plan->column_count; i++)
        if (plan->columns[i].is_rounded) buf_printf(&sql, ", \"=n%zu\"", i);
    print_kept_values(plan, &sql);
    buf_addz(&sql, " FROM ");
    checked_sql(load, &sql);
    if (!load->keeps_all) print_attention(plan, &sql);
    enum assay_code rc = engine_run(load->in->engine, buf_str(&sql), err);
    buf_free(&sql);
    return rc;
}

/** Accepted rows that lose to another of their key: repeated ones less one per key. */
static void print_lost(const struct plan *plan, struct buf *sql) {
    buf_addz(sql, "count(*) FILTER (\"=repeated\" AND NOT \"=rejected\") - "
                  "(SELECT count(*) FROM (SELECT DISTINCT ");
    for (size_t k = 0; k < plan->key_count; k++) {
        if (k) buf_addz(sql, ", ");
        engine_sql_name(sql, plan->columns[plan->keys[k]].name);
    }
    buf_addz(sql, " FROM " VERDICT_TABLE " WHERE \"=repeated\" AND NOT \"=rejected\"))");
}

static void print_counts(const struct plan *plan, struct buf *sql) {
    buf_addz(sql, "SELECT count(*) FILTER (\"=rejected\"), count(*) FILTER (\"=corrupt\"), ");
    print_lost(plan, sql);
    for (size_t k = 0; k < plan->rule_count; k++)
        buf_printf(sql, ", count(*) FILTER (\"=f%zu\" AND %s\"=rejected\")", k,
                   plan->rules[k].severity == CONTRACT_ERROR ? "" : "NOT ");
    for (size_t i = 0; i < plan->column_count; i++)
        if (plan->columns[i].is_rounded) buf_printf(sql, ", count(*) FILTER (\"=n%zu\")", i);
    buf_addz(sql, " FROM " VERDICT_TABLE);
}

static int by_count_then_order(const void *a, const void *b) {
    const struct silver_rule_count *x = a, *y = b;
    if (x->is_warning != y->is_warning) return x->is_warning - y->is_warning;
    if (x->count != y->count) return x->count < y->count ? 1 : -1;
    return str_cmp(x->id, y->id);
}

static void fill_rules(struct silver_load *load, const struct engine_result *r, size_t *at, int64_t *missing) {
    const struct plan *plan = load->in->plan;
    struct silver_result *out = load->out;
    out->rules = ARENA_ARRAY(load->arena, plan->rule_count + 1, struct silver_rule_count);
    out->rule_count = 0;
    if (out->corrupt)
        out->rules[out->rule_count++] =
            (struct silver_rule_count){STR("corrupt_record"), STR("corrupt record"), SIZE_MAX, out->corrupt, false};
    for (size_t k = 0; k < plan->rule_count; k++) {
        const struct plan_rule *rule = &plan->rules[k];
        int64_t count = engine_cell_int(engine_cell_at(r, 0, (*at)++), 0);
        if (rule->kind == CONTRACT_REQUIRED) missing[rule->column] = count;
        if (count == 0) continue;
        out->rules[out->rule_count++] =
            (struct silver_rule_count){rule->id, rule->reason, rule->column, count, rule->severity != CONTRACT_ERROR};
    }
    qsort(out->rules, out->rule_count, sizeof *out->rules, by_count_then_order);
}

enum assay_code verdict_count(struct silver_load *load, int64_t *missing, struct assay_error *err) {
    const struct plan *plan = load->in->plan;
    struct silver_result *out = load->out;
    struct engine_result r;
    struct buf sql = {0};
    print_counts(plan, &sql);
    enum assay_code rc = engine_query(load->in->engine, buf_str(&sql), 1, load->arena, &r, err);
    buf_free(&sql);
    if (rc) return rc;
    size_t at = 3;
    out->landed = load->in->bronze->row_count;
    out->quarantined = engine_cell_int(engine_cell_at(&r, 0, 0), 0);
    out->corrupt = engine_cell_int(engine_cell_at(&r, 0, 1), 0);
    out->superseded = engine_cell_int(engine_cell_at(&r, 0, 2), 0);
    out->accepted = out->landed - out->quarantined - out->superseded;
    out->was_counted = true;
    fill_rules(load, &r, &at, missing);
    out->rounded = ARENA_ARRAY(load->arena, plan->column_count, struct silver_rounded);
    for (size_t i = 0; i < plan->column_count; i++) {
        if (!plan->columns[i].is_rounded) continue;
        int64_t count = engine_cell_int(engine_cell_at(&r, 0, at++), 0);
        if (count) out->rounded[out->rounded_count++] = (struct silver_rounded){i, count};
    }
    return ASSAY_OK;
}
