/** runs list, runs show: what assay remembers of its runs. */
#include "cli/commands.h"
#include "cli/print_table.h"
#include "cli/value_text.h"

enum { RUNS_SHOWN = 20, ROWS_MAX = 1000000, COLUMNS_MAX = 16 };

/** Rows of a table of memory, with the types of their columns. */
struct rows {
    struct query query;
    struct engine_result result;
};

/** A SELECT over `table`; without such a table there are no rows. */
static enum assay_code ask(struct session *session, const char *table, struct str sql, struct arena *arena,
                           struct rows *out, struct assay_error *err) {
    struct str root;
    *out = (struct rows){0};
    if (query_table_find(session->store, str_of(table), arena, &root, NULL)) return ASSAY_OK;
    TRY(query_open(session->store, session->engine, sql, arena, &out->query, err));
    return engine_query(session->engine, out->query.sql, ROWS_MAX, arena, &out->result, err);
}

static void print_json(const struct rows *rows, struct buf *out) {
    for (size_t i = 0; i < rows->result.row_count; i++)
        value_text_json_row(out, rows->query.columns, rows->query.column_count, engine_cell_at(&rows->result, i, 0));
}

static void print_people(const struct rows *rows, struct buf *out) {
    bool is_right[COLUMNS_MAX] = {false};
    for (size_t k = 0; k < rows->query.column_count && k < COLUMNS_MAX; k++)
        is_right[k] = value_text_is_number(rows->query.columns[k].type);
    print_table(out, &rows->result, is_right);
}

/* ---- list ---- */

static enum assay_code list_sql(const struct cli *cli, struct buf *sql, struct assay_error *err) {
    int64_t limit = RUNS_SHOWN;
    const char *rows = cli_value(cli, "limit");
    struct str batch;
    if (rows && (str_int64(str_of(rows), &limit) || limit < 0))
        return error_set(err, ASSAY_INVALID, "--limit", "`%s` is no number of runs; 0 shows all", rows);
    TRY(cli_batch(cli, &batch, err));
    buf_addz(sql,
             "SELECT strftime(ended_at, '%Y-%m-%d %H:%M:%S') AS ended_at, table_name AS \"table\", batch_id AS batch, "
             "status, gate, landed, accepted, superseded, quarantined, contract_version AS contract, run_id AS run "
             "FROM " RUN_TABLE " WHERE true");
    if (cli_arg(cli, 0).len) {
        buf_addz(sql, " AND lower(table_name) = lower(");
        engine_sql_text(sql, cli_arg(cli, 0));
        buf_addc(sql, ')');
    }
    if (batch.len) {
        buf_addz(sql, " AND batch_id = ");
        engine_sql_text(sql, batch);
    }
    buf_addz(sql, " ORDER BY runs.ended_at DESC, run_id DESC");
    if (limit) buf_printf(sql, " LIMIT %lld", (long long)limit);
    return ASSAY_OK;
}

static enum assay_code list_runs(struct cli *cli, struct assay_error *err) {
    struct project project;
    struct session session;
    struct rows rows;
    struct buf sql = {0}, text = {0};
    bool is_json;
    TRY(cli_wants_json(cli, &is_json, err));
    enum assay_code rc = list_sql(cli, &sql, err);
    if (rc == ASSAY_OK) rc = cli_open_lake(cli, true, &project, &session, NULL, err);
    if (rc) {
        buf_free(&sql);
        return rc;
    }
    rc = ask(&session, RUN_TABLE, buf_str(&sql), &cli->arena, &rows, err);
    if (rc == ASSAY_OK && is_json)
        print_json(&rows, &text);
    else if (rc == ASSAY_OK && rows.result.row_count)
        print_people(&rows, &text);
    else if (rc == ASSAY_OK)
        buf_addz(&text, "no run is recorded\n");
    cli_out(&text);
    buf_free(&sql);
    buf_free(&text);
    session_close(&session);
    return rc;
}

/* ---- show ---- */

static void print_run(const struct engine_result *run, struct buf *out) {
    for (size_t k = 0; k < run->column_count; k++) {
        const struct engine_cell *cell = engine_cell_at(run, 0, k);
        if (cell->is_null) continue;
        buf_printf(out, "%-22.*s ", STR_ARG(run->columns[k]));
        buf_add_printable(out, cell->text);
        buf_addc(out, '\n');
    }
}

