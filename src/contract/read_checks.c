/*
 * Items of quality that ask something of a batch as a whole: a metric, an operator and a unit.
 *
 *     nullValues, missingValues, invalidValues     of a column, with any operator
 *     duplicateValues                              of a column, or of arguments.properties
 *     rowCount                                     of the table, in rows
 *     sql: SELECT COUNT(*) FROM {object} WHERE c   with any operator and any condition of the rule language
 *
 * 1. Numbers stay as written; nothing is rounded on the way to a verdict.
 * 2. An item that cannot be asked is left to the caller, which names it as unchecked: nothing is dropped in silence.
 */
#include "contract/reader.h"

enum { MAX_DIGITS = 15, MAX_BATCHES = 1000 };
#define MAX_AGE 3155760000LL /* seconds: a century */

struct contract_check *check_add(struct reader *r, enum contract_metric metric, size_t column,
                                 struct contract_place place) {
    struct contract *c = r->contract;
    struct contract_check *check = &LIST_PUSH(r->arena, c->checks, c->check_count, r->check_capacity);
    *check = (struct contract_check){.metric = metric, .severity = CONTRACT_ERROR, .place = place};
    if (column == SIZE_MAX) return check;
    check->columns = ARENA_ARRAY(r->arena, 1, size_t);
    check->columns[0] = column;
    check->column_count = 1;
    return check;
}

/* ---- the bound ---- */

static bool take_number(struct reader *r, const struct yaml_node *node, struct str *out) {
    if (node->kind == YAML_SCALAR && decimal_text_is(node->text) && node->text.len <= MAX_DIGITS) {
        *out = node->text;
        return true;
    }
    report_error(r, mark_node(r, node), "bad-value", STR("write digits, such as 0 or 2.5"),
                 "a count or a percentage is compared with a number");
    return false;
}

static bool take_pair(struct reader *r, const struct yaml_node *node, struct contract_check *check) {
    if (node->kind != YAML_SEQUENCE || node->count != 2) {
        report_error(r, mark_node(r, node), "wrong-kind", STR("write two numbers, such as [1, 5]"),
                     "a range has a lower and an upper end");
        return false;
    }
    if (!take_number(r, node->items[0], &check->low) || !take_number(r, node->items[1], &check->high)) return false;
    if (decimal_text_compare(check->low, check->high) <= 0) return true;
    report_error(r, mark_node(r, node), "empty-range", STR("put the smaller number first"),
                 "the range ends before it begins");
    return false;
}

static bool read_bound(struct reader *r, const struct yaml_node *item, struct contract_check *check) {
    static const char *const operators[] = {
        [CONTRACT_EQUAL] = "mustBe",
        [CONTRACT_NOT_EQUAL] = "mustNotBe",
        [CONTRACT_GREATER] = "mustBeGreaterThan",
        [CONTRACT_GREATER_OR_EQUAL] = "mustBeGreaterOrEqualTo",
        [CONTRACT_LESS] = "mustBeLessThan",
        [CONTRACT_LESS_OR_EQUAL] = "mustBeLessOrEqualTo",
        [CONTRACT_BETWEEN] = "mustBeBetween",
        [CONTRACT_NOT_BETWEEN] = "mustNotBeBetween",
    };
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
        const struct yaml_node *node = yaml_get(item, str_of(operators[i]));
        if (!node) continue;
        check->op = (enum contract_operator)i;
        if (i == CONTRACT_BETWEEN || i == CONTRACT_NOT_BETWEEN) return take_pair(r, node, check);
        return take_number(r, node, &check->low);
    }
    return false;
}

static bool read_unit(struct reader *r, const struct yaml_node *item, struct contract_check *check) {
    static const struct str units[] = {{"rows", 4}, {"percent", 7}};
    const struct yaml_node *unit = scalar_of(item, "unit");
    check->is_percent = unit && str_eq(unit->text, STR("percent"));
    if (!unit || check->is_percent || str_eq(unit->text, STR("rows"))) return true;
    report_error(r, mark_node(r, unit), "unknown-word", hint_names(r, unit->text, units, 2), "unit cannot be '%.*s'",
                 STR_ARG(shown(r, unit->text)));
    return false;
}

/* ---- what is measured ---- */

