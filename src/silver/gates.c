/**
 * Gates: what stops a batch before silver is touched. The first that fails is reported, in the order of the design:
 * missing column; then, after quarantine: empty batch, required column entirely missing, reject ratio, minRows,
 * maxRows, the contract's checks of severity error in its order. From the second of them on a person can let the batch
 * through.
 */
#include "silver/silver_int.h"

struct gate {
    const char *name;
    struct str measured, limit;
    struct contract_place place; /* where the limit stands, or 0,0 */
};

static enum assay_code refuse(struct silver_load *load, struct gate gate, struct str detail, const char *next,
                              struct assay_error *err) {
    const struct plan *plan = load->in->plan;
    load->out->gate = str_of(gate.name);
    load->out->gate_detail = detail;
    load->out->gate_measured = gate.measured;
    load->out->gate_limit = gate.limit;
    struct str place = {0};
    if (gate.place.line)
        place = str_printf(load->arena, " (%.*s:%u)", STR_ARG(plan->contract_path), (unsigned)gate.place.line);
    struct str where = str_printf(load->arena, "%.*s batch %.*s", STR_ARG(plan->table), STR_ARG(load->in->batch_id));
    return error_set(err, ASSAY_REFUSED, where.ptr, "refused: %.*s%.*s; silver is unchanged\nnext: %s", STR_ARG(detail),
                     STR_ARG(place), next);
}

static enum assay_code refuse_show(struct silver_load *load, struct gate gate, struct str detail,
                                   struct assay_error *err) {
    struct str next = str_printf(load->arena, "assay quarantine show %.*s --batch %.*s", STR_ARG(load->in->plan->table),
                                 STR_ARG(load->in->batch_id));
    return refuse(load, gate, detail, next.ptr, err);
}

enum assay_code gates_columns(struct silver_load *load, const struct delta_snapshot *bronze, struct assay_error *err) {
    const struct plan *plan = load->in->plan;
    struct buf missing = {0};
    for (size_t i = 0; i < plan->source_column_count; i++) {
        if (delta_field_find(&bronze->metadata.schema, plan->source_columns[i]) != SIZE_MAX) continue;
        buf_printf(&missing, "%s%.*s", missing.len ? ", " : "", STR_ARG(plan->source_columns[i]));
    }
    struct str names = str_copy(load->arena, buf_str(&missing));
    buf_free(&missing);
    if (names.len == 0) return ASSAY_OK;
    struct str detail = str_printf(load->arena, "%.*s has no column %.*s, which the contract reads",
                                   STR_ARG(plan->bronze_table), STR_ARG(names));
    struct str next =
        str_printf(load->arena, "assay run %.*s --batch %.*s loads bronze again with the contract's columns",
                   STR_ARG(plan->table), STR_ARG(load->in->batch_id));
    return refuse(load, (struct gate){.name = "missing_column", .measured = names}, detail, next.ptr, err);
}

static enum assay_code judge_required(struct silver_load *load, const int64_t *missing, struct assay_error *err) {
    const struct plan *plan = load->in->plan;
    struct buf empty = {0};
    for (size_t i = 0; i < plan->column_count; i++)
        if (plan->columns[i].is_required && missing[i] == load->out->landed)
            buf_printf(&empty, "%s%.*s", empty.len ? ", " : "", STR_ARG(plan->columns[i].name));
    struct str names = str_copy(load->arena, buf_str(&empty));
    buf_free(&empty);
    if (names.len == 0) return ASSAY_OK;
    struct str detail = str_printf(load->arena, "required column %.*s has no value in any of %lld rows", STR_ARG(names),
                                   (long long)load->out->landed);
    return refuse_show(load, (struct gate){.name = "required_all_null", .measured = names}, detail, err);
}

static enum assay_code judge_ratio(struct silver_load *load, struct assay_error *err) {
    const struct plan *plan = load->in->plan;
    const struct silver_result *out = load->out;
    if (!plan_limit_exceeded(plan, out->quarantined, out->landed)) return ASSAY_OK;
    double percent = 100.0 * (double)out->quarantined / (double)out->landed;
    struct gate gate = {.name = "reject_ratio",
                        .measured = str_printf(load->arena, "%.4g", percent),
                        .limit = plan_limit_text(plan, load->arena),
                        .place = plan->limit_place};
    struct str detail = str_printf(load->arena, "%lld of %lld rows rejected, %.4g %% where the limit is %.*s %%",
                                   (long long)out->quarantined, (long long)out->landed, percent, STR_ARG(gate.limit));
    return refuse_show(load, gate, detail, err);
}

static enum assay_code judge_volume(struct silver_load *load, struct assay_error *err) {
    const struct plan *plan = load->in->plan;
    int64_t landed = load->out->landed;
    bool is_low = plan->min_rows >= 0 && landed < plan->min_rows;
    bool is_high = plan->max_rows >= 0 && landed > plan->max_rows;
    if (!is_low && !is_high) return ASSAY_OK;
    int64_t limit = is_low ? plan->min_rows : plan->max_rows;
    struct gate gate = {.name = is_low ? "min_rows" : "max_rows",
                        .measured = str_printf(load->arena, "%lld", (long long)landed),
                        .limit = str_printf(load->arena, "%lld", (long long)limit),
                        .place = is_low ? plan->min_rows_place : plan->max_rows_place};
    struct str detail = str_printf(load->arena, "%lld rows landed, %s %lld are expected", (long long)landed,
                                   is_low ? "at least" : "at most", (long long)limit);
    return refuse_show(load, gate, detail, err);
}

static enum assay_code judge_checks(struct silver_load *load, struct assay_error *err) {
    for (size_t k = 0; k < load->out->check_count; k++) {
        const struct silver_check *measured = &load->out->checks[k];
        const struct plan_check *check = measured->check;
        if (measured->is_passed || check->severity != CONTRACT_ERROR) continue;
        struct gate gate = {.name = plan_check_gate(check),
                            .measured = silver_check_text(measured, load->arena),
                            .limit = check->limit,
                            .place = check->place};
        struct str detail =
            str_printf(load->arena, "check %.*s: %.*s: %.*s, where the contract has %.*s", STR_ARG(check->id),
                       STR_ARG(check->what), STR_ARG(gate.measured), STR_ARG(gate.limit));
        return refuse_show(load, gate, detail, err);
    }
    return ASSAY_OK;
}

enum assay_code gates_judge(struct silver_load *load, const int64_t *missing, struct assay_error *err) {
    if (load->out->landed == 0)
        return refuse(load, (struct gate){.name = "empty_batch", .measured = STR("0")}, STR("the batch has no rows"),
                      "ask the source for the delivery; the files are in the batch's landing folder", err);
    enum assay_code rc = judge_required(load, missing, err);
    if (rc == ASSAY_OK) rc = judge_ratio(load, err);
    if (rc == ASSAY_OK) rc = judge_volume(load, err);
    if (rc == ASSAY_OK) rc = judge_checks(load, err);
    if (rc != ASSAY_REFUSED || !load->in->is_let_through) return rc;
    struct silver_result *out = load->out;
    out->overruled = str_printf(load->arena, "%.*s: %.*s", STR_ARG(out->gate), STR_ARG(out->gate_detail));
    out->gate = out->gate_detail = out->gate_measured = out->gate_limit = (struct str){0};
    return ASSAY_OK;
}
