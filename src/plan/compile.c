/*
 * Contract to plan. What a contract says in its own words becomes the lists that the engines walk: source columns,
 * columns, rules, order, constraints, settings.
 *
 * 1. Pure: the same contract gives the same plan; nothing is read but the contract.
 * 2. Everything keeps contract order. Source columns are listed once each, whatever the case they are written in,
 * because the header check and Delta tables compare names without case.
 * 3. The order of rows is total: it always ends with file and line.
 * Source: the oracle's README, "The rules" and "Grain and merge".
 */
#include "plan/plan_int.h"

#include "base/json.h"

#include <ctype.h>

static void copy_identity(const struct contract *contract, struct plan *plan) {
    plan->table = contract->table;
    plan->bronze_table = contract->bronze_table;
    plan->quarantine_table = contract->quarantine_table;
    plan->contract_id = contract->id;
    plan->contract_version = contract->version;
    plan->contract_hash = contract->hash;
    plan->contract_path = contract->path;
    plan->owner = contract->owner;
    plan->owner_contact = contract->owner_contact;
    plan->purpose = contract->purpose;
    plan->granularity = contract->granularity;
}

static void copy_gates(const struct contract *contract, struct plan *plan) {
    plan->limit_scaled = contract->limit_scaled;
    plan->limit_scale = contract->limit_scale;
    plan->limit_place = contract->limit_place;
    plan->min_rows = contract->min_rows;
    plan->min_rows_place = contract->min_rows_place;
    plan->max_rows = contract->max_rows;
    plan->max_rows_place = contract->max_rows_place;
    plan->unchecked = contract->unchecked;
    plan->unchecked_count = contract->unchecked_count;
}

static size_t find_or_add_source(struct plan *plan, struct str name) {
    for (size_t i = 0; i < plan->source_column_count; i++)
        if (str_eq_nocase(plan->source_columns[i], name)) return i;
    plan->source_columns[plan->source_column_count] = name;
    return plan->source_column_count++;
}

/** Whether one of the classification's words says that the values are about people or not for every eye. */
static bool is_personal(struct str classification) {
    static const char *const words[] = {"personal",     "pii",        "phi",    "sensitive",
                                        "confidential", "restricted", "secret", "private"};
    for (size_t i = 0; i < classification.len;) {
        size_t start = i;
        while (i < classification.len && isalpha((unsigned char)classification.ptr[i])) i++;
        struct str word = str_sub(classification, start, i);
        for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
            if (str_eq_nocase(word, str_of(words[k]))) return true;
        if (i == start) i++;
    }
    return false;
}

static void compile_columns(const struct contract *contract, struct arena *arena, struct plan *plan) {
    plan->source_columns = ARENA_ARRAY(arena, contract->column_count, struct str);
    plan->columns = ARENA_ARRAY(arena, contract->column_count, struct plan_column);
    plan->column_count = contract->column_count;
    for (size_t i = 0; i < contract->column_count; i++) {
        const struct contract_column *c = &contract->columns[i];
        plan->columns[i] = (struct plan_column){
            .name = c->name,
            .type = c->type,
            .source = find_or_add_source(plan, c->source),
            .clean = c->clean,
            .format = c->format,
            .is_required = c->is_required,
            .is_scale_strict = c->is_scale_strict,
            .is_rounded = c->type.kind == TYPE_DECIMAL && !c->is_scale_strict,
            .is_personal = is_personal(c->classification),
            .description = c->description,
        };
        plan->has_personal |= plan->columns[i].is_personal;
    }
}

static size_t find_column(const struct plan *plan, struct str name) {
    for (size_t i = 0; i < plan->column_count; i++)
        if (str_eq_nocase(plan->columns[i].name, name)) return i;
    return SIZE_MAX;
}

static bool is_lineage(struct str name) {
    return str_eq(name, STR(LINEAGE_SOURCE_FILE)) || str_eq(name, STR(LINEAGE_SOURCE_LINE)) ||
           str_eq(name, STR(LINEAGE_BATCH_ID)) || str_eq(name, STR(LINEAGE_LOADED_AT));
}

static void append_tie_break(struct plan *plan, struct str lineage) {
    for (size_t i = 0; i < plan->order_count; i++)
        if (str_eq(plan->order[i].column, lineage)) return;
    plan->order[plan->order_count++] = (struct plan_order){.column = lineage, .index = SIZE_MAX, .is_ascending = false};
}

/* Lineage breaks ties inside a batch and is no version, so a contract column after it would be one thing in the batch
 * and another in the merge. */
