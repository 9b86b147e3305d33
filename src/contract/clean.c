/*
 * transformLogic: how a column is made of one source column.
 *
 * 1. It is an expression of text over exactly one column, whose name is the name in the files; that column alone means
 * no cleaning.
 * 2. The column keeps its text until the cast, so the expression must give text, whatever the column's type.
 * 3. The same row always cleans to the same text: the clock is not asked.
 */
#include "contract/reader.h"

static bool uses_clock(const struct expr *e) {
    if (e->kind == EXPR_CALL && str_starts(e->text, STR("current_"))) return true;
    for (size_t i = 0; i < e->count; i++)
        if (uses_clock(e->args[i])) return true;
    return false;
}

/* The one column of the expression; empty after a mistake. */
static struct str single_column(struct reader *r, const struct yaml_node *logic, const struct expr *e) {
    struct str *names = NULL;
    size_t count = 0;
    expr_columns(e, r->arena, &names, &count);
    if (count == 1 && !uses_clock(e)) return names[0];
    struct str help = STR("write functions of text around one source column, such as upper(trim(currency))");
    if (count != 1)
        report_error(r, mark_node(r, logic), "bad-transform", help,
                     "transformLogic uses %zu columns; expected one of the files", count);
    else
        report_error(r, mark_node(r, logic), "bad-transform", help, "transformLogic must not ask the clock");
    return (struct str){0};
}

void read_clean(struct reader *r, const struct yaml_node *property, struct contract_column *column) {
    const struct yaml_node *logic = scalar_of(property, "transformLogic");
    if (!logic) return;
    struct expr *e = NULL;
    struct assay_error err = {0};
    if (expr_parse(logic->text, r->arena, &e, &err) != ASSAY_OK) {
        report_expr(r, logic, logic->text, NULL, &err);
        return;
    }
    struct str source = single_column(r, logic, e);
    if (!source.len) return;
    column->source = source;
    column_name_check(r, mark_node(r, logic), source, "the source column");
    if (e->kind == EXPR_COLUMN) return;
    struct expr_column text = {source, {.kind = TYPE_STRING}};
    if (expr_check(e, &text, 1, r->arena, &err) != ASSAY_OK) {
        report_expr(r, logic, logic->text, NULL, &err);
    } else if (e->type.kind != TYPE_STRING) {
        report_error(r, mark_node(r, logic), "bad-transform", STR("leave the cast to the column's type"),
                     "transformLogic must give text; the cast comes after it");
    } else {
        column->clean = e;
    }
}
