/*
 * What stands on silver as CHECK constraints: that required strings are not '', then every rule that is true by
 * definition.
 *
 * 1. A constraint accepts exactly the rows its rule accepts: a rule of an optional column is not asked of NULL, so its
 * CHECK begins with `col IS NULL OR`.
 * 2. Only rules of error severity over one row that may stand on the table; never a reference.
 * 3. Names are lower case, as Delta's ADD CONSTRAINT makes them and DROP CONSTRAINT looks them up.
 */
#include "plan/plan_int.h"

static struct str print_text(const struct expr *predicate, struct arena *arena) {
    struct buf out = {0};
    expr_print_spark(&out, predicate);
    struct str text = str_copy(arena, buf_str(&out));
    buf_free(&out);
    return text;
}

/* With parentheses that the tree does not need: people read it on the table. */
static struct str print_optional(const struct expr *is_null, const struct expr *predicate, struct arena *arena) {
    struct str left = print_text(is_null, arena), right = print_text(predicate, arena);
    return str_printf(arena, "%.*s OR (%.*s)", STR_ARG(left), STR_ARG(right));
}

static enum assay_code add_constraint(struct plan *plan, struct str name, struct expr *predicate, struct str text,
                                      struct arena *arena, struct assay_error *err) {
    struct str lower = str_lower(arena, name);
    for (size_t i = 0; i < plan->constraint_count; i++)
        if (str_eq(plan->constraints[i].name, lower))
            return error_set(
                err, ASSAY_INVALID, NULL,
                "two constraints of the name %.*s (names are compared without case); give one rule another id",
                STR_ARG(lower));
    plan->constraints[plan->constraint_count++] =
        (struct plan_constraint){.name = lower, .predicate = predicate, .text = text};
    return ASSAY_OK;
}

static enum assay_code add_not_empty(struct plan *plan, const struct plan_column *column,
                                     const struct expr_column *names, struct arena *arena, struct assay_error *err) {
    struct expr *empty = expr_text(arena, STR(""));
    struct expr *predicate = expr_binary(arena, EXPR_NE, expr_column(arena, column->name), empty);
    TRY(expr_check_predicate(predicate, names, plan->column_count, arena, err));
    struct str name = str_printf(arena, "%.*s_not_empty", STR_ARG(column->name));
    return add_constraint(plan, name, predicate, print_text(predicate, arena), arena, err);
}

static enum assay_code add_rule(struct plan *plan, const struct plan_rule *rule, const struct expr_column *names,
                                struct arena *arena, struct assay_error *err) {
    struct expr *predicate = rule->predicate;
    bool is_asked_of_null = rule->column == SIZE_MAX || rule->kind == CONTRACT_PRESENT;
    if (is_asked_of_null || plan->columns[rule->column].is_required)
        return add_constraint(plan, rule->id, predicate, print_text(predicate, arena), arena, err);
    struct expr *is_null = expr_unary(arena, EXPR_IS_NULL, expr_column(arena, plan->columns[rule->column].name));
    struct expr *either = expr_binary(arena, EXPR_OR, is_null, predicate);
    TRY(expr_check_predicate(either, names, plan->column_count, arena, err));
    return add_constraint(plan, rule->id, either, print_optional(is_null, predicate, arena), arena, err);
}

enum assay_code plan_constraints_compile(const struct contract *contract, struct arena *arena, struct plan *plan,
                                         struct assay_error *err) {
    const struct expr_column *names = plan_expr_columns(plan, arena);
    plan->constraints = ARENA_ARRAY(arena, plan->column_count + plan->rule_count, struct plan_constraint);
    for (size_t i = 0; i < plan->column_count; i++) {
        const struct plan_column *column = &plan->columns[i];
        if (!column->is_required || column->type.kind != TYPE_STRING) continue;
        enum assay_code rc = add_not_empty(plan, column, names, arena, err);
        if (rc != ASSAY_OK) {
            error_prepend(err, "%s", plan_place_text(contract, contract->columns[i].place, arena));
            return rc;
        }
    }
    for (size_t i = 0; i < plan->rule_count; i++) {
        const struct contract_rule *declared = &contract->rules[i];
        if (!plan->rules[i].predicate || declared->severity != CONTRACT_ERROR || !declared->is_constraint) continue;
        enum assay_code rc = add_rule(plan, &plan->rules[i], names, arena, err);
        if (rc != ASSAY_OK) {
            error_prepend(err, "%s", plan_place_text(contract, declared->place, arena));
            return rc;
        }
    }
    return ASSAY_OK;
}
