#include "support/test.h"

#include "base/time.h"

#include <stdlib.h>
#include <time.h>

/* Day numbers: java.time.LocalDate.toEpochDay, which counts year 0. */
static const struct {
    int64_t year;
    int month, day;
    int64_t days;
    const char *text;
} dates[] = {
    {1970, 1, 1, 0, "1970-01-01"},
    {1969, 12, 31, -1, "1969-12-31"},
    {2000, 2, 29, 11016, "2000-02-29"},
    {2024, 12, 31, 20088, "2024-12-31"},
    {1, 1, 1, -719162, "0001-01-01"},
    {0, 1, 1, -719528, "0000-01-01"},
    {-1, 1, 1, -719893, "-0001-01-01"},
    {9999, 12, 31, 2932896, "9999-12-31"},
    {10000, 1, 1, 2932897, "+10000-01-01"},
    {1582, 10, 10, -141432, "1582-10-10"}, /* a day the Julian calendar reform skipped */
};

static void test_dates_count_as_java_counts(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    for (size_t i = 0; i < sizeof dates / sizeof dates[0]; i++) {
        int64_t year;
        int month, day;
        assert_true(time_days_of(dates[i].year, dates[i].month, dates[i].day) == dates[i].days);
        time_date_of(dates[i].days, &year, &month, &day);
        assert_true(year == dates[i].year && month == dates[i].month && day == dates[i].day);
        assert_str(time_date_text(&arena, dates[i].days), dates[i].text);
    }
    arena_reset(&arena);
}

static void test_each_day_of_two_eras_follows_the_last(void **state) {
    UNUSED(state);
    int64_t expected = time_days_of(-400, 1, 1);
    for (int64_t year = -400; year < 400; year++)
        for (int month = 1; month <= 12; month++)
            for (int day = 1; time_is_date(year, month, day); day++)
                assert_true(time_days_of(year, month, day) == expected++);
    assert_true(expected - time_days_of(-400, 1, 1) == 2 * 146097);
}

static void test_the_c_library_agrees(void **state) {
    UNUSED(state);
    for (int64_t days = -200000; days < 200000; days += 37) {
        time_t seconds = (time_t)(days * 86400);
        struct tm tm;
        gmtime_r(&seconds, &tm);
        int64_t year;
        int month, day;
        time_date_of(days, &year, &month, &day);
        assert_true(year == tm.tm_year + 1900 && month == tm.tm_mon + 1 && day == tm.tm_mday);
    }
}

static void test_dates_that_are_none(void **state) {
    UNUSED(state);
    assert_true(time_is_date(2000, 2, 29));
    assert_false(time_is_date(1900, 2, 29));
    assert_true(time_is_date(-4, 2, 29));
    assert_false(time_is_date(2023, 2, 29));
    assert_false(time_is_date(2023, 4, 31));
    assert_false(time_is_date(2023, 0, 1));
    assert_false(time_is_date(2023, 13, 1));
    assert_false(time_is_date(2023, 1, 0));
}

static void test_instants_print_as_spark_prints_them(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    const int64_t us = INT64_C(1704457845123456); /* 2024-01-05 12:30:45.123456 */
    assert_str(time_text(&arena, us), "2024-01-05 12:30:45.123456");
    assert_str(time_iso_ms(&arena, us), "2024-01-05T12:30:45.123Z");
    assert_str(time_text(&arena, us - 456), "2024-01-05 12:30:45.123");
    assert_str(time_text(&arena, us - 123456), "2024-01-05 12:30:45");
    assert_str(time_text(&arena, -1), "1969-12-31 23:59:59.999999");
    assert_str(time_iso_ms(&arena, -1), "1969-12-31T23:59:59.999Z");
    assert_str(time_text(&arena, INT64_MAX), "+294247-01-10 04:00:54.775807"); /* the extremes of Spark's TIMESTAMP */
    assert_str(time_text(&arena, INT64_MIN), "-290308-12-21 19:59:05.224192");
    arena_reset(&arena);
}

static void test_rfc_3339_is_read(void **state) {
    UNUSED(state);
    static const struct {
        const char *text;
        int64_t us;
    } good[] = {
        {"2024-01-05T12:30:45.123456Z", INT64_C(1704457845123456)},
        {"2024-01-05T12:30:45Z", INT64_C(1704457845000000)},
        {"2024-01-05T14:00:45.5+01:30", INT64_C(1704457845500000)},
        {"2024-01-04T23:59:59-00:01", INT64_C(1704412859000000)},
        {"1969-12-31t23:59:59.999999z", -1},
        {"0000-01-01T00:00:00Z", INT64_C(-62167219200000000)},
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        int64_t us = 0;
        assert_true(time_parse_iso(str_of(good[i].text), &us));
        assert_true(us == good[i].us);
    }
    static const char *const bad[] = {"",
                                      "2024-01-05",
                                      "2024-01-05T12:30:45",
                                      "2024-01-05T12:30:45.Z",
                                      "2024-01-05T12:30:45.1234567Z",
                                      "2024-01-05T24:00:00Z",
                                      "2024-01-05T12:60:00Z",
                                      "2024-01-05T12:30:60Z",
                                      "2024-02-30T12:30:45Z",
                                      "2024-01-05T12:30:45+24:00",
                                      "2024-01-05T12:30:45+0100",
                                      "2024-01-05T12:30:45Z ",
                                      " 2024-01-05T12:30:45Z",
                                      "2024-1-5T12:30:45Z",
                                      "20240105T123045Z",
                                      "+024-01-05T12:30:45Z",
                                      "2024-01-05 12:30:45Z"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        int64_t us = 42;
        assert_false(time_parse_iso(str_of(bad[i]), &us));
        assert_int_equal(us, 42);
    }
}

static void test_the_clock_can_be_set(void **state) {
    UNUSED(state);
    setenv("ASSAY_TEST_NOW", "1704457845123456", 1);
    assert_true(time_now_us() == INT64_C(1704457845123456));
    setenv("ASSAY_TEST_NOW", "tomorrow", 1);
    int64_t real = (int64_t)time(NULL);
    assert_in_range(time_now_us() / 1000000 - real, 0, 5);
    unsetenv("ASSAY_TEST_NOW");
    assert_in_range(time_now_us() / 1000000 - real, 0, 5);
    double before = time_monotonic_s();
    assert_true(time_monotonic_s() >= before);
}

TEST_MAIN(cmocka_unit_test(test_dates_count_as_java_counts),
          cmocka_unit_test(test_each_day_of_two_eras_follows_the_last), cmocka_unit_test(test_the_c_library_agrees),
          cmocka_unit_test(test_dates_that_are_none), cmocka_unit_test(test_instants_print_as_spark_prints_them),
          cmocka_unit_test(test_rfc_3339_is_read), cmocka_unit_test(test_the_clock_can_be_set))
