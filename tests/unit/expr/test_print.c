/* Printing as Spark SQL: goldens, and that parsing it again gives the same tree. */
#include "expr_test.h"

static void assert_prints(const char *text, const char *expected) {
    const struct expr *e = parse(text);
    assert_str(spark(e), expected);
    assert_true(expr_eq(e, parse(expected)));
}

static void test_brackets_only_where_needed(void **state) {
    UNUSED(state);
    assert_prints("((a)) and (b or (c and d))", "a AND (b OR c AND d)");
    assert_prints("(a and b) and c", "a AND b AND c");
    assert_prints("a and (b and c)", "a AND (b AND c)");
    assert_prints("a-(b-c)", "a - (b - c)");
    assert_prints("(a-b)-c", "a - b - c");
    assert_prints("a*(b+c)", "a * (b + c)");
    assert_prints("(a = b) = c", "(a = b) = c");
    assert_prints("a = b is null", "(a = b) IS NULL");
    assert_prints("not (a = b)", "NOT a = b");
    assert_prints("(not a) is null", "(NOT a) IS NULL");
    assert_prints("not not a", "NOT NOT a");
    assert_prints("- - a", "- -a");
    assert_prints("-(-5)", "- -5");
    assert_prints("a - -5", "a - -5");
    assert_prints("-(a + b)", "-(a + b)");
    assert_prints("(a is null) in (true)", "(a IS NULL) IN (TRUE)");
    assert_prints("a in (b is null, c or d)", "a IN (b IS NULL, c OR d)");
    assert_prints("(a between 1 and 2) and b", "a BETWEEN 1 AND 2 AND b");
    assert_prints("a not between (b between 1 and 2) and 3", "a NOT BETWEEN (b BETWEEN 1 AND 2) AND 3");
    assert_prints("a||b||c", "a || b || c");
    assert_prints("a not like 'x' and b not rlike 'y'", "a NOT LIKE 'x' AND b NOT RLIKE 'y'");
    assert_prints("case when a then 1 when b then 2 else 3 end + 1", "CASE WHEN a THEN 1 WHEN b THEN 2 ELSE 3 END + 1");
    assert_prints("cast(a + 1 as decimal(5))", "CAST(a + 1 AS DECIMAL(5,0))");
    assert_prints("Coalesce(a, NULL, true)", "coalesce(a, NULL, TRUE)");
    assert_prints("date '2024-01-05' < timestamp '2024-01-05 12:00:00'",
                  "DATE '2024-01-05' < TIMESTAMP '2024-01-05 12:00:00'");
}

/* Read back by Spark 3.5 with the same value: SqlBaseLexer's STRING_LITERAL and ParserUtils.unescapeSQLString. */
static void test_texts_and_names(void **state) {
    UNUSED(state);
    assert_prints("'it''s'", "'it\\'s'");
    assert_prints("r'\\d'", "'\\\\d'");
    assert_prints("'a\\nb\\tc'", "'a\\nb\\tc'");
    assert_prints("'\\0\\Z'", "'\\u0000\\u001A'");
    assert_prints("'a\\_b'", "'a\\\\_b'");
    assert_prints("'$'", "'$'");
    assert_str(spark(expr_text(&arena, STR("${env:HOME}"))), "'\\u0024{env:HOME}'");
    assert_prints("`plain` = `na me`", "plain = `na me`");
    assert_prints("`a``b`", "`a``b`");
    assert_prints("`1a` + `2`", "`1a` + `2`");
    assert_prints("`select` + `Left` + _x", "`select` + `Left` + _x");
    assert_prints("gr\xC3\xB6\xC3\x9F\x65 > 0", "`gr\xC3\xB6\xC3\x9F\x65` > 0");
    assert_prints("`source.x` > 0", "`source.x` > 0");
}

