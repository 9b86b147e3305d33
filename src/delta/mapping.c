/*
 * Column mapping: what columns are called in files (protocol: "Column Mapping", "Reader Requirements for Column
 * Mapping").
 *
 * 1. Without a mode the names in the schema are those in the files, whatever the fields' metadata says. In mode `name`
 * a field is found by its physical name, in mode `id` by its Parquet field id; stats and partition values are under
 * physical names in both.
 * 2. A field that a file lacks is NULL, at every depth.
 * 3. Members of structs are read by their physical names and renamed afterwards, NULL staying NULL. In mode `id` that
 * holds only while files use these names for these ids, which is looked up in every file before it is read.
 */
#include "delta/delta_int.h"

enum assay_code delta_mapping_parse(const struct delta_metadata *m, enum delta_mapping *out, struct assay_error *err) {
    struct str mode = delta_property_get(m, STR("delta.columnMapping.mode"));
    if (mode.len == 0 || str_eq_nocase(mode, STR("none")))
        *out = DELTA_MAPPING_NONE;
    else if (str_eq_nocase(mode, STR("name")))
        *out = DELTA_MAPPING_NAME;
    else if (str_eq_nocase(mode, STR("id")))
        *out = DELTA_MAPPING_ID;
    else
        return error_set(err, ASSAY_UNSUPPORTED, NULL,
                         "the table's columns are mapped by '%.*s' (feature columnMapping); assay knows name and id",
                         STR_ARG(mode));
    return ASSAY_OK;
}

/* ---- renaming ---- */

static bool is_renamed(const struct json *type) {
    const struct json *fields = json_member(type, "fields");
    for (size_t i = 0; i < json_count(fields); i++) {
        const struct json *field = json_at(fields, i);
        if (!str_eq(delta_member_name(field, true), delta_member_name(field, false)) ||
            is_renamed(json_member(field, "type")))
            return true;
    }
    static const char *const PARTS[] = {"elementType", "keyType", "valueType"};
    for (size_t i = 0; i < sizeof PARTS / sizeof PARTS[0]; i++) {
        const struct json *part = json_member(type, PARTS[i]);
        if (json_kind_of(part) == JSON_KIND_OBJECT && is_renamed(part)) return true;
    }
    return false;
}

/* `depth` makes the names of lambda parameters differ. */
static void print_renamed(const struct json *type, enum delta_renaming renaming, struct str sql, int depth,
                          struct buf *out);

static void print_struct(const struct json *type, enum delta_renaming renaming, struct str sql, int depth,
                         struct buf *out) {
    const struct json *fields = json_member(type, "fields");
    struct buf member = {0};
    buf_printf(out, "CASE WHEN %.*s IS NULL THEN NULL ELSE struct_pack(", STR_ARG(sql));
    for (size_t i = 0; i < json_count(fields); i++) {
        const struct json *field = json_at(fields, i);
        buf_clear(&member);
        buf_printf(&member, "struct_extract(%.*s, ", STR_ARG(sql));
        engine_sql_text(&member, delta_member_name(field, renaming == DELTA_TO_SCHEMA));
        buf_addc(&member, ')');
        if (i) buf_addz(out, ", ");
        engine_sql_name(out, delta_member_name(field, renaming == DELTA_TO_FILES));
        buf_addz(out, " := ");
        print_renamed(json_member(field, "type"), renaming, buf_str(&member), depth + 1, out);
    }
    buf_addz(out, ") END");
    buf_free(&member);
}

static void print_renamed(const struct json *type, enum delta_renaming renaming, struct str sql, int depth,
                          struct buf *out) {
    struct str kind = json_str(json_member(type, "type"));
    struct buf item = {0};
    if (!is_renamed(type)) {
        buf_add(out, sql);
    } else if (str_eq(kind, STR("struct"))) {
        print_struct(type, renaming, sql, depth, out);
    } else if (str_eq(kind, STR("array"))) {
        buf_printf(&item, "e%d", depth);
        buf_printf(out, "list_transform(%.*s, lambda e%d: ", STR_ARG(sql), depth);
        print_renamed(json_member(type, "elementType"), renaming, buf_str(&item), depth + 1, out);
        buf_addc(out, ')');
    } else { /* a map */
        buf_printf(out,
                   "map_from_entries(list_transform(map_entries(%.*s), lambda e%d: struct_pack(k := ", STR_ARG(sql),
                   depth);
        buf_printf(&item, "e%d.key", depth);
        print_renamed(json_member(type, "keyType"), renaming, buf_str(&item), depth + 1, out);
        buf_addz(out, ", v := ");
        buf_clear(&item);
        buf_printf(&item, "e%d.value", depth);
        print_renamed(json_member(type, "valueType"), renaming, buf_str(&item), depth + 1, out);
        buf_addz(out, ")))");
    }
    buf_free(&item);
}

