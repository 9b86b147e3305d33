/**
 * A user's SQL over the lake's Delta tables, which can only read.
 *
 * The text is one SELECT (WITH, VALUES, DESCRIBE too). Tables are `schema.table`, case ignored, each at one version:
 * the newest, or the one that `schema.table@v12` or `schema.table@2026-04-05` names (UTC; the state at that moment).
 * No file is named in it: functions that read files, and every other statement, are refused before anything runs; the
 * engine, which is locked to the lake, refuses them a second time.
 */
#ifndef QUERY_QUERY_H
#define QUERY_QUERY_H

#include "delta/delta.h"

/** A table of the query as it stands in it. */
struct query_table {
    struct str schema, name; /* as written; schema empty: name holds both, in one pair of quotes */
    const struct delta_snapshot *snapshot;
};

struct query_column {
    struct str name, type; /* the engine's type */
};

struct query {
    struct str sql; /* what the engine runs */
    struct query_table *tables;
    size_t table_count;
    struct query_column *columns;
    size_t column_count;
};

/**
 * Key of the folder of a lake's table, `Tables/<schema>/<table>`, by its name in any case.
 * @return OK; INVALID no such name, or no such table: the nearest name is told
 */
enum assay_code query_table_find(struct store *store, struct str name, struct arena *arena, struct str *root,
                                 struct assay_error *err) NODISCARD;

/**
 * Check the text, load the tables it names and make them known to the engine, in the place of an earlier query's.
 * @return OK; INVALID it is no single SELECT, or the engine does not understand it; NOT_FOUND a table or version;
 *         as delta_snapshot_load
 */
enum assay_code query_open(struct store *store, struct engine *engine, struct str sql, struct arena *arena,
                           struct query *out, struct assay_error *err) NODISCARD;

/** Its rows, streamed, as engine_query_each gives them. INVALID when the text fails over the rows. */
enum assay_code query_each(struct engine *engine, const struct query *query, engine_row_fn *row, void *context,
                           struct assay_error *err) NODISCARD;

/** Its rows as one Parquet file; path_prefix as in engine_write_parquet. Types that Delta does not have become the
 * nearest that it has. */
enum assay_code query_write_parquet(struct engine *engine, const struct query *query, struct str path_prefix,
                                    struct arena *arena, struct engine_files *out, struct assay_error *err) NODISCARD;

#endif
