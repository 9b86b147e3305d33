/**
 * Parquet, typed as it is: the columns that a batch's files have together, and their rows as SQL.
 *
 * Types become the next type that a Delta table has and that holds every value: unsigned numbers the next wider signed
 * one, UUID, enum and JSON string, INT96 timestamp, float16 float. What no Delta table has (time of day, intervals,
 * decimals over 38 digits) and what the engine would cut (nanoseconds) is refused by name.
 */
#ifndef BRONZE_PARQUET_H
#define BRONZE_PARQUET_H

#include "bronze/bronze_int.h"

/** A column as the files of a batch have it together. */
struct parquet_column {
    struct str name;      /* as the first file that has it spells it */
    struct str type_json; /* as in a Delta schema, `"string"`; empty: only nulls, which have no type */
    struct str file;      /* key of the file that gave it the type */
};

struct parquet_field; /* a column of one file */
struct parquet_batch {
    const struct bronze_file *files;
    size_t file_count;
    struct parquet_column *columns;
    size_t column_count;
    struct parquet_field **fields; /* of each file; private, as their number */
    size_t *field_counts;
};

/**
 * What the files have: each column in the widest type that it has in one of them.
 * @param files  borrowed
 * @return OK; REFUSED no Parquet file, a damaged or encrypted one, a column that cannot be taken, or that has types
 * which no type holds (file, column and types named); as engine_query
 */
enum assay_code parquet_open(struct engine *engine, const struct bronze_file *files, size_t count, struct arena *arena,
                             struct parquet_batch *out, struct assay_error *err) NODISCARD;

/** OK; REFUSED a value that no column of a Delta table can hold (file, column, first row); as engine_query. */
enum assay_code parquet_check_values(struct engine *engine, const struct parquet_batch *batch, struct arena *arena,
                                     struct assay_error *err) NODISCARD;

/** Append a SELECT of all rows: the columns by name, `_source_file`, `_source_line` (number of the row in its file,
 * from 1). */
void parquet_rows_sql(const struct parquet_batch *batch, struct buf *sql);

/**
 * What an error of the statement that read the rows came from: a damaged file is found and named.
 * @return rc, or REFUSED
 */
enum assay_code parquet_blame(struct engine *engine, const struct parquet_batch *batch, enum assay_code rc,
                              struct assay_error *err) NODISCARD;

/**
 * The engine's name of a type, `STRUCT(x INTEGER)[]`, as Delta schema JSON.
 * @param is_instant  TIMESTAMP is an instant (INT96), not a wall time
 * @return false: no Delta table has it; *refused is the part that is the reason
 */
bool parquet_type_delta(struct str engine_type, bool is_instant, struct buf *json, struct str *refused);
/** The narrowest type that holds every value of both, as Delta schema JSON; ptr NULL if there is none. */
struct str parquet_type_join(struct str a, struct str b, struct arena *arena);

#endif
