/* Pieces of a plan as words, shared by both printers. Everything is made in the caller's arena. */
#include "plan/describe.h"

struct str describe_type(struct type type, struct arena *arena) {
    struct buf out = {0};
    type_print(&out, type);
    struct str text = str_copy(arena, buf_str(&out));
    buf_free(&out);
    return text;
}

struct str describe_expr(const struct expr *e, struct arena *arena) {
    struct buf out = {0};
    if (e) expr_print_spark(&out, e);
    struct str text = str_copy(arena, buf_str(&out));
    buf_free(&out);
    return text;
}

struct str describe_format(enum contract_format format) {
    switch (format) {
    case CONTRACT_CSV:
        return STR("csv");
    case CONTRACT_JSON:
        return STR("json");
    case CONTRACT_PARQUET:
        return STR("parquet");
    case CONTRACT_DELTA:
        return STR("delta");
    }
    return STR("");
}

struct str describe_header(enum contract_header header) {
    switch (header) {
    case CONTRACT_HEADER_STRICT:
        return STR("strict");
    case CONTRACT_HEADER_BY_NAME:
        return STR("byName");
    case CONTRACT_HEADER_NONE:
        return STR("none");
    }
    return STR("");
}

struct str plan_severity_text(enum contract_severity severity) {
    switch (severity) {
    case CONTRACT_ERROR:
        return STR("error");
    case CONTRACT_WARNING:
        return STR("warning");
    case CONTRACT_INFO:
        return STR("info");
    }
    return STR("");
}

struct str describe_kind(enum contract_rule_kind kind) {
    switch (kind) {
    case CONTRACT_REQUIRED:
        return STR("required");
    case CONTRACT_PRESENT:
        return STR("present");
    case CONTRACT_CAST:
        return STR("cast");
    case CONTRACT_SCALE:
        return STR("scale");
    case CONTRACT_RANGE:
        return STR("range");
    case CONTRACT_LENGTH:
        return STR("length");
    case CONTRACT_PATTERN:
        return STR("pattern");
    case CONTRACT_ALLOWED:
        return STR("allowed");
    case CONTRACT_REFERENCE:
        return STR("reference");
    case CONTRACT_ROW:
        return STR("row");
    }
    return STR("");
}

struct str describe_on_table(const struct plan *plan, const struct plan_rule *rule, struct arena *arena) {
    if (rule->kind == CONTRACT_REQUIRED) return STR("NOT NULL");
    struct str name = str_lower(arena, rule->id);
    for (size_t i = 0; rule->predicate && i < plan->constraint_count; i++)
        if (str_eq(plan->constraints[i].name, name)) return STR("CHECK");
    return STR("");
}

static struct str describe_reference(const struct plan_rule *rule, struct arena *arena) {
    bool has_filter = rule->reference_active_when.len > 0;
    return str_printf(arena, "is in %.*s.%.*s%s%.*s", STR_ARG(rule->reference_table), STR_ARG(rule->reference_column),
                      has_filter ? " where " : "", STR_ARG(rule->reference_active_when));
}

static struct str describe_cast(const struct plan_column *column, struct arena *arena) {
    struct str type = describe_type(column->type, arena);
    if (column->format.len)
        return str_printf(arena, "reads as %.*s in the format %.*s", STR_ARG(type), STR_ARG(column->format));
    return str_printf(arena, "reads as %.*s", STR_ARG(type));
}

struct str describe_question(const struct plan *plan, const struct plan_rule *rule, struct arena *arena) {
    const struct plan_column *column = rule->column == SIZE_MAX ? NULL : &plan->columns[rule->column];
    switch (rule->kind) {
    case CONTRACT_REQUIRED:
        return column->type.kind == TYPE_STRING ? STR("has a value, not ''") : STR("has a value");
    case CONTRACT_CAST:
        return describe_cast(column, arena);
    case CONTRACT_SCALE: {
        struct str type = describe_type(column->type, arena);
        return str_printf(arena, "fits %.*s without rounding", STR_ARG(type));
    }
    case CONTRACT_REFERENCE:
        return describe_reference(rule, arena);
    case CONTRACT_PRESENT:
    case CONTRACT_RANGE:
    case CONTRACT_LENGTH:
    case CONTRACT_PATTERN:
    case CONTRACT_ALLOWED:
    case CONTRACT_ROW:
        return describe_expr(rule->predicate, arena);
    }
    return STR("");
}

struct str describe_columns(const struct plan *plan, const size_t *columns, size_t count, struct arena *arena) {
    struct buf out = {0};
    for (size_t i = 0; i < count; i++)
        buf_printf(&out, "%s%.*s", i ? ", " : "", STR_ARG(plan->columns[columns[i]].name));
    struct str text = str_copy(arena, buf_str(&out));
    buf_free(&out);
    return text;
}

struct str describe_required(const struct plan *plan, struct arena *arena) {
    size_t *required = ARENA_ARRAY(arena, plan->column_count, size_t), count = 0;
    for (size_t i = 0; i < plan->column_count; i++)
        if (plan->columns[i].is_required) required[count++] = i;
    return describe_columns(plan, required, count, arena);
}