/** Every operator in every place of every other one. */
static void test_every_pair_reads_back(void **state) {
    UNUSED(state);
    static const char *const shapes[] = {
        "(%s) = 1",
        "1 = (%s)",
        "(%s) <=> 1",
        "(%s) + 1",
        "1 + (%s)",
        "1 - (%s)",
        "(%s) * 2",
        "2 / (%s)",
        "-(%s)",
        "NOT (%s)",
        "(%s) AND a",
        "a AND (%s)",
        "(%s) OR a",
        "a OR (%s)",
        "(%s) IS NULL",
        "(%s) IS NOT TRUE",
        "(%s) IN (1)",
        "a NOT IN (%s)",
        "(%s) BETWEEN 1 AND 2",
        "a BETWEEN (%s) AND 2",
        "a BETWEEN 1 AND (%s)",
        "(%s) LIKE 'x'",
        "a LIKE (%s)",
        "a NOT RLIKE (%s)",
        "(%s) || 'x'",
        "f(%s, 1)",
        "CAST(%s AS INT)",
        "CASE WHEN %s THEN 1 END",
        "CASE WHEN a THEN %s ELSE 2 END",
        "a %% (%s)",
    };
    enum { SHAPES = sizeof shapes / sizeof shapes[0] };
    for (size_t i = 0; i < SHAPES; i++)
        for (size_t j = 0; j < SHAPES; j++)
            for (size_t k = 0; k < SHAPES; k++) {
                struct buf inner = {0}, middle = {0}, outer = {0};
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
                buf_printf(&inner, shapes[k], "x");
                buf_printf(&middle, shapes[j], inner.data);
                buf_printf(&outer, shapes[i], middle.data);
#pragma GCC diagnostic pop
                struct expr *e = parse(outer.data);
                if (!expr_eq(e, parse(spark(e).ptr))) print_error("%s\n%s\n", outer.data, spark(e).ptr);
                assert_true(expr_eq(e, parse(spark(e).ptr)));
                buf_free(&inner);
                buf_free(&middle);
                buf_free(&outer);
            }
}

/** Texts of all bytes survive, alone and side by side. */
static void test_every_byte_reads_back(void **state) {
    UNUSED(state);
    for (unsigned a = 0; a < 128; a++)
        for (unsigned b = 0; b < 128; b++) {
            char bytes[] = {(char)a, (char)b};
            struct str printed = spark(expr_text(&arena, (struct str){bytes, 2}));
            const struct expr *e = parse(printed.ptr);
            assert_int_equal(e->text.len, 2);
            assert_memory_equal(e->text.ptr, bytes, 2);
            struct str name = spark(expr_column(&arena, (struct str){bytes, 2}));
            if (a && b) assert_true(str_eq(parse(name.ptr)->text, (struct str){bytes, 2}));
        }
}

static void test_built_trees(void **state) {
    UNUSED(state);
    struct expr *name = expr_column(&arena, STR("name")), *args[] = {name};
    struct expr *list[] = {name, expr_text(&arena, STR("a")), expr_number(&arena, STR("5"))};
    assert_str(spark(expr_unary(&arena, EXPR_IS_NULL, name)), "name IS NULL");
    assert_str(
        spark(expr_binary(&arena, EXPR_GE, expr_call(&arena, STR("LENGTH"), args, 1), expr_number(&arena, STR("2")))),
        "length(name) >= 2");
    assert_str(spark(expr_in(&arena, list, 3)), "name IN ('a', 5)");
    assert_str(spark(expr_cast(&arena, name, (struct type){.kind = TYPE_FLOAT})), "CAST(name AS FLOAT)");
    assert_str(spark(expr_literal(&arena, EXPR_DATE, STR("2024-01-05"))), "DATE '2024-01-05'");
    assert_str(spark(expr_unary(&arena, EXPR_NEGATE, expr_number(&arena, STR("5")))), "-5");
    assert_true(expr_eq(parse("name IN ('a', 5)"), expr_in(&arena, list, 3)));
}

static void test_columns_of_a_tree(void **state) {
    UNUSED(state);
    struct str *names;
    size_t count;
    expr_columns(parse("upper(b) = a AND (A > 1 OR B IS NULL) AND c IN (d, 'e')"), &arena, &names, &count);
    assert_int_equal(count, 4);
    assert_str(names[0], "b");
    assert_str(names[1], "a");
    assert_str(names[2], "c");
    assert_str(names[3], "d");
}

TEST_MAIN(RUN(test_brackets_only_where_needed), RUN(test_texts_and_names), RUN(test_every_pair_reads_back),
          RUN(test_every_byte_reads_back), RUN(test_built_trees), RUN(test_columns_of_a_tree))
