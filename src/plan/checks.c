/*
 * A contract's checks of a batch: what is measured and the bound, in words and as trees.
 *
 * 1. Every predicate is checked: it is boolean and names only columns of the contract.
 * 2. Bounds are compared on integers, so a percentage with decimals is never a floating-point number.
 */
#include "plan/describe.h"
#include "plan/plan_int.h"

__extension__ typedef __int128 wide; /* 10^18 * 100 * 2^63 does not fit 64 bits, and no bound has more digits */

/* ---- bounds ---- */

/* The contract has seen that these are digits, at most 15 of them, with a sign and a point. */
static struct plan_decimal decimal_of(struct str text) {
    struct plan_decimal d = {0};
    bool is_fraction = false;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == '.') is_fraction = true;
        if (c < '0' || c > '9') continue;
        d.scaled = d.scaled * 10 + (c - '0');
        d.scale += is_fraction;
    }
    if (text.len && text.ptr[0] == '-') d.scaled = -d.scaled;
    return d;
}

/* <0, 0, >0: the measured count or percentage against a bound. */
static int compare(const struct plan_check *check, int64_t count, int64_t total, struct plan_decimal bound) {
    bool has_share = check->is_percent && total > 0;
    wide left = (wide)count * (has_share ? 100 : 1), right = (wide)bound.scaled * (has_share ? total : 1);
    for (int i = 0; i < bound.scale; i++) left *= 10;
    return left < right ? -1 : left > right;
}

bool plan_check_passes(const struct plan_check *check, int64_t count, int64_t total) {
    int low = compare(check, count, total, check->low);
    switch (check->op) {
    case CONTRACT_EQUAL:
        return low == 0;
    case CONTRACT_NOT_EQUAL:
        return low != 0;
    case CONTRACT_GREATER:
        return low > 0;
    case CONTRACT_GREATER_OR_EQUAL:
        return low >= 0;
    case CONTRACT_LESS:
        return low < 0;
    case CONTRACT_LESS_OR_EQUAL:
        return low <= 0;
    case CONTRACT_BETWEEN:
        return low >= 0 && compare(check, count, total, check->high) <= 0;
    case CONTRACT_NOT_BETWEEN:
        return low < 0 || compare(check, count, total, check->high) > 0;
    }
    return false;
}

const char *plan_check_gate(const struct plan_check *check) {
    switch (check->metric) {
    case CONTRACT_REJECTED_ROWS:
        return "rule_limit";
    case CONTRACT_VOLUME:
        return "volume";
    case CONTRACT_AGE:
        return "freshness";
    default:
        return "quality";
    }
}

struct str plan_age_text(int64_t seconds, struct arena *arena) {
    static const struct {
        const char *unit;
        int64_t seconds;
    } units[] = {{"d", 86400}, {"h", 3600}, {"min", 60}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (seconds % units[i].seconds == 0 && seconds != 0)
            return str_printf(arena, "%lld %s", (long long)(seconds / units[i].seconds), units[i].unit);
        if (seconds > 2 * units[i].seconds)
            return str_printf(arena, "%.1f %s", (double)seconds / (double)units[i].seconds, units[i].unit);
    }
    return str_printf(arena, "%lld s", (long long)seconds);
}

static struct str limit_text(const struct contract_check *check, struct arena *arena) {
    static const char *const words[] = {
        [CONTRACT_EQUAL] = "exactly",     [CONTRACT_NOT_EQUAL] = "not",
        [CONTRACT_GREATER] = "more than", [CONTRACT_GREATER_OR_EQUAL] = "at least",
        [CONTRACT_LESS] = "less than",    [CONTRACT_LESS_OR_EQUAL] = "at most",
        [CONTRACT_BETWEEN] = "between",   [CONTRACT_NOT_BETWEEN] = "not between",
    };
    const char *unit = check->is_percent ? " %" : "";
    if (check->metric == CONTRACT_AGE)
        return str_printf(arena, "at most %.*s", STR_ARG(plan_age_text(decimal_of(check->low).scaled, arena)));
    if (!check->high.len) return str_printf(arena, "%s %.*s%s", words[check->op], STR_ARG(check->low), unit);
    return str_printf(arena, "%s %.*s and %.*s%s", words[check->op], STR_ARG(check->low), STR_ARG(check->high), unit);
}

