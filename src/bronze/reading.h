/** How the files of a batch are read, by their format: what is known before a row is, and the rows. */
#ifndef BRONZE_READING_H
#define BRONZE_READING_H

#include "bronze/bronze_int.h"
#include "bronze/delta_source.h"
#include "bronze/json.h"
#include "bronze/parquet.h"

struct reading {
    const struct bronze_input *in;
    struct bronze_file *files;
    struct arena *arena;
    struct bronze_columns columns;
    struct csv_dialect dialect;   /* CSV */
    struct json_settings json;    /* JSON */
    struct parquet_batch parquet; /* Parquet; the data files and columns of a Delta table */
    struct delta_snapshot *table; /* Delta */
    bool is_refused;              /* the rows could not be read because of what a file holds */
};

/** The settings of JSON in a contract. */
struct json_settings reading_json_settings(const struct contract_source *source);

/**
 * Look at every file's header or schema, or the table's log, and know the batch's columns.
 * @param files  of the batch, borrowed
 * @return OK; REFUSED the columns are not what the contract says (file and column named); as header_check,
 * parquet_open, delta_source_open
 */
enum assay_code reading_open(struct reading *r, const struct bronze_input *in, struct bronze_file *files,
                             struct arena *arena, struct assay_error *err) NODISCARD;

/**
 * Fit the columns to the bronze table (NULL: there is none yet): JSON learns the columns that came earlier, typed
 * ones take the table's types where they hold the files' values. A column that does not fit is refused by
 * bronze_match_fields.
 */
void reading_fit(struct reading *r, const struct delta_snapshot *table);

/**
 * Write the batch's rows as staged files.
 * @param[out] is_whole  false: the files have columns that were not known, which are among r->columns now; write again
 * @return OK; REFUSED with r->is_refused, a file that cannot be read to its end (which, and why); as delta_write_files
 */
enum assay_code reading_write(struct reading *r, const struct delta_metadata *metadata, int64_t loaded_at_us,
                              bool with_bytes, struct delta_new_files *files, struct bronze_findings *findings,
                              bool *is_whole, struct assay_error *err) NODISCARD;

#endif
