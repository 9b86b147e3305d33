#include "support/test.h"

#include <string.h>

static void test_views_are_cut_and_compared_by_bytes(void **state) {
    UNUSED(state);
    struct str nul = {"a\0b", 3};
    assert_true(str_eq(nul, (struct str){"a\0b", 3}));
    assert_false(str_eq(nul, STR("a")));
    assert_true(str_cmp(STR("a"), nul) < 0);
    assert_true(str_cmp(STR("\xC3\xBC"), STR("z")) > 0); /* unsigned bytes */
    assert_int_equal(str_cmp((struct str){0}, STR("")), 0);
    assert_str(str_sub(STR("abc"), 1, 99), "bc");
    assert_str(str_sub(STR("abc"), 5, 2), "");
    assert_true(str_starts(STR("abc"), STR("")));
    assert_false(str_ends(STR("c"), STR("bc")));
    assert_str(str_trim(STR(" \t\r\n\v\f a b \n")), "a b");
    assert_str(str_trim(STR("\xC2\xA0x")), "\xC2\xA0x"); /* no-break space is not blank */
    assert_int_equal(str_find(STR("aXbXc"), STR("Xc")), 3);
    assert_int_equal(str_find(STR("abc"), STR("abcd")), SIZE_MAX);
}

static void test_split_takes_one_part_at_a_time(void **state) {
    UNUSED(state);
    struct str head, rest = str_split(STR("a,,b"), ',', &head);
    assert_str(head, "a");
    rest = str_split(rest, ',', &head);
    assert_str(head, "");
    rest = str_split(rest, ',', &head);
    assert_str(head, "b");
    assert_int_equal(rest.len, 0);
}

static void test_paths_have_one_slash_between_parts(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    assert_str(str_path(&arena, STR("a/"), STR("/b")), "a/b");
    assert_str(str_path(&arena, STR(""), STR("b")), "b");
    assert_str(str_path(&arena, STR("a"), STR("")), "a");
    assert_str(str_path(&arena, STR("/"), STR("b")), "/b");
    assert_str(str_basename(STR("a/b.csv")), "b.csv");
    assert_str(str_basename(STR("a/")), "");
    arena_reset(&arena);
}

static void test_int64_takes_the_extremes_and_nothing_beyond(void **state) {
    UNUSED(state);
    int64_t value = 7;
    assert_int_equal(str_int64(STR("9223372036854775807"), &value), ASSAY_OK);
    assert_true(value == INT64_MAX);
    assert_int_equal(str_int64(STR("-9223372036854775808"), &value), ASSAY_OK);
    assert_true(value == INT64_MIN);
    assert_int_equal(str_int64(STR("+0"), &value), ASSAY_OK);
    assert_int_equal(value, 0);
    static const char *const bad[] = {
        "9223372036854775808", "-9223372036854775809", "", "-", "+", "1 ", " 1", "1.0", "0x1", "1e3"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(str_int64(str_of(bad[i]), &value), ASSAY_INVALID);
}

static void test_utf8_refuses_what_unicode_refuses(void **state) {
    UNUSED(state);
    static const struct {
        const char *text;
        size_t at;
    } cases[] = {
        {"plain ascii text, long", SIZE_MAX},
        {"\xC3\xBC\xE2\x82\xAC\xF0\x9F\x98\x80", SIZE_MAX},
        {"\xF4\x8F\xBF\xBF", SIZE_MAX}, /* U+10FFFF */
        {"\xF4\x90\x80\x80", 0},        /* beyond */
        {"\xED\xA0\x80", 0},            /* surrogate */
        {"a\xC0\x80", 1},               /* overlong NUL */
        {"ab\xE0\x80\x80", 2},          /* overlong */
        {"\xF0\x80\x80\x80", 0},        /* overlong */
        {"abcdefgh\xFF", 8},
        {"abc\xE2\x82", 3}, /* cut */
        {"\x80", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(str_utf8_error(str_of(cases[i].text)), cases[i].at);
    assert_int_equal(str_utf8_count(STR("a\xC3\xBC\xF0\x9F\x98\x80")), 3);
}

static void test_nearest_finds_slips_only(void **state) {
    UNUSED(state);
    static const struct str names[] = {{"customer_id", 11}, {"amount", 6}, {"id", 2}, {"order_date", 10}};
    assert_int_equal(str_distance(STR("abcd"), STR("abdc"), 9), 1); /* a swap is one slip */
    assert_int_equal(str_distance(STR("kitten"), STR("sitting"), 9), 3);
    assert_str(str_nearest(STR("custmer_id"), names, 4), "customer_id");
    assert_str(str_nearest(STR("AMOUTN"), names, 4), "amount");
    assert_str(str_nearest(STR("zebra"), names, 4), "");
    assert_str(str_nearest(STR("xy"), names, 0), "");
}

static void test_buffers_grow_and_stay_ended(void **state) {
    UNUSED(state);
    struct buf b = {0};
    buf_add(&b, (struct str){0});
    assert_int_equal(b.data[0], '\0');
    for (int i = 0; i < 10000; i++) buf_printf(&b, "%04d", i);
    assert_int_equal(b.len, 40000);
    assert_int_equal(strlen(b.data), 40000);
    assert_memory_equal(b.data + 39996, "9999", 4);
    buf_clear(&b);
    assert_int_equal(buf_str(&b).len, 0);
    buf_free(&b);
    assert_null(b.data);
}

static void test_printable_text_moves_no_cursor(void **state) {
    UNUSED(state);
    static const struct {
        struct str text;
        const char *printed;
    } cases[] = {
        {{"a\0b", 3}, "a\\x00b"},
        {{"\x1b[31m\t\n\x7f", 8}, "\\x1b[31m\\x09\\x0a\\x7f"},
        {{"\xC2\x9B" "1m \xC2\xA0\xC3\xBC", 9}, "\\xc2\\x9b1m \xC2\xA0\xC3\xBC"},
        {{"\xFF\xFE" "a\xC2", 4}, "\\xff\\xfea\\xc2"},
        {{"\xE6\xB9\x96", 3}, "\xE6\xB9\x96"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct buf b = {0};
        buf_add_printable(&b, cases[i].text);
        assert_str(buf_str(&b), cases[i].printed);
        buf_free(&b);
    }
}

TEST_MAIN(cmocka_unit_test(test_views_are_cut_and_compared_by_bytes),
          cmocka_unit_test(test_split_takes_one_part_at_a_time),
          cmocka_unit_test(test_paths_have_one_slash_between_parts),
          cmocka_unit_test(test_int64_takes_the_extremes_and_nothing_beyond),
          cmocka_unit_test(test_utf8_refuses_what_unicode_refuses), cmocka_unit_test(test_nearest_finds_slips_only),
          cmocka_unit_test(test_buffers_grow_and_stay_ended),
          cmocka_unit_test(test_printable_text_moves_no_cursor))
