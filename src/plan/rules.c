/*
 * A contract's rules as questions: each with its reason text and, where a tree can ask it, a predicate over the typed
 * columns.
 *
 * 1. REQUIRED, CAST and SCALE are asked of the raw text by their kind, REFERENCE of another table: they have no
 * predicate.
 * 2. Every predicate is checked: it is boolean and names only columns of the contract.
 * 3. Bounds and allowed values are literals of the column's type, so a date is never compared as text.
 * Source: the oracle's README, the table of reasons and "On the table".
 */
#include "plan/plan_int.h"

#include <assert.h>

static const char *reason_word(enum contract_rule_kind kind) {
    switch (kind) {
    case CONTRACT_REQUIRED:
    case CONTRACT_PRESENT:
        return "missing";
    case CONTRACT_CAST:
        return "unparseable";
    case CONTRACT_SCALE:
        return "inexact";
    case CONTRACT_RANGE:
        return "invalid";
    case CONTRACT_LENGTH:
        return "wrong length";
    case CONTRACT_PATTERN:
        return "malformed";
    case CONTRACT_ALLOWED:
        return "unknown";
    case CONTRACT_REFERENCE:
        return "unmatched";
    case CONTRACT_ROW:
        return "failed";
    }
    return "failed";
}

/* a AND b, where a may not be there yet. */
static struct expr *join_and(struct arena *arena, struct expr *a, struct expr *b) {
    return a ? expr_binary(arena, EXPR_AND, a, b) : b;
}

static enum assay_code add_bound(struct str bound, enum expr_op op, const struct plan_column *column,
                                 struct arena *arena, struct expr **predicate, struct assay_error *err) {
    if (!bound.ptr) return ASSAY_OK;
    struct expr *literal;
    TRY(plan_literal(bound, column->type, arena, &literal, err));
    *predicate = join_and(arena, *predicate, expr_binary(arena, op, expr_column(arena, column->name), literal));
    return ASSAY_OK;
}

static enum assay_code build_range(const struct contract_rule *rule, const struct plan_column *column,
                                   struct arena *arena, struct expr **out, struct assay_error *err) {
    TRY(add_bound(rule->minimum, rule->is_minimum_exclusive ? EXPR_GT : EXPR_GE, column, arena, out, err));
    return add_bound(rule->maximum, rule->is_maximum_exclusive ? EXPR_LT : EXPR_LE, column, arena, out, err);
}

static struct expr *compare_length(int64_t length, enum expr_op op, const struct plan_column *column,
                                   struct arena *arena) {
    struct expr **args = ARENA_ARRAY(arena, 1, struct expr *);
    args[0] = expr_column(arena, column->name);
    struct expr *digits = expr_number(arena, str_printf(arena, "%lld", (long long)length));
    return expr_binary(arena, op, expr_call(arena, STR("length"), args, 1), digits);
}

static struct expr *build_length(const struct contract_rule *rule, const struct plan_column *column,
                                 struct arena *arena) {
    struct expr *predicate = NULL;
    if (rule->min_length >= 0) predicate = compare_length(rule->min_length, EXPR_GE, column, arena);
    if (rule->max_length >= 0)
        predicate = join_and(arena, predicate, compare_length(rule->max_length, EXPR_LE, column, arena));
    return predicate;
}

enum assay_code plan_in_list(const struct plan_column *column, const struct str *values, size_t count,
                             struct arena *arena, struct expr **out, struct assay_error *err) {
    struct expr **args = ARENA_ARRAY(arena, count + 1, struct expr *);
    args[0] = expr_column(arena, column->name);
    for (size_t i = 0; i < count; i++) TRY(plan_literal(values[i], column->type, arena, &args[i + 1], err));
    *out = count ? expr_in(arena, args, count + 1) : NULL;
    return ASSAY_OK;
}

/* There is a value, and it is none of the texts that stand for none. */
static enum assay_code build_present(const struct contract_rule *rule, const struct plan_column *column,
                                     struct arena *arena, struct expr **out, struct assay_error *err) {
    struct expr *none;
    TRY(plan_in_list(column, rule->values, rule->value_count, arena, &none, err));
    *out = expr_unary(arena, EXPR_IS_NOT_NULL, expr_column(arena, column->name));
    if (none) *out = expr_binary(arena, EXPR_AND, *out, expr_unary(arena, EXPR_NOT, none));
    return ASSAY_OK;
}

