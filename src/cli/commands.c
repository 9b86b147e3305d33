/** The commands, in the order in which help shows them. */
#include "cli/commands.h"

#include <stddef.h>

const struct cli_command *const cli_commands[] = {
    &cmd_init,
    &cmd_lint,
    &cmd_plan,
    &cmd_land,
    &cmd_landing_list,
    &cmd_landing_verify,
    &cmd_run,
    &cmd_bronze,
    &cmd_silver,
    &cmd_quarantine_show,
    &cmd_quarantine_list,
    &cmd_quarantine_export,
    &cmd_quarantine_redrive,
    &cmd_runs_list,
    &cmd_runs_show,
    &cmd_thresholds,
    &cmd_trace,
    &cmd_query,
    &cmd_history,
    &cmd_detail,
    &cmd_constraints_show,
    &cmd_constraints_add,
    &cmd_constraints_drop,
    &cmd_restore,
    &cmd_checkpoint,
    &cmd_completion,
    &cmd_help,
    &cmd_version,
    NULL,
};