static bool read_metric(struct str metric, size_t column, enum contract_metric *out) {
    static const struct {
        const char *word;
        enum contract_metric metric;
        bool of_column, of_table;
    } metrics[] = {
        {"nullValues", CONTRACT_NULL_VALUES, true, false},
        {"missingValues", CONTRACT_MISSING_VALUES, true, false},
        {"invalidValues", CONTRACT_INVALID_VALUES, true, false},
        {"duplicateValues", CONTRACT_DUPLICATE_VALUES, true, true},
        {"rowCount", CONTRACT_ROW_COUNT, true, true},
    };
    for (size_t i = 0; i < sizeof metrics / sizeof metrics[0]; i++)
        if (str_eq(metric, str_of(metrics[i].word))) {
            *out = metrics[i].metric;
            return column == SIZE_MAX ? metrics[i].of_table : metrics[i].of_column;
        }
    return false;
}

/* Values, patterns and columns of the arguments; false when the metric asks nothing without them. */
static bool read_arguments(struct reader *r, const struct yaml_node *item, struct contract_check *check) {
    const struct yaml_node *arguments = mapping_of(item, "arguments"), *list;
    switch (check->metric) {
    case CONTRACT_MISSING_VALUES:
        list = list_of(arguments, "missingValues");
        if (list) read_missing(r, list, check->columns[0], &check->values, &check->value_count);
        return true;
    case CONTRACT_INVALID_VALUES:
        list = list_of(arguments, "validValues");
        if (!list) list = list_of(item, "validValues"); /* v3.0 */
        if (list) read_allowed(r, list, check->columns[0], &check->values, &check->value_count);
        const struct yaml_node *pattern = scalar_of(arguments, "pattern");
        if (pattern) check->pattern = pattern->text;
        if (pattern) pattern_check(r, pattern);
        return list || pattern || r->contract->columns[check->columns[0]].type.kind != TYPE_STRING;
    case CONTRACT_DUPLICATE_VALUES:
        list = list_of(arguments, "properties");
        if (!list) return check->column_count > 0;
        check->columns = ARENA_ARRAY(r->arena, list->count, size_t);
        check->column_count = 0;
        for (size_t i = 0; i < list->count; i++) {
            size_t column =
                list->items[i]->kind == YAML_SCALAR ? column_find(r->contract, list->items[i]->text) : SIZE_MAX;
            if (column != SIZE_MAX) check->columns[check->column_count++] = column; /* others are reported */
        }
        return check->column_count > 0;
    default:
        return true;
    }
}

static struct str default_id(const struct reader *r, const struct contract_check *check) {
    static const char *const suffixes[] = {
        [CONTRACT_NULL_VALUES] = "null_values",       [CONTRACT_MISSING_VALUES] = "missing_values",
        [CONTRACT_INVALID_VALUES] = "invalid_values", [CONTRACT_DUPLICATE_VALUES] = "duplicate_values",
        [CONTRACT_ROW_COUNT] = "row_count",           [CONTRACT_MATCHING_ROWS] = "matching_rows",
    };
    const char *suffix = suffixes[check->metric];
    if (check->column_count == 1) return rule_id(r, check->columns[0], suffix);
    return str_printf(r->arena, "%s_%zu", suffix, r->contract->check_count);
}

/* The condition of a sql item; true when it is one or has been reported as broken. */
static bool read_condition(struct reader *r, const struct yaml_node *item, size_t column, struct expr **out) {
    const struct yaml_node *query = scalar_of(item, "query");
    *out = NULL;
    if (!query) return false;
    return read_row_query(r, query, column, true, out) != ROW_QUERY_NOT_ONE;
}

bool read_check(struct reader *r, const struct yaml_node *item, struct str metric, size_t column) {
    struct contract_check check = {.metric = CONTRACT_MATCHING_ROWS};
    bool is_sql = str_eq(text_of(item, "type"), STR("sql"));
    if (is_sql && !read_condition(r, item, column, &check.condition)) return false;
    if (is_sql && !check.condition) return true;
    if (!is_sql && !read_metric(metric, column, &check.metric)) return false;
    size_t errors = r->diagnostics->error_count;
    if (!read_bound(r, item, &check) || !read_unit(r, item, &check)) return r->diagnostics->error_count > errors;
    if (check.is_percent && check.metric == CONTRACT_ROW_COUNT) {
        report_error(r, mark_member(r, item, "unit"), "bad-value", STR("write unit: rows"),
                     "a count of rows is no percentage");
        return true;
    }
    bool is_of_column = column != SIZE_MAX && check.metric != CONTRACT_ROW_COUNT;
    struct contract_check *added = check_add(r, check.metric, is_of_column ? column : SIZE_MAX, place_of(item));
    check.columns = added->columns;
    check.column_count = added->column_count;
    check.place = added->place;
    if (!read_arguments(r, item, &check)) {
        r->contract->check_count--;
        return false;
    }
    check.id = quality_id(r, item, default_id(r, &check));
    check.severity = read_severity(item);
    *added = check;
    return true;
}

