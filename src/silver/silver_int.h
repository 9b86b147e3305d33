/** What the parts of silver share. A load goes checked -> verdict -> quarantine -> gates -> grain -> merge. */
#ifndef SILVER_SILVER_INT_H
#define SILVER_SILVER_INT_H

#include "silver/silver.h"

#define VERDICT_TABLE "assay_verdict"     /* temp table: rows that need attention, see verdict.c */
#define REPEATED_TABLE "assay_repeated"   /* temp table: hashes of keys that occur more than once */
#define MET_TABLE "assay_met"             /* temp table: incoming rows that meet a row of silver */

/** A load under way. Everything lives in the run's arena. */
struct silver_load {
    const struct silver_input *in;
    struct arena *arena;
    struct str raw;           /* relation: the batch's rows in bronze */
    bool has_corrupt_bytes;   /* bronze has that column */
    bool has_repeated;        /* REPEATED_TABLE holds something */
    struct engine_files incoming; /* staged: the rows after checks and grain, as silver's data files */
    struct silver_result *out;
};

/* checked.c: the SQL of a row's way from bronze text to typed columns and answers */

/** The relation `(SELECT ...)` with, for contract column i: "_r<i>" raw text, "_c<i>" cleaned text, the typed value under its own name; lineage columns; for rule k
 * "_f<k>" BOOLEAN, never NULL: TRUE when the rule is broken; "_corrupt" and "_rejected"; "_n<i>" TRUE when the decimal was rounded; "_repeated" when asked for. */
void checked_sql(const struct silver_load *load, bool with_repeated, struct buf *sql);
/** Only the typed keys, under their names. */
void checked_keys_sql(const struct silver_load *load, struct buf *sql);
/** hash("k1", "k2", ...) of the grain keys. */
void checked_key_hash(const struct plan *plan, struct buf *sql);
/** Needs of the engine before checked_sql can run: decimals. */
enum assay_code checked_prepare(const struct silver_load *load, struct assay_error *err) NODISCARD;

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
enum assay_code gates_columns(struct silver_load *load, const struct delta_snapshot *bronze, struct assay_error *err) NODISCARD;

/* grain.c */
/** Find keys that occur more than once among the landed rows. */
enum assay_code grain_find_repeated(struct silver_load *load, struct assay_error *err) NODISCARD;
/** Write one row per key as load->incoming, checked against the table's constraints on the way. */
enum assay_code grain_write(struct silver_load *load, const struct delta_metadata *metadata, struct assay_error *err) NODISCARD;

/* table.c */
/** Metadata of a silver table made from the plan. */
struct delta_metadata *table_metadata(const struct plan *plan, struct arena *arena);
/**
 * Does the table still fit the plan? *changed is NULL, or the metadata with the plan's constraints, after the rows that are there were seen to pass.
 * @return OK; INVALID a column is absent or of another type (both sides shown); REFUSED rows of the table break a new constraint (how many)
 */
enum assay_code table_fit(const struct silver_load *load, const struct delta_snapshot *snapshot, struct delta_metadata **changed,
                          struct assay_error *err) NODISCARD;

/* merge.c */
enum assay_code merge_run(struct silver_load *load, struct assay_error *err) NODISCARD;
/** `(SELECT ...)` over load->incoming; an empty relation when there are no files. */
void merge_incoming_sql(const struct silver_load *load, struct buf *sql);

#endif
