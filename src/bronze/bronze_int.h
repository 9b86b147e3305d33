/** What the parts of bronze share. */
#ifndef BRONZE_BRONZE_INT_H
#define BRONZE_BRONZE_INT_H

#include "bronze/bronze.h"
#include "bronze/columns.h"
#include "bronze/csv.h"

#include <stdatomic.h>

/** A file of the batch, ready to be read. */
struct bronze_file {
    struct str key;   /* `Files/landing/...`, the _source_file of its rows */
    const char *path; /* on this machine */
    int64_t size_bytes, modified_us;
    /* CSV, set by header_check: */
    int64_t rows_offset, rows_line; /* of the first record after the header */
    size_t field_count;             /* of a record that is not corrupt */
    const size_t *fields; /* for each of the batch's columns the file's field that fills it, SIZE_MAX: none; NULL: field
                             i fills column i, and there are no more columns than fields */
    struct str header;    /* its record; ptr NULL: the file has none */
};

/**
 * Every file's header, before any row lands, by the contract's mode:
 * strict  is compared with the contract, position by position, case ignored
 * byName  says which field fills which column; names that the contract does not read become columns of their own
 * none    there is none: the first record must have as many fields as the contract has source columns
 * Notes in each file where its rows start and what fills the columns.
 * @param columns  opened; what files keep lives in its arena
 * @return OK; REFUSED names file, position, expected and found; LIMIT too many columns; as csv_file_open
 */
enum assay_code header_check(const struct plan *plan, const struct csv_dialect *dialect, struct bronze_file *files,
                             size_t count, struct bronze_columns *columns, struct assay_error *err) NODISCARD;

/**
 * A header that is one column with the contract's delimiter, and has several with a usual other one: what to do, in
 * words, appended. False: it is not that.
 */
bool mismatch_delimiter(const struct csv_dialect *dialect, struct str header, size_t columns, struct buf *out);
/** files in the order of their keys. @return OK; REFUSED one of them is there packed and not packed, or packed twice */
enum assay_code mismatch_twins(const struct bronze_file *files, size_t count, struct assay_error *err) NODISCARD;

/** The rows of several files, handed out block by block to any number of threads. */
struct blocks;
/** dialect and files are borrowed. */
struct blocks *blocks_open(const struct csv_dialect *dialect, const struct bronze_file *files, size_t count);
void blocks_close(struct blocks **blocks);
/** The next block that no thread has had, and its file; *file NULL when there is none left. */
enum assay_code blocks_next(struct blocks *blocks, struct csv_block *block, const struct bronze_file **file,
                            struct assay_error *err) NODISCARD;

/** What the reading of a batch found out. */
struct bronze_findings {
    atomic_llong row_count, corrupt_count;
    atomic_bool has_bad_bytes; /* some record holds bytes that are not UTF-8 */
    atomic_llong half_quotes;  /* rows that look like one half of a quoted line break */
    atomic_llong header_rows;  /* rows that are their file's header once more, byte for byte */
};

/* ---- row_end.c: what stands behind the batch's own columns in every row of CSV and JSON ---- */

/** What a worker has done since it last told. */
struct row_work {
    struct buf text; /* scratch */
    int64_t rows, corrupt;
    bool has_bad_bytes;
};

/** _source_file and _source_line of the row, which is the sink's next; one row more. */
void row_end(struct row_work *w, struct engine_sink *sink, size_t columns, struct str source_file, int64_t line);
/** Before it: the row is good. */
void row_put_good(struct engine_sink *sink, size_t columns);
/**
 * Or it is corrupt: its text and, when that is not all, its bytes.
 * @param bytes       ptr NULL: the text is valid and says all; else what the file has
 * @param is_decoded  the text was made of another encoding
 */
void row_put_corrupt(struct row_work *w, struct engine_sink *sink, size_t columns, struct str text, struct str bytes,
                     bool is_decoded);
/** Add the worker's numbers to the batch's, and begin anew. */
void row_tell(struct row_work *w, struct bronze_findings *findings);
/** Register a source of such rows; names and types of its columns are filled in here. */
enum assay_code row_source_add(struct engine *engine, struct str name, const struct bronze_columns *columns,
                               struct engine_source source, struct assay_error *err) NODISCARD;

/**
 * The batch's rows as a source for the engine, columns: the batch's columns, _corrupt_record, _source_file,
 * _source_line, _corrupt_bytes. All that it is given is borrowed.
 */
struct bronze_rows;
struct bronze_rows *rows_open(const struct bronze_columns *columns, const struct csv_dialect *dialect,
                              const struct bronze_file *files, size_t count, size_t block_bytes,
                              struct bronze_findings *findings);
/** After the statement that read them. */
void rows_close(struct bronze_rows **rows);
/** Register them as the table function `name`, to be read once. */
enum assay_code rows_add_source(struct bronze_rows *rows, struct engine *engine, struct str name, int threads,
                                struct assay_error *err) NODISCARD;

/** Text as people read it: bytes that are not valid become \xHH. is_decoded: the text was made of another encoding, and
 * such bytes stand in it as base/encoding.h says. */
void readable_text(struct buf *out, struct str text, bool is_decoded);

/** Hex SHA-256 over names and hashes of the files and the reader settings; and its first 63 bits. */
struct str fingerprint_of(const struct landing_batch *batch, const struct plan *plan, struct arena *arena);
int64_t fingerprint_number(struct str hex);

#endif
