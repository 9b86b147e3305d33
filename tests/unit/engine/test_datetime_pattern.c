#include "engine/cast.h"

#include "vectors.h"

#include <string.h>

static const struct datetime_pattern *open_pattern(struct str text) {
    struct assay_error err = {0};
    struct datetime_pattern *pattern;
    assert_ok(datetime_pattern_open(text, &pattern, &err), &err);
    return pattern;
}

static void close_pattern(const struct datetime_pattern *pattern) {
    struct datetime_pattern *p;
    memcpy(&p, &pattern, sizeof p);
    datetime_pattern_close(&p);
    assert_null(p);
}

static bool read_timestamp(const char *pattern, const char *text, int64_t *us) {
    const struct datetime_pattern *p = open_pattern(str_of(pattern));
    bool is_read = datetime_pattern_timestamp(p, str_of(text), us);
    close_pattern(p);
    return is_read;
}

static void assert_reads(const char *pattern, const char *text, int64_t seconds) {
    int64_t us = INT64_MIN;
    if (!read_timestamp(pattern, text, &us)) fail_msg("%s does not read %s", pattern, text);
    if (us != seconds * 1000000) fail_msg("%s reads %s as %lld", pattern, text, (long long)us);
}

static void assert_refuses(const char *pattern, const char *text) {
    int64_t us;
    if (read_timestamp(pattern, text, &us)) fail_msg("%s reads %s", pattern, text);
}

static void test_sample_of_a_differential_run(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    struct str rest = test_read(&arena, test_data(&arena, "spark/spark_pattern_sample.tsv"));
    struct vector v;
    size_t count = 0, bad = 0;
    while (vector_next(&arena, &rest, &v)) {
        const struct datetime_pattern *pattern = open_pattern(vector_unescape(&arena, v.kind));
        int64_t us = 0;
        bool is_read = datetime_pattern_timestamp(pattern, v.input, &us);
        struct str found = is_read ? str_printf(&arena, "%lld", (long long)us) : STR("NULL");
        if (!str_eq(found, v.expected)) {
            bad++;
            print_message("%.*s reads %.*s as %.*s, Spark as %.*s\n", STR_ARG(v.kind), STR_ARG(v.input), STR_ARG(found),
                          STR_ARG(v.expected));
        }
        close_pattern(pattern);
        count++;
    }
    arena_reset(&arena);
    assert_int_equal(bad, 0);
    assert_true(count > 100);
}

/** As the standard's examples have it; Java wants the T in quotes. */
static void test_bare_T_is_the_letter(void **state) {
    UNUSED(state);
    assert_reads("yyyy-MM-ddTHH:mm:ssZ", "2024-01-05T12:30:45+0000", 1704457845);
    assert_refuses("yyyy-MM-ddTHH:mm:ssZ", "2024-01-05T12:30:45Z");
    assert_refuses("yyyy-MM-ddTHH:mm:ssZ", "2024-01-05 12:30:45+0000");
}

static void test_missing_fields_are_of_1970(void **state) {
    UNUSED(state);
    assert_reads("HH:mm", "12:30", 12 * 3600 + 30 * 60);
    assert_reads("MM/yyyy", "02/1970", 31 * 86400);
    assert_reads("yyyy", "1971", 365 * 86400);
    assert_reads("yyyy-DDD", "1970-032", 31 * 86400);
    assert_refuses("yyyy-DDD", "1970-366");
    assert_reads("a", "pm", 12 * 3600);
}

static void test_words_match_in_any_case(void **state) {
    UNUSED(state);
    assert_reads("d MMM yyyy", "2 jAN 1970", 86400);
    assert_reads("d MMMM yyyy", "2 JANUARY 1970", 86400);
    assert_refuses("d MMMM yyyy", "2 Jan 1970");
    assert_reads("'de' d", "DE 2", 86400);
    assert_reads("'\xC3\xA9t\xC3\xA9' d", "\xC3\x89T\xC3\x89 2", 86400); /* été, ÉTÉ */
    assert_reads("d 'k'", "2 \xE2\x84\xAA", 86400);                      /* the Kelvin sign is a K */
    assert_refuses("'\xC3\xA9' d", "\xC3");
    assert_refuses("'\xC3\xA9' d", "e 2");
}

static void test_a_date_is_the_day_in_utc(void **state) {
    UNUSED(state);
    const struct datetime_pattern *p = open_pattern(STR("yyyy-MM-dd HHX"));
    int32_t days;
    assert_true(datetime_pattern_date(p, STR("1970-01-01 00+01"), &days));
    assert_int_equal(days, -1);
    assert_true(datetime_pattern_date(p, STR("1970-01-01 23-01"), &days));
    assert_int_equal(days, 1);
    close_pattern(p);
}

