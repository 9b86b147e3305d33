/*
 * logicalTypeOptions: bounds, multiples, lengths, patterns and the formats of text that are patterns. The other options
 * are declared and not checked, and are named so.
 *
 * In v3.0 exclusiveMinimum and exclusiveMaximum are true or false and speak of minimum and maximum; later they are
 * bounds of their own.
 */
#include "contract/shape.h"

#include "base/regex.h"

static bool can_have_range(struct type type) {
    return type_is_number(type) || type.kind == TYPE_DATE || type.kind == TYPE_TIMESTAMP ||
           type.kind == TYPE_TIMESTAMP_NTZ || type.kind == TYPE_NONE;
}

static void check_bound(struct reader *r, const struct yaml_node *node, struct type type) {
    if (value_fits(r, type, node->text)) return;
    struct buf name = {0};
    type_print(&name, type);
    bool is_time = type.kind == TYPE_DATE || type.kind == TYPE_TIMESTAMP || type.kind == TYPE_TIMESTAMP_NTZ;
    report_error(r, mark_node(r, node), "bad-value",
                 is_time ? STR("write it as '2024-01-31' or '2024-01-31 12:00:00'") : (struct str){0},
                 "the bound '%.*s' is no %s", STR_ARG(shown(r, node->text)), name.data);
    buf_free(&name);
}

/* One side of a range. */
struct side {
    const char *inclusive, *exclusive;
    struct str bound;
    bool is_exclusive;
};

static void read_side(struct reader *r, const struct yaml_node *options, struct type type, struct side *side) {
    const struct yaml_node *inclusive = scalar_of(options, side->inclusive),
                           *exclusive = scalar_of(options, side->exclusive);
    bool flag;
    if (exclusive && yaml_bool(exclusive, &flag)) {
        side->is_exclusive = flag;
        exclusive = NULL;
        if (flag && !inclusive)
            report_error(r, mark_member(r, options, side->exclusive), "missing-property", (struct str){0},
                         "%s: true needs a %s", side->exclusive, side->inclusive);
    }
    if (inclusive && exclusive)
        report_error(r, mark_member(r, options, side->exclusive), "two-bounds", STR("keep the tighter one"),
                     "%s and %s are both given", side->inclusive, side->exclusive);
    const struct yaml_node *node = exclusive ? exclusive : inclusive;
    if (!node) return;
    check_bound(r, node, type);
    side->bound = node->text;
    if (exclusive) side->is_exclusive = true;
}

/* Whether no value lies between the bounds; only asked where their order is plain to see. */
static bool is_empty_range(const struct side *low, const struct side *high, struct type type) {
    int order;
    if (type_is_number(type)) {
        if (!decimal_text_is(low->bound) || !decimal_text_is(high->bound)) return false;
        order = decimal_text_compare(low->bound, high->bound);
    } else {
        enum { ISO_DATE = 10 };
        if (low->bound.len != ISO_DATE || high->bound.len != ISO_DATE) return false;
        order = str_cmp(low->bound, high->bound);
    }
    return order > 0 || (order == 0 && (low->is_exclusive || high->is_exclusive));
}

static void read_range(struct reader *r, const struct yaml_node *options, size_t column) {
    struct type type = r->contract->columns[column].type;
    struct side low = {.inclusive = "minimum", .exclusive = "exclusiveMinimum"};
    struct side high = {.inclusive = "maximum", .exclusive = "exclusiveMaximum"};
    if (!can_have_range(type))
        return; /* shape_options refuses them by logicalType; a physicalType that differs is reported */
    read_side(r, options, type, &low);
    read_side(r, options, type, &high);
    if (!low.bound.ptr && !high.bound.ptr) return;
    struct contract_rule *rule = rule_add(r, CONTRACT_RANGE, column, place_of(options));
    rule->id = rule_id(r, column, "range");
    rule->minimum = low.bound;
    rule->maximum = high.bound;
    rule->is_minimum_exclusive = low.is_exclusive;
    rule->is_maximum_exclusive = high.is_exclusive;
    if (low.bound.ptr && high.bound.ptr && is_empty_range(&low, &high, type))
        report_error(r, mark_node(r, options), "empty-range", (struct str){0},
                     "no value lies between '%.*s' and '%.*s'", STR_ARG(shown(r, low.bound)),
                     STR_ARG(shown(r, high.bound)));
}

