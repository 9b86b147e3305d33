/**
 * The strict header check: before any row lands, every file's header is compared with the contract's source columns,
 * position by position, case ignored.
 *
 * 1. Lines that are blank are skipped before the header; a file without one has no columns.
 * 2. Quotes around a name are CSV's, not the name's; blanks are the name's.
 */
#include "bronze/bronze_int.h"

#include "base/unicode.h"

enum { HEADER_BYTES = 1 << 14 };

static bool is_same_name(struct str a, struct str b) {
    if (str_eq_nocase(a, b)) return true;
    if (str_utf8_error(a) != SIZE_MAX || str_utf8_error(b) != SIZE_MAX) return false;
    struct buf x = {0}, y = {0};
    unicode_lower(&x, a);
    unicode_lower(&y, b);
    bool is_same = str_eq(buf_str(&x), buf_str(&y));
    buf_free(&x);
    buf_free(&y);
    return is_same;
}

/** The header's names, as many as tell whether it is the right one; none for a file without a header. Names are copied
 * to the arena. */
static enum assay_code read_header(struct csv_file *f, struct csv_block *b, struct arena *arena, struct str **names,
                                   size_t *count, struct assay_error *err) {
    struct csv_record record;
    bool is_found = false;
    *count = 0;
    do { /* blank lines may fill more than one block */
        TRY(csv_block_load(b, f, err));
        is_found = csv_block_next(b, &record);
    } while (!is_found && b->stop);
    if (!is_found) return ASSAY_OK;
    *count = record.token_count;
    *names = ARENA_ARRAY(arena, b->token_max, struct str);
    for (size_t i = 0; i < *count && i < b->token_max; i++) (*names)[i] = str_copy(arena, b->tokens[i]);
    return ASSAY_OK;
}

static void print_name(struct buf *out, const struct str *names, size_t count, size_t i) {
    if (i >= count) {
        buf_addz(out, "nothing");
        return;
    }
    buf_addc(out, '`');
    buf_add_printable(out, str_sub(names[i], 0, 100));
    buf_addz(out, names[i].len > 100 ? "...`" : "`");
}

static enum assay_code refuse(const struct plan *plan, const struct csv_dialect *dialect,
                              const struct bronze_file *file, size_t at, const struct str *found, size_t count,
                              struct assay_error *err) {
    struct buf text = {0};
    buf_printf(&text, "header column %zu: expected ", at + 1);
    print_name(&text, plan->source_columns, plan->source_column_count, at);
    buf_addz(&text, ", found ");
    print_name(&text, found, count, at);
    buf_printf(&text,
               " (%zu columns expected, %zu found); no row of the batch was loaded\n", plan->source_column_count, count);
    if (count != 1 || !mismatch_delimiter(dialect, found[0], plan->source_column_count, &text))
        buf_printf(&text, "next: ask the source for the agreed columns, or change the contract %.*s",
                   STR_ARG(plan->contract_path));
    enum assay_code rc = error_set(err, ASSAY_REFUSED, file->key.ptr, "%s", text.data);
    buf_free(&text);
    return rc;
}

static enum assay_code check_names(const struct plan *plan, const struct csv_dialect *dialect,
                                   const struct bronze_file *file, const struct str *names, size_t count,
                                   struct assay_error *err) {
    for (size_t i = 0; i < count || i < plan->source_column_count; i++)
        if (i >= count || i >= plan->source_column_count || !is_same_name(names[i], plan->source_columns[i]))
            return refuse(plan, dialect, file, i, names, count, err);
    return ASSAY_OK;
}

static enum assay_code check_file(const struct plan *plan, const struct csv_dialect *dialect, struct bronze_file *file,
                                  struct csv_block *block, struct assay_error *err) {
    struct csv_file f;
    struct arena arena = {0};
    struct str *names = NULL;
    size_t count;
    TRY(csv_file_open(&f, dialect, file->path, file->size_bytes, 0, 1, err));
    enum assay_code rc = read_header(&f, block, &arena, &names, &count, err);
    if (rc == ASSAY_OK) rc = check_names(plan, dialect, file, names, count, err);
    file->rows_offset = block->base + (int64_t)block->at;
    file->rows_line = block->line;
    arena_reset(&arena);
    csv_file_close(&f);
    return rc;
}

enum assay_code header_check(const struct plan *plan, const struct csv_dialect *dialect, struct bronze_file *files,
                             size_t count, struct assay_error *err) {
    struct csv_block block;
    TRY(mismatch_twins(files, count, err));
    csv_block_open(&block, dialect, plan->source_column_count + 1, HEADER_BYTES);
    enum assay_code rc = ASSAY_OK;
    for (size_t i = 0; i < count && rc == ASSAY_OK; i++) rc = check_file(plan, dialect, &files[i], &block, err);
    csv_block_close(&block);
    return rc;
}
