/*
 * `assay plan --json`: one object with all of the plan. Names are stable; what is not there is null, not left out, so
 * that a reader needs no second way.
 */
#include "plan/describe.h"

#include "base/json.h"

static void put(struct json_writer *w, const char *key, struct str value) {
    json_key(w, key);
    json_put_str(w, value);
}

static void put_or_null(struct json_writer *w, const char *key, struct str value) {
    json_key(w, key);
    if (value.len)
        json_put_str(w, value);
    else
        json_put_null(w);
}

static void put_bool(struct json_writer *w, const char *key, bool value) {
    json_key(w, key);
    json_put_bool(w, value);
}

static void put_int(struct json_writer *w, const char *key, int64_t value) {
    json_key(w, key);
    json_put_int(w, value);
}

static void put_strings(struct json_writer *w, const char *key, const struct str *list, size_t count) {
    json_key(w, key);
    json_begin_array(w);
    for (size_t i = 0; i < count; i++) json_put_str(w, list[i]);
    json_end_array(w);
}

static void put_head(struct json_writer *w, const struct plan *plan) {
    put(w, "table", plan->table);
    put(w, "bronze_table", plan->bronze_table);
    put(w, "quarantine_table", plan->quarantine_table);
    json_key(w, "contract");
    json_begin_object(w);
    put(w, "id", plan->contract_id);
    put(w, "version", plan->contract_version);
    put(w, "path", plan->contract_path);
    put(w, "sha256", plan->contract_hash);
    put_or_null(w, "owner", plan->owner);
    put_or_null(w, "owner_contact", plan->owner_contact);
    put_or_null(w, "purpose", plan->purpose);
    put_or_null(w, "granularity", plan->granularity);
    json_end_object(w);
}

static void put_source(struct json_writer *w, const struct plan *plan) {
    const struct contract_source *source = &plan->source;
    json_key(w, "source");
    json_begin_object(w);
    put(w, "path", source->path);
    put(w, "pattern", source->pattern);
    put(w, "format", describe_format(source->format));
    put(w, "header", describe_header(source->header));
    put(w, "delimiter", source->delimiter);
    put(w, "quote", source->quote);
    put(w, "escape", source->escape);
    put_bool(w, "multi_line", source->is_multi_line);
    put_int(w, "max_record_bytes", source->max_record_bytes);
    put(w, "encoding", source->encoding);
    put_or_null(w, "comment", source->comment);
    put_int(w, "skip_top", source->skip_top);
    put_int(w, "skip_bottom", source->skip_bottom);
    put_strings(w, "null_markers", source->null_markers, source->null_marker_count);
    put_or_null(w, "decimal_separator", source->decimal_separator);
    put_or_null(w, "thousands_separator", source->thousands_separator);
    put_strings(w, "columns", plan->source_columns, plan->source_column_count);
    json_end_object(w);
    json_key(w, "reader_settings");
    json_put_raw(w, plan->reader_settings);
}

static void put_columns(struct json_writer *w, const struct plan *plan, struct arena *arena) {
    json_key(w, "columns");
    json_begin_array(w);
    for (size_t i = 0; i < plan->column_count; i++) {
        const struct plan_column *column = &plan->columns[i];
        json_begin_object(w);
        put(w, "name", column->name);
        put(w, "type", describe_type(column->type, arena));
        put(w, "source", plan->source_columns[column->source]);
        put_or_null(w, "clean", describe_expr(column->clean, arena));
        put_or_null(w, "format", column->format);
        put_bool(w, "required", column->is_required);
        put_bool(w, "scale_strict", column->is_scale_strict);
        put_or_null(w, "description", column->description);
        json_end_object(w);
    }
    json_end_array(w);
}

static void put_reference(struct json_writer *w, const struct plan_rule *rule) {
    json_key(w, "reference");
    if (rule->kind != CONTRACT_REFERENCE) {
        json_put_null(w);
        return;
    }
    json_begin_object(w);
    put(w, "table", rule->reference_table);
    put(w, "column", rule->reference_column);
    put_or_null(w, "active_when", rule->reference_active_when);
    json_end_object(w);
}

static void put_rules(struct json_writer *w, const struct plan *plan, struct arena *arena) {
    json_key(w, "rules");
    json_begin_array(w);
    for (size_t i = 0; i < plan->rule_count; i++) {
        const struct plan_rule *rule = &plan->rules[i];
        json_begin_object(w);
        put(w, "id", rule->id);
        put(w, "kind", describe_kind(rule->kind));
        put_or_null(w, "column", rule->column == SIZE_MAX ? STR("") : plan->columns[rule->column].name);
        put(w, "reason", rule->reason);
        put(w, "severity", plan_severity_text(rule->severity));
        put_or_null(w, "predicate", describe_expr(rule->predicate, arena));
        put_reference(w, rule);
        put_or_null(w, "on_table", describe_on_table(plan, rule, arena));
        json_end_object(w);
    }
    json_end_array(w);
}

