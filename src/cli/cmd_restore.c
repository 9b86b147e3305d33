/** restore: bring a table back to an older version. */
#include "cli/commands.h"

#include "base/time.h"
#include "query/query.h"

static enum assay_code find_version(struct cli *cli, struct session *session, struct str root, int64_t *version,
                                    struct assay_error *err) {
    const char *number = cli_value(cli, "version"), *time = cli_value(cli, "timestamp");
    int64_t us;
    if (!number == !time)
        return error_set(err, ASSAY_INVALID, NULL,
                         "to which state? --version N or --timestamp T, one of them\nnext: assay history %.*s",
                         STR_ARG(cli_arg(cli, 0)));
    if (number && (str_int64(str_of(number), version) || *version < 0))
        return error_set(err, ASSAY_INVALID, "--version", "`%s` is no version", number);
    if (number) return ASSAY_OK;
    TRY(delta_time_parse(str_of(time), &us, err));
    return delta_version_at(session->store, root, us, &cli->arena, version, err);
}

static void print_side(struct buf *out, const char *word, size_t files, int64_t rows, int64_t bytes) {
    buf_printf(out, "  %-12s %zu file%s, ", word, files, files == 1 ? "" : "s");
    if (rows >= 0) buf_printf(out, "%lld row%s, ", (long long)rows, rows == 1 ? "" : "s");
    buf_printf(out, "%lld bytes\n", (long long)bytes);
}

static const struct delta_history_entry *find_entry(const struct delta_history_entry *entries, size_t count,
                                                    int64_t version) {
    for (size_t i = 0; i < count; i++)
        if (entries[i].version == version) return &entries[i];
    return NULL;
}

/* The commits that would be undone, newest first. */
static enum assay_code print_undone(struct session *session, const struct delta_restore *plan, struct arena *arena,
                                    struct buf *out, struct assay_error *err) {
    enum { NAMED = 10 };
    struct delta_history_entry *entries;
    size_t count;
    TRY(delta_history(session->store, plan->from->root, SIZE_MAX, arena, &entries, &count, err));
    const struct delta_history_entry *target = find_entry(entries, count, plan->to->version);
    buf_printf(out, "to version %lld", (long long)plan->to->version);
    if (target)
        buf_printf(out, " of %.*s (UTC), %.*s", STR_ARG(time_text(arena, target->timestamp_ms * 1000)),
                   STR_ARG(target->operation));
    buf_addc(out, '\n');
    for (size_t i = 0; i < count && entries[i].version > plan->to->version; i++) {
        if (i < NAMED)
            buf_printf(out, "  undoes %lld  %.*s  %.*s\n", (long long)entries[i].version,
                       STR_ARG(time_text(arena, entries[i].timestamp_ms * 1000)), STR_ARG(entries[i].operation));
        else if (i == NAMED)
            buf_printf(out, "  and %lld more\n", (long long)(entries[i].version - plan->to->version));
    }
    return ASSAY_OK;
}

static bool is_nothing(const struct delta_restore *plan) {
    return plan->add_count == 0 && plan->remove_count == 0 && !plan->is_metadata_changed;
}

static enum assay_code print_plan(struct cli *cli, struct session *session, const struct delta_restore *plan,
                                  struct assay_error *err) {
    struct buf out = {0};
    buf_printf(&out, "%.*s is at version %lld\n", STR_ARG(plan->from->root), (long long)plan->from->version);
    enum assay_code rc = print_undone(session, plan, &cli->arena, &out, err);
    if (rc == ASSAY_OK && is_nothing(plan)) buf_addz(&out, "  nothing to do: it holds the same\n");
    if (rc == ASSAY_OK && !is_nothing(plan)) {
        print_side(&out, "brings back", plan->add_count, plan->add_rows, plan->add_bytes);
        print_side(&out, "takes out", plan->remove_count, plan->remove_rows, plan->remove_bytes);
        if (plan->is_metadata_changed) buf_addz(&out, "  columns, properties or constraints become those of then\n");
        for (size_t i = 0; i < plan->missing_count; i++)
            buf_printf(&out, "  gone         %.*s\n", STR_ARG(plan->missing[i]));
    }
    if (rc == ASSAY_OK) cli_out(&out);
    buf_free(&out);
    return rc;
}

static enum assay_code restore(struct cli *cli, struct session *session, struct str root, struct assay_error *err) {
    struct delta_restore plan;
    int64_t target, version;
    const char *time = cli_value(cli, "timestamp");
    TRY(find_version(cli, session, root, &target, err));
    TRY(delta_restore_plan(session->store, session->engine, root, target, &cli->arena, &plan, err));
    TRY(print_plan(cli, session, &plan, err));
    bool is_certain = cli_has(cli, "yes") && !cli_has(cli, "dry-run");
    if (!is_certain && plan.missing_count == 0) {
        struct buf out = {0};
        buf_printf(&out, "nothing was written%s\n",
                   is_nothing(&plan) ? "" : "; the same with --yes does it, as a new version");
        cli_out(&out);
        buf_free(&out);
        return ASSAY_OK;
    }
    TRY(delta_restore_commit(session->engine, &plan, str_of(time), &cli->arena, &version, err));
    struct buf out = {0};
    if (version == plan.from->version)
        buf_addz(&out, "nothing was written\n");
    else
        buf_printf(&out, "restored as version %lld; back again: assay restore %.*s --version %lld\n",
                   (long long)version, STR_ARG(cli_arg(cli, 0)), (long long)plan.from->version);
    cli_out(&out);
    buf_free(&out);
    return ASSAY_OK;
}

static enum assay_code run(struct cli *cli, struct assay_error *err) {
    struct project project;
    struct session session;
    struct str root;
    if (cli_has(cli, "yes") && cli_has(cli, "dry-run"))
        return error_set(err, ASSAY_INVALID, NULL, "--yes and --dry-run say the opposite; give one of them");
    TRY(cli_open_lake(cli, !cli_has(cli, "yes"), &project, &session, &root, err));
    enum assay_code rc = restore(cli, &session, root, err);
    session_close(&session);
    return rc;
}

static const struct cli_option options[] = {
    {"version", "N", "the version to bring back"},
    {"timestamp", "T", "the state at this moment (UTC unless it has a zone): 2026-04-05, '2026-04-05 12:30'"},
    {"yes", NULL, "do it; without it the plan is shown and nothing is written"},
    {"dry-run", NULL, "only show the plan, as without --yes"},
    CLI_SESSION_OPTIONS,
    {0},
};

const struct cli_command cmd_restore = {
    .name = "restore",
    .arguments = "TABLE --version N|--timestamp T",
    .summary = "bring a table back to an older version",
    .text = "Shows what would change: commits undone, files and rows brought back and taken out. With --yes it\n"
            "makes one commit that has the rows, columns and constraints of then; the versions in between stay in\n"
            "the history. Refused when files are gone (VACUUM), with their names, and on append-only tables.\n"
            "Batches whose rows an older bronze table does not have are loaded again by their next run. A commit\n"
            "of others in between is a conflict (exit 6): look at the plan again.\n",
    .options = options,
    .args_min = 1,
    .args_max = 1,
    .run = run,
};
