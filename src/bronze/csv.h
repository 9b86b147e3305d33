/**
 * CSV, read as evidence: records with their physical line and exact bytes; fields as Spark's tokenizer gives them.
 *
 * Words: a physical line ends at \n, \r\n or a lone \r; a record is one line (line mode) or, with multiLine, may go on
 * over line ends inside quotes; a token is the text of one field; a block is some whole records of one file, in memory.
 * What is read is UTF-8 text (text_file.h): the delimiter is a text, quote and escape are single bytes below 0x80, so
 * tokens are UTF-8 or hold the very bytes that are not.
 */
#ifndef BRONZE_CSV_H
#define BRONZE_CSV_H

#include "bronze/text_file.h"
#include "plan/plan.h"

#include <string.h>

struct csv_dialect {
    char delimiter;          /* its first byte */
    int quote, escape;       /* quote -1: nothing is ever quoted */
    bool is_multi_line;      /* false without a quote */
    size_t max_record_bytes; /* of a record over several lines */
    struct str more;         /* the delimiter's other bytes */
    struct str encoding;     /* by name; empty: UTF-8 */
    struct str comment; /* a line or, with multiLine, a record that starts with it is none; empty: there are none */
    int64_t skip_top, skip_bottom;  /* lines above and, blank ones not counted, below that are no records */
    const struct str *null_markers; /* texts of tokens, quoted or not, that stand for NULL */
    size_t null_marker_count;
};

/** Borrows from source. @return OK; INVALID a setting that contradicts another or cannot be read (named, with its
 * value) */
enum assay_code csv_dialect_of(const struct contract_source *source, struct csv_dialect *out,
                               struct assay_error *err) NODISCARD;

/** Length of the delimiter that stands at p, 0: none does. */
static inline size_t csv_delimiter_at(const struct csv_dialect *d, const char *p, const char *end) {
    if (p >= end || *p != d->delimiter) return 0;
    if (d->more.len == 0) return 1;
    if ((size_t)(end - p) <= d->more.len || memcmp(p + 1, d->more.ptr, d->more.len) != 0) return 0;
    return 1 + d->more.len;
}

/** An unquoted empty token is NULL (ptr NULL), a quoted empty one is ''. */
typedef struct str csv_token;

/**
 * The tokens of one record.
 * @param is_alone  a line of line mode, which Spark's tokenizer gets without its line end
 * @param tokens  room for `max`; tokens borrow from record or scratch
 * @param scratch cleared and used for tokens that are not bytes of the record as they stand
 * @return how many tokens the record has, which may be more than max
 */
size_t csv_tokenize(const struct csv_dialect *dialect, struct str record, bool is_alone, csv_token *tokens, size_t max,
                    struct buf *scratch);

/** The first line end at or after p, or `end`; *size is its length, 0 at the end. A \r as the very last byte counts as
 * a line end. */
const char *csv_line_end(const char *p, const char *end, size_t *size);
/** Lines in the bytes; a last line without line end counts. */
int64_t csv_count_lines(struct str bytes);
/** Whether a line holds nothing but bytes 0x01 to 0x20: it is no record in line mode. */
bool csv_is_blank(struct str line);
/** Whether it is blank but for zero bytes: what stands where a file was never written to its end. */
bool csv_is_zero_filled(struct str line);

/** Where a multiLine record stands in the bytes. */
struct csv_extent {
    size_t size;      /* without line end */
    size_t step;      /* with it */
    int64_t lines;    /* that it covers */
    bool is_unclosed; /* only the line on which a quote opens that does not close */
    bool is_comment;
};

/**
 * How far the look for a closing quote went that ended an unclosed record. Every record that is still inside quotes at
 * the end of its first line would look at the same bytes again, so it goes on from there. Zeroed: nothing is known.
 * Offsets are of the file.
 */
struct csv_lookahead {
    int64_t from, to; /* lines that start in [from, to] start inside quotes for it */
    int64_t line;     /* number of the line that `to` is on */
    bool is_inside, is_opened_before, is_broken;
};

