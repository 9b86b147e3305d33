/* One record of JSON to values by column; against what Spark's reader takes, and the faults that Spark passes over. */
#include "support/test.h"

#include "base/json.h"
#include "bronze/json.h"

static const struct str AB[] = {{"a", 1}, {"b", 1}};

struct reading {
    struct arena arena;
    struct bronze_columns columns;
    struct json_reader reader;
    enum json_fault fault;
};

static void read_record(struct reading *x, struct str record, const struct str *names, size_t count) {
    struct plan plan = {.source_columns = (struct str *)(uintptr_t)names, .source_column_count = count};
    x->arena = (struct arena){0};
    columns_open(&x->columns, &plan, &x->arena);
    json_reader_open(&x->reader, &x->columns);
    x->fault = json_reader_read(&x->reader, record, str_utf8_error(record) == SIZE_MAX);
}

static void drop(struct reading *x) {
    json_reader_close(&x->reader);
    arena_reset(&x->arena);
}

/** Read with columns a and b; expected NULL is NULL. */
static void check(struct str record, enum json_fault fault, const char *a, const char *b) {
    struct reading x;
    read_record(&x, record, AB, 2);
    if (x.fault != fault) print_error("%.*s\n", STR_ARG(record));
    assert_int_equal(x.fault, fault);
    for (size_t i = 0; i < 2; i++) {
        const char *expected = i ? b : a;
        assert_int_equal(x.reader.values[i].ptr == NULL, expected == NULL);
        if (expected) assert_str(x.reader.values[i], expected);
    }
    drop(&x);
}

static void test_keeps_values_as_sent(void **state) {
    UNUSED(state);
    check(STR("{\"a\":1.10,\"b\":12345678901234567890.123}"), JSON_GOOD, "1.10", "12345678901234567890.123");
    check(STR("{\"a\":-0,\"b\":1E+400}"), JSON_GOOD, "-0", "1E+400");
    check(STR("{\"a\":{\"x\": 1,  \"y\":[1, 2.50]},\"b\":[ ]}"), JSON_GOOD, "{\"x\": 1,  \"y\":[1, 2.50]}", "[ ]");
    check(STR("{\"a\":\"\",\"b\":null}"), JSON_GOOD, "", NULL);
    check(STR("{\"a\":true,\"b\":NaN}"), JSON_GOOD, "true", "NaN");
    check(STR("{\"a\":\"\\u00e9\\n\\ud83d\\ude42\",\"b\":\"\\/\"}"), JSON_GOOD, "\u00e9\n\U0001F642", "/");
    check(STR("{\"a\":{\"x\":\"\\ud83d\"}}"), JSON_GOOD, "{\"x\":\"\\ud83d\"}", NULL); /* not decoded, so not lost */
    check(STR("{}"), JSON_GOOD, NULL, NULL);
}

static void test_values_of_new_keys_are_looked_at_too(void **state) {
    UNUSED(state);
    check(STR("{\"a\":1,\"new\":\"\xC6\"}"), JSON_BAD_VALUE, "1", NULL);
    check(STR("{\"new\":\"\\ud83d\",\"b\":2}"), JSON_BAD_VALUE, NULL, "2");
    check(STR("{\"new\":\"\u00e9\",\"b\":2}"), JSON_GOOD, NULL, "2");
}

static void test_finds_keys_whatever_their_case_and_order(void **state) {
    UNUSED(state);
    check(STR("{\"B\":1,\"A\":2}"), JSON_GOOD, "2", "1");
    check(STR("{\"\\u0061\":1}"), JSON_GOOD, "1", NULL);
    static const struct str names[] = {{"stra\u00dfe", 7}, {"\u00e9t\u00e9", 5}};
    struct reading x;
    read_record(&x, STR("{\"\u00c9T\u00c9\":1}"), names, 2);
    assert_int_equal(x.fault, JSON_GOOD);
    assert_str(x.reader.values[1], "1");
    assert_int_equal(json_reader_read(&x.reader, STR("{\"\u00e9t\u00e9\":2,\"x\":3,\"y\":4,\"x\":5}"), true),
                     JSON_GOOD);
    assert_str(x.reader.values[1], "2");
    assert_int_equal(x.reader.unknown_count, 3); /* one is there twice */
    assert_str(x.reader.unknown[0], "x");
    assert_str(x.reader.unknown[1], "y");
    assert_str(x.reader.unknown[2], "x");
    drop(&x);
}

