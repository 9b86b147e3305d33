#include "support/test.h"

#include "base/regex.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static bool finds(const char *pattern, struct str subject) {
    struct regex *regex;
    struct assay_error err = {0};
    bool found = false;
    assert_ok(regex_open(str_of(pattern), &regex, &err), &err);
    assert_int_equal(regex_find(regex, subject, &found), ASSAY_OK);
    regex_close(&regex);
    assert_null(regex);
    return found;
}

/* Expected: java.util.regex.Matcher.find of Java 11. */
static const struct {
    const char *pattern, *subject;
    bool found;
} cases[] = {
    {"b", "abc", true},
    {"^b", "abc", false},
    {"", "", true},
    {"^a$", "a\n", true}, /* dollar also before a final line end */
    {"^a$", "a\r\n", true},
    {"^a$", "a\r", true},
    {"^a$", "a\xC2\x85", true},
    {"^a$", "a\u2028", true},
    {"^a$", "a\n\n", false},
    {"^a\\z", "a\n", false},
    {"^a$", "b\na", false}, /* not by line */
    {"(?m)^a$", "b\na", true},
    {"a.b", "a\nb", false},
    {"a.b", "a\rb", false},
    {"a.b",
     "a\xC2\x85"
     "b",
     false},
    {"a.b", "a\u2029b", false},
    {"(?s)a.b", "a\nb", true},
    {"^.$", "\U0001F600", true}, /* a code point, not two units */
    {"^\\d$", "\u0661", false},  /* Arabic digit: ASCII classes only */
    {"^\\w$", "\u00FC", false},
    {"^\\s$", "\u00A0", false},
    {"^\\s$", "\v", true},
    {"^\\p{Lu}$", "\u00DC", true},
    {"\\u00fC", "x\u00FC", true},
    {"[\\u0041-\\u0043]", "B", true},
    {"\\uD83D\\uDE00", "\U0001F600", true}, /* a pair is one code point */
    {"\\\\u0041", "\\u0041", true},         /* an escaped backslash, then letters */
    {"\\\\u0041", "A", false},
    {"\\Q\\u0041\\E", "\\u0041", true}, /* quoted */
    {"\\Q\\u0041\\E\\u0042", "\\u0041B", true},
    {"\\x{1F600}", "\U0001F600", true},
    {"^(?<year>\\d{4})-\\k<year>$", "2024-2024", true},
    {"^a++a", "aaa", false}, /* possessive */
    {"(?<!x)y", "xy", false},
};

static void test_patterns_are_javas(void **state) {
    UNUSED(state);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (finds(cases[i].pattern, str_of(cases[i].subject)) == cases[i].found) continue;
        print_error("%s on %s\n", cases[i].pattern, cases[i].subject);
        fail();
    }
    assert_true(finds("^a\\x00b$", (struct str){"a\0b", 3}));
    assert_true(finds("^$", (struct str){0}));
}

static void test_bytes_that_are_not_utf8_match_nothing_and_harm_nothing(void **state) {
    UNUSED(state);
    assert_false(finds("^.$", STR("\xFF")));
    assert_true(finds("x", STR("\xFF\xFE x")));
    assert_false(finds("^a.b$", STR("a\xC3")));
}

static void test_a_pattern_that_cannot_be_read_is_placed(void **state) {
    UNUSED(state);
    static const struct {
        const char *pattern, *part;
    } bad[] = {
        {"a(b", "at character 4"},
        {"\\u00fc(", "at character 8"},
        {"\u00FC[", "at character 3"},
        {"*", "at character 1"},
        {"a{2,1}", "a{2,1}"},
        {"(?<n>a)(?<n>b)", "(?<n>"},
        {"\\p{Nope}", "\\p{Nope}"},
        {"\xFF", "not UTF-8 at byte 1"},
        {"\\C", "\\C"},
        {"\\", "\\ at end"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct regex *regex = NULL;
        struct assay_error err = {0};
        assert_code(ASSAY_INVALID, regex_open(str_of(bad[i].pattern), &regex, &err), &err);
        assert_err_has(&err, bad[i].part);
        assert_null(regex);
    }
}

static void test_a_runaway_match_ends_as_limit(void **state) {
    UNUSED(state);
    struct regex *regex;
    struct assay_error err = {0};
    bool found = true;
    assert_ok(regex_open(STR("^(a+)+$"), &regex, &err), &err);
    char subject[64];
    memset(subject, 'a', sizeof subject);
    subject[63] = 'b';
    assert_int_equal(regex_find(regex, (struct str){subject, sizeof subject}, &found), ASSAY_LIMIT);
    assert_int_equal(regex_find(regex, STR("aaaa"), &found), ASSAY_OK); /* and goes on */
    assert_true(found);
    regex_close(&regex);
}

static void test_a_long_subject_does_not_overflow_the_stack(void **state) {
    UNUSED(state);
    struct buf subject = {0};
    for (int i = 0; i < 200000; i++) buf_addz(&subject, "ab");
    assert_true(finds("^(?:a|b)*$", buf_str(&subject)));
    buf_free(&subject);
}

static void *match_many(void *shared) {
    const struct regex *regex = shared;
    size_t wrong = 0;
    for (int i = 0; i < 20000; i++) {
        bool found = false;
        enum assay_code rc = regex_find(regex, i % 2 ? STR("order-12345") : STR("order-x"), &found);
        wrong += rc != ASSAY_OK || found != (i % 2 == 1);
    }
    return (void *)wrong;
}

static void test_one_pattern_serves_many_threads(void **state) {
    UNUSED(state);
    struct regex *regex;
    struct assay_error err = {0};
    assert_ok(regex_open(STR("^order-(\\d+)$"), &regex, &err), &err);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&threads[i], NULL, match_many, regex), 0);
    for (int i = 0; i < 4; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        assert_null(wrong);
    }
    regex_close(&regex);
}

TEST_MAIN(cmocka_unit_test(test_patterns_are_javas),
          cmocka_unit_test(test_bytes_that_are_not_utf8_match_nothing_and_harm_nothing),
          cmocka_unit_test(test_a_pattern_that_cannot_be_read_is_placed),
          cmocka_unit_test(test_a_runaway_match_ends_as_limit),
          cmocka_unit_test(test_a_long_subject_does_not_overflow_the_stack),
          cmocka_unit_test(test_one_pattern_serves_many_threads))
