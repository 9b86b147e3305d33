/** The program: parse, run the command, say what went wrong. */
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/** `assay: where: message`, the message's further lines as they are. */
static int fail(const struct assay_error *err) {
    bool is_red = isatty(STDERR_FILENO);
    fprintf(stderr, "%sassay:%s %s%s%s\n", is_red ? "\033[1;31m" : "", is_red ? "\033[0m" : "", err->where, err->where[0] ? ": " : "",
            err->message);
    return assay_code_exit(err->code);
}

static int print_overview(void) {
    struct buf text = {0};
    cli_print_help(NULL, &text);
    cli_out(&text);
    buf_free(&text);
    return 0;
}

int main(int argc, char **argv) {
    struct cli cli = {0};
    struct assay_error err = {0};
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) return print_overview();
    if (strcmp(argv[1], "--version") == 0) argv[1] += 2;
    enum assay_code code = cli_parse(argc, argv, &cli, &err);
    if (code == ASSAY_OK) code = cli.command->run(&cli, &err);
    arena_reset(&cli.arena);
    if (code && err.code) return fail(&err);
    return assay_code_exit(code);
}
