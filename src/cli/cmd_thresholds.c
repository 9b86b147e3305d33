/**
 * thresholds: a reject limit for each table, proposed from what its batches were like.
 *
 * The good batches of the last weeks are looked at (their last run was done, and nobody overruled a gate). The proposal
 * is twice the 95th percentile of their reject percentages, not below the highest of them, raised to a round number: a
 * limit that none of them would have met and that a batch twice as bad as the bad ones does.
 */
#include "cli/commands.h"

#include "base/json.h"
#include "base/time.h"
#include "query/query.h"

#include <stdlib.h>

enum { WEEKS = 8, BATCHES_MIN = 5, RULES_SHOWN = 3 };

/* What the batches of a table were like; percentages. */
struct seen {
    int64_t batches, refused, overruled, rows, rows_low, rows_high;
    double median, p95, highest;
    bool has_batches;
};

static double real_of(const struct engine_cell *cell) { return cell->is_null ? 0 : strtod(cell->text.ptr, NULL); }

static void print_window(struct buf *sql, const struct plan *plan, int64_t weeks) {
    buf_addz(sql, "WITH last AS (SELECT * FROM " RUN_TABLE " WHERE table_name = ");
    engine_sql_text(sql, plan->table);
    buf_printf(sql, " AND ended_at >= make_timestamptz(%lld)", (long long)(time_now_us() - weeks * 7 * 86400000000));
    buf_addz(sql,
             " QUALIFY row_number() OVER (PARTITION BY batch_id ORDER BY ended_at DESC, run_id DESC) = 1), "
             "good AS (SELECT landed, 100.0 * quarantined / landed AS p FROM last WHERE status = 'done' AND landed > "
             "0 AND overruled IS NULL) ");
}

static enum assay_code look(struct session *session, const struct plan *plan, int64_t weeks, struct arena *arena,
                            struct seen *out, struct assay_error *err) {
    struct str root;
    struct query query;
    struct engine_result r = {0};
    struct buf sql = {0};
    *out = (struct seen){0};
    if (query_table_find(session->store, STR(RUN_TABLE), arena, &root, NULL)) return ASSAY_OK;
    print_window(&sql, plan, weeks);
    buf_addz(&sql,
             "SELECT (SELECT count(*) FROM good), (SELECT count(*) FROM last WHERE status = 'refused'), "
             "(SELECT count(*) FROM last WHERE overruled IS NOT NULL), (SELECT coalesce(sum(landed), 0)::BIGINT FROM "
             "good), (SELECT min(landed) FROM good), (SELECT max(landed) FROM good), (SELECT median(p) FROM good), "
             "(SELECT quantile_cont(p, 0.95) FROM good), (SELECT max(p) FROM good)");
    enum assay_code rc = query_open(session->store, session->engine, buf_str(&sql), arena, &query, err);
    if (rc == ASSAY_OK) rc = engine_query(session->engine, query.sql, 1, arena, &r, err);
    buf_free(&sql);
    if (rc) return rc;
    int64_t *const numbers[] = {&out->batches, &out->refused,  &out->overruled,
                                &out->rows,    &out->rows_low, &out->rows_high};
    enum { NUMBERS = sizeof numbers / sizeof numbers[0] };
    for (size_t i = 0; i < NUMBERS; i++) *numbers[i] = engine_cell_int(engine_cell_at(&r, 0, i), 0);
    out->median = real_of(engine_cell_at(&r, 0, NUMBERS));
    out->p95 = real_of(engine_cell_at(&r, 0, NUMBERS + 1));
    out->highest = real_of(engine_cell_at(&r, 0, NUMBERS + 2));
    out->has_batches = out->batches >= BATCHES_MIN;
    return ASSAY_OK;
}

/* The next of 0.1, 0.2, 0.5, 1, 2, 5 ... 100. */
static const char *round_up(double percent) {
    static const struct {
        double value;
        const char *text;
    } steps[] = {{0.1, "0.1"}, {0.2, "0.2"}, {0.5, "0.5"}, {1, "1"},  {2, "2"},
                 {5, "5"},     {10, "10"},   {20, "20"},   {50, "50"}};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
        if (percent <= steps[i].value) return steps[i].text;
    return "100";
}

static const char *propose(const struct seen *seen) {
    double wanted = 2 * seen->p95;
    return round_up(wanted > seen->highest ? wanted : seen->highest);
}

/* ---- the rules that reject most ---- */

static enum assay_code look_at_rules(struct session *session, const struct plan *plan, int64_t weeks,
                                     struct arena *arena, struct engine_result *out, struct assay_error *err) {
    struct str root;
    struct query query;
    struct buf sql = {0};
    *out = (struct engine_result){0};
    if (query_table_find(session->store, STR(RUN_RULES_TABLE), arena, &root, NULL)) return ASSAY_OK;
    print_window(&sql, plan, weeks);
    buf_addz(&sql, "SELECT rule, sum(\"rows\")::BIGINT AS n FROM " RUN_RULES_TABLE
                   " WHERE kind = 'rule' AND severity = 'error' AND run_id IN (SELECT run_id FROM last WHERE status = "
                   "'done' AND overruled IS NULL) GROUP BY rule HAVING n > 0 ORDER BY n DESC, rule");
    buf_printf(&sql, " LIMIT %d", RULES_SHOWN);
    enum assay_code rc = query_open(session->store, session->engine, buf_str(&sql), arena, &query, err);
    if (rc == ASSAY_OK) rc = engine_query(session->engine, query.sql, RULES_SHOWN, arena, out, err);
    buf_free(&sql);
    return rc;
}

