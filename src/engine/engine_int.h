/**
 * What the files of the engine share. No other module includes it.
 */
#ifndef ENGINE_ENGINE_INT_H
#define ENGINE_ENGINE_INT_H

#include "engine/engine.h"
#include "engine/vector.h"

#include <duckdb.h>
#include <pthread.h>
#include <stdatomic.h>

struct engine {
    duckdb_database database;
    duckdb_connection connection;
    int threads;
    struct arena arena;         /* lives as long as the engine: registered sources, names */
    atomic_bool is_interrupted; /* once set, it stays */
    pthread_mutex_t lock;       /* of failure */
    struct assay_error failure; /* first error of our own code inside the running statement */
    struct keys *keys;          /* see key_functions.c */
    struct row_tests *row_tests;
    struct str *folders; /* as given */
    size_t folder_count;
    uint64_t decimals[39]; /* bit s of [p]: spark_decimal_<p>_<s> is registered */
};

/* ---- errors (failure.c) ---- */

/** Forget the failure of the last statement; INTERRUPTED if the engine is interrupted. Call before every statement. */
enum assay_code failure_begin(struct engine *engine, struct assay_error *err) NODISCARD;
/** Keep an error of a callback until its statement ends; the first one wins. */
void failure_keep(struct engine *engine, const struct assay_error *failure);
/** The error of a statement that ended with `type` and `text`, or of the callback that made it fail. */
enum assay_code failure_report(struct engine *engine, duckdb_error_type type, const char *text, const char *sql,
                               struct assay_error *err);

/* ---- statements (query.c) ---- */

/** Run statements to their end. `result`, of the last one, may be NULL; else it is the caller's to destroy when OK.
 * `sql` ends with NUL. */
enum assay_code statement_run(struct engine *engine, const char *sql, duckdb_result *result,
                              struct assay_error *err) NODISCARD;
/** Check and plan one statement without running it; the caller destroys *out when OK. */
enum assay_code statement_prepare(struct engine *engine, const char *sql, duckdb_prepared_statement *out,
                                  struct assay_error *err) NODISCARD;

/* ---- SQL text (sql.c) ---- */

/** 'path' as a pattern that only the path matches. */
void sql_path(struct buf *sql, struct str path);

/* ---- values (value.c) ---- */

/** One value as text, added to `out`; `row` is not NULL. UNSUPPORTED types without a text. */
enum assay_code value_print(struct buf *out, duckdb_logical_type type, duckdb_vector vector, idx_t row,
                            struct assay_error *err) NODISCARD;
/** Shortest digits that read back equal; `NaN`, `Infinity`, `-Infinity`; a whole number ends with `.0`. */
void value_print_double(struct buf *out, double value);
void value_print_float(struct buf *out, float value);

/* ---- the machine (machine.c) ---- */

struct machine {
    int64_t memory_total; /* bytes this process may ever use */
    int64_t memory_free;  /* bytes it can have now */
    int threads;
};
/** `root` is "" for the running system; a test gives a folder with proc/ and sys/. */
struct machine machine_limits(const char *root);

/* ---- functions (cast_functions.c, text_functions.c, pattern_functions.c, key_functions.c) ---- */

enum assay_code cast_functions_add(struct engine *engine, struct assay_error *err) NODISCARD;
enum assay_code text_functions_add(struct engine *engine, struct assay_error *err) NODISCARD;
enum assay_code pattern_functions_add(struct engine *engine, struct assay_error *err) NODISCARD;
enum assay_code key_functions_add(struct engine *engine, struct assay_error *err) NODISCARD;
void key_functions_close(struct engine *engine);
/* row_tests.c */
void row_tests_open(struct engine *engine);
void row_tests_close(struct engine *engine);

/** A function to register: parameters are given type ids, ended by DUCKDB_TYPE_INVALID. */
struct function {
    const char *name;
    duckdb_type parameters[4];
    duckdb_type returns;
    duckdb_logical_type returns_type; /* instead of `returns`, when not NULL */
    duckdb_scalar_function_t run;
    duckdb_scalar_function_bind_t bind; /* may be NULL */
    bool is_volatile;                   /* evaluated once for each row and place in the SQL, and where it stands */
    void *extra;                        /* borrowed; outlives the engine's statements */
};
/** Register it. Its NULLs are its own. */
enum assay_code function_add(struct engine *engine, const struct function *function, struct assay_error *err) NODISCARD;

/** DuckDB's timestamps begin at -290308-12-22 00:00:00; Spark's four hours before it would fail the statement that
 * prints or writes them, so they are NULL: one bad value costs one row. */
static inline bool engine_is_instant(int64_t us) { return us >= INT64_C(-9223372022400000000); }

/* ---- statistics of written files (write_stats.c) ---- */

struct write_column {
    struct str name;
    duckdb_type type;
};
/** Files and statistics from the rows of a COPY with RETURN_STATS. */
enum assay_code write_stats_read(struct engine *engine, duckdb_result *result, const struct write_column *columns,
                                 size_t column_count, struct arena *arena, struct engine_files *out,
                                 struct assay_error *err) NODISCARD;

#endif
