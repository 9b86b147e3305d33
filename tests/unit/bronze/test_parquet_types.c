/* Types of Parquet columns as types of a Delta table. Expected: Spark's ParquetToSparkSchemaConverter, and arithmetic.
 */
#include "support/test.h"

#include "bronze/parquet.h"

static void check(const char *engine, const char *expected) {
    struct buf json = {0};
    struct str refused;
    buf_addz(&json, "kept|");
    assert_true(parquet_type_delta(str_of(engine), false, &json, &refused));
    assert_str(str_sub(buf_str(&json), 5, json.len), expected);
    buf_free(&json);
}

static void check_refused(const char *engine, const char *part) {
    struct buf json = {0};
    struct str refused = {0};
    assert_false(parquet_type_delta(str_of(engine), false, &json, &refused));
    assert_int_equal(json.len, 0);
    assert_has(refused, part);
    buf_free(&json);
}

static void test_types(void **state) {
    UNUSED(state);
    check("UTINYINT", "\"short\"");
    check("UINTEGER", "\"long\"");
    check("UBIGINT", "\"decimal(20,0)\"");
    check("DECIMAL(5,2)", "\"decimal(5,2)\"");
    check("TIMESTAMP", "\"timestamp_ntz\"");
    check("TIMESTAMP WITH TIME ZONE", "\"timestamp\"");
    check("UUID", "\"string\"");
    check("INTEGER[]", "{\"type\":\"array\",\"elementType\":\"integer\",\"containsNull\":true}");
    check("BLOB[3][]", "{\"type\":\"array\",\"elementType\":{\"type\":\"array\",\"elementType\":\"binary\","
                       "\"containsNull\":true},\"containsNull\":true}");
    check("MAP(VARCHAR, DOUBLE)",
          "{\"type\":\"map\",\"keyType\":\"string\",\"valueType\":\"double\",\"valueContainsNull\":true}");
    check(
        "STRUCT(x DECIMAL(3,1), \"y\"\"\" DATE)",
        "{\"type\":\"struct\",\"fields\":[{\"name\":\"x\",\"type\":\"decimal(3,1)\",\"nullable\":true,\"metadata\":{}},"
        "{\"name\":\"y\\\"\",\"type\":\"date\",\"nullable\":true,\"metadata\":{}}]}");
}

static void test_refused_types(void **state) {
    UNUSED(state);
    check_refused("TIME", "TIME");
    check_refused("HUGEINT", "HUGEINT");
    check_refused("INTERVAL[]", "INTERVAL");
    check_refused("STRUCT(a TIMESTAMP_NS)", "TIMESTAMP_NS");
    check_refused("STRUCT(\"two words\" INTEGER)", "name");
    check_refused("STRUCT(a INTEGER", "STRUCT");
    check_refused("", "");
}

static void test_instants(void **state) {
    UNUSED(state);
    struct buf json = {0};
    struct str refused;
    assert_true(parquet_type_delta(STR("TIMESTAMP"), true, &json, &refused));
    assert_str(buf_str(&json), "\"timestamp\"");
    buf_free(&json);
}

static void check_join(const char *a, const char *b, const char *expected) {
    struct arena arena = {0};
    for (int i = 0; i < 2; i++) {
        struct str joined = parquet_type_join(str_of(i ? a : b), str_of(i ? b : a), &arena);
        assert_int_equal(joined.ptr == NULL, expected == NULL);
        if (expected) assert_str(joined, expected);
    }
    arena_reset(&arena);
}

static void test_joined_types(void **state) {
    UNUSED(state);
    check_join("\"byte\"", "\"long\"", "\"long\"");
    check_join("\"integer\"", "\"double\"", "\"double\"");
    check_join("\"long\"", "\"double\"", NULL); /* 2^53 + 1 has no double */
    check_join("\"integer\"", "\"float\"", NULL);
    check_join("\"short\"", "\"float\"", "\"float\"");
    check_join("\"float\"", "\"double\"", "\"double\"");
    check_join("\"byte\"", "\"decimal(3,1)\"", "\"decimal(4,1)\"");
    check_join("\"long\"", "\"decimal(38,20)\"", NULL);
    check_join("\"decimal(10,2)\"", "\"decimal(8,4)\"", "\"decimal(12,4)\"");
    check_join("\"decimal(38,0)\"", "\"decimal(38,1)\"", NULL);
    check_join("\"string\"", "\"long\"", NULL);
    check_join("\"date\"", "\"timestamp\"", NULL);
    check_join("\"boolean\"", "\"boolean\"", "\"boolean\"");
    check_join("", "\"date\"", "\"date\"");
}

TEST_MAIN(cmocka_unit_test(test_types), cmocka_unit_test(test_refused_types), cmocka_unit_test(test_instants),
          cmocka_unit_test(test_joined_types))