/* ---- what is measured ---- */

static struct str what_text(const struct contract *contract, const struct plan *plan,
                            const struct contract_check *check, struct arena *arena) {
    struct str columns = describe_columns(plan, check->columns, check->column_count, arena);
    switch (check->metric) {
    case CONTRACT_NULL_VALUES:
    case CONTRACT_MISSING_VALUES:
        return str_printf(arena, "rows without %.*s", STR_ARG(columns));
    case CONTRACT_INVALID_VALUES:
        return str_printf(arena, "rows with an invalid %.*s", STR_ARG(columns));
    case CONTRACT_DUPLICATE_VALUES:
        return str_printf(arena, "rows that repeat %.*s", STR_ARG(columns));
    case CONTRACT_ROW_COUNT:
        return STR("rows landed");
    case CONTRACT_REJECTED_ROWS:
        return str_printf(arena, "rows rejected by %.*s", STR_ARG(contract->rules[check->rule].id));
    case CONTRACT_VOLUME:
        return str_printf(arena, "rows landed, to the average of the last %lld good batches",
                          (long long)check->batch_count);
    case CONTRACT_AGE:
        return str_printf(arena, "age of the newest %.*s", STR_ARG(columns));
    case CONTRACT_MATCHING_ROWS:
        return str_printf(arena, "rows where %.*s", STR_ARG(describe_expr(check->condition, arena)));
    }
    return (struct str){0};
}

static enum assay_code build_predicate(const struct plan *plan, const struct contract_check *check, struct arena *arena,
                                       struct expr **out, struct assay_error *err) {
    *out = check->condition;
    if (check->metric != CONTRACT_MISSING_VALUES && check->metric != CONTRACT_INVALID_VALUES) return ASSAY_OK;
    const struct plan_column *column = &plan->columns[check->columns[0]];
    TRY(plan_in_list(column, check->values, check->value_count, arena, out, err));
    if (!check->pattern.len) return ASSAY_OK;
    struct expr *matches =
        expr_binary(arena, EXPR_RLIKE, expr_column(arena, column->name), expr_text(arena, check->pattern));
    *out = *out ? expr_binary(arena, EXPR_AND, *out, matches) : matches;
    return ASSAY_OK;
}

static enum assay_code compile_check(const struct contract *contract, const struct contract_check *check,
                                     const struct expr_column *names, struct arena *arena, const struct plan *plan,
                                     struct plan_check *out, struct assay_error *err) {
    *out = (struct plan_check){
        .id = check->id,
        .what = what_text(contract, plan, check, arena),
        .limit = limit_text(check, arena),
        .metric = check->metric,
        .columns = check->columns,
        .column_count = check->column_count,
        .op = check->op,
        .low = decimal_of(check->low),
        .high = decimal_of(check->high),
        .is_percent = check->is_percent,
        .rule = check->rule,
        .batch_count = check->batch_count,
        .severity = check->severity,
        .place = check->place,
    };
    enum assay_code rc = build_predicate(plan, check, arena, &out->predicate, err);
    if (rc == ASSAY_OK && out->predicate)
        rc = expr_check_predicate(out->predicate, names, plan->column_count, arena, err);
    if (rc != ASSAY_OK)
        error_prepend(err, "%s: check %.*s", plan_place_text(contract, check->place, arena), STR_ARG(check->id));
    return rc;
}

enum assay_code plan_checks_compile(const struct contract *contract, struct arena *arena, struct plan *plan,
                                    struct assay_error *err) {
    const struct expr_column *names = plan_expr_columns(plan, arena);
    plan->checks = ARENA_ARRAY(arena, contract->check_count, struct plan_check);
    plan->check_count = contract->check_count;
    for (size_t i = 0; i < contract->check_count; i++)
        TRY(compile_check(contract, &contract->checks[i], names, arena, plan, &plan->checks[i], err));
    return ASSAY_OK;
}
