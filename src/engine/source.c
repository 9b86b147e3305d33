/*
 * Rows made by C code, read by SQL as a table function.
 *
 * 1. One worker per engine thread: opened by the thread that uses it, closed when DuckDB drops the thread's state.
 * 2. Every fill starts on an empty chunk of all columns; the vectors' pointers are fetched once a fill, not once a
 * value.
 * 3. The first error of any worker ends the statement with its code and message (failure.c). An interrupt ends it at
 * the next fill.
 */
#include "engine/engine_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/** A registered source. In the engine's arena. */
struct entry {
    struct engine *engine;
    struct engine_source source;
    duckdb_type *types;
};

struct worker {
    const struct entry *entry;
    void *worker;
    struct writer *writers; /* one per column */
};

static duckdb_type type_of_name(const char *name) {
    static const struct {
        const char *name;
        duckdb_type type;
    } types[] = {{"VARCHAR", DUCKDB_TYPE_VARCHAR},
                 {"BIGINT", DUCKDB_TYPE_BIGINT},
                 {"BLOB", DUCKDB_TYPE_BLOB},
                 {"TIMESTAMPTZ", DUCKDB_TYPE_TIMESTAMP_TZ}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(types[i].name, name) == 0) return types[i].type;
    return DUCKDB_TYPE_INVALID;
}

static void bind_source(duckdb_bind_info info) {
    const struct entry *entry = duckdb_bind_get_extra_info(info);
    for (size_t i = 0; i < entry->source.column_count; i++) {
        duckdb_logical_type type = duckdb_create_logical_type(entry->types[i]);
        duckdb_bind_add_result_column(info, entry->source.column_names[i].ptr, type);
        duckdb_destroy_logical_type(&type);
    }
}

static void start_source(duckdb_init_info info) {
    const struct entry *entry = duckdb_init_get_extra_info(info);
    duckdb_init_set_max_threads(info, entry->source.workers_max > 0 ? (idx_t)entry->source.workers_max : 1);
}

static void close_worker(void *data) {
    struct worker *w = data;
    if (w->entry->source.close_worker) w->entry->source.close_worker(w->entry->source.source, w->worker);
    free(w->writers);
    free(w);
}

static void open_worker(duckdb_init_info info) {
    const struct entry *entry = duckdb_init_get_extra_info(info);
    struct assay_error err = {0};
    void *opened = NULL;
    if (entry->source.open_worker && entry->source.open_worker(entry->source.source, &opened, &err) != ASSAY_OK) {
        failure_keep(entry->engine, &err);
        duckdb_init_set_error(info, err.message);
        return;
    }
    struct worker *w = memory_alloc(sizeof *w);
    *w = (struct worker){entry, opened, memory_alloc(entry->source.column_count * sizeof *w->writers)};
    duckdb_init_set_init_data(info, w, close_worker);
}

static enum assay_code fill_chunk(struct worker *w, duckdb_data_chunk chunk, size_t *row_count,
                                  struct assay_error *err) {
    const struct entry *entry = w->entry;
    if (atomic_load(&entry->engine->is_interrupted))
        return error_set(err, ASSAY_INTERRUPTED, NULL, "stopped by a signal");
    for (size_t i = 0; i < entry->source.column_count; i++)
        w->writers[i] = writer_of(duckdb_data_chunk_get_vector(chunk, i));
    struct engine_sink sink = {.columns = w->writers, .capacity = duckdb_vector_size()};
    TRY(entry->source.fill(entry->source.source, w->worker, &sink, err));
    assert(sink.row_count <= sink.capacity);
    *row_count = sink.row_count;
    return ASSAY_OK;
}

static void run_source(duckdb_function_info info, duckdb_data_chunk chunk) {
    struct worker *w = duckdb_function_get_local_init_data(info);
    struct assay_error err = {0};
    size_t row_count = 0;
    enum assay_code rc = fill_chunk(w, chunk, &row_count, &err);
    if (rc) {
        err.code = rc;
        failure_keep(w->entry->engine, &err);
        duckdb_function_set_error(info, err.message);
        return;
    }
    duckdb_data_chunk_set_size(chunk, row_count);
}

void engine_sink_text(struct engine_sink *sink, size_t column, size_t row, struct str bytes) {
    writer_put_text((struct writer *)sink->columns + column, row, bytes);
}

void engine_sink_null(struct engine_sink *sink, size_t column, size_t row) {
    writer_put_null((struct writer *)sink->columns + column, row);
}

void engine_sink_int64(struct engine_sink *sink, size_t column, size_t row, int64_t value) {
    ((int64_t *)((struct writer *)sink->columns)[column].data)[row] = value;
}

static enum assay_code copy_entry(struct engine *engine, const struct engine_source *source, struct entry **out,
                                  struct assay_error *err) {
    struct entry *entry = ARENA_NEW(&engine->arena, struct entry);
    struct str *names = ARENA_ARRAY(&engine->arena, source->column_count, struct str);
    *entry = (struct entry){engine, *source, ARENA_ARRAY(&engine->arena, source->column_count, duckdb_type)};
    for (size_t i = 0; i < source->column_count; i++) {
        names[i] = str_copy(&engine->arena, source->column_names[i]);
        entry->types[i] = type_of_name(source->column_types[i]);
        if (entry->types[i] == DUCKDB_TYPE_INVALID)
            return error_set(err, ASSAY_INTERNAL, NULL, "a source cannot have a column of type %s",
                             source->column_types[i]);
    }
    entry->source.column_names = names;
    entry->source.column_types = NULL;
    *out = entry;
    return ASSAY_OK;
}

enum assay_code engine_add_source(struct engine *engine, struct str name, const struct engine_source *source,
                                  struct assay_error *err) {
    struct entry *entry = NULL;
    TRY(copy_entry(engine, source, &entry, err));
    duckdb_table_function function = duckdb_create_table_function();
    duckdb_table_function_set_name(function, str_c(&engine->arena, name));
    duckdb_table_function_set_extra_info(function, entry, NULL);
    duckdb_table_function_set_bind(function, bind_source);
    duckdb_table_function_set_init(function, start_source);
    duckdb_table_function_set_local_init(function, open_worker);
    duckdb_table_function_set_function(function, run_source);
    duckdb_state state = duckdb_register_table_function(engine->connection, function);
    duckdb_destroy_table_function(&function);
    if (state != DuckDBSuccess)
        return error_set(err, ASSAY_INTERNAL, NULL, "the source %.*s cannot be registered; is the name in use?",
                         STR_ARG(name));
    return ASSAY_OK;
}
