/** Helpers of bronze's tests: texts with escapes, and files read through blocks of any size. */
#ifndef TESTS_UNIT_BRONZE_TEST_H
#define TESTS_UNIT_BRONZE_TEST_H

#include "support/test.h"

#include "bronze/bronze_int.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DIALECT(delimiter_, quote_, escape_)                                                                           \
    { .delimiter = delimiter_, .quote = quote_, .escape = escape_, .max_record_bytes = 1 << 20 }

static const struct csv_dialect LINE_MODE = DIALECT(',', '"', '"');
static const struct csv_dialect MULTI_LINE = {
    .delimiter = ',', .quote = '"', .escape = '"', .is_multi_line = true, .max_record_bytes = 1 << 20};

/** Bytes made visible: \n, \r, \0 and \xHH, backslash doubled, so that a whole record is one line of text. */
static inline void show_bytes(struct buf *out, struct str s) {
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        if (c == '\\')
            buf_addz(out, "\\\\");
        else if (c == '\n' || c == '\r')
            buf_addz(out, c == '\n' ? "\\n" : "\\r");
        else if (c < ' ' || c >= 0x7f)
            buf_printf(out, "\\x%02x", c);
        else
            buf_addc(out, (char)c);
    }
}

/** `a|b|NULL|''`: the tokens of a record, at most `max` of them. */
static inline void show_tokens(struct buf *out, const csv_token *tokens, size_t count, size_t max) {
    for (size_t i = 0; i < count && i < max; i++) {
        if (i) buf_addc(out, '|');
        if (!tokens[i].ptr)
            buf_addz(out, "NULL");
        else if (tokens[i].len == 0)
            buf_addz(out, "''");
        else
            show_bytes(out, tokens[i]);
    }
    if (count > max) buf_addz(out, "|...");
}

/** One line of text per record: `line: tokens`, with ` unclosed` and ` bad` (not UTF-8) behind the number. */
static inline void show_record(struct buf *out, const struct csv_block *b, const struct csv_record *r) {
    buf_printf(out, "%lld%s%s: ", (long long)r->line, r->is_unclosed ? " unclosed" : "", r->is_valid ? "" : " bad");
    show_tokens(out, b->tokens, r->token_count, b->token_max);
    buf_addc(out, '\n');
}

/** The records of a file on disk, shown. */
static inline void read_file(struct buf *out, const struct csv_dialect *dialect, const char *path, int64_t size,
                             size_t block_bytes) {
    struct csv_file f;
    struct csv_block b;
    struct csv_record record;
    struct assay_error err = {0};
    assert_ok(csv_file_open(&f, dialect, path, size, 0, 1, &err), &err);
    csv_block_open(&b, dialect, 6, block_bytes);
    do {
        assert_ok(csv_block_load(&b, &f, &err), &err);
        while (csv_block_next(&b, &record)) show_record(out, &b, &record);
    } while (b.stop);
    csv_block_close(&b);
    csv_file_close(&f);
}

/** The records of these bytes, read in blocks of about block_bytes. */
static inline struct str records_of(struct arena *arena, const struct csv_dialect *dialect, struct str bytes,
                                    size_t block_bytes) {
    static const char *folder;
    struct buf out = {0};
    if (!folder) folder = test_dir();
    const char *path = str_printf(arena, "%s/records.csv", folder).ptr;
    unlink(path); /* some file systems write out what replaces a file at once */
    test_write(path, bytes);
    read_file(&out, dialect, path, (int64_t)bytes.len, block_bytes);
    struct str text = str_copy(arena, buf_str(&out));
    buf_free(&out);
    return text;
}

/** header_check with columns of its own. */
static inline enum assay_code check_headers(struct arena *arena, const struct plan *plan,
                                            const struct csv_dialect *dialect, struct bronze_file *files, size_t count,
                                            struct assay_error *err) {
    struct bronze_columns columns;
    columns_open(&columns, plan, arena);
    return header_check(plan, dialect, files, count, &columns, err);
}

#endif