static void test_faults(void **state) {
    UNUSED(state);
    check(STR("{\"a\":1,\"b\":2,\"a\":3}"), JSON_REPEATED_KEY, NULL, "2");
    check(STR("{\"a\":1,\"A\":1,\"b\":2}"), JSON_REPEATED_KEY, NULL, "2");
    check(STR("{\"a\":\"\\ud83d\",\"b\":2}"), JSON_BAD_VALUE, NULL, "2");
    check(STR("{\"a\":\"\\ude42\\ud83d\",\"b\":2}"), JSON_BAD_VALUE, NULL, "2");
    check(STR("{\"a\":\"x\xff\",\"b\":2}"), JSON_BAD_VALUE, NULL, "2");
    check(STR("{\"a\":[\"x\xff\"],\"b\":2}"), JSON_BAD_VALUE, NULL, "2");
    check(STR("{\"a b\":1,\"b\":2}"), JSON_BAD_KEY, NULL, "2");
    check(STR("{\"\":1,\"b\":2}"), JSON_BAD_KEY, NULL, "2");
    check(STR("{\"_Loaded_At\":1,\"b\":2}"), JSON_BAD_KEY, NULL, "2");
    check(STR("{\"\\ud83d\":1,\"b\":2}"), JSON_BAD_KEY, NULL, "2");
    check(STR("{\"b\":2,\"a\":1} x"), JSON_BROKEN, NULL, NULL);
    check(STR("{\"b\":2}{\"b\":3}"), JSON_BROKEN, NULL, NULL);
    check(STR("[{\"b\":2}]"), JSON_BROKEN, NULL, NULL);
    check(STR("\"scalar\""), JSON_BROKEN, NULL, NULL);
    check(STR("{\"b\":2,\"a\":"), JSON_BROKEN, NULL, NULL);
}

static struct str nested(struct arena *arena, size_t levels) {
    struct buf b = {0};
    buf_addz(&b, "{\"a\":");
    for (size_t i = 0; i < levels; i++) buf_addc(&b, '[');
    for (size_t i = 0; i < levels; i++) buf_addc(&b, ']');
    buf_addc(&b, '}');
    struct str text = str_copy(arena, buf_str(&b));
    buf_free(&b);
    return text;
}

static void test_depth_has_a_limit(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    struct reading x;
    read_record(&x, nested(&arena, 999), AB, 2);
    assert_int_equal(x.fault, JSON_GOOD);
    assert_int_equal(x.reader.values[0].len, 2 * 999);
    drop(&x);
    read_record(&x, nested(&arena, 1000), AB, 2);
    assert_int_equal(x.fault, JSON_BROKEN);
    drop(&x);
    read_record(&x, nested(&arena, 3000000), AB, 2);
    assert_int_equal(x.fault, JSON_BROKEN);
    drop(&x);
    arena_reset(&arena);
}

static bool has_text_behind(struct str line) {
    struct json_text t = {.p = line.ptr, .end = line.ptr + line.len, .has_specials = true};
    struct json_text_value value;
    if (!json_text_value(&t, &value)) return false;
    json_text_space(&t);
    return t.p != t.end;
}

/** Where this reader says something else than Spark on purpose. */
static bool is_known_difference(struct str line, enum json_fault fault, bool is_corrupt) {
    if (is_corrupt) return false;
    if (str_starts(str_trim(line), STR("["))) return true; /* Spark: a row an element */
    if (fault == JSON_REPEATED_KEY || fault == JSON_BAD_KEY || fault == JSON_BAD_VALUE) return true;
    return fault == JSON_BROKEN && has_text_behind(line);
}

static bool is_text(struct str value) {
    return value.len && str_find_char(STR("{[0123456789-+\""), value.ptr[0]) == SIZE_MAX;
}

static void check_value(const struct json *expected, struct str actual, struct str line) {
    if (json_kind_of(expected) == JSON_KIND_NULL) {
        if (actual.ptr) fail_msg("%.*s: NULL expected, got %.*s", STR_ARG(line), STR_ARG(actual));
    } else if (is_text(json_str(expected)) && !str_eq(json_str(expected), actual)) {
        fail_msg("%.*s: %.*s expected, got %.*s", STR_ARG(line), STR_ARG(json_str(expected)), STR_ARG(actual));
    }
}

/* Numbers and nested values are written anew by Spark 3.5 (NaN even in quotes), so only texts are compared. */
static void test_takes_the_lines_that_spark_takes(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    struct assay_error err;
    struct str rest = test_read(&arena, test_data(&arena, "json/reader.ndjson")), row;
    size_t count = 0;
    while (rest.len) {
        struct json *root;
        struct reading x;
        bool is_corrupt;
        rest = str_split(rest, '\n', &row);
        assert_ok(json_parse(row, "reader.ndjson", &root, &err), &err);
        struct str line = json_str(json_member(root, "line"));
        assert_ok(json_get_bool(root, "is_corrupt", &is_corrupt, &err), &err);
        read_record(&x, line, AB, 2);
        if ((x.fault != JSON_GOOD) != is_corrupt && !is_known_difference(line, x.fault, is_corrupt))
            fail_msg("%.*s: fault %d, Spark says %s", STR_ARG(line), x.fault, is_corrupt ? "corrupt" : "good");
        bool has_other_case = str_find(line, STR("\"A\"")) != SIZE_MAX; /* to Spark another key */
        if (x.fault == JSON_GOOD && !has_other_case && !is_corrupt) {
            check_value(json_member(root, "a"), x.reader.values[0], line);
            check_value(json_member(root, "b"), x.reader.values[1], line);
        }
        drop(&x);
        json_close(&root);
        count++;
    }
    assert_true(count > 1000);
    arena_reset(&arena);
}

TEST_MAIN(cmocka_unit_test(test_keeps_values_as_sent), cmocka_unit_test(test_values_of_new_keys_are_looked_at_too),
          cmocka_unit_test(test_finds_keys_whatever_their_case_and_order), cmocka_unit_test(test_faults),
          cmocka_unit_test(test_depth_has_a_limit), cmocka_unit_test(test_takes_the_lines_that_spark_takes))
