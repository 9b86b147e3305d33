/* How mistakes look: golden texts, and hostile source lines. */
#include "base/limits.h"
#include "contract_support.h"

#include <string.h>

static struct diagnostic at(uint32_t line, uint32_t column, uint32_t length, const char *message) {
    return (struct diagnostic){DIAGNOSTIC_ERROR, STR("some-code"), line, column, length, str_of(message), {0}};
}

static void assert_print(const char *text, struct diagnostic item, const char *expected) {
    struct arena arena = {0};
    struct diagnostics d = {.path = STR("c.yaml"), .text = str_of(text)};
    struct buf out = {0};
    diagnostics_add(&d, &arena, item);
    diagnostics_print(&d, DIAGNOSTIC_NOTE, &out);
    assert_str(buf_str(&out), expected);
    buf_free(&out);
    arena_reset(&arena);
}

static void test_caret_under_the_mark(void **state) {
    UNUSED(state);
    struct diagnostic item = at(2, 4, 3, "'two' is no number");
    item.help = STR("write 2");
    assert_print("one\nb: two\nthree\n", item,
                 "c.yaml:2:4: error: 'two' is no number [some-code]\n"
                 "     2 | b: two\n"
                 "       |    ^~~\n"
                 "   help: write 2\n");
}

static void test_caret_counts_characters(void **state) {
    UNUSED(state);
    assert_print("\xC3\xBC\xC3\xA4: \xE2\x82\xAC x\n", at(1, 11, 1, "m"),
                 "c.yaml:1:11: error: m [some-code]\n"
                 "     1 | \xC3\xBC\xC3\xA4: \xE2\x82\xAC x\n"
                 "       |       ^\n");
}

static void test_tab_is_a_blank(void **state) {
    UNUSED(state);
    assert_print("\ta:\tb\n", at(1, 5, 1, "m"), "c.yaml:1:5: error: m [some-code]\n     1 |  a: b\n       |     ^\n");
}

static void test_bom_and_carriage_return_are_not_shown(void **state) {
    UNUSED(state);
    assert_print("\xEF\xBB\xBF"
                 "a: b\r\nc: d\r\n",
                 at(1, 4, 1, "m"), "c.yaml:1:4: error: m [some-code]\n     1 | a: b\n       |    ^\n");
}

/* A file must not be able to move the cursor or colour the terminal. */
static void test_control_characters_are_not_printed(void **state) {
    UNUSED(state);
    assert_print("a: \x1B[31m\xC2\x9B\xFF\n", at(1, 4, 2, "bad \x1B]0;x\x07 name"),
                 "c.yaml:1:4: error: bad ?]0;x? name [some-code]\n     1 | a: ?[31m??\n       |    ^~\n");
}

static void test_long_line_is_cut_around_the_caret(void **state) {
    UNUSED(state);
    char line[1001];
    memset(line, 'a', sizeof line);
    line[500] = '!';
    line[1000] = '\0';
    struct arena arena = {0};
    struct diagnostics d = {.path = STR("c.yaml"), .text = str_of(line)};
    struct buf out = {0};
    diagnostics_add(&d, &arena, at(1, 501, 1, "m"));
    diagnostics_print(&d, DIAGNOSTIC_NOTE, &out);
    struct str rest = buf_str(&out), source, caret;
    rest = str_split(rest, '\n', &source);
    rest = str_split(rest, '\n', &source);
    str_split(rest, '\n', &caret);
    assert_true(source.len < 140);
    assert_int_equal(str_find_char(source, '!'), str_find_char(caret, '^'));
    buf_free(&out);
    arena_reset(&arena);
}

static void test_place_beyond_the_text(void **state) {
    UNUSED(state);
    assert_print("a: b\n", at(9, 9, 9, "m"), "c.yaml:9:9: error: m [some-code]\n");
    assert_print("a: b\n", at(1, 99, 9, "m"), "c.yaml:1:99: error: m [some-code]\n     1 | a: b\n       |     ^\n");
    assert_print("", at(0, 0, 0, "m"), "c.yaml:1:1: error: m [some-code]\n");
}

static void test_sorted_by_place_and_filtered(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    struct diagnostics d = {.path = STR("c"), .text = STR("")};
    struct buf out = {0};
    diagnostics_add(&d, &arena, at(3, 1, 1, "third"));
    diagnostics_add(&d, &arena, at(1, 5, 1, "second"));
    struct diagnostic warning = at(1, 2, 1, "first");
    warning.severity = DIAGNOSTIC_WARNING;
    diagnostics_add(&d, &arena, warning);
    diagnostics_print(&d, DIAGNOSTIC_WARNING, &out);
    assert_str(
        buf_str(&out),
        "c:1:2: warning: first [some-code]\nc:1:5: error: second [some-code]\nc:3:1: error: third [some-code]\n");
    buf_clear(&out);
    diagnostics_print(&d, DIAGNOSTIC_ERROR, &out);
    assert_str(buf_str(&out), "c:1:5: error: second [some-code]\nc:3:1: error: third [some-code]\n");
    assert_int_equal(d.error_count, 2);
    assert_int_equal(d.warning_count, 1);
    buf_free(&out);
    arena_reset(&arena);
}

static void test_too_many_are_counted_not_kept(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    struct diagnostics d = {.path = STR("c"), .text = STR("")};
    struct buf out = {0};
    for (int i = 0; i < LIMIT_DIAGNOSTICS + 50; i++) diagnostics_add(&d, &arena, at(1, 1, 1, "m"));
    assert_int_equal(d.count, LIMIT_DIAGNOSTICS);
    assert_int_equal(d.error_count, LIMIT_DIAGNOSTICS + 50);
    diagnostics_print(&d, DIAGNOSTIC_ERROR, &out);
    assert_has(buf_str(&out), "and more: 250 errors and 0 warnings in all");
    buf_free(&out);
    arena_reset(&arena);
}

TEST_MAIN(cmocka_unit_test(test_caret_under_the_mark), cmocka_unit_test(test_caret_counts_characters),
          cmocka_unit_test(test_tab_is_a_blank), cmocka_unit_test(test_bom_and_carriage_return_are_not_shown),
          cmocka_unit_test(test_control_characters_are_not_printed),
          cmocka_unit_test(test_long_line_is_cut_around_the_caret), cmocka_unit_test(test_place_beyond_the_text),
          cmocka_unit_test(test_sorted_by_place_and_filtered), cmocka_unit_test(test_too_many_are_counted_not_kept))
