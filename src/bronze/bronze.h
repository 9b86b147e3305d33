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
    bool has_quoted_break_hint; /* rows look like halves of quoted line breaks: `multiLine` might be wanted */
};

/** @return OK; REFUSED header check (gate set; names file, position, expected, found); NOT_FOUND, DENIED, UNAVAILABLE a
 * file; CONFLICT after retries; as delta_commit */
enum assay_code bronze_load(const struct bronze_input *input, struct arena *arena, struct bronze_result *out,
                            struct assay_error *err) NODISCARD;

/**
 * Why a record is a corrupt row, in words, appended: `too few fields: 2 of 5; the quote that opens field 2 (name) is not
 * closed on its line (multiLine is false)`. Worked out from what the tables keep, under the plan's reader settings.
 * @param text   `_corrupt_record`
 * @param bytes  `_corrupt_bytes`; ptr NULL when that is NULL
 */
void bronze_corrupt_reason(const struct plan *plan, struct str text, struct str bytes, struct buf *out);

/** What bronze knows of a batch without loading it: row_count, corrupt_count, loaded_at_us, version, is_first when it
 * holds nothing of the batch. */
enum assay_code bronze_look(const struct bronze_input *input, struct str batch_id, struct arena *arena,
                            struct bronze_result *out, struct assay_error *err) NODISCARD;

#endif