/**
 * The multiLine record at the start of bytes.
 * @param offset, line  of its first byte in the file
 * @param is_final      the file ends where bytes end
 * @return false: more bytes are needed to say
 */
bool csv_multi_line_record(const struct csv_dialect *dialect, struct str bytes, int64_t offset, int64_t line,
                           bool is_final, struct csv_lookahead *look, struct csv_extent *out);

/* ---- reading a file, block by block ---- */

enum { CSV_BLOCK_BYTES = 1 << 20 };

/** A file being read from front to back. The caller's struct. */
struct csv_file {
    const struct csv_dialect *dialect;
    const char *path;
    struct text_file text;
    int64_t offset, line; /* of the next record; offset in the file's text, see struct text_piece */
    struct csv_lookahead look;
};

struct csv_record {
    struct str bytes;     /* without its line end; borrowed from the block, as the tokens are, until its next record */
    int64_t offset, line; /* of its first byte in the text; the first line of the file is 1 */
    bool is_unclosed;     /* multiLine: only the line on which a quote opens that does not close */
    bool is_valid;        /* in the encoding */
    bool is_zero_filled;
    size_t token_count; /* may be more than the block keeps */
};

/** Whether a record is a corrupt row of a table with so many source columns. */
static inline bool csv_is_corrupt(const struct csv_record *r, size_t columns) {
    return r->token_count != columns || r->is_unclosed || !r->is_valid || r->is_zero_filled;
}

/** Whether a token is NULL: unquoted and empty, or a null marker. */
static inline bool csv_is_null(const struct csv_dialect *d, csv_token token) {
    for (size_t i = 0; i < d->null_marker_count; i++)
        if (str_eq(token, d->null_markers[i])) return true;
    return !token.ptr;
}

/** Whole records of a file; one per thread, used again for block after block. The caller's struct. */
struct csv_block {
    const struct csv_dialect *dialect;
    size_t block_bytes;
    struct text_piece text;
    int64_t base;      /* offset of text */
    size_t at, stop;   /* the next record; where the records end */
    int64_t line;      /* of the next record */
    bool is_valid;     /* all of it is valid in the encoding */
    csv_token *tokens; /* of the last record, at most token_max */
    size_t token_max;
    struct buf scratch;
    struct csv_extent *extents; /* multiLine */
    size_t extent_count, extent_capacity, extent_at;
};

/**
 * @param path       borrowed
 * @param size_bytes what the file had when it was listed; bytes that came later are not looked at
 * @param offset, line  where to start: 0, 1 at the front, where a byte order mark and the dialect's lines above are
 * passed over; else what a record or block of this file said
 * @return OK; as text_file_open and text_file_read
 */
enum assay_code csv_file_open(struct csv_file *f, const struct csv_dialect *dialect, const char *path,
                              int64_t size_bytes, int64_t offset, int64_t line, struct assay_error *err) NODISCARD;
void csv_file_close(struct csv_file *f);

/** @param block_bytes about how much to read at once, CSV_BLOCK_BYTES but for tests */
void csv_block_open(struct csv_block *b, const struct csv_dialect *dialect, size_t token_max, size_t block_bytes);
void csv_block_close(struct csv_block *b);
/**
 * Read the next whole records of the file into the block and move the file behind them; at the end of the file the
 * block is empty (stop 0).
 * @return OK; LIMIT a record longer than LIMIT_RECORD_BYTES; as text_file_read
 */
enum assay_code csv_block_load(struct csv_block *b, struct csv_file *f, struct assay_error *err) NODISCARD;
/** The next record of the block, its tokens in b->tokens; false at its end. Blank lines and comments are passed over.
 */
bool csv_block_next(struct csv_block *b, struct csv_record *out);
/** The record's exact bytes as the file has them, in its own encoding, without the line end; and where in the
 * (unpacked) file they stand. Borrowed, until the block is loaded again. */
struct str csv_record_bytes(struct csv_block *b, const struct csv_record *record, int64_t *offset);

#endif
