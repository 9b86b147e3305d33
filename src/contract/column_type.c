/*
 * logicalType and physicalType to one type.
 *
 * 1. physicalType decides; logicalType has to agree with it, because other tools read it.
 * 2. Without physicalType: string, boolean, date and timestamp are what they say, integer is bigint (or what
 * logicalTypeOptions.format says). number is decimal(38,18), with a warning: a decimal keeps what was sent or rejects
 * it, where a double would change amounts unseen.
 * 3. Nested types, times of day and vectors are not read yet: an error, never a column that is silently left out.
 */
#include "contract/reader.h"

static const struct str logical_types[] = {{"string", 6},  {"date", 4},    {"timestamp", 9}, {"time", 4},
                                           {"number", 6},  {"integer", 7}, {"object", 6},    {"array", 5},
                                           {"boolean", 7}, {"map", 3},     {"vector", 6}};
enum { LOGICAL_TYPES = sizeof logical_types / sizeof logical_types[0] };

static const struct str physical_names[] = {{"string", 6},  {"boolean", 7}, {"tinyint", 7},   {"smallint", 8},
                                            {"int", 3},     {"bigint", 6},  {"float", 5},     {"double", 6},
                                            {"decimal", 7}, {"date", 4},    {"timestamp", 9}, {"timestamp_ntz", 13},
                                            {"binary", 6},  {"varchar", 7}};
enum { PHYSICAL_NAMES = sizeof physical_names / sizeof physical_names[0] };

static bool is_logical(const struct yaml_node *node, const char *name) {
    return node && str_eq(node->text, str_of(name));
}

static bool is_known_logical(struct str name) {
    for (size_t i = 0; i < LOGICAL_TYPES; i++)
        if (str_eq(name, logical_types[i])) return true;
    return false;
}

static struct str logical_hint(const struct reader *r, struct str name) {
    struct type type;
    if (!type_parse(name, &type)) return hint_names(r, name, logical_types, LOGICAL_TYPES);
    const char *logical = type_is_integer(type) ? "integer" : type_is_number(type) ? "number" : "string";
    return str_printf(r->arena, "write logicalType: %s and physicalType: %.*s", logical, STR_ARG(shown(r, name)));
}

static bool agrees(const struct yaml_node *logical, struct type type) {
    if (is_logical(logical, "string")) return type.kind == TYPE_STRING || type.kind == TYPE_BINARY;
    if (is_logical(logical, "integer")) return type_is_integer(type) || (type.kind == TYPE_DECIMAL && type.scale == 0);
    if (is_logical(logical, "number")) return type_is_number(type);
    if (is_logical(logical, "boolean")) return type.kind == TYPE_BOOLEAN;
    if (is_logical(logical, "date")) return type.kind == TYPE_DATE;
    if (is_logical(logical, "timestamp")) return type.kind == TYPE_TIMESTAMP || type.kind == TYPE_TIMESTAMP_NTZ;
    return true; /* none, or one that has been reported */
}

/* What type_parse takes for (10,0), and the lengths that it drops. */
static void check_parameters(struct reader *r, const struct yaml_node *physical, struct type type, struct str column) {
    struct str name, parameters = str_split(physical->text, '(', &name);
    name = str_trim(name);
    bool has_parameters = parameters.len > 0;
    if (type.kind == TYPE_DECIMAL && !has_parameters)
        report_warning(r, mark_node(r, physical), "decimal-without-scale",
                       STR("write decimal(18,2), or what the values need"),
                       "'%.*s' means decimal(10,0): values are rounded to whole numbers", STR_ARG(physical->text));
    if (type.kind == TYPE_STRING && has_parameters)
        unchecked_add(r, physical->line, "length in physicalType %.*s of %.*s (maxLength is checked)",
                      STR_ARG(shown(r, physical->text)), STR_ARG(column));
}

static struct str physical_hint(const struct reader *r, struct str text) {
    struct str name, parameters = str_split(text, '(', &name);
    if (parameters.len && str_eq_nocase(str_sub(str_trim(name), 0, 3), STR("dec")))
        return STR("decimal(p,s) has p from 1 to 38 and s from 0 to p");
    struct str nearest = str_nearest(str_trim(name), physical_names, PHYSICAL_NAMES);
    if (nearest.len) return str_printf(r->arena, "did you mean '%.*s'?", STR_ARG(nearest));
    return STR("write a type of Spark SQL: string, int, bigint, decimal(18,2), double, boolean, date, timestamp");
}

