/*
 * Run a project's pending batches from a program of your own.
 *
 *     cc run.c -o run $(pkg-config --cflags --libs assay)
 *     ./run FOLDER [TABLE [BATCH]]
 *
 * Prints the results as JSON, and ends with the exit code that the program assay would have.
 */
#include <assay/assay.h>

#include <stdio.h>

int main(int argc, char **argv) {
    struct assay_error err = {0};
    char *json = NULL;

    if (argc < 2 || argc > 4) {
        fprintf(stderr, "usage: run FOLDER [TABLE [BATCH]]\nlibassay %s\n", assay_version());
        return assay_code_exit(ASSAY_INVALID);
    }
    enum assay_code code = assay_lint(argv[1], &json, &err);
    if (code == ASSAY_OK) {
        assay_free(json);
        code = assay_run(argv[1], argc > 2 ? argv[2] : NULL, argc > 3 ? argv[3] : NULL, &json, &err);
    }
    if (json) puts(json);
    if (code != ASSAY_OK) fprintf(stderr, "%s: %s: %s\n", assay_code_name(code), err.where, err.message);
    assay_free(json);
    return assay_code_exit(code);
}
