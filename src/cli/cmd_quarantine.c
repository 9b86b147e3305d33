/** quarantine show: rejected rows for people and programs. */
#include "cli/commands.h"
#include "cli/quarantine_rows.h"

#include "base/json.h"

#include <stdio.h>

enum { FIRST_RAW = QUARANTINE_FIRST_RAW, BEHIND_RAW = QUARANTINE_BEHIND_RAW };

struct show {
    const struct plan *plan;
    bool is_json, is_masked; /* personal values are */
    size_t count;
    struct buf text;
};

static void print_quoted(struct buf *out, struct str value) {
    struct buf quoted = {0};
    struct json_writer w = {.out = &quoted};
    json_put_str(&w, value);
    buf_add_printable(out, buf_str(&quoted));
    buf_free(&quoted);
}

/** Whether the raw value in this cell is masked. */
static bool is_hidden(const struct show *s, const struct engine_cell *behind, size_t cell) {
    return s->is_masked && quarantine_is_personal(s->plan, behind, cell - FIRST_RAW);
}

static bool hides_records(const struct show *s) { return s->is_masked && s->plan->has_personal; }

static void print_text_row(struct show *s, const struct engine_cell *cells, size_t count) {
    buf_add_printable(&s->text, cells[1].text);
    buf_printf(&s->text, ":%.*s  batch ", STR_ARG(cells[2].text));
    buf_add_printable(&s->text, cells[0].text);
    buf_addz(&s->text, "\n  ");
    buf_add_printable(&s->text, cells[3].text);
    buf_addc(&s->text, '\n');
    for (size_t i = FIRST_RAW; i + BEHIND_RAW < count; i++) {
        buf_printf(&s->text, "    %-24.*s ", STR_ARG(s->plan->columns[i - FIRST_RAW].name));
        if (cells[i].is_null) {
            buf_addz(&s->text, "null\n");
            continue;
        }
        print_quoted(&s->text, cli_mask(cells[i].text, is_hidden(s, cells + count - BEHIND_RAW, i)));
        buf_addc(&s->text, '\n');
    }
    const struct engine_cell *behind = cells + count - BEHIND_RAW;
    if (behind[0].is_null) return;
    buf_printf(&s->text, "    %-24s ", "(line as sent)");
    buf_add_printable(&s->text, cli_mask(behind[0].text, hides_records(s)));
    buf_printf(&s->text, "\n    %-24s ", "(why)");
    quarantine_corrupt_reason(s->plan, behind, &s->text);
    buf_addc(&s->text, '\n');
}

static void put_cell(struct json_writer *w, const char *key, const struct engine_cell *cell) {
    json_key(w, key);
    if (cell->is_null)
        json_put_null(w);
    else
        json_put_str(w, cell->text);
}

static void print_json_row(struct show *s, const struct engine_cell *cells, size_t count) {
    struct json_writer w = {.out = &s->text};
    json_begin_object(&w);
    put_cell(&w, "batch_id", &cells[0]);
    put_cell(&w, "source_file", &cells[1]);
    json_key(&w, "source_line");
    json_put_int(&w, engine_cell_int(&cells[2], -1));
    put_cell(&w, "reason", &cells[3]);
    json_key(&w, "raw");
    json_begin_object(&w);
    for (size_t i = FIRST_RAW; i + BEHIND_RAW < count; i++) {
        json_key_str(&w, s->plan->columns[i - FIRST_RAW].name);
        if (cells[i].is_null)
            json_put_null(&w);
        else
            json_put_str(&w, cli_mask(cells[i].text, is_hidden(s, cells + count - BEHIND_RAW, i)));
    }
    json_end_object(&w);
    const struct engine_cell *behind = cells + count - BEHIND_RAW;
    struct buf reason = {0};
    quarantine_corrupt_reason(s->plan, behind, &reason);
    for (size_t i = 0; i < BEHIND_RAW; i++) {
        struct engine_cell cell = {behind[i].is_null, cli_mask(behind[i].text, hides_records(s))};
        put_cell(&w, i ? "corrupt_bytes" : "corrupt_record", &cell);
    }
    put_cell(&w, "corrupt_reason", &(struct engine_cell){.is_null = behind[0].is_null, .text = buf_str(&reason)});
    buf_free(&reason);
    json_end_object(&w);
    buf_addc(&s->text, '\n');
}

static enum assay_code show_row(void *context, const struct engine_cell *cells, size_t count, struct assay_error *err) {
    struct show *s = context;
    if (s->is_json)
        print_json_row(s, cells, count);
    else
        print_text_row(s, cells, count);
    s->count++;
    cli_out(&s->text);
    buf_clear(&s->text);
    return cli_is_out_closed() ? error_set(err, ASSAY_INTERRUPTED, NULL, "standard output is closed") : ASSAY_OK;
}

static enum assay_code run(struct cli *cli, struct assay_error *err) {
    struct project project;
    struct plan **plans;
    size_t count;
    struct session session;
    struct session_options options;
    int64_t limit = 50;
    const char *rows = cli_value(cli, "limit");
    struct quarantine_query query = {0};
    TRY(cli_batch(cli, &query.batch_id, err));
    if (rows && (str_int64(str_of(rows), &limit) || limit < 0))
        return error_set(err, ASSAY_INVALID, "--limit", "`%s` is no number of rows; 0 shows all", rows);
    TRY(cli_session_options(cli, &options, err));
    options.read_only = true;
    TRY(cli_plans(cli, &project, &plans, &count, err));
    TRY(session_open(&project, &options, &session, err));
    struct show show = {.plan = plans[0], .is_json = cli_has(cli, "json"), .is_masked = !cli_has(cli, "unmask")};
    query.limit = (size_t)limit;
    enum assay_code rc = silver_quarantine_each(session.store, session.engine, plans[0], &query, show_row, &show, err);
    if (cli_is_out_closed()) rc = ASSAY_OK; /* cli_out_end judges */
    if (rc == ASSAY_OK && show.count == 0 && query.batch_id.len)
        rc = quarantine_check_batch(cli, session.store, plans[0], query.batch_id, err);
    if (rc == ASSAY_OK && !show.is_json) {
        printf("%zu row%s shown", show.count, show.count == 1 ? "" : "s");
        if (limit && show.count == (size_t)limit) printf("; there may be more, --limit 0 shows all");
        putchar('\n');
    }
    buf_free(&show.text);
    session_close(&session);
    return rc;
}

static const struct cli_option options[] = {
    {"batch", "ID", "only this batch"},
    {"limit", "N", "rows to show (default 50; 0 shows all)"},
    {"unmask", NULL, "show the values of columns that the contract classifies as personal"},
    {"json", NULL, "one JSON object a row"},
    CLI_SESSION_OPTIONS,
    {0},
};

const struct cli_command cmd_quarantine_show = {
    .name = "quarantine show",
    .arguments = "TABLE",
    .summary = "rejected rows: reasons, raw values, file and line",
    .text =
        "Shows what a table's quarantine holds, in the order of batch, file and line: every reason, the raw value "
        "of every\n"
        "column as it was sent, and the original text of rows that were structurally broken. Values of columns that "
        "the\n"
        "contract classifies as personal are shown as ***.\n",
    .options = options,
    .args_min = 1,
    .args_max = 1,
    .run = run,
};
