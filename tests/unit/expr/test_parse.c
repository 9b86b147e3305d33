/* The grammar: which tree a text is, and what is said of a text that is none. */
#include "expr_test.h"

/** Two texts are the same tree. */
static void assert_same(const char *a, const char *b) {
    if (!expr_eq(parse(a), parse(b))) print_error("%s\n%s\n", a, b);
    assert_true(expr_eq(parse(a), parse(b)));
}

static void assert_differ(const char *a, const char *b) { assert_false(expr_eq(parse(a), parse(b))); }

/* Spark's SqlBaseParser.g4: alternatives of valueExpression and booleanExpression in order. */
static void test_precedence_is_sparks(void **state) {
    UNUSED(state);
    assert_same("a OR b AND c", "a OR (b AND c)");
    assert_same("NOT a AND b", "(NOT a) AND b");
    assert_same("NOT a = b", "NOT (a = b)");
    assert_same("NOT a IS NULL", "NOT (a IS NULL)");
    assert_same("a + b * c", "a + (b * c)");
    assert_same("a - b - c", "(a - b) - c");
    assert_same("a / b * c", "(a / b) * c");
    assert_same("a || b = c", "(a || b) = c");
    assert_same("a || b + c", "(a || b) + c");
    assert_same("-a * b", "(-a) * b");
    assert_same("a = b IS NULL", "(a = b) IS NULL");
    assert_same("a = b = c", "(a = b) = c");
    assert_same("a + 1 BETWEEN b AND c + 1 AND d", "((a + 1) BETWEEN b AND (c + 1)) AND d");
    assert_same("a LIKE b || c", "a LIKE (b || c)");
    assert_same("a IN (1, 2) OR b", "(a IN (1, 2)) OR b");
    assert_differ("a - (b - c)", "a - b - c");
    assert_differ("NOT (a AND b)", "NOT a AND b");
}

/* How Databricks and delta-rs write casts and moments into a table's constraints; the texts are delta-rs 1.6.6's. */
static void test_spellings_of_other_writers(void **state) {
    UNUSED(state);
    assert_same("amount > '0'::decimal(18, 2)", "amount > CAST('0' AS DECIMAL(18,2))");
    assert_same("day_of >= '2020-01-01'::date", "day_of >= CAST('2020-01-01' AS DATE)");
    assert_same("-a::string", "-(CAST(a AS STRING))");
    assert_same("a + b::int * c", "a + (CAST(b AS INT) * c)");
    assert_same("a::int::string = 'x'", "CAST(CAST(a AS INT) AS STRING) = 'x'");
    assert_same("(a = b)::string", "CAST(a = b AS STRING)");
    assert_same("at > arrow_cast('2020-01-01T00:00:00.000000', 'Timestamp(Microsecond, Some(\"UTC\"))')",
                "at > TIMESTAMP '2020-01-01T00:00:00.000000'");
    assert_same("at > arrow_cast('2020-01-01T01:02:03.123456000', 'Timestamp(Nanosecond, None)')",
                "at > TIMESTAMP '2020-01-01T01:02:03.123456'");
    assert_refused("i::", "column 4", "a type is expected");
    assert_refused("i::nonsense", "column 4", "is no type");
    assert_refused("arrow_cast(amount, 'Utf8View') <> ''", "column 1", "arrow_cast");
    assert_refused("at > arrow_cast('2020-01-01T01:02:03.123456789', 'Timestamp(Nanosecond, None)')", "column 6",
                   "six digits");
    assert_refused("at > arrow_cast('2020-01-01T01:02:03', 'Timestamp(Second, Some(\"+10:00\"))')", "column 6", "UTC");
}

static void test_other_spellings(void **state) {
    UNUSED(state);
    assert_same("a == 1", "a = 1");
    assert_same("a != 1", "a <> 1");
    assert_same("! a", "NOT a");
    assert_same("+5", "5");
    assert_same("a REGEXP 'x'", "a RLIKE 'x'");
    assert_same("a IS UNKNOWN", "a IS NULL");
    assert_same("a IS NOT DISTINCT FROM b", "a <=> b");
    assert_same("a IS DISTINCT FROM b", "NOT (a <=> b)");
    assert_same("CASE a WHEN 1 THEN 'x' ELSE 'y' END", "CASE WHEN a = 1 THEN 'x' ELSE 'y' END");
    assert_same("not(a)", "NOT a");
    assert_same("Upper(NAME) in ('x')", "upper(name) IN ('x')");
    assert_same("date IS NOT NULL AND date < date '2024-01-05'", "`date` IS NOT NULL AND `date` < DATE '2024-01-05'");
    assert_same("end >= 1", "`end` >= 1");
    assert_differ("a <=> b", "a = b");
    assert_differ("a IN (1, 2)", "a IN (2, 1)");
    assert_differ("a NOT IN (1)", "a IN (1)");
    assert_differ("'a'", "'A'");
    assert_differ("CAST(a AS INT)", "CAST(a AS BIGINT)");
}

