/*
 * The `metaData` action and metadata under construction (protocol: "Change Metadata").
 *
 * 1. A metadata replaces the one before it as a whole; its id is kept across changes.
 * 2. Partition columns are columns of the schema. Properties are kept whether assay knows them or not.
 * 3. `delta.constraints.<name>` is matched without case: delta-rs writes the name as it is given, Spark in lower case.
 */
#include "delta/delta_int.h"

#include <string.h>

static const struct str CONSTRAINT_PREFIX = {"delta.constraints.", sizeof "delta.constraints." - 1};

static enum assay_code copy_member(const struct json *body, const char *key, struct arena *arena, struct str *out,
                                   struct assay_error *err) {
    struct str text = {0};
    enum assay_code rc = json_get_str(body, key, &text, err);
    if (rc == ASSAY_NOT_FOUND) return ASSAY_OK;
    if (rc == ASSAY_OK) *out = str_copy(arena, text);
    return rc;
}

static enum assay_code parse_partition_columns(const struct json *body, struct arena *arena, struct delta_metadata *m,
                                               struct assay_error *err) {
    const struct json *list = json_member(body, "partitionColumns");
    m->partition_column_count = json_count(list);
    m->partition_columns = ARENA_ARRAY(arena, m->partition_column_count, struct str);
    for (size_t i = 0; i < m->partition_column_count; i++) {
        struct str name = json_str(json_at(list, i));
        size_t field = delta_field_find(&m->schema, name);
        if (field == SIZE_MAX || m->schema.fields[field].type.kind == TYPE_NONE)
            return error_set(err, ASSAY_CORRUPT, NULL,
                             "the partition column '%.*s' is not a primitive column of the schema", STR_ARG(name));
        m->partition_columns[i] = m->schema.fields[field].name;
    }
    return ASSAY_OK;
}

static enum assay_code parse_properties(const struct json *body, struct arena *arena, struct delta_metadata *m,
                                        struct assay_error *err) {
    const struct json *map = json_member(body, "configuration");
    m->property_count = json_kind_of(map) == JSON_KIND_OBJECT ? json_count(map) : 0;
    m->properties = ARENA_ARRAY(arena, m->property_count, struct delta_property);
    for (size_t i = 0; i < m->property_count; i++) {
        struct str key;
        const struct json *value;
        json_member_at(map, i, &key, &value);
        if (json_kind_of(value) != JSON_KIND_STRING && json_kind_of(value) != JSON_KIND_NULL)
            return error_set(err, ASSAY_CORRUPT, NULL, "the property '%.*s' is not a text", STR_ARG(key));
        m->properties[i] = (struct delta_property){str_copy(arena, key), str_copy(arena, json_str(value))};
    }
    return ASSAY_OK;
}

static void copy_options(const struct json *options, struct arena *arena, struct str *out) {
    if (json_count(options) == 0) return;
    struct buf text = {0};
    json_print(&text, options);
    *out = str_copy(arena, buf_str(&text));
    buf_free(&text);
}

static enum assay_code parse_metadata(const struct json *body, const char *where, struct arena *arena,
                                      struct delta_metadata *m, struct assay_error *err) {
    struct str schema = {0};
    TRY(copy_member(body, "id", arena, &m->id, err));
    TRY(copy_member(body, "name", arena, &m->name, err));
    TRY(copy_member(body, "description", arena, &m->description, err));
    enum assay_code rc = json_get_str(body, "schemaString", &schema, err);
    if (rc == ASSAY_NOT_FOUND) return error_set(err, ASSAY_CORRUPT, NULL, "metaData has no 'schemaString'");
    if (rc) return rc;
    rc = json_get_int(body, "createdTime", &m->created_ms, err);
    if (rc && rc != ASSAY_NOT_FOUND) return rc;
    struct str provider = json_str(json_member(json_member(body, "format"), "provider"));
    if (provider.len && !str_eq(provider, STR("parquet")))
        return error_set(err, ASSAY_UNSUPPORTED, NULL, "the table's files are '%.*s', not parquet", STR_ARG(provider));
    copy_options(json_member(json_member(body, "format"), "options"), arena, &m->format_options);
    TRY(delta_schema_parse(schema, where, arena, &m->schema, err));
    TRY(parse_partition_columns(body, arena, m, err));
    TRY(parse_properties(body, arena, m, err));
    enum delta_mapping mapping = DELTA_MAPPING_NONE;
    if (delta_mapping_parse(m, &mapping, NULL) == ASSAY_OK && mapping == DELTA_MAPPING_NONE)
        for (size_t i = 0; i < m->schema.count; i++) m->schema.fields[i].physical_name = m->schema.fields[i].name;
    return ASSAY_OK;
}

