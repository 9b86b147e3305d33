/*
 * `schemaString` to fields and back (protocol: "Schema Serialization Format").
 *
 * 1. Field names are unique, ASCII case ignored; every field has a name, a type and `nullable`.
 * 2. A type is kept as the JSON it came as, so what assay does not know is written back unchanged.
 * 3. A type without a name in the engine is refused when it is scanned or written, not when the log is read.
 */
#include "delta/delta_int.h"

#include "base/limits.h"

static struct str print_json(struct arena *arena, const struct json *node) {
    struct buf text = {0};
    json_print(&text, node);
    struct str copy = str_copy(arena, buf_str(&text));
    buf_free(&text);
    return copy;
}

static enum assay_code parse_field(const struct json *node, struct arena *arena, struct delta_field *out,
                                   struct assay_error *err) {
    struct str name = {0};
    bool is_nullable = false;
    enum assay_code rc = json_get_str(node, "name", &name, err);
    if (rc == ASSAY_OK) rc = json_get_bool(node, "nullable", &is_nullable, err);
    if (rc == ASSAY_NOT_FOUND)
        return error_set(err, ASSAY_CORRUPT, NULL, "a field of the schema has no name or no 'nullable'");
    if (rc) return rc;
    const struct json *type = json_member(node, "type");
    enum json_kind kind = json_kind_of(type);
    if (name.len == 0 || (kind != JSON_KIND_STRING && kind != JSON_KIND_OBJECT))
        return error_set(err, ASSAY_CORRUPT, NULL, "the field '%.*s' of the schema has no name or no type",
                         STR_ARG(name));
    const struct json *metadata = json_member(node, "metadata");
    *out = (struct delta_field){
        .name = str_copy(arena, name), .is_nullable = is_nullable, .type_json = print_json(arena, type)};
    if (kind == JSON_KIND_STRING) type_parse_delta(json_str(type), &out->type);
    out->metadata = json_kind_of(metadata) == JSON_KIND_OBJECT ? print_json(arena, metadata) : STR("{}");
    const struct json *physical = json_member(metadata, "delta.columnMapping.physicalName");
    const struct json *id = json_member(metadata, "delta.columnMapping.id");
    out->physical_name = json_kind_of(physical) == JSON_KIND_STRING ? str_copy(arena, json_str(physical)) : out->name;
    out->mapping_id = json_kind_of(id) == JSON_KIND_INT ? json_int(id) : -1;
    return ASSAY_OK;
}

enum assay_code delta_schema_check_unique(const struct delta_schema *schema, enum assay_code code,
                                          struct assay_error *err) {
    struct arena scratch = {0};
    struct delta_keyset names = {0};
    enum assay_code rc = ASSAY_OK;
    for (size_t i = 0; i < schema->count && rc == ASSAY_OK; i++) {
        struct delta_key *key = delta_keyset_put(&names, str_lower(&scratch, schema->fields[i].name), &scratch);
        if (key->value != SIZE_MAX)
            rc = error_set(err, code, NULL, "the schema has the column '%.*s' twice", STR_ARG(schema->fields[i].name));
        key->value = i;
    }
    delta_keyset_free(&names);
    arena_reset(&scratch);
    return rc;
}

static enum assay_code parse_fields(const struct json *root, struct arena *arena, struct delta_schema *out,
                                    struct assay_error *err) {
    const struct json *fields = json_member(root, "fields");
    if (!str_eq(json_str(json_member(root, "type")), STR("struct")) || json_kind_of(fields) != JSON_KIND_ARRAY)
        return error_set(err, ASSAY_CORRUPT, NULL, "the schema is not a struct with fields");
    struct delta_schema schema = {.count = json_count(fields)};
    if (schema.count > LIMIT_COLUMNS)
        return error_set(err, ASSAY_LIMIT, NULL, "the schema has %zu columns, more than %d", schema.count,
                         LIMIT_COLUMNS);
    schema.fields = ARENA_ARRAY(arena, schema.count, struct delta_field);
    for (size_t i = 0; i < schema.count; i++) TRY(parse_field(json_at(fields, i), arena, &schema.fields[i], err));
    TRY(delta_schema_check_unique(&schema, ASSAY_CORRUPT, err));
    *out = schema;
    return ASSAY_OK;
}

