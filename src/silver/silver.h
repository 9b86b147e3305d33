/**
 * Silver: clean, cast, check; bad rows to quarantine with every reason; gates; one row per grain; a conditional MERGE.
 *
 * Order of durable steps: quarantine of the batch is replaced, then the gates are judged, then silver is merged. All
 * are single commits.
 */
#ifndef SILVER_SILVER_H
#define SILVER_SILVER_H

#include "bronze/bronze.h"

struct silver_input {
    struct store *store;
    struct engine *engine;
    struct staging *staging;
    const struct plan *plan;
    struct str batch_id;
    const struct bronze_result *bronze; /* what bronze holds of the batch */
    struct str user_metadata;           /* JSON for commitInfo */
    /** Rows that landed in the last good batches of the table, newest first, other batches than this one. */
    const int64_t *history;
    size_t history_count;
    bool is_let_through; /* a person accepts the batch: gates are measured and told, and let it pass */
};

/** How often a rule spoke. */
struct silver_rule_count {
    struct str id, reason;
    size_t column; /* plan column, or SIZE_MAX */
    int64_t count; /* of error rules: rejected rows with it; of warnings: accepted rows for which it is not TRUE */
    bool is_warning;
};

/** What a check of the batch measured. */
struct silver_check {
    const struct plan_check *check;
    int64_t count, total; /* rows, out of the rows that were looked at; VOLUME: of the average; AGE: seconds */
    bool is_measured;     /* false: there was nothing to compare with, and it passed */
    bool is_passed;
};

struct silver_rounded {
    size_t column;
    int64_t count;
};

/** What became of rows that a redrive judged again: what silver has now. */
struct silver_redriven {
    int64_t accepted;    /* a row of silver has their values */
    int64_t superseded;  /* it has their key with other values */
    int64_t quarantined; /* again */
    int64_t gone;        /* the batch does not have them any more */
};

struct silver_result {
    struct str gate, gate_detail; /* empty when all gates let the batch through, but for those a person overruled */
    struct str overruled; /* the first gate that would have refused a batch that is let through, with its detail */
    struct str gate_measured, gate_limit; /* texts */
    bool was_counted;                     /* counts below are known (not after the missing-column gate) */
    int64_t landed, corrupt, accepted, superseded, quarantined;
    int64_t inserted, updated, unchanged; /* after the merge */
    int64_t left_behind;
    struct silver_rule_count *rules; /* most frequent first; only those that spoke */
    size_t rule_count;
    struct silver_check *checks; /* all of the plan's, in its order */
    size_t check_count;
    struct silver_rounded *rounded; /* only columns with some */
    size_t rounded_count;
    bool is_written, is_quarantine_written;
    int64_t version, version_before; /* of silver; -1: no table */
    int64_t quarantine_version;
    struct silver_redriven redriven;
    struct str reference_versions; /* JSON: {"silver.customers": 12}; empty without references */
};

/** What was measured, as `12`, `4.3 % (12 of 280)` where the limit is a percentage, `3 d` of an age. */
struct str silver_check_text(const struct silver_check *check, struct arena *arena);

/** @return OK; REFUSED a gate (result filled as far as it was counted) or a constraint violated by a row; INVALID the
 * table does not fit the contract; as delta_commit */
enum assay_code silver_load(const struct silver_input *input, struct arena *arena, struct silver_result *out,
                            struct assay_error *err) NODISCARD;

/** Rows of quarantine for people and JSON, in order of batch, file and line. */
struct quarantine_query {
    struct str batch_id;     /* empty: all */
    struct str reason, rule; /* only rows with that reason, that rule among theirs; empty: any */
    size_t limit;            /* 0: none */
};
/** columns: _batch_id, _source_file, _source_line, _reject_reason, then raw_<column>..., _corrupt_record and
 * _corrupt_bytes in hex; the row function as engine_query_each. No such table yet: no rows. */
enum assay_code silver_quarantine_each(struct store *store, struct engine *engine, const struct plan *plan,
                                       const struct quarantine_query *query, engine_row_fn *row, void *context,
                                       struct assay_error *err) NODISCARD;

/** Batches that have rows in quarantine, or a redrive that was not finished; by id. */
enum assay_code silver_redrive_batches(struct store *store, struct engine *engine, const struct plan *plan,
                                       struct arena *arena, struct str **out, size_t *count,
                                       struct assay_error *err) NODISCARD;
/** Before the silver_load that redrives the batch: note its rejected rows, of which the load then says what became.
 * input->bronze is not used. */
enum assay_code silver_redrive_begin(const struct silver_input *input, struct arena *arena,
                                     struct assay_error *err) NODISCARD;

enum quarantine_group { QUARANTINE_BY_BATCH, QUARANTINE_BY_REASON, QUARANTINE_BY_COLUMN };
/**
 * How many rows quarantine holds, a row a group: `table`; then `batch`, or `reason`, `rule` and `column` (a row with
 * several counts for each), or `column` ('': corrupt rows and rules over the row); `rows`; of batches `corrupt`, else
 * `batches`; `files`; `first_at` and `last_at`. No such table yet: no rows and no columns.
 */
enum assay_code silver_quarantine_count(struct store *store, struct engine *engine, const struct plan *plan,
                                        enum quarantine_group group, size_t rows_max, struct arena *arena,
                                        struct engine_result *out, struct assay_error *err) NODISCARD;

/** A row of bronze of which a row of silver is made, or that lost to that one. */
struct silver_origin {
    size_t row; /* "=n" of the row of silver */
    struct str source_file;
    int64_t source_line, loaded_at_us;
    bool is_row;   /* the row is made of it */
    bool is_equal; /* its contract columns are those of the row */
    int64_t total; /* rows of this grain in the batch, rejected ones aside; of those that lost the first ten are told */
};
/**
 * Where rows of silver come from, by batch and grain.
 * @param input   store, engine, plan and batch_id
 * @param silver  its columns
 * @param traced  a table of the engine: rows of silver and their number "=n"; those of the batch are looked at
 * @return OK; as delta_snapshot_load of bronze and quarantine
 */
enum assay_code silver_origins(const struct silver_input *input, const struct delta_schema *silver, struct str traced,
                               size_t row_count, struct arena *arena, struct silver_origin **out, size_t *count,
                               struct assay_error *err) NODISCARD;

#endif
