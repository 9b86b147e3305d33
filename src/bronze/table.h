/** The bronze table's shape, and what it holds of a batch. */
#ifndef BRONZE_TABLE_H
#define BRONZE_TABLE_H

#include "bronze/bronze.h"
#include "bronze/columns.h"

/** Add the columns and properties that the metadata lacks; of a table without columns, one that is being created, also
 * the usual properties. Whether there were any. */
bool bronze_complete_metadata(struct delta_metadata *m, const struct plan *plan, const struct bronze_columns *columns,
                              bool with_bytes, struct arena *arena);

/** Whether the table has the columns that assay adds; without them somebody else made it, and it holds no batch. */
bool bronze_has_fields(const struct delta_snapshot *snapshot);

/**
 * Compare the batch's columns with the table's, and spell them as the table does.
 * @return OK; INVALID a column that is bronze's string has another type; REFUSED so has one that the files give a type
 */
enum assay_code bronze_match_fields(const struct delta_snapshot *snapshot, struct bronze_columns *columns,
                                    struct assay_error *err) NODISCARD;

/** Rows of one batch; load times are 0 without rows. */
struct bronze_batch_state {
    int64_t row_count, corrupt_count, loaded_at_min_us, loaded_at_max_us;
};
enum assay_code bronze_count_batch(struct engine *engine, const struct delta_snapshot *snapshot, struct str batch_id,
                                   struct arena *arena, struct bronze_batch_state *out,
                                   struct assay_error *err) NODISCARD;

#endif