static enum assay_code compile_order(const struct contract *contract, struct arena *arena, struct plan *plan,
                                     struct assay_error *err) {
    const char *where = plan_place_text(contract, contract->place, arena);
    plan->order = ARENA_ARRAY(arena, contract->latest_by_count + 2, struct plan_order);
    for (size_t i = 0; i < contract->latest_by_count; i++) {
        struct str name = contract->latest_by[i].column;
        size_t index = is_lineage(name) ? SIZE_MAX : find_column(plan, name);
        if (index == SIZE_MAX && !is_lineage(name))
            return error_set(err, ASSAY_INVALID, where, "latestBy names %.*s, which is no column of %.*s",
                             STR_ARG(name), STR_ARG(plan->table));
        if (index != SIZE_MAX && plan->version_count != i)
            return error_set(err, ASSAY_INVALID, where,
                             "latestBy names the column %.*s after a lineage column; put the contract's columns first, "
                             "lineage only breaks ties",
                             STR_ARG(name));
        if (index != SIZE_MAX) plan->version_count++;
        plan->order[plan->order_count++] = (struct plan_order){
            .column = index == SIZE_MAX ? name : plan->columns[index].name,
            .index = index,
            .is_ascending = contract->latest_by[i].is_ascending,
        };
    }
    append_tie_break(plan, STR(LINEAGE_SOURCE_FILE));
    append_tie_break(plan, STR(LINEAGE_SOURCE_LINE));
    return ASSAY_OK;
}

static void compile_properties(const struct contract *contract, struct arena *arena, struct plan *plan) {
    plan->bronze_property_count = contract->bronze_property_count;
    plan->bronze_properties = ARENA_ARRAY(arena, contract->bronze_property_count, struct plan_property);
    for (size_t i = 0; i < contract->bronze_property_count; i++) {
        plan->bronze_properties[i].name = contract->bronze_properties[2 * i];
        plan->bronze_properties[i].value = contract->bronze_properties[2 * i + 1];
    }
}

static void put_member(struct json_writer *w, const char *key, struct str value) {
    json_key(w, key);
    json_put_str(w, value);
}

static struct str upper_ascii(struct arena *arena, struct str s) {
    struct str lower = str_lower(arena, s);
    char *text = ARENA_ARRAY(arena, lower.len + 1, char);
    for (size_t i = 0; i < lower.len; i++)
        text[i] = lower.ptr[i] >= 'a' && lower.ptr[i] <= 'z' ? (char)(lower.ptr[i] - 'a' + 'A') : lower.ptr[i];
    return (struct str){text, lower.len};
}

/* Settings that most contracts lack stand in the text only where they say something, so that a batch loaded before they
 * were known is not loaded again. */
static void put_rare_settings(struct json_writer *w, const struct contract_source *s) {
    if (s->comment.len) put_member(w, "comment", s->comment);
    if (s->skip_top) {
        json_key(w, "skipTop");
        json_put_int(w, s->skip_top);
    }
    if (s->skip_bottom) {
        json_key(w, "skipBottom");
        json_put_int(w, s->skip_bottom);
    }
    if (s->null_marker_count == 0) return;
    json_key(w, "nullMarkers");
    json_begin_array(w);
    for (size_t i = 0; i < s->null_marker_count; i++) json_put_str(w, s->null_markers[i]);
    json_end_array(w);
}

/* What has no effect is left out, so that changing it does not load a batch again: maxRecordBytes counts only with
 * multiLine. */
static struct str settings_text(const struct plan *plan, struct arena *arena) {
    static const char *const formats[] = {"csv", "json", "parquet", "delta"};
    static const char *const headers[] = {"strict", "byName", "none"};
    const struct contract_source *s = &plan->source;
    struct buf out = {0};
    struct json_writer w = {.out = &out};
    json_begin_object(&w);
    put_member(&w, "format", str_of(formats[s->format]));
    put_member(&w, "header", str_of(headers[s->header]));
    put_member(&w, "delimiter", s->delimiter);
    put_member(&w, "quote", s->quote);
    put_member(&w, "escape", s->escape);
    json_key(&w, "multiLine");
    json_put_bool(&w, s->is_multi_line);
    if (s->is_multi_line) {
        json_key(&w, "maxRecordBytes");
        json_put_int(&w, s->max_record_bytes);
    }
    put_member(&w, "encoding", upper_ascii(arena, s->encoding));
    put_rare_settings(&w, s);
    json_key(&w, "columns");
    json_begin_array(&w);
    for (size_t i = 0; i < plan->source_column_count; i++) json_put_str(&w, plan->source_columns[i]);
    json_end_array(&w);
    json_end_object(&w);
    struct str text = str_copy(arena, buf_str(&out));
    buf_free(&out);
    return text;
}

enum assay_code plan_compile(const struct contract *contract, struct arena *arena, struct plan **out,
                             struct assay_error *err) {
    struct plan *plan = ARENA_NEW(arena, struct plan);
    copy_identity(contract, plan);
    copy_gates(contract, plan);
    plan->source = contract->source;
    compile_columns(contract, arena, plan);
    plan->reader_settings = settings_text(plan, arena);
    TRY(plan_rules_compile(contract, arena, plan, err));
    TRY(plan_checks_compile(contract, arena, plan, err));
    plan->keys = contract->keys;
    plan->key_count = contract->key_count;
    TRY(compile_order(contract, arena, plan, err));
    plan->update_when = contract->update_when;
    plan->update_when_text = contract->update_when_text;
    TRY(plan_constraints_compile(contract, arena, plan, err));
    compile_properties(contract, arena, plan);
    *out = plan;
    return ASSAY_OK;
}
