/*
 * Column mapping where files are written and columns are added (protocol: "Column Mapping", "Writer Requirements for
 * Column Mapping").
 *
 * 1. Files have physical names and Parquet field ids, in both modes and at every depth; elements, keys and values have
 * no id.
 * 2. A new field gets an id that no field had before, delta.columnMapping.maxColumnId is raised to it, and the physical
 * name `col-<uuid>`: a column that is dropped and added again is another column.
 */
#include "delta/delta_int.h"

#include "base/hash.h"

#define ID_KEY "delta.columnMapping.id"
#define NAME_KEY "delta.columnMapping.physicalName"
#define MAX_ID_KEY "delta.columnMapping.maxColumnId"

static bool is_mapped(const struct delta_metadata *m) {
    enum delta_mapping mapping;
    return delta_mapping_parse(m, &mapping, NULL) == ASSAY_OK && mapping != DELTA_MAPPING_NONE;
}

/* ---- field ids ---- */

static enum assay_code print_type_ids(const struct json *type, struct buf *out, struct assay_error *err);

/* `"name": {__duckdb_field_id: 3, ...}` for each member of a struct. */
static enum assay_code print_member_ids(const struct json *type, struct buf *out, struct assay_error *err) {
    const struct json *fields = json_member(type, "fields");
    for (size_t i = 0; i < json_count(fields); i++) {
        const struct json *field = json_at(fields, i), *id = json_member(json_member(field, "metadata"), ID_KEY);
        if (json_kind_of(id) != JSON_KIND_INT)
            return error_set(err, ASSAY_CORRUPT, NULL, "the nested field '%.*s' has no " ID_KEY,
                             STR_ARG(delta_member_name(field, false)));
        buf_addz(out, ", ");
        engine_sql_name(out, delta_member_name(field, true));
        buf_printf(out, ": {__duckdb_field_id: %lld", (long long)json_int(id));
        TRY(print_type_ids(json_member(field, "type"), out, err));
        buf_addc(out, '}');
    }
    return ASSAY_OK;
}

/* What a value of the type holds, as further members of its own `{...}`. */
static enum assay_code print_type_ids(const struct json *type, struct buf *out, struct assay_error *err) {
    static const struct {
        const char *key, *name;
    } PARTS[] = {{"elementType", "element"}, {"keyType", "key"}, {"valueType", "value"}};
    for (size_t i = 0; i < sizeof PARTS / sizeof PARTS[0]; i++) {
        const struct json *part = json_member(type, PARTS[i].key);
        struct buf inner = {0};
        enum assay_code rc = part ? print_type_ids(part, &inner, err) : ASSAY_OK;
        if (inner.len) buf_printf(out, ", %s: {%s}", PARTS[i].name, inner.data + 2);
        buf_free(&inner);
        TRY(rc);
    }
    return print_member_ids(type, out, err);
}

static enum assay_code print_field_ids(const struct delta_field *field, struct buf *out, struct assay_error *err) {
    struct json *type = NULL;
    if (field->mapping_id < 0)
        return error_set(err, ASSAY_CORRUPT, NULL, "the column '%.*s' has no " ID_KEY, STR_ARG(field->name));
    engine_sql_name(out, field->physical_name);
    buf_printf(out, ": {__duckdb_field_id: %lld", (long long)field->mapping_id);
    TRY(json_parse(field->type_json, "type", &type, err));
    enum assay_code rc = print_type_ids(type, out, err);
    json_close(&type);
    buf_addc(out, '}');
    return rc;
}

enum assay_code delta_mapping_field_ids(const struct delta_metadata *m, struct arena *arena, struct str *out,
                                        struct assay_error *err) {
    struct buf ids = {0};
    enum assay_code rc = ASSAY_OK;
    *out = (struct str){0};
    if (!is_mapped(m)) return ASSAY_OK;
    for (size_t i = 0; i < m->schema.count && rc == ASSAY_OK; i++) {
        const struct delta_field *field = &m->schema.fields[i];
        bool is_new = str_eq(field->name, STR(DELTA_CHANGE_TYPE)); /* of change files: no column of the table */
        if (is_new || delta_is_partition_column(m, field->name)) continue;
        buf_addz(&ids, ids.len ? ", " : "{");
        rc = print_field_ids(field, &ids, err);
    }
    buf_addc(&ids, '}');
    if (rc == ASSAY_OK) *out = str_copy(arena, buf_str(&ids));
    buf_free(&ids);
    return rc;
}

