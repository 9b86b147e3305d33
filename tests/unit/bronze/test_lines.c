/* Line ends, their count, blank lines, and the search below them, each beside a loop that goes byte by byte. */
#include "bronze_test.h"

#include "bronze/csv_find.h"

/* Line ends as Hadoop's reader has them, one byte at a time; a last line without one counts. */
static int64_t count_slowly(struct str s) {
    int64_t lines = 0;
    bool is_started = false;
    for (size_t i = 0; i < s.len; i++) {
        is_started = true;
        if (s.ptr[i] != '\n' && s.ptr[i] != '\r') continue;
        if (s.ptr[i] == '\r' && i + 1 < s.len && s.ptr[i + 1] == '\n') i++;
        lines++;
        is_started = false;
    }
    return lines + is_started;
}

static uint64_t random_state = 88172645463325252u;
static size_t random_below(size_t limit) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (size_t)(random_state % limit);
}

static void test_counts_lines_of_any_ends(void **state) {
    UNUSED(state);
    assert_int_equal(csv_count_lines(STR("")), 0);
    assert_int_equal(csv_count_lines(STR("a")), 1);
    assert_int_equal(csv_count_lines(STR("a\n")), 1);
    assert_int_equal(csv_count_lines(STR("\r\n")), 1);
    assert_int_equal(csv_count_lines(STR("\n\r")), 2);
    assert_int_equal(csv_count_lines(STR("a\nb\r\nc\rd")), 4);
    static char bytes[20000];
    for (int round = 0; round < 300; round++) {
        size_t len = random_below(sizeof bytes), kinds = 1 + random_below(6);
        for (size_t i = 0; i < len; i++) bytes[i] = "\n\rax,\""[random_below(kinds)];
        struct str s = {bytes, len};
        assert_int_equal(csv_count_lines(s), count_slowly(s));
    }
}

static void test_counts_more_than_a_byte_can(void **state) {
    UNUSED(state);
    static char bytes[100000];
    memset(bytes, '\n', sizeof bytes);
    assert_int_equal(csv_count_lines((struct str){bytes, sizeof bytes}), sizeof bytes);
    memset(bytes, '\r', sizeof bytes);
    assert_int_equal(csv_count_lines((struct str){bytes, sizeof bytes}), sizeof bytes);
    for (size_t i = 1; i < sizeof bytes; i += 2) bytes[i] = '\n';
    assert_int_equal(csv_count_lines((struct str){bytes, sizeof bytes}), sizeof bytes / 2);
}

static void check_end(const char *text, size_t at, size_t length) {
    size_t size;
    const char *stop = csv_line_end(text, text + strlen(text), &size);
    assert_int_equal(stop - text, at);
    assert_int_equal(size, length);
}

static void test_line_ends(void **state) {
    UNUSED(state);
    check_end("", 0, 0);
    check_end("ab", 2, 0);
    check_end("ab\ncd", 2, 1);
    check_end("ab\rcd", 2, 1);
    check_end("ab\r\ncd", 2, 2);
    check_end("\r\r\n", 0, 1);
    check_end("ab\r", 2, 1); /* at the very end */
    check_end("a line of more than sixteen bytes\r\nand another", 33, 2);
}

static void test_finds_the_first_at_any_place(void **state) {
    UNUSED(state);
    const struct csv_needles needles = csv_needles_of(',', '\n', '\r', '"');
    for (size_t len = 0; len < 70; len++) {
        char *exact = memory_alloc(len ? len : 1); /* of just this size, so that a sanitizer sees the byte after it */
        memset(exact, 'x', len);
        assert_ptr_equal(csv_find(&needles, exact, exact + len), exact + len);
        for (size_t at = len; at-- > 0;) { /* from the end, so that the newest is the first */
            exact[at] = ",\n\r\""[at % 4];
            assert_ptr_equal(csv_find(&needles, exact, exact + len), exact + at);
        }
        free(exact);
    }
}

static void test_every_byte_can_be_found(void **state) {
    UNUSED(state);
    char bytes[256];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (char)i;
    for (size_t i = 0; i < sizeof bytes; i++) {
        const struct csv_needles needles = csv_needles_of((char)i, (char)i, (char)i, (char)i);
        assert_ptr_equal(csv_find(&needles, bytes, bytes + sizeof bytes), bytes + i);
    }
}

static void test_blank_lines(void **state) {
    UNUSED(state);
    assert_true(csv_is_blank(STR("")));
    assert_true(csv_is_blank(STR(" \t\f\x01")));
    assert_false(csv_is_blank(STR(" \0"))); /* zero bytes are what is left of lost rows */
    assert_true(csv_is_zero_filled(STR(" \0\0")));
    assert_false(csv_is_zero_filled(STR("  ")));
    assert_false(csv_is_zero_filled(STR("\0a\0")));
    assert_false(csv_is_blank(STR("  ,")));
    assert_false(csv_is_blank(STR("\x7f")));
    assert_false(csv_is_blank(STR("\xC2\xA0"))); /* a blank of Unicode is none here */
}

TEST_MAIN(cmocka_unit_test(test_counts_lines_of_any_ends), cmocka_unit_test(test_counts_more_than_a_byte_can),
          cmocka_unit_test(test_line_ends), cmocka_unit_test(test_finds_the_first_at_any_place),
          cmocka_unit_test(test_every_byte_can_be_found), cmocka_unit_test(test_blank_lines))
