/** What the parts of silver share. A load goes checked -> verdict -> quarantine -> gates -> grain -> match -> merge. */
#ifndef SILVER_SILVER_INT_H
#define SILVER_SILVER_INT_H

#include "silver/silver.h"

#define VERDICT_TABLE "assay_verdict"   /* temp table: rows that need attention, see verdict.c */
#define INCOMING_TABLE "assay_incoming" /* temp table: a small batch after checks and grain */
#define MET_TABLE "assay_met"           /* temp table: incoming rows that meet a row of silver, see match.c */

/* Columns of these tables that are none of silver's begin with '=', which no column of a contract has in its name. */
#define INCOMING_PLACE "\"=n\"" /* BIGINT: tells incoming rows apart */

/** Batches of at most so many rows are kept whole in VERDICT_TABLE: one evaluation of the checks serves all steps. */
enum { SMALL_BATCH_ROWS = 65536 };

/** The rows after checks and grain. */
struct incoming {
    bool is_table;                         /* in INCOMING_TABLE, else in files */
    struct delta_new_files files;          /* staged, as silver's data files */
    const struct delta_metadata *metadata; /* with which they were written */
    int64_t row_count;
};

/** A load under way. Everything lives in the run's arena. */
struct silver_load {
    const struct silver_input *in;
    struct arena *arena;
    const struct delta_snapshot *bronze; /* once loaded, at the version that is read */
    struct str raw;                      /* relation: the batch's rows in bronze */
    bool has_corrupt_bytes;              /* bronze has that column */
    const struct type *source_types;     /* of the source columns in bronze; a text but for Parquet */
    bool keeps_all;                      /* VERDICT_TABLE holds every row, and every accepted row's typed values */
    bool has_repeated;                   /* key_is_repeated() is true of some keys; of no interest when keeps_all */
    struct incoming incoming;
    struct silver_result *out;
};

/* checked.c: the SQL of a row's way from bronze text to typed columns and answers */

/**
 * The relation `(SELECT ...)` with, for contract column i: "=r<i>" raw text, "=c<i>" cleaned text, the typed value
 * under its own name; lineage columns; for rule k "=f<k>" BOOLEAN, never NULL: TRUE when the rule is broken; "=corrupt"
 * and "=rejected"; "=n<i>" TRUE when the decimal was rounded; "=repeated": the row's key may occur again in the batch.
 */
void checked_sql(const struct silver_load *load, struct buf *sql);
/** SELECT of hash(keys) of every row. */
void checked_hashes_sql(const struct silver_load *load, struct buf *sql);
/** Whether the check is measured by checked_checks_sql. */
bool checked_measures_rows(const struct plan_check *check);
/** SELECT of one number for each such check, over the rows that can be read: a count, or for AGE the newest value in
 * seconds since the epoch, NULL if there is none. */
void checked_checks_sql(const struct silver_load *load, struct buf *sql);
/** What the printed SQL of an expression needs of the engine; e may be NULL. */
enum assay_code checked_need(const struct silver_load *load, const struct expr *e, struct assay_error *err) NODISCARD;
/** Needs of the engine before checked_sql can run: decimals. */
enum assay_code checked_prepare(const struct silver_load *load, struct assay_error *err) NODISCARD;

/* typed.c: columns of bronze that are no text */
/** After load->raw is known: it gets the values as text under their names, and typed ones as "=v<source column>" too.
 * @return OK; REFUSED (column_type) a column whose values would have to change to become the contract's */
enum assay_code typed_prepare(struct silver_load *load, const struct delta_snapshot *bronze,
                              struct assay_error *err) NODISCARD;
/** Whether contract column i is read from text. */
bool typed_is_text(const struct silver_load *load, size_t i);
/** Whether contract column i is cast from "=v<source>" as it is, by typed_cast_sql over layer t. */
bool typed_is_direct(const struct silver_load *load, size_t i);
void typed_cast_sql(const struct silver_load *load, size_t i, struct buf *sql);

