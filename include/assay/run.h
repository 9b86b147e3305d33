/** A run: batches that have landed are taken to bronze and silver, as `assay run` does. */
#ifndef ASSAY_RUN_H
#define ASSAY_RUN_H

#include <assay/error.h>

/**
 * Run batches of one table or of all. Running a batch again is always safe. A refused batch does not stop the others; a
 * failure stops the run.
 *
 * @param folder  the folder of assay.yaml or one below it; NULL for the current folder
 * @param table   `<schema>.<table>`; NULL for all contracts, tables that others refer to first
 * @param batch   a batch id, run whether it is pending or not; NULL for every pending batch
 * @param[out] json  one JSON object {"runs": [...]} with a result for each batch, as `assay run --json` prints it, to
 *     be given back with assay_free. Also when batches were refused or one failed; NULL when the call failed before the
 *     first batch
 * @return ASSAY_OK every batch is done, or none was pending
 *         ASSAY_REFUSED a gate stopped at least one batch: silver is unchanged by it, quarantine has its rejected rows
 *         ASSAY_INVALID mistakes in assay.yaml or the contracts (assay_lint lists them), no such table, a bad batch id
 *         ASSAY_NOT_FOUND no assay.yaml, or the batch has no folder or no matching file
 *         ASSAY_DENIED no permission, read-only or full disk
 *         ASSAY_UNAVAILABLE an I/O error
 *         ASSAY_CORRUPT a table's log or a file breaks its own format
 *         ASSAY_UNSUPPORTED the lake, the source or a table is of a kind that is not supported
 *         ASSAY_LIMIT input is larger than assay takes
 *         ASSAY_UNKNOWN it is not known whether a commit took place: run again
 *         ASSAY_CONFLICT another writer won every retry; nothing was written
 *         ASSAY_INTERNAL the engine failed
 *     After a failure the batch is pending, and every table reads as before or after one of its commits.
 */
__attribute__((visibility("default"))) enum assay_code
assay_run(const char *folder, const char *table, const char *batch, char **json, struct assay_error *err);

#endif
