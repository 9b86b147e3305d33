/**
 * The program: parse, run the command, say what went wrong.
 *
 * A write that cannot be done is an error with a message, never a signal that ends the process: a closed pipe must not
 * stop a load, and a limit on file size is a full disk.
 */
#include "cli/cli.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/** `assay: where: message`, the message's further lines as they are. */
static int fail(const struct assay_error *err) {
    bool is_red = isatty(STDERR_FILENO);
    fprintf(stderr, "%sassay:%s %s%s%s\n", is_red ? "\033[1;31m" : "", is_red ? "\033[0m" : "", err->where,
            err->where[0] ? ": " : "", err->message);
    return assay_code_exit(err->code);
}

int main(int argc, char **argv) {
    struct cli cli = {0};
    struct assay_error err = {0};
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    char help[] = "help", *overview[] = {argv[0], help, NULL};
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        argc = 2;
        argv = overview;
    }
    if (strcmp(argv[1], "--version") == 0) argv[1] += 2;
    enum assay_code code = cli_parse(argc, argv, &cli, &err);
    if (code == ASSAY_OK) code = cli.command->run(&cli, &err);
    arena_reset(&cli.arena);
    if (code == ASSAY_OK) code = cli_out_end(&err);
    if (code && err.code) return fail(&err);
    return assay_code_exit(code);
}
