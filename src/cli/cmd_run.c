/** run, bronze and silver: one command with other stages. */
#include "cli/commands.h"
#include "cli/report_run.h"

#include <stdio.h>
#include <unistd.h>

/** Why a person lets one batch of one table through its gates; empty if nobody does. */
static enum assay_code take_acceptance(const struct cli *cli, struct str *out, struct assay_error *err) {
    *out = (struct str){0};
    if (cli->command == &cmd_bronze || !cli_has(cli, "accept-batch")) return ASSAY_OK;
    *out = str_trim(str_of(cli_value(cli, "accept-batch")));
    if (out->len == 0)
        return error_set(err, ASSAY_INVALID, NULL,
                         "--accept-batch needs a reason, which is recorded: --accept-batch \"agreed with the source\"");
    if (cli_has(cli, "batch") && cli_arg(cli, 0).len) return ASSAY_OK;
    return error_set(err, ASSAY_INVALID, NULL,
                     "--accept-batch lets one batch of one table through: assay run TABLE --batch ID --accept-batch "
                     "REASON");
}

static enum assay_code run_stages(struct cli *cli, unsigned stages, struct assay_error *err) {
    struct project project;
    struct plan **plans;
    size_t count, batch_count = 0;
    struct session session;
    struct session_options session_options;
    struct run_report report = {.is_json = cli_has(cli, "json"),
                                .is_terminal = isatty(STDERR_FILENO) && isatty(STDOUT_FILENO)};
    struct str batch, because;
    TRY(cli_batch(cli, &batch, err));
    TRY(take_acceptance(cli, &because, err));
    TRY(cli_session_options(cli, &session_options, err));
    TRY(cli_plans(cli, &project, &plans, &count, err));
    TRY(session_open(&project, &session_options, &session, err));
    cli_catch_signals(&session);
    struct run_options options = {.stages = stages,
                                  .batch_id = batch,
                                  .accepted_because = because,
                                  .report = run_report_batch,
                                  .context = &report};
    enum assay_code rc = run_plans(&session, plans, count, &options, &batch_count, err);
    cli_catch_signals(NULL);
    session_close(&session);
    run_report_end(&report, batch_count);
    if (report.has_told && rc) err->code = ASSAY_OK; /* the report said it where it happened */
    return cli_signal_code(rc);
}

static enum assay_code run_both(struct cli *cli, struct assay_error *err) {
    return run_stages(cli, RUN_BRONZE | RUN_SILVER, err);
}
static enum assay_code run_bronze(struct cli *cli, struct assay_error *err) { return run_stages(cli, RUN_BRONZE, err); }

static enum assay_code run_silver(struct cli *cli, struct assay_error *err) {
    if (!cli_has(cli, "batch"))
        return error_set(err, ASSAY_INVALID, NULL, "which batch? assay silver %.*s --batch ID",
                         STR_ARG(cli_arg(cli, 0)));
    return run_stages(cli, RUN_SILVER, err);
}

#define RUN_OPTIONS                                                                                                    \
    {"batch", "ID", "only this batch, whether it is pending or not"},                                                  \
        {"json", NULL, "one JSON object on standard output"}, CLI_SESSION_OPTIONS

static const struct cli_option options[] = {
    RUN_OPTIONS,
    {"accept-batch", "REASON", "let this one batch through its limits; the reason is recorded"},
    {0},
};
static const struct cli_option bronze_options[] = {RUN_OPTIONS, {0}};

const struct cli_command cmd_run = {
    .name = "run",
    .arguments = "[TABLE]",
    .summary = "take pending batches to bronze and silver",
    .text =
        "For each batch: load its files into bronze untouched, check every row against the contract, write rejected "
        "rows to\n"
        "quarantine with every reason, and merge one row per key into silver. A bad batch stops before silver is "
        "touched and the\n"
        "others go on. Without TABLE all contracts run, tables that others refer to first. Without --batch every batch "
        "that is\n"
        "pending: never run for this contract, changed since, or not finished. Running a batch again is always safe.\n"
        "Exit code 1 if a batch was refused. --accept-batch lets one batch through once that a limit would refuse: the "
        "limits are\n"
        "measured and told, its bad rows still go to quarantine, and the reason stands in assay.runs.\n",
    .options = options,
    .args_max = 1,
    .run = run_both,
};

const struct cli_command cmd_bronze = {
    .name = "bronze",
    .arguments = "[TABLE]",
    .summary = "only load batches into bronze",
    .text = "The first half of run: headers are checked, then every value is kept as the string that was sent, with "
            "file, line, batch\n"
            "and load time. A rerun replaces exactly its batch.\n",
    .options = bronze_options,
    .args_max = 1,
    .run = run_bronze,
};

const struct cli_command cmd_silver = {
    .name = "silver",
    .arguments = "[TABLE] --batch ID",
    .summary = "only take a batch from bronze to silver",
    .text =
        "The second half of run, for a batch that bronze holds already: checks, quarantine, gates, grain and merge.\n",
    .options = options,
    .args_max = 1,
    .run = run_silver,
};
