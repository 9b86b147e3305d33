/** checkpoint: write a table's state as one file, from which any reader can start. */
#include "cli/commands.h"

#include "base/json.h"

static void print_json(struct buf *out, struct str table, const struct delta_checkpoint_report *r) {
    struct json_writer w = {.out = out};
    json_begin_object(&w);
    json_key(&w, "table"), json_put_str(&w, table);
    json_key(&w, "version"), json_put_int(&w, r->version);
    json_key(&w, "written"), json_put_bool(&w, r->is_new);
    json_key(&w, "files"), json_put_int(&w, r->file_count);
    json_key(&w, "bytes"), json_put_int(&w, r->size_bytes);
    json_key(&w, "log_files_removed"), json_put_int(&w, r->removed_count);
    json_end_object(&w);
    buf_addc(out, '\n');
}

static void print_text(struct buf *out, struct str table, const struct delta_checkpoint_report *r) {
    buf_printf(out, "%.*s: %s a checkpoint of version %lld: %lld file%s, %lld bytes\n", STR_ARG(table),
               r->is_new ? "wrote" : "there was already", (long long)r->version, (long long)r->file_count,
               r->file_count == 1 ? "" : "s", (long long)r->size_bytes);
    if (r->removed_count)
        buf_printf(out, "removed %lld expired file%s of the log (delta.logRetentionDuration)\n",
                   (long long)r->removed_count, r->removed_count == 1 ? "" : "s");
}

static enum assay_code run(struct cli *cli, struct assay_error *err) {
    struct project project;
    struct session session;
    struct str root;
    static const char *const FORMATS[] = {"text", "json"};
    size_t format;
    TRY(cli_format(cli, FORMATS, 2, &format, err));
    TRY(cli_open_lake(cli, false, &project, &session, &root, err));
    struct delta_checkpoint_report report;
    enum assay_code rc =
        delta_checkpoint(session.store, session.engine, session.staging, root, DELTA_LATEST, &report, err);
    session_close(&session);
    TRY(rc);
    struct buf out = {0};
    if (format == 1)
        print_json(&out, cli_arg(cli, 0), &report);
    else
        print_text(&out, cli_arg(cli, 0), &report);
    cli_out(&out);
    buf_free(&out);
    return ASSAY_OK;
}

static const struct cli_option options[] = {
    {"format", "FORMAT", "text (the default) or json"},
    CLI_SESSION_OPTIONS,
    {0},
};

const struct cli_command cmd_checkpoint = {
    .name = "checkpoint",
    .arguments = "TABLE",
    .summary = "write a table's state as one file of its log",
    .text = "Writes the state of the newest version as a classic Delta checkpoint: whoever opens the table reads it\n"
            "and the commits after it, not every commit from the first on. Writers do this by themselves after every\n"
            "delta.checkpointInterval versions (10). Then removes what has expired of the log, unless\n"
            "delta.enableExpiredLogCleanup is false: only commits older than delta.logRetentionDuration (30 days)\n"
            "that lie before a checkpoint which stays. No row and no file of the table is touched.",
    .options = options,
    .args_min = 1,
    .args_max = 1,
    .run = run,
};
