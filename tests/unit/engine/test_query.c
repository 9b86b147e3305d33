#include "engine_test.h"

static void test_texts_of_values(void **state) {
    UNUSED(state);
    static const struct {
        const char *sql, *text;
    } cases[] = {
        {"NULL::INT", "NULL"},
        {"true", "true"},
        {"(-128)::TINYINT", "-128"},
        {"-9223372036854775808", "-9223372036854775808"},
        {"18446744073709551615::UBIGINT", "18446744073709551615"},
        {"(-170141183460469231731687303715884105727)::HUGEINT", "-170141183460469231731687303715884105727"},
        {"1.50::DECIMAL(4,2)", "1.50"},
        {"(-0.05)::DECIMAL(9,2)", "-0.05"},
        {"0::DECIMAL(18,3)", "0.000"},
        {"(-99999999999999999999999999999999999999)::DECIMAL(38,0)", "-99999999999999999999999999999999999999"},
        {"0.1::DOUBLE", "0.1"},
        {"0.1::FLOAT", "0.1"},
        {"(0.1::DOUBLE + 0.2::DOUBLE)", "0.30000000000000004"},
        {"5e-324::DOUBLE", "4.94065645841247e-324"}, /* reads back equal */
        {"3::DOUBLE", "3.0"},
        {"'-0.0'::DOUBLE", "-0.0"},
        {"1e300::DOUBLE", "1e+300"},
        {"'nan'::DOUBLE", "NaN"},
        {"'-inf'::FLOAT", "-Infinity"},
        {"16777217::FLOAT", "16777216.0"},
        {"DATE '2024-01-05'", "2024-01-05"},
        {"DATE '12024-01-05'", "+12024-01-05"},
        {"DATE '1500-02-28'", "1500-02-28"},
        {"DATE '0044-03-15 (BC)'", "-0043-03-15"},
        {"'infinity'::DATE", "infinity"},
        {"TIMESTAMP '2024-01-05 12:30:45.5'", "2024-01-05 12:30:45.5"},
        {"TIMESTAMPTZ '2024-01-05 12:30:45.000001+02:00'", "2024-01-05 10:30:45.000001"},
        {"TIMESTAMPTZ '1969-12-31 23:59:59.999999Z'", "1969-12-31 23:59:59.999999"},
        {"'\\xDE\\xAD'::BLOB", "dead"},
        {"'plain \xc3\xa9'", "plain \xc3\xa9"},
        {"[1, NULL, 3]", "[1,null,3]"},
        {"['a\"b', '']", "[\"a\\\"b\",\"\"]"},
        {"{'a': 1, 'b': {'c': 'x', 'd': NULL}}", "{\"a\":1,\"b\":{\"c\":\"x\",\"d\":null}}"},
        {"MAP {'k': [1.5::DECIMAL(3,1)], 'l': NULL}", "{\"k\":[1.5],\"l\":null}"},
        {"MAP {1: DATE '2024-01-05'}", "{\"1\":\"2024-01-05\"}"},
        {"['nan'::DOUBLE, 0.5::DOUBLE]", "[\"NaN\",0.5]"},
        {"'b'::ENUM('a', 'b')", "b"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_str(ask(text_of("SELECT %s", cases[i].sql)), cases[i].text);
}

static void test_a_type_without_text_is_refused(void **state) {
    UNUSED(state);
    struct engine_result r;
    struct assay_error err = {0};
    assert_code(ASSAY_UNSUPPORTED, engine_query(engine, STR("SELECT TIME '12:00:00'"), 1, &arena, &r, &err), &err);
    assert_code(ASSAY_UNSUPPORTED, engine_query(engine, STR("SELECT [uuid()]"), 1, &arena, &r, &err), &err);
}

static void test_names_rows_and_nulls(void **state) {
    UNUSED(state);
    struct engine_result r;
    struct assay_error err = {0};
    const char *sql = "SELECT i AS \"the n\", CASE WHEN i % 2 = 0 THEN i END AS even FROM range(5000) t(i) ORDER BY i";
    assert_ok(engine_query(engine, str_of(sql), 5000, &arena, &r, &err), &err);
    assert_int_equal(r.row_count, 5000);
    assert_int_equal(r.column_count, 2);
    assert_str(r.columns[0], "the n");
    for (size_t i = 0; i < 5000; i++) {
        assert_int_equal(engine_cell_int(engine_cell_at(&r, i, 0), -1), i);
        assert_int_equal(engine_cell_at(&r, i, 1)->is_null, i % 2);
    }
    assert_code(ASSAY_LIMIT, engine_query(engine, str_of(sql), 4999, &arena, &r, &err), &err);
}

static void test_no_rows_still_have_names(void **state) {
    UNUSED(state);
    struct engine_result r;
    struct assay_error err = {0};
    assert_ok(engine_query(engine, STR("SELECT 1 AS a, 2 AS b WHERE false"), 0, &arena, &r, &err), &err);
    assert_int_equal(r.row_count, 0);
    assert_int_equal(r.column_count, 2);
    assert_str(r.columns[1], "b");
}

static void test_cells_as_integers(void **state) {
    UNUSED(state);
    assert_int_equal(engine_cell_int(&(struct engine_cell){false, STR("-12")}, 5), -12);
    assert_int_equal(engine_cell_int(&(struct engine_cell){true, STR("")}, 5), 5);
    assert_int_equal(engine_cell_int(&(struct engine_cell){false, STR("1.0")}, 5), 5);
}

static enum assay_code stop_at(void *context, const struct engine_cell *cells, size_t column_count,
                               struct assay_error *err) {
    size_t *left = context;
    assert_int_equal(column_count, 2);
    assert_int_equal(cells[1].text.len, 30); /* beyond what a DuckDB string holds inline */
    if (--*left) return ASSAY_OK;
    return error_set(err, ASSAY_CORRUPT, "row", "stopped here");
}

static void test_a_row_function_ends_the_query(void **state) {
    UNUSED(state);
    struct assay_error err = {0};
    size_t left = 3000;
    assert_code(
        ASSAY_CORRUPT,
        engine_query_each(engine, STR("SELECT i, repeat('x', 30) FROM range(1000000) t(i)"), stop_at, &left, &err),
        &err);
    assert_err_has(&err, "stopped here");
    assert_int_equal(left, 0);
    assert_str(ask("SELECT 42"), "42"); /* the engine is free for the next statement */
}

static enum assay_code count_row(void *context, const struct engine_cell *cells, size_t column_count,
                                 struct assay_error *err) {
    UNUSED(cells);
    UNUSED(column_count);
    UNUSED(err);
    ++*(size_t *)context;
    return ASSAY_OK;
}

static void test_an_error_in_the_middle_of_a_stream(void **state) {
    UNUSED(state);
    struct assay_error err = {0};
    size_t rows = 0;
    struct str sql = STR("SELECT CASE WHEN i = 900000 THEN error('boom') ELSE 'x' END FROM range(1000000) t(i)");
    assert_code(ASSAY_INTERNAL, engine_query_each(engine, sql, count_row, &rows, &err), &err);
    assert_err_has(&err, "boom");
    assert_true(rows < 1000000);
    rows = 0;
    assert_ok(engine_query_each(engine, STR("SELECT i FROM range(1000000) t(i)"), count_row, &rows, &err), &err);
    assert_int_equal(rows, 1000000);
}

static void test_several_statements_run_in_order(void **state) {
    UNUSED(state);
    struct assay_error err = {0};
    assert_ok(engine_run(engine,
                         STR("CREATE TEMP TABLE t (a INT); INSERT INTO t VALUES (1), (2); DELETE FROM t WHERE a = 1"),
                         &err),
              &err);
    assert_str(ask("FROM t"), "2");
    assert_ok(engine_run(engine, STR(""), &err), &err);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_engine, close_engine)
TEST_MAIN(TEST(test_texts_of_values), TEST(test_a_type_without_text_is_refused), TEST(test_names_rows_and_nulls),
          TEST(test_no_rows_still_have_names), TEST(test_cells_as_integers), TEST(test_a_row_function_ends_the_query),
          TEST(test_an_error_in_the_middle_of_a_stream), TEST(test_several_statements_run_in_order))