/* ---- new columns ---- */

struct naming {
    struct arena *arena;
    int64_t last_id;
};

static void put_names(struct json_writer *w, struct naming *naming, int64_t *id, struct str *name) {
    *id = ++naming->last_id;
    *name = str_printf(naming->arena, "col-%.*s", STR_ARG(hash_uuid(naming->arena)));
    json_key(w, ID_KEY), json_put_int(w, *id);
    json_key(w, NAME_KEY), json_put_str(w, *name);
}

static void put_type(struct json_writer *w, const struct json *type, struct naming *naming);

static void put_copy(struct json_writer *w, const struct json *value) {
    struct buf text = {0};
    json_print(&text, value);
    json_put_raw(w, buf_str(&text));
    buf_free(&text);
}

/* The metadata of a field, with an id and a name. */
static void put_metadata(struct json_writer *w, const struct json *metadata, struct naming *naming, int64_t *id,
                         struct str *name) {
    struct str key;
    const struct json *value;
    json_begin_object(w);
    for (size_t i = 0; json_member_at(metadata, i, &key, &value); i++) {
        if (str_eq(key, STR(ID_KEY)) || str_eq(key, STR(NAME_KEY))) continue;
        json_key_str(w, key);
        put_copy(w, value);
    }
    put_names(w, naming, id, name);
    json_end_object(w);
}

static void put_fields(struct json_writer *w, const struct json *fields, struct naming *naming) {
    json_begin_array(w);
    for (size_t i = 0; i < json_count(fields); i++) {
        const struct json *field = json_at(fields, i);
        int64_t id;
        struct str name;
        json_begin_object(w);
        json_key(w, "name"), put_copy(w, json_member(field, "name"));
        json_key(w, "type"), put_type(w, json_member(field, "type"), naming);
        json_key(w, "nullable"), put_copy(w, json_member(field, "nullable"));
        json_key(w, "metadata"), put_metadata(w, json_member(field, "metadata"), naming, &id, &name);
        json_end_object(w);
    }
    json_end_array(w);
}

static void put_type(struct json_writer *w, const struct json *type, struct naming *naming) {
    struct str key;
    const struct json *value;
    if (json_kind_of(type) != JSON_KIND_OBJECT) {
        put_copy(w, type);
        return;
    }
    json_begin_object(w);
    for (size_t i = 0; json_member_at(type, i, &key, &value); i++) {
        json_key_str(w, key);
        if (str_eq(key, STR("fields")))
            put_fields(w, value, naming);
        else
            put_type(w, value, naming);
    }
    json_end_object(w);
}

static int64_t last_id(const struct delta_metadata *m) {
    int64_t last = 0;
    if (str_int64(delta_property_get(m, STR(MAX_ID_KEY)), &last) != ASSAY_OK) last = 0;
    for (size_t i = 0; i < m->schema.count; i++)
        if (m->schema.fields[i].mapping_id > last) last = m->schema.fields[i].mapping_id;
    return last;
}

static struct str take(struct buf *text, struct arena *arena) {
    struct str copy = str_copy(arena, buf_str(text));
    buf_free(text);
    return copy;
}

void delta_mapping_name_field(struct delta_metadata *m, struct delta_field *field, struct arena *arena) {
    struct json *type = NULL, *metadata = NULL;
    struct buf text = {0};
    struct json_writer w = {.out = &text};
    if (!is_mapped(m)) return;
    struct naming naming = {arena, last_id(m)};
    struct str before = field->metadata.len ? field->metadata : STR("{}");
    if (json_parse(before, "metadata", &metadata, NULL) != ASSAY_OK) metadata = NULL;
    put_metadata(&w, metadata, &naming, &field->mapping_id, &field->physical_name);
    field->metadata = take(&text, arena);
    json_close(&metadata);
    if (json_parse(field->type_json, "type", &type, NULL) == ASSAY_OK) {
        w = (struct json_writer){.out = &text};
        put_type(&w, type, &naming);
        field->type_json = take(&text, arena);
    }
    json_close(&type);
    delta_property_set(m, arena, STR(MAX_ID_KEY), str_printf(arena, "%lld", (long long)naming.last_id));
}