/* verdict.c */
enum assay_code verdict_make(struct silver_load *load, struct assay_error *err) NODISCARD;
/** Counts into load->out, and missing[i] for each contract column (rows without a value). */
enum assay_code verdict_count(struct silver_load *load, int64_t *missing, struct assay_error *err) NODISCARD;

/* quarantine.c */
enum assay_code quarantine_write(struct silver_load *load, struct assay_error *err) NODISCARD;

/* gates.c */
/** @return OK, or REFUSED with out->gate, gate_detail, gate_measured and gate_limit set */
enum assay_code gates_judge(struct silver_load *load, const int64_t *missing, struct assay_error *err) NODISCARD;
/** missing_column: a source column that bronze does not have. */
enum assay_code gates_columns(struct silver_load *load, const struct delta_snapshot *bronze,
                              struct assay_error *err) NODISCARD;

/* checks.c */
/** Measure the contract's checks of the batch into load->out->checks. After verdict_count. */
enum assay_code checks_measure(struct silver_load *load, struct assay_error *err) NODISCARD;

/* grain.c */
/** SELECT of the rows that would go to silver: accepted ones, one per key. */
void grain_taken_sql(const struct silver_load *load, struct buf *sql);
/** Find keys that occur more than once among the landed rows. */
enum assay_code grain_find_repeated(struct silver_load *load, struct assay_error *err) NODISCARD;
/**
 * Make load->incoming: one row per key. As files they are checked against the table's constraints on the way;
 * `as_table` is for small batches that a merge only looks at. incoming.row_count is known for files only.
 */
enum assay_code grain_take(struct silver_load *load, const struct delta_metadata *metadata, bool as_table,
                           struct assay_error *err) NODISCARD;
/** The columns of silver that a batch brings: the contract's and lineage, `<prefix>"a", <prefix>"b"`. */
void grain_columns(const struct plan *plan, const char *prefix, struct buf *sql);

/* table.c */
/** Metadata of a silver table made from the plan. */
struct delta_metadata *table_metadata(const struct plan *plan, struct arena *arena);
/**
 * Does the table still fit the plan? *changed is NULL, or the metadata with the plan's constraints, after the rows that
 * are there were seen to pass.
 * @return OK; INVALID a column is absent or of another type (both sides shown); REFUSED rows of the table break a new
 * constraint (how many)
 */
enum assay_code table_fit(const struct silver_load *load, const struct delta_snapshot *snapshot,
                          struct delta_metadata **changed, struct assay_error *err) NODISCARD;

/* match.c: which incoming rows meet rows of the table, and what becomes of them */

struct match {
    struct silver_load *load;
    const struct delta_snapshot *snapshot;
    struct delta_range *ranges; /* of the incoming keys */
    size_t range_count;
    size_t *candidates; /* files that may hold an incoming key */
    size_t candidate_count;
    size_t *touched; /* files in which a row is updated */
    size_t touched_count;
    int64_t met, updated, unchanged, older;
    int64_t delivered; /* rows of this batch that the table has, as they are or updated now */
};

/** Fill MET_TABLE and the counts. REFUSED: a key that the table holds more than once. */
enum assay_code match_run(struct match *m, struct assay_error *err) NODISCARD;
/** The touched files' rows that stay, as SELECT. */
enum assay_code match_kept_sql(const struct match *m, struct buf *sql, struct assay_error *err) NODISCARD;
/** The incoming rows that are inserted or updated, as SELECT, with the table's values of columns that the contract does
 * not know. */
enum assay_code match_changed_sql(const struct match *m, struct buf *sql, struct assay_error *err) NODISCARD;
/** What becomes of rows, for the change feed, as SELECT; only if some are updated. */
enum assay_code match_changes_sql(const struct match *m, struct buf *sql, struct assay_error *err) NODISCARD;
/** `a."k1" = b."k1" AND ...` */
void match_keys_sql(const struct plan *plan, const char *a, const char *b, struct buf *sql);

/* merge.c */
enum assay_code merge_run(struct silver_load *load, struct assay_error *err) NODISCARD;

/* redrive.c */
/** Say what became of the batch's rows that a redrive noted. Last of a load. */
enum assay_code redrive_end(struct silver_load *load, struct assay_error *err) NODISCARD;

#endif
