/**
 * A batch that is a Delta table: the rows of the newest version that the batch's files hold, and no others.
 *
 * Column mapping, deletion vectors and partitions are honoured; what a table needs and assay does not know is refused
 * by name. Types become those that Parquet lands as.
 */
#ifndef BRONZE_DELTA_SOURCE_H
#define BRONZE_DELTA_SOURCE_H

#include "bronze/parquet.h"

/**
 * The table as it stands in the batch's folder.
 * @param[out] out  its data files and columns; the columns of each file are left out
 * @return OK; REFUSED a log or feature that cannot be read, a data file that is not of the batch or not of the size
 * that the log says, a column that cannot be taken; as store_get, engine_query
 */
enum assay_code delta_source_open(const struct bronze_input *in, struct arena *arena, struct delta_snapshot **table,
                                  struct parquet_batch *out, struct assay_error *err) NODISCARD;

/** Append a SELECT of all rows: the columns by name, `_source_file`, `_source_line` (number of the row in its data
 * file, deleted ones too, from 1). REFUSED as delta_source_open. */
enum assay_code delta_source_rows_sql(const struct delta_snapshot *table, const struct parquet_batch *batch,
                                      struct arena *arena, struct buf *sql, struct assay_error *err) NODISCARD;

#endif
