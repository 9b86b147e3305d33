/*
 * quality: which items are rules over one row, and which are declared and not checked.
 *
 *     nullValues, missingValues, mustBe 0          a value must be there
 *     invalidValues of a column, mustBe 0          allowed values, a pattern
 *     sql in the form of row_query.c, mustBe 0     a rule over the row
 *     custom, engine assay, implementation.rule    a rule over the row
 *     duplicateValues of exactly the grain         guaranteed by the grain
 *     nullValues of a required column              guaranteed by required
 *     rowCount above 0                             guaranteed: an empty batch is refused
 *     other bounds, duplicates, counts             a check of the batch, see read_checks.c
 *     everything else                              named in contract.unchecked
 *
 * severity: info is counted; warning, warn, low, minor and trivial are recorded; anything else, or none, rejects the
 * row.
 */
#include "contract/reader.h"

enum contract_severity read_severity(const struct yaml_node *item) {
    static const char *const warnings[] = {"warning", "warn", "low", "minor", "trivial"};
    struct str severity = text_of(item, "severity");
    if (str_eq_nocase(severity, STR("info"))) return CONTRACT_INFO;
    for (size_t i = 0; i < sizeof warnings / sizeof warnings[0]; i++)
        if (str_eq_nocase(severity, str_of(warnings[i]))) return CONTRACT_WARNING;
    return CONTRACT_ERROR;
}

/* A slip in a word that would let the row pass: `warnning` rejects. */
static void check_severity(struct reader *r, const struct yaml_node *item) {
    static const struct str words[] = {{"info", 4},     {"warning", 7}, {"warn", 4},  {"low", 3},
                                       {"minor", 5},    {"trivial", 7}, {"error", 5}, {"high", 4},
                                       {"critical", 8}, {"major", 5},   {"fatal", 5}, {"blocker", 7}};
    enum { WORDS = sizeof words / sizeof words[0] };
    const struct yaml_node *severity = scalar_of(item, "severity");
    if (!severity) return;
    for (size_t i = 0; i < WORDS; i++)
        if (str_eq_nocase(severity->text, words[i])) return;
    struct str nearest = str_nearest(severity->text, words, WORDS);
    if (nearest.len)
        report_warning(r, mark_node(r, severity), "unknown-severity", hint_names(r, severity->text, words, WORDS),
                       "severity '%.*s' is not known and rejects the row", STR_ARG(shown(r, severity->text)));
}

static bool is_number(const struct yaml_node *item, const char *key, const char *number) {
    const struct yaml_node *node = scalar_of(item, key);
    return node && decimal_text_is(node->text) && decimal_text_compare(node->text, str_of(number)) == 0;
}

/* No row may break it: how a count of broken rows says so. */
static bool is_none(const struct yaml_node *item) {
    return is_number(item, "mustBe", "0") || is_number(item, "mustBeLessOrEqualTo", "0") ||
           (is_number(item, "mustBeLessThan", "1") && !str_eq(text_of(item, "unit"), STR("percent")));
}

static struct str metric_of(const struct yaml_node *item) {
    struct str metric = text_of(item, "metric");
    return metric.len ? metric : text_of(item, "rule"); /* v3.0 */
}

struct str quality_id(struct reader *r, const struct yaml_node *item, struct str otherwise) {
    struct str id = text_of(item, "id");
    if (id.len) return id;
    struct str name = text_of(item, "name");
    if (!name.len) return otherwise;
    char *fit = str_c(r->arena, str_lower(r->arena, name));
    for (char *c = fit; *c; c++)
        if (!(*c >= 'a' && *c <= 'z') && !(*c >= '0' && *c <= '9') && (unsigned char)*c < 0x80) *c = '_';
    return str_of(fit);
}

