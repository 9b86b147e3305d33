/** query: a SELECT over the lake's tables. */
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/print_table.h"
#include "cli/value_text.h"

#include "base/json.h"
#include "query/query.h"

#include <errno.h>
#include <string.h>

enum format { FORMAT_TABLE, FORMAT_CSV, FORMAT_NDJSON, FORMAT_PARQUET, FORMAT_COUNT };
static const char *const FORMATS[FORMAT_COUNT] = {"table", "csv", "ndjson", "parquet"};

enum { TABLE_ROWS = 100, WRITE_BYTES = 64 * 1024 };

struct printing {
    const struct query *query;
    enum format format;
    size_t limit; /* 0: none */
    size_t count;
    bool is_cut; /* there was a row after the limit */
    struct arena *arena;
    struct engine_result rows; /* of FORMAT_TABLE */
    size_t capacity;
    struct output out;
    struct buf text;
};

/* ---- formats ---- */

static void print_csv_row(struct printing *p, const struct engine_cell *cells) {
    struct buf value = {0};
    for (size_t i = 0; i < p->query->column_count; i++) {
        if (i) buf_addc(&p->text, ',');
        if (cells[i].is_null) continue;
        buf_clear(&value);
        value_text_print(&value, p->query->columns[i].type, cells[i].text);
        output_csv_text(&p->text, buf_str(&value));
    }
    buf_addc(&p->text, '\n');
    buf_free(&value);
}

static void keep_row(struct printing *p, const struct engine_cell *cells) {
    size_t count = p->query->column_count;
    struct engine_result *r = &p->rows;
    struct buf value = {0};
    if (r->row_count == p->capacity) {
        size_t capacity = p->capacity ? 2 * p->capacity : 64;
        r->cells = arena_grow(p->arena, r->cells, r->row_count * count, capacity * count, sizeof *r->cells);
        p->capacity = capacity;
    }
    struct engine_cell *to = r->cells + r->row_count++ * count;
    for (size_t i = 0; i < count; i++) {
        buf_clear(&value);
        if (!cells[i].is_null) value_text_print(&value, p->query->columns[i].type, cells[i].text);
        to[i] = (struct engine_cell){cells[i].is_null, str_copy(p->arena, buf_str(&value))};
    }
    buf_free(&value);
}

/* ---- rows ---- */

static enum assay_code take_row(void *context, const struct engine_cell *cells, size_t column_count,
                                struct assay_error *err) {
    struct printing *p = context;
    (void)column_count;
    if (p->limit && p->count == p->limit) {
        p->is_cut = true;
        return ASSAY_LIMIT;
    }
    p->count++;
    if (p->format == FORMAT_TABLE) keep_row(p, cells);
    if (p->format == FORMAT_CSV) print_csv_row(p, cells);
    if (p->format == FORMAT_NDJSON) value_text_json_row(&p->text, p->query->columns, p->query->column_count, cells);
    if (p->text.len > WRITE_BYTES) TRY(output_write(&p->out, &p->text, err));
    return !p->out.path && cli_is_out_closed() ? ASSAY_LIMIT : ASSAY_OK;
}

static void begin_rows(struct printing *p) {
    if (p->format == FORMAT_CSV) {
        for (size_t i = 0; i < p->query->column_count; i++) {
            if (i) buf_addc(&p->text, ',');
            output_csv_text(&p->text, p->query->columns[i].name);
        }
        buf_addc(&p->text, '\n');
    }
    p->rows.column_count = p->query->column_count;
    p->rows.columns = ARENA_ARRAY(p->arena, p->query->column_count, struct str);
    for (size_t i = 0; i < p->query->column_count; i++) p->rows.columns[i] = p->query->columns[i].name;
}

static void end_table(struct printing *p) {
    bool *is_right = ARENA_ARRAY(p->arena, p->query->column_count, bool);
    for (size_t i = 0; i < p->query->column_count; i++) is_right[i] = value_text_is_number(p->query->columns[i].type);
    print_table(&p->text, &p->rows, is_right);
    buf_printf(&p->text, "%zu row%s%s\n", p->count, p->count == 1 ? "" : "s",
               p->is_cut ? " shown, there are more; --limit 0 shows all, --format csv too" : "");
}

static enum assay_code print_rows(struct engine *engine, struct printing *p, struct assay_error *err) {
    begin_rows(p);
    enum assay_code rc = query_each(engine, p->query, take_row, p, err);
    if (p->is_cut || (!p->out.path && cli_is_out_closed())) rc = ASSAY_OK; /* ended by us; cli_out_end judges */
    if (rc) return rc;
    if (p->format == FORMAT_TABLE) end_table(p);
    return output_write(&p->out, &p->text, err);
}

/* ---- parquet ---- */