static void put_checks(struct json_writer *w, const struct plan *plan, struct arena *arena) {
    json_key(w, "checks");
    json_begin_array(w);
    for (size_t i = 0; i < plan->check_count; i++) {
        const struct plan_check *check = &plan->checks[i];
        json_begin_object(w);
        put(w, "id", check->id);
        put(w, "measures", check->what);
        put(w, "limit", check->limit);
        put(w, "severity", plan_severity_text(check->severity));
        put_or_null(w, "predicate", describe_expr(check->predicate, arena));
        json_key(w, "line");
        json_put_int(w, check->place.line);
        json_end_object(w);
    }
    json_end_array(w);
}

static void put_grain(struct json_writer *w, const struct plan *plan) {
    json_key(w, "grain");
    json_begin_object(w);
    json_key(w, "keys");
    json_begin_array(w);
    for (size_t i = 0; i < plan->key_count; i++) json_put_str(w, plan->columns[plan->keys[i]].name);
    json_end_array(w);
    json_key(w, "latest_by");
    json_begin_array(w);
    for (size_t i = 0; i < plan->order_count; i++) {
        json_begin_object(w);
        put(w, "column", plan->order[i].column);
        put(w, "direction", plan->order[i].is_ascending ? STR("asc") : STR("desc"));
        put_bool(w, "is_version", i < plan->version_count);
        json_end_object(w);
    }
    json_end_array(w);
    json_end_object(w);
}

static void put_merge(struct json_writer *w, const struct plan *plan, struct arena *arena) {
    json_key(w, "merge");
    json_begin_object(w);
    put(w, "update_when", plan_update_text(plan, arena));
    put_bool(w, "is_default", plan->update_when == NULL);
    json_end_object(w);
}

/* The line of the contract that says so, null for a default. */
static void put_line(struct json_writer *w, const char *key, struct contract_place place) {
    json_key(w, key);
    if (place.line)
        json_put_int(w, place.line);
    else
        json_put_null(w);
}

static void put_row_gate(struct json_writer *w, const char *key, const char *line_key, int64_t rows,
                         struct contract_place place) {
    json_key(w, key);
    if (rows >= 0)
        json_put_int(w, rows);
    else
        json_put_null(w);
    put_line(w, line_key, place);
}

static void put_gates(struct json_writer *w, const struct plan *plan, struct arena *arena) {
    json_key(w, "gates");
    json_begin_object(w);
    put(w, "max_reject_percent", plan_limit_text(plan, arena));
    put_line(w, "max_reject_percent_line", plan->limit_place);
    put_row_gate(w, "min_rows", "min_rows_line", plan->min_rows, plan->min_rows_place);
    put_row_gate(w, "max_rows", "max_rows_line", plan->max_rows, plan->max_rows_place);
    json_end_object(w);
}

static void put_constraints(struct json_writer *w, const struct plan *plan) {
    json_key(w, "constraints");
    json_begin_array(w);
    for (size_t i = 0; i < plan->constraint_count; i++) {
        json_begin_object(w);
        put(w, "name", plan->constraints[i].name);
        put(w, "check", plan->constraints[i].text);
        json_end_object(w);
    }
    json_end_array(w);
    json_key(w, "bronze_properties");
    json_begin_object(w);
    for (size_t i = 0; i < plan->bronze_property_count; i++) {
        json_key_str(w, plan->bronze_properties[i].name);
        json_put_str(w, plan->bronze_properties[i].value);
    }
    json_end_object(w);
}

void plan_print_json(const struct plan *plan, struct buf *out) {
    struct arena arena = {0};
    struct json_writer w = {.out = out};
    json_begin_object(&w);
    put_head(&w, plan);
    put_source(&w, plan);
    put_columns(&w, plan, &arena);
    put_rules(&w, plan, &arena);
    put_checks(&w, plan, &arena);
    put_grain(&w, plan);
    put_merge(&w, plan, &arena);
    put_gates(&w, plan, &arena);
    put_constraints(&w, plan);
    put_strings(&w, "unchecked", plan->unchecked, plan->unchecked_count);
    json_end_object(&w);
    arena_reset(&arena);
}
