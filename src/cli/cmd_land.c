#include "cli/commands.h"

#include <string.h>

static void print_batch(const struct landing_batch *batch, enum landing_outcome outcome, struct buf *out) {
    static const char *const words[] = {
        [LANDING_DONE] = "landed",
        [LANDING_SAME] = "was landed before with the same content; nothing was written:",
        [LANDING_REPLACED] = "landed in place of other content, which is kept in _replaced/:",
    };
    int64_t bytes = 0;
    for (size_t i = 0; i < batch->file_count; i++) bytes += batch->files[i].size_bytes;
    buf_printf(out, "batch %.*s %s %zu file%s, %lld bytes, in %.*s\n", STR_ARG(batch->id), words[outcome],
               batch->file_count, batch->file_count == 1 ? "" : "s", (long long)bytes, STR_ARG(batch->folder));
}

static enum assay_code run(struct cli *cli, struct assay_error *err) {
    struct project project;
    struct plan **plans;
    size_t count;
    struct session session;
    struct landing_batch batch = {0};
    enum landing_outcome outcome = LANDING_DONE;
    const char *id = cli_value(cli, "batch");
    if (!id)
        return error_set(err, ASSAY_INVALID, NULL, "which batch? assay land %.*s FILE... --batch ID",
                         STR_ARG(cli_arg(cli, 0)));
    TRY(cli_plans(cli, &project, &plans, &count, err));
    TRY(session_open(&project, &(struct session_options){.create = true}, &session, err));
    enum assay_code rc = landing_put(session.store, plans[0], str_of(id), cli->args + 1, cli->arg_count - 1,
                                     cli_has(cli, "replace"), &cli->arena, &batch, &outcome, err);
    if (rc == ASSAY_OK) {
        struct buf text = {0};
        print_batch(&batch, outcome, &text);
        buf_printf(&text, "next: assay run %.*s --batch %.*s\n", STR_ARG(plans[0]->table), STR_ARG(batch.id));
        cli_out(&text);
        buf_free(&text);
    }
    session_close(&session);
    return rc;
}

static const struct cli_option options[] = {
    {"batch", "ID", "name of the batch: letters, digits, _ and -"},
    {"replace", NULL, "let other content take the place of a batch; the old files are kept under it"},
    {0},
};

const struct cli_command cmd_land = {
    .name = "land",
    .arguments = "TABLE FILE... --batch ID",
    .summary = "copy a delivery into its own batch folder, written once",
    .text =
        "Copies the files into Files/<source path>/batch_id=<ID>/ with a manifest of names, sizes and hashes: the "
        "whole batch\n"
        "or nothing. The same content again changes nothing; other content for an id that is there is refused unless\n"
        "--replace. A correction is best a new batch.\n",
    .options = options,
    .args_min = 2,
    .args_max = 100000,
    .run = run,
};
