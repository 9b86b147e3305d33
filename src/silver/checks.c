/**
 * The contract's checks of a batch, measured before silver is touched; gates.c judges them.
 *
 * 1. Rows that cannot be read have no values, so they are looked at by none but the count of landed rows.
 * 2. Duplicates are looked for among the rows that would go to silver: that a key comes twice in a batch is the grain's
 * business.
 */
#include "silver/silver_int.h"

static enum assay_code count_rows(struct silver_load *load, struct assay_error *err) {
    const struct plan *plan = load->in->plan;
    struct silver_result *out = load->out;
    size_t asked = 0;
    for (size_t k = 0; k < plan->check_count; k++) asked += checked_counts_rows(&plan->checks[k]);
    if (!asked) return ASSAY_OK;
    struct engine_result r;
    struct buf sql = {0};
    checked_checks_sql(load, &sql);
    enum assay_code rc = engine_query(load->in->engine, buf_str(&sql), 1, load->arena, &r, err);
    buf_free(&sql);
    for (size_t k = 0, at = 0; k < plan->check_count && rc == ASSAY_OK; k++) {
        if (!checked_counts_rows(&plan->checks[k])) continue;
        out->checks[k].count = engine_cell_int(engine_cell_at(&r, 0, at++), 0);
        out->checks[k].total = out->landed - out->corrupt;
    }
    return rc;
}

/** Rows without a NULL in the columns, less their different values. */
static enum assay_code count_duplicates(struct silver_load *load, struct silver_check *out, struct assay_error *err) {
    const struct plan *plan = load->in->plan;
    const struct plan_check *check = out->check;
    struct engine_result r;
    struct buf sql = {0};
    buf_addz(&sql, "SELECT coalesce(sum(n - 1), 0)::BIGINT FROM (SELECT count(*) AS n FROM (");
    grain_taken_sql(load, &sql);
    buf_addz(&sql, ") t WHERE true");
    for (size_t i = 0; i < check->column_count; i++) {
        buf_addz(&sql, " AND ");
        engine_sql_name(&sql, plan->columns[check->columns[i]].name);
        buf_addz(&sql, " IS NOT NULL");
    }
    buf_addz(&sql, " GROUP BY ");
    for (size_t i = 0; i < check->column_count; i++) {
        buf_addz(&sql, i ? ", " : "");
        engine_sql_name(&sql, plan->columns[check->columns[i]].name);
    }
    buf_addc(&sql, ')');
    enum assay_code rc = engine_query(load->in->engine, buf_str(&sql), 1, load->arena, &r, err);
    buf_free(&sql);
    if (rc) return rc;
    out->count = engine_cell_int(engine_cell_at(&r, 0, 0), 0);
    out->total = load->out->accepted;
    return ASSAY_OK;
}

enum assay_code checks_measure(struct silver_load *load, struct assay_error *err) {
    const struct plan *plan = load->in->plan;
    struct silver_result *out = load->out;
    out->checks = ARENA_ARRAY(load->arena, plan->check_count, struct silver_check);
    out->check_count = plan->check_count;
    for (size_t k = 0; k < plan->check_count; k++)
        out->checks[k] = (struct silver_check){.check = &plan->checks[k], .count = out->landed, .total = out->landed};
    TRY(count_rows(load, err));
    for (size_t k = 0; k < plan->check_count; k++) {
        struct silver_check *check = &out->checks[k];
        if (check->check->metric == CONTRACT_DUPLICATE_VALUES) TRY(count_duplicates(load, check, err));
        check->is_passed = plan_check_passes(check->check, check->count, check->total);
    }
    return ASSAY_OK;
}

struct str silver_check_text(const struct silver_check *check, struct arena *arena) {
    if (!check->check->is_percent || check->total == 0) return str_printf(arena, "%lld", (long long)check->count);
    return str_printf(arena, "%.4g %% (%lld)", 100.0 * (double)check->count / (double)check->total,
                      (long long)check->count);
}
