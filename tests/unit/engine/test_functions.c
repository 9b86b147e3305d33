/* The functions as SQL sees them: types, NULLs, whole vectors, planning. What the casts themselves do is in
 * test_cast*.c. */
#include "engine_test.h"

#include <stdlib.h>

static void expect(const char *sql, const char *answer) {
    struct str got = ask(text_of("SELECT %s", sql));
    if (!str_eq(got, str_of(answer))) print_error("in %s\n", sql);
    assert_str(got, answer);
}

static void test_casts_have_their_types(void **state) {
    UNUSED(state);
    expect("spark_date('2024-02-29'), typeof(spark_date('x'))", "2024-02-29|DATE");
    expect("spark_timestamp('2024-02-29 12:00:00+02:00'), typeof(spark_timestamp('x'))",
           "2024-02-29 10:00:00|TIMESTAMP WITH TIME ZONE");
    expect("spark_timestamp_ntz('2024-02-29 12:00:00'), typeof(spark_timestamp_ntz('x'))",
           "2024-02-29 12:00:00|TIMESTAMP");
    expect("spark_timestamp('-290308-12-22'), spark_timestamp('-290308-12-21 23:59:59.999999'), "
           "spark_timestamp_ntz('-290308-12-21 23:59:59.999999')",
           "-290308-12-22 00:00:00|NULL|NULL");
    expect("spark_tinyint('-128'), spark_tinyint('128'), typeof(spark_tinyint('1'))", "-128|NULL|TINYINT");
    expect("spark_smallint('32767'), spark_smallint('32768'), typeof(spark_smallint('1'))", "32767|NULL|SMALLINT");
    expect("spark_int('2147483647'), spark_int('2147483648'), typeof(spark_int('1'))", "2147483647|NULL|INTEGER");
    expect("spark_bigint('9223372036854775807'), spark_bigint('1.5'), typeof(spark_bigint('1'))",
           "9223372036854775807|NULL|BIGINT");
    expect("spark_float('1.5'), spark_float('x'), typeof(spark_float('1'))", "1.5|NULL|FLOAT");
    expect("spark_double('1e3'), spark_double(''), typeof(spark_double('1'))", "1000.0|NULL|DOUBLE");
    expect("spark_boolean('yes'), spark_boolean('f'), spark_boolean('maybe'), typeof(spark_boolean('1'))",
           "true|false|NULL|BOOLEAN");
    expect("spark_date(NULL), spark_timestamp(NULL), spark_int(NULL), spark_boolean(NULL), spark_trim(NULL), "
           "spark_upper(NULL)",
           "NULL|NULL|NULL|NULL|NULL|NULL");
}

