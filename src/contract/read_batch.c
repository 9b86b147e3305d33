/*
 * Gates over a batch, and service levels.
 *
 * The reject limit is assayBatch.maxRejectPercent; without it the errorRate of slaProperties whose unit is percent and
 * whose element, if it has one, is this table; without both 5. It is kept as a scaled integer, so that no float decides
 * over a batch. A freshness of a column is a check of the batch; every other service level is declared and not checked.
 */
#include "contract/reader.h"

enum { DEFAULT_PERCENT = 5, MAX_DIGITS = 15 };

/* A decimal text as digits and the number of those after the point. */
static bool read_percent(struct str text, int64_t *scaled, int *scale) {
    if (!decimal_text_is(text) || text.len > MAX_DIGITS) return false;
    *scaled = 0;
    *scale = 0;
    bool is_fraction = false;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == '.') is_fraction = true;
        if (c < '0' || c > '9') continue;
        *scaled = *scaled * 10 + (c - '0');
        *scale += is_fraction;
    }
    return decimal_text_compare(text, STR("0")) >= 0 && decimal_text_compare(text, STR("100")) <= 0;
}

static bool set_limit(struct reader *r, const struct yaml_node *node) {
    struct contract *c = r->contract;
    int64_t scaled;
    int scale;
    if (!read_percent(node->text, &scaled, &scale)) {
        report_error(r, mark_node(r, node), "out-of-range", STR("write 0 to 100, such as 5 or 0.5"),
                     "'%.*s' is no percentage of rejected rows", STR_ARG(shown(r, node->text)));
        return false;
    }
    c->limit_scaled = scaled;
    c->limit_scale = scale;
    c->limit_place = place_of(node);
    return true;
}

static int64_t read_rows(struct reader *r, const struct yaml_node *batch, const char *key,
                         struct contract_place *place) {
    const struct yaml_node *node = scalar_of(batch, key);
    int64_t rows;
    if (!node || !yaml_int(node, &rows)) return -1;
    if (rows < 0) {
        report_error(r, mark_node(r, node), "out-of-range", (struct str){0}, "%s has to be 0 or more", key);
        return -1;
    }
    *place = place_of(node);
    return rows;
}

void read_batch(struct reader *r) {
    struct contract *c = r->contract;
    const struct yaml_node *batch = custom_of(r->table, "batch"), *percent = scalar_of(batch, "maxRejectPercent");
    c->limit_scaled = DEFAULT_PERCENT;
    if (percent) set_limit(r, percent);
    c->min_rows = read_rows(r, batch, "minRows", &c->min_rows_place);
    c->max_rows = read_rows(r, batch, "maxRows", &c->max_rows_place);
    if (c->min_rows >= 0 && c->max_rows >= 0 && c->min_rows > c->max_rows)
        report_error(r, mark_member(r, batch, "minRows"), "empty-range", (struct str){0},
                     "minRows is more than maxRows: no batch can pass");
    read_volume(r, mapping_of(batch, "volume"));
}

static bool is_this_table(const struct reader *r, struct str element) {
    struct str physical = text_of(r->table, "physicalName");
    return str_eq(element, r->table_name) || (physical.len && str_eq(element, physical));
}

/* Whether an element such as `orders.updated_at` speaks of this table; one without an element speaks of all. */
static bool concerns(const struct reader *r, struct str element) {
    struct str physical = text_of(r->table, "physicalName"), table, column = str_split(element, '.', &table);
    if (element.len == 0 || is_this_table(r, element)) return true;
    bool is_column = column.len && str_eq(table, r->table_name);
    return is_column || (physical.len && str_starts(element, str_printf(r->arena, "%.*s.", STR_ARG(physical))));
}

/* True when the item is the reject limit, used or not. */
static bool read_error_rate(struct reader *r, const struct yaml_node *item) {
    struct str element = text_of(item, "element");
    const struct yaml_node *value = scalar_of(item, "value");
    bool is_rate = str_eq(text_of(item, "property"), STR("errorRate")) && str_eq(text_of(item, "unit"), STR("percent"));
    if (!is_rate || !value || (element.len && !is_this_table(r, element))) return false;
    struct contract *c = r->contract;
    if (c->limit_place.line == 0) {
        set_limit(r, value);
        return true;
    }
    int64_t scaled;
    int scale;
    bool is_same = read_percent(value->text, &scaled, &scale) && scaled == c->limit_scaled && scale == c->limit_scale;
    if (!is_same)
        report_warning(r, mark_node(r, value), "unused-setting", STR("keep one limit"),
                       "this errorRate is not used: the limit on line %u goes first", (unsigned)c->limit_place.line);
    return true;
}

void read_sla(struct reader *r) {
    const struct yaml_node *list = list_of(r->root, "slaProperties");
    for (size_t i = 0; list && i < list->count; i++) {
        const struct yaml_node *item = mapping_at(list, i);
        if (!item || !concerns(r, text_of(item, "element"))) continue;
        if (!read_error_rate(r, item) && !read_freshness(r, item))
            unchecked_add(r, item->line, "service level %.*s", STR_ARG(shown(r, text_of(item, "property"))));
    }
}

static bool is_element_of(struct str element, struct str table) {
    return table.len && str_starts(element, table) && (element.len == table.len || element.ptr[table.len] == '.');
}

/* An item whose element is no table of the file would otherwise be nobody's. */
void check_sla_elements(struct reader *r) {
    const struct yaml_node *list = list_of(r->root, "slaProperties"), *schema = list_of(r->root, "schema");
    size_t tables = schema ? schema->count : 0;
    struct str *names = ARENA_ARRAY(r->arena, 2 * tables, struct str);
    for (size_t i = 0; i < tables; i++) {
        names[2 * i] = text_of(schema->items[i], "name");
        names[2 * i + 1] = text_of(schema->items[i], "physicalName");
    }
    for (size_t i = 0; list && i < list->count; i++) {
        const struct yaml_node *element = scalar_of(mapping_at(list, i), "element");
        bool is_known = !element || element->text.len == 0;
        for (size_t k = 0; k < 2 * tables && !is_known; k++) is_known = is_element_of(element->text, names[k]);
        if (!is_known)
            report_warning(r, mark_node(r, element), "unknown-element", hint_names(r, element->text, names, 2 * tables),
                           "'%.*s' is no table of this contract, so nothing is checked",
                           STR_ARG(shown(r, element->text)));
    }
}
