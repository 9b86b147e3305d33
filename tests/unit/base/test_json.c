#include "support/test.h"

#include "base/json.h"
#include "base/limits.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static void assert_reprints(struct str text, const char *expected) {
    struct json *root;
    struct assay_error err = {0};
    struct buf out = {0};
    assert_ok(json_parse(text, "t.json", &root, &err), &err);
    json_print(&out, root);
    assert_str(buf_str(&out), expected);
    json_close(&root);
    assert_null(root);
    buf_free(&out);
}

static void test_documents_survive_reading_and_printing(void **state) {
    UNUSED(state);
    assert_reprints(STR(" { \"z\" : [ 1 , -2.5 , true , null ] , \"a\" : { } } "),
                    "{\"z\":[1,-2.5,true,null],\"a\":{}}");
    assert_reprints(STR("9223372036854775807"), "9223372036854775807");
    assert_reprints(STR("-9223372036854775808"), "-9223372036854775808");
    assert_reprints(STR("[0.1,1e300,5e-324,1.7976931348623157e308,1.0,-0.0,100.0,1e22]"),
                    "[0.1,1e+300,5e-324,1.7976931348623157e+308,1.0,-0.0,100.0,1e+22]");
    assert_reprints(STR("\"\\u00fc\\ud83d\\ude00\\/\\n\\u0001\""), "\"\u00FC\U0001F600/\\n\\u0001\"");
    assert_reprints(STR("[\"a\\u0000b\"]"), "[\"a\\u0000b\"]");
}

static void test_broken_documents_are_placed(void **state) {
    UNUSED(state);
    static const struct {
        const char *text, *where;
    } cases[] = {
        {"", "t.json:1:1"},
        {"{\"a\":1,\"a\":2}", "t.json:1:10"},
        {"{\"a\":\n tru}", "t.json:2:4"},
        {"[1] x", "t.json:1:5"},
        {"[1,]", "t.json:1:4"},
        {"{'a':1}", "t.json:1:2"},
        {"[NaN]", "t.json:1:"},
        {"9223372036854775808", "t.json:1:19"},
        {"-9223372036854775809", "t.json:1:20"},
        {"1e999", "t.json:1:5"},
        {"01", "t.json:1:"},
        {"\"\xFF\"", "t.json:1:"},
        {"\"\xED\xA0\x80\"", "t.json:1:"}, /* surrogate in UTF-8 */
        {"\"\\ud800\"", "t.json:1:"},      /* half a pair */
        {"{\"a\\u0000\":1}", "t.json:1:"},
        {"\"a\nb\"", "t.json:1:"},
        {"[1", "t.json:1:"},
        {"\xEF\xBB\xBF{}", "t.json:1:"}, /* JSON has no byte order mark */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct json *root = NULL;
        struct assay_error err = {0};
        assert_code(ASSAY_CORRUPT, json_parse(str_of(cases[i].text), "t.json", &root, &err), &err);
        assert_null(root);
        assert_memory_equal(err.where, cases[i].where, strlen(cases[i].where));
    }
    /* RFC 8259: white space is blank, tab and line ends; a control character stands nowhere */
    static const struct str zeros[] = {{"{\"a\":0\0}", 8}, {"1\0", 2}, {"[\0]", 3}, {"\"\0\"", 3}, {"{\"a\":0}\0", 8}};
    for (size_t i = 0; i < sizeof zeros / sizeof zeros[0]; i++) {
        struct json *root = NULL;
        struct assay_error err = {0};
        assert_code(ASSAY_CORRUPT, json_parse(zeros[i], "t.json", &root, &err), &err);
        assert_err_has(&err, "a byte 0");
    }
}

static enum assay_code parse_nested(size_t depth, struct assay_error *err) {
    struct buf text = {0};
    buf_addz(&text, "\n");
    for (size_t i = 0; i < depth; i++) buf_addz(&text, i % 2 ? "{\"[{\":" : "[");
    buf_addz(&text, "1");
    for (size_t i = depth; i-- > 0;) buf_addz(&text, i % 2 ? "}" : "]");
    struct json *root = NULL;
    enum assay_code rc = json_parse(buf_str(&text), "t.json", &root, err);
    json_close(&root);
    buf_free(&text);
    return rc;
}

