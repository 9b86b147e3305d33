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
    if (code && err.code) cli_tell(&err);
    return assay_code_exit(code);
}
