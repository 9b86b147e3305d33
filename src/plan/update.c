/*
 * The condition of the MERGE's update in Spark SQL, over `source` (the incoming row) and `target` (the row it meets).
 *
 * Without updateWhen: the version columns are greater, one after the other in their direction, NULL the lowest whatever
 * the direction; or they are all equal and the incoming row was loaded no earlier (a row of another writer has no load
 * time: any load is later). A required column cannot be NULL, so its comparison is the plain one. Source: the oracle's
 * README, "Which row is the newer one".
 */
#include "plan/plan_int.h"

static void print_side(struct buf *out, const char *side, struct str column, struct arena *arena) {
    buf_printf(out, "%s.", side);
    expr_print_spark(out, expr_column(arena, column));
}

static void print_pair(struct buf *out, struct str column, const char *op, struct arena *arena) {
    print_side(out, "source", column, arena);
    buf_printf(out, " %s ", op);
    print_side(out, "target", column, arena);
}

static void print_newer(struct buf *out, const struct plan *plan, const struct plan_order *order, struct arena *arena) {
    const char *op = order->is_ascending ? "<" : ">";
    if (plan->columns[order->index].is_required) {
        print_pair(out, order->column, op, arena);
        return;
    }
    print_side(out, "source", order->column, arena);
    buf_addz(out, " IS NOT NULL AND (");
    print_side(out, "target", order->column, arena);
    buf_addz(out, " IS NULL OR ");
    print_pair(out, order->column, op, arena);
    buf_addc(out, ')');
}

/* The first `count` version columns are equal. */
static void print_equal(struct buf *out, const struct plan *plan, size_t count, struct arena *arena) {
    for (size_t i = 0; i < count; i++) {
        const struct plan_order *order = &plan->order[i];
        print_pair(out, order->column, plan->columns[order->index].is_required ? "=" : "<=>", arena);
        buf_addz(out, " AND ");
    }
}

struct str plan_update_text(const struct plan *plan, struct arena *arena) {
    if (plan->update_when) return plan->update_when_text;
    struct buf out = {0};
    for (size_t i = 0; i < plan->version_count; i++) {
        buf_addc(&out, '(');
        print_equal(&out, plan, i, arena);
        print_newer(&out, plan, &plan->order[i], arena);
        buf_addz(&out, ") OR ");
    }
    if (plan->version_count) buf_addc(&out, '(');
    print_equal(&out, plan, plan->version_count, arena);
    buf_addc(&out, '(');
    print_side(&out, "target", STR(LINEAGE_LOADED_AT), arena);
    buf_addz(&out, " IS NULL OR ");
    print_pair(&out, STR(LINEAGE_LOADED_AT), ">=", arena);
    buf_addc(&out, ')');
    if (plan->version_count) buf_addc(&out, ')');
    struct str text = str_copy(arena, buf_str(&out));
    buf_free(&out);
    return text;
}