/** The run whose id is or begins with the text. */
static enum assay_code find_run(struct session *session, struct str id, struct arena *arena, struct rows *out,
                                struct assay_error *err) {
    struct buf sql = {0};
    buf_addz(&sql, "SELECT * FROM " RUN_TABLE " WHERE starts_with(run_id, ");
    engine_sql_text(&sql, id);
    buf_addz(&sql, ") ORDER BY run_id");
    enum assay_code rc = ask(session, RUN_TABLE, buf_str(&sql), arena, out, err);
    buf_free(&sql);
    if (rc) return rc;
    if (out->result.row_count == 1) return ASSAY_OK;
    if (out->result.row_count == 0)
        return error_set(err, ASSAY_INVALID, NULL, "no run `%.*s` is recorded; assay runs list shows them",
                         STR_ARG(id));
    return error_set(err, ASSAY_INVALID, NULL, "%zu runs begin with `%.*s`; write more of the id",
                     out->result.row_count, STR_ARG(id));
}

static enum assay_code find_rules(struct session *session, struct str run_id, struct arena *arena, struct rows *out,
                                  struct assay_error *err) {
    struct buf sql = {0};
    buf_addz(&sql, "SELECT rule, kind, severity, \"rows\", of_rows AS \"of\", limit_text AS \"limit\", passed "
                   "FROM " RUN_RULES_TABLE " WHERE run_id = ");
    engine_sql_text(&sql, run_id);
    buf_addz(&sql, " ORDER BY kind DESC, \"rows\" DESC, rule");
    enum assay_code rc = ask(session, RUN_RULES_TABLE, buf_str(&sql), arena, out, err);
    buf_free(&sql);
    return rc;
}

static struct str cell_of(const struct engine_result *r, const char *column) {
    for (size_t k = 0; k < r->column_count; k++)
        if (str_eq(r->columns[k], str_of(column))) return engine_cell_at(r, 0, k)->text;
    return (struct str){0};
}

static enum assay_code show_run(struct cli *cli, struct assay_error *err) {
    struct project project;
    struct session session;
    struct rows run, rules;
    struct buf text = {0};
    bool is_json;
    TRY(cli_wants_json(cli, &is_json, err));
    struct str id = cli_arg(cli, 0);
    TRY(cli_open_lake(cli, true, &project, &session, NULL, err));
    enum assay_code rc = find_run(&session, id, &cli->arena, &run, err);
    if (rc == ASSAY_OK) rc = find_rules(&session, cell_of(&run.result, "run_id"), &cli->arena, &rules, err);
    if (rc == ASSAY_OK && is_json) {
        print_json(&run, &text);
        print_json(&rules, &text);
    } else if (rc == ASSAY_OK) {
        print_run(&run.result, &text);
        if (rules.result.row_count) buf_addc(&text, '\n');
        if (rules.result.row_count) print_people(&rules, &text);
    }
    cli_out(&text);
    buf_free(&text);
    session_close(&session);
    return rc;
}

static const struct cli_option list_options[] = {
    {"batch", "ID", "only runs of this batch"},
    {"limit", "N", "at most so many, the newest first (default 20; 0: all)"},
    CLI_FORMAT_OPTIONS,
    CLI_SESSION_OPTIONS,
    {0},
};
static const struct cli_option show_options[] = {CLI_FORMAT_OPTIONS, CLI_SESSION_OPTIONS, {0}};

const struct cli_command cmd_runs_list = {
    .name = "runs list",
    .arguments = "[TABLE]",
    .summary = "list the recorded runs, the newest first",
    .text =
        "Every run of a batch to silver is a row of the Delta table assay.runs, with its counts. As JSON, an object a "
        "line.\n",
    .options = list_options,
    .args_max = 1,
    .run = list_runs,
};

const struct cli_command cmd_runs_show = {
    .name = "runs show",
    .arguments = "RUN",
    .summary = "show all that is recorded of a run",
    .text =
        "The run's row of assay.runs and what each rule and check counted in it (assay.rule_results). RUN is the id "
        "that\n"
        "runs list shows, or its beginning. As JSON, the run and then an object for each rule.\n",
    .options = show_options,
    .args_min = 1,
    .args_max = 1,
    .run = show_run,
};
