/** history: the commits of a table, newest first. */
#include "cli/commands.h"
#include "cli/print_table.h"

#include "base/json.h"
#include "base/time.h"

enum { SHOWN = 20 };
/* ---- for people ---- */

/* A member of userMetadata, which assay writes as JSON; empty if somebody else wrote something else. */
static struct str run_member(const struct delta_history_entry *entry, const char *key, struct arena *arena) {
    struct json *tree = NULL;
    if (entry->user_metadata.len == 0 || json_parse(entry->user_metadata, "", &tree, NULL)) return (struct str){0};
    struct str text = str_copy(arena, json_str(json_member(tree, key)));
    json_close(&tree);
    return text;
}

static struct str contract_of(const struct delta_history_entry *entry, struct arena *arena) {
    struct str id = run_member(entry, "contract_id", arena), version = run_member(entry, "contract_version", arena);
    return version.len ? str_printf(arena, "%.*s %.*s", STR_ARG(id), STR_ARG(version)) : id;
}

/* What the commit did, in a few words: its rows and files as far as its writer says. */
static struct str describe(const struct delta_history_entry *entry, struct arena *arena) {
    static const struct {
        const char *key, *word;
    } METRICS[] = {{"numTargetRowsInserted", "inserted"},
                   {"numTargetRowsUpdated", "updated"},
                   {"numTargetRowsDeleted", "deleted"},
                   {"numUpdatedRows", "updated"},
                   {"numDeletedRows", "deleted"},
                   {"numOutputRows", "rows"},
                   {"num_added_rows", "rows"},
                   {"numRestoredFiles", "files restored"},
                   {"numAddedFiles", "files added"},
                   {"numRemovedFiles", "files removed"},
                   {"numDeletedFiles", "files deleted"}};
    struct json *tree = NULL;
    struct buf out = {0};
    bool has_merge = false;
    if (entry->metrics.len && json_parse(entry->metrics, "", &tree, NULL)) return (struct str){0};
    for (size_t i = 0; i < sizeof METRICS / sizeof METRICS[0]; i++) {
        const struct json *value = json_member(tree, METRICS[i].key);
        struct buf number = {0};
        if (json_kind_of(value) == JSON_KIND_INT) buf_printf(&number, "%lld", (long long)json_int(value));
        buf_add(&number, json_str(value));
        bool is_shown = number.len && !str_eq(buf_str(&number), STR("0")) &&
                        !(has_merge && str_eq(str_of(METRICS[i].key), STR("numOutputRows")));
        if (is_shown) buf_printf(&out, "%s%.*s %s", out.len ? ", " : "", STR_ARG(buf_str(&number)), METRICS[i].word);
        has_merge |= is_shown && i < 3;
        buf_free(&number);
    }
    json_close(&tree);
    struct str text = str_copy(arena, buf_str(&out));
    buf_free(&out);
    return text;
}

static void print_entries(const struct delta_history_entry *entries, size_t count, struct arena *arena,
                          struct buf *out) {
    static const char *const HEAD[] = {"version", "time (UTC)", "operation", "what", "batch", "contract", "by"};
    enum { COLUMNS = sizeof HEAD / sizeof HEAD[0] };
    struct engine_result rows = {.row_count = count, .column_count = COLUMNS};
    rows.columns = ARENA_ARRAY(arena, COLUMNS, struct str);
    rows.cells = ARENA_ARRAY(arena, count * COLUMNS, struct engine_cell);
    for (size_t i = 0; i < COLUMNS; i++) rows.columns[i] = str_of(HEAD[i]);
    for (size_t i = 0; i < count; i++) {
        const struct delta_history_entry *e = &entries[i];
        struct str cells[COLUMNS] = {str_printf(arena, "%lld", (long long)e->version),
                                     time_text(arena, e->timestamp_ms * 1000),
                                     e->operation,
                                     describe(e, arena),
                                     run_member(e, "batch_id", arena),
                                     contract_of(e, arena),
                                     e->engine_info};
        for (size_t k = 0; k < COLUMNS; k++) rows.cells[i * COLUMNS + k].text = cells[k];
    }
    print_table(out, &rows, (const bool[COLUMNS]){true});
}

