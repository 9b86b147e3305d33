/*
 * The engine's errors as ours.
 *
 * 1. An error of our own callback (a source, a pattern) reaches the caller with its code and message, though DuckDB
 * carries only text.
 * 2. An interrupt wins over every other error that it may have caused.
 * 3. The text never shows the SQL, unless ASSAY_TEST_SQL is set: it is printed by us and says nothing to the user.
 */
#include "engine/engine_int.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    duckdb_error_type type;
    const char *text; /* NULL: any */
    enum assay_code code;
} RULES[] = {
    {DUCKDB_ERROR_OUT_OF_MEMORY, NULL, ASSAY_LIMIT},
    {DUCKDB_ERROR_PERMISSION, NULL, ASSAY_DENIED},
    {DUCKDB_ERROR_IO, "No space left", ASSAY_DENIED},
    {DUCKDB_ERROR_IO, "File too large", ASSAY_DENIED},
    {DUCKDB_ERROR_IO, "Permission denied", ASSAY_DENIED},
    {DUCKDB_ERROR_IO, "Read-only file system", ASSAY_DENIED},
    {DUCKDB_ERROR_IO, "No files found", ASSAY_NOT_FOUND},
    {DUCKDB_ERROR_IO, "No such file", ASSAY_NOT_FOUND},
    {DUCKDB_ERROR_IO, NULL, ASSAY_UNAVAILABLE},
    {DUCKDB_ERROR_INVALID_INPUT, "magic bytes", ASSAY_CORRUPT},
    {DUCKDB_ERROR_INVALID_INPUT, "too small to be a Parquet file", ASSAY_CORRUPT},
};

static enum assay_code code_of(duckdb_error_type type, const char *text) {
    for (size_t i = 0; i < sizeof RULES / sizeof RULES[0]; i++)
        if (RULES[i].type == type && (!RULES[i].text || strstr(text, RULES[i].text))) return RULES[i].code;
    return ASSAY_INTERNAL;
}

enum assay_code failure_begin(struct engine *engine, struct assay_error *err) {
    if (atomic_load(&engine->is_interrupted)) return error_set(err, ASSAY_INTERRUPTED, NULL, "stopped by a signal");
    pthread_mutex_lock(&engine->lock);
    engine->failure = (struct assay_error){0};
    pthread_mutex_unlock(&engine->lock);
    return ASSAY_OK;
}

void failure_keep(struct engine *engine, const struct assay_error *failure) {
    pthread_mutex_lock(&engine->lock);
    if (engine->failure.code == ASSAY_OK) engine->failure = *failure;
    pthread_mutex_unlock(&engine->lock);
}

enum assay_code failure_report(struct engine *engine, duckdb_error_type type, const char *text, const char *sql,
                               struct assay_error *err) {
    if (type == DUCKDB_ERROR_INTERRUPT || atomic_load(&engine->is_interrupted))
        return error_set(err, ASSAY_INTERRUPTED, NULL, "stopped by a signal");
    pthread_mutex_lock(&engine->lock);
    struct assay_error failure = engine->failure;
    pthread_mutex_unlock(&engine->lock);
    if (failure.code != ASSAY_OK) {
        if (err) *err = failure;
        return failure.code;
    }
    if (!text) text = "no message";
    const char *more = strstr(text, "\n\n"); /* the statement, or advice about settings that are ours */
    int shown = more ? (int)(more - text) : (int)strnlen(text, 1024);
    if (getenv("ASSAY_TEST_SQL")) return error_set(err, code_of(type, text), NULL, "%s\n%s", text, sql);
    const char *next = type == DUCKDB_ERROR_OUT_OF_MEMORY
                           ? "\nnext: give it more memory (--memory SIZE), or fewer threads (--threads N)"
                           : "";
    return error_set(err, code_of(type, text), NULL, "the SQL engine: %.*s%s", shown, text, next);
}
