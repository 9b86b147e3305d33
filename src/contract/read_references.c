/*
 * relationships of a column. One with assay's `reference` {table, column, activeWhen} is a rule: the value must be one
 * of that column. Without it the standard's `to` says what is meant but not where the table lies, so it is declared and
 * not checked.
 */
#include "contract/reader.h"

static void check_condition(struct reader *r, const struct yaml_node *node) {
    struct expr *e;
    struct assay_error err = {0};
    if (node && expr_parse(node->text, r->arena, &e, &err) != ASSAY_OK) report_expr(r, node, node->text, NULL, &err);
}

static void read_reference(struct reader *r, const struct yaml_node *reference, size_t column) {
    const struct yaml_node *table = scalar_of(reference, "table"), *other = scalar_of(reference, "column");
    struct contract_rule *rule = rule_add(r, CONTRACT_REFERENCE, column, place_of(reference));
    rule->id = rule_id(r, column, "reference");
    if (table) rule->reference_table = table_name_read(r, table, table->text, "silver");
    if (other) rule->reference_column = other->text;
    rule->reference_active_when = text_of(reference, "activeWhen");
    check_condition(r, scalar_of(reference, "activeWhen"));
    if (table && str_eq_nocase(rule->reference_table, r->contract->table))
        report_error(r, mark_node(r, table), "self-reference", (struct str){0},
                     "a table cannot be its own reference: its rows are not there yet");
}

void read_references(struct reader *r, const struct yaml_node *list, size_t column) {
    for (size_t i = 0; list && i < list->count; i++) {
        const struct yaml_node *item = mapping_at(list, i);
        if (!item) continue;
        const struct yaml_node *reference = custom_of(item, "reference");
        if (reference)
            read_reference(r, reference, column);
        else
            unchecked_add(r, item->line, "relationship of %.*s to %.*s",
                          STR_ARG(shown(r, r->contract->columns[column].name)), STR_ARG(shown(r, text_of(item, "to"))));
    }
}