/* ---- for programs ---- */

static void put_text(struct json_writer *w, const char *key, struct str text) {
    json_key(w, key);
    if (text.len)
        json_put_str(w, text);
    else
        json_put_null(w);
}

static void put_tree(struct json_writer *w, const char *key, struct str text) {
    json_key(w, key);
    if (text.len)
        json_put_raw(w, text);
    else
        json_put_null(w);
}

/* The names are those of DESCRIBE HISTORY. */
static void print_json(const struct delta_history_entry *entries, size_t count, struct arena *arena, struct buf *out) {
    struct json_writer w = {.out = out};
    json_begin_array(&w);
    for (size_t i = 0; i < count; i++) {
        const struct delta_history_entry *e = &entries[i];
        json_begin_object(&w);
        json_key(&w, "version"), json_put_int(&w, e->version);
        json_key(&w, "timestamp"), json_put_str(&w, time_iso_ms(arena, e->timestamp_ms * 1000));
        put_text(&w, "userName", e->user_name);
        put_text(&w, "operation", e->operation);
        put_tree(&w, "operationParameters", e->parameters);
        json_key(&w, "readVersion");
        if (e->read_version >= 0)
            json_put_int(&w, e->read_version);
        else
            json_put_null(&w);
        put_text(&w, "isolationLevel", e->isolation_level);
        json_key(&w, "isBlindAppend");
        if (e->has_blind_append)
            json_put_bool(&w, e->is_blind_append);
        else
            json_put_null(&w);
        put_tree(&w, "operationMetrics", e->metrics);
        put_text(&w, "userMetadata", e->user_metadata);
        put_text(&w, "engineInfo", e->engine_info);
        json_end_object(&w);
    }
    json_end_array(&w);
    buf_addc(out, '\n');
}

static enum assay_code run(struct cli *cli, struct assay_error *err) {
    struct project project;
    struct session session;
    struct str root;
    struct delta_history_entry *entries;
    size_t count;
    bool is_json;
    int64_t limit = SHOWN;
    const char *given = cli_value(cli, "limit");
    if (given && (str_int64(str_of(given), &limit) || limit < 0))
        return error_set(err, ASSAY_INVALID, "--limit", "`%s` is no number of commits; 0 shows all", given);
    TRY(cli_wants_json(cli, &is_json, err));
    TRY(cli_open_lake(cli, true, &project, &session, &root, err));
    enum assay_code rc =
        delta_history(session.store, root, limit ? (size_t)limit : SIZE_MAX, &cli->arena, &entries, &count, err);
    if (rc == ASSAY_OK) {
        struct buf text = {0};
        if (is_json)
            print_json(entries, count, &cli->arena, &text);
        else
            print_entries(entries, count, &cli->arena, &text);
        cli_out(&text);
        buf_free(&text);
    }
    session_close(&session);
    return rc;
}

static const struct cli_option options[] = {
    {"limit", "N", "newest commits to show (default 20; 0 shows all)"},
    {"json", NULL, "a JSON list, with the names of DESCRIBE HISTORY"},
    {"format", "FORM", "text (default) or json, which is --json"},
    CLI_SESSION_OPTIONS,
    {0},
};

const struct cli_command cmd_history = {
    .name = "history",
    .arguments = "TABLE",
    .summary = "a table's commits: when, what, which batch, by whom",
    .text = "Newest first, of any table of the lake, also of one that assay cannot read. The times are those that\n"
            "@2026-04-05 in a query and restore --timestamp go by.\n",
    .options = options,
    .args_min = 1,
    .args_max = 1,
    .run = run,
};
