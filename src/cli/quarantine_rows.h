/** What the commands over rejected rows share: the shape of a row, masking, checks of what was asked for. */
#ifndef CLI_QUARANTINE_ROWS_H
#define CLI_QUARANTINE_ROWS_H

#include "cli/cli.h"

/** Columns of silver_quarantine_each before and behind the raw values. */
enum { QUARANTINE_FIRST_RAW = 4, QUARANTINE_BEHIND_RAW = 2 };

/** What stands in the place of a personal value. Null and the empty text are shown: that there is none is no secret. */
#define CLI_MASK "***"
static inline struct str cli_mask(struct str value, bool is_masked) {
    return is_masked && value.len ? STR(CLI_MASK) : value;
}

/** Whether the raw value of a contract column is not for every eye: so are all of a corrupt row when one column is,
 * since nobody knows where in it that stands. `behind`: the row's columns behind the raw ones. */
bool quarantine_is_personal(const struct plan *plan, const struct engine_cell *behind, size_t column);

/** Why a corrupt row is one, appended; nothing for a row that is not. `behind`: the row's columns behind the raw ones.
 */
void quarantine_corrupt_reason(const struct plan *plan, const struct engine_cell *behind, struct buf *out);

/** A batch that has no rejected row must at least have been landed: a slip in its id would look like a clean batch.
 * @return OK; INVALID with the nearest id */
enum assay_code quarantine_check_batch(struct cli *cli, struct store *store, const struct plan *plan, struct str id,
                                       struct assay_error *err) NODISCARD;

#endif
