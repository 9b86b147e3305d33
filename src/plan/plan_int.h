/** What the files of plan/ share. */
#ifndef PLAN_PLAN_INT_H
#define PLAN_PLAN_INT_H

#include "plan/plan.h"

/** Fill plan->rules; plan->columns must be there. INVALID a rule that cannot be a predicate, with its place in the
 * contract. */
enum assay_code plan_rules_compile(const struct contract *contract, struct arena *arena, struct plan *plan,
                                   struct assay_error *err) NODISCARD;

/** Fill plan->checks; plan->columns must be there. INVALID as plan_rules_compile. */
enum assay_code plan_checks_compile(const struct contract *contract, struct arena *arena, struct plan *plan,
                                    struct assay_error *err) NODISCARD;

/** column IN (values); NULL without values. INVALID, where empty, if a text is no value of the column's type. */
enum assay_code plan_in_list(const struct plan_column *column, const struct str *values, size_t count,
                             struct arena *arena, struct expr **out, struct assay_error *err) NODISCARD;

/** Fill plan->constraints from plan->rules. INVALID two constraints of one name. */
enum assay_code plan_constraints_compile(const struct contract *contract, struct arena *arena, struct plan *plan,
                                         struct assay_error *err) NODISCARD;

/** The plan's columns as expr_check wants them; column_count entries. */
struct expr_column *plan_expr_columns(const struct plan *plan, struct arena *arena);

/** A bound or an allowed value as a literal of the type. INVALID, where empty, if the text is no value of it. */
enum assay_code plan_literal(struct str text, struct type type, struct arena *arena, struct expr **out,
                             struct assay_error *err) NODISCARD;

/** `<path>:<line>:<column>` for an error's place. */
const char *plan_place_text(const struct contract *contract, struct contract_place place, struct arena *arena);

#endif
