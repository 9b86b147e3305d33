/* Paths into JSON texts, against what Spark's get_json_object gives. */
#include "support/test.h"

#include "base/json.h"
#include "base/json_path.h"

#include <string.h>

static void find(const char *path_text, struct str json, bool *is_found, struct buf *out) {
    struct json_path *path;
    struct assay_error err;
    assert_ok(json_path_open(str_of(path_text), &path, &err), &err);
    *is_found = json_path_find(path, json, out);
    json_path_close(&path);
}

static void check(const char *path, struct str json, const char *expected) {
    struct buf out = {0};
    bool is_found;
    buf_addz(&out, "kept|");
    find(path, json, &is_found, &out);
    assert_int_equal(is_found, expected != NULL);
    assert_str(str_sub(buf_str(&out), 5, out.len), expected ? expected : "");
    buf_free(&out);
}

static void test_numbers_keep_their_digits(void **state) {
    UNUSED(state);
    check("$.a", STR("{\"a\":1.10}"), "1.10");
    check("$.a", STR("{\"a\":12345678901234567890.123}"), "12345678901234567890.123");
    check("$.a", STR("{\"a\":1e400}"), "1e400");
    check("$.a", STR("{\"a\":{\"b\": 1.50 }}"), "{\"b\":1.50}");
    check("$.a", STR("{\"a\":-0}"), "-0");
}

static void test_halves_of_pairs(void **state) {
    UNUSED(state);
    check("$.a", STR("{\"a\":\"\\ud83d\"}"), NULL);
    check("$.a", STR("{\"a\":[\"\\ud83d\"]}"), "[\"\\uD83D\"]");
    check("$.a", STR("{\"a\":[\"\U0001F642\"]}"), "[\"\\uD83D\\uDE42\"]");
}

static void test_refuses_what_is_no_path(void **state) {
    UNUSED(state);
    static const char *const bad[] = {
        "",     "a",    "$a",    ".a",      "$.",       "$..a",  "$[",
        "$[]",  "$[a]", "$[-1]", "$['a",    "$[\"a\"]", "$.a.",  " $.a",
        "$ .a", "$.a[", "$[0]a", "$['a'b]", "$['a?']",  "$['']", "$[99999999999999999999]"};
    struct json_path *path = NULL;
    struct assay_error err;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_code(ASSAY_INVALID, json_path_open(str_of(bad[i]), &path, &err), &err);
        assert_err_has(&err, bad[i]);
    }
    static const char *const wild[] = {"$.*", "$[*]", "$.a[*]", "$['*']", "$.a.*"};
    for (size_t i = 0; i < sizeof wild / sizeof wild[0]; i++)
        assert_code(ASSAY_UNSUPPORTED, json_path_open(str_of(wild[i]), &path, &err), &err);
    struct buf deep = {0};
    buf_addc(&deep, '$');
    for (int i = 0; i < 101; i++) buf_addz(&deep, "[0]");
    assert_code(ASSAY_INVALID, json_path_open(buf_str(&deep), &path, &err), &err);
    buf_free(&deep);
}

/** Spark gives NULL for these paths, where they are refused here; and it writes some numbers anew. */
static bool is_compared(struct str path, struct str json) {
    struct json_path *opened;
    if (json_path_open(path, &opened, NULL)) return false;
    json_path_close(&opened);
    return str_find(json, STR("-0")) == SIZE_MAX && str_find(json, STR("1.10")) == SIZE_MAX &&
           str_find(json, STR("1e5")) == SIZE_MAX && str_find(json, STR("1.50")) == SIZE_MAX &&
           str_find(json, STR("890.123")) == SIZE_MAX;
}

static void test_gives_what_spark_gives(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    struct assay_error err;
    struct str rest = test_read(&arena, test_data(&arena, "json/get_json_object.ndjson")), row;
    size_t compared = 0, found_count = 0;
    while (rest.len) {
        struct json *root;
        struct buf out = {0};
        bool is_found;
        rest = str_split(rest, '\n', &row);
        assert_ok(json_parse(row, "get_json_object.ndjson", &root, &err), &err);
        struct str text = json_str(json_member(root, "json")), path = json_str(json_member(root, "path"));
        const struct json *value = json_member(root, "value");
        if (is_compared(path, text)) {
            find(str_c(&arena, path), text, &is_found, &out);
            bool is_same =
                is_found == (json_kind_of(value) == JSON_KIND_STRING) && str_eq(buf_str(&out), json_str(value));
            if (!is_same)
                fail_msg("%.*s of %.*s: Spark gives %.*s, here is %s", STR_ARG(path), STR_ARG(text),
                         STR_ARG(json_str(value)), is_found ? out.data : "nothing");
            compared++;
            found_count += is_found;
        }
        buf_free(&out);
        json_close(&root);
    }
    assert_true(compared > 1500 && found_count > 100);
    arena_reset(&arena);
}

TEST_MAIN(cmocka_unit_test(test_numbers_keep_their_digits), cmocka_unit_test(test_halves_of_pairs),
          cmocka_unit_test(test_refuses_what_is_no_path), cmocka_unit_test(test_gives_what_spark_gives))