static int64_t read_length(struct reader *r, const struct yaml_node *options, const char *key) {
    const struct yaml_node *node = scalar_of(options, key);
    int64_t length;
    if (!node || !yaml_int(node, &length)) return -1;
    if (length < 0) report_error(r, mark_node(r, node), "out-of-range", (struct str){0}, "%s has to be 0 or more", key);
    return length;
}

static void read_lengths(struct reader *r, const struct yaml_node *options, size_t column) {
    int64_t least = read_length(r, options, "minLength"), most = read_length(r, options, "maxLength");
    if (least < 0 && most < 0) return;
    struct contract_rule *rule = rule_add(r, CONTRACT_LENGTH, column, place_of(options));
    rule->id = rule_id(r, column, "length");
    rule->min_length = least;
    rule->max_length = most;
    if (least >= 0 && most >= 0 && least > most)
        report_error(r, mark_member(r, options, "minLength"), "empty-range", (struct str){0},
                     "minLength is more than maxLength: no value can pass");
}

bool pattern_check(struct reader *r, const struct yaml_node *scalar) {
    struct regex *regex = NULL;
    struct assay_error err = {0};
    if (regex_open(scalar->text, &regex, &err) != ASSAY_OK) {
        report_error(r, mark_node(r, scalar), "bad-pattern",
                     STR("patterns are Java's; in YAML single quotes keep backslashes"), "%s", err.message);
        return false;
    }
    regex_close(&regex);
    struct str text = scalar->text;
    bool is_anchored = str_starts(text, STR("^")) || str_starts(text, STR("\\A")) || str_ends(text, STR("$"));
    if (!is_anchored)
        report_warning(r, mark_node(r, scalar), "unanchored-pattern", STR("write ^...$ to match the whole value"),
                       "the pattern is found anywhere in a value");
    return true;
}

static void read_pattern(struct reader *r, const struct yaml_node *options, size_t column) {
    const struct yaml_node *pattern = scalar_of(options, "pattern");
    if (!pattern) return;
    struct contract_rule *rule = rule_add(r, CONTRACT_PATTERN, column, place_of(pattern));
    rule->id = rule_id(r, column, "pattern");
    rule->pattern = pattern->text;
    pattern_check(r, pattern);
}

/* Formats of text as the standard names them. Shapes only: whether a mailbox or a host exists is not asked. */
static const char *format_pattern(struct str format) {
    static const struct {
        const char *format, *pattern;
    } formats[] = {
        {"email", "^[^@\\s]+@[^@\\s.]+(\\.[^@\\s.]+)+$"},
        {"uuid", "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$"},
        {"uri", "^[A-Za-z][A-Za-z0-9+.-]*:[^\\s]+$"},
        {"hostname", "^(?=.{1,253}$)[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
                     "(\\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$"},
        {"ipv4", "^((25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(\\.(?=[0-9])|$)){4}$"},
    };
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (str_eq(format, str_of(formats[i].format))) return formats[i].pattern;
    return NULL;
}

static void read_text_format(struct reader *r, const struct yaml_node *options, size_t column) {
    const struct yaml_node *format = scalar_of(options, "format");
    const char *pattern = format ? format_pattern(format->text) : NULL;
    if (!pattern) return;
    struct contract_rule *rule = rule_add(r, CONTRACT_PATTERN, column, place_of(format));
    rule->id = rule_id(r, column, "format");
    rule->pattern = str_of(pattern);
}

/* Of whole and decimal numbers; a floating-point number is a multiple of nothing that people mean. */
static bool has_multiples(struct type type) { return type_is_integer(type) || type.kind == TYPE_DECIMAL; }