static enum assay_code copy_file(struct str path, struct output *out, struct assay_error *err) {
    enum { BLOCK = 1 << 20 };
    FILE *from = fopen(path.ptr, "rb");
    if (!from) return error_errno(err, errno, path.ptr, "read");
    struct buf block = {0};
    enum assay_code rc = ASSAY_OK;
    for (size_t got = 1; got > 0 && rc == ASSAY_OK;) {
        buf_reserve(&block, BLOCK);
        got = fread(block.data, 1, BLOCK, from);
        block.len = got;
        rc = output_write(out, &block, err);
    }
    if (rc == ASSAY_OK && ferror(from)) rc = error_errno(err, errno, path.ptr, "read");
    fclose(from);
    buf_free(&block);
    return rc;
}

static enum assay_code write_parquet(const struct session *session, struct printing *p, struct assay_error *err) {
    struct engine_files files = {0};
    struct str prefix = str_printf(p->arena, "%s/query", session->spill_folder);
    TRY(query_write_parquet(session->engine, p->query, prefix, p->arena, &files, err));
    enum assay_code rc = ASSAY_OK;
    if (files.count != 1)
        rc = error_set(err, ASSAY_REFUSED, NULL, "the query has no rows, and a Parquet file of none is not written");
    if (rc == ASSAY_OK) rc = copy_file(files.files[0].path, &p->out, err);
    for (size_t i = 0; i < files.count; i++) remove(files.files[i].path.ptr);
    p->count = (size_t)files.row_count;
    return rc;
}

/* ---- the command ---- */

static enum assay_code ask(struct cli *cli, struct session *session, struct printing *p, struct assay_error *err) {
    struct query query;
    const char *path = cli_value(cli, "output");
    TRY(query_open(session->store, session->engine, cli_arg(cli, 0), &cli->arena, &query, err));
    p->query = &query;
    TRY(output_open(&p->out, path, &cli->arena, err));
    enum assay_code rc =
        p->format == FORMAT_PARQUET ? write_parquet(session, p, err) : print_rows(session->engine, p, err);
    rc = output_close(&p->out, rc, err);
    if (rc == ASSAY_OK && path) {
        buf_clear(&p->text);
        buf_printf(&p->text, "%zu row%s written to %s\n", p->count, p->count == 1 ? "" : "s", path);
        cli_out(&p->text);
    }
    return rc;
}

static enum assay_code run(struct cli *cli, struct assay_error *err) {
    struct project project;
    struct session session;
    size_t format;
    int64_t limit = 0;
    const char *rows = cli_value(cli, "limit");
    TRY(cli_format(cli, FORMATS, FORMAT_COUNT, &format, err));
    if (rows && (str_int64(str_of(rows), &limit) || limit < 0))
        return error_set(err, ASSAY_INVALID, "--limit", "`%s` is no number of rows; 0 shows all", rows);
    if (format == FORMAT_PARQUET && !cli_has(cli, "output"))
        return error_set(err, ASSAY_INVALID, "--format", "parquet needs a file: -o FILE.parquet");
    if (format == FORMAT_PARQUET && rows)
        return error_set(err, ASSAY_INVALID, "--limit", "not with parquet; write LIMIT into the query");
    if (format == FORMAT_TABLE && !rows) limit = TABLE_ROWS;
    TRY(cli_open_lake(cli, true, &project, &session, NULL, err));
    cli_catch_signals(&session);
    struct printing printing = {.format = (enum format)format, .limit = (size_t)limit, .arena = &cli->arena};
    enum assay_code rc = ask(cli, &session, &printing, err);
    cli_catch_signals(NULL);
    buf_free(&printing.text);
    session_close(&session);
    return cli_signal_code(rc);
}

static const struct cli_option options[] = {
    {"format", "FORMAT", "table (default), csv, ndjson or parquet"},
    {"output", "FILE", "write to this file (also -o FILE), whole or not at all; parquet needs it"},
    {"limit", "N", "rows at most (default: 100 in a table, else all; 0: all)"},
    CLI_SESSION_OPTIONS,
    {0},
};

const struct cli_command cmd_query = {
    .name = "query",
    .arguments = "\"SELECT ...\"",
    .summary = "ask the lake's tables in SQL",
    .text = "One SELECT (or WITH, DESCRIBE) over the lake's tables by name, in any case: bronze.orders. An older\n"
            "state is named by version or by moment (UTC): silver.orders@v12, silver.orders@2026-04-05,\n"
            "silver.orders@2026-04-05T12:30:00Z. The query can only read, and only tables of the lake. The SQL is\n"
            "DuckDB's; numbers and times are printed as Spark prints them. In csv, NULL is nothing and '' is in\n"
            "quotes.\n",
    .options = options,
    .args_min = 1,
    .args_max = 1,
    .run = run,
};
