/** See quarantine_rows.h. */
#include "cli/quarantine_rows.h"

static int hex_digit(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

/** Bytes as hex digits give them; an empty text has a ptr too. */
static struct str bytes_of_hex(struct str hex, struct buf *bytes) {
    buf_reserve(bytes, hex.len / 2);
    for (size_t i = 0; i + 1 < hex.len; i += 2)
        buf_addc(bytes, (char)(hex_digit(hex.ptr[i]) << 4 | hex_digit(hex.ptr[i + 1])));
    return buf_str(bytes);
}

bool quarantine_is_personal(const struct plan *plan, const struct engine_cell *behind, size_t column) {
    return plan->columns[column].is_personal || (plan->has_personal && !behind[0].is_null);
}

void quarantine_corrupt_reason(const struct plan *plan, const struct engine_cell *behind, struct buf *out) {
    if (behind[0].is_null) return;
    struct buf bytes = {0};
    struct str original = behind[1].is_null ? (struct str){0} : bytes_of_hex(behind[1].text, &bytes);
    bronze_corrupt_reason(plan, behind[0].text, original, out);
    buf_free(&bytes);
}

enum assay_code quarantine_check_batch(struct cli *cli, struct store *store, const struct plan *plan, struct str id,
                                       struct assay_error *err) {
    struct landing_zone zone;
    TRY(landing_list(store, plan, &cli->arena, &zone, err));
    struct str *ids = ARENA_ARRAY(&cli->arena, zone.batch_count, struct str);
    for (size_t i = 0; i < zone.batch_count; i++) {
        ids[i] = zone.batches[i].id;
        if (str_eq(ids[i], id)) return ASSAY_OK;
    }
    struct str near = str_nearest(id, ids, zone.batch_count);
    return error_set(err, ASSAY_INVALID, str_c(&cli->arena, plan->table),
                     "no batch %.*s is landed, and quarantine has no row of one%s%.*s%s\nnext: assay landing list %.*s",
                     STR_ARG(id), near.len ? "; did you mean " : "", STR_ARG(near), near.len ? "?" : "",
                     STR_ARG(plan->table));
}