/* ---- telling ---- */

static void print_text(const struct plan *plan, const struct seen *seen, const struct engine_result *rules,
                       int64_t weeks, struct arena *arena, struct buf *out) {
    struct str limit = plan_limit_text(plan, arena);
    buf_printf(out, "%.*s  limit now %.*s %%", STR_ARG(plan->table), STR_ARG(limit));
    if (!seen->has_batches) {
        buf_printf(out, "; %lld good batch%s in %lld weeks, at least %d are needed to propose one\n",
                   (long long)seen->batches, seen->batches == 1 ? "" : "es", (long long)weeks, BATCHES_MIN);
        return;
    }
    buf_printf(out, ", proposed %s %%\n", propose(seen));
    buf_printf(out, "  batches     %lld good in %lld weeks, of %lld to %lld rows", (long long)seen->batches,
               (long long)weeks, (long long)seen->rows_low, (long long)seen->rows_high);
    if (seen->refused) buf_printf(out, "; %lld refused are left out", (long long)seen->refused);
    if (seen->overruled) buf_printf(out, "; %lld let through by a person are left out", (long long)seen->overruled);
    buf_printf(out, "\n  rejected    median %.3g %%, 95th percentile %.3g %%, highest %.3g %%\n", seen->median,
               seen->p95, seen->highest);
    buf_printf(out, "  reasoning   twice the 95th percentile is %.3g %%%s; raised to a round number\n", 2 * seen->p95,
               seen->highest > 2 * seen->p95 ? ", less than the highest, so that counts" : "");
    for (size_t i = 0; i < rules->row_count; i++) {
        int64_t rows = engine_cell_int(engine_cell_at(rules, i, 1), 0);
        buf_printf(out, "%s%lld %.*s", i ? "; " : "  most often  ", (long long)rows,
                   STR_ARG(engine_cell_at(rules, i, 0)->text));
    }
    if (rules->row_count) buf_addc(out, '\n');
    buf_printf(out, "  contract    assayBatch: { maxRejectPercent: %s }\n", propose(seen));
}

static void print_json(const struct plan *plan, const struct seen *seen, struct arena *arena, struct buf *out) {
    struct json_writer w = {.out = out};
    json_begin_object(&w);
    json_key(&w, "table");
    json_put_str(&w, plan->table);
    json_key(&w, "limit");
    json_put_raw(&w, plan_limit_text(plan, arena));
    json_key(&w, "proposed");
    if (seen->has_batches)
        json_put_raw(&w, str_of(propose(seen)));
    else
        json_put_null(&w);
    json_key(&w, "batches");
    json_put_int(&w, seen->batches);
    json_key(&w, "refused");
    json_put_int(&w, seen->refused);
    json_key(&w, "overruled");
    json_put_int(&w, seen->overruled);
    const struct {
        const char *key;
        double value;
    } shares[] = {{"median", seen->median}, {"p95", seen->p95}, {"highest", seen->highest}};
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) {
        json_key(&w, shares[i].key);
        json_put_raw(&w, str_printf(arena, "%.6g", shares[i].value));
    }
    json_end_object(&w);
    buf_addc(out, '\n');
}

static enum assay_code tell(struct session *session, const struct plan *plan, int64_t weeks, bool is_json,
                            struct assay_error *err) {
    struct arena arena = {0};
    struct seen seen;
    struct engine_result rules = {0};
    struct buf text = {0};
    enum assay_code rc = look(session, plan, weeks, &arena, &seen, err);
    if (rc == ASSAY_OK && !is_json && seen.has_batches) rc = look_at_rules(session, plan, weeks, &arena, &rules, err);
    if (rc == ASSAY_OK && is_json) print_json(plan, &seen, &arena, &text);
    if (rc == ASSAY_OK && !is_json) print_text(plan, &seen, &rules, weeks, &arena, &text);
    cli_out(&text);
    buf_free(&text);
    arena_reset(&arena);
    return rc;
}

static enum assay_code run(struct cli *cli, struct assay_error *err) {
    struct project project;
    struct plan **plans;
    size_t count;
    struct session session;
    struct session_options options;
    int64_t weeks = WEEKS;
    bool is_json;
    const char *given = cli_value(cli, "weeks");
    if (given && (str_int64(str_of(given), &weeks) || weeks < 1 || weeks > 520))
        return error_set(err, ASSAY_INVALID, "--weeks", "`%s` is no number of weeks from 1 to 520", given);
    TRY(cli_wants_json(cli, &is_json, err));
    TRY(cli_session_options(cli, &options, err));
    options.read_only = true;
    TRY(cli_plans(cli, &project, &plans, &count, err));
    TRY(session_open(&project, &options, &session, err));
    enum assay_code rc = ASSAY_OK;
    for (size_t i = 0; i < count && rc == ASSAY_OK; i++) rc = tell(&session, plans[i], weeks, is_json, err);
    session_close(&session);
    return rc;
}

static const struct cli_option thresholds_options[] = {
    {"weeks", "N", "how far to look back (default 8)"},
    CLI_FORMAT_OPTIONS,
    CLI_SESSION_OPTIONS,
    {0},
};

const struct cli_command cmd_thresholds = {
    .name = "thresholds",
    .arguments = "[TABLE]",
    .summary = "propose reject limits from the batches of the last weeks",
    .text =
        "For each table: what share of its rows the good batches had rejected, and a limit that none of them would\n"
        "have met and a batch twice as bad would. The reasoning is shown; nothing is changed.\n",
    .options = thresholds_options,
    .args_max = 1,
    .run = run,
};
