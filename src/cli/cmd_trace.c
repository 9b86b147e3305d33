/**
 * trace: from a row of silver, bronze or quarantine to the file, the line and the bytes that it came from:
 *
 *     order_id = "A7"  batch b1
 *       Files/landing/erp/orders/batch_id=b1/orders.csv:12, byte 345, 52 bytes
 *         A7,C1,2026-02-30,12.50,aud,2026-03-01T08:00:00Z
 *       lost to it: Files/landing/erp/orders/batch_id=b1/orders.csv:9, byte 240, 52 bytes
 *         A7,C1,2026-02-30,12.50,aud,2026-03-01T07:00:00Z
 */
#include "cli/commands.h"
#include "cli/quarantine_rows.h"

#include "base/json.h"
#include "base/time.h"

enum { ROWS_SHOWN = 20, TEXT_SHOWN = 4000 };

/* ---- for people ---- */

static void print_text(struct str text, struct buf *out) {
    buf_addz(out, "    ");
    buf_add_printable(out, str_sub(text, 0, TEXT_SHOWN));
    if (text.len > TEXT_SHOWN) buf_printf(out, "... (%zu bytes in all; --format json shows them)", text.len);
    buf_addc(out, '\n');
}

static void print_line(const struct run_trace *t, const struct run_trace_line *line, const char *what,
                       struct buf *out) {
    const struct run_trace_file *file = &t->files[line->file];
    buf_printf(out, "  %s", what);
    buf_add_printable(out, file->key);
    buf_printf(out, ":%lld", (long long)line->place.line);
    if (!line->place.is_found) {
        buf_addz(out, file->problem.len ? "\n" : "\n    no record begins on this line now\n");
        return;
    }
    buf_printf(out, ", byte %lld%s, %zu byte%s\n", (long long)line->place.offset,
               line->place.is_packed ? " of what it unpacks to" : "", line->place.bytes.len,
               line->place.bytes.len == 1 ? "" : "s");
    print_text(line->place.text, out);
}

static void print_file(const struct run_trace_file *file, struct buf *out) {
    if (file->problem.len) {
        buf_addz(out, "  not shown: ");
        buf_add_printable(out, file->problem);
        buf_addc(out, '\n');
    }
    if (file->sha256.len == 0) return;
    if (file->recorded_sha256.len == 0)
        buf_addz(out, "  no run recorded the file's hash, so whether it is as it was loaded is not known\n");
    else if (!str_eq(file->sha256, file->recorded_sha256))
        buf_printf(out, "  THE FILE CHANGED since it was loaded, and so may what stands there: sha256 %.*s, now %.*s\n",
                   STR_ARG(file->recorded_sha256), STR_ARG(file->sha256));
}

/** Each file of the row, once. */
static void print_files(const struct run_trace *t, const struct run_trace_row *row, struct buf *out) {
    for (size_t i = 0; i < row->line_count; i++) {
        bool is_told = false;
        for (size_t k = 0; k < i; k++) is_told = is_told || row->lines[k].file == row->lines[i].file;
        if (!is_told) print_file(&t->files[row->lines[i].file], out);
    }
}

static void print_value(struct str value, struct buf *out) {
    struct buf quoted = {0};
    struct json_writer w = {.out = &quoted};
    json_put_str(&w, value);
    buf_add_printable(out, buf_str(&quoted));
    buf_free(&quoted);
}

static void print_head(const struct plan *plan, enum run_trace_table table, const struct run_trace_row *row,
                       struct buf *out) {
    struct arena arena = {0};
    for (size_t k = 0; table == RUN_TRACE_SILVER && k < plan->key_count; k++) {
        buf_printf(out, "%s%.*s = ", k ? ", " : "", STR_ARG(plan->columns[plan->keys[k]].name));
        if (row->values[k].ptr)
            print_value(row->values[k], out);
        else
            buf_addz(out, "null");
    }
    if (table == RUN_TRACE_SILVER) buf_addz(out, "  ");
    if (row->batch_id.len) {
        buf_addz(out, "batch ");
        buf_add_printable(out, row->batch_id);
    } else {
        buf_addz(out, "of no batch: assay did not load it");
    }
    if (row->loaded_at_us != INT64_MIN)
        buf_printf(out, ", loaded %.*s", STR_ARG(time_iso_ms(&arena, row->loaded_at_us)));
    buf_addc(out, '\n');
    if (row->reason.len) {
        buf_addz(out, "  ");
        buf_add_printable(out, row->reason);
        buf_addc(out, '\n');
    }
    arena_reset(&arena);
}

