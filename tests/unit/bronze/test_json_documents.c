/* Where records over several lines begin and end; whatever is read at once. */
#include "support/test.h"

#include "bronze/json.h"

#include <string.h>

enum { MAX_BYTES = 1 << 20 };

/** Cut the whole text, `step` bytes more at a time; records joined by `|`, then how it ended. */
static void cut_all(struct str text, size_t step, size_t max_bytes, struct buf *out) {
    struct json_framing framing = {0};
    size_t at = 0, known = step < text.len ? step : text.len;
    for (;;) {
        struct json_extent e = {0, 0};
        struct json_framing before = framing;
        enum json_cut cut = json_cut_next(&framing, str_sub(text, at, known), known == text.len, max_bytes, &e);
        if (cut == JSON_CUT_MORE) {
            assert_true(known < text.len);
            assert_int_equal(framing.is_in_array, before.is_in_array);
            known = known + step < text.len ? known + step : text.len;
            continue;
        }
        if (cut == JSON_CUT_RECORD) {
            assert_true(e.size > 0 && at + e.start + e.size <= text.len);
            buf_add(out, str_sub(text, at + e.start, at + e.start + e.size));
            buf_addc(out, '|');
            at += e.start + e.size;
            continue;
        }
        buf_addz(out, cut == JSON_CUT_END ? "end" : "broken");
        return;
    }
}

static void check_limit(const char *text, size_t max_bytes, const char *expected) {
    for (size_t step = 1; step <= strlen(text) + 1; step += 1 + step / 4) {
        struct buf found = {0};
        cut_all(str_of(text), step, max_bytes, &found);
        assert_str(buf_str(&found), expected);
        buf_free(&found);
    }
}

static void check(const char *text, const char *expected) { check_limit(text, MAX_BYTES, expected); }

static void test_documents_and_elements(void **state) {
    UNUSED(state);
    check("", "end");
    check(" \r\n\t", "end");
    check("{}", "{}|end");
    check("{\"a\":1}\n{\"a\":\n2}", "{\"a\":1}|{\"a\":\n2}|end");
    check("{\"a\":1}{\"a\":2}", "{\"a\":1}|{\"a\":2}|end");
    check("[{\"a\":1}\n,{\"a\":2}\n]\n", "{\"a\":1}|{\"a\":2}|end");
    check("[]", "end");
    check("[{}] [{}]", "{}|{}|end");
    check("[{\"a\":[1,{\"b\":\"]}\"}]}]", "{\"a\":[1,{\"b\":\"]}\"}]}|end");
    check("[{\"a\":\"\\\"}\"},{\"a\":'}'}]", "{\"a\":\"\\\"}\"}|{\"a\":'}'}|end");
    check("{\"a\":\"two\nlines\"} {}", "{\"a\":\"two\nlines\"}|{}|end");
}

static void test_what_is_no_object_is_cut_off(void **state) {
    UNUSED(state);
    check("{\"id\":1}{\"id\":2}{oops}", "{\"id\":1}|{\"id\":2}|{oops}|end");
    check("1 2,null", "1|2|null|end");
    check("[1,[2],\"x,]\",{}]", "1|[2]|\"x,]\"|{}|end");
    check("oops{}", "oops|{}|end");
    check("\"open\n{}", "\"open|{}|end");
    check("[\"open]\r\n{}]", "\"open]|{}|end");
}

static void test_what_has_no_end_is_broken(void **state) {
    UNUSED(state);
    check("[", "broken");
    check("[{\"a\":1}", "{\"a\":1}|broken");
    check("{\"a\":1}]", "{\"a\":1}|broken");
    check("{", "broken");
    check("{} }", "{}|broken");
    check("[{\"a\":[1}, {\"b\":2}]]", "broken");
    check("[{\"a\":\"open},\n{\"a\":2}]", "broken");
    check("{\"a\":\"\\", "broken");
}

static void test_a_record_over_lines_has_a_limit(void **state) {
    UNUSED(state);
    check_limit("{\"a\":12345678901}", 8, "{\"a\":12345678901}|end");
    check_limit("{\n\"a\":12345678901}", 8, "broken");
    check_limit("{\n\"a\":1}", 8, "{\n\"a\":1}|end");
    check_limit("{\n\"a\":12}", 8, "broken");
}

static void test_any_depth(void **state) {
    UNUSED(state);
    enum { DEPTH = 5000 };
    char text[2 * DEPTH + 4];
    memset(text, '[', DEPTH + 1);
    memset(text + DEPTH + 1, ']', DEPTH + 1);
    struct json_framing framing = {0};
    struct json_extent e = {0, 0};
    assert_int_equal(json_cut_next(&framing, (struct str){text, 2 * DEPTH + 2}, true, MAX_BYTES, &e), JSON_CUT_RECORD);
    assert_int_equal(e.start, 1);
    assert_int_equal(e.size, 2 * DEPTH);
}

TEST_MAIN(cmocka_unit_test(test_documents_and_elements), cmocka_unit_test(test_what_is_no_object_is_cut_off),
          cmocka_unit_test(test_what_has_no_end_is_broken), cmocka_unit_test(test_a_record_over_lines_has_a_limit),
          cmocka_unit_test(test_any_depth))