static struct type read_physical(struct reader *r, const struct yaml_node *physical, const struct yaml_node *logical,
                                 struct str column) {
    struct type type = {0};
    struct mark at = mark_node(r, physical);
    if (!type_parse(physical->text, &type)) {
        report_error(r, at, "unknown-type", physical_hint(r, physical->text),
                     "physicalType '%.*s' is no type that assay reads", STR_ARG(shown(r, physical->text)));
        return (struct type){0};
    }
    if (!agrees(logical, type))
        report_error(r, at, "type-mismatch", (struct str){0}, "physicalType '%.*s' does not fit logicalType '%.*s'",
                     STR_ARG(shown(r, physical->text)), STR_ARG(logical->text));
    check_parameters(r, physical, type, column);
    return type;
}

static struct type integer_of_format(struct str format) {
    static const struct {
        const char *format;
        struct type type;
    } formats[] = {{"i8", {TYPE_TINYINT, 0, 0}},    {"i16", {TYPE_SMALLINT, 0, 0}}, {"i32", {TYPE_INT, 0, 0}},
                   {"u8", {TYPE_SMALLINT, 0, 0}},   {"u16", {TYPE_INT, 0, 0}},      {"u64", {TYPE_DECIMAL, 20, 0}},
                   {"i128", {TYPE_DECIMAL, 38, 0}}, {"u128", {TYPE_DECIMAL, 38, 0}}};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (str_eq(format, str_of(formats[i].format))) return formats[i].type;
    return (struct type){.kind = TYPE_BIGINT};
}

static struct type number_of_format(struct reader *r, const struct yaml_node *logical, struct str format) {
    if (str_eq(format, STR("f32"))) return (struct type){.kind = TYPE_FLOAT};
    if (str_eq(format, STR("f64"))) return (struct type){.kind = TYPE_DOUBLE};
    report_warning(r, mark_node(r, logical), "no-physical-type", STR("add physicalType: decimal(18,2), or double"),
                   "a number without physicalType is a decimal(38,18)");
    return (struct type){TYPE_DECIMAL, 38, 18};
}

static struct type read_logical(struct reader *r, const struct yaml_node *logical, struct str format) {
    if (is_logical(logical, "string")) return (struct type){.kind = TYPE_STRING};
    if (is_logical(logical, "boolean")) return (struct type){.kind = TYPE_BOOLEAN};
    if (is_logical(logical, "date")) return (struct type){.kind = TYPE_DATE};
    if (is_logical(logical, "timestamp")) return (struct type){.kind = TYPE_TIMESTAMP};
    if (is_logical(logical, "integer")) return integer_of_format(format);
    return number_of_format(r, logical, format);
}

/* True when nothing more is to be said of the type. */
static bool is_unreadable(struct reader *r, const struct yaml_node *logical) {
    if (!is_known_logical(logical->text)) {
        report_error(r, mark_node(r, logical), "unknown-type", logical_hint(r, logical->text),
                     "'%.*s' is no logicalType", STR_ARG(shown(r, logical->text)));
        return false;
    }
    static const char *const unread[] = {"time", "object", "array", "map", "vector"};
    for (size_t i = 0; i < sizeof unread / sizeof unread[0]; i++) {
        if (!is_logical(logical, unread[i])) continue;
        report_error(r, mark_node(r, logical), "unsupported", STR("write string: the value is kept as its text"),
                     "columns of logicalType '%s' are not read yet", unread[i]);
        return true;
    }
    return false;
}

struct type read_type(struct reader *r, const struct yaml_node *property) {
    const struct yaml_node *logical = scalar_of(property, "logicalType"),
                           *physical = scalar_of(property, "physicalType");
    struct str column = text_of(property, "name");
    if (!logical && !physical) {
        report_error(r, mark_member(r, property, "name"), "no-type", STR("add logicalType and physicalType"),
                     "the column '%.*s' has no type", STR_ARG(shown(r, column)));
        return (struct type){0};
    }
    if (logical && is_unreadable(r, logical)) return (struct type){0};
    if (physical) return read_physical(r, physical, logical, column);
    if (!is_known_logical(logical->text)) return (struct type){0};
    return read_logical(r, logical, text_of(mapping_of(property, "logicalTypeOptions"), "format"));
}
