/** query: a SELECT over the lake's tables. */
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/print_table.h"

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

/* ---- values ---- */

static bool is_real(struct str type) { return str_eq(type, STR("DOUBLE")) || str_eq(type, STR("FLOAT")); }

static bool is_number(struct str type) {
    static const char *const NUMBERS[] = {"TINYINT",  "SMALLINT",  "INTEGER",  "BIGINT", "HUGEINT",
                                          "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"};
    for (size_t i = 0; i < sizeof NUMBERS / sizeof NUMBERS[0]; i++)
        if (str_eq(type, str_of(NUMBERS[i]))) return true;
    return is_real(type) || str_starts(type, STR("DECIMAL("));
}

static bool is_nested(struct str type) {
    return str_starts(type, STR("STRUCT(")) || str_starts(type, STR("MAP(")) || str_ends(type, STR("[]"));
}

/* The digits of a finite number as the engine writes it, without its point, and where the point stands. */
static bool read_digits(struct str text, struct buf *digits, int64_t *point) {
    struct str exponent, mantissa = text;
    size_t e = str_find_char(text, 'e');
    *point = 0;
    if (e != SIZE_MAX) {
        mantissa = str_sub(text, 0, e);
        exponent = str_sub(text, e + 1, text.len);
        if (str_starts(exponent, STR("+"))) exponent = str_sub(exponent, 1, exponent.len);
        if (str_int64(exponent, point) != ASSAY_OK) return false;
    }
    struct str whole, rest = str_split(mantissa, '.', &whole);
    *point += (int64_t)whole.len;
    buf_add(digits, whole);
    buf_add(digits, rest);
    while (digits->len > 1 && digits->data[0] == '0') {
        memmove(digits->data, digits->data + 1, digits->len--);
        --*point;
    }
    while (digits->len > 1 && digits->data[digits->len - 1] == '0') digits->data[--digits->len] = '\0';
    return digits->len > 0;
}

/* As Java's Double.toString, and so Spark, prints it: `1.0E16`, `1.0E-4`, else plain with at least one decimal. */
static void print_real(struct buf *out, struct str text) {
    struct buf digits = {0};
    int64_t point;
    struct str bare = str_starts(text, STR("-")) ? str_sub(text, 1, text.len) : text;
    bool is_finite = bare.len && bare.ptr[0] >= '0' && bare.ptr[0] <= '9';
    if (!is_finite || !read_digits(bare, &digits, &point)) {
        buf_add(out, text);
        buf_free(&digits);
        return;
    }
    struct str d = buf_str(&digits);
    if (bare.len < text.len) buf_addc(out, '-');
    if (str_eq(d, STR("0"))) {
        buf_addz(out, "0.0");
    } else if (point > 7 || point < -2) {
        struct str tail = d.len > 1 ? str_sub(d, 1, d.len) : STR("0");
        buf_printf(out, "%c.%.*sE%lld", d.ptr[0], STR_ARG(tail), (long long)point - 1);
    } else {
        for (int64_t i = point < 0 ? point : 0; i < (int64_t)d.len || i <= point; i++) {
            if (i == point) buf_addz(out, i <= 0 ? "0." : ".");
            buf_addc(out, i >= 0 && i < (int64_t)d.len ? d.ptr[i] : '0');
        }
    }
    buf_free(&digits);
}

static void print_value(struct buf *out, struct str type, struct str text) {
    if (is_real(type))
        print_real(out, text);
    else
        buf_add(out, text);
}

/* ---- formats ---- */

static void print_csv_row(struct printing *p, const struct engine_cell *cells) {
    struct buf value = {0};
    for (size_t i = 0; i < p->query->column_count; i++) {
        if (i) buf_addc(&p->text, ',');
        if (cells[i].is_null) continue;
        buf_clear(&value);
        print_value(&value, p->query->columns[i].type, cells[i].text);
        output_csv_text(&p->text, buf_str(&value));
    }
    buf_addc(&p->text, '\n');
    buf_free(&value);
}

static void print_json_row(struct printing *p, const struct engine_cell *cells) {
    struct json_writer w = {.out = &p->text};
    json_begin_object(&w);
    for (size_t i = 0; i < p->query->column_count; i++) {
        struct str type = p->query->columns[i].type, text = cells[i].text;
        json_key_str(&w, p->query->columns[i].name);
        bool is_said = !is_real(type) || (text.len && text.ptr[text.len - 1] <= '9'); /* not NaN, Infinity */
        bool is_bare = (is_number(type) && is_said) || is_nested(type) || str_eq(type, STR("BOOLEAN"));
        if (cells[i].is_null)
            json_put_null(&w);
        else if (is_bare)
            json_put_raw(&w, text);
        else
            json_put_str(&w, text);
    }
    json_end_object(&w);
    buf_addc(&p->text, '\n');
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
        if (!cells[i].is_null) print_value(&value, p->query->columns[i].type, cells[i].text);
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
    if (p->format == FORMAT_NDJSON) print_json_row(p, cells);
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
    for (size_t i = 0; i < p->query->column_count; i++) is_right[i] = is_number(p->query->columns[i].type);
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