enum assay_code delta_schema_parse(struct str schema_string, const char *where, struct arena *arena,
                                   struct delta_schema *out, struct assay_error *err) {
    struct json *root = NULL;
    enum assay_code rc = json_parse(schema_string, "schemaString", &root, err);
    if (rc == ASSAY_OK) rc = parse_fields(root, arena, out, err);
    json_close(&root);
    if (rc) error_prepend(err, "%s", where);
    return rc;
}

void delta_schema_print(struct buf *out, const struct delta_schema *schema) {
    struct json_writer w = {.out = out};
    json_begin_object(&w);
    json_key(&w, "type");
    json_put_str(&w, STR("struct"));
    json_key(&w, "fields");
    json_begin_array(&w);
    for (size_t i = 0; i < schema->count; i++) {
        const struct delta_field *field = &schema->fields[i];
        json_begin_object(&w);
        json_key(&w, "name");
        json_put_str(&w, field->name);
        json_key(&w, "type");
        json_put_raw(&w, field->type_json);
        json_key(&w, "nullable");
        json_put_bool(&w, field->is_nullable);
        json_key(&w, "metadata");
        json_put_raw(&w, field->metadata.len ? field->metadata : STR("{}"));
        json_end_object(&w);
    }
    json_end_array(&w);
    json_end_object(&w);
}

size_t delta_field_find(const struct delta_schema *schema, struct str name) {
    for (size_t i = 0; i < schema->count; i++)
        if (str_eq_nocase(schema->fields[i].name, name)) return i;
    return SIZE_MAX;
}

/* ---- nested types ---- */

enum naming { NAMES_OF_SCHEMA, NAMES_OF_FILES, NAMES_OF_MAPPED_FILES };

struct str delta_member_name(const struct json *field, bool is_mapped) {
    const struct json *physical = json_member(json_member(field, "metadata"), "delta.columnMapping.physicalName");
    bool is_physical = is_mapped && json_kind_of(physical) == JSON_KIND_STRING;
    return json_str(is_physical ? physical : json_member(field, "name"));
}

static enum assay_code print_type(const struct json *type, enum naming naming, struct buf *out,
                                  struct assay_error *err);

static enum assay_code print_struct(const struct json *type, enum naming naming, struct buf *out,
                                    struct assay_error *err) {
    const struct json *fields = json_member(type, "fields");
    if (json_count(fields) == 0) return error_set(err, ASSAY_UNSUPPORTED, NULL, "it has a struct without fields");
    buf_addz(out, "STRUCT(");
    for (size_t i = 0; i < json_count(fields); i++) {
        if (i) buf_addz(out, ", ");
        engine_sql_name(out, delta_member_name(json_at(fields, i), naming == NAMES_OF_MAPPED_FILES));
        buf_addc(out, ' ');
        TRY(print_type(json_member(json_at(fields, i), "type"), naming, out, err));
    }
    buf_addc(out, ')');
    return ASSAY_OK;
}