static void settle(struct reader *r, const struct yaml_node *item, struct contract_rule *rule) {
    const struct yaml_node *constraint = custom_of(item, "constraint");
    bool is_wanted = true;
    if (constraint && constraint->kind == YAML_SCALAR && !yaml_bool(constraint, &is_wanted)) is_wanted = true;
    rule->severity = read_severity(item);
    rule->is_constraint = rule->severity == CONTRACT_ERROR && is_wanted;
    read_rule_limit(r, item, (size_t)(rule - r->contract->rules));
    const struct yaml_node *id = scalar_of(item, "id");
    if (id)
        rule->place = place_of(id);
    else if (r->minor > 0)
        report_warning(r, mark_node(r, item), "no-id", STR("add an id, such as orders_high_value"),
                       "the rule has no id; its rejects are named '%.*s'", STR_ARG(shown(r, rule->id)));
}

/* A single value is not a list of one: whoever wrote it should say which is meant. */
static void check_is_list(struct reader *r, const struct yaml_node *mapping, const char *key) {
    const struct yaml_node *node = scalar_of(mapping, key);
    if (node)
        report_error(r, mark_node(r, node), "wrong-kind", STR("write a list, such as [new, paid]"),
                     "'%s' needs a list of values", key);
}

static bool read_invalid_values(struct reader *r, const struct yaml_node *item, size_t column) {
    const struct yaml_node *arguments = mapping_of(item, "arguments");
    const struct yaml_node *values = list_of(arguments, "validValues"), *pattern = scalar_of(arguments, "pattern");
    if (!values) values = list_of(item, "validValues"); /* v3.0 */
    check_is_list(r, arguments, "validValues");
    check_is_list(r, item, "validValues");
    if (!is_none(item) || (!values && !pattern)) return false;
    if (values) {
        struct contract_rule *rule = rule_add(r, CONTRACT_ALLOWED, column, place_of(item));
        rule->id = quality_id(r, item, rule_id(r, column, "allowed"));
        read_allowed(r, values, column, &rule->values, &rule->value_count);
        settle(r, item, rule);
    }
    if (pattern) {
        struct contract_rule *rule = rule_add(r, CONTRACT_PATTERN, column, place_of(item));
        rule->id = quality_id(r, item, rule_id(r, column, "pattern"));
        if (values) rule->id = str_printf(r->arena, "%.*s_pattern", STR_ARG(rule->id));
        rule->pattern = pattern->text;
        if (r->contract->columns[column].type.kind != TYPE_STRING &&
            r->contract->columns[column].type.kind != TYPE_NONE)
            report_error(r, mark_node(r, pattern), "type-mismatch", (struct str){0},
                         "a pattern is asked of text, and the column is none");
        pattern_check(r, pattern);
        settle(r, item, rule);
    }
    return true;
}

/* A value must be there, and none of the texts that stand for no value. */
static bool read_present(struct reader *r, const struct yaml_node *item, struct str metric, size_t column) {
    const struct yaml_node *values = list_of(mapping_of(item, "arguments"), "missingValues");
    bool is_missing = str_eq(metric, STR("missingValues"));
    if (!is_none(item) || (!is_missing && !str_eq(metric, STR("nullValues")))) return false;
    check_is_list(r, mapping_of(item, "arguments"), "missingValues");
    if (r->contract->columns[column].is_required && !(is_missing && values)) return false;
    struct contract_rule *rule = rule_add(r, CONTRACT_PRESENT, column, place_of(item));
    rule->id = quality_id(r, item, rule_id(r, column, "present"));
    if (is_missing && values) read_missing(r, values, column, &rule->values, &rule->value_count);
    settle(r, item, rule);
    return true;
}

static void add_row_rule(struct reader *r, const struct yaml_node *item, size_t column, struct expr *predicate) {
    struct contract_rule *rule = rule_add(r, CONTRACT_ROW, column, place_of(item));
    rule->id = quality_id(r, item, str_printf(r->arena, "row_rule_%zu", r->contract->rule_count));
    rule->predicate = predicate;
    settle(r, item, rule);
    struct str *names;
    size_t count = 0;
    expr_columns(predicate, r->arena, &names, &count);
    if (count == 0)
        report_warning(r, mark_node(r, item), "constant-rule", STR("compare a column"),
                       "the rule '%.*s' asks no column: every row gets the same answer", STR_ARG(shown(r, rule->id)));
}

