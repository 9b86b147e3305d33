/**
 * The embedded SQL engine: the only module that knows DuckDB. One engine is one in-memory database with one connection.
 *
 * It reads and writes files only in the folders it was given, loads no extension, reaches no network, is set to UTC and
 * to the machine's own limits (cgroup aware). SQL comes from our printers, never from a user's text unparsed.
 *
 * SQL functions it adds. All give NULL for NULL, none fails on a value (texts must be valid UTF-8, as bronze's are):
 *
 * - Spark 3.5's try_cast of a VARCHAR: spark_date, spark_timestamp (TIMESTAMPTZ), spark_timestamp_ntz (TIMESTAMP),
 *   spark_tinyint, spark_smallint, spark_int, spark_bigint, spark_float, spark_double, spark_boolean.
 * - spark_decimal_<p>_<s>(VARCHAR) DECIMAL(p, s): HALF_UP; made by engine_need_decimal at first need.
 * - spark_decimal_exact(VARCHAR, scale INT) BOOLEAN: whether a cast to that scale changes nothing.
 * - spark_to_date(VARCHAR, format), spark_to_timestamp(VARCHAR, format): Spark's pattern, CORRECTED; format constant.
 * - plain_number(VARCHAR, decimal separator, thousands separator) VARCHAR: a number as the casts read it; NULL where
 * the separators do not stand as in a number. Separators constant, the second may be ''.
 * - spark_trim: 0x20 only, both ends. spark_upper, spark_lower: Java's, root locale.
 * - java_regexp_find(VARCHAR, pattern) BOOLEAN: see base/regex.h; pattern constant. NULL where the match needs too many
 *   steps.
 * - spark_get_json_object(VARCHAR, path) VARCHAR: see base/json_path.h; path constant.
 * - key_is_repeated(UBIGINT) BOOLEAN: see engine_find_repeated. as_computed(BOOLEAN): its argument, and a fence: a
 * filter on it stays above the projection that computes it, so what stands below is evaluated once.
 * - and the table functions that other modules register through engine_add_source.
 */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include "base/str.h"

struct engine;

struct engine_options {
    int64_t memory_bytes;      /* 0: half of what machine and cgroup allow, at most 80 % of the free, at least 256 MB */
    int threads;               /* 0: as many as the process may use */
    struct str temp_folder;    /* spill files; removed at close if the engine made it. Must exist */
    const struct str *folders; /* the only folders whose files may be read or written (with temp_folder) */
    size_t folder_count;
};

/** @return OK; UNSUPPORTED the library is not the pinned version; INTERNAL. Costs about 30 ms. */
enum assay_code engine_open(const struct engine_options *options, struct engine **out,
                            struct assay_error *err) NODISCARD;
void engine_close(struct engine **engine);

/**
 * Run statements whose rows nobody wants.
 * @return INTERRUPTED after engine_interrupt; LIMIT out of memory; NOT_FOUND, CORRUPT a file; DENIED no space, no
 *         permission, or outside of the folders; UNAVAILABLE other I/O; the code of a failing source or pattern;
 *         INTERNAL all else. The SQL is not shown unless ASSAY_TEST_SQL is set.
 */
enum assay_code engine_run(struct engine *engine, struct str sql, struct assay_error *err) NODISCARD;

/** A small result, whole in the arena. Values are text as engine_query_each gives it, NULL has is_null. */
struct engine_cell {
    bool is_null;
    struct str text;
};
struct engine_result {
    size_t row_count, column_count;
    struct str *columns;       /* names */
    struct engine_cell *cells; /* row by row */
};
/** More than rows_max rows is LIMIT. */
enum assay_code engine_query(struct engine *engine, struct str sql, size_t rows_max, struct arena *arena,
                             struct engine_result *out, struct assay_error *err) NODISCARD;
static inline const struct engine_cell *engine_cell_at(const struct engine_result *r, size_t row, size_t column) {
    return &r->cells[row * r->column_count + column];
}
/** The cell as an integer; NULL and anything else that is no integer give `otherwise`. */
int64_t engine_cell_int(const struct engine_cell *cell, int64_t otherwise);

/**
 * Rows one after another, streamed. The row's texts are valid during the call, which must not use the engine. A row
 * function that returns not OK ends the query with that code. Text of values: integers plain; decimal with its scale;
 * double shortest; boolean true/false; DATE and TIMESTAMP(TZ) as Spark prints them (UTC, `2024-01-05 12:30:45.5`); BLOB
 * as lower-case hex; LIST, STRUCT and MAP as JSON.
 */
typedef enum assay_code engine_row_fn(void *context, const struct engine_cell *cells, size_t column_count,
                                      struct assay_error *err);
enum assay_code engine_query_each(struct engine *engine, struct str sql, engine_row_fn *row, void *context,
                                  struct assay_error *err) NODISCARD;

/**
 * A question about a row by its place, asked of C code in SQL: `<name>(file BIGINT, row BIGINT)` BOOLEAN.
 * open gives what answers for a file, or NULL when the answer is false for every row of it. It is used by one thread at
 * a time and may be open more than once; at most two a thread of the engine are open. close must not need the context.
 */
struct engine_row_test {
    void *context; /* borrowed; outlives every statement that names the test */
    enum assay_code (*open)(void *context, int64_t file, void **opened, struct assay_error *err);
    void (*test)(const void *opened, const int64_t *rows, size_t count, bool *answers);
    void (*close)(void *opened);
};
/** Register it until the engine is closed, under a new name. An error of open ends the statement with its code. */
enum assay_code engine_add_row_test(struct engine *engine, const struct engine_row_test *test, struct arena *arena,
                                    struct str *name, struct assay_error *err) NODISCARD;

