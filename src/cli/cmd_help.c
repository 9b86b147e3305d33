#include "cli/commands.h"

#include <stdio.h>

/** By its whole name, else the first whose first word it is: `quarantine`. */
static const struct cli_command *find_command(struct cli *cli, struct str name) {
    struct str start = str_printf(&cli->arena, "%.*s ", STR_ARG(name));
    const struct cli_command *found = NULL;
    for (size_t i = 0; cli_commands[i]; i++) {
        struct str other = str_of(cli_commands[i]->name);
        if (str_eq(other, name)) return cli_commands[i];
        if (!found && str_starts(other, start)) found = cli_commands[i];
    }
    return found;
}

static enum assay_code run(struct cli *cli, struct assay_error *err) {
    struct buf text = {0};
    struct str name = cli_arg(cli, 0);
    if (cli->arg_count == 2) name = str_printf(&cli->arena, "%.*s %.*s", STR_ARG(cli->args[0]), STR_ARG(cli->args[1]));
    const struct cli_command *command = name.len ? find_command(cli, name) : NULL;
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
