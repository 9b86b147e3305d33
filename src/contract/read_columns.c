/*
 * The columns: name, type, source and clean. What a column must hold is in its rules (read_rules.c).
 *
 * Silver's column has the property's `name`; physicalName of another name would hide it from the rules, so it is not
 * used, with a warning.
 */
#include "contract/reader.h"

#include "base/limits.h"

#include <stdlib.h>

static void check_physical_name(struct reader *r, const struct yaml_node *property, struct str name) {
    const struct yaml_node *physical = scalar_of(property, "physicalName");
    if (physical && !str_eq(physical->text, name))
        report_warning(r, mark_node(r, physical), "unused-setting",
                       STR("write the same name in both, or leave physicalName out"),
                       "the column is called '%.*s' in the table; physicalName is not used", STR_ARG(shown(r, name)));
}

static void check_promises(struct reader *r, const struct yaml_node *property) {
    struct str name = text_of(property, "name");
    if (flag_of(property, "partitioned", false))
        unchecked_add(r, mark_member(r, property, "partitioned").line,
                      "partitioned by %.*s: tables are made without partitions, as a batch is files of its own and "
                      "statistics rule out the others",
                      STR_ARG(name));
    struct str encrypted = text_of(property, "encryptedName");
    if (encrypted.len)
        unchecked_add(r, mark_member(r, property, "encryptedName").line, "encryptedName of %.*s", STR_ARG(name));
}

static void read_column(struct reader *r, const struct yaml_node *property, struct contract_column *out) {
    const struct yaml_node *name = scalar_of(property, "name");
    out->place = place_of(name ? name : property);
    out->name = out->source = text_of(property, "name");
    if (name) column_name_check(r, mark_node(r, name), out->name, "the column");
    check_physical_name(r, property, out->name);
    out->type = read_type(r, property);
    out->is_required = flag_of(property, "required", false);
    out->description = text_of(property, "description");
    out->classification = text_of(property, "classification");
    const struct yaml_node *scale = custom_of(property, "scale");
    out->is_scale_strict = scale && scale->kind == YAML_SCALAR && str_eq(scale->text, STR("strict"));
    if (scale && out->type.kind != TYPE_DECIMAL && out->type.kind != TYPE_NONE)
        report_error(r, mark_node(r, scale), "unused-setting", STR("give it physicalType: decimal(p,s)"),
                     "only a decimal has a scale");
    read_clean(r, property, out);
    const struct yaml_node *format = scalar_of(mapping_of(property, "logicalTypeOptions"), "format");
    bool is_time =
        out->type.kind == TYPE_DATE || out->type.kind == TYPE_TIMESTAMP || out->type.kind == TYPE_TIMESTAMP_NTZ;
    if (format && is_time) {
        out->format = format->text;
        read_datetime_format(r, format);
    }
    check_promises(r, property);
}

struct named {
    struct str name; /* lower case */
    size_t index;
};

static int by_name(const void *a, const void *b) {
    const struct named *x = a, *y = b;
    int order = str_cmp(x->name, y->name);
    return order ? order : x->index < y->index ? -1 : x->index > y->index;
}

static void check_unique(struct reader *r) {
    const struct contract *c = r->contract;
    struct named *names = ARENA_ARRAY(r->arena, c->column_count, struct named);
    for (size_t i = 0; i < c->column_count; i++) names[i] = (struct named){str_lower(r->arena, c->columns[i].name), i};
    if (c->column_count) qsort(names, c->column_count, sizeof(*names), by_name);
    for (size_t i = 1; i < c->column_count; i++) {
        if (names[i].name.len == 0 || !str_eq(names[i - 1].name, names[i].name)) continue;
        const struct contract_column *first = &c->columns[names[i - 1].index], *second = &c->columns[names[i].index];
        report_error(r, (struct mark){second->place.line, second->place.column, (uint32_t)second->name.len},
                     "duplicate-column", STR("names differ in more than their case"),
                     "the column '%.*s' is there already, on line %u", STR_ARG(shown(r, second->name)),
                     (unsigned)first->place.line);
    }
}

void read_columns(struct reader *r) {
    const struct yaml_node *properties = list_of(r->table, "properties");
    size_t count = properties ? properties->count : 0;
    if (count == 0 || count > LIMIT_COLUMNS) {
        report_error(r, mark_member(r, r->table, "properties"), count ? "too-many" : "no-column",
                     STR("list the columns under properties"), "a table has 1 to %d columns, this one %zu",
                     LIMIT_COLUMNS, count);
        return;
    }
    r->contract->columns = ARENA_ARRAY(r->arena, count, struct contract_column);
    for (size_t i = 0; i < count; i++) {
        r->contract->column_count++;
        if (mapping_at(properties, i)) read_column(r, properties->items[i], &r->contract->columns[i]);
    }
    check_unique(r);
}
