/**
 * Bronze: a batch's files, untouched. Every CSV value is the string that was sent, with file, line, batch and load
 * time; a broken row is kept with its text.
 *
 * Table: the source columns as strings in contract order, `_corrupt_record`, `_source_file`, `_source_line`,
 * `_batch_id`, `_loaded_at`, later `_corrupt_bytes` at first need. A batch is its own data files, so a rerun replaces
 * exactly that batch in one commit that rewrites no other file.
 *
 * What was loaded is remembered in the table itself, in the same commit: txn action with appId `assay:bronze:<batch
 * id>`, version = the first 63 bits of the SHA-256 over file names, file hashes and reader settings, lastUpdated = the
 * load time in ms. A batch is unchanged when that version is what its files give now and its rows still carry that load
 * time.
 */
#ifndef BRONZE_BRONZE_H
#define BRONZE_BRONZE_H

#include "delta/delta.h"
#include "landing/landing.h"

struct bronze_input {
    struct store *store;
    struct engine *engine;
    struct staging *staging;
    const struct plan *plan;
    struct landing_batch *batch; /* hashed */
    int threads;
};

struct bronze_result {
    struct str gate;   /* "header" when the batch was refused, else empty */
    bool is_written;   /* a commit was made for this batch */
    bool is_replaced;  /* ... in place of an earlier load with other files or settings */
    bool is_first;     /* no load of this batch was known */
    int64_t version;   /* of the bronze table after the call; -1 if there is none */
    int64_t row_count; /* of this batch in bronze */
    int64_t corrupt_count;
    int64_t loaded_at_us;
    int64_t bytes;              /* of the batch's source files */
    struct str fingerprint;     /* hex of the files and settings */
    int64_t header_rows;        /* rows that are their file's header once more; only when is_written */
    bool has_quoted_break_hint; /* rows look like halves of quoted line breaks: `multiLine` might be wanted */
};

/** @return OK; REFUSED header check (gate set; names file, position, expected, found); NOT_FOUND, DENIED, UNAVAILABLE a
 * file; CONFLICT after retries; as delta_commit */
enum assay_code bronze_load(const struct bronze_input *input, struct arena *arena, struct bronze_result *out,
                            struct assay_error *err) NODISCARD;

/**
 * Why a record is a corrupt row, in words, appended: `too few fields: 2 of 5; the quote that opens field 2 (name) is
 * not closed on its line (multiLine is false)`. Worked out from what the tables keep, under the plan's reader settings.
 * @param text   `_corrupt_record`
 * @param bytes  `_corrupt_bytes`; ptr NULL when that is NULL
 */
void bronze_corrupt_reason(const struct plan *plan, struct str text, struct str bytes, struct buf *out);

/** What bronze knows of a batch without loading it: row_count, corrupt_count, loaded_at_us, version, is_first when it
 * holds nothing of the batch. */
enum assay_code bronze_look(const struct bronze_input *input, struct str batch_id, struct arena *arena,
                            struct bronze_result *out, struct assay_error *err) NODISCARD;

/** A record of a landed file. */
struct bronze_place {
    int64_t line; /* in: _source_line of its row */
    bool is_found;
    bool is_packed;   /* the file is compressed */
    int64_t offset;   /* of its first byte in the file, of a compressed one in what it unpacks to */
    struct str bytes; /* as they stand there, without line end */
    struct str text;  /* the same for people: decoded, bytes that are not valid as \xHH */
};

/**
 * Find records by their lines, reading the file as it was loaded, once, and not all of it at a time.
 * @param places  by line; those that no record begins on stay as they are
 * @return OK; UNSUPPORTED Parquet; as csv_file_open and csv_block_load, json_file_open and json_block_load
 */
enum assay_code bronze_locate(const struct plan *plan, const char *path, int64_t size_bytes,
                              struct bronze_place *places, size_t count, struct arena *arena,
                              struct assay_error *err) NODISCARD;

#endif
