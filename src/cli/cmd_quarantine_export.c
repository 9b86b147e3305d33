/**
 * quarantine export: rejected rows for the owner of the source, under the source's own names of columns.
 *
 * Before the source's columns stand where the row came from and why it was rejected, under assay's names, which begin
 * with _. The form is the one that redrive reads corrected values from.
 */
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/quarantine_rows.h"

#include "base/json.h"

enum { WRITE_BYTES = 64 * 1024, FORMAT_CSV = 0 };
static const char *const FORMATS[] = {"csv", "ndjson"};

/** The columns before the source's: the first four are the row function's. */
static const char *const FIRST[] = {LINEAGE_BATCH_ID,  LINEAGE_SOURCE_FILE,   LINEAGE_SOURCE_LINE,
                                    QUARANTINE_REASON, BRONZE_CORRUPT_RECORD, "_corrupt_reason"};
enum { FIRST_COUNT = sizeof FIRST / sizeof FIRST[0], CELL_LINE = 2 };

struct exporting {
    const struct plan *plan;
    bool is_masked;
    size_t format, count;
    struct output out;
    struct buf text, reason;
    struct engine_cell *cells; /* of the row as it is written: FIRST, then the source's columns */
};

/** The cells as they are written; a source column has the raw value of the first contract column that reads it. */
static void arrange(struct exporting *e, const struct engine_cell *cells, size_t count) {
    const struct plan *plan = e->plan;
    const struct engine_cell *behind = cells + count - QUARANTINE_BEHIND_RAW;
    for (size_t i = 0; i < QUARANTINE_FIRST_RAW; i++) e->cells[i] = cells[i];
    buf_clear(&e->reason);
    quarantine_corrupt_reason(plan, behind, &e->reason);
    e->cells[QUARANTINE_FIRST_RAW] =
        (struct engine_cell){behind->is_null, cli_mask(behind->text, e->is_masked && plan->has_personal)};
    e->cells[QUARANTINE_FIRST_RAW + 1] = (struct engine_cell){behind->is_null, buf_str(&e->reason)};
    for (size_t i = plan->column_count; i-- > 0;) {
        const struct engine_cell *raw = &cells[QUARANTINE_FIRST_RAW + i];
        e->cells[FIRST_COUNT + plan->columns[i].source] = *raw;
    }
    for (size_t i = 0; i < plan->column_count; i++) {
        struct engine_cell *cell = &e->cells[FIRST_COUNT + plan->columns[i].source];
        cell->text = cli_mask(cell->text, e->is_masked && quarantine_is_personal(plan, behind, i));
    }
}

static struct str column_name(const struct plan *plan, size_t i) {
    return i < FIRST_COUNT ? str_of(FIRST[i]) : plan->source_columns[i - FIRST_COUNT];
}

static enum assay_code export_row(void *context, const struct engine_cell *cells, size_t count,
                                  struct assay_error *err) {
    struct exporting *e = context;
    struct json_writer w = {.out = &e->text};
    arrange(e, cells, count);
    if (e->format != FORMAT_CSV) json_begin_object(&w);
    for (size_t i = 0; i < FIRST_COUNT + e->plan->source_column_count; i++) {
        const struct engine_cell *cell = &e->cells[i];
        if (e->format == FORMAT_CSV) {
            if (i) buf_addc(&e->text, ',');
            if (!cell->is_null) output_csv_text(&e->text, cell->text);
            continue;
        }
        json_key_str(&w, column_name(e->plan, i));
        if (cell->is_null)
            json_put_null(&w);
        else if (i == CELL_LINE)
            json_put_int(&w, engine_cell_int(cell, -1));
        else
            json_put_str(&w, cell->text);
    }
    if (e->format != FORMAT_CSV) json_end_object(&w);
    buf_addc(&e->text, '\n');
    e->count++;
    if (e->text.len > WRITE_BYTES) TRY(output_write(&e->out, &e->text, err));
    return !e->out.path && cli_is_out_closed() ? error_set(err, ASSAY_INTERRUPTED, NULL, "standard output is closed")
                                               : ASSAY_OK;
}

static void print_header(struct exporting *e) {
    for (size_t i = 0; i < FIRST_COUNT + e->plan->source_column_count; i++) {
        if (i) buf_addc(&e->text, ',');
        output_csv_text(&e->text, column_name(e->plan, i));
    }
    buf_addc(&e->text, '\n');
}