static void test_decimals_of_every_width(void **state) {
    UNUSED(state);
    static const struct {
        int precision, scale;
        const char *text, *value;
    } cases[] = {{1, 0, "-9", "-9"},
                 {4, 2, "99.994", "99.99"},
                 {4, 2, "99.995", "NULL"},
                 {9, 2, "-1234567.885", "-1234567.89"},
                 {18, 2, " 1234567890123456.785", "1234567890123456.79"},
                 {18, 18, "0.5", "0.500000000000000000"},
                 {19, 0, "-9999999999999999999", "-9999999999999999999"},
                 {38, 0, "99999999999999999999999999999999999999", "99999999999999999999999999999999999999"},
                 {38, 38, "-0.1", "-0.10000000000000000000000000000000000000"},
                 {38, 10, "1e5", "100000.0000000000"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct assay_error err = {0};
        int p = cases[i].precision, s = cases[i].scale;
        assert_ok(engine_need_decimal(engine, p, s, &err), &err);
        assert_ok(engine_need_decimal(engine, p, s, &err), &err); /* twice is as good as once */
        expect(text_of("spark_decimal_%d_%d('%s'), typeof(spark_decimal_%d_%d('x')), spark_decimal_%d_%d(NULL)", p, s,
                       cases[i].text, p, s, p, s),
               text_of("%s|DECIMAL(%d,%d)|NULL", cases[i].value, p, s));
    }
    struct assay_error err = {0};
    assert_code(ASSAY_INVALID, engine_need_decimal(engine, 39, 0, &err), &err);
    assert_code(ASSAY_INVALID, engine_need_decimal(engine, 0, 0, &err), &err);
    assert_code(ASSAY_INVALID, engine_need_decimal(engine, 5, 6, &err), &err);
    assert_code(ASSAY_INVALID, engine_need_decimal(engine, 5, -1, &err), &err);
}

static void test_two_engines_have_their_own_decimals(void **state) {
    UNUSED(state);
    struct engine *first = engine, *second;
    struct engine_options options = {.temp_folder = str_of(folder)};
    struct assay_error err = {0};
    assert_ok(engine_need_decimal(first, 7, 3, &err), &err);
    assert_ok(engine_open(&options, &second, &err), &err);
    assert_ok(engine_need_decimal(second, 7, 3, &err), &err);
    engine = second;
    expect("spark_decimal_7_3('1.2345')", "1.235");
    engine_close(&second);
    engine = first;
    expect("spark_decimal_7_3('1.2344')", "1.234");
}

static void test_exact_decimals(void **state) {
    UNUSED(state);
    expect("spark_decimal_exact('1.20', 1), spark_decimal_exact('1.25', 1), spark_decimal_exact('x', 1), "
           "spark_decimal_exact(NULL, 1), "
           "spark_decimal_exact('1', NULL), spark_decimal_exact('1', 99)",
           "true|false|NULL|NULL|NULL|NULL");
}

/** Functions over the same column in one plan are not taken for one another. */
static void test_functions_are_told_apart(void **state) {
    UNUSED(state);
    struct assay_error err = {0};
    assert_ok(engine_need_decimal(engine, 10, 1, &err), &err);
    assert_ok(engine_need_decimal(engine, 10, 2, &err), &err);
    assert_str(ask("SELECT spark_decimal_10_1(s), spark_decimal_10_2(s), spark_double(s), spark_trim(s), "
                   "spark_upper(s), spark_lower(s), "
                   "spark_decimal_exact(s, 1), spark_decimal_exact(s, 2), java_regexp_find(s, '^ '), "
                   "java_regexp_find(s, '^1') "
                   "FROM (SELECT ' 1.25e0 ' AS s FROM range(2)) LIMIT 1"),
               "1.3|1.25|1.25|1.25e0| 1.25E0 | 1.25e0 |false|true|true|false");
    assert_str(ask("SELECT spark_to_date(s, 'yyyy-MM-dd'), spark_to_date(s, 'yyyy-dd-MM'), spark_to_timestamp(s, "
                   "'yyyy-dd-MM') "
                   "FROM (SELECT '2024-03-04' AS s FROM range(2)) LIMIT 1"),
               "2024-03-04|2024-04-03|2024-04-03 00:00:00");
}

/** 10,000 texts of all lengths around the border of inline texts, with NULLs; expected values by DuckDB's own
 * functions. */
static void check_against(const char *ours, const char *theirs, const char *texts) {
    expect(text_of("count(*), count(*) FILTER (%s IS NOT DISTINCT FROM %s) FROM (SELECT CASE WHEN i %% 11 <> 3 THEN %s "
                   "END AS s "
                   "FROM range(10000) t(i))",
                   ours, theirs, texts),
           "10000|10000");
}

static void test_text_functions_over_whole_vectors(void **state) {
    UNUSED(state);
    static const char *const texts[] = {
        "repeat('x', (i % 40)::INT)", /* nothing to do for trim and lower */
        "repeat(' ', (i % 5)::INT) || repeat('aB1', (i % 9)::INT) || repeat(' ', (i % 3)::INT)",
        "CASE WHEN i = 5000 THEN '  Zz  ' ELSE 'SAME' || repeat('Q', (i % 20)::INT) END", /* one change late */
        "repeat(' ', (i % 30)::INT)",
        "chr((i % 128)::INT) || 'middle of a long text' || chr((i % 128)::INT)",
        "'@[`{' || i || 'azAZ'",
        "repeat('long text with Words ', CASE WHEN i % 2000 = 0 THEN 2000 ELSE 3 END)",
        "'constant'",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        check_against("spark_trim(s)", "trim(s, ' ')", texts[i]);
        check_against("spark_upper(s)", "upper(s)", texts[i]);
        check_against("spark_lower(s)", "lower(s)", texts[i]);
    }
}

static void test_trim_takes_spaces_only(void **state) {
    UNUSED(state);
    expect(
        "spark_trim('  a b  '), spark_trim(chr(9) || ' a'), length(spark_trim('\xc2\xa0z ')), spark_trim('   ') = ''",
        "a b|\t a|2|true");
}

static void test_case_beyond_ascii_is_javas(void **state) {
    UNUSED(state);
    expect("spark_upper('stra\xc3\x9f"
           "e'), spark_upper('\xef\xac\x81x'), spark_lower('\xc3\x84"
           "B'), spark_upper('\xc3\xa9')",
           "STRASSE|FIX|\xc3\xa4"
           "b|\xc3\x89");
}

static void test_results_outlive_their_input(void **state) {
    UNUSED(state);
    struct assay_error err = {0};
    assert_ok(engine_run(engine,
                         STR("CREATE TEMP TABLE kept AS SELECT i, spark_trim(repeat('k' || i, 10)) AS same, "
                             "spark_trim('  ' || repeat('k' || i, 10)) AS cut FROM range(100000) t(i)"),
                         &err),
              &err);
    assert_str(ask("SELECT count(*) FROM kept WHERE same = repeat('k' || i, 10) AND cut = same"), "100000");
}

static void test_patterns(void **state) {
    UNUSED(state);
    expect("java_regexp_find('AB-12', '^[A-Z]{2}-[0-9]+$'), java_regexp_find('AB-', '^[A-Z]{2}-[0-9]+$'), "
           "java_regexp_find(NULL, 'a'), "
           "java_regexp_find('xay', 'a')",
           "true|false|NULL|true");
    expect("count(*) FROM range(10000) t(i) WHERE java_regexp_find(i::VARCHAR, '^(12|34).*[05]$')", "44");
}

static void test_json_paths(void **state) {
    UNUSED(state);
    assert_str(ask("SELECT spark_get_json_object('{\"a\":{\"b\":[1.10,\"x\"]}}', '$.a.b[0]'), "
                   "spark_get_json_object('{\"a\":{\"b\":[1.10,\"x\"]}}', '$.a.b[1]'), "
                   "spark_get_json_object('{\"a\": [ 1 ]}', '$.a'), spark_get_json_object('oops', '$.a'), "
                   "spark_get_json_object(NULL, '$.a')"),
               "1.10|x|[1]|NULL|NULL");
}

static void test_bad_patterns_end_the_planning(void **state) {
    UNUSED(state);
    static const struct {
        const char *sql;
        enum assay_code code;
    } cases[] = {
        {"SELECT java_regexp_find('a', '(')", ASSAY_INVALID},
        {"SELECT spark_to_date('a', 'yyyy-MM-dd''')", ASSAY_INVALID},
        {"SELECT java_regexp_find('a', NULL)", ASSAY_INTERNAL},
        {"SELECT java_regexp_find('a', s) FROM (SELECT 'x' AS s FROM range(2))", ASSAY_INTERNAL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct assay_error err = {0};
        struct engine_result r;
        assert_code(cases[i].code, engine_query(engine, str_of(cases[i].sql), 9, &arena, &r, &err), &err);
    }
}

static void test_a_pattern_that_gives_up_is_null(void **state) {
    UNUSED(state);
    expect("java_regexp_find(repeat('a', 5000) || '!', '^(a|aa|a*)+$') IS NOT TRUE", "true");
}

static void test_parallel_use_of_one_pattern(void **state) {
    UNUSED(state);
    expect("count(*) FROM (SELECT md5(i::VARCHAR) AS s FROM range(300000) t(i)) WHERE java_regexp_find(s, "
           "'^[0-9a-f]{32}$') AND "
           "spark_to_date('2024-01-01', 'yyyy-MM-dd') = DATE '2024-01-01'",
           "300000");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_engine, close_engine)
TEST_MAIN(TEST(test_casts_have_their_types), TEST(test_decimals_of_every_width),
          TEST(test_two_engines_have_their_own_decimals), TEST(test_exact_decimals),
          TEST(test_functions_are_told_apart), TEST(test_text_functions_over_whole_vectors),
          TEST(test_trim_takes_spaces_only), TEST(test_case_beyond_ascii_is_javas),
          TEST(test_results_outlive_their_input), TEST(test_patterns), TEST(test_json_paths),
          TEST(test_bad_patterns_end_the_planning), TEST(test_a_pattern_that_gives_up_is_null),
          TEST(test_parallel_use_of_one_pattern))
