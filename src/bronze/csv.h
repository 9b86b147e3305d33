/**
 * CSV, read as evidence: records with their physical line and exact bytes; fields as Spark's tokenizer gives them.
 *
 * Words: a physical line ends at \n, \r\n or a lone \r; a record is one line (line mode) or, with multiLine, may go on
 * over line ends inside quotes; a token is the text of one field. Bytes are not decoded: delimiter, quote and escape
 * are single bytes below 0x80, so tokens of UTF-8 text are UTF-8 or hold the very bytes that are not.
 */
#ifndef BRONZE_CSV_H
#define BRONZE_CSV_H

#include "plan/plan.h"

struct csv_dialect {
    char delimiter, quote, escape;
    bool is_multi_line;
    size_t max_record_bytes; /* of a record over several lines */
};

/** @return OK; UNSUPPORTED a setting that this version does not read (named, with its value) */
enum assay_code csv_dialect_of(const struct contract_source *source, struct csv_dialect *out,
                               struct assay_error *err) NODISCARD;

/** An unquoted empty token is NULL (ptr NULL), a quoted empty one is ''. */
typedef struct str csv_token;

/**
 * The tokens of one record.
 * @param tokens  room for `max`; tokens borrow from record or scratch
 * @param scratch cleared and used for tokens that are not bytes of the record as they stand
 * @return how many tokens the record has, which may be more than max
 */
size_t csv_tokenize(const struct csv_dialect *dialect, struct str record, csv_token *tokens, size_t max,
                    struct buf *scratch);

struct csv_record {
    struct str bytes; /* without its line end; borrowed from the reader until its next call */
    int64_t line;     /* of its first byte; the first line of the file is 1 */
    bool is_unclosed; /* multiLine: only the line on which a quote opens that does not close */
};

/** The first line end at or after p, or `end`; *size is its length, 0 at the end. A \r as the very last byte counts as
 * a line end. */
const char *csv_line_end(const char *p, const char *end, size_t *size);
/** Lines in the bytes; a last line without line end counts. */
int64_t csv_count_lines(struct str bytes);
/** Whether a line holds nothing but bytes up to 0x20: it is no record in line mode. */
bool csv_is_blank(struct str line);

/**
 * One multiLine record at the start of bytes.
 * @param is_final  the file ends where bytes end
 * @param[out] size  its bytes without line end; *step with line end; *lines it covers
 * @return false: more bytes are needed to say
 */
bool csv_multi_line_record(const struct csv_dialect *dialect, struct str bytes, bool is_final, size_t *size,
                           size_t *step, int64_t *lines, bool *is_unclosed);

/* ---- reading a part of a file ---- */

/** Reads the records that start in one part of a file. The caller's struct. */
struct csv_reader {
    const struct csv_dialect *dialect;
    int fd;
    const char *path;
    char *data; /* bytes [base, base + len) of the file */
    size_t len, capacity;
    int64_t base;
    size_t at;     /* next record */
    int64_t limit; /* records that start at or after this offset are another part's */
    int64_t file_size;
    int64_t line; /* of the next record's first byte */
};

/** @param path borrowed. @return OK; NOT_FOUND, DENIED, UNAVAILABLE */
enum assay_code csv_reader_open(struct csv_reader *r, const struct csv_dialect *dialect, const char *path,
                                int64_t file_size, struct assay_error *err) NODISCARD;
void csv_reader_close(struct csv_reader *r);
/**
 * Load the part [from, to) of the file; in line mode the lines that start in it, whole. A byte order mark at the file's
 * start is skipped.
 * @param[out] lines  in line mode, how many lines start in the part
 * @return OK; LIMIT a line longer than LIMIT_RECORD_BYTES; UNAVAILABLE the file became shorter
 */
enum assay_code csv_reader_load(struct csv_reader *r, int64_t from, int64_t to, int64_t *lines,
                                struct assay_error *err) NODISCARD;
/** The next record of the part; *found false at its end. Blank lines are passed over. */
enum assay_code csv_reader_next(struct csv_reader *r, struct csv_record *out, bool *found,
                                struct assay_error *err) NODISCARD;

#endif
