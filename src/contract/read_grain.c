/*
 * The grain: one row per key. Keys come from assay's grain, else from primaryKey in the order of primaryKeyPosition;
 * when both are there they must name the same columns. A key is required. latestBy says which row of a key is kept.
 */
#include "contract/reader.h"

#include <stdlib.h>

static const struct str lineage[] = {{"_source_file", 12}, {"_source_line", 12}, {"_loaded_at", 10}, {"_batch_id", 9}};
enum { LINEAGE = sizeof lineage / sizeof lineage[0] };

struct primary {
    int64_t position;
    size_t index;
};

static int by_position(const void *a, const void *b) {
    const struct primary *x = a, *y = b;
    if (x->position != y->position) return x->position < y->position ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* Column indexes of primaryKey columns, in order. */
static size_t *primary_keys(struct reader *r, size_t *count) {
    const struct yaml_node *properties = list_of(r->table, "properties");
    struct primary *list = ARENA_ARRAY(r->arena, r->contract->column_count, struct primary);
    *count = 0;
    for (size_t i = 0; i < r->contract->column_count; i++) {
        const struct yaml_node *property = mapping_at(properties, i),
                               *position = scalar_of(property, "primaryKeyPosition");
        if (!flag_of(property, "primaryKey", false)) continue;
        int64_t value = INT64_MAX;
        if (position && (!yaml_int(position, &value) || value < 1)) value = INT64_MAX;
        list[(*count)++] = (struct primary){value, i};
    }
    if (*count) qsort(list, *count, sizeof(*list), by_position);
    size_t *keys = ARENA_ARRAY(r->arena, *count, size_t);
    for (size_t i = 0; i < *count; i++) keys[i] = list[i].index;
    return keys;
}

static bool has_key(const size_t *keys, size_t count, size_t index) {
    for (size_t i = 0; i < count; i++)
        if (keys[i] == index) return true;
    return false;
}

static void report_unknown_column(struct reader *r, const struct yaml_node *node, bool takes_lineage) {
    struct contract *c = r->contract;
    struct str *names = ARENA_ARRAY(r->arena, c->column_count + LINEAGE, struct str);
    size_t count = 0;
    for (; count < c->column_count; count++) names[count] = c->columns[count].name;
    for (size_t i = 0; takes_lineage && i < LINEAGE; i++) names[count++] = lineage[i];
    report_error(r, mark_node(r, node), "unknown-column", hint_names(r, node->text, names, count),
                 "the table has no column '%.*s'", STR_ARG(shown(r, node->text)));
}

static void read_keys(struct reader *r, const struct yaml_node *list) {
    struct contract *c = r->contract;
    c->keys = ARENA_ARRAY(r->arena, list->count, size_t);
    for (size_t i = 0; i < list->count; i++) {
        const struct yaml_node *item = list->items[i];
        if (item->kind != YAML_SCALAR || yaml_is_null(item)) continue;
        size_t index = column_find(c, item->text);
        if (index == SIZE_MAX)
            report_unknown_column(r, item, false);
        else if (has_key(c->keys, c->key_count, index))
            report_error(r, mark_node(r, item), "duplicate-key", (struct str){0}, "the key '%.*s' is named twice",
                         STR_ARG(item->text));
        else
            c->keys[c->key_count++] = index;
    }
}

/* Only whole lists are compared: a key that is no column has its own message. */
static void check_agreement(struct reader *r, const struct yaml_node *list, const size_t *primary,
                            size_t primary_count) {
    const struct contract *c = r->contract;
    if (primary_count == 0 || c->key_count != list->count) return;
    bool is_same = primary_count == c->key_count;
    for (size_t i = 0; i < primary_count && is_same; i++) is_same = has_key(c->keys, c->key_count, primary[i]);
    if (is_same) return;
    struct buf names = {0};
    for (size_t i = 0; i < primary_count; i++)
        buf_printf(&names, "%s%.*s", i ? ", " : "", STR_ARG(shown(r, c->columns[primary[i]].name)));
    report_error(r, mark_node(r, list), "grain-mismatch", STR("name the same columns in both, or only in one of them"),
                 "the grain's keys are not the primaryKey columns (%s)", names.data);
    buf_free(&names);
}

static void read_latest_by(struct reader *r, const struct yaml_node *list) {
    struct contract *c = r->contract;
    if (!list) return;
    c->latest_by = ARENA_ARRAY(r->arena, list->count, struct contract_order);
    for (size_t i = 0; i < list->count; i++) {
        const struct yaml_node *item = mapping_at(list, i), *column = scalar_of(item, "column");
        if (!column) continue;
        size_t index = column_find(c, column->text);
        struct str name = index == SIZE_MAX ? column->text : c->columns[index].name;
        bool is_known = index != SIZE_MAX;
        for (size_t k = 0; k < LINEAGE && !is_known; k++) is_known = str_eq(name, lineage[k]);
        if (!is_known) report_unknown_column(r, column, true);
        for (size_t k = 0; k < c->latest_by_count; k++)
            if (str_eq(c->latest_by[k].column, name))
                report_error(r, mark_node(r, column), "duplicate-key", (struct str){0}, "'%.*s' orders the rows twice",
                             STR_ARG(shown(r, name)));
        c->latest_by[c->latest_by_count++] =
            (struct contract_order){name, str_eq(text_of(item, "direction"), STR("asc"))};
    }
}

static void check_keys(struct reader *r) {
    struct contract *c = r->contract;
    for (size_t i = 0; i < c->key_count; i++) {
        struct contract_column *column = &c->columns[c->keys[i]];
        column->is_required = true;
        if (column->type.kind != TYPE_FLOAT && column->type.kind != TYPE_DOUBLE) continue;
        struct mark at = {column->place.line, column->place.column, (uint32_t)column->name.len};
        report_warning(r, at, "float-key", STR("use a decimal or a string"),
                       "the key '%.*s' is a floating-point number: equal amounts may differ",
                       STR_ARG(shown(r, column->name)));
    }
}

void read_grain(struct reader *r) {
    const struct yaml_node *grain = custom_of(r->table, "grain"), *keys = list_of(grain, "keys");
    struct contract *c = r->contract;
    size_t primary_count;
    size_t *primary = primary_keys(r, &primary_count);
    if (keys && keys->count) {
        read_keys(r, keys);
        check_agreement(r, keys, primary, primary_count);
    } else {
        c->keys = primary;
        c->key_count = primary_count;
        if (primary_count == 0)
            report_error(r, mark_member(r, r->table, "name"), "no-grain",
                         STR("mark the key columns with primaryKey: true"),
                         "the table '%.*s' has no grain: what makes a row one row?", STR_ARG(shown(r, r->table_name)));
    }
    check_keys(r);
    read_latest_by(r, list_of(grain, "latestBy"));
}
