/** Pieces of a plan as words. */
#ifndef PLAN_DESCRIBE_H
#define PLAN_DESCRIBE_H

#include "plan/plan.h"

struct str describe_type(struct type type, struct arena *arena);
/** Spark SQL; empty for NULL. */
struct str describe_expr(const struct expr *e, struct arena *arena);
struct str describe_format(enum contract_format format);
struct str describe_header(enum contract_header header);
struct str describe_kind(enum contract_rule_kind kind);
/** What a value or a row must be to pass. */
struct str describe_question(const struct plan *plan, const struct plan_rule *rule, struct arena *arena);
/** How the rule stands on silver: `CHECK`, `NOT NULL`, or empty. */
struct str describe_on_table(const struct plan *plan, const struct plan_rule *rule, struct arena *arena);
/** Names joined by `, `. */
struct str describe_columns(const struct plan *plan, const size_t *columns, size_t count, struct arena *arena);
/** Names of the required columns joined by `, `. */
struct str describe_required(const struct plan *plan, struct arena *arena);

#endif
