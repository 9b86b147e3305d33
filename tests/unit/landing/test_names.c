/* Which names in a batch folder are data: the pattern, beside what fnmatch(3) says of it, and the marks in front. */
#include "landing_test.h"

#include <fnmatch.h>

static void check(const char *pattern, const char *name, bool expected) {
    bool is_match = landing_matches(str_of(pattern), str_of(name));
    if (is_match != expected) fail_msg("%s on %s: %d", pattern, name, is_match);
}

static void test_patterns(void **state) {
    UNUSED(state);
    check("*.csv", "a.csv", true);
    check("*.csv", ".csv", true);
    check("*.csv", "a.CSV", false); /* case counts */
    check("*.csv", "a.csv.gz", false);
    check("orders_??.csv", "orders_01.csv", true);
    check("orders_??.csv", "orders_1.csv", false);
    check("*_[0-9][0-9].csv", "x_07.csv", true);
    check("*_[0-9][0-9].csv", "x_a7.csv", false);
    check("[!_]*.csv", "_a.csv", false);
    check("[^_]*.csv", "a.csv", true);
    check("[]x].csv", "].csv", true);
    check("a[.csv", "a[.csv", true); /* a bracket that nothing closes is itself */
    check("*", "", true);
    check("", "", true);
    check("", "a", false);
    check("a*b*c", "a-b-b-c", true);
    check("a.b", "axb", false);
    check("*\\*", "a\\b", true); /* a backslash is itself */
}

static uint64_t random_state = 88172645463325252u;
static size_t random_below(size_t limit) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (size_t)(random_state % limit);
}

static void test_random_patterns_beside_fnmatch(void **state) {
    UNUSED(state);
    static const char *const pieces[] = {"a", "b", "*", "?", "[ab]", "[!a]", "[a-c]", "*.b"};
    for (int round = 0; round < 200000; round++) {
        struct buf pattern = {0}, name = {0};
        for (size_t i = random_below(6); i > 0; i--) buf_addz(&pattern, pieces[random_below(8)]);
        for (size_t i = random_below(7); i > 0; i--) buf_addc(&name, "abc."[random_below(4)]);
        buf_reserve(&pattern, 1);
        buf_reserve(&name, 1);
        pattern.data[pattern.len] = name.data[name.len] = '\0';
        check(pattern.data, name.data, fnmatch(pattern.data, name.data, 0) == 0);
        buf_free(&pattern);
        buf_free(&name);
    }
}

/* Stars that could be tried in very many ways. */
static void test_many_stars_take_no_time(void **state) {
    UNUSED(state);
    struct buf pattern = {0}, name = {0};
    for (int i = 0; i < 100; i++) buf_addz(&pattern, "*a");
    buf_addc(&pattern, 'b');
    for (int i = 0; i < 255; i++) buf_addc(&name, 'a');
    assert_false(landing_matches(buf_str(&pattern), buf_str(&name)));
    buf_free(&pattern);
    buf_free(&name);
}

static void test_marked_names_are_no_data(void **state) {
    UNUSED(state);
    assert_true(landing_is_data(&PLAN, STR("a.csv")));
    assert_false(landing_is_data(&PLAN, STR("_a.csv")));
    assert_false(landing_is_data(&PLAN, STR(".a.csv")));
    assert_false(landing_is_data(&PLAN, STR("")));
    assert_false(landing_is_data(&PLAN, STR("a.txt")));
}

/** Protocol, "File Types": what readers of a version need, and what is a hint or somebody else's. */
static void test_files_of_a_delta_table(void **state) {
    UNUSED(state);
    static const char *const READ[] = {"_delta_log/00000000000000000001.json",
                                       "_delta_log/00000000000000000010.checkpoint.parquet",
                                       "_delta_log/_sidecars/016ae953-37a9-438e-8683-9a9a4a79a395.parquet",
                                       "part-0.parquet",
                                       "country=NO/_day=1/part-0.parquet",
                                       "ab/deletion_vector_x.bin"};
    static const char *const LEFT[] = {"_delta_log/_last_checkpoint",
                                       "_delta_log/00000000000000000001.crc",
                                       "_delta_log/.00000000000000000001.json.crc",
                                       "_change_data/cdc-0.parquet",
                                       ".part-0.parquet.crc",
                                       "country=NO/.tmp/part-0.parquet",
                                       "_a=1.parquet"};
    for (size_t i = 0; i < sizeof READ / sizeof READ[0]; i++) assert_true(landing_is_table_file(str_of(READ[i])));
    for (size_t i = 0; i < sizeof LEFT / sizeof LEFT[0]; i++) assert_false(landing_is_table_file(str_of(LEFT[i])));
    assert_false(landing_is_log_file(STR("_delta_log/_last_checkpoint")));
    assert_false(landing_is_log_file(STR("part-0.parquet")));
}

TEST_MAIN(cmocka_unit_test(test_patterns), cmocka_unit_test(test_random_patterns_beside_fnmatch),
          cmocka_unit_test(test_many_stars_take_no_time), cmocka_unit_test(test_marked_names_are_no_data),
          cmocka_unit_test(test_files_of_a_delta_table))