static void read_multiple(struct reader *r, const struct yaml_node *options, size_t column) {
    const struct contract_column *c = &r->contract->columns[column];
    const struct yaml_node *node = scalar_of(options, "multipleOf");
    if (!node || !has_multiples(c->type)) return;
    if (!decimal_text_is(node->text) || decimal_text_compare(node->text, STR("0")) <= 0) {
        report_error(r, mark_node(r, node), "out-of-range", (struct str){0}, "multipleOf has to be more than 0");
        return;
    }
    struct str text = str_printf(r->arena, "`%.*s` %% %.*s = 0", STR_ARG(c->name), STR_ARG(node->text));
    struct expr *predicate = read_predicate(r, node, text, NULL);
    if (!predicate) return;
    struct contract_rule *rule = rule_add(r, CONTRACT_ROW, column, place_of(node));
    rule->id = rule_id(r, column, "multiple");
    rule->predicate = predicate;
}

/* Of bytes, which have no characters. */
static void refuse_text_options(struct reader *r, const struct yaml_node *options) {
    static const char *const keys[] = {"minLength", "maxLength", "pattern"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (scalar_of(options, keys[i]))
            report_error(r, mark_member(r, options, keys[i]), "type-mismatch", STR("write physicalType: string"),
                         "%s is asked of text, and the column is binary", keys[i]);
}

static bool is_utc(struct str zone) {
    static const char *const names[] = {"UTC", "Etc/UTC", "GMT", "Z", "+00:00"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (str_eq_nocase(zone, str_of(names[i]))) return true;
    return false;
}

static void note_unchecked(struct reader *r, const struct yaml_node *options, size_t column) {
    static const char *const keys[] = {"multipleOf", "timezone", "defaultTimezone", "format"};
    struct type type = r->contract->columns[column].type;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const struct yaml_node *node = scalar_of(options, keys[i]);
        if (!node) continue;
        bool is_format = str_eq(str_of(keys[i]), STR("format"));
        if (is_format && type.kind != TYPE_STRING) continue; /* of times: read; of numbers: the type */
        if (is_format && format_pattern(node->text)) continue;
        if (i == 0 && has_multiples(type)) continue;
        if (i == 2 && is_utc(node->text)) continue; /* what assay does */
        unchecked_add(r, mark_member(r, options, keys[i]).line, "%s %.*s of %.*s", keys[i],
                      STR_ARG(shown(r, node->text)), STR_ARG(shown(r, r->contract->columns[column].name)));
    }
}

/* The logicalType that the options are written for, if the property does not say it. */
static struct str logical_name(const struct yaml_node *property, struct type type) {
    struct str name = text_of(property, "logicalType");
    if (name.len) return name;
    if (type_is_integer(type)) return STR("integer");
    if (type_is_number(type)) return STR("number");
    if (type.kind == TYPE_DATE) return STR("date");
    if (type.kind == TYPE_STRING) return STR("string");
    return type.kind == TYPE_NONE || type.kind == TYPE_BOOLEAN ? (struct str){0} : STR("timestamp");
}

void read_options(struct reader *r, const struct yaml_node *property, size_t column) {
    const struct yaml_member *member = yaml_member(property, STR("logicalTypeOptions"));
    if (!member || yaml_is_null(member->value)) return;
    const struct shape *shape = shape_options(logical_name(property, r->contract->columns[column].type));
    if (member->value->kind != YAML_MAPPING) {
        report_error(r, mark_node(r, member->value), "wrong-kind", (struct str){0},
                     "'logicalTypeOptions' is no mapping");
        return;
    }
    if (!shape) {
        if (text_of(property, "logicalType").len && r->contract->columns[column].type.kind == TYPE_NONE) return;
        report_error(r, mark_key(member), "unknown-property", STR("take them out"),
                     "a column of this type has no options");
        return;
    }
    if (!scalar_of(property, "logicalType"))
        report_warning(r, mark_key(member), "no-logical-type", STR("add logicalType"),
                       "options without logicalType are refused by other tools");
    shape_check(r, shape, member->value, "'logicalTypeOptions'");
    read_range(r, member->value, column);
    read_multiple(r, member->value, column);
    if (r->contract->columns[column].type.kind == TYPE_STRING) {
        read_lengths(r, member->value, column);
        read_pattern(r, member->value, column);
        read_text_format(r, member->value, column);
    }
    if (r->contract->columns[column].type.kind == TYPE_BINARY) refuse_text_options(r, member->value);
    note_unchecked(r, member->value, column);
}
