/**
 * The program: commands and their options are tables, which drive parsing, help and completion. One cmd_<name>.c per
 * command.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "base/error.h"
#include "base/str.h"
#include "run/run.h"

/** argument is NULL for a switch, else the word that help shows. */
struct cli_option {
    const char *name;
    const char *argument;
    const char *help;
};

enum { CLI_OPTIONS_MAX = 16 };

struct cli_command;

/** A parsed command line. */
struct cli {
    const struct cli_command *command;
    const char
        *values[CLI_OPTIONS_MAX]; /* by index into command->options; "" for a switch that was given, NULL if absent */
    struct str *args;
    size_t arg_count;
    struct arena arena;
};

struct cli_command {
    const char *name;                 /* one or two words: "run", "quarantine show" */
    const char *arguments;            /* as help shows them: "[TABLE]" */
    const char *summary;              /* one line */
    const char *text;                 /* what it does, for `assay help NAME`; lines of at most 100 columns */
    const struct cli_option *options; /* ended by a NULL name */
    size_t args_min, args_max;
    enum assay_code (*run)(struct cli *cli, struct assay_error *err);
};

extern const struct cli_command *const cli_commands[]; /* ended by NULL */

/** The value of an option, "" for a switch that was given, NULL if absent. Asking for a name that is not in the table
 * is a programming error. */
const char *cli_value(const struct cli *cli, const char *name);
bool cli_has(const struct cli *cli, const char *name);
/** The index-th argument or the empty string. */
struct str cli_arg(const struct cli *cli, size_t index);

/** @return OK; INVALID a usage mistake, with what was meant where it can be guessed */
enum assay_code cli_parse(int argc, char **argv, struct cli *out, struct assay_error *err);
void cli_print_help(const struct cli_command *command, struct buf *out); /* NULL: the overview */

/** Write to standard output. What cannot be written is dropped and remembered. */
void cli_out(const struct buf *text);
/** Whether nobody reads standard output any more, or it cannot be written: then printing on is of no use. */
bool cli_is_out_closed(void);
/** After all output: DENIED or UNAVAILABLE if some was lost. A closed pipe is no error: whoever closed it has read
 * enough. */
enum assay_code cli_out_end(struct assay_error *err) NODISCARD;

/** `assay: where: message` on standard error, without control characters but the message's own line ends. */
void cli_tell(const struct assay_error *err);

/** The value of --batch, empty if absent. An empty value is no batch id: a script's variable was not set. */
enum assay_code cli_batch(const struct cli *cli, struct str *out, struct assay_error *err) NODISCARD;
/** Load the project from the current folder; mistakes in contracts are printed to standard error, and no error here. */
enum assay_code cli_project(struct cli *cli, struct project *project, struct assay_error *err) NODISCARD;
/** Load the project from the current folder and the plans of the command's first argument (or all); mistakes are
 * printed to standard error. */
enum assay_code cli_plans(struct cli *cli, struct project *project, struct plan ***plans, size_t *count,
                          struct assay_error *err) NODISCARD;
/**
 * Open the lake of the project around the current folder for one of its tables; mistakes in contracts do not matter.
 * @param root  key of the folder of the table that the first argument names, in any case; NULL: the command is over
 * the whole lake
 */
enum assay_code cli_open_lake(struct cli *cli, bool read_only, struct project *project, struct session *session,
                              struct str *root, struct assay_error *err) NODISCARD;
/** Whether the value of --format is one of the words, and which; the first one if it was not given. INVALID. */
enum assay_code cli_format(const struct cli *cli, const char *const *words, size_t count, size_t *out,
                           struct assay_error *err) NODISCARD;
/** From here on Ctrl-C and SIGTERM end the session's work; NULL: no longer. */
void cli_catch_signals(struct session *session);
/** TERMINATED for an INTERRUPTED that SIGTERM caused. */
enum assay_code cli_signal_code(enum assay_code code);
/** Options that every command over a lake has: memory and threads. */
enum assay_code cli_session_options(const struct cli *cli, struct session_options *out,
                                    struct assay_error *err) NODISCARD;

/** Of commands with CLI_FORMAT_OPTIONS. INVALID --format is neither text nor json. */
enum assay_code cli_wants_json(const struct cli *cli, bool *out, struct assay_error *err) NODISCARD;

#define CLI_FORMAT_OPTIONS                                                                                             \
    {"format", "FORMAT", "text (the default) or json"}, { "json", NULL, "the same as --format json" }

#define CLI_SESSION_OPTIONS                                                                                            \
    {"memory", "SIZE", "memory the engine may use, such as 2GB (default: half of what there is)"}, {                   \
        "threads", "N", "threads (default: as many as the process may use)"                                            \
    }

#endif