/* As Spark stores the text of ADD CONSTRAINT: tokens joined by blanks. From tests/data/oracle and real tables. */
static void test_stored_constraints(void **state) {
    UNUSED(state);
    assert_same("currency IS NULL OR currency IN ( 'AUD' , 'NZD' )", "currency IS NULL OR currency IN ('AUD', 'NZD')");
    assert_same("length ( name ) >= 2", "length(name) >= 2");
    assert_same("note IS NULL OR length ( note ) < 5", "note IS NULL OR length(note) < 5");
    assert_same("amount > 0.5 AND CAST ( x AS DECIMAL ( 10 , 2 ) ) <= - 3",
                "amount > 0.5 AND CAST(x AS decimal(10,2)) <= -3");
    assert_same("`na me` <=> 'x'", "`na me`<=>'x'");
    assert_same("a IS NOT NULL AND current_date ( ) > b", "a IS NOT NULL AND current_date() > b");
}

static struct str text_value(const char *text) {
    const struct expr *e = parse(text);
    assert_int_equal(e->kind, EXPR_TEXT);
    return e->text;
}

/* Values from SELECT on Spark 3.5, doubled quotes apart (there two texts side by side, here and in Spark 4 a quote). */
static void test_texts(void **state) {
    UNUSED(state);
    assert_str(text_value("'it''s'"), "it's");
    assert_str(text_value("'it\\'s'"), "it's");
    assert_str(text_value("'a' 'b'"), "ab");
    assert_str(text_value("\"a'b\""), "a'b");
    assert_str(text_value("'a\\%b\\_c\\d\\\\d\\u0041\\101'"), "a\\%b\\_cd\\dAA");
    assert_str(text_value("'\\t\\n\\Z\\x'"), "\t\n\x1Ax");
    assert_str(text_value("r'\\d+'"), "\\d+");
    assert_str(text_value("'\\U0001F600\\u00e9'"), "\xF0\x9F\x98\x80\xC3\xA9");
    assert_int_equal(text_value("'a\\0b'").len, 3);
    assert_str(text_value("''"), "");
}

static void test_mistakes_have_place_and_hint(void **state) {
    UNUSED(state);
    assert_refused("", "column 1", "ends where a value is expected");
    assert_refused("i = ", "column 5", "ends where a value is expected");
    assert_refused("i = 'a", "column 5", "no closing '");
    assert_refused("`i = 1", "column 1", "no closing `");
    assert_refused("(i = 1", "column 7", "operator or `)`");
    assert_refused("i = 1)", "column 6", "an operator or the end");
    assert_refused("i 1", "column 3", "found 1, expected an operator");
    assert_refused("i IN ()", "column 7", "found ), expected a value");
    assert_refused("i IN 1", "column 6", "a list of values");
    assert_refused("i BETWEEN 1", "column 12", "AND");
    assert_refused("i NOT 5", "column 7", "IN, BETWEEN, LIKE or RLIKE");
    assert_refused("i IS 5", "column 6", "NULL, TRUE, FALSE or NOT");
    assert_refused("i IS NULL IS TRUE", "column 11", "found IS");
    assert_refused("i = NOT is_open", "column 5", "found NOT");
    assert_refused("CASE 1", "column 7", "WHEN");
    assert_refused("CASE WHEN is_open THEN 1", "column 25", "WHEN, ELSE or END");
    assert_refused("CAST(i AS nothing)", "column 11", "'nothing' is no type");
    assert_refused("CAST(i AS decimal(50,2))", "column 11", "is no type");
    assert_refused("i = 1 && is_open", "column 7", "write AND");
    assert_refused("i DIV 2", "column 3", "floor(a / b)");
    assert_refused("i = 1;", "column 6", "without an end mark");
    assert_refused("i = 1 -- why", "column 7", "comments");
    assert_refused("name = \xE2\x80\x98x\xE2\x80\x99", "column 8", "texts are quoted with '");
    assert_refused("i\xC2\xA0= 1", "column 2", "has no meaning here");
    assert_refused("a.b = 1", "column 2", "fields of structs");
    assert_refused("i IN (SELECT 1)", "column 7", "queries are not part");
    assert_refused("count(*) > 1", "column 7", "aggregates");
    assert_refused("i > 12abc", "column 5", "is no number");
    assert_refused("DATE '2024-02-30' = date", "column 1", "'2024-02-30' is no date");
    assert_refused("at > TIMESTAMP 'noon'", "column 6", "is no timestamp");
    assert_refused("i = \x01", "column 5", "control character 0x01");
    assert_refused("name = '\\uD800'", "column 9", "is no character");
    assert_refused("`` = 1", "column 1", "no name");
}

TEST_MAIN(RUN(test_precedence_is_sparks), RUN(test_spellings_of_other_writers), RUN(test_other_spellings),
          RUN(test_stored_constraints), RUN(test_texts), RUN(test_mistakes_have_place_and_hint))