static void print_row(const struct plan *plan, enum run_trace_table table, const struct run_trace *t,
                      const struct run_trace_row *row, struct buf *out) {
    bool is_silver = table == RUN_TRACE_SILVER;
    print_head(plan, table, row, out);
    if (!row->has_source && row->batch_id.len)
        buf_addz(out, is_silver ? "  no row of the batch in bronze has this key now\n" : "  no file is recorded\n");
    for (size_t i = 0; i < row->line_count; i++)
        print_line(t, &row->lines[i], i == 0 && row->has_source ? "" : "lost to it: ", out);
    int64_t shown = (int64_t)row->line_count - row->has_source;
    if (row->lost_count > shown)
        buf_printf(out, "  and %lld more of the batch lost to it\n", (long long)(row->lost_count - shown));
    if (is_silver && row->has_source && row->is_loaded_again)
        buf_addz(out, "  the batch was loaded again since the row came to silver\n");
    if (is_silver && row->has_source && !row->is_equal)
        buf_addz(out, "  the row has other values than this record gives now\n");
    print_files(t, row, out);
}

/* ---- for programs ---- */

static void put_text(struct json_writer *w, const char *key, struct str text) {
    json_key(w, key);
    if (text.ptr)
        json_put_str(w, text);
    else
        json_put_null(w);
}

static void put_hex(struct json_writer *w, struct str bytes) {
    struct buf hex = {0};
    for (size_t i = 0; i < bytes.len; i++) buf_printf(&hex, "%02x", (unsigned)(unsigned char)bytes.ptr[i]);
    json_key(w, "hex");
    json_put_str(w, buf_str(&hex));
    buf_free(&hex);
}

static void put_line(struct json_writer *w, const struct run_trace *t, const struct run_trace_line *line) {
    const struct run_trace_file *file = &t->files[line->file];
    const struct bronze_place *place = &line->place;
    json_begin_object(w);
    put_text(w, "file", file->key);
    json_key(w, "line");
    json_put_int(w, place->line);
    json_key(w, "found");
    json_put_bool(w, place->is_found);
    if (place->is_found) {
        json_key(w, "offset");
        json_put_int(w, place->offset);
        json_key(w, "unpacked");
        json_put_bool(w, place->is_packed);
        json_key(w, "bytes");
        json_put_int(w, (int64_t)place->bytes.len);
        put_text(w, "text", place->text);
        if (!str_eq(place->text, place->bytes) && !str_eq(place->text, STR(CLI_MASK))) put_hex(w, place->bytes);
    }
    put_text(w, "recorded_sha256", file->recorded_sha256);
    put_text(w, "sha256", file->sha256);
    json_key(w, "as_loaded");
    if (file->recorded_sha256.len && file->sha256.len)
        json_put_bool(w, str_eq(file->sha256, file->recorded_sha256));
    else
        json_put_null(w);
    put_text(w, "problem", file->problem);
    json_end_object(w);
}

static void put_silver(struct json_writer *w, const struct plan *plan, const struct run_trace *t,
                       const struct run_trace_row *row) {
    json_key(w, "key");
    json_begin_object(w);
    for (size_t k = 0; k < plan->key_count; k++) {
        json_key_str(w, plan->columns[plan->keys[k]].name);
        if (row->values[k].ptr)
            json_put_str(w, row->values[k]);
        else
            json_put_null(w);
    }
    json_end_object(w);
    json_key(w, "lost");
    json_begin_array(w);
    for (size_t i = row->has_source; i < row->line_count; i++) put_line(w, t, &row->lines[i]);
    json_end_array(w);
    json_key(w, "lost_count");
    json_put_int(w, row->lost_count);
    json_key(w, "loaded_again");
    json_put_bool(w, row->is_loaded_again);
    json_key(w, "equal");
    if (row->has_source)
        json_put_bool(w, row->is_equal);
    else
        json_put_null(w);
}

static void put_row(struct json_writer *w, const struct plan *plan, enum run_trace_table table,
                    const struct run_trace *t, const struct run_trace_row *row) {
    struct arena arena = {0};
    json_begin_object(w);
    put_text(w, "batch_id", row->batch_id);
    put_text(w, "loaded_at", row->loaded_at_us == INT64_MIN ? (struct str){0} : time_iso_ms(&arena, row->loaded_at_us));
    if (table == RUN_TRACE_QUARANTINE) put_text(w, "reason", row->reason);
    json_key(w, "source");
    if (row->has_source)
        put_line(w, t, &row->lines[0]);
    else
        json_put_null(w);
    if (table == RUN_TRACE_SILVER) put_silver(w, plan, t, row);
    json_end_object(w);
    arena_reset(&arena);
}

/* ---- the command ---- */

/** Records of personal columns are masked whole, keys one by one. */
static void mask(const struct plan *plan, enum run_trace_table table, struct run_trace *t) {
    for (size_t i = 0; i < t->row_count && plan->has_personal; i++) {
        struct run_trace_row *row = &t->rows[i];
        for (size_t k = 0; k < row->line_count; k++)
            row->lines[k].place.text = cli_mask(row->lines[k].place.text, true);
        for (size_t k = 0; table == RUN_TRACE_SILVER && k < plan->key_count; k++)
            row->values[k] = cli_mask(row->values[k], plan->columns[plan->keys[k]].is_personal);
    }
}

