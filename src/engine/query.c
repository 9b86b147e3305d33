/*
 * Running statements and reading their rows.
 *
 * 1. Rows are streamed: a result is never held whole, except by engine_query, whose caller said how many rows it may
 * have.
 * 2. Texts go to the row function as views into DuckDB's chunk, other values through one buffer that lives as long as
 * the row.
 */
#include "engine/engine_int.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/** The C interface keeps the type of an error in results only; elsewhere the text starts with it. */
static duckdb_error_type type_of_text(const char *text) {
    static const struct {
        const char *start;
        duckdb_error_type type;
    } types[] = {{"IO Error", DUCKDB_ERROR_IO},
                 {"Permission Error", DUCKDB_ERROR_PERMISSION},
                 {"Out of Memory Error", DUCKDB_ERROR_OUT_OF_MEMORY},
                 {"INTERRUPT Error", DUCKDB_ERROR_INTERRUPT},
                 {"Invalid Input Error", DUCKDB_ERROR_INVALID_INPUT}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (text && strncmp(text, types[i].start, strlen(types[i].start)) == 0) return types[i].type;
    return DUCKDB_ERROR_INVALID;
}

enum assay_code statement_prepare(struct engine *engine, const char *sql, duckdb_prepared_statement *out,
                                  struct assay_error *err) {
    TRY(failure_begin(engine, err));
    if (duckdb_prepare(engine->connection, sql, out) == DuckDBSuccess) return ASSAY_OK;
    const char *text = duckdb_prepare_error(*out);
    enum assay_code rc = failure_report(engine, type_of_text(text), text, sql, err);
    duckdb_destroy_prepare(out);
    return rc;
}

enum { NAP_LEAST_NS = 20 * 1000, NAP_MOST_NS = 1000 * 1000 };

/** Do the statement's tasks until none is left. duckdb_query does the same, but asks for tasks without a pause while
 * the other threads have them all. */
static duckdb_pending_state do_tasks(duckdb_pending_result pending) {
    long nap_ns = NAP_LEAST_NS;
    for (;;) {
        duckdb_pending_state state = duckdb_pending_execute_task(pending);
        if (state == DUCKDB_PENDING_NO_TASKS_AVAILABLE) {
            nanosleep(&(struct timespec){.tv_nsec = nap_ns}, NULL);
            if (nap_ns < NAP_MOST_NS) nap_ns *= 2;
        } else if (state == DUCKDB_PENDING_RESULT_NOT_READY) {
            nap_ns = NAP_LEAST_NS;
        } else {
            return state;
        }
    }
}

/** Run a prepared statement; its rows are streamed or held by *result, which is the caller's to destroy in any case. */
static enum assay_code execute(struct engine *engine, duckdb_prepared_statement statement, bool is_streamed,
                               const char *sql, duckdb_result *result, struct assay_error *err) {
    duckdb_pending_result pending = NULL;
    enum assay_code rc = ASSAY_OK;
    memset(result, 0, sizeof *result);
    duckdb_state state = is_streamed ? duckdb_pending_prepared_streaming(statement, &pending)
                                     : duckdb_pending_prepared(statement, &pending);
    if (state != DuckDBSuccess || do_tasks(pending) == DUCKDB_PENDING_ERROR) {
        const char *text = duckdb_pending_error(pending);
        rc = failure_report(engine, type_of_text(text), text, sql, err);
    } else if (duckdb_execute_pending(pending, result) != DuckDBSuccess) {
        rc = failure_report(engine, duckdb_result_error_type(result), duckdb_result_error(result), sql, err);
    }
    duckdb_destroy_pending(&pending);
    return rc;
}

/** Prepare one of several statements; the caller destroys *out when OK. */
static enum assay_code prepare_extracted(struct engine *engine, duckdb_extracted_statements statements, idx_t index,
                                         const char *sql, duckdb_prepared_statement *out, struct assay_error *err) {
    if (duckdb_prepare_extracted_statement(engine->connection, statements, index, out) == DuckDBSuccess)
        return ASSAY_OK;
    const char *text = duckdb_prepare_error(*out);
    enum assay_code rc = failure_report(engine, type_of_text(text), text, sql, err);
    duckdb_destroy_prepare(out);
    return rc;
}

enum assay_code statement_run(struct engine *engine, const char *sql, duckdb_result *result, struct assay_error *err) {
    TRY(failure_begin(engine, err));
    duckdb_extracted_statements statements;
    idx_t count = duckdb_extract_statements(engine->connection, sql, &statements);
    const char *text = duckdb_extract_statements_error(statements);
    enum assay_code rc = text ? failure_report(engine, type_of_text(text), text, sql, err) : ASSAY_OK;
    for (idx_t i = 0; i < count && rc == ASSAY_OK; i++) {
        duckdb_prepared_statement statement;
        duckdb_result own;
        if ((rc = prepare_extracted(engine, statements, i, sql, &statement, err))) break;
        rc = execute(engine, statement, false, sql, &own, err);
        duckdb_destroy_prepare(&statement);
        if (rc == ASSAY_OK && result && i + 1 == count)
            *result = own;
        else
            duckdb_destroy_result(&own);
    }
    duckdb_destroy_extracted(&statements);
    return rc;
}

enum assay_code engine_run(struct engine *engine, struct str sql, struct assay_error *err) {
    struct buf text = {0};
    buf_add(&text, sql);
    enum assay_code rc = statement_run(engine, text.data ? text.data : "", NULL, err);
    buf_free(&text);
    return rc;
}

/** What reading a result needs, made once. */
struct reader {
    size_t column_count;
    duckdb_logical_type *types;
    duckdb_type *ids;
    struct column *columns;
    struct engine_cell *cells;
    size_t *starts; /* where a cell's text starts in `texts`, or SIZE_MAX for a view */
    struct buf texts;
    struct arena arena;
};

static void open_reader(struct reader *r, duckdb_result *result) {
    *r = (struct reader){.column_count = duckdb_column_count(result)};
    r->types = ARENA_ARRAY(&r->arena, r->column_count, duckdb_logical_type);
    r->ids = ARENA_ARRAY(&r->arena, r->column_count, duckdb_type);
    r->columns = ARENA_ARRAY(&r->arena, r->column_count, struct column);
    r->cells = ARENA_ARRAY(&r->arena, r->column_count, struct engine_cell);
    r->starts = ARENA_ARRAY(&r->arena, r->column_count, size_t);
    for (size_t i = 0; i < r->column_count; i++) {
        r->types[i] = duckdb_column_logical_type(result, i);
        r->ids[i] = duckdb_get_type_id(r->types[i]);
    }
}

static void close_reader(struct reader *r) {
    for (size_t i = 0; i < r->column_count; i++) duckdb_destroy_logical_type(&r->types[i]);
    buf_free(&r->texts);
    arena_reset(&r->arena);
}

static enum assay_code read_row(struct reader *r, idx_t row, struct assay_error *err) {
    buf_clear(&r->texts);
    for (size_t i = 0; i < r->column_count; i++) {
        const struct column *c = &r->columns[i];
        r->starts[i] = SIZE_MAX;
        r->cells[i] = (struct engine_cell){.is_null = column_is_null(c, row)};
        if (r->cells[i].is_null) continue;
        if (r->ids[i] == DUCKDB_TYPE_VARCHAR) {
            r->cells[i].text = string_view((duckdb_string_t *)c->data + row);
            continue;
        }
        r->starts[i] = r->texts.len;
        TRY(value_print(&r->texts, r->types[i], c->vector, row, err));
        r->cells[i].text.len = r->texts.len - r->starts[i];
    }
    for (size_t i = 0; i < r->column_count; i++) /* only now, because the buffer may have moved */
        if (r->starts[i] != SIZE_MAX) r->cells[i].text.ptr = r->texts.data + r->starts[i];
    return ASSAY_OK;
}

static enum assay_code read_chunk(struct reader *r, duckdb_data_chunk chunk, engine_row_fn *row, void *context,
                                  struct assay_error *err) {
    idx_t count = duckdb_data_chunk_get_size(chunk);
    for (size_t i = 0; i < r->column_count; i++) r->columns[i] = column_of(chunk, i);
    for (idx_t i = 0; i < count; i++) {
        TRY(read_row(r, i, err));
        TRY(row(context, r->cells, r->column_count, err));
    }
    return ASSAY_OK;
}

static enum assay_code read_result(struct engine *engine, duckdb_result *result, const char *sql, engine_row_fn *row,
                                   void *context, struct assay_error *err) {
    struct reader reader;
    enum assay_code rc = ASSAY_OK;
    open_reader(&reader, result);
    for (duckdb_data_chunk chunk; !rc && (chunk = duckdb_fetch_chunk(*result));) {
        rc = read_chunk(&reader, chunk, row, context, err);
        duckdb_destroy_data_chunk(&chunk);
    }
    const char *text =
        rc ? NULL : duckdb_result_error(result); /* a streamed statement fails while its rows are fetched */
    if (text && *text) rc = failure_report(engine, duckdb_result_error_type(result), text, sql, err);
    close_reader(&reader);
    return rc;
}

/** The names of the columns are wanted before the rows. */
typedef void columns_fn(void *context, duckdb_result *result);

static enum assay_code query_each(struct engine *engine, struct str sql, columns_fn *columns, engine_row_fn *row,
                                  void *context, struct assay_error *err) {
    struct buf text = {0};
    duckdb_prepared_statement statement = NULL;
    duckdb_result result;
    memset(&result, 0, sizeof result);
    enum assay_code rc;
    buf_add(&text, sql);
    buf_addz(&text, "");
    if ((rc = statement_prepare(engine, text.data, &statement, err))) goto done;
    if ((rc = execute(engine, statement, true, text.data, &result, err))) goto done;
    if (columns) columns(context, &result);
    rc = read_result(engine, &result, text.data, row, context, err);
done:
    duckdb_destroy_result(&result);
    if (statement) duckdb_destroy_prepare(&statement);
    buf_free(&text);
    return rc;
}

enum assay_code engine_query_each(struct engine *engine, struct str sql, engine_row_fn *row, void *context,
                                  struct assay_error *err) {
    return query_each(engine, sql, NULL, row, context, err);
}

struct collector {
    struct arena *arena;
    struct engine_result result;
    size_t rows_max, rows_capacity;
};

static void collect_columns(void *context, duckdb_result *result) {
    struct collector *c = context;
    c->result.column_count = duckdb_column_count(result);
    c->result.columns = ARENA_ARRAY(c->arena, c->result.column_count, struct str);
    for (size_t i = 0; i < c->result.column_count; i++)
        c->result.columns[i] = str_copy(c->arena, str_of(duckdb_column_name(result, i)));
}

static enum assay_code collect_row(void *context, const struct engine_cell *cells, size_t column_count,
                                   struct assay_error *err) {
    struct collector *c = context;
    struct engine_result *r = &c->result;
    if (r->row_count == c->rows_max)
        return error_set(err, ASSAY_LIMIT, NULL,
                         "the SQL engine: a result of more than %zu rows, which no caller expects", c->rows_max);
    if (r->row_count == c->rows_capacity) {
        size_t capacity = c->rows_capacity ? 2 * c->rows_capacity : 4;
        r->cells =
            arena_grow(c->arena, r->cells, r->row_count * column_count, capacity * column_count, sizeof *r->cells);
        c->rows_capacity = capacity;
    }
    struct engine_cell *to = r->cells + r->row_count++ * column_count;
    for (size_t i = 0; i < column_count; i++)
        to[i] = (struct engine_cell){cells[i].is_null,
                                     cells[i].is_null ? (struct str){0} : str_copy(c->arena, cells[i].text)};
    return ASSAY_OK;
}

enum assay_code engine_query(struct engine *engine, struct str sql, size_t rows_max, struct arena *arena,
                             struct engine_result *out, struct assay_error *err) {
    struct collector collector = {.arena = arena, .rows_max = rows_max};
    TRY(query_each(engine, sql, collect_columns, collect_row, &collector, err));
    *out = collector.result;
    return ASSAY_OK;
}

int64_t engine_cell_int(const struct engine_cell *cell, int64_t otherwise) {
    int64_t value;
    return !cell->is_null && str_int64(cell->text, &value) == ASSAY_OK ? value : otherwise;
}
