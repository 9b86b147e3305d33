/**
 * Landing: one folder per source, entity and batch, `Files/<source path>/batch_id=<id>/`, written once.
 *
 * Files of a batch are those directly in its folder whose name matches the contract's pattern and does not start with
 * `_` or `.`. Of a Delta table they are all that its readers may need: the log, and every file below the folder but
 * those in parts that are marked as no data. What else lies in the folder is left out, and said to be.
 *
 * A folder on the way to a batch, or its own, that is a link belongs to somebody else: it is read, never written.
 */
#ifndef LANDING_LANDING_H
#define LANDING_LANDING_H

#include "plan/plan.h"
#include "storage/storage.h"

struct landing_file {
    struct str name; /* in the folder; of a Delta table a path */
    struct str key;  /* in the lake: `Files/landing/.../name` */
    int64_t size_bytes, modified_us;
    struct str sha256; /* empty until landing_hash */
};

struct landing_batch {
    struct str id;
    struct str folder;          /* key */
    struct landing_file *files; /* by name, in byte order */
    size_t file_count;
    struct str *left_out; /* other files in the folder and below it: `notes.txt`, `part/a.csv`; landing's own aside */
    size_t left_out_count;
    size_t misfit_count;        /* of these, without those that _ or . marks as no data */
    struct str manifest_sha256; /* empty without a manifest */
    int64_t landed_at_us;       /* of the manifest, else the newest file's time; INT64_MIN without either */
};

/** Files that match the pattern and that no run reads, because their folder is no batch folder. */
struct landing_stray {
    struct str folder; /* key of the folder they are in */
    struct str *names;
    size_t name_count;
    struct str batch_id; /* made of the folder's name, for the command that lands them; may be empty */
};

/** All that lies below the source's folder. */
struct landing_zone {
    struct landing_batch *batches; /* by landed_at, then id; also those without a matching file */
    size_t batch_count;
    struct landing_stray *strays; /* by folder */
    size_t stray_count;
    struct str *leftovers; /* keys of the folders of landings under way or cut short */
    size_t leftover_count;
};

/** `Files/<source path>`, the key of the source's folder. */
struct str landing_source(const struct plan *plan, struct arena *arena);
/** `Files/<source path>/batch_id=<id>` */
struct str landing_folder(const struct plan *plan, struct str batch_id, struct arena *arena);

/** Files are not hashed. Entities of other contracts below the folder are passed over: they have batch folders of their
 * own. */
enum assay_code landing_list(struct store *store, const struct plan *plan, struct arena *arena,
                             struct landing_zone *out, struct assay_error *err) NODISCARD;

/** One batch. INVALID the id is none; NOT_FOUND no folder, or no file in it that matches (says what is there instead).
 */
enum assay_code landing_find(struct store *store, const struct plan *plan, struct str batch_id, struct arena *arena,
                             struct landing_batch *out, struct assay_error *err) NODISCARD;

/** Whether the batch has files and no run reads any of them. */
bool landing_is_unread(const struct landing_batch *batch);

/** REFUSED when files lie where no run reads them, strays and unread batches: what lies where, how a delivery must lie,
 * the commands that land it. */
enum assay_code landing_judge(struct store *store, const struct plan *plan, const struct landing_zone *zone,
                              struct assay_error *err) NODISCARD;

/** Fill in sha256 of every file, reading it through the store, on up to `threads` threads. */
enum assay_code landing_hash(struct store *store, struct landing_batch *batch, int threads, struct arena *arena,
                             struct assay_error *err) NODISCARD;

/** What a manifest says: files with name, size and sha256 as they were landed. */
struct landing_manifest {
    bool is_there; /* and can be read */
    struct str sha256;
    int64_t landed_at_us;
    struct landing_file *files; /* key and time unset */
    size_t file_count;
};
void landing_manifest_read(struct store *store, struct str folder, struct arena *arena, struct landing_manifest *out);

/** What is to be landed. */
struct landing_delivery {
    const struct str *paths; /* files; folders, of which the files that match are taken; `-` is standard input */
    size_t path_count;
    struct str stdin_name; /* the name of the file that standard input becomes */
    bool is_replacing; /* other content for an existing id is allowed: the old files move to `_replaced/<time>/` in the
                          batch */
};

enum landing_outcome { LANDING_DONE, LANDING_SAME, LANDING_REPLACED };

/**
 * Copy files into a new batch folder with a manifest `_manifest.json` {batch_id, landed_at, files: [{name, bytes,
 * sha256}]}: the whole batch or nothing (copied to `_landing-<random>`, which no list shows, then renamed). The same
 * content again changes nothing (LANDING_SAME).
 * @param out  the batch; left_out holds the paths in delivered folders that were not taken
 * @return OK; REFUSED other content without is_replacing (names the difference); INVALID bad id, two files of one name,
 * a name that starts with `_` or `.` or does not match the pattern, a delivered folder with folders in it, or one that
 * is a Delta table where the contract says something else, or no Delta table where it says so; NOT_FOUND,
 * DENIED a source file; DENIED the batch would lie behind a link; UNAVAILABLE a file changed while it was copied;
 * UNSUPPORTED the file system cannot replace a folder in one step
 */
enum assay_code landing_put(struct store *store, const struct plan *plan, struct str batch_id,
                            const struct landing_delivery *delivery, struct arena *arena, struct landing_batch *out,
                            enum landing_outcome *outcome, struct assay_error *err) NODISCARD;

#endif
