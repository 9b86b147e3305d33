/**
 * The headers of a batch's CSV files, all of them before any row lands.
 *
 * 1. Lines that are blank are skipped before the header; a file without one has no columns, which is refused but where
 * no header is expected.
 * 2. Quotes around a name are CSV's, not the name's; blanks are the name's.
 * 3. strict: position by position the contract's names. A row is then good when it has as many fields.
 * 4. byName: each file on its own. A field fills the column of its name, the contract's or a new one; a column that the
 * file lacks is null. A name that is there twice, or that no column can have, is refused: which field is meant, or
 * where it should go, would be a guess. So is a header with no name of the contract: it is most likely a row.
 * 5. none: the first record tells what can be told, the number of fields, and whether it is a header after all.
 * Source: Spark 3.5, CSVHeaderChecker; the oracle's README, "Strict header" and 16.
 */
#include "bronze/header.h"

#include "base/limits.h"

#include <string.h>

enum { HEADER_BYTES = 1 << 14 };

/** Keep what the file's first record tells. */
static enum assay_code read_header(struct csv_file *f, struct csv_block *b, struct arena *arena, struct header *out,
                                   struct assay_error *err) {
    struct csv_record record;
    bool is_found = false;
    out->count = 0;
    do { /* blank lines may fill more than one block */
        TRY(csv_block_load(b, f, err));
        is_found = csv_block_next(b, &record);
    } while (!is_found && b->stop);
    if (!is_found) return ASSAY_OK;
    out->count = record.token_count;
    out->name_count = out->count < b->token_max ? out->count : b->token_max;
    out->names = ARENA_ARRAY(arena, out->name_count, struct str);
    for (size_t i = 0; i < out->name_count; i++) out->names[i] = str_copy(arena, b->tokens[i]);
    out->text = str_copy(arena, record.bytes);
    return ASSAY_OK;
}

/* ---- strict ---- */

static enum assay_code check_names(const struct headers *h, const struct header *header, struct assay_error *err) {
    size_t expected = h->columns->contract_count;
    for (size_t i = 0; i < header->count || i < expected; i++)
        if (i >= header->count || i >= expected || columns_find(h->columns, header->names[i]) != i)
            return header_refuse_strict(h, header, i, err);
    return ASSAY_OK;
}

/* ---- byName ---- */

/** The column that a field fills; a new one if there is none of its name. */
static enum assay_code bind_field(struct headers *h, const struct header *header, size_t field, size_t *column,
                                  struct assay_error *err) {
    struct str name = header->names[field];
    *column = columns_find(h->columns, name);
    if (*column != SIZE_MAX) return ASSAY_OK;
    const char *fault = column_name_fault(name);
    if (fault) return header_refuse_name(h, header, field, fault, err);
    if (h->columns->count == LIMIT_COLUMNS)
        return error_set(err, ASSAY_LIMIT, header->file->key.ptr, "the batch's files have more than %d columns",
                         LIMIT_COLUMNS);
    *column = columns_add(h->columns, name);
    return ASSAY_OK;
}

/** In header->columns the column that each field fills. */
static enum assay_code bind_names(struct headers *h, struct header *header, struct assay_error *err) {
    bool has_contract = false;
    enum assay_code rc = ASSAY_OK;
    size_t bound = 0;
    if (header->count > LIMIT_COLUMNS)
        return error_set(err, ASSAY_LIMIT, header->file->key.ptr, "the header has %zu columns, more than %d",
                         header->count, LIMIT_COLUMNS);
    header->columns = ARENA_ARRAY(h->columns->arena, header->count, size_t);
    for (; bound < header->count && rc == ASSAY_OK; bound++) {
        size_t *column = &header->columns[bound];
        if ((rc = bind_field(h, header, bound, column, err))) break;
        has_contract |= *column < h->columns->contract_count;
        if (h->field_of[*column]) rc = header_refuse_twice(h, header, h->field_of[*column] - 1, bound, err);
        if (rc) break;
        h->field_of[*column] = bound + 1;
    }
    for (size_t i = 0; i < bound; i++) h->field_of[header->columns[i]] = 0;
    if (rc == ASSAY_OK && !has_contract) return header_refuse_strange(h, header, err);
    return rc;
}

/** Now that all columns are known: for each of them the field. Files that have the same header share it. */
static void keep_fields(const struct headers *h, const struct header *list, struct bronze_file *files, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const struct header *header = &list[i];
        if (i && list[i - 1].count == header->count &&
            memcmp(list[i - 1].columns, header->columns, header->count * sizeof *header->columns) == 0) {
            files[i].fields = files[i - 1].fields;
            continue;
        }
        size_t *fields = ARENA_ARRAY(h->columns->arena, h->columns->count, size_t);
        for (size_t k = 0; k < h->columns->count; k++) fields[k] = SIZE_MAX;
        for (size_t k = 0; k < header->count; k++) fields[header->columns[k]] = k;
        files[i].fields = fields;
    }
}

/* ---- none ---- */

/** Whether the first record is the contract's columns by name, in any order: then it is a header. */
static bool is_header(const struct headers *h, const struct header *header) {
    for (size_t i = 0; i < header->count; i++)
        if (columns_find(h->columns, header->names[i]) == SIZE_MAX) return false;
    return header->count > 0;
}

static enum assay_code check_first(const struct headers *h, const struct header *header, struct assay_error *err) {
    if (header->count == 0) return ASSAY_OK; /* no records */
    if (header->count != h->columns->contract_count) return header_refuse_count(h, header, err);
    return is_header(h, header) ? header_refuse_header(h, header, err) : ASSAY_OK;
}

/* ---- all ---- */

static enum assay_code check_file(struct headers *h, struct bronze_file *file, struct csv_block *block,
                                  struct header *out, struct assay_error *err) {
    enum contract_header mode = h->plan->source.header;
    struct csv_file f;
    *out = (struct header){.file = file};
    TRY(csv_file_open(&f, h->dialect, file->path, file->size_bytes, 0, 1, err));
    enum assay_code rc = read_header(&f, block, h->columns->arena, out, err);
    csv_file_close(&f);
    if (rc) return rc;
    file->field_count = mode == CONTRACT_HEADER_BY_NAME ? out->count : h->columns->contract_count;
    if (mode == CONTRACT_HEADER_NONE) {
        file->rows_line = 1;
        return check_first(h, out, err);
    }
    file->rows_offset = block->base + (int64_t)block->at;
    file->rows_line = block->line;
    file->header = out->text;
    return mode == CONTRACT_HEADER_STRICT ? check_names(h, out, err) : bind_names(h, out, err);
}

enum assay_code header_check(const struct plan *plan, const struct csv_dialect *dialect, struct bronze_file *files,
                             size_t count, struct bronze_columns *columns, struct assay_error *err) {
    struct csv_block block;
    struct arena scratch = {0};
    struct headers h = {.plan = plan, .dialect = dialect, .columns = columns};
    struct header *list = ARENA_ARRAY(&scratch, count, struct header);
    h.field_of = ARENA_ARRAY(&scratch, LIMIT_COLUMNS, size_t);
    csv_block_open(&block, dialect, LIMIT_COLUMNS + 1, HEADER_BYTES);
    enum assay_code rc = ASSAY_OK;
    for (size_t i = 0; i < count && rc == ASSAY_OK; i++) rc = check_file(&h, &files[i], &block, &list[i], err);
    if (rc == ASSAY_OK && plan->source.header == CONTRACT_HEADER_BY_NAME) keep_fields(&h, list, files, count);
    csv_block_close(&block);
    arena_reset(&scratch);
    return rc;
}
