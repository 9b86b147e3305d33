/**
 * Landing: one folder per source, entity and batch, `Files/<source path>/batch_id=<id>/`, written once.
 *
 * Files of a batch are those directly in its folder whose name matches the contract's pattern and does not start with
 * `_` or `.`.
 */
#ifndef LANDING_LANDING_H
#define LANDING_LANDING_H

#include "plan/plan.h"
#include "storage/storage.h"

struct landing_file {
    struct str name; /* in the folder */
    struct str key;  /* in the lake: `Files/landing/.../name` */
    int64_t size_bytes, modified_us;
    struct str sha256; /* empty until landing_hash */
};

struct landing_batch {
    struct str id;
    struct str folder;          /* key */
    struct landing_file *files; /* by name, in byte order */
    size_t file_count;
    int64_t landed_at_us; /* of the manifest, else the newest file's time */
};

/** Every batch of the plan's source, by landed_at, then id; folders without a matching file are left out. Files are not
 * hashed. */
enum assay_code landing_list(struct store *store, const struct plan *plan, struct arena *arena,
                             struct landing_batch **out, size_t *count, struct assay_error *err) NODISCARD;

/** One batch. INVALID the id is none; NOT_FOUND no folder, or no file in it that matches (says what is there instead).
 */
enum assay_code landing_find(struct store *store, const struct plan *plan, struct str batch_id, struct arena *arena,
                             struct landing_batch *out, struct assay_error *err) NODISCARD;

/** Fill in sha256 of every file, reading it through the store, on up to `threads` threads. */
enum assay_code landing_hash(struct store *store, struct landing_batch *batch, int threads, struct arena *arena,
                             struct assay_error *err) NODISCARD;

enum landing_outcome { LANDING_DONE, LANDING_SAME, LANDING_REPLACED };

/**
 * Copy files into a new batch folder with a manifest `_manifest.json` {batch_id, landed_at, files: [{name, bytes,
 * sha256}]}: the whole batch or nothing (copied to `_landing-<random>`, which no list shows, then renamed). The same
 * content again changes nothing (LANDING_SAME).
 * @param replace  other content for an existing id is allowed: the old files are moved to `_replaced/<time>/` in the
 * batch
 * @return OK; REFUSED other content without replace (names the difference); INVALID bad id, two files of one name, a
 * name that starts with `_` or
 *         `.` or does not match the pattern; NOT_FOUND, DENIED a source file
 */
enum assay_code landing_put(struct store *store, const struct plan *plan, struct str batch_id, const struct str *paths,
                            size_t path_count, bool replace, struct arena *arena, struct landing_batch *out,
                            enum landing_outcome *outcome, struct assay_error *err) NODISCARD;

#endif