enum assay_code delta_metadata_parse(const struct json *body, const char *where, struct arena *arena,
                                     struct delta_metadata *out, struct assay_error *err) {
    struct delta_metadata m = {0};
    enum assay_code rc = parse_metadata(body, where, arena, &m, err);
    if (rc == ASSAY_OK) *out = m;
    return rc;
}

void delta_metadata_print(struct json_writer *w, const struct delta_metadata *m) {
    struct buf schema = {0};
    delta_schema_print(&schema, &m->schema);
    json_begin_object(w);
    json_key(w, "id");
    json_put_str(w, m->id);
    if (m->name.len) json_key(w, "name"), json_put_str(w, m->name);
    if (m->description.len) json_key(w, "description"), json_put_str(w, m->description);
    json_key(w, "format");
    json_begin_object(w);
    json_key(w, "provider"), json_put_str(w, STR("parquet"));
    json_key(w, "options"), json_put_raw(w, m->format_options.len ? m->format_options : STR("{}"));
    json_end_object(w);
    json_key(w, "schemaString");
    json_put_str(w, buf_str(&schema));
    json_key(w, "partitionColumns");
    json_begin_array(w);
    for (size_t i = 0; i < m->partition_column_count; i++) json_put_str(w, m->partition_columns[i]);
    json_end_array(w);
    json_key(w, "configuration");
    json_begin_object(w);
    for (size_t i = 0; i < m->property_count; i++) {
        json_key_str(w, m->properties[i].name);
        json_put_str(w, m->properties[i].value);
    }
    json_end_object(w);
    json_key(w, "createdTime");
    json_put_int(w, m->created_ms);
    json_end_object(w);
    buf_free(&schema);
}

enum assay_code delta_metadata_check(const struct delta_metadata *m, struct assay_error *err) {
    enum delta_mapping mapping;
    TRY(delta_mapping_parse(m, &mapping, err));
    if (m->schema.count == 0) return error_set(err, ASSAY_INVALID, NULL, "a table needs at least one column");
    for (size_t i = 0; i < m->schema.count; i++) {
        struct str name = m->schema.fields[i].name;
        if (name.len == 0) return error_set(err, ASSAY_INVALID, NULL, "column %zu has no name", i + 1);
        if (mapping != DELTA_MAPPING_NONE && m->schema.fields[i].mapping_id < 0)
            return error_set(err, ASSAY_INVALID, NULL, "columns are mapped, but '%.*s' has no delta.columnMapping.id",
                             STR_ARG(name));
        for (size_t k = 0; k < name.len && mapping == DELTA_MAPPING_NONE; k++)
            if (strchr(" ,;{}()\n\t=", name.ptr[k]))
                return error_set(err, ASSAY_INVALID, NULL,
                                 "the column name '%.*s' has one of ' ,;{}()=', a tab or a line end, which Delta "
                                 "allows only with column mapping",
                                 STR_ARG(name));
    }
    return delta_schema_check_unique(&m->schema, ASSAY_INVALID, err);
}

bool delta_is_partition_column(const struct delta_metadata *m, struct str name) {
    for (size_t i = 0; i < m->partition_column_count; i++)
        if (str_eq_nocase(m->partition_columns[i], name)) return true;
    return false;
}

bool delta_constraint_next(const struct delta_metadata *m, size_t *index, struct str *name, struct str *text) {
    for (; *index < m->property_count; ++*index) {
        const struct delta_property *p = &m->properties[*index];
        if (p->name.len <= CONSTRAINT_PREFIX.len ||
            !str_eq_nocase(str_sub(p->name, 0, CONSTRAINT_PREFIX.len), CONSTRAINT_PREFIX))
            continue;
        *name = str_sub(p->name, CONSTRAINT_PREFIX.len, p->name.len);
        *text = p->value;
        ++*index;
        return true;
    }
    return false;
}

