/** What the parts of landing share. */
#ifndef LANDING_LANDING_INT_H
#define LANDING_LANDING_INT_H

#include "landing/landing.h"

#define BATCH_PREFIX "batch_id="
#define MANIFEST_NAME "_manifest.json"

/** A glob over file names: `*`, `?`, `[..]`; every other byte is itself. */
bool landing_matches(struct str pattern, struct str name);
/** Whether a name in a batch folder is data: it matches the pattern and starts with neither `_` nor `.`. */
bool landing_is_data(const struct plan *plan, struct str name);
/** `Files/<source path>` */
struct str landing_source_key(const struct plan *plan, struct arena *arena);
/** `Files/<source path>/batch_id=<id>` */
struct str landing_folder_key(const struct plan *plan, struct str batch_id, struct arena *arena);

/** landed_at of the manifest in the folder, or -1 if there is none that can be read. */
int64_t manifest_landed_at(struct store *store, struct str folder);
/** The manifest's text for hashed files. */
struct str manifest_print(const struct landing_batch *batch, struct arena *arena);

#endif
