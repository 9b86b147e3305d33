/** What a run tells: a block per batch for people, or one JSON object. */
#ifndef CLI_REPORT_RUN_H
#define CLI_REPORT_RUN_H

#include "cli/cli.h"

struct run_report {
    bool is_json, is_terminal;
    bool has_told;   /* a failure was told in full */
    struct buf json; /* results so far, for the object at the end */
    size_t json_count;
};

/** A run_report_fn; context is the struct run_report. */
void run_report_batch(void *context, const struct run_result *result);
void run_report_end(struct run_report *report, size_t batch_count);

#endif
