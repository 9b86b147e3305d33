/** What the parts of bronze share. */
#ifndef BRONZE_BRONZE_INT_H
#define BRONZE_BRONZE_INT_H

#include "bronze/bronze.h"
#include "bronze/csv.h"

#include <stdatomic.h>

/** A file of the batch, ready to be read. */
struct bronze_file {
    struct str key;   /* `Files/landing/...`, the _source_file of its rows */
    const char *path; /* on this machine */
    int64_t size_bytes, modified_us;
};

/** The batch's files as a source of rows for the engine; see rows.c. */
struct bronze_rows;

/** Paths and sizes of the batch's files, looked up in the store. UNAVAILABLE a file is not what landing listed. */
enum assay_code bronze_files(const struct bronze_input *input, struct arena *arena, struct bronze_file **out,
                             struct assay_error *err) NODISCARD;

/**
 * Header check, strict: every file's header, position by position, case ignored.
 * @return OK; REFUSED names file, position, expected and found
 */
enum assay_code header_check(const struct plan *plan, const struct csv_dialect *dialect,
                             const struct bronze_file *files, size_t count, struct assay_error *err) NODISCARD;

/** What the reading of a batch found out. */
struct bronze_findings {
    atomic_llong row_count, corrupt_count;
    atomic_bool has_bad_bytes; /* some record holds bytes that are not UTF-8 */
    atomic_llong half_quotes;  /* corrupt rows that look like one half of a quoted line break */
};

/**
 * Register the batch's rows as the table function `name`, columns: the source columns, _corrupt_record, _source_file,
 * _source_line, _corrupt_bytes. Everything lives in the arena and must outlive the statement that reads it, once.
 */
enum assay_code rows_add_source(struct engine *engine, struct str name, const struct plan *plan,
                                const struct csv_dialect *dialect, const struct bronze_file *files, size_t count,
                                int threads, struct bronze_findings *findings, struct arena *arena,
                                struct assay_error *err) NODISCARD;

/** Bytes as readable text: what is not UTF-8 becomes \xHH. */
void readable_text(struct buf *out, struct str bytes);

/** Hex SHA-256 over names and hashes of the files and the reader settings; and its first 63 bits. */
struct str fingerprint_of(const struct landing_batch *batch, const struct plan *plan, struct arena *arena);
int64_t fingerprint_number(struct str hex);

#endif