/** The folders that the engine was opened with. */
const struct str *engine_folders(const struct engine *engine, size_t *count);

/** Stop the running statement from a signal handler or another thread; it and every later one end with INTERRUPTED. */
void engine_interrupt(struct engine *engine);

/** Make spark_decimal_<p>_<s> exist. 1 <= precision <= 38, 0 <= scale <= precision. */
enum assay_code engine_need_decimal(struct engine *engine, int precision, int scale, struct assay_error *err) NODISCARD;

/** SQL text: "name" with its quotes doubled; 'text' with its quotes doubled (NUL bytes written as chr(0)). */
void engine_sql_name(struct buf *sql, struct str name);
void engine_sql_text(struct buf *sql, struct str text);
/** The list of files `['...', ...]` by exact name: `* ? [` are escaped. */
void engine_sql_paths(struct buf *sql, const struct str *paths, size_t count);
/** read_parquet([...], hive_partitioning=false, ...extra) over files by exact name. `extra` is SQL
 * such as "union_by_name=true, filename=true, file_row_number=true" or "". */
void engine_sql_parquet(struct buf *sql, const struct str *paths, size_t count, const char *extra);

/**
 * Find the hashes that occur more than once among the rows of a SELECT with one column, UBIGINT without NULL. After it
 * SQL may ask key_is_repeated(hash), which answers for the last call. 8 bytes of memory a row, at most 256 MiB: more
 * rows are read in several passes.
 * @param row_count  about how many rows there are
 * @param found  how many hashes occur more than once
 */
enum assay_code engine_find_repeated(struct engine *engine, struct str select, int64_t row_count, int64_t *found,
                                     struct assay_error *err) NODISCARD;

/* ---- rows in, files and their exact statistics out ---- */

struct engine_column_stats {
    struct str name;
    int64_t null_count;  /* -1: not known (lists, structs and maps) */
    bool has_bounds;     /* false: all null, or of a type without bounds (nested, binary), NaN or an infinity among the
                          * values, a text of more than 256 bytes at either end, or a whole row group of nulls */
    struct str min, max; /* text as engine_query_each gives; strings in full and exact; a zero of floating point is -0.0
                            as min, 0.0 as max */
};
struct engine_file {
    struct str path; /* staged file */
    int64_t row_count, size_bytes;
    struct engine_column_stats *columns; /* top-level columns, in file order */
    size_t column_count;
    int64_t part; /* of a write in parts: what the rows had in the last column */
};
struct engine_files {
    struct engine_file *files;
    size_t count;
    int64_t row_count;
};
struct engine_write_options {
    int64_t file_bytes; /* target size of a file; 0: 128 MiB */
    bool keep_order; /* rows in the order of the query, into files in the order of their names; written by one thread */
    struct str field_ids; /* COPY's FIELD_IDS, `{"a": 1, ...}`; empty: none */
    bool in_parts; /* the last column, an integer and never NULL, is not written: rows that differ in it go to different
                      files. file_bytes is of no effect then */
};
/**
 * Write the rows of a SELECT as Parquet (zstd 1, V1 pages, timestamps INT64 micros UTC) to `<path_prefix>-<n>.parquet`,
 * n with five digits. No rows, no files; after an error no file either. path_prefix lies in one of the engine's
 * folders; `<path_prefix>.writing` must not exist.
 * @return UNSUPPORTED a column has a type that no Delta table has (HUGEINT, unsigned, TIME, UUID...); as engine_run
 */
enum assay_code engine_write_parquet(struct engine *engine, struct str select, struct str path_prefix,
                                     const struct engine_write_options *options, struct arena *arena,
                                     struct engine_files *out, struct assay_error *err) NODISCARD;

/* ---- rows made by C code, as a table function ---- */

/** Where a source puts its rows: column-major, at most `capacity` rows a call. */
struct engine_sink {
    void *columns; /* the engine's own */
    size_t capacity;
    size_t row_count; /* set by the source */
};
/** Put a value into the sink. `bytes` are copied (UTF-8 for VARCHAR columns, anything for BLOB). */
void engine_sink_text(struct engine_sink *sink, size_t column, size_t row, struct str bytes);
void engine_sink_null(struct engine_sink *sink, size_t column, size_t row);
void engine_sink_int64(struct engine_sink *sink, size_t column, size_t row,
                       int64_t value); /* BIGINT and TIMESTAMPTZ columns */

/**
 * A source of rows: shared state made by the caller, one worker per engine thread.
 * Shape: fill() is called with a worker until it leaves sink->row_count at 0. Workers run in parallel; they share
 * `source` as they see fit. Errors: a function returning not OK ends the statement, whose caller gets that code and
 * message.
 */
struct engine_source {
    void *source; /* borrowed; must outlive the statement */
    size_t column_count;
    const struct str *column_names;
    const char *const *column_types; /* "VARCHAR", "BIGINT", "BLOB", "TIMESTAMPTZ" */
    int workers_max;
    enum assay_code (*open_worker)(void *source, void **worker, struct assay_error *err);
    enum assay_code (*fill)(void *source, void *worker, struct engine_sink *sink, struct assay_error *err);
    void (*close_worker)(void *source, void *worker);
};
/** Make `SELECT ... FROM <name>()` read from the source; registered again under a new name for each use. */
enum assay_code engine_add_source(struct engine *engine, struct str name, const struct engine_source *source,
                                  struct assay_error *err) NODISCARD;

#endif