static void test_depth_has_a_limit(void **state) {
    UNUSED(state);
    struct assay_error err = {0};
    assert_ok(parse_nested(LIMIT_JSON_DEPTH, &err), &err);
    assert_code(ASSAY_CORRUPT, parse_nested(LIMIT_JSON_DEPTH + 1, &err), &err);
    assert_err_has(&err, "t.json:2:1793"); /* 256 pairs of 7 bytes, then the bracket */
    assert_code(ASSAY_CORRUPT, parse_nested(1000000, &err), &err);
}

static void test_brackets_in_strings_are_no_depth(void **state) {
    UNUSED(state);
    struct buf text = {0};
    buf_addz(&text, "[\"\\\"");
    for (int i = 0; i < 2000; i++) buf_addz(&text, "[{");
    buf_addz(&text, "\\\\\"]");
    struct json *root;
    struct assay_error err = {0};
    assert_ok(json_parse(buf_str(&text), "t.json", &root, &err), &err);
    assert_int_equal(json_str(json_at(root, 0)).len, 4002);
    json_close(&root);
    buf_free(&text);
}

static void test_members_are_typed(void **state) {
    UNUSED(state);
    struct json *root;
    struct assay_error err = {0};
    assert_ok(json_parse(STR("{\"s\":\"x\\u0000y\",\"i\":-7,\"b\":true,\"n\":null,\"r\":1.5}"), "t", &root, &err),
              &err);
    struct str text = {0};
    int64_t number = 0;
    bool flag = false;
    assert_ok(json_get_str(root, "s", &text, &err), &err);
    assert_int_equal(text.len, 3);
    assert_memory_equal(text.ptr, "x\0y", 3);
    assert_ok(json_get_int(root, "i", &number, &err), &err);
    assert_int_equal(number, -7);
    assert_ok(json_get_bool(root, "b", &flag, &err), &err);
    assert_true(flag);
    assert_int_equal(json_get_str(root, "absent", &text, &err), ASSAY_NOT_FOUND);
    assert_int_equal(json_get_int(root, "n", &number, &err), ASSAY_NOT_FOUND);
    assert_int_equal(json_get_int(NULL, "n", &number, &err), ASSAY_NOT_FOUND);
    assert_string_equal(err.message, "");
    assert_code(ASSAY_CORRUPT, json_get_int(root, "r", &number, &err), &err);
    assert_string_equal(err.message, "\"r\" is a number, expected an integer");
    assert_code(ASSAY_CORRUPT, json_get_str(root, "i", &text, &err), &err);
    assert_code(ASSAY_CORRUPT, json_get_bool(root, "s", &flag, &err), &err);
    assert_true(json_number(json_member(root, "r")) == 1.5);
    assert_true(json_number(json_member(root, "i")) == -7.0);
    json_close(&root);
}

static void test_the_wrong_node_is_empty_not_a_crash(void **state) {
    UNUSED(state);
    struct json *root;
    struct assay_error err = {0};
    assert_ok(json_parse(STR("[1]"), "t", &root, &err), &err);
    struct str key;
    const struct json *value;
    assert_null(json_member(root, "a"));
    assert_null(json_member(NULL, "a"));
    assert_null(json_at(root, 1));
    assert_null(json_at(NULL, 0));
    assert_int_equal(json_count(NULL), 0);
    assert_int_equal(json_count(json_at(root, 0)), 0);
    assert_false(json_member_at(root, 0, &key, &value));
    assert_false(json_member_at(NULL, 0, &key, &value));
    assert_int_equal(json_str(root).len, 0);
    assert_int_equal(json_kind_of(NULL), JSON_KIND_NULL);
    json_close(&root);
    json_close(&root);
}

/** An object of `count` objects, whose members are walked in step with their parents. */
static struct json *parse_grid(size_t count) {
    struct buf text = {0};
    struct json_writer w = {.out = &text};
    json_begin_object(&w);
    for (size_t i = 0; i < count; i++) {
        char key[32];
        snprintf(key, sizeof key, "k%zu", count - i); /* not in the order of names */
        json_key(&w, key);
        json_begin_object(&w);
        json_key(&w, "i");
        json_put_int(&w, (int64_t)i);
        json_key(&w, "j");
        json_put_int(&w, -(int64_t)i);
        json_end_object(&w);
    }
    json_end_object(&w);
    struct json *root = NULL;
    struct assay_error err = {0};
    assert_ok(json_parse(buf_str(&text), "t", &root, &err), &err);
    buf_free(&text);
    return root;
}