/** The contract whose silver, bronze or quarantine table has the name. */
static enum assay_code find_table(struct cli *cli, const struct project *project, const struct plan **plan,
                                  enum run_trace_table *table, struct assay_error *err) {
    struct plan **plans;
    struct str name = cli_arg(cli, 0), *names;
    size_t count;
    TRY(project_plans(project, (struct str){0}, &cli->arena, &plans, &count, err));
    names = ARENA_ARRAY(&cli->arena, 3 * count, struct str);
    for (size_t i = 0; i < count; i++) {
        names[3 * i + RUN_TRACE_SILVER] = plans[i]->table;
        names[3 * i + RUN_TRACE_BRONZE] = plans[i]->bronze_table;
        names[3 * i + RUN_TRACE_QUARANTINE] = plans[i]->quarantine_table;
        for (size_t k = 0; k < 3; k++) {
            if (!str_eq_nocase(names[3 * i + k], name)) continue;
            *plan = plans[i];
            *table = (enum run_trace_table)k;
            return ASSAY_OK;
        }
    }
    struct str near = str_nearest(name, names, 3 * count);
    return error_set(err, ASSAY_INVALID, str_c(&cli->arena, project->config),
                     "no contract has the table %.*s, nor one of its bronze or quarantine%s%.*s%s", STR_ARG(name),
                     near.len ? "; did you mean " : "", STR_ARG(near), near.len ? "?" : "");
}

static void show(const struct plan *plan, enum run_trace_table table, const struct run_trace *t, bool is_json) {
    struct buf text = {0};
    struct json_writer w = {.out = &text};
    if (is_json) {
        json_begin_object(&w);
        json_key(&w, "matched");
        json_put_int(&w, t->matched);
        json_key(&w, "rows");
        json_begin_array(&w);
    }
    for (size_t i = 0; i < t->row_count && !cli_is_out_closed(); i++) {
        if (is_json)
            put_row(&w, plan, table, t, &t->rows[i]);
        else
            print_row(plan, table, t, &t->rows[i], &text);
        cli_out(&text);
        buf_clear(&text);
    }
    if (is_json) {
        json_end_array(&w);
        json_end_object(&w);
        buf_addc(&text, '\n');
    } else {
        buf_printf(&text, "%zu row%s shown", t->row_count, t->row_count == 1 ? "" : "s");
        if (t->matched > (int64_t)t->row_count)
            buf_printf(&text, " of %lld; --limit 0 shows all", (long long)t->matched);
        buf_addc(&text, '\n');
    }
    cli_out(&text);
    buf_free(&text);
}

static enum assay_code run(struct cli *cli, struct assay_error *err) {
    struct project project;
    const struct plan *plan = NULL;
    enum run_trace_table table = RUN_TRACE_SILVER;
    struct session session;
    struct session_options options;
    struct run_trace trace;
    bool is_json;
    int64_t limit = ROWS_SHOWN;
    const char *rows = cli_value(cli, "limit"), *where = cli_value(cli, "where");
    if (!where)
        return error_set(err, ASSAY_INVALID, NULL, "which rows? assay trace %.*s --where \"COLUMN = 'VALUE'\"",
                         STR_ARG(cli_arg(cli, 0)));
    if (rows && (str_int64(str_of(rows), &limit) || limit < 0))
        return error_set(err, ASSAY_INVALID, "--limit", "`%s` is no number of rows; 0 shows all", rows);
    TRY(cli_wants_json(cli, &is_json, err));
    TRY(cli_session_options(cli, &options, err));
    options.read_only = true;
    TRY(cli_project(cli, &project, err));
    TRY(find_table(cli, &project, &plan, &table, err));
    TRY(session_open(&project, &options, &session, err));
    enum assay_code rc = run_trace_rows(&session, plan, table, str_of(where), (size_t)limit, &cli->arena, &trace, err);
    if (rc == ASSAY_OK && !cli_has(cli, "unmask")) mask(plan, table, &trace);
    if (rc == ASSAY_OK) show(plan, table, &trace, is_json);
    session_close(&session);
    return rc;
}

static const struct cli_option options[] = {
    {"where", "CONDITION", "the rows, in the rule language: \"order_id = 'A7' AND amount > 5\""},
    {"limit", "N", "rows to show (default 20; 0 shows all)"},
    {"unmask", NULL, "show records and keys with columns that the contract classifies as personal"},
    CLI_FORMAT_OPTIONS,
    CLI_SESSION_OPTIONS,
    {0},
};

const struct cli_command cmd_trace = {
    .name = "trace",
    .arguments = "TABLE --where CONDITION",
    .summary = "from a row to the file, the line and the bytes it came from",
    .text =
        "For rows of a contract's silver, bronze or quarantine table: the landed file, the line, the byte offset and "
        "the\n"
        "original text, and whether the file is still what was loaded (SHA-256 of the last run). A row of silver is "
        "traced\n"
        "through bronze by its batch and key; other rows of that key in the batch, which lost to it, are shown too. "
        "The offset\n"
        "is found by reading the file; of a compressed file it is that of the unpacked bytes. Nothing is written.\n",
    .options = options,
    .args_min = 1,
    .args_max = 1,
    .run = run,
};
