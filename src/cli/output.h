/** Where a command's result goes: standard output, or a file that appears whole or not at all. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include "cli/cli.h"

#include <stdio.h>

struct output {
    const char *path; /* NULL: standard output */
    const char *temporary;
    FILE *file;
};

/** path NULL: standard output. As error_errno. */
enum assay_code output_open(struct output *out, const char *path, struct arena *arena,
                            struct assay_error *err) NODISCARD;
/** Write and empty the buffer. */
enum assay_code output_write(struct output *out, struct buf *text, struct assay_error *err) NODISCARD;
/** Put the file in its place, over an older one; after a failure (rc not OK) leave nothing. @return rc, or what failed
 * now */
enum assay_code output_close(struct output *out, enum assay_code rc, struct assay_error *err) NODISCARD;

/** A value of a CSV row, in quotes where a reader would else read something different: '' is in quotes, NULL is nothing
 * and not for here. */
void output_csv_text(struct buf *out, struct str text);

#endif