static enum assay_code print_type(const struct json *type, enum naming naming, struct buf *out,
                                  struct assay_error *err) {
    struct type primitive;
    if (json_kind_of(type) == JSON_KIND_STRING && type_parse_delta(json_str(type), &primitive)) {
        type_print_engine(out, primitive);
        return ASSAY_OK;
    }
    if (naming != NAMES_OF_SCHEMA && str_eq(json_str(type), STR("void"))) { /* no file has one */
        buf_addz(out, "INTEGER");
        return ASSAY_OK;
    }
    struct str kind = json_str(json_member(type, "type"));
    if (str_eq(kind, STR("struct"))) return print_struct(type, naming, out, err);
    if (str_eq(kind, STR("array"))) {
        TRY(print_type(json_member(type, "elementType"), naming, out, err));
        buf_addz(out, "[]");
        return ASSAY_OK;
    }
    if (str_eq(kind, STR("map"))) {
        buf_addz(out, "MAP(");
        TRY(print_type(json_member(type, "keyType"), naming, out, err));
        buf_addz(out, ", ");
        TRY(print_type(json_member(type, "valueType"), naming, out, err));
        buf_addc(out, ')');
        return ASSAY_OK;
    }
    struct buf text = {0};
    json_print(&text, type);
    enum assay_code rc =
        error_set(err, ASSAY_UNSUPPORTED, NULL, "assay does not know the type %s", text.data ? text.data : "null");
    buf_free(&text);
    return rc;
}

static enum assay_code print_field_type(const struct delta_field *field, enum naming naming, struct buf *out,
                                        struct assay_error *err) {
    if (field->type.kind != TYPE_NONE) {
        type_print_engine(out, field->type);
        return ASSAY_OK;
    }
    struct json *type = NULL;
    enum assay_code rc = json_parse(field->type_json, "type", &type, err);
    if (rc == ASSAY_OK) rc = print_type(type, naming, out, err);
    json_close(&type);
    if (rc) error_prepend(err, "column '%.*s'", STR_ARG(field->name));
    return rc;
}

enum assay_code delta_field_type_engine(const struct delta_field *field, struct buf *out, struct assay_error *err) {
    return print_field_type(field, NAMES_OF_SCHEMA, out, err);
}

enum assay_code delta_field_type_stored(const struct delta_field *field, enum delta_mapping mapping, struct buf *out,
                                        struct assay_error *err) {
    return print_field_type(field, mapping == DELTA_MAPPING_NONE ? NAMES_OF_FILES : NAMES_OF_MAPPED_FILES, out, err);
}

static size_t count_leaves(const struct json *type) {
    if (!str_eq(json_str(json_member(type, "type")), STR("struct"))) return 1;
    const struct json *fields = json_member(type, "fields");
    size_t leaves = 0;
    for (size_t i = 0; i < json_count(fields); i++) leaves += count_leaves(json_member(json_at(fields, i), "type"));
    return leaves;
}

size_t delta_field_leaves(const struct delta_field *field) {
    struct json *type = NULL;
    if (field->type.kind != TYPE_NONE || json_parse(field->type_json, "type", &type, NULL) != ASSAY_OK) return 1;
    size_t leaves = count_leaves(type);
    json_close(&type);
    return leaves;
}

bool delta_field_is_struct(const struct delta_field *field) {
    struct json *type = NULL;
    if (field->type.kind != TYPE_NONE || json_parse(field->type_json, "type", &type, NULL) != ASSAY_OK) return false;
    bool is_struct = str_eq(json_str(json_member(type, "type")), STR("struct"));
    json_close(&type);
    return is_struct;
}

bool delta_field_mentions(const struct delta_field *field, const char *primitive) {
    struct buf quoted = {0};
    buf_printf(&quoted, "\"%s\"", primitive);
    bool is_found = str_find(field->type_json, buf_str(&quoted)) != SIZE_MAX;
    buf_free(&quoted);
    return is_found;
}

bool delta_field_meta(const struct delta_field *field, const char *key, struct arena *arena, struct str *out) {
    struct json *metadata = NULL;
    if (field->metadata.len <= 2 || json_parse(field->metadata, "metadata", &metadata, NULL) != ASSAY_OK) return false;
    const struct json *value = json_member(metadata, key);
    bool is_found = json_kind_of(value) != JSON_KIND_NULL;
    if (is_found)
        *out = json_kind_of(value) == JSON_KIND_STRING ? str_copy(arena, json_str(value)) : print_json(arena, value);
    json_close(&metadata);
    return is_found;
}
