/**
 * What holds for every CSV file and dialect, checked over a whole file read in blocks of one size:
 *
 * - records stand in order, each with the line that is counted in the bytes before it, and hold exactly the file's
 * bytes;
 * - the bytes between them are a byte order mark, line ends, blank lines, comments, and the lines above and below that
 * the dialect passes over: put together, all of it is the file again;
 * - a record's text is what its bytes decode to.
 *
 * csv_check_reading gives a sum over all records and tokens, which may not depend on the size of the blocks.
 */
#ifndef TESTS_SUPPORT_CSV_PROPERTY_H
#define TESTS_SUPPORT_CSV_PROPERTY_H

#include "bronze/csv.h"

#include <stdio.h>
#include <stdlib.h>

#define CSV_CHECK(is_so)                                                                                               \
    do {                                                                                                               \
        if (!(is_so)) {                                                                                                \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #is_so);                                                \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

struct csv_check {
    const struct csv_dialect *dialect;
    const struct encoding *encoding; /* NULL: UTF-8 */
    struct str file;
    size_t covered; /* bytes of the file that are accounted for */
    int64_t line;   /* the line that covered is on, lines above among them */
    struct buf text;
    uint64_t sum;
};

/** The text of some bytes of the file. */
static inline struct str csv_check_text(struct csv_check *c, struct str bytes) {
    if (!c->encoding) return bytes;
    size_t made;
    struct decoder *decoder = decoder_open(c->encoding);
    buf_clear(&c->text);
    buf_reserve(&c->text, ENCODING_BAD_BYTES * bytes.len);
    CSV_CHECK(decoder_step(decoder, bytes, true, c->text.data, ENCODING_BAD_BYTES * bytes.len, &made) == bytes.len);
    c->text.len = made;
    decoder_close(&decoder);
    return buf_str(&c->text);
}

/** Bytes between records, up to `to`: whole lines that are none. */
static inline void csv_check_gap(struct csv_check *c, size_t to, bool is_last) {
    const struct csv_dialect *d = c->dialect;
    struct str gap = csv_check_text(c, str_sub(c->file, c->covered, to)), rest = gap;
    bool is_behind_record = c->line > 0;
    int64_t first = c->line > 0 ? c->line : 1, bottom = 0, at = 0;
    for (; rest.len; at++) {
        size_t size;
        const char *end = csv_line_end(rest.ptr, rest.ptr + rest.len, &size);
        struct str line = {rest.ptr, (size_t)(end - rest.ptr)};
        bool is_empty = d->is_multi_line ? line.len == 0 : csv_is_blank(line);
        if (is_behind_record && at == 0)
            CSV_CHECK(line.len == 0);
        else if (first + at > d->skip_top && !is_empty && !(d->comment.len && str_starts(line, d->comment)))
            CSV_CHECK(is_last && d->skip_bottom);
        if (!csv_is_blank(line) && first + at > d->skip_top) bottom++;
        CSV_CHECK(size || is_last);
        rest = str_sub(rest, line.len + size, rest.len);
    }
    if (is_last && !d->comment.len && !d->is_multi_line) CSV_CHECK(bottom <= d->skip_bottom);
    c->line = first + (gap.len ? csv_count_lines(gap) : 0);
    c->covered = to;
}

static inline uint64_t csv_check_mix(uint64_t sum, const void *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) sum = (sum ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
    return sum;
}

static inline void csv_check_record(struct csv_check *c, struct csv_block *b, const struct csv_record *r) {
    int64_t offset;
    struct str bytes = csv_record_bytes(b, r, &offset);
    size_t at = (size_t)offset;
    CSV_CHECK(at >= c->covered && at + bytes.len <= c->file.len && r->token_count > 0 && r->bytes.len > 0);
    CSV_CHECK(memcmp(bytes.ptr, c->file.ptr + at, bytes.len) == 0);
    csv_check_gap(c, at, false);
    CSV_CHECK(r->line == c->line && r->line > c->dialect->skip_top);
    CSV_CHECK(str_eq(csv_check_text(c, bytes), r->bytes));
    CSV_CHECK(r->is_valid == (str_utf8_error(r->bytes) == SIZE_MAX));
    c->line += csv_count_lines(r->bytes) - 1;
    c->covered = at + bytes.len;
    c->sum = csv_check_mix(csv_check_mix(c->sum, &offset, sizeof offset), &r->line, sizeof r->line);
    c->sum = csv_check_mix(c->sum, &r->token_count, sizeof r->token_count);
    for (size_t i = 0; i < r->token_count && i < b->token_max; i++) {
        unsigned char mark = (unsigned char)((b->tokens[i].ptr != NULL) + 2 * csv_is_null(c->dialect, b->tokens[i]));
        c->sum =
            csv_check_mix(csv_check_mix(c->sum, &mark, 1), b->tokens[i].len ? b->tokens[i].ptr : "", b->tokens[i].len);
    }
}

/** @param path  of the file on disk that holds these bytes. @return the sum; 0: the file was refused before its first
 * record */
static inline uint64_t csv_check_reading(const struct csv_dialect *d, struct str file, const char *path,
                                         size_t block_bytes) {
    struct csv_file f;
    struct csv_block b;
    struct csv_record r;
    struct assay_error err;
    enum assay_code rc = csv_file_open(&f, d, path, (int64_t)file.len, 0, 1, &err);
    if (rc == ASSAY_REFUSED) return 0;
    CSV_CHECK(rc == ASSAY_OK);
    struct csv_check c = {.dialect = d, .encoding = f.text.encoding, .file = file, .sum = 1};
    struct str mark = c.encoding ? c.encoding->mark : STR("\xEF\xBB\xBF");
    if (mark.len && str_starts(file, mark)) c.covered = mark.len;
    csv_block_open(&b, d, 4, block_bytes);
    do {
        CSV_CHECK(csv_block_load(&b, &f, &err) == ASSAY_OK);
        while (csv_block_next(&b, &r)) csv_check_record(&c, &b, &r);
    } while (b.stop);
    csv_check_gap(&c, file.len, true);
    csv_block_close(&b);
    csv_file_close(&f);
    buf_free(&c.text);
    return c.sum;
}

/** A dialect of four bytes, so that any input chooses one: of the fuzzer, and of random tests. Zeros: `,` `"` `"`. */
static inline struct csv_dialect csv_dialect_of_bytes(const unsigned char bytes[4]) {
    static const char *const delimiters[] = {",", "\t", "||", "\xC2\xA6", ";", "aab", "::", " "};
    static const char *const encodings[] = {"UTF-8",        "UTF-16LE",  "UTF-16BE", "ISO-8859-1",
                                            "windows-1252", "Shift_JIS", "GB18030",  "UTF-16"};
    static const char *const comments[] = {"", "#", "--", ""};
    static const struct str markers[] = {{"NA", 2}, {"", 0}, {"-", 1}};
    const char *delimiter = delimiters[bytes[1] & 7];
    struct csv_dialect d = {.delimiter = delimiter[0],
                            .more = str_of(delimiter + 1),
                            .quote = bytes[0] & 4 ? '\'' : '"',
                            .is_multi_line = bytes[0] & 1,
                            .max_record_bytes = (size_t)1 << (bytes[0] >> 3),
                            .encoding = str_of(encodings[bytes[1] >> 3 & 7]),
                            .comment = str_of(comments[bytes[1] >> 6]),
                            .skip_top = bytes[2] & 3,
                            .skip_bottom = bytes[2] >> 2 & 3,
                            .null_markers = markers,
                            .null_marker_count = bytes[2] >> 4 & 3};
    d.escape = bytes[0] & 2 ? '\\' : d.quote;
    if (bytes[2] >> 6 == 3) {
        d.quote = d.escape = -1;
        d.is_multi_line = false;
    }
    return d;
}

#endif
