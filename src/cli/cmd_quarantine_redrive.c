/** quarantine redrive: judge rejected rows again and bring in what passes now. */
#include "cli/commands.h"
#include "cli/quarantine_rows.h"
#include "cli/report_run.h"

#include <stdio.h>
#include <unistd.h>

static enum assay_code redrive(struct cli *cli, struct session *session, struct plan **plans,
                               const struct run_options *options, struct run_report *report, struct assay_error *err) {
    size_t batch_count = 0;
    enum assay_code rc = run_plans(session, plans, 1, options, &batch_count, err);
    if (rc == ASSAY_OK && batch_count == 0 && options->batch_id.len)
        rc = quarantine_check_batch(cli, session->store, plans[0], options->batch_id, err);
    if (rc == ASSAY_OK && batch_count == 0 && !report->is_json) {
        struct buf text = {0};
        buf_addz(&text, "nothing to do: no row is in quarantine\n");
        cli_out(&text);
        buf_free(&text);
        return ASSAY_OK;
    }
    run_report_end(report, batch_count);
    if (report->has_told && rc) err->code = ASSAY_OK; /* the report said it where it happened */
    return rc;
}

static enum assay_code run(struct cli *cli, struct assay_error *err) {
    struct project project;
    struct plan **plans;
    size_t count;
    struct session session;
    struct session_options session_options;
    struct run_report report = {.is_json = cli_has(cli, "json"),
                                .is_terminal = isatty(STDERR_FILENO) && isatty(STDOUT_FILENO)};
    struct run_options options = {
        .stages = RUN_SILVER, .is_redrive = true, .report = run_report_batch, .context = &report};
    TRY(cli_batch(cli, &options.batch_id, err));
    TRY(cli_session_options(cli, &session_options, err));
    TRY(cli_plans(cli, &project, &plans, &count, err));
    TRY(session_open(&project, &session_options, &session, err));
    cli_catch_signals(&session);
    enum assay_code rc = redrive(cli, &session, plans, &options, &report, err);
    cli_catch_signals(NULL);
    session_close(&session);
    return cli_signal_code(rc);
}

static const struct cli_option options[] = {
    {"batch", "ID", "only this batch; else every batch that has rows in quarantine"},
    {"json", NULL, "one JSON object on standard output"},
    CLI_SESSION_OPTIONS,
    {0},
};

const struct cli_command cmd_quarantine_redrive = {
    .name = "quarantine redrive",
    .arguments = "TABLE",
    .summary = "judge rejected rows again, after the contract changed",
    .text =
        "Takes each batch that has rejected rows from bronze to silver again, under the contract as it is now: what\n"
        "passes is merged by the contract's order, in the place that its batch, file, line and load time give it,\n"
        "so that it never takes back a newer row; the rest stays in quarantine with its new reasons. What became\n"
        "of each row stands in the table <quarantine>_redriven: accepted (silver has its values), superseded (a\n"
        "newer row has its key), quarantined, or gone (the batch was delivered anew without it). The batch passes\n"
        "its gates as in every run. After a stop the same command, or a run of the batch, ends the job; again and\n"
        "again is safe.\n",
    .options = options,
    .args_min = 1,
    .args_max = 1,
    .run = run,
};
