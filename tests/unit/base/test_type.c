#include "support/test.h"

#include "base/type.h"

static void assert_prints(void (*print)(struct buf *, struct type), struct type type, const char *expected) {
    struct buf out = {0};
    print(&out, type);
    assert_str(buf_str(&out), expected);
    buf_free(&out);
}

/* spark: DataType.catalogString; delta: DataType.json without quotes, both of Spark 3.5. */
static const struct {
    const char *text, *spark, *delta, *engine;
} cases[] = {
    {"string", "string", "string", "VARCHAR"},
    {"VARCHAR(20)", "string", "string", "VARCHAR"},
    {"varchar", "string", "string", "VARCHAR"},
    {"char( 3 )", "string", "string", "VARCHAR"},
    {"text", "string", "string", "VARCHAR"},
    {"Bool", "boolean", "boolean", "BOOLEAN"},
    {"byte", "tinyint", "byte", "TINYINT"},
    {"smallint", "smallint", "short", "SMALLINT"},
    {"INTEGER", "int", "integer", "INTEGER"},
    {"long", "bigint", "long", "BIGINT"},
    {"real", "float", "float", "FLOAT"},
    {"double", "double", "double", "DOUBLE"},
    {"decimal", "decimal(10,0)", "decimal(10,0)", "DECIMAL(10,0)"},
    {" numeric ( 38 , 38 ) ", "decimal(38,38)", "decimal(38,38)", "DECIMAL(38,38)"},
    {"dec(5)", "decimal(5,0)", "decimal(5,0)", "DECIMAL(5,0)"},
    {"date", "date", "date", "DATE"},
    {"timestamp", "timestamp", "timestamp", "TIMESTAMPTZ"},
    {"timestamp_ltz", "timestamp", "timestamp", "TIMESTAMPTZ"},
    {"timestamp_ntz", "timestamp_ntz", "timestamp_ntz", "TIMESTAMP"},
    {"binary", "binary", "binary", "BLOB"},
};

static void test_names_are_read_and_printed(void **state) {
    UNUSED(state);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct type type, again;
        assert_true(type_parse(str_of(cases[i].text), &type));
        assert_prints(type_print, type, cases[i].spark);
        assert_prints(type_print_delta, type, cases[i].delta);
        assert_prints(type_print_engine, type, cases[i].engine);
        assert_true(type_parse(str_of(cases[i].spark), &again));
        assert_true(type_eq(type, again));
        assert_true(type_parse_delta(str_of(cases[i].delta), &again));
        assert_true(type_eq(type, again));
    }
}

static void test_what_is_no_primitive_type_is_refused(void **state) {
    UNUSED(state);
    static const char *const bad[] = {"",
                                      "none",
                                      "strin",
                                      "string(3)",
                                      "int(4)",
                                      "decimal()",
                                      "decimal(0)",
                                      "decimal(39)",
                                      "decimal(5,6)",
                                      "decimal(5,-1)",
                                      "decimal(+5,1)",
                                      "decimal(5,1",
                                      "decimal 5,1)",
                                      "decimal(5,)",
                                      "decimal(5,1,1)",
                                      "decimal(99999999999999999999,1)",
                                      "varchar(0)",
                                      "varchar(x)",
                                      "varchar(-1)",
                                      "array<int>",
                                      "struct<a:int>",
                                      "interval",
                                      "(",
                                      ")",
                                      "int)"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct type type = {.kind = TYPE_DATE};
        assert_false(type_parse(str_of(bad[i]), &type));
        assert_int_equal(type.kind, TYPE_DATE);
    }
    struct type type;
    assert_false(type_parse_delta(STR("int"), &type)); /* Delta writes integer */
    assert_false(type_parse_delta(STR("String"), &type));
    assert_false(type_parse_delta(STR("variant"), &type));
}

static void test_kinds_of_numbers(void **state) {
    UNUSED(state);
    struct type type;
    assert_true(type_parse(STR("bigint"), &type) && type_is_integer(type) && type_is_number(type));
    assert_true(type_parse(STR("decimal(3,1)"), &type) && !type_is_integer(type) && type_is_number(type));
    assert_true(type_parse(STR("float"), &type) && !type_is_integer(type) && type_is_number(type));
    assert_true(type_parse(STR("boolean"), &type) && !type_is_number(type));
    assert_true(type_parse(STR("date"), &type) && !type_is_number(type));
}

TEST_MAIN(cmocka_unit_test(test_names_are_read_and_printed),
          cmocka_unit_test(test_what_is_no_primitive_type_is_refused), cmocka_unit_test(test_kinds_of_numbers))
