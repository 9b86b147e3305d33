/*
 * One object of `schema`: a table, in the order in which its parts need each other. Columns come first because grain,
 * rules and merge name them; the grain before the rules because its keys are required.
 */
#include "contract/reader.h"

static void read_name(struct reader *r) {
    const struct yaml_node *name = scalar_of(r->table, "name"), *physical = scalar_of(r->table, "physicalName");
    r->table_name = name ? name->text : (struct str){0};
    if (physical)
        r->contract->table = table_name_read(r, physical, physical->text, "silver");
    else if (name)
        r->contract->table = table_name_read(r, name, name->text, "silver");
}

static void check_object(struct reader *r) {
    const struct yaml_node *type = scalar_of(r->table, "physicalType");
    if (type && !str_eq_nocase(type->text, STR("table")))
        report_warning(r, mark_node(r, type), "not-a-table", STR("write table"),
                       "physicalType is '%.*s', but assay makes a table of it", STR_ARG(shown(r, type->text)));
    const struct yaml_node *relations = list_of(r->table, "relationships");
    for (size_t i = 0; relations && i < relations->count; i++)
        unchecked_add(r, relations->items[i]->line, "relationship of the table");
}

void read_table(struct reader *r) {
    r->contract->place = place_of(r->table);
    r->contract->granularity = text_of(r->table, "dataGranularityDescription");
    read_name(r);
    check_object(r);
    read_source(r);
    read_columns(r);
    read_grain(r);
    read_merge(r);
    read_batch(r);
    read_sla(r);
    read_rules(r);
}
