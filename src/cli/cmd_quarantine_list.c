/** quarantine list: how many rejected rows there are, by batch, reason or column. */
#include "cli/commands.h"
#include "cli/print_table.h"

#include "base/json.h"

#include <string.h>

enum { GROUPS_MAX = 100000, COLUMNS_MAX = 9 };

static enum assay_code take_group(const struct cli *cli, enum quarantine_group *out, struct assay_error *err) {
    static const char *const words[] = {"batch", "reason", "column"};
    const char *by = cli_value(cli, "by");
    *out = QUARANTINE_BY_BATCH;
    for (size_t i = 0; by && i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(by, words[i]) != 0) continue;
        *out = (enum quarantine_group)i;
        return ASSAY_OK;
    }
    if (!by) return ASSAY_OK;
    return error_set(err, ASSAY_INVALID, "--by", "`%s` is no group here; write batch, reason or column", by);
}

/** Texts, all of them, but for counts. */
static bool is_count(struct str column) {
    return str_eq(column, STR("rows")) || str_eq(column, STR("corrupt")) || str_eq(column, STR("batches")) ||
           str_eq(column, STR("files"));
}

static void print_json(const struct engine_result *rows, struct buf *out) {
    for (size_t i = 0; i < rows->row_count; i++) {
        struct json_writer w = {.out = out};
        json_begin_object(&w);
        for (size_t k = 0; k < rows->column_count; k++) {
            const struct engine_cell *cell = engine_cell_at(rows, i, k);
            json_key_str(&w, rows->columns[k]);
            if (cell->is_null || (cell->text.len == 0 && str_eq(rows->columns[k], STR("column"))))
                json_put_null(&w);
            else if (is_count(rows->columns[k]))
                json_put_int(&w, engine_cell_int(cell, 0));
            else
                json_put_str(&w, cell->text);
        }
        json_end_object(&w);
        buf_addc(out, '\n');
    }
}

/** The table of one contract; nothing where no row was rejected. */
static void print_group(struct engine_result *rows, struct buf *out) {
    bool is_right[COLUMNS_MAX] = {false};
    for (size_t k = 0; k < rows->column_count && k < COLUMNS_MAX; k++) is_right[k] = is_count(rows->columns[k]);
    for (size_t i = 0; i < rows->row_count * rows->column_count; i++)
        if (rows->cells[i].is_null || rows->cells[i].text.len == 0)
            rows->cells[i] = (struct engine_cell){.text = STR("(row)")};
    if (out->len) buf_addc(out, '\n');
    print_table(out, rows, is_right);
}

static enum assay_code run(struct cli *cli, struct assay_error *err) {
    struct project project;
    struct plan **plans;
    size_t count;
    struct session session;
    struct session_options options;
    enum quarantine_group group;
    struct buf text = {0};
    enum assay_code rc = ASSAY_OK;
    TRY(take_group(cli, &group, err));
    TRY(cli_session_options(cli, &options, err));
    options.read_only = true;
    TRY(cli_plans(cli, &project, &plans, &count, err));
    TRY(session_open(&project, &options, &session, err));
    for (size_t i = 0; i < count && rc == ASSAY_OK; i++) {
        struct engine_result rows;
        rc = silver_quarantine_count(session.store, session.engine, plans[i], group, GROUPS_MAX, &cli->arena, &rows,
                                     err);
        if (rc || rows.row_count == 0) continue;
        if (cli_has(cli, "json"))
            print_json(&rows, &text);
        else
            print_group(&rows, &text);
    }
    if (rc == ASSAY_OK && text.len == 0 && !cli_has(cli, "json")) buf_addz(&text, "no row is in quarantine\n");
    if (rc == ASSAY_OK) cli_out(&text);
    buf_free(&text);
    session_close(&session);
    return rc;
}

static const struct cli_option options[] = {
    {"by", "GROUP", "batch (the default), reason or column"},
    {"json", NULL, "one JSON object a group"},
    CLI_SESSION_OPTIONS,
    {0},
};

const struct cli_command cmd_quarantine_list = {
    .name = "quarantine list",
    .arguments = "[TABLE]",
    .summary = "how many rejected rows, by batch, reason or column",
    .text =
        "Counts what the quarantine of a table, or of all, holds: rows, the files they came in, and when they were\n"
        "first and last rejected. A row with several reasons counts for each of them; by column, rules over the\n"
        "whole row and structurally broken rows stand under (row).\n",
    .options = options,
    .args_max = 1,
    .run = run,
};