/* True when nothing is left to say of the item. */
static bool read_sql(struct reader *r, const struct yaml_node *item, size_t column) {
    const struct yaml_node *query = scalar_of(item, "query");
    struct expr *predicate = NULL;
    if (!query || !is_none(item)) return false;
    switch (read_row_query(r, query, column, false, &predicate)) {
    case ROW_QUERY_NOT_ONE:
        return false;
    case ROW_QUERY_BROKEN:
        return true;
    case ROW_QUERY_PREDICATE:
        add_row_rule(r, item, column, predicate);
        return true;
    }
    return false;
}

static bool read_custom(struct reader *r, const struct yaml_node *item, size_t column) {
    if (!str_eq_nocase(text_of(item, "engine"), STR("assay"))) return false;
    const struct yaml_node *rule = scalar_of(mapping_of(item, "implementation"), "rule");
    if (!rule) rule = scalar_of(item, "implementation");
    if (!rule) {
        report_error(r, mark_member(r, item, "implementation"), "missing-property",
                     STR("write implementation: {rule: order_total >= 0}"),
                     "a rule of engine assay needs 'implementation' with a 'rule'");
        return true;
    }
    struct expr *predicate = read_predicate(r, rule, rule->text, NULL);
    if (predicate) add_row_rule(r, item, column, predicate);
    return true;
}

static bool is_grain(const struct reader *r, const struct yaml_node *names, size_t column) {
    const struct contract *c = r->contract;
    if (!names) return column != SIZE_MAX && c->key_count == 1 && c->keys[0] == column;
    if (names->count != c->key_count) return false;
    for (size_t i = 0; i < c->key_count; i++) {
        bool is_named = false;
        for (size_t k = 0; k < names->count && !is_named; k++)
            is_named = names->items[k]->kind == YAML_SCALAR &&
                       str_eq_nocase(names->items[k]->text, c->columns[c->keys[i]].name);
        if (!is_named) return false;
    }
    return true;
}

/* What another part of the contract makes sure of. */
static bool is_guaranteed(const struct reader *r, const struct yaml_node *item, size_t column) {
    struct str metric = metric_of(item);
    if (str_eq(metric, STR("duplicateValues")))
        return is_none(item) && is_grain(r, list_of(mapping_of(item, "arguments"), "properties"), column);
    if (str_eq(metric, STR("nullValues")))
        return is_none(item) && column != SIZE_MAX && r->contract->columns[column].is_required;
    if (str_eq(metric, STR("rowCount")))
        return is_number(item, "mustBeGreaterThan", "0") || is_number(item, "mustBeGreaterOrEqualTo", "1");
    return false;
}

static void check_named_columns(struct reader *r, const struct yaml_node *item) {
    const struct yaml_node *names = list_of(mapping_of(item, "arguments"), "properties");
    for (size_t i = 0; names && i < names->count; i++) {
        const struct yaml_node *name = names->items[i];
        if (name->kind != YAML_SCALAR || column_find(r->contract, name->text) != SIZE_MAX) continue;
        report_error(r, mark_node(r, name), "unknown-column",
                     hint_names(r, name->text, column_names(r), r->contract->column_count),
                     "the table has no column '%.*s'", STR_ARG(shown(r, name->text)));
    }
}

static void check_metric(struct reader *r, const struct yaml_node *item) {
    static const struct str metrics[] = {
        {"nullValues", 10}, {"missingValues", 13}, {"invalidValues", 13}, {"duplicateValues", 15}, {"rowCount", 8}};
    enum { METRICS = sizeof metrics / sizeof metrics[0] };
    const struct yaml_node *metric = scalar_of(item, "metric");
    if (!metric) return;
    for (size_t i = 0; i < METRICS; i++)
        if (str_eq(metric->text, metrics[i])) return;
    report_error(r, mark_node(r, metric), "unknown-word", hint_names(r, metric->text, metrics, METRICS),
                 "metric cannot be '%.*s'", STR_ARG(shown(r, metric->text)));
}

