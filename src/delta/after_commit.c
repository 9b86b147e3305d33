/*
 * What follows a commit that stands: the checksum of its version, a checkpoint when one is due, and a compaction when
 * the table asks for it.
 *
 * 1. Nothing here can fail the commit, and nothing that fails here leaves a trace that a reader could see.
 * 2. The metadata that says when a checkpoint is due is the commit's own, else that of the snapshot it was made from.
 */
#include "delta/delta_int.h"

static void write_checkpoint(const struct delta_attempt *attempt, struct engine *engine, int64_t version) {
    struct staging *staging = NULL;
    struct delta_checkpoint_report report;
    enum assay_code rc = staging_open(attempt->store, &staging, NULL);
    if (rc == ASSAY_OK) rc = delta_checkpoint(attempt->store, engine, staging, attempt->root, version, &report, NULL);
    (void)rc;
    staging_close(&staging);
}

void delta_after_commit(const struct delta_attempt *attempt, struct engine *engine, int64_t version) {
    const struct delta_commit *commit = attempt->commit;
    const struct delta_metadata *metadata = commit->metadata ? commit->metadata : &commit->base->metadata;
    delta_checksum_put(attempt, version);
    if (engine && delta_checkpoint_is_due(metadata, version)) write_checkpoint(attempt, engine, version);
    delta_compact_after(attempt, engine);
}