/* *out stays NULL for the kinds that a tree does not ask. */
static enum assay_code build_predicate(const struct contract_rule *rule, const struct plan_column *column,
                                       struct arena *arena, struct expr **out, struct assay_error *err) {
    *out = NULL;
    switch (rule->kind) {
    case CONTRACT_REQUIRED:
    case CONTRACT_CAST:
    case CONTRACT_SCALE:
    case CONTRACT_REFERENCE:
        return ASSAY_OK;
    case CONTRACT_RANGE:
        TRY(build_range(rule, column, arena, out, err));
        break;
    case CONTRACT_LENGTH:
        *out = build_length(rule, column, arena);
        break;
    case CONTRACT_PATTERN:
        *out = expr_binary(arena, EXPR_RLIKE, expr_column(arena, column->name), expr_text(arena, rule->pattern));
        break;
    case CONTRACT_ALLOWED:
        TRY(plan_in_list(column, rule->values, rule->value_count, arena, out, err));
        break;
    case CONTRACT_PRESENT:
        TRY(build_present(rule, column, arena, out, err));
        break;
    case CONTRACT_ROW:
        *out = rule->predicate;
        break;
    }
    if (!*out)
        return error_set(err, ASSAY_INVALID, NULL, "the rule says nothing: give it a bound, a length or a value");
    return ASSAY_OK;
}

static enum assay_code compile_rule(const struct contract *contract, const struct contract_rule *rule,
                                    const struct expr_column *names, struct arena *arena, const struct plan *plan,
                                    struct plan_rule *out, struct assay_error *err) {
    assert(rule->column < plan->column_count || (rule->column == SIZE_MAX && rule->kind == CONTRACT_ROW));
    const struct plan_column *column = rule->column == SIZE_MAX ? NULL : &plan->columns[rule->column];
    struct str subject = rule->kind == CONTRACT_ROW ? rule->id : column->name;
    *out = (struct plan_rule){
        .id = rule->id,
        .reason = str_printf(arena, "%s %.*s", reason_word(rule->kind), STR_ARG(subject)),
        .kind = rule->kind,
        .column = rule->column,
        .severity = rule->severity,
        .reference_table = rule->reference_table,
        .reference_column = rule->reference_column,
        .reference_active_when = rule->reference_active_when,
    };
    enum assay_code rc = build_predicate(rule, column, arena, &out->predicate, err);
    if (rc == ASSAY_OK && out->predicate)
        rc = expr_check_predicate(out->predicate, names, plan->column_count, arena, err);
    if (rc != ASSAY_OK)
        error_prepend(err, "%s: rule %.*s", plan_place_text(contract, rule->place, arena), STR_ARG(rule->id));
    return rc;
}

struct expr_column *plan_expr_columns(const struct plan *plan, struct arena *arena) {
    struct expr_column *list = ARENA_ARRAY(arena, plan->column_count, struct expr_column);
    for (size_t i = 0; i < plan->column_count; i++)
        list[i] = (struct expr_column){.name = plan->columns[i].name, .type = plan->columns[i].type};
    return list;
}

const char *plan_place_text(const struct contract *contract, struct contract_place place, struct arena *arena) {
    return str_printf(arena, "%.*s:%u:%u", STR_ARG(contract->path), place.line, place.column).ptr;
}

enum assay_code plan_rules_compile(const struct contract *contract, struct arena *arena, struct plan *plan,
                                   struct assay_error *err) {
    const struct expr_column *names = plan_expr_columns(plan, arena);
    plan->rules = ARENA_ARRAY(arena, contract->rule_count, struct plan_rule);
    plan->rule_count = contract->rule_count;
    for (size_t i = 0; i < contract->rule_count; i++)
        TRY(compile_rule(contract, &contract->rules[i], names, arena, plan, &plan->rules[i], err));
    return ASSAY_OK;
}
