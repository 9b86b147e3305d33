/**
 * `assay.rule_results`: what each rule and each check counted in a run, one row for each of the contract's, also where
 * it counted nothing, so that a rule that never speaks can be told from one that was not asked.
 */
#include "run/run_int.h"

static const struct memory_column columns[] = {
    {"run_id", TYPE_STRING},      {"table_name", TYPE_STRING}, {"contract_version", TYPE_STRING},
    {"batch_id", TYPE_STRING},    {"rule", TYPE_STRING},       {"kind", TYPE_STRING},
    {"column_name", TYPE_STRING}, {"severity", TYPE_STRING},   {"rows", TYPE_BIGINT},
    {"of_rows", TYPE_BIGINT},     {"limit_text", TYPE_STRING}, {"passed", TYPE_BOOLEAN},
    {"ended_at", TYPE_TIMESTAMP},
};
enum { COLUMN_COUNT = sizeof columns / sizeof columns[0] };

struct row {
    struct str rule, column, severity, limit;
    const char *kind; /* rule or check */
    int64_t rows, of_rows;
    bool has_verdict, is_passed;
};

static void put_text(struct buf *sql, struct str text) {
    if (text.len)
        engine_sql_text(sql, text);
    else
        buf_addz(sql, "NULL");
    buf_addz(sql, "::VARCHAR, ");
}

static void print_row(const struct run_result *r, const struct row *row, struct buf *sql) {
    buf_addz(sql, sql->len ? ", (" : "(");
    put_text(sql, r->run_id);
    put_text(sql, r->plan->table);
    put_text(sql, r->plan->contract_version);
    put_text(sql, r->batch_id);
    put_text(sql, row->rule);
    put_text(sql, str_of(row->kind));
    put_text(sql, row->column);
    put_text(sql, row->severity);
    buf_printf(sql, "%lld::BIGINT, %lld::BIGINT, ", (long long)row->rows, (long long)row->of_rows);
    put_text(sql, row->limit);
    buf_addz(sql, !row->has_verdict ? "NULL::BOOLEAN, " : row->is_passed ? "true, " : "false, ");
    buf_printf(sql, "make_timestamptz(%lld))", (long long)r->ended_us);
}

static int64_t count_of(const struct silver_result *s, struct str id) {
    for (size_t i = 0; i < s->rule_count; i++)
        if (str_eq(s->rules[i].id, id)) return s->rules[i].count;
    return 0;
}

static struct str column_of(const struct plan *plan, size_t column) {
    return column == SIZE_MAX ? (struct str){0} : plan->columns[column].name;
}

static void print_rows(const struct run_result *r, struct buf *sql) {
    const struct plan *plan = r->plan;
    const struct silver_result *s = &r->silver;
    struct row corrupt = {.rule = STR("corrupt_record"), .severity = STR("error"), .kind = "rule"};
    corrupt.rows = s->corrupt, corrupt.of_rows = s->landed;
    print_row(r, &corrupt, sql);
    for (size_t k = 0; k < plan->rule_count; k++) {
        const struct plan_rule *rule = &plan->rules[k];
        struct row row = {.rule = rule->id, .column = column_of(plan, rule->column), .kind = "rule"};
        row.severity = plan_severity_text(rule->severity);
        row.rows = count_of(s, rule->id), row.of_rows = s->landed;
        print_row(r, &row, sql);
    }
    for (size_t k = 0; k < s->check_count; k++) {
        const struct silver_check *c = &s->checks[k];
        struct row row = {.rule = c->check->id, .kind = "check", .limit = c->check->limit};
        if (c->check->column_count == 1) row.column = column_of(plan, c->check->columns[0]);
        row.severity = plan_severity_text(c->check->severity);
        row.rows = c->count, row.of_rows = c->total;
        row.has_verdict = c->is_measured, row.is_passed = c->is_passed;
        print_row(r, &row, sql);
    }
}

enum assay_code rule_results_add(struct session *session, const struct run_result *result, struct arena *arena,
                                 struct assay_error *err) {
    struct buf rows = {0}, select = {0};
    print_rows(result, &rows);
    buf_printf(&select, "SELECT * FROM (VALUES %.*s) t(", STR_ARG(buf_str(&rows)));
    for (size_t i = 0; i < COLUMN_COUNT; i++) buf_printf(&select, "%s\"%s\"", i ? ", " : "", columns[i].name);
    buf_addc(&select, ')');
    enum assay_code rc =
        memory_append(session, STR(RULE_RESULTS_ROOT), "What each rule and check of a contract counted in each run.",
                      columns, COLUMN_COUNT, buf_str(&select), result, arena, err);
    buf_free(&rows);
    buf_free(&select);
    return rc;
}
