/** What the parts of landing share. */
#ifndef LANDING_LANDING_INT_H
#define LANDING_LANDING_INT_H

#include "landing/landing.h"

#define BATCH_PREFIX "batch_id="
#define MANIFEST_NAME "_manifest.json"
#define REPLACED_NAME "_replaced"
#define INCOMING_PREFIX "_landing-"
#define LOG_NAME "_delta_log"

/** A glob over file names: `*`, `?`, `[..]`; every other byte is itself. */
bool landing_matches(struct str pattern, struct str name);
/** Whether a name is marked as no data: it starts with `_` or `.`. */
bool landing_is_marked(struct str name);
/** Whether a name in a batch folder is data: it matches the pattern and is not marked. */
bool landing_is_data(const struct plan *plan, struct str name);
/** Whether any part of a path is marked as no data. */
bool landing_has_mark(struct str path);
/**
 * Whether a path below a Delta table's folder is one that readers of the table may need. A part of a partition,
 * `_day=1`, is no mark. Change data, checksums and hints are not read, and may change without the table.
 */
bool landing_is_table_file(struct str path);
/** Whether it is one of the table's log. */
bool landing_is_log_file(struct str path);
/** Why none of the files that lie in a batch folder is read, in words: "matches the contract's pattern *.csv". */
struct str landing_unread_text(const struct plan *plan, struct arena *arena);
/** A name as a message shows it, on one line. */
struct str landing_shown(struct str name, struct arena *arena);

/** The manifest's text for hashed files. */
struct str manifest_print(const struct landing_batch *batch, struct arena *arena);

/** Add a file that no batch folder holds; `path` is below the source's folder. */
void strays_add(const struct plan *plan, struct landing_zone *zone, size_t *capacity, struct str path,
                struct arena *arena);

/** One file of a delivery. */
struct delivery_file {
    struct str path, name;
    bool is_stdin;
};
/**
 * The files that are to be copied, by name; out->left_out gets what is not.
 * @return OK; INVALID as landing_put; NOT_FOUND, DENIED a file or folder
 */
enum assay_code delivery_list(const struct plan *plan, const struct landing_delivery *delivery, struct str folder,
                              struct arena *arena, struct delivery_file **out, size_t *count,
                              struct landing_batch *batch, struct assay_error *err) NODISCARD;
/**
 * Copy one file to a path that is not there yet; fills size and hash.
 * @return OK; UNAVAILABLE it changed meanwhile; NOT_FOUND, DENIED; INVALID it is no file
 */
enum assay_code delivery_copy(const struct delivery_file *from, struct str to_path, struct arena *arena,
                              struct landing_file *file, struct assay_error *err) NODISCARD;

#endif