static size_t count_wrong_members(const struct json *root) {
    size_t wrong = 0, i = 0;
    struct str key;
    const struct json *row, *cell;
    for (; json_member_at(root, i, &key, &row); i++) {
        wrong += !json_member_at(row, 0, &key, &cell) || json_int(cell) != (int64_t)i;
        wrong += !json_member_at(row, 1, &key, &cell) || json_int(cell) != -(int64_t)i || !str_eq(key, STR("j"));
        wrong += json_member_at(row, 2, &key, &cell);
    }
    return wrong + (i != json_count(root));
}

static void *walk_many(void *unused) {
    UNUSED(unused);
    size_t wrong = 0;
    for (int round = 0; round < 30; round++) {
        struct json *root = parse_grid(200);
        wrong += count_wrong_members(root);
        json_close(&root); /* the next one may lie at the same address */
    }
    return (void *)wrong;
}

static void test_members_are_walked_in_source_order(void **state) {
    UNUSED(state);
    struct json *root = parse_grid(20000);
    assert_int_equal(count_wrong_members(root), 0);
    struct str key;
    const struct json *value;
    assert_true(json_member_at(root, 19999, &key, &value)); /* and at random */
    assert_str(key, "k1");
    assert_true(json_member_at(root, 3, &key, &value));
    assert_str(key, "k19997");
    json_close(&root);
}

static void test_walks_of_many_threads_do_not_meet(void **state) {
    UNUSED(state);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&threads[i], NULL, walk_many, NULL), 0);
    for (int i = 0; i < 4; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        assert_null(wrong);
    }
}

static void test_the_writer_puts_commas_and_escapes(void **state) {
    UNUSED(state);
    struct buf out = {0};
    struct json_writer w = {.out = &out};
    for (int line = 0; line < 2; line++) {
        json_begin_object(&w);
        json_key(&w, "a\"");
        json_begin_array(&w);
        json_put_int(&w, INT64_MIN);
        json_put_bool(&w, false);
        json_begin_array(&w);
        json_end_array(&w);
        json_put_null(&w);
        json_end_array(&w);
        json_key_str(&w, STR("b"));
        json_put_raw(&w, STR("{\"x\":1}"));
        json_key(&w, "c");
        json_put_str(&w, (struct str){"\0\x1F\x7F\t\\\xFF\xC3(\u20AC", 11});
        json_end_object(&w);
        buf_addc(&out, '\n');
    }
    const char *line = "{\"a\\\"\":[-9223372036854775808,false,[],null],\"b\":{\"x\":1},"
                       "\"c\":\"\\u0000\\u001f\x7F\\t\\\\\uFFFD\uFFFD(\u20AC\"}\n";
    assert_str(str_sub(buf_str(&out), 0, strlen(line)), line);
    assert_str(str_sub(buf_str(&out), strlen(line), out.len), line);
    buf_free(&out);
}

static void test_reals_have_the_fewest_digits_that_read_back(void **state) {
    UNUSED(state);
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0.1, "0.1"},
                 {1.0 / 3, "0.3333333333333333"},
                 {0.1 + 0.2, "0.30000000000000004"},
                 {1e23, "1e+23"},
                 {2.0, "2.0"},
                 {123456789.0, "123456789.0"},
                 {-1.5e-7, "-1.5e-07"},
                 {0.00012345, "0.00012345"},
                 {1e16, "10000000000000000.0"},
                 {9007199254740993.0, "9007199254740992.0"},
                 {HUGE_VAL, "null"},
                 {-HUGE_VAL, "null"},
                 {(double)NAN, "null"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct buf out = {0};
        struct json_writer w = {.out = &out};
        json_put_real(&w, cases[i].value);
        assert_str(buf_str(&out), cases[i].text);
        buf_free(&out);
    }
}

TEST_MAIN(cmocka_unit_test(test_documents_survive_reading_and_printing),
          cmocka_unit_test(test_broken_documents_are_placed), cmocka_unit_test(test_depth_has_a_limit),
          cmocka_unit_test(test_brackets_in_strings_are_no_depth), cmocka_unit_test(test_members_are_typed),
          cmocka_unit_test(test_the_wrong_node_is_empty_not_a_crash),
          cmocka_unit_test(test_members_are_walked_in_source_order),
          cmocka_unit_test(test_walks_of_many_threads_do_not_meet),
          cmocka_unit_test(test_the_writer_puts_commas_and_escapes),
          cmocka_unit_test(test_reals_have_the_fewest_digits_that_read_back))
