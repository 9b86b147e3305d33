#include "cli/commands.h"

#include <stdio.h>

static enum assay_code run(struct cli *cli, struct assay_error *err) {
    struct buf text = {0};
    struct str name = cli_arg(cli, 0);
    if (cli->arg_count == 2) name = str_printf(&cli->arena, "%.*s %.*s", STR_ARG(cli->args[0]), STR_ARG(cli->args[1]));
    const struct cli_command *command = NULL;
    for (size_t i = 0; cli_commands[i] && name.len; i++)
        if (str_eq(str_of(cli_commands[i]->name), name)) command = cli_commands[i];
    if (name.len && !command)
        return error_set(err, ASSAY_INVALID, NULL, "no command `%.*s`\nnext: assay help", STR_ARG(name));
    cli_print_help(command, &text);
    cli_out(&text);
    buf_free(&text);
    return ASSAY_OK;
}

const struct cli_command cmd_help = {
    .name = "help",
    .arguments = "[COMMAND]",
    .summary = "this overview, or what a command does",
    .text = "",
    .args_max = 2,
    .run = run,
};

static enum assay_code print_version(struct cli *cli, struct assay_error *err) {
    (void)cli;
    (void)err;
    printf("assay %s\n", ASSAY_VERSION);
    return ASSAY_OK;
}

const struct cli_command cmd_version = {
    .name = "version",
    .arguments = "",
    .summary = "the version of this program",
    .text = "",
    .run = print_version,
};
