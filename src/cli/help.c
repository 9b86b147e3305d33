/** Help, made from the tables. */
#include "cli/cli.h"

static void print_overview(struct buf *out) {
    buf_addz(out, "assay - data contracts that hold: from delivered files to a Delta table you can trust\n\n"
                  "usage: assay COMMAND [ARGUMENTS] [OPTIONS]\n\n");
    for (size_t i = 0; cli_commands[i]; i++)
        buf_printf(out, "  %-18s  %s\n", cli_commands[i]->name, cli_commands[i]->summary);
    buf_addz(out, "\nassay help COMMAND tells more. A first project: assay init\n\n"
                  "exit codes: 0 done; 1 a check said no (a batch was refused); 2 usage or contract mistake; 3 "
                  "storage, engine or table;\n"
                  "            5 outcome of a commit unknown, run again; 6 lost the race after all retries; 130, 143 "
                  "interrupted\n");
}

void cli_print_help(const struct cli_command *command, struct buf *out) {
    if (!command) {
        print_overview(out);
        return;
    }
    buf_printf(out, "assay %s - %s\n\nusage: assay %s %s", command->name, command->summary, command->name,
               command->arguments);
    if (command->options && command->options->name) buf_addz(out, " [OPTIONS]");
    buf_printf(out, "\n\n%s", command->text);
    if (!command->options || !command->options->name) return;
    buf_addz(out, "\noptions:\n");
    for (const struct cli_option *o = command->options; o->name; o++) {
        struct buf name = {0};
        buf_printf(&name, "--%s%s%s", o->name, o->argument ? " " : "", o->argument ? o->argument : "");
        buf_printf(out, "  %-20s  %s\n", name.data, o->help);
        buf_free(&name);
    }
}
