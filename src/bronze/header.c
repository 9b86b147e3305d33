/**
 * The strict header check: before any row lands, every file's header is compared with the contract's source columns,
 * position by position, case ignored.
 *
 * 1. Lines that are blank are skipped before the header; a file without one has no columns.
 * 2. Quotes around a name are CSV's, not the name's; blanks are the name's.
 */
#include "bronze/bronze_int.h"

#include "base/limits.h"
#include "base/unicode.h"

enum { HEADER_BYTES = 1 << 16 };

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

/** The header's names; none for a file without a header. Names are copied to the arena. */
static enum assay_code read_header(const struct csv_dialect *dialect, const struct bronze_file *file,
                                   struct arena *arena, struct str **names, size_t *count, struct assay_error *err) {
    struct csv_reader r;
    struct csv_record record;
    struct buf scratch = {0};
    int64_t lines;
    bool found = false;
    *count = 0;
    TRY(csv_reader_open(&r, dialect, file->path, file->size_bytes, err));
    enum assay_code rc = ASSAY_OK;
    int64_t to = 0;
    while (!found && to < file->size_bytes && rc == ASSAY_OK) { /* blank lines may fill more than one part */
        int64_t from = to;
        to = from + HEADER_BYTES < file->size_bytes ? from + HEADER_BYTES : file->size_bytes;
        rc = csv_reader_load(&r, from, to, &lines, err);
        if (rc == ASSAY_OK) rc = csv_reader_next(&r, &record, &found, err);
        if (dialect->is_multi_line) break;
    }
    if (rc == ASSAY_OK && found) {
        *count = csv_tokenize(dialect, record.bytes, NULL, 0, &scratch);
        if (*count > LIMIT_COLUMNS)
            rc = error_set(err, ASSAY_LIMIT, file->key.ptr, "the header has %zu columns; the limit is %d", *count,
                           LIMIT_COLUMNS);
    }
    if (rc == ASSAY_OK && found) {
        *names = ARENA_ARRAY(arena, *count, struct str);
        csv_tokenize(dialect, record.bytes, *names, *count, &scratch);
        for (size_t i = 0; i < *count; i++) (*names)[i] = str_copy(arena, (*names)[i]);
    }
    buf_free(&scratch);
    csv_reader_close(&r);
    return rc;
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

static enum assay_code refuse(const struct plan *plan, const struct bronze_file *file, size_t at,
                              const struct str *found, size_t count, struct assay_error *err) {
    struct buf text = {0};
    buf_printf(&text, "header column %zu: expected ", at + 1);
    print_name(&text, plan->source_columns, plan->source_column_count, at);
    buf_addz(&text, ", found ");
    print_name(&text, found, count, at);
    buf_printf(&text,
               " (%zu columns expected, %zu found); no row of the batch was loaded\n"
               "next: ask the source for the agreed columns, or change the contract %.*s",
               plan->source_column_count, count, STR_ARG(plan->contract_path));
    enum assay_code rc = error_set(err, ASSAY_REFUSED, file->key.ptr, "%s", text.data);
    buf_free(&text);
    return rc;
}

static enum assay_code check_file(const struct plan *plan, const struct csv_dialect *dialect,
                                  const struct bronze_file *file, struct arena *arena, struct assay_error *err) {
    struct str *names = NULL;
    size_t count;
    TRY(read_header(dialect, file, arena, &names, &count, err));
    for (size_t i = 0; i < count || i < plan->source_column_count; i++)
        if (i >= count || i >= plan->source_column_count || !is_same_name(names[i], plan->source_columns[i]))
            return refuse(plan, file, i, names, count, err);
    return ASSAY_OK;
}

enum assay_code header_check(const struct plan *plan, const struct csv_dialect *dialect,
                             const struct bronze_file *files, size_t count, struct assay_error *err) {
    enum assay_code rc = ASSAY_OK;
    for (size_t i = 0; i < count && rc == ASSAY_OK; i++) {
        struct arena arena = {0};
        rc = check_file(plan, dialect, &files[i], &arena, err);
        arena_reset(&arena);
    }
    return rc;
}
