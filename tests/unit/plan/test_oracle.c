/*
 * The plan of every contract of the oracle beside the tables that Spark made of it: columns, types, nullability, names
 * of the constraints, and the texts of those that need no typed literal.
 */
#include "support/test.h"

#include "base/json.h"
#include "plan/plan.h"

#include <dirent.h>
#include <string.h>

/* Its last contract is refused before silver gets the new column, so the table is the one of the contract before. */
#define REFUSED_SCENARIO "missing-column"
/* Its contract has YAML anchors, which assay refuses. */
#define ANCHORED_SCENARIO "reference-table"

static struct plan *load_plan(struct arena *arena, struct str path) {
    struct contract *contracts = NULL;
    struct diagnostics diagnostics = {0};
    struct assay_error err = {0};
    struct plan *plan = NULL;
    size_t count = 0;
    struct str text = test_read(arena, str_c(arena, path));
    assert_int_equal(contract_parse(text, path, arena, &contracts, &count, &diagnostics), ASSAY_OK);
    if (diagnostics.error_count) {
        struct buf out = {0};
        diagnostics_print(&diagnostics, DIAGNOSTIC_ERROR, &out);
        print_error("%s\n", out.data);
        buf_free(&out);
    }
    assert_int_equal(diagnostics.error_count, 0);
    assert_int_equal(count, 1);
    assert_ok(plan_compile(&contracts[0], arena, &plan, &err), &err);
    return plan;
}

static struct json *load_json(struct arena *arena, struct str path) {
    struct json *root = NULL;
    struct assay_error err = {0};
    assert_ok(json_parse(test_read(arena, str_c(arena, path)), path.ptr, &root, &err), &err);
    return root;
}

/* The next column of the table is this one. */
static void expect_column(const struct json *columns, size_t *at, struct str name, const char *type, bool nullable) {
    const struct json *column = json_at(columns, (*at)++);
    struct arena arena = {0};
    assert_non_null(column);
    assert_str(json_str(json_member(column, "name")), str_c(&arena, name));
    if (type) assert_str(json_str(json_member(column, "type")), type);
    assert_int_equal(json_bool(json_member(column, "nullable")), nullable);
    arena_reset(&arena);
}

static void check_silver_columns(const struct plan *plan, const struct json *columns) {
    size_t at = 0;
    for (size_t i = 0; i < plan->column_count; i++) {
        struct buf type = {0};
        type_print(&type, plan->columns[i].type);
        expect_column(columns, &at, plan->columns[i].name, type.data, !plan->columns[i].is_required);
        buf_free(&type);
    }
    expect_column(columns, &at, STR(LINEAGE_SOURCE_FILE), "string", true);
    expect_column(columns, &at, STR(LINEAGE_BATCH_ID), "string", true);
    expect_column(columns, &at, STR(LINEAGE_LOADED_AT), "timestamp", true);
    assert_int_equal(at, json_count(columns));
}

static void check_quarantine_columns(const struct plan *plan, const struct json *columns, struct arena *arena) {
    size_t at = 0;
    for (size_t i = 0; i < plan->column_count; i++) {
        struct str name = str_printf(arena, QUARANTINE_RAW_PREFIX "%.*s", STR_ARG(plan->columns[i].name));
        expect_column(columns, &at, name, "string", true);
    }
    expect_column(columns, &at, STR(BRONZE_CORRUPT_RECORD), "string", true);
    expect_column(columns, &at, STR(QUARANTINE_REASON), "string", true);
    expect_column(columns, &at, STR(QUARANTINE_RULES), NULL, true);
    expect_column(columns, &at, STR(LINEAGE_SOURCE_FILE), "string", true);
    expect_column(columns, &at, STR(LINEAGE_SOURCE_LINE), "bigint", true);
    expect_column(columns, &at, STR(LINEAGE_BATCH_ID), "string", true);
    expect_column(columns, &at, STR(QUARANTINE_VERSION), "string", true);
    expect_column(columns, &at, STR(QUARANTINE_AT), "timestamp", true);
}