enum assay_code delta_field_print_renamed(const struct delta_field *field, enum delta_mapping mapping,
                                          enum delta_renaming renaming, struct str sql, struct buf *out,
                                          struct assay_error *err) {
    if (mapping == DELTA_MAPPING_NONE || field->type.kind != TYPE_NONE) {
        buf_add(out, sql);
        return ASSAY_OK;
    }
    struct json *type = NULL;
    TRY(json_parse(field->type_json, "type", &type, err));
    print_renamed(type, renaming, sql, 0, out);
    json_close(&type);
    return ASSAY_OK;
}

/* ---- mode id ---- */

/* The nested fields as rows `(id, name in files)`. */
static void print_ids(const struct json *type, struct buf *out) {
    const struct json *fields = json_member(type, "fields");
    for (size_t i = 0; i < json_count(fields); i++) {
        const struct json *field = json_at(fields, i);
        const struct json *id = json_member(json_member(field, "metadata"), "delta.columnMapping.id");
        if (json_kind_of(id) == JSON_KIND_INT) {
            buf_printf(out, ", (%lld, ", (long long)json_int(id));
            engine_sql_text(out, delta_member_name(field, true));
            buf_addc(out, ')');
        }
        print_ids(json_member(field, "type"), out);
    }
    static const char *const PARTS[] = {"elementType", "keyType", "valueType"};
    for (size_t i = 0; i < sizeof PARTS / sizeof PARTS[0]; i++) {
        const struct json *part = json_member(type, PARTS[i]);
        if (json_kind_of(part) == JSON_KIND_OBJECT) print_ids(part, out);
    }
}

static enum assay_code print_schema_ids(const struct delta_schema *schema, struct buf *out, struct assay_error *err) {
    buf_addz(out, "(VALUES (-1, '')");
    for (size_t i = 0; i < schema->count; i++) {
        if (schema->fields[i].mapping_id < 0)
            return error_set(err, ASSAY_CORRUPT, NULL,
                             "columns are mapped by id (feature columnMapping), but '%.*s' has no id",
                             STR_ARG(schema->fields[i].name));
        if (schema->fields[i].type.kind != TYPE_NONE) continue;
        struct json *type = NULL;
        TRY(json_parse(schema->fields[i].type_json, "type", &type, err));
        print_ids(type, out);
        json_close(&type);
    }
    buf_addc(out, ')');
    return ASSAY_OK;
}

enum assay_code delta_mapping_check_files(const struct delta_metadata *m, struct engine *engine,
                                          const struct str *paths, size_t count, struct assay_error *err) {
    if (!engine) return error_set(err, ASSAY_INTERNAL, NULL, "reading columns by id needs the engine");
    struct buf sql = {0};
    struct arena scratch = {0};
    struct engine_result rows = {0};
    buf_addz(&sql, "SELECT file_name, max(p.field_id) IS NULL AS is_without, any_value(v.n) AS expected FROM "
                   "parquet_schema(");
    engine_sql_paths(&sql, paths, count);
    buf_addz(&sql, ") p LEFT JOIN ");
    enum assay_code rc = print_schema_ids(&m->schema, &sql, err);
    buf_addz(&sql, " v(id, n) ON p.field_id = v.id AND p.name <> v.n GROUP BY file_name "
                   "HAVING is_without OR expected IS NOT NULL LIMIT 1");
    if (rc == ASSAY_OK) rc = engine_query(engine, buf_str(&sql), 1, &scratch, &rows, err);
    if (rc == ASSAY_OK && rows.row_count > 0) {
        struct str file = engine_cell_at(&rows, 0, 0)->text, name = engine_cell_at(&rows, 0, 2)->text;
        bool is_without = str_eq(engine_cell_at(&rows, 0, 1)->text, STR("true"));
        rc =
            error_set(err, ASSAY_UNSUPPORTED, str_c(&scratch, file),
                      is_without ? "columns are mapped by id (feature columnMapping), but the file has no field ids%.*s"
                                 : "columns are mapped by id (feature columnMapping), but the file has another name "
                                   "for the nested field '%.*s'",
                      is_without ? 0 : (int)name.len, name.len ? name.ptr : "");
    }
    arena_reset(&scratch);
    buf_free(&sql);
    return rc;
}
