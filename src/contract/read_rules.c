/*
 * The rules of a table, in the order that reasons are given in: column by column required, cast, scale, range, length,
 * pattern, allowed, the column's quality rules, relationships; then the table's quality rules.
 *
 * 1. A rule's id names its CHECK on the table, so ids are unique without regard to case; `<column>_not_empty` is the
 * CHECK of a required string. Source: the oracle's README, "Reasons, in contract order".
 */
#include "contract/reader.h"

#include <stdlib.h>

struct contract_rule *rule_add(struct reader *r, enum contract_rule_kind kind, size_t column,
                               struct contract_place place) {
    struct contract *c = r->contract;
    struct contract_rule *rule = &LIST_PUSH(r->arena, c->rules, c->rule_count, r->rule_capacity);
    bool has_check = kind != CONTRACT_CAST && kind != CONTRACT_SCALE && kind != CONTRACT_REFERENCE;
    *rule = (struct contract_rule){.kind = kind,
                                   .column = column,
                                   .severity = CONTRACT_ERROR,
                                   .is_constraint = has_check,
                                   .place = place,
                                   .min_length = -1,
                                   .max_length = -1};
    return rule;
}

struct str rule_id(const struct reader *r, size_t column, const char *suffix) {
    return str_printf(r->arena, "%.*s_%s", STR_ARG(r->contract->columns[column].name), suffix);
}

static void add_value_rules(struct reader *r, const struct yaml_node *property, size_t index) {
    const struct contract_column *column = &r->contract->columns[index];
    struct contract_place place = column->place;
    const struct yaml_member *required = yaml_member(property, STR("required"));
    if (required) place = (struct contract_place){required->line, required->column};
    if (column->is_required) rule_add(r, CONTRACT_REQUIRED, index, place)->id = rule_id(r, index, "required");
    if (column->type.kind != TYPE_STRING)
        rule_add(r, CONTRACT_CAST, index, column->place)->id = rule_id(r, index, "cast");
    if (column->is_scale_strict) rule_add(r, CONTRACT_SCALE, index, column->place)->id = rule_id(r, index, "scale");
}

static void add_enum(struct reader *r, const struct yaml_node *list, size_t index) {
    if (!list) return;
    struct contract_rule *rule = rule_add(r, CONTRACT_ALLOWED, index, place_of(list));
    rule->id = rule_id(r, index, "allowed");
    read_allowed(r, list, index, &rule->values, &rule->value_count);
}

/* `unique` of the one key is what the grain guarantees; of another column it is asked of each batch. */
static void add_unique(struct reader *r, const struct yaml_node *property, size_t index) {
    const struct contract *c = r->contract;
    bool is_grain = c->key_count == 1 && c->keys[0] == index;
    if (!flag_of(property, "unique", false) || is_grain) return;
    struct mark at = mark_member(r, property, "unique");
    struct contract_check *check =
        check_add(r, CONTRACT_DUPLICATE_VALUES, index, (struct contract_place){at.line, at.column});
    check->id = rule_id(r, index, "unique");
    check->op = CONTRACT_EQUAL;
    check->low = STR("0");
}

static void add_column_rules(struct reader *r, const struct yaml_node *property, size_t index) {
    add_value_rules(r, property, index);
    read_options(r, property, index);
    add_enum(r, list_of(property, "enum"), index);
    add_unique(r, property, index);
    read_quality(r, list_of(property, "quality"), index);
    read_references(r, list_of(property, "relationships"), index);
}

struct named {
    struct str id; /* lower case */
    struct contract_place place;
    size_t order;
};

static int by_id(const void *a, const void *b) {
    const struct named *x = a, *y = b;
    int order = str_cmp(x->id, y->id);
    return order ? order : x->order < y->order ? -1 : x->order > y->order;
}

static struct named *all_ids(struct reader *r, size_t *count) {
    const struct contract *c = r->contract;
    struct named *ids = ARENA_ARRAY(r->arena, c->rule_count + c->check_count + c->column_count + 1, struct named);
    *count = 0;
    ids[(*count)++] = (struct named){STR("corrupt_record"), c->place, 0};
    for (size_t i = 0; i < c->column_count; i++)
        if (c->columns[i].is_required && c->columns[i].type.kind == TYPE_STRING)
            ids[(*count)++] =
                (struct named){str_lower(r->arena, rule_id(r, i, "not_empty")), c->columns[i].place, i + 1};
    for (size_t i = 0; i < c->rule_count; i++)
        ids[(*count)++] =
            (struct named){str_lower(r->arena, c->rules[i].id), c->rules[i].place, c->column_count + 1 + i};
    for (size_t i = 0; i < c->check_count; i++)
        ids[(*count)++] = (struct named){str_lower(r->arena, c->checks[i].id), c->checks[i].place,
                                         c->column_count + 1 + c->rule_count + i};
    return ids;
}

void check_rule_ids(struct reader *r) {
    size_t count;
    struct named *ids = all_ids(r, &count);
    qsort(ids, count, sizeof(*ids), by_id);
    for (size_t i = 1; i < count; i++) {
        if (ids[i].id.len == 0 || !str_eq(ids[i - 1].id, ids[i].id)) continue;
        struct mark at = {ids[i].place.line, ids[i].place.column, 1};
        report_error(r, at, "duplicate-id", STR("give each rule an id of its own"),
                     "the rule id '%.*s' is taken, see line %u", STR_ARG(shown(r, ids[i].id)),
                     (unsigned)ids[i - 1].place.line);
    }
}

void read_rules(struct reader *r) {
    const struct yaml_node *properties = list_of(r->table, "properties");
    for (size_t i = 0; i < r->contract->column_count; i++)
        if (mapping_at(properties, i)) add_column_rules(r, properties->items[i], i);
    read_quality(r, list_of(r->table, "quality"), SIZE_MAX);
    check_rule_ids(r);
}
