#include "cli/commands.h"

#include <stdio.h>

/** What contracts declare and assay does not check yet, each by its place. */
static void print_unchecked(const struct project *project, struct buf *out) {
    for (size_t i = 0; i < project->file_count; i++)
        for (size_t k = 0; k < project->files[i].contract_count; k++) {
            const struct contract *c = &project->files[i].contracts[k];
            for (size_t n = 0; n < c->unchecked_count; n++)
                buf_printf(out, "%.*s: note: declared, not checked: %.*s\n", STR_ARG(project->files[i].path),
                           STR_ARG(c->unchecked[n]));
        }
}

static enum assay_code run(struct cli *cli, struct assay_error *err) {
    struct project project;
    struct buf text = {0};
    if (cli->arg_count)
        TRY(project_load_files(cli->args, cli->arg_count, &cli->arena, &project, err));
    else
        TRY(project_load(STR("."), &cli->arena, &project, err));
    project_print_diagnostics(&project, DIAGNOSTIC_NOTE, &text);
    print_unchecked(&project, &text);
    buf_printf(&text, "%zu contract file%s: %zu error%s, %zu warning%s\n", project.file_count,
               project.file_count == 1 ? "" : "s", project.error_count, project.error_count == 1 ? "" : "s",
               project.warning_count, project.warning_count == 1 ? "" : "s");
    cli_out(&text);
    buf_free(&text);
    return project.error_count ? ASSAY_INVALID : ASSAY_OK;
}

const struct cli_command cmd_lint = {
    .name = "lint",
    .arguments = "[FILE...]",
    .summary = "check contracts; every mistake with its place",
    .text =
        "Reads the named contract files, or all of the project, and prints every mistake as file:line:column with the\n"
        "source line, a caret and what to do. Also names what a contract declares and assay does not check yet.\n"
        "Exit code 2 if there is an error; warnings do not count.\n",
    .args_max = 10000,
    .run = run,
};
