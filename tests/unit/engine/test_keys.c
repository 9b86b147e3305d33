/* Repeated keys and the fence; the expected sets come from arithmetic. */
#include "engine_test.h"

static int64_t find(const char *select, int64_t row_count) {
    struct assay_error err = {0};
    int64_t found = -1;
    assert_ok(engine_find_repeated(engine, str_of(select), row_count, &found, &err), &err);
    return found;
}

static void test_finds_what_occurs_more_than_once(void **state) {
    UNUSED(state);
    assert_int_equal(find("SELECT unnest([5, 0, 7, 5, 9, 0, 5])::UBIGINT", 7), 2);
    assert_str(ask("SELECT key_is_repeated(h::UBIGINT) FROM (VALUES (0), (5), (7), (9), (11)) t(h)"),
               "true\ntrue\nfalse\nfalse\nfalse");
    /* the hash 0 marks free places inside; all bits set is the highest part */
    assert_int_equal(find("SELECT unnest([0, 18446744073709551615, 18446744073709551615])::UBIGINT", 3), 1);
    assert_str(ask("SELECT key_is_repeated(0::UBIGINT), key_is_repeated(18446744073709551615)"), "false|true");
}

static void test_forgets_what_it_found_before(void **state) {
    UNUSED(state);
    assert_str(ask("SELECT key_is_repeated(5::UBIGINT)"), "false");
    assert_int_equal(find("SELECT unnest([5, 5])::UBIGINT", 2), 1);
    assert_int_equal(find("SELECT unnest([6, 5, 6])::UBIGINT", 3), 1);
    assert_str(ask("SELECT key_is_repeated(5::UBIGINT), key_is_repeated(6::UBIGINT)"), "false|true");
    assert_int_equal(find("SELECT 1::UBIGINT WHERE false", 0), 0);
    assert_str(ask("SELECT key_is_repeated(6::UBIGINT)"), "false");
}

/** Multiples of 10 below 1,000,000 occur twice: 100,000 of them. */
static void check_many(int64_t row_count) {
    assert_int_equal(find("SELECT hash(i) FROM (SELECT range i FROM range(1000000) UNION ALL SELECT range * 10 FROM "
                          "range(100000))",
                          row_count),
                     100000);
    assert_str(
        ask("SELECT count(*), count(*) FILTER (i % 10 = 0) FROM range(1000000) t(i) WHERE key_is_repeated(hash(i))"),
        "100000|100000");
}

static void test_many_keys_on_several_threads(void **state) {
    UNUSED(state);
    check_many(1100000);
    check_many(0); /* a wrong guess costs time only */
    check_many(-1);
    check_many(70000000); /* so many that the rows are read three times, a third of the hashes each */
}

static void test_an_error_of_the_select(void **state) {
    UNUSED(state);
    struct assay_error err = {0};
    int64_t found;
    assert_int_equal(find("SELECT unnest([5, 5])::UBIGINT", 2), 1);
    assert_code(ASSAY_INTERNAL,
                engine_find_repeated(engine, STR("SELECT error('no')::UBIGINT FROM range(3)"), 3, &found, &err), &err);
    assert_int_equal(find("SELECT unnest([7, 7])::UBIGINT", 2), 1);
}

/** A filter on a plain expression moves below the projection that computes it, one on as_computed does not. */
static void test_as_computed_is_a_fence(void **state) {
    UNUSED(state);
    assert_str(ask("SELECT as_computed(i > 1) FROM (VALUES (1), (2), (NULL)) t(i)"), "false\ntrue\nNULL");
    static const char plan[] =
        "EXPLAIN SELECT a FROM (SELECT i * 7 AS a, %s(i * 7 > 5) AS b FROM range(9) t(i)) WHERE b";
    struct str plain = ask(text_of(plan, "")), fenced = ask(text_of(plan, "as_computed"));
    size_t filter = str_find(plain, STR("FILTER")), projection = str_find(plain, STR("PROJECTION"));
    assert_true(projection < filter && filter != SIZE_MAX);
    filter = str_find(fenced, STR("FILTER"));
    assert_true(filter != SIZE_MAX && str_find(str_sub(fenced, filter, fenced.len), STR("PROJECTION")) != SIZE_MAX);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_engine, close_engine)
TEST_MAIN(TEST(test_finds_what_occurs_more_than_once), TEST(test_forgets_what_it_found_before),
          TEST(test_many_keys_on_several_threads), TEST(test_an_error_of_the_select), TEST(test_as_computed_is_a_fence))