/* ---- checks that are no item of quality ---- */

void read_rule_limit(struct reader *r, const struct yaml_node *item, size_t rule) {
    const struct yaml_node *limit = custom_of(item, "maxRejectPercent");
    if (!limit || limit->kind != YAML_SCALAR) return;
    struct contract_check check = {.metric = CONTRACT_REJECTED_ROWS,
                                   .id = str_printf(r->arena, "%.*s_limit", STR_ARG(r->contract->rules[rule].id)),
                                   .rule = rule,
                                   .op = CONTRACT_LESS_OR_EQUAL,
                                   .is_percent = true,
                                   .place = place_of(limit)};
    if (!take_number(r, limit, &check.low)) return;
    if (r->contract->rules[rule].severity != CONTRACT_ERROR)
        report_error(r, mark_node(r, limit), "unused-setting", STR("take it out, or let the rule reject"),
                     "the rule rejects no row, so there is nothing to limit");
    *check_add(r, check.metric, SIZE_MAX, check.place) = check;
}

void read_volume(struct reader *r, const struct yaml_node *volume) {
    const struct yaml_node *last = scalar_of(volume, "lastBatches"), *low = scalar_of(volume, "minPercent"),
                           *high = scalar_of(volume, "maxPercent");
    if (!last) return;
    struct contract_check check = {
        .metric = CONTRACT_VOLUME, .id = STR("volume"), .is_percent = true, .place = place_of(last)};
    if (!yaml_int(last, &check.batch_count) || check.batch_count < 1 || check.batch_count > MAX_BATCHES) {
        report_error(r, mark_node(r, last), "out-of-range", (struct str){0}, "lastBatches has to be 1 to %d",
                     MAX_BATCHES);
        return;
    }
    if (!low && !high) {
        report_error(r, mark_node(r, volume), "missing-property", STR("add minPercent: 50, or maxPercent: 200"),
                     "'volume' has no bound");
        return;
    }
    check.op = low && high ? CONTRACT_BETWEEN : low ? CONTRACT_GREATER_OR_EQUAL : CONTRACT_LESS_OR_EQUAL;
    if (low && !take_number(r, low, &check.low)) return;
    if (high && !take_number(r, high, low ? &check.high : &check.low)) return;
    *check_add(r, check.metric, SIZE_MAX, check.place) = check;
}

/* Seconds of a unit as the standard and people write it; 0: none. */
static int64_t unit_seconds(struct str unit) {
    static const struct {
        const char *names;
        int64_t seconds;
    } units[] = {{" s sec second seconds ", 1},
                 {" m min minute minutes ", 60},
                 {" h hr hour hours ", 3600},
                 {" d day days ", 86400},
                 {" w week weeks ", 604800}};
    struct buf text = {0};
    buf_printf(&text, " %.*s ", STR_ARG(unit));
    int64_t seconds = 0;
    for (size_t i = 0; i < sizeof units / sizeof units[0] && unit.len; i++)
        if (str_find(str_of(units[i].names), buf_str(&text)) != SIZE_MAX) seconds = units[i].seconds;
    buf_free(&text);
    return seconds;
}

bool read_freshness(struct reader *r, const struct yaml_node *item) {
    struct contract *c = r->contract;
    struct str element = text_of(item, "element"), rest = element, part;
    const struct yaml_node *value = scalar_of(item, "value");
    if (!str_eq(text_of(item, "property"), STR("freshness")) || !value) return false;
    while (rest.len) rest = str_split(rest, '.', &part);
    size_t column = element.len ? column_find(c, part) : SIZE_MAX;
    int64_t number, unit = unit_seconds(text_of(item, "unit"));
    if (column == SIZE_MAX || !unit || !yaml_int(value, &number) || number < 0 || number > MAX_AGE / unit) return false;
    enum type_kind kind = c->columns[column].type.kind;
    if (kind != TYPE_DATE && kind != TYPE_TIMESTAMP && kind != TYPE_TIMESTAMP_NTZ) return false;
    struct contract_check *check = check_add(r, CONTRACT_AGE, column, place_of(item));
    const struct yaml_node *breach = custom_of(item, "onBreach");
    check->id = text_of(item, "id");
    if (!check->id.len) check->id = rule_id(r, column, "freshness");
    check->op = CONTRACT_LESS_OR_EQUAL;
    check->low = str_printf(r->arena, "%lld", (long long)(number * unit));
    check->severity = breach ? CONTRACT_ERROR : CONTRACT_WARNING;
    return true;
}
