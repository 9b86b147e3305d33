#include "cli/commands.h"

static enum assay_code run(struct cli *cli, struct assay_error *err) {
    struct project project;
    struct plan **plans;
    size_t count;
    struct buf text = {0};
    TRY(cli_plans(cli, &project, &plans, &count, err));
    for (size_t i = 0; i < count; i++) {
        if (i && !cli_has(cli, "json")) buf_addc(&text, '\n');
        if (cli_has(cli, "json"))
            plan_print_json(plans[i], &text);
        else
            plan_print(plans[i], &text);
        if (text.len && text.data[text.len - 1] != '\n') buf_addc(&text, '\n');
    }
    cli_out(&text);
    buf_free(&text);
    return ASSAY_OK;
}

static const struct cli_option options[] = {{"json", NULL, "one JSON object per table instead of text"}, {0}};

const struct cli_command cmd_plan = {
    .name = "plan",
    .arguments = "[TABLE]",
    .summary = "what a contract will do, in full, without doing it",
    .text = "Prints what is read, how each column is cleaned and cast, each rule with the reason it gives, the grain, "
            "the merge,\n"
            "what stops a batch, and the constraints that stand on the table. Touches no data.\n",
    .options = options,
    .args_max = 1,
    .run = run,
};