static void test_zones_by_name(void **state) {
    UNUSED(state);
    assert_reads("yyyy-MM-dd HH VV", "2024-07-01 12 europe/PARIS", 1719828000);
    assert_reads("yyyy-MM-dd HH z", "2024-07-01 12 PDT", 1719860400);
    assert_reads("yyyy-MM-dd HH zzzz", "2024-07-01 12 Pacific Daylight Time", 1719860400);
    assert_reads("yyyy-MM-dd HH z", "2024-07-01 12 UTC+02:00", 1719828000);
    assert_refuses("yyyy-MM-dd HH z", "2024-07-01 12 IST"); /* India, Ireland or Israel */
    assert_refuses("yyyy-MM-dd HH VV", "2024-07-01 12 ../../etc/passwd");
    assert_refuses("yyyy-MM-dd HHX", "2024-07-01 12+19");
    assert_refuses("yyyy-MM-dd HH[X]", "2024-07-01 12+24");
}

static void test_refused_patterns(void **state) {
    UNUSED(state);
    static const struct {
        const char *pattern, *letter, *position;
    } cases[] = {
        {"A", "'A'", "1"},          {"B", "'B'", "1"},        {"c", "'c'", "1"},
        {"yyyy e", "'e'", "6"},     {"E, d", "'E'", "1"},     {"F", "'F'", "1"},
        {"n", "'n'", "1"},          {"N", "'N'", "1"},        {"ppd", "'p'", "1"},
        {"q", "'q'", "1"},          {"Q", "'Q'", "1"},        {"u", "'u'", "1"},
        {"yyyy-ww", "'w'", "6"},    {"W", "'W'", "1"},        {"YYYY-MM-dd", "'Y'", "1"},
        {"yyyy b", "'b'", "6"},     {"ddd", "'d'", "1"},      {"yyyyyyy", "'y'", "1"},
        {"MMMMM", "'M'", "1"},      {"aa", "'a'", "1"},       {"yyyy V", "'V'", "6"},
        {"OO", "'O'", "1"},         {"XXXXXX", "'X'", "1"},   {"ZZZZZZ", "'Z'", "1"},
        {"SSSSSSSSSS", "'S'", "1"}, {"dd]", "']'", "3"},      {"{dd}", "'{'", "1"},
        {"dd#", "'#'", "3"},        {"yyyy 'at", "'''", "6"}, {"yyyy-MM-dd'T", "'''", "11"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct assay_error err = {0};
        struct datetime_pattern *pattern;
        assert_code(ASSAY_INVALID, datetime_pattern_open(str_of(cases[i].pattern), &pattern, &err), &err);
        assert_null(pattern);
        assert_err_has(&err, cases[i].letter);
        struct arena arena = {0};
        assert_err_has(&err, str_c(&arena, str_printf(&arena, "at position %s ", cases[i].position)));
        arena_reset(&arena);
    }
}

static void test_hostile_patterns(void **state) {
    UNUSED(state);
    struct assay_error err = {0};
    struct datetime_pattern *pattern;
    char text[1000];
    memset(text, '[', sizeof text);
    assert_code(ASSAY_LIMIT, datetime_pattern_open((struct str){text, sizeof text}, &pattern, &err), &err);
    assert_code(ASSAY_INVALID, datetime_pattern_open(STR("yyyy\xFF"), &pattern, &err), &err);

    memset(text, 'd', 512);
    for (size_t i = 0; i < 512; i += 2) text[i] = '[';
    assert_ok(datetime_pattern_open((struct str){text, 512}, &pattern, &err), &err);
    int64_t us;
    assert_true(datetime_pattern_timestamp(pattern, STR(""), &us));
    assert_false(datetime_pattern_timestamp(pattern, STR("1x"), &us));
    datetime_pattern_close(&pattern);
    assert_int_equal(us, 0);
}

static void test_hostile_texts(void **state) {
    UNUSED(state);
    assert_refuses("d/M/yyyy", "99999999999999999999999999999/1/2024");
    assert_refuses("d/M/yyyy", "18446744073709551617/1/2024"); /* 2^64 + 1 */
    assert_refuses("yyyy", "-0000");
    assert_refuses("yyyy", "+2024");
    assert_refuses("y", "9999999999");
    assert_refuses("y", "300000"); /* beyond int64 microseconds, where Spark clamps or throws */
    assert_reads("yyyy", "+10000", 253402300800);
    assert_refuses("dd/MM/yyyy", "31/02/2024");
    assert_refuses("dd/MM/yyyy", "");
    assert_refuses("ZZZZ", "GMT+05");
    assert_refuses("[O]", "GMT+");
}

TEST_MAIN(cmocka_unit_test(test_sample_of_a_differential_run), cmocka_unit_test(test_bare_T_is_the_letter),
          cmocka_unit_test(test_missing_fields_are_of_1970), cmocka_unit_test(test_words_match_in_any_case),
          cmocka_unit_test(test_a_date_is_the_day_in_utc), cmocka_unit_test(test_zones_by_name),
          cmocka_unit_test(test_refused_patterns), cmocka_unit_test(test_hostile_patterns),
          cmocka_unit_test(test_hostile_texts))
