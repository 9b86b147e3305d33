/**
 * JSON, read as evidence: records with their line and exact bytes; each top-level value as the text that was sent.
 *
 * Words: a record is one line, or with multiLine one document or one element of an array, over any number of lines; a
 * good record is one object; a value is a text decoded, null as nothing, all else (numbers, true, nested) as it stands.
 */
#ifndef BRONZE_JSON_H
#define BRONZE_JSON_H

#include "base/json_text.h"
#include "bronze/bronze_int.h"

/** What is wrong with a record; the first found, but a broken one is only broken. */
enum json_fault {
    JSON_GOOD,
    JSON_BROKEN,       /* no object of JSON; no value could be read */
    JSON_REPEATED_KEY, /* its column is NULL: no value of several is the right one */
    JSON_BAD_KEY,      /* a key that no column can have as its name */
    JSON_BAD_VALUE,    /* NULL: half of a surrogate pair, or bytes that are not UTF-8 */
};

/** One per thread, used again for record after record. The caller's struct, zeroed before json_reader_open. */
struct json_reader {
    const struct bronze_columns *columns; /* borrowed */
    struct str *values;  /* of the last record, one per column; ptr NULL: null or no such key. Borrowed from the record
                            or the reader */
    struct str *unknown; /* keys that no column has, decoded, as often as they come; borrowed like values */
    size_t unknown_count;

    bool is_valid; /* private, as all below: of the record being read */
    enum json_fault fault;
    size_t *order; /* columns in the order in which the last record had them */
    size_t order_count;
    unsigned char *is_seen;
    size_t unknown_capacity;
    struct buf texts;
};

void json_reader_open(struct json_reader *r, const struct bronze_columns *columns);
void json_reader_close(struct json_reader *r);
/** @param is_valid  the record is UTF-8 */
enum json_fault json_reader_read(struct json_reader *r, struct str record, bool is_valid);

typedef void json_member_fn(void *context, size_t index, const struct json_text_value *key,
                            const struct json_text_value *value);
/**
 * The members of the one object that the record is, in order.
 * @param at  where reading stopped
 * @return NULL; else what is wrong there, and the members before it were given
 */
const char *json_object_each(struct str record, json_member_fn *member, void *context, size_t *at);
/** Append why a record is a corrupt row, in words; nothing for a good one. What is wrong with its bytes is not for this
 * to say: it is given text. */
void json_explain(struct str record, struct buf *out);

/** Blanks, tabs and line ends only: no record. */
bool json_is_blank(struct str line);

/* ---- documents over several lines ---- */

/** How far the brackets of a file have been followed; zeroed at its start. */
struct json_framing {
    bool is_in_array; /* inside the array whose elements are the records */
};

struct json_extent {
    size_t start, size; /* the record, in the bytes */
};

enum json_cut {
    JSON_CUT_RECORD, /* *out is a record; reading goes on at start + size */
    JSON_CUT_END,    /* nothing but white space and brackets up to the end of the file */
    JSON_CUT_MORE,   /* more bytes are needed */
    JSON_CUT_BROKEN, /* a document that does not end, a bracket that fits none: where the next record starts cannot be
                        known */
};

/**
 * Find the next record. Only brackets, texts and white space are looked at; what is between them is for json_reader.
 * @param is_final   the file ends where bytes end
 * @param max_bytes  of a record over several lines; beyond it the record is broken
 */
enum json_cut json_cut_next(struct json_framing *framing, struct str bytes, bool is_final, size_t max_bytes,
                            struct json_extent *out);

/* ---- reading a file, block by block ---- */

struct json_settings {
    bool is_multi_line;
    size_t max_record_bytes; /* of a record over several lines */
    struct str encoding;     /* by name */
};

/** A file being read from front to back. The caller's struct. */
struct json_file {
    const struct json_settings *settings;
    const char *name; /* for errors */
    struct text_file text;
    int64_t offset; /* of the next record in the file's text */
    int64_t line;   /* of the next record: its line; with multiLine its number in the file; from 1 */
    bool is_begun;
    struct json_framing framing;
};

struct json_record {
    struct str bytes; /* without line end; borrowed from the block */
    int64_t line;     /* as in json_file */
    bool is_valid;    /* UTF-8 */
};

/** Whole records of a file; one per thread, used again for block after block. The caller's struct, zeroed at first. */
struct json_block {
    const struct json_settings *settings;
    struct text_piece text;
    size_t at, stop;             /* the next record; where the records end */
    int64_t line;                /* of the next record */
    bool is_looked_at, is_valid; /* all of it is UTF-8 */
    struct json_extent *extents; /* multiLine; start counted from the front of text */
    size_t extent_count, extent_capacity, extent_at;
};

/**
 * @param path, name  borrowed; of the file on this machine, and for errors
 * @return as text_file_open
 */
enum assay_code json_file_open(struct json_file *f, const struct json_settings *settings, const char *path,
                               const char *name, int64_t size_bytes, struct assay_error *err) NODISCARD;
void json_file_close(struct json_file *f);
/**
 * Read the next whole records into the block, about block_bytes of them; at the end of the file stop is 0.
 * @return OK; REFUSED lines are expected and the file begins like one document over several lines, or multiLine and a
 * document has no end (where); LIMIT a record longer than LIMIT_RECORD_BYTES; as text_file_read
 */
enum assay_code json_block_load(struct json_block *b, struct json_file *f, size_t block_bytes,
                                struct assay_error *err) NODISCARD;
/** The next record; false at the end of the block. Blank lines are passed over. */
bool json_block_next(struct json_block *b, struct json_record *out);
void json_block_close(struct json_block *b);

/* ---- the rows of a batch ---- */

/**
 * The batch's rows as a source for the engine, columns: the batch's, _corrupt_record, _source_file, _source_line,
 * _corrupt_bytes. Keys that are none of the columns are noted, their values are not in the rows: a caller that finds
 * some reads again with them among the columns. All that it is given is borrowed.
 */
struct json_rows;
struct json_rows *json_rows_open(const struct json_settings *settings, const struct bronze_columns *columns,
                                 const struct bronze_file *files, size_t count, size_t block_bytes,
                                 struct bronze_findings *findings);
/** After the statement that read them. */
void json_rows_close(struct json_rows **rows);
/** Register them as the table function `name`, to be read once. */
enum assay_code json_rows_add_source(struct json_rows *rows, struct engine *engine, struct str name, int threads,
                                     struct assay_error *err) NODISCARD;
/** Whether reading ended because of what a file holds: the error of the statement is REFUSED. */
bool json_rows_is_refused(const struct json_rows *rows);
/** Add the keys that none of the columns fits, in order of first appearance, to `columns`, which are the same but may
 * be written. Whether there were any. */
bool json_rows_add_columns(struct json_rows *rows, struct bronze_columns *columns);

#endif
