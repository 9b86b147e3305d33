/* Texts that mean harm: too deep, too long, broken. */
#include "expr_test.h"

#include "base/limits.h"

static struct str repeat(const char *before, size_t count, const char *middle, const char *after) {
    struct buf text = {0};
    for (size_t i = 0; i < count; i++) buf_addz(&text, before);
    buf_addz(&text, middle);
    for (size_t i = 0; i < count; i++) buf_addz(&text, after);
    return taken(&text);
}

static void assert_limit(struct str text) {
    struct assay_error err = {0};
    struct expr *e;
    assert_code(ASSAY_LIMIT, expr_parse(text, &arena, &e, &err), &err);
    assert_code(ASSAY_LIMIT, expr_parse(text, &arena, &e, NULL), NULL);
}

static void test_deep_texts(void **state) {
    UNUSED(state);
    assert_limit(repeat("(", 10000, "1", ")"));
    assert_limit(repeat("NOT ", 10000, "1", ""));
    assert_limit(repeat("- ", 10000, "1", ""));
    assert_limit(repeat("f(", 10000, "1", ")"));
    assert_limit(repeat("a + ", 10000, "1", ""));
    assert_limit(repeat("a OR ", 10000, "1", ""));
    assert_limit(repeat("CASE WHEN ", 3000, "1", " THEN 1 END"));
    assert_limit(repeat("CAST(", 3000, "1", " AS INT)"));
    assert_limit(repeat("(a = ", 201, "1", ")"));
    assert_limit(repeat("(", 5000, "1", ""));
}

/** Chains inside of chains add up: the height of the tree counts, not the brackets. */
static void test_height_counts(void **state) {
    UNUSED(state);
    struct buf text = {0};
    struct str chain = repeat("", 150, "a", " + 1");
    buf_printf(&text, "(%.*s)", STR_ARG(chain));
    for (int i = 0; i < 100; i++) buf_addz(&text, " * 2");
    assert_limit(taken(&text));
}

/** CASE x WHEN shares x between its conditions, so a short text can be a tree of 2^n parts. */
static void test_size_counts(void **state) {
    UNUSED(state);
    assert_limit(repeat("CASE ", 60, "a", " WHEN 1 THEN 1 WHEN 2 THEN 2 END"));
}

static void test_at_the_limit(void **state) {
    UNUSED(state);
    struct assay_error err = {0};
    struct expr *e;
    struct str text = repeat("", LIMIT_RULE_DEPTH - 2, "is_open", " OR is_open");
    assert_ok(expr_parse(text, &arena, &e, &err), &err);
    assert_ok(expr_check_predicate(e, columns, COLUMNS, &arena, &err), &err);
    assert_ok(expr_parse(spark(e), &arena, &e, &err), &err);
    struct str printed = engine_text(text.ptr);
    assert_true(printed.len < 20 * text.len);
}

/** Values bound by lambdas keep the SQL in proportion to the rule, however the rule is nested. */
static void test_sql_does_not_explode(void **state) {
    UNUSED(state);
    assert_true(engine_text(repeat("substring(", 60, "name", ", -2)").ptr).len < 200000);
    assert_true(engine_text(repeat("CAST(CAST(", 40, "d", " AS INT) AS DOUBLE)").ptr).len < 200000);
    assert_true(engine_text(repeat("round(", 60, "d", ", 1)").ptr).len < 200000);
}

static void test_long_texts(void **state) {
    UNUSED(state);
    assert_limit(repeat("", 50000, "i = 1", "  "));
    struct assay_error err = {0};
    struct expr *e;
    struct str wide = repeat("", 10000, "i IN (1", ", 22");
    assert_ok(expr_parse(str_printf(&arena, "%.*s)", STR_ARG(wide)), &arena, &e, &err), &err);
    assert_int_equal(e->count, 10002);
}

static void test_broken_bytes(void **state) {
    UNUSED(state);
    assert_refused("name = '\xFF'", "column 9", "0xFF is not UTF-8");
    assert_refused("na\xC0\xAFme = 1", "column 3", "not UTF-8");
    assert_refused("\xEF\xBB\xBFi = 1", "column 1", "has no meaning here");
    struct assay_error err = {0};
    struct expr *e;
    assert_code(ASSAY_INVALID, expr_parse((struct str){"i = \0 1", 7}, &arena, &e, &err), &err);
    assert_err_has(&err, "control character 0x00");
}

/** Every text cut at every byte, and every byte replaced, is a tree or a clean refusal. */
static void test_mangled_texts(void **state) {
    UNUSED(state);
    static const char good[] =
        "CASE WHEN `na me` IS NOT NULL AND i NOT IN (1, -2.5e3, 'a\\'b\\u0041') THEN upper(name) || r'x' "
        "ELSE CAST(date AS STRING) END RLIKE '^[A-Z]+$' OR amount BETWEEN 0 AND 1e3 AND DATE '2024-02-29' <=> date";
    static const char bytes[] = "'\"`()\\,-.0Eur \xFF";
    parse(good);
    for (size_t i = 0; i < sizeof good - 1; i++) {
        struct assay_error err = {0};
        struct expr *e;
        char copy[sizeof good];
        if (expr_parse((struct str){good, i}, &arena, &e, &err) == ASSAY_OK)
            assert_true(expr_check(e, columns, COLUMNS, &arena, &err) == ASSAY_OK || err.message[0]);
        else
            assert_true(err.where[0] && err.message[0]);
        for (size_t b = 0; b < sizeof bytes - 1; b++) {
            memcpy(copy, good, sizeof good);
            copy[i] = bytes[b];
            if (expr_parse((struct str){copy, sizeof good - 1}, &arena, &e, &err) != ASSAY_OK) continue;
            assert_true(expr_eq(e, parse(spark(e).ptr)));
        }
    }
}

TEST_MAIN(RUN(test_deep_texts), RUN(test_height_counts), RUN(test_size_counts), RUN(test_at_the_limit),
          RUN(test_sql_does_not_explode), RUN(test_long_texts), RUN(test_broken_bytes), RUN(test_mangled_texts))
