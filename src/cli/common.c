/** What commands share: output, the project, options of a session. */
#include "cli/cli.h"

#include "query/query.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int output_errno; /* of the first write that failed */

void cli_out(const struct buf *text) {
    if (output_errno) return;
    bool is_written = text->len == 0 || fwrite(text->data, 1, text->len, stdout) == text->len;
    if (!is_written || fflush(stdout)) output_errno = errno;
}

bool cli_is_out_closed(void) { return output_errno != 0; }

enum assay_code cli_out_end(struct assay_error *err) {
    if (fflush(stdout) && !output_errno) output_errno = errno;
    if (!output_errno || output_errno == EPIPE) return ASSAY_OK;
    return error_errno(err, output_errno, "standard output", "write");
}

void cli_tell(const struct assay_error *err) {
    bool is_red = isatty(STDERR_FILENO);
    struct buf text = {0};
    struct str line, rest = str_of(err->message);
    buf_addz(&text, is_red ? "\033[1;31massay:\033[0m " : "assay: ");
    buf_add_printable(&text, str_of(err->where));
    if (err->where[0]) buf_addz(&text, ": ");
    do {
        rest = str_split(rest, '\n', &line);
        buf_add_printable(&text, line);
        buf_addc(&text, '\n');
    } while (rest.len);
    fwrite(text.data, 1, text.len, stderr);
    buf_free(&text);
}

enum assay_code cli_batch(const struct cli *cli, struct str *out, struct assay_error *err) {
    const char *batch = cli_value(cli, "batch");
    *out = str_of(batch);
    return batch && !*batch ? plan_batch_check(*out, err) : ASSAY_OK;
}

enum assay_code cli_project(struct cli *cli, struct project *project, struct assay_error *err) {
    TRY(project_load(STR("."), &cli->arena, project, err));
    if (project->error_count) {
        struct buf text = {0};
        project_print_diagnostics(project, DIAGNOSTIC_ERROR, &text);
        fwrite(text.data, 1, text.len, stderr);
        buf_free(&text);
    }
    return ASSAY_OK;
}

enum assay_code cli_plans(struct cli *cli, struct project *project, struct plan ***plans, size_t *count,
                          struct assay_error *err) {
    TRY(cli_project(cli, project, err));
    return project_plans(project, cli_arg(cli, 0), &cli->arena, plans, count, err);
}

/** `512MB`, `2GB`, `2GiB`, `1000000`. */
static bool parse_size(struct str text, int64_t *out) {
    static const struct {
        const char *name;
        int64_t factor;
    } units[] = {{"KiB", 1LL << 10}, {"MiB", 1LL << 20}, {"GiB", 1LL << 30}, {"KB", 1000},     {"MB", 1000000},
                 {"GB", 1000000000}, {"K", 1LL << 10},   {"M", 1LL << 20},   {"G", 1LL << 30}, {"B", 1}};
    int64_t factor = 1;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        struct str unit = str_of(units[i].name);
        if (text.len <= unit.len || !str_eq_nocase(str_sub(text, text.len - unit.len, text.len), unit)) continue;
        text.len -= unit.len;
        factor = units[i].factor;
        break;
    }
    return str_int64(str_trim(text), out) == ASSAY_OK && *out > 0 && !__builtin_mul_overflow(*out, factor, out);
}

enum assay_code cli_session_options(const struct cli *cli, struct session_options *out, struct assay_error *err) {
    const char *memory = cli_value(cli, "memory"), *threads = cli_value(cli, "threads");
    int64_t count = 0;
    *out = (struct session_options){.need_engine = true};
    if (memory && !parse_size(str_of(memory), &out->memory_bytes))
        return error_set(err, ASSAY_INVALID, "--memory", "`%s` is no size; write for example 512MB or 2GB", memory);
    if (threads && (str_int64(str_of(threads), &count) || count < 1 || count > 1024))
        return error_set(err, ASSAY_INVALID, "--threads", "`%s` is no number from 1 to 1024", threads);
    out->threads = (int)count;
    return ASSAY_OK;
}

/* ---- the lake ---- */

static enum assay_code load_lake(struct cli *cli, struct project *project, struct assay_error *err) {
    TRY(project_load(STR("."), &cli->arena, project, err));
    if (project->lake.len) return ASSAY_OK;
    return error_set(err, ASSAY_INVALID, str_c(&cli->arena, project->config),
                     "it does not say where the lake is; for example `lake: ./lake`");
}

enum assay_code cli_open_lake(struct cli *cli, bool read_only, struct project *project, struct session *session,
                              struct str *root, struct assay_error *err) {
    struct session_options options;
    TRY(cli_session_options(cli, &options, err));
    options.read_only = read_only;
    TRY(load_lake(cli, project, err));
    TRY(session_open(project, &options, session, err));
    enum assay_code rc = root ? query_table_find(session->store, cli_arg(cli, 0), &cli->arena, root, err) : ASSAY_OK;
    if (rc) session_close(session);
    return rc;
}

enum assay_code cli_format(const struct cli *cli, const char *const *words, size_t count, size_t *out,
                           struct assay_error *err) {
    const char *given = cli_value(cli, "format");
    *out = 0;
    for (size_t i = 0; i < count && given; i++) {
        if (strcmp(words[i], given) != 0) continue;
        *out = i;
        return ASSAY_OK;
    }
    if (!given) return ASSAY_OK;
    struct buf known = {0};
    for (size_t i = 0; i < count; i++)
        buf_printf(&known, "%s%s", i == 0 ? "" : i + 1 == count ? " or " : ", ", words[i]);
    enum assay_code rc =
        error_set(err, ASSAY_INVALID, "--format", "`%s` is no format here; write %s", given, known.data);
    buf_free(&known);
    return rc;
}

/* ---- signals ---- */

static struct session *interrupted_session; /* of the one run of this process, for the signal handler */
static volatile sig_atomic_t interrupted_by;

static void on_signal(int number) {
    interrupted_by = number;
    if (interrupted_session) run_interrupt(interrupted_session);
}

void cli_catch_signals(struct session *session) {
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    interrupted_session = session;
    if (!session) return;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

enum assay_code cli_signal_code(enum assay_code code) {
    return interrupted_by == SIGTERM && code == ASSAY_INTERRUPTED ? ASSAY_TERMINATED : code;
}
