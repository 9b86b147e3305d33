#include "cli/commands.h"

#include "base/json.h"

#include <stdio.h>

enum { FIRST_RAW = 4, BEHIND_RAW = 2 }; /* the row function's columns before and behind the raw values */

struct show {
    const struct plan *plan;
    bool is_json;
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

static int hex_digit(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

/** Bytes as hex digits give them; an empty text has a ptr too. */
static struct str bytes_of_hex(struct str hex, struct buf *bytes) {
    buf_reserve(bytes, hex.len / 2);
    for (size_t i = 0; i + 1 < hex.len; i += 2)
        buf_addc(bytes, (char)(hex_digit(hex.ptr[i]) << 4 | hex_digit(hex.ptr[i + 1])));
    return buf_str(bytes);
}

/** Why the row is corrupt; nothing for one that is not. */
static void add_reason(const struct show *s, const struct engine_cell *behind, struct buf *out) {
    if (behind[0].is_null) return;
    struct buf bytes = {0};
    struct str original = behind[1].is_null ? (struct str){0} : bytes_of_hex(behind[1].text, &bytes);
    bronze_corrupt_reason(s->plan, behind[0].text, original, out);
    buf_free(&bytes);
}

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
        print_quoted(&s->text, cells[i].text);
        buf_addc(&s->text, '\n');
    }
    const struct engine_cell *behind = cells + count - BEHIND_RAW;
    if (behind[0].is_null) return;
    buf_printf(&s->text, "    %-24s ", "(line as sent)");
    buf_add_printable(&s->text, behind[0].text);
    buf_printf(&s->text, "\n    %-24s ", "(why)");
    add_reason(s, behind, &s->text);
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
            json_put_str(&w, cells[i].text);
    }
    json_end_object(&w);
    const struct engine_cell *behind = cells + count - BEHIND_RAW;
    struct buf reason = {0};
    add_reason(s, behind, &reason);
    put_cell(&w, "corrupt_record", &behind[0]);
    put_cell(&w, "corrupt_bytes", &behind[1]);
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

/** A batch without rejected rows must at least have been landed: a slip in its id would look like a clean batch. */
static enum assay_code check_batch(struct cli *cli, struct store *store, const struct plan *plan, struct str id,
                                   struct assay_error *err) {
    struct landing_zone zone;
    TRY(landing_list(store, plan, &cli->arena, &zone, err));
    struct str *ids = ARENA_ARRAY(&cli->arena, zone.batch_count, struct str);
    for (size_t i = 0; i < zone.batch_count; i++) {
        ids[i] = zone.batches[i].id;
        if (str_eq(ids[i], id)) return ASSAY_OK;
    }
    struct str near = str_nearest(id, ids, zone.batch_count);
    return error_set(err, ASSAY_INVALID, str_c(&cli->arena, plan->table),
                     "no batch %.*s is landed, and quarantine has no row of one%s%.*s%s\nnext: assay landing list %.*s",
                     STR_ARG(id), near.len ? "; did you mean " : "", STR_ARG(near), near.len ? "?" : "",
                     STR_ARG(plan->table));
}

static enum assay_code run(struct cli *cli, struct assay_error *err) {
    struct project project;
    struct plan **plans;
    size_t count;
    struct session session;
    struct session_options options;
    int64_t limit = 50;
    const char *rows = cli_value(cli, "limit");
    struct quarantine_query query;
    TRY(cli_batch(cli, &query.batch_id, err));
    if (rows && (str_int64(str_of(rows), &limit) || limit < 0))
        return error_set(err, ASSAY_INVALID, "--limit", "`%s` is no number of rows; 0 shows all", rows);
    TRY(cli_session_options(cli, &options, err));
    options.read_only = true;
    TRY(cli_plans(cli, &project, &plans, &count, err));
    TRY(session_open(&project, &options, &session, err));
    struct show show = {.plan = plans[0], .is_json = cli_has(cli, "json")};
    query.limit = (size_t)limit;
    enum assay_code rc = silver_quarantine_each(session.store, session.engine, plans[0], &query, show_row, &show, err);
    if (cli_is_out_closed()) rc = ASSAY_OK; /* cli_out_end judges */
    if (rc == ASSAY_OK && show.count == 0 && query.batch_id.len)
        rc = check_batch(cli, session.store, plans[0], query.batch_id, err);
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
    {"json", NULL, "one JSON object a row"},
    CLI_SESSION_OPTIONS,
    {0},
};

const struct cli_command cmd_quarantine_show = {
    .name = "quarantine show",
    .arguments = "TABLE",
    .summary = "rejected rows: reasons, raw values, file and line",
    .text = "Shows what a table's quarantine holds, in the order of batch, file and line: every reason, the raw value "
            "of every\n"
            "column as it was sent, and the original text of rows that were structurally broken.\n",
    .options = options,
    .args_min = 1,
    .args_max = 1,
    .run = run,
};
