/*
 * Type widening: files written before a change have the narrower type and are read as the wider (protocol: "Type
 * Widening", "Reader Requirements for Type Widening").
 *
 * 1. The schema records every change in `delta.typeChanges`. Those that the protocol knows lose nothing: whole numbers
 * to larger ones, to double (not long) and to decimals that hold them all; float to double; decimals that gain digits
 * on either side and lose none; date to timestamp_ntz.
 * 2. A change that is none of these is refused by name: what a reader should make of old values is not known.
 */
#include "delta/delta_int.h"

/* That hold every value of the type. */
static int decimal_digits(enum type_kind kind) {
    return kind == TYPE_TINYINT ? 3 : kind == TYPE_SMALLINT ? 5 : kind == TYPE_INT ? 10 : 19;
}

static bool is_widening(struct type from, struct type to) {
    if (type_eq(from, to)) return true;
    bool is_integer = type_is_integer(from);
    if (is_integer && type_is_integer(to)) return from.kind < to.kind; /* in order of size */
    if (to.kind == TYPE_DOUBLE) return from.kind == TYPE_FLOAT || (is_integer && from.kind != TYPE_BIGINT);
    if (is_integer && to.kind == TYPE_DECIMAL) return to.precision - to.scale >= decimal_digits(from.kind);
    if (from.kind == TYPE_DECIMAL && to.kind == TYPE_DECIMAL)
        return to.scale >= from.scale && to.precision - to.scale >= from.precision - from.scale;
    return from.kind == TYPE_DATE && to.kind == TYPE_TIMESTAMP_NTZ;
}

static enum assay_code check_changes(const struct json *metadata, struct str column, struct assay_error *err) {
    const struct json *changes = json_member(metadata, "delta.typeChanges");
    for (size_t i = 0; i < json_count(changes); i++) {
        struct str from = json_str(json_member(json_at(changes, i), "fromType"));
        struct str to = json_str(json_member(json_at(changes, i), "toType"));
        struct type before, after;
        if (!type_parse_delta(from, &before) || !type_parse_delta(to, &after) || !is_widening(before, after))
            return error_set(
                err, ASSAY_UNSUPPORTED, NULL,
                "the column '%.*s' was changed from '%.*s' to '%.*s' (feature typeWidening), a change that "
                "assay does not know",
                STR_ARG(column), STR_ARG(from), STR_ARG(to));
    }
    return ASSAY_OK;
}

/* The fields of structs; changes inside of lists and maps stand at the field around them. */
static enum assay_code check_type(const struct json *type, struct str column, struct assay_error *err) {
    const struct json *fields = json_member(type, "fields");
    for (size_t i = 0; i < json_count(fields); i++) {
        TRY(check_changes(json_member(json_at(fields, i), "metadata"), column, err));
        TRY(check_type(json_member(json_at(fields, i), "type"), column, err));
    }
    static const char *const PARTS[] = {"elementType", "keyType", "valueType"};
    for (size_t i = 0; i < sizeof PARTS / sizeof PARTS[0]; i++) {
        const struct json *part = json_member(type, PARTS[i]);
        if (json_kind_of(part) == JSON_KIND_OBJECT) TRY(check_type(part, column, err));
    }
    return ASSAY_OK;
}

static enum assay_code check_field(const struct delta_field *field, struct assay_error *err) {
    struct json *metadata = NULL, *type = NULL;
    enum assay_code rc = json_parse(field->metadata, "metadata", &metadata, err);
    if (rc == ASSAY_OK) rc = check_changes(metadata, field->name, err);
    if (rc == ASSAY_OK && field->type.kind == TYPE_NONE) {
        rc = json_parse(field->type_json, "type", &type, err);
        if (rc == ASSAY_OK) rc = check_type(type, field->name, err);
    }
    json_close(&metadata);
    json_close(&type);
    return rc;
}

enum assay_code delta_widening_check(const struct delta_schema *schema, struct assay_error *err) {
    for (size_t i = 0; i < schema->count; i++) {
        const struct delta_field *field = &schema->fields[i];
        if (field->metadata.len > 2 || field->type.kind == TYPE_NONE) TRY(check_field(field, err));
    }
    return ASSAY_OK;
}