struct str delta_property_get(const struct delta_metadata *m, struct str name) {
    for (size_t i = 0; i < m->property_count; i++)
        if (str_eq(m->properties[i].name, name)) return m->properties[i].value;
    return (struct str){0};
}

void delta_property_set(struct delta_metadata *m, struct arena *arena, struct str name, struct str value) {
    for (size_t i = 0; i < m->property_count; i++) {
        if (!str_eq(m->properties[i].name, name)) continue;
        m->properties[i].value = str_copy(arena, value);
        return;
    }
    m->properties = arena_grow(arena, m->properties, m->property_count, m->property_count + 1, sizeof *m->properties);
    m->properties[m->property_count++] = (struct delta_property){str_copy(arena, name), str_copy(arena, value)};
}

static struct delta_field *push_field(struct delta_metadata *m, struct arena *arena, struct str name,
                                      bool is_nullable) {
    struct delta_schema *s = &m->schema;
    s->fields = arena_grow(arena, s->fields, s->count, s->count + 1, sizeof *s->fields);
    struct delta_field *field = &s->fields[s->count++];
    struct str copy = str_copy(arena, name);
    *field = (struct delta_field){
        .name = copy, .is_nullable = is_nullable, .metadata = STR("{}"), .physical_name = copy, .mapping_id = -1};
    return field;
}

void delta_field_add(struct delta_metadata *m, struct arena *arena, struct str name, struct type type, bool is_nullable,
                     struct str comment) {
    struct delta_field *field = push_field(m, arena, name, is_nullable);
    struct buf text = {0};
    buf_addc(&text, '"');
    type_print_delta(&text, type);
    buf_addc(&text, '"');
    field->type = type;
    field->type_json = str_copy(arena, buf_str(&text));
    if (comment.len) {
        buf_clear(&text);
        struct json_writer w = {.out = &text};
        json_begin_object(&w);
        json_key(&w, "comment");
        json_put_str(&w, comment);
        json_end_object(&w);
        field->metadata = str_copy(arena, buf_str(&text));
    }
    buf_free(&text);
    delta_mapping_name_field(m, field, arena);
}

void delta_field_add_json(struct delta_metadata *m, struct arena *arena, struct str name, struct str type_json,
                          bool is_nullable) {
    struct delta_field *field = push_field(m, arena, name, is_nullable);
    field->type_json = str_copy(arena, type_json);
    struct str inner = str_trim(type_json);
    if (inner.len > 2 && inner.ptr[0] == '"') type_parse_delta(str_sub(inner, 1, inner.len - 1), &field->type);
    delta_mapping_name_field(m, field, arena);
}

static struct str *copy_names(struct arena *arena, const struct str *names, size_t count) {
    struct str *copy = ARENA_ARRAY(arena, count, struct str);
    for (size_t i = 0; i < count; i++) copy[i] = str_copy(arena, names[i]);
    return copy;
}

struct delta_metadata *delta_metadata_copy(const struct delta_metadata *m, struct arena *arena) {
    struct delta_metadata *copy = ARENA_NEW(arena, struct delta_metadata);
    *copy = *m;
    copy->id = str_copy(arena, m->id);
    copy->name = str_copy(arena, m->name);
    copy->description = str_copy(arena, m->description);
    copy->partition_columns = copy_names(arena, m->partition_columns, m->partition_column_count);
    copy->schema.fields = ARENA_ARRAY(arena, m->schema.count, struct delta_field);
    for (size_t i = 0; i < m->schema.count; i++) {
        const struct delta_field *f = &m->schema.fields[i];
        copy->schema.fields[i] = (struct delta_field){.name = str_copy(arena, f->name),
                                                      .type = f->type,
                                                      .type_json = str_copy(arena, f->type_json),
                                                      .is_nullable = f->is_nullable,
                                                      .metadata = str_copy(arena, f->metadata),
                                                      .physical_name = str_copy(arena, f->physical_name),
                                                      .mapping_id = f->mapping_id};
    }
    copy->properties = ARENA_ARRAY(arena, m->property_count, struct delta_property);
    for (size_t i = 0; i < m->property_count; i++)
        copy->properties[i] =
            (struct delta_property){str_copy(arena, m->properties[i].name), str_copy(arena, m->properties[i].value)};
    return copy;
}