/** A reason or a rule that nothing has ever had is a slip, which must not look like a clean table. */
static enum assay_code check_rule(const struct plan *plan, struct str reason, struct str rule,
                                  struct assay_error *err) {
    bool is_known = false;
    for (size_t k = 0; k <= plan->rule_count; k++) {
        struct str id = k < plan->rule_count ? plan->rules[k].id : STR("corrupt_record");
        struct str text = k < plan->rule_count ? plan->rules[k].reason : STR("corrupt record");
        is_known |= (!rule.len || str_eq(rule, id)) && (!reason.len || str_eq(reason, text));
    }
    if (is_known) return ASSAY_OK;
    return error_set(
        err, ASSAY_INVALID, rule.len ? "--rule" : "--reason",
        "`%.*s` is neither in quarantine nor in the contract\nnext: assay quarantine list %.*s --by reason",
        STR_ARG(rule.len ? rule : reason), STR_ARG(plan->table));
}

static enum assay_code export_rows(struct cli *cli, struct session *session, struct exporting *e,
                                   const struct quarantine_query *query, struct assay_error *err) {
    const char *path = cli_value(cli, "output");
    e->cells = ARENA_ARRAY(&cli->arena, FIRST_COUNT + e->plan->source_column_count, struct engine_cell);
    TRY(output_open(&e->out, path, &cli->arena, err));
    if (e->format == FORMAT_CSV) print_header(e);
    enum assay_code rc = silver_quarantine_each(session->store, session->engine, e->plan, query, export_row, e, err);
    if (!path && cli_is_out_closed()) rc = ASSAY_OK; /* cli_out_end judges */
    if (rc == ASSAY_OK && e->count == 0 && query->batch_id.len)
        rc = quarantine_check_batch(cli, session->store, e->plan, query->batch_id, err);
    if (rc == ASSAY_OK && e->count == 0 && (query->reason.len || query->rule.len))
        rc = check_rule(e->plan, query->reason, query->rule, err);
    if (rc == ASSAY_OK) rc = output_write(&e->out, &e->text, err);
    rc = output_close(&e->out, rc, err);
    if (rc == ASSAY_OK && path) {
        buf_printf(&e->text, "%zu row%s written to %s%s\n", e->count, e->count == 1 ? "" : "s", path,
                   e->is_masked && e->plan->has_personal ? "; personal values are masked, --unmask shows them" : "");
        cli_out(&e->text);
    }
    return rc;
}

static enum assay_code run(struct cli *cli, struct assay_error *err) {
    struct project project;
    struct plan **plans;
    size_t count;
    struct session session;
    struct session_options options;
    struct exporting e = {.is_masked = !cli_has(cli, "unmask")};
    struct quarantine_query query = {.reason = str_of(cli_value(cli, "reason")),
                                     .rule = str_of(cli_value(cli, "rule"))};
    TRY(cli_batch(cli, &query.batch_id, err));
    TRY(cli_format(cli, FORMATS, sizeof FORMATS / sizeof FORMATS[0], &e.format, err));
    TRY(cli_session_options(cli, &options, err));
    options.read_only = true;
    TRY(cli_plans(cli, &project, &plans, &count, err));
    TRY(session_open(&project, &options, &session, err));
    e.plan = plans[0];
    cli_catch_signals(&session);
    enum assay_code rc = export_rows(cli, &session, &e, &query, err);
    cli_catch_signals(NULL);
    buf_free(&e.text);
    buf_free(&e.reason);
    session_close(&session);
    return cli_signal_code(rc);
}

static const struct cli_option options[] = {
    {"batch", "ID", "only this batch"},
    {"reason", "TEXT", "only rows with this reason: \"missing customer_id\""},
    {"rule", "ID", "only rows that broke this rule"},
    {"format", "FORMAT", "csv (the default) or ndjson"},
    {"output", "FILE", "write to this file (also -o FILE), whole or not at all"},
    {"unmask", NULL, "the values of columns that the contract classifies as personal, too"},
    CLI_SESSION_OPTIONS,
    {0},
};

const struct cli_command cmd_quarantine_export = {
    .name = "quarantine export",
    .arguments = "TABLE",
    .summary = "rejected rows as a file for the owner of the source",
    .text = "Raw values as they were sent, under the source's own names of columns, after batch, file, line, reasons,\n"
            "and the original text of structurally broken rows with what is wrong with it. In csv, NULL is nothing\n"
            "and '' is in quotes. Values of columns that the contract classifies as personal are ***, and so is the\n"
            "text of a broken row of such a table.\n",
    .options = options,
    .args_min = 1,
    .args_max = 1,
    .run = run,
};