static void check_constraint_text(const struct plan_constraint *constraint, struct str spark, struct arena *arena) {
    struct expr *expected;
    struct assay_error err = {0};
    if (str_find(spark, STR("CAST(")) != SIZE_MAX) return;
    assert_ok(expr_parse(spark, arena, &expected, &err), &err);
    if (!expr_eq(expected, constraint->predicate)) assert_str(constraint->text, str_c(arena, spark));
}

static void check_constraints(const struct plan *plan, const struct json *constraints, struct arena *arena) {
    for (size_t i = 0; i < plan->constraint_count; i++) {
        const struct json *text = json_member(constraints, str_c(arena, plan->constraints[i].name));
        if (!text) fail_msg("Spark's table has no constraint %.*s", STR_ARG(plan->constraints[i].name));
        check_constraint_text(&plan->constraints[i], json_str(text), arena);
    }
    assert_int_equal(plan->constraint_count, json_count(constraints));
}

static void check_tables(const struct plan *plan, const struct json *tables, struct arena *arena) {
    const struct json *silver = json_member(tables, str_c(arena, plan->table));
    const struct json *quarantine = json_member(tables, str_c(arena, plan->quarantine_table));
    const struct json *bronze = json_member(tables, str_c(arena, plan->bronze_table));
    if (silver) {
        check_silver_columns(plan, json_member(silver, "columns"));
        check_constraints(plan, json_member(silver, "constraints"), arena);
    }
    if (quarantine) check_quarantine_columns(plan, json_member(quarantine, "columns"), arena);
    bool is_fixed =
        plan->source.header == CONTRACT_HEADER_STRICT; /* byName lets bronze keep what an earlier contract read */
    for (size_t i = 0, at = 0; bronze && is_fixed && i < plan->source_column_count; i++)
        expect_column(json_member(bronze, "columns"), &at, plan->source_columns[i], "string", true);
}

/* Whether a later step uses another contract for the same table. */
static bool is_replaced(struct plan *const *plans, size_t count, size_t at) {
    for (size_t i = at + 1; i < count; i++)
        if (str_eq(plans[i]->table, plans[at]->table)) return true;
    return false;
}

static void check_scenario(struct str folder, bool is_compared) {
    struct arena arena = {0};
    struct json *steps = load_json(&arena, str_path(&arena, folder, STR("steps.json")));
    struct json *tables = load_json(&arena, str_path(&arena, folder, STR("expected/tables.json")));
    const struct json *list = json_member(steps, "steps");
    size_t count = json_count(list);
    struct plan **plans = ARENA_ARRAY(&arena, count, struct plan *);
    assert_true(count > 0);
    for (size_t i = 0; i < count; i++) {
        struct str name = json_str(json_member(json_at(list, i), "contract"));
        plans[i] = load_plan(&arena, str_path(&arena, folder, name.len ? name : STR("contract.odcs.yaml")));
    }
    for (size_t i = 0; is_compared && i < count; i++)
        if (!is_replaced(plans, count, i)) check_tables(plans[i], tables, &arena);
    json_close(&steps);
    json_close(&tables);
    arena_reset(&arena);
}

static void test_plans_make_the_tables_that_spark_made(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    const char *folder = test_data(&arena, "oracle/scenarios");
    DIR *dir = opendir(folder);
    size_t count = 0;
    assert_non_null(dir);
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        if (entry->d_name[0] == '.' || strcmp(entry->d_name, ANCHORED_SCENARIO) == 0) continue;
        print_message("%s\n", entry->d_name);
        check_scenario(str_path(&arena, str_of(folder), str_of(entry->d_name)),
                       strcmp(entry->d_name, REFUSED_SCENARIO) != 0);
        count++;
    }
    closedir(dir);
    assert_int_equal(count, 30);
    arena_reset(&arena);
}

TEST_MAIN(cmocka_unit_test(test_plans_make_the_tables_that_spark_made))
