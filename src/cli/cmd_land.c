#include "cli/commands.h"

#include <string.h>

enum { NAMES_SHOWN = 20 };

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
    for (size_t i = 0; i < batch->left_out_count && i < NAMES_SHOWN; i++) {
        buf_addz(out, "left out, no data by its name: ");
        buf_add_printable(out, batch->left_out[i]);
        buf_addc(out, '\n');
    }
    if (batch->left_out_count > NAMES_SHOWN)
        buf_printf(out, "left out, no data by their names: %zu more\n", batch->left_out_count - NAMES_SHOWN);
}

/** What the command line says of the delivery. */
static enum assay_code read_delivery(struct cli *cli, struct landing_delivery *out, struct assay_error *err) {
    const char *name = cli_value(cli, "name");
    bool has_stdin = false;
    *out = (struct landing_delivery){.paths = cli->args + 1,
                                     .path_count = cli->arg_count - 1,
                                     .stdin_name = str_of(name),
                                     .is_replacing = cli_has(cli, "replace")};
    for (size_t i = 0; i < out->path_count; i++) has_stdin = has_stdin || str_eq(out->paths[i], STR("-"));
    if (has_stdin && !name)
        return error_set(err, ASSAY_INVALID, NULL,
                         "what is the file called that comes by standard input? --name NAME, which must match the "
                         "contract's pattern");
    if (name && !has_stdin)
        return error_set(err, ASSAY_INVALID, "--name", "names the file that comes by standard input, which is -");
    if (name && strchr(name, '/'))
        return error_set(err, ASSAY_INVALID, "--name", "`%s` is a path; a file of a batch lies directly in its folder",
                         name);
    return ASSAY_OK;
}

static enum assay_code run(struct cli *cli, struct assay_error *err) {
    struct project project;
    struct plan **plans;
    size_t count;
    struct session session;
    struct landing_delivery delivery;
    struct landing_batch batch = {0};
    enum landing_outcome outcome = LANDING_DONE;
    const char *id = cli_value(cli, "batch");
    if (!id)
        return error_set(err, ASSAY_INVALID, NULL, "which batch? assay land %.*s FILE... --batch ID",
                         STR_ARG(cli_arg(cli, 0)));
    TRY(read_delivery(cli, &delivery, err));
    TRY(cli_plans(cli, &project, &plans, &count, err));
    TRY(session_open(&project, &(struct session_options){.create = true}, &session, err));
    enum assay_code rc =
        landing_put(session.store, plans[0], str_of(id), &delivery, &cli->arena, &batch, &outcome, err);
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
    {"name", "NAME", "what the file that comes by standard input is called"},
    {"replace", NULL, "let other content take the place of a batch; the old files are kept under it"},
    {0},
};

const struct cli_command cmd_land = {
    .name = "land",
    .arguments = "TABLE FILE|FOLDER|-... --batch ID",
    .summary = "copy a delivery into its own batch folder, written once",
    .text =
        "Copies the delivery into Files/<source path>/batch_id=<ID>/ with a manifest of names, sizes and hashes: the "
        "whole batch\n"
        "or nothing. Of a folder the files directly in it that match the contract's pattern are taken and the others "
        "are named;\n"
        "names that start with _ or . are no data, and a folder with folders in it is refused. - is standard input. "
        "The same\n"
        "content again changes nothing; other content for an id that is there is refused unless --replace. A "
        "correction is best a\n"
        "new batch. Storage of others, which the lake sees by a link, is never written.\n",
    .options = options,
    .args_min = 2,
    .args_max = 100000,
    .run = run,
};
