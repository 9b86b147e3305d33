/* Names that become paths, and the reject limit on integers. */
#include "support/test.h"

#include "plan/plan.h"

static void test_table_becomes_a_folder(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    struct assay_error err = {0};
    struct str root;
    assert_ok(plan_table_root(STR("silver.orders"), &arena, &root, &err), &err);
    assert_str(root, "Tables/silver/orders");
    assert_ok(plan_table_root(STR("bronze.erp_über-2"), &arena, &root, &err), &err);
    assert_str(root, "Tables/bronze/erp_über-2");
    arena_reset(&arena);
}

static void test_no_text_leaves_the_folder(void **state) {
    UNUSED(state);
    static const char *const hostile[] = {
        "",
        "orders",
        "silver.",
        ".orders",
        "silver.or.ders",
        "silver.../x",
        "../silver.x",
        "silver./x",
        "silver.a/../b",
        "silver.a\\b",
        "silver.a b",
        "silver.a\nb",
        "silver.a%2e",
        "silver.'x'",
        "silver.*",
        "silver.\xff",
        "silver.\xc3\x28x",
        "silver.a\x01b",
        "silver.a;b",
    };
    struct arena arena = {0};
    for (size_t i = 0; i < sizeof hostile / sizeof hostile[0]; i++) {
        struct assay_error err = {0};
        struct str root = {0};
        assert_code(ASSAY_INVALID, plan_table_root(str_of(hostile[i]), &arena, &root, &err), &err);
        assert_err_has(&err, "<schema>.<table>");
        assert_null(root.ptr);
    }
    struct assay_error err = {0};
    struct str root;
    assert_code(ASSAY_INVALID, plan_table_root((struct str){"silver.a\0b", 10}, &arena, &root, &err), &err);
    arena_reset(&arena);
}

static void test_batch_ids(void **state) {
    UNUSED(state);
    static const char *const good[] = {"b1", "2024-03-01", "A_z-9", "-", "_x"};
    static const char *const bad[] = {"", "../x", "a/b", "a b", "ü", "b.1", "b1\n", "b'1", "*", "a%20"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        struct assay_error err = {0};
        assert_ok(plan_batch_check(str_of(good[i]), &err), &err);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct assay_error err = {0};
        assert_code(ASSAY_INVALID, plan_batch_check(str_of(bad[i]), &err), &err);
    }
    struct assay_error err = {0};
    assert_code(ASSAY_INVALID, plan_batch_check(STR("ab/c"), &err), &err);
    assert_err_has(&err, "character 3");
}

static void test_limit_as_text(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    assert_str(plan_limit_text(&(struct plan){.limit_scaled = 5}, &arena), "5");
    assert_str(plan_limit_text(&(struct plan){.limit_scaled = 5, .limit_scale = 1}, &arena), "0.5");
    assert_str(plan_limit_text(&(struct plan){.limit_scaled = 250, .limit_scale = 2}, &arena), "2.5");
    assert_str(plan_limit_text(&(struct plan){.limit_scaled = 100, .limit_scale = 2}, &arena), "1");
    assert_str(plan_limit_text(&(struct plan){.limit_scaled = 0, .limit_scale = 3}, &arena), "0");
    assert_str(plan_limit_text(&(struct plan){.limit_scaled = 1005, .limit_scale = 3}, &arena), "1.005");
    arena_reset(&arena);
}

/* The oracle's cases: 2 of 40 at 5 % passes, 2 of 39 does not; 1 of 200 at 0.5 % passes, 1 of 199 does not; 0 % lets no
 * row go. */
static void test_limit_itself_passes(void **state) {
    UNUSED(state);
    const struct plan five = {.limit_scaled = 5}, half = {.limit_scaled = 5, .limit_scale = 1}, none = {0};
    assert_false(plan_limit_exceeded(&five, 2, 40));
    assert_true(plan_limit_exceeded(&five, 2, 39));
    assert_false(plan_limit_exceeded(&half, 1, 200));
    assert_true(plan_limit_exceeded(&half, 1, 199));
    assert_false(plan_limit_exceeded(&none, 0, 10));
    assert_true(plan_limit_exceeded(&none, 1, 10));
    assert_false(plan_limit_exceeded(&five, 0, 0));
}

static void test_limit_does_not_overflow(void **state) {
    UNUSED(state);
    const int64_t rows = 1000000000000000; /* 10^15: times 100 times 10^6 is far above 2^63 */
    const struct plan third = {.limit_scaled = 33333333, .limit_scale = 6};
    assert_false(plan_limit_exceeded(&third, 333333330000000, rows));
    assert_true(plan_limit_exceeded(&third, 333333330000001, rows));
}

TEST_MAIN(cmocka_unit_test(test_table_becomes_a_folder), cmocka_unit_test(test_no_text_leaves_the_folder),
          cmocka_unit_test(test_batch_ids), cmocka_unit_test(test_limit_as_text),
          cmocka_unit_test(test_limit_itself_passes), cmocka_unit_test(test_limit_does_not_overflow))
