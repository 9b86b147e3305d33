/**
 * The contract's checks of a batch, measured before silver is touched; gates.c judges them.
 *
 * 1. Rows that cannot be read have no values, so they are looked at by none but the count of landed rows.
 * 2. Duplicates are looked for among the rows that would go to silver: that a key comes twice in a batch is the grain's
 * business.
 */
#include "silver/silver_int.h"

#include "base/time.h"

static void take_number(const struct silver_result *out, const struct engine_cell *cell, struct silver_check *check) {
    check->count = engine_cell_int(cell, 0);
    check->total = out->landed - out->corrupt;
    if (check->check->metric != CONTRACT_AGE) return;
    check->is_measured = !cell->is_null;
    check->count = time_now_us() / 1000000 - check->count;
    check->total = 1;
}

/** All that can be measured in one pass over the rows. */
static enum assay_code measure_rows(struct silver_load *load, struct assay_error *err) {
    const struct plan *plan = load->in->plan;
    size_t asked = 0;
    for (size_t k = 0; k < plan->check_count; k++) asked += checked_measures_rows(&plan->checks[k]);
    if (!asked) return ASSAY_OK;
    struct engine_result r;
    struct buf sql = {0};
    checked_checks_sql(load, &sql);
    enum assay_code rc = engine_query(load->in->engine, buf_str(&sql), 1, load->arena, &r, err);
    buf_free(&sql);
    for (size_t k = 0, at = 0; k < plan->check_count && rc == ASSAY_OK; k++)
        if (checked_measures_rows(&plan->checks[k]))
            take_number(load->out, engine_cell_at(&r, 0, at++), &load->out->checks[k]);
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

/** Against fewer batches an average says nothing. */
enum { HISTORY_MIN = 3 };

static void compare_volume(const struct silver_load *load, struct silver_check *out) {
    const struct silver_input *in = load->in;
    size_t wanted = (size_t)out->check->batch_count, least = wanted < HISTORY_MIN ? wanted : HISTORY_MIN;
    size_t count = in->history_count < wanted ? in->history_count : wanted;
    int64_t sum = 0;
    for (size_t i = 0; i < count; i++) sum += in->history[i];
    out->is_measured = count >= least && sum > 0;
    if (!out->is_measured) return;
    /* landed to sum / count, as whole numbers */
    out->count = load->out->landed * (int64_t)count;
    out->total = sum;
}

static int64_t count_rejected(const struct silver_load *load, const struct plan_check *check) {
    const struct silver_result *out = load->out;
    for (size_t i = 0; i < out->rule_count; i++)
        if (str_eq(out->rules[i].id, load->in->plan->rules[check->rule].id)) return out->rules[i].count;
    return 0;
}

static enum assay_code measure(struct silver_load *load, struct silver_check *out, struct assay_error *err) {
    switch (out->check->metric) {
    case CONTRACT_DUPLICATE_VALUES:
        return count_duplicates(load, out, err);
    case CONTRACT_REJECTED_ROWS:
        out->count = count_rejected(load, out->check);
        return ASSAY_OK;
    case CONTRACT_VOLUME:
        compare_volume(load, out);
        return ASSAY_OK;
    default: /* ROW_COUNT: as it is; the others: measure_rows */
        return ASSAY_OK;
    }
}

enum assay_code checks_measure(struct silver_load *load, struct assay_error *err) {
    const struct plan *plan = load->in->plan;
    struct silver_result *out = load->out;
    out->checks = ARENA_ARRAY(load->arena, plan->check_count, struct silver_check);
    out->check_count = plan->check_count;
    for (size_t k = 0; k < plan->check_count; k++)
        out->checks[k] = (struct silver_check){
            .check = &plan->checks[k], .count = out->landed, .total = out->landed, .is_measured = true};
    TRY(measure_rows(load, err));
    for (size_t k = 0; k < plan->check_count; k++) {
        struct silver_check *check = &out->checks[k];
        TRY(measure(load, check, err));
        check->is_passed = !check->is_measured || plan_check_passes(check->check, check->count, check->total);
    }
    return ASSAY_OK;
}

struct str silver_check_text(const struct silver_check *check, struct arena *arena) {
    if (!check->is_measured) return STR("nothing to compare with");
    if (check->check->metric == CONTRACT_AGE) return plan_age_text(check->count, arena);
    if (!check->check->is_percent || check->total == 0) return str_printf(arena, "%lld", (long long)check->count);
    double percent = 100.0 * (double)check->count / (double)check->total;
    if (check->check->metric == CONTRACT_VOLUME) return str_printf(arena, "%.4g %%", percent);
    return str_printf(arena, "%.4g %% (%lld of %lld)", percent, (long long)check->count, (long long)check->total);
}