static void check_operators(struct reader *r, const struct yaml_node *item) {
    static const char *const operators[] = {
        "mustBe",         "mustNotBe",           "mustBeGreaterThan", "mustBeGreaterOrEqualTo",
        "mustBeLessThan", "mustBeLessOrEqualTo", "mustBeBetween",     "mustNotBeBetween"};
    const struct yaml_member *first = NULL;
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
        const struct yaml_member *member = yaml_member(item, str_of(operators[i]));
        if (!member) continue;
        if (first)
            report_error(r, mark_key(member), "two-operators", STR("make two rules of it"),
                         "a rule has one operator, and '%.*s' is there already", STR_ARG(first->key));
        first = member;
    }
    bool needs_one = scalar_of(item, "metric") || scalar_of(item, "query");
    bool has_question = needs_one || scalar_of(item, "rule") || yaml_member(item, STR("engine"));
    if (first && !has_question)
        report_error(r, mark_key(first), "missing-property", STR("add metric, or type: sql and a query"),
                     "'%.*s' compares nothing: the rule has no metric and no query", STR_ARG(first->key));
    if (!first && needs_one)
        report_error(r, mark_node(r, item), "missing-property", STR("add mustBe: 0"),
                     "a rule of metric or sql needs an operator, such as mustBe");
}

/* What each type of rule must have; a query without `type: sql` would be taken for a text. */
static void check_parts(struct reader *r, const struct yaml_node *item, struct str type) {
    static const struct {
        const char *type, *key;
    } parts[] = {{"sql", "query"}, {"custom", "engine"}, {"custom", "implementation"}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        bool is_type = str_eq(type, str_of(parts[i].type));
        const struct yaml_member *part = yaml_member(item, str_of(parts[i].key));
        if (is_type && !part)
            report_error(r, mark_node(r, item), "missing-property", (struct str){0}, "a rule of type %s needs '%s'",
                         parts[i].type, parts[i].key);
        else if (!is_type && part)
            report_error(r, mark_key(part), "wrong-type-of-rule", str_printf(r->arena, "add type: %s", parts[i].type),
                         "'%s' belongs to a rule of type %s", parts[i].key, parts[i].type);
    }
}

static void note_unchecked(struct reader *r, const struct yaml_node *item, struct str type) {
    struct str id = text_of(item, "id"), what = metric_of(item);
    if (!what.len) what = str_eq(type, STR("sql")) ? STR("sql over the table") : type;
    unchecked_add(r, item->line, "quality %.*s%s%.*s", STR_ARG(shown(r, id)), id.len ? ": " : "",
                  STR_ARG(shown(r, what)));
}

void read_quality(struct reader *r, const struct yaml_node *list, size_t column) {
    for (size_t i = 0; list && i < list->count; i++) {
        const struct yaml_node *item = mapping_at(list, i);
        if (!item) continue;
        struct str type = text_of(item, "type"), metric = metric_of(item);
        if (!type.len) type = metric.len ? STR("library") : STR("text");
        check_metric(r, item);
        check_operators(r, item);
        check_parts(r, item, type);
        check_severity(r, item);
        check_named_columns(r, item);
        bool is_done = false;
        if (str_eq(type, STR("sql")))
            is_done = read_sql(r, item, column);
        else if (str_eq(type, STR("custom")))
            is_done = read_custom(r, item, column);
        else if (str_eq(metric, STR("invalidValues")) && column != SIZE_MAX)
            is_done = read_invalid_values(r, item, column);
        else if (column != SIZE_MAX)
            is_done = read_present(r, item, metric, column);
        is_done = is_done || is_guaranteed(r, item, column) || read_check(r, item, metric, column);
        if (!is_done) note_unchecked(r, item, type);
    }
}
