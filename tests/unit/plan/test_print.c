/*
 * The printed plan against golden files, tests/golden/plan/<name>.txt and .json, made from the contract
 * <name>.odcs.yaml beside them. UPDATE_GOLDEN=1 writes them anew: then read the difference.
 */
#include "support/test.h"

#include "base/json.h"
#include "plan/grid.h"
#include "plan/plan.h"

#include <stdlib.h>

static struct plan *load_plan_of(struct arena *arena, const char *path, const char *name) {
    struct contract *contracts = NULL;
    struct diagnostics diagnostics = {0};
    struct assay_error err = {0};
    struct plan *plan = NULL;
    size_t count = 0;
    struct str shown = str_printf(arena, "contracts/%s.odcs.yaml", name);
    assert_int_equal(contract_parse(test_read(arena, path), shown, arena, &contracts, &count, &diagnostics), ASSAY_OK);
    struct buf out = {0};
    diagnostics_print(&diagnostics, DIAGNOSTIC_ERROR, &out);
    if (diagnostics.error_count) fail_msg("%s", out.data);
    buf_free(&out);
    assert_int_equal(count, 1);
    assert_ok(plan_compile(&contracts[0], arena, &plan, &err), &err);
    return plan;
}

static struct plan *load_plan(struct arena *arena, const char *name) {
    const char *path = test_data(arena, str_printf(arena, "../golden/plan/%s.odcs.yaml", name).ptr);
    return load_plan_of(arena, path, name);
}

static void check_golden(struct arena *arena, const char *name, const char *ending, struct str actual) {
    const char *path = test_data(arena, str_printf(arena, "../golden/plan/%s.%s", name, ending).ptr);
    if (getenv("UPDATE_GOLDEN")) {
        test_write(path, actual);
        return;
    }
    assert_str(actual, str_c(arena, test_read(arena, path)));
}

static void check_text(struct arena *arena, const char *name) {
    struct buf out = {0};
    plan_print(load_plan(arena, name), &out);
    for (size_t i = 1; i < out.len; i++) assert_false(out.data[i] == '\n' && out.data[i - 1] == ' ');
    check_golden(arena, name, "txt", buf_str(&out));
    buf_free(&out);
}

static void check_json(struct arena *arena, const char *name) {
    struct buf out = {0};
    struct json *root = NULL;
    struct assay_error err = {0};
    const struct plan *plan = load_plan(arena, name);
    plan_print_json(plan, &out);
    assert_ok(json_parse(buf_str(&out), name, &root, &err), &err);
    assert_int_equal(json_count(json_member(root, "columns")), plan->column_count);
    assert_int_equal(json_count(json_member(root, "rules")), plan->rule_count);
    json_close(&root);
    buf_addc(&out, '\n');
    check_golden(arena, name, "json", buf_str(&out));
    buf_free(&out);
}

static const char *const contracts[] = {"silver.orders", "silver.readings"};

static void test_printed_for_people(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    for (size_t i = 0; i < sizeof contracts / sizeof contracts[0]; i++) check_text(&arena, contracts[i]);
    arena_reset(&arena);
}

static void test_printed_as_json(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    for (size_t i = 0; i < sizeof contracts / sizeof contracts[0]; i++) check_json(&arena, contracts[i]);
    arena_reset(&arena);
}

static void test_examples_are_in_order(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    const char *orders = test_data(&arena, "../../examples/orders/contracts/silver.orders.odcs.yaml");
    const char *flights = test_data(&arena, "../../examples/flights/contracts/silver.flights.odcs.yaml");
    assert_int_equal(load_plan_of(&arena, orders, "silver.orders")->column_count, 8);
    const struct plan *plan = load_plan_of(&arena, flights, "silver.flights");
    assert_int_equal(plan->column_count, 19);
    assert_int_equal(plan->key_count, 7);
    assert_int_equal(plan->version_count, 0);
    arena_reset(&arena);
}

static void test_columns_are_as_wide_as_their_characters(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    struct buf out = {0};
    struct grid grid = {.arena = &arena};
    grid_add(&grid, (struct grid_row){{STR("größe"), STR("1")}});
    grid_add(&grid, (struct grid_row){{STR("a"), STR(""), STR("end")}});
    grid_add(&grid, (struct grid_row){{STR("two\nlines"), STR("22")}});
    grid_print(&grid, &out);
    assert_str(buf_str(&out), "  größe      1\n"
                              "  a              end\n"
                              "  two lines  22\n");
    buf_free(&out);
    arena_reset(&arena);
}

TEST_MAIN(cmocka_unit_test(test_printed_for_people), cmocka_unit_test(test_printed_as_json),
          cmocka_unit_test(test_examples_are_in_order), cmocka_unit_test(test_columns_are_as_wide_as_their_characters))
