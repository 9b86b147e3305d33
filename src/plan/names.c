/* Names that become paths: checked here once, so that no text of a contract or a command line can leave its folder. */
#include "plan/plan_int.h"

#include "base/limits.h"

static bool is_id_char(char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/* Letters beyond ASCII are allowed, as lakes do; str_utf8_error is asked of the whole name. */
static bool is_table_part(struct str part) {
    for (size_t i = 0; i < part.len; i++)
        if (!is_id_char(part.ptr[i]) && (unsigned char)part.ptr[i] < 0x80) return false;
    return part.len > 0;
}

enum assay_code plan_table_root(struct str table, struct arena *arena, struct str *out, struct assay_error *err) {
    struct str schema, name = str_split(table, '.', &schema);
    if (!is_table_part(schema) || !is_table_part(name) || str_utf8_error(table) != SIZE_MAX)
        return error_set(err, ASSAY_INVALID, NULL,
                         "'%.*s' is no table name: expected <schema>.<table>, each of letters, digits, _ and -",
                         STR_ARG(table));
    *out = str_printf(arena, "Tables/%.*s/%.*s", STR_ARG(schema), STR_ARG(name));
    return ASSAY_OK;
}

enum assay_code plan_batch_check(struct str batch_id, struct assay_error *err) {
    static const char next[] = "next: name the batch with letters, digits, _ and - only, for example 2026-03-01";
    if (batch_id.len == 0) return error_set(err, ASSAY_INVALID, NULL, "the batch id is empty\n%s", next);
    if (batch_id.len > LIMIT_BATCH_ID_BYTES)
        return error_set(err, ASSAY_INVALID, NULL, "the batch id has %zu characters, at most %d can be\n%s",
                         batch_id.len, LIMIT_BATCH_ID_BYTES, next);
    for (size_t i = 0; i < batch_id.len; i++) {
        if (is_id_char(batch_id.ptr[i])) continue;
        struct buf shown = {0};
        buf_add_printable(&shown, batch_id);
        enum assay_code rc =
            error_set(err, ASSAY_INVALID, NULL, "'%s' is no batch id: character %zu is not a letter, digit, _ or -\n%s",
                      shown.data, i + 1, next);
        buf_free(&shown);
        return rc;
    }
    return ASSAY_OK;
}
