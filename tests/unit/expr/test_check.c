/* Types and refusals. The types are those of typeof() in Spark 3.5. */
#include "expr_test.h"

static void test_types_are_sparks(void **state) {
    UNUSED(state);
    assert_str(type_text("2147483647"), "int");
    assert_str(type_text("2147483648"), "bigint");
    assert_str(type_text("-2147483648"), "int");
    assert_str(type_text("-9223372036854775808"), "bigint");
    assert_str(type_text("9223372036854775808"), "decimal(19,0)");
    assert_str(type_text("0.05"), "decimal(2,2)");
    assert_str(type_text("5."), "decimal(1,0)");
    assert_str(type_text("1e5"), "double");
    assert_str(type_text("1.5F"), "float");
    assert_str(type_text("12Y"), "tinyint");
    assert_str(type_text("1.50BD"), "decimal(3,2)");
    assert_str(type_text("t + t"), "tinyint");
    assert_str(type_text("i + id"), "bigint");
    assert_str(type_text("i / 2"), "double");
    assert_str(type_text("amount * amount"), "decimal(37,4)");
    assert_str(type_text("amount / 3"), "decimal(22,6)");
    assert_str(type_text("amount + i"), "decimal(19,2)");
    assert_str(type_text("amount % 7"), "decimal(3,2)");
    assert_str(type_text("amount + d"), "double");
    assert_str(type_text("name + 1"), "double");
    assert_str(type_text("date + 1"), "date");
    assert_str(type_text("round(amount, 1)"), "decimal(18,1)");
    assert_str(type_text("ceil(amount)"), "decimal(17,0)");
    assert_str(type_text("floor(d)"), "bigint");
    assert_str(type_text("coalesce(i, name)"), "string");
    assert_str(type_text("greatest(i, amount)"), "decimal(18,2)");
    assert_str(type_text("datediff(at, date)"), "int");
    assert_str(type_text("name || i"), "string");
    assert_str(type_text("CASE WHEN is_open THEN date ELSE at END"), "timestamp");
    assert_str(type_text("nullif(i, 'x')"), "int");
}

static void test_names_are_resolved(void **state) {
    UNUSED(state);
    assert_str(spark(checked("NAME = 'x' AND Amount > 0")), "name = 'x' AND amount > 0");
    assert_str(spark(checked("current_date >= date")), "current_date() >= `date`");
    assert_refused("amuont > 0", "column 1", "did you mean 'amount'?");
    assert_refused("1 = 1 AND legnth(name) > 2", "column 11", "did you mean 'length'?");
    assert_refused("soundex(name) = 'x'", "column 1", "not part of the rule language");
    assert_refused("tags IS NULL", "column 1", "list, map or struct");
    assert_refused("nothing_like_it = 1", "column 1", "there is no column 'nothing_like_it'");
}

static void test_arguments(void **state) {
    UNUSED(state);
    assert_refused("trim(name, 'x')", "column 1", "trim takes 1 value, found 2");
    assert_refused("substring(name)", "column 1", "substring takes 2 or 3 values, found 1");
    assert_refused("replace(name, 'a', 'b', 'c')", "column 1", "takes 2 or 3 values, found 4");
    assert_refused("coalesce()", "column 1", "takes 1 or more values");
    assert_refused("date_add(date, id)", "column 16", "expected an int");
    assert_refused("round(d, i)", "column 10", "from 0 to 18");
    assert_refused("regexp_like(name, currency)", "column 19", "written out");
    assert_refused("get_json_object(name, currency) = ''", "column 23", "written out");
    assert_refused("get_json_object(name, 'city') = ''", "column 23", "cannot be read from character 1");
    assert_refused("get_json_object(name, '$.a[*]') = ''", "column 23", "wildcard");
    assert_refused("name RLIKE '('", "column 12", "the pattern cannot be read");
    assert_refused("name LIKE 'a\\\\b'", "column 11", "backslash");
    assert_refused("name LIKE currency", "column 11", "written out");
    assert_refused("if(i, 1, 2)", "column 4", "expected a condition");
    assert_refused("abs(date)", "column 5", "expected a number");
    assert_refused("year(i)", "column 6", "expected a date");
    assert_refused("greatest(i, name)", "column 1", "no common type: int and string");
    assert_refused("CASE WHEN i THEN 1 END", "column 11", "expected a condition");
}

/* Where equal results could not be had, or Spark itself refuses. */
static void test_refused_operations(void **state) {
    UNUSED(state);
    assert_refused("is_open = 1", "column 9", "a boolean and an int cannot be compared");
    assert_refused("date > 5", "column 6", "cannot be compared");
    assert_refused("i AND is_open", "column 1", "expected a condition");
    assert_refused("at - at", "column 4", "timestamps have no arithmetic");
    assert_refused("date - date", "column 6", "datediff");
    assert_refused("d || 'x'", "column 1", "cannot be used as string");
    assert_refused("wide / wide", "column 6", "more digits than both engines round alike");
    assert_refused("wide || ''", "column 1", "cannot be used as string");
    assert_refused("CAST(i AS timestamp)", "column 6", "cannot be used as timestamp");
    assert_refused("raw = name", "column 5", "cannot be compared");
    assert_refused("i > 99999999999999999999", "column 3", "beyond every bigint");
    assert_refused("300Y = i", "column 1", "does not fit");
    assert_refused("1e400 = d", "column 1", "too large");
    assert_refused("-is_open", "column 1", "has no negative");
}

static void test_predicates(void **state) {
    UNUSED(state);
    struct assay_error err = {0};
    assert_ok(expr_check_predicate(parse("amount > 0"), columns, COLUMNS, &arena, &err), &err);
    assert_code(ASSAY_INVALID, expr_check_predicate(parse("amount"), columns, COLUMNS, &arena, &err), &err);
    assert_err_has(&err, "decimal(18,2), expected a condition");
    assert_code(ASSAY_INVALID, expr_check_predicate(parse("NULL"), columns, COLUMNS, &arena, NULL), NULL);
}

/** A tree checked twice, or against two tables, is what the last check made it. */
static void test_checked_again(void **state) {
    UNUSED(state);
    struct assay_error err = {0};
    static const struct expr_column texts[] = {{{"amount", 6}, {.kind = TYPE_STRING}}};
    struct expr *e = checked("amount + 1");
    assert_ok(expr_check(e, texts, 1, &arena, &err), &err);
    assert_int_equal(e->type.kind, TYPE_DOUBLE);
    assert_ok(expr_check(e, columns, COLUMNS, &arena, &err), &err);
    assert_int_equal(e->type.kind, TYPE_DECIMAL);
}

TEST_MAIN(RUN(test_types_are_sparks), RUN(test_names_are_resolved), RUN(test_arguments), RUN(test_refused_operations),
          RUN(test_predicates), RUN(test_checked_again))
