#include "engine/cast.h"
#include "engine/zone.h"

#include "support/test.h"

#include "base/time.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { HOUR = 3600 };

static void assert_offset(const char *text, int32_t offset_s) {
    struct zone zone;
    if (!zone_parse(str_of(text), &zone)) fail_msg("%s is not taken", text);
    assert_null(zone.rules);
    if (zone.offset_s != offset_s) fail_msg("%s is %d", text, zone.offset_s);
}

static void test_offsets(void **state) {
    UNUSED(state);
    assert_offset("Z", 0);
    assert_offset(" Z\t", 0);
    assert_offset("UTC", 0);
    assert_offset("GMT", 0);
    assert_offset("UT", 0);
    assert_offset("+5", 5 * HOUR);
    assert_offset("+05", 5 * HOUR);
    assert_offset("-0530", -(5 * HOUR + 1800));
    assert_offset("+5:30", 5 * HOUR + 1800);
    assert_offset("+05:3", 5 * HOUR + 180);
    assert_offset("-5:3", -(5 * HOUR + 180));
    assert_offset("+05:30:15", 5 * HOUR + 1815);
    assert_offset("+053015", 5 * HOUR + 1815);
    assert_offset("UTC+3", 3 * HOUR);
    assert_offset("GMT-8:00", -8 * HOUR);
    assert_offset("UT+01:30", HOUR + 1800);
    assert_offset("+18:00", 18 * HOUR);
    assert_offset("-18:00", -18 * HOUR);
    assert_offset("EST", -5 * HOUR);
    assert_offset("MST", -7 * HOUR);
    assert_offset("HST", -10 * HOUR);
}

static void test_what_is_no_zone(void **state) {
    UNUSED(state);
    static const char *const texts[] = {
        "",
        " ",
        "z",
        "utc",
        "A",
        "+",
        "+18:01",
        "-18:00:01",
        "+05:60",
        "+5:",
        "+0:5:3",
        "+123",
        "UTC+",
        "UTCZ",
        "UTC 3",
        "GMT+25",
        "+-5",
        "PDT",
        "pst",
        "europe/paris",
        "Europe",
        "Europe/",
        "/Europe/Paris",
        "Europe//Paris",
        "../UTC",
        "Europe/../Europe/Paris",
        "right/UTC",
        "posix/UTC",
        "posixrules",
        "localtime",
        "Factory",
        "ROC",
        "zone.tab",
        "tzdata.zi",
        "Europe/Paris ,",
        "Europe/Paris\x7f",
        "\xC3\xA9",
        "/etc/passwd",
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    };
    struct zone zone;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (zone_parse(str_of(texts[i]), &zone)) fail_msg("%s is taken", texts[i]);
    assert_false(zone_parse((struct str){"Europe/Paris\0x", 14}, &zone));
}

static int64_t wall(int64_t year, int month, int day, int hour, int minute) {
    return time_days_of(year, month, day) * 86400 + hour * HOUR + minute * 60;
}

/** Seconds that the wall time is ahead of its instant. */
static int64_t offset_of(const char *zone, int64_t local_s) {
    int64_t us;
    if (!cast_zone_instant(str_of(zone), local_s * 1000000, &us)) fail_msg("%s is not taken", zone);
    return local_s - us / 1000000;
}

static void test_gaps_move_on_and_overlaps_are_the_first(void **state) {
    UNUSED(state);
    assert_int_equal(offset_of("America/Los_Angeles", wall(2024, 3, 10, 1, 59)), -8 * HOUR);
    assert_int_equal(offset_of("America/Los_Angeles", wall(2024, 3, 10, 2, 30)), -8 * HOUR); /* is 03:30 at -7 */
    assert_int_equal(offset_of("America/Los_Angeles", wall(2024, 3, 10, 3, 0)), -7 * HOUR);
    assert_int_equal(offset_of("America/Los_Angeles", wall(2024, 11, 3, 1, 30)), -7 * HOUR);
    assert_int_equal(offset_of("America/Los_Angeles", wall(2024, 11, 3, 2, 0)), -8 * HOUR);
    assert_int_equal(offset_of("PST", wall(2024, 7, 1, 0, 0)), -7 * HOUR);
    assert_int_equal(offset_of("Pacific/Apia", wall(2011, 12, 30, 12, 0)), -10 * HOUR); /* a day that was left out */
}

static void test_before_and_after_the_table(void **state) {
    UNUSED(state);
    assert_int_equal(offset_of("Europe/Paris", wall(1800, 1, 1, 0, 0)), 561); /* mean time of Paris, 0:09:21 */
    assert_int_equal(offset_of("America/Los_Angeles", wall(1000, 1, 1, 0, 0)), -(7 * HOUR + 52 * 60 + 58));
    static const int64_t years[] = {2038, 2100, 2437, 2438, 2439, 9999, 123456};
    for (size_t i = 0; i < sizeof years / sizeof years[0]; i++) {
        assert_int_equal(offset_of("Europe/Paris", wall(years[i], 1, 1, 12, 0)), HOUR);
        assert_int_equal(offset_of("Europe/Paris", wall(years[i], 7, 1, 12, 0)), 2 * HOUR);
        assert_int_equal(offset_of("Australia/Sydney", wall(years[i], 1, 1, 12, 0)), 11 * HOUR);
        assert_int_equal(offset_of("Asia/Tokyo", wall(years[i], 7, 1, 12, 0)), 9 * HOUR);
        assert_int_equal(offset_of("Europe/Dublin", wall(years[i], 7, 1, 12, 0)), HOUR);
    }
    /* last Sunday of March 2500 is the 28th */
    assert_int_equal(offset_of("Europe/Paris", wall(2500, 3, 28, 1, 59)), HOUR);
    assert_int_equal(offset_of("Europe/Paris", wall(2500, 3, 28, 3, 0)), 2 * HOUR);
}

static void test_instants_beyond_int64_are_none(void **state) {
    UNUSED(state);
    int64_t us;
    assert_true(cast_zone_instant(STR("Z"), INT64_MAX, &us));
    assert_int_equal(us, INT64_MAX);
    assert_true(cast_zone_instant(STR("Z"), INT64_MIN, &us));
    assert_int_equal(us, INT64_MIN);
    assert_false(cast_zone_instant(STR("-01:00"), INT64_MAX, &us));
    assert_false(cast_zone_instant(STR("+01:00"), INT64_MIN, &us));
    assert_true(cast_zone_instant(STR("Europe/Paris"), INT64_MAX, &us));
    assert_true(cast_zone_instant(STR("America/Los_Angeles"), INT64_MIN, &us));
}

static void test_prefix_is_the_longest_id_in_any_case(void **state) {
    UNUSED(state);
    struct zone zone;
    assert_int_equal(zone_region_prefix(STR("america/new_york!"), &zone), 16);
    assert_int_equal(zone_region_prefix(STR("EST5EDT"), &zone), 7);
    assert_int_equal(zone_region_prefix(STR("GMT0Z"), &zone), 4);
    assert_int_equal(zone_region_prefix(STR("Nowhere/City"), &zone), 0);
    assert_int_equal(zone_region_prefix(STR(""), &zone), 0);
}

/** A TZif file of version 2 with one change, from +1:00 to +2:00 at the epoch. */
static size_t make_file(char *out, const char *footer) {
    static const unsigned char header[] = {'T', 'Z', 'i', 'f', '2'};
    size_t len = 0;
    for (int version = 1; version <= 2; version++) {
        memset(out + len, 0, 44);
        memcpy(out + len, header, sizeof header);
        unsigned char times = version == 2, types = version == 2 ? 2 : 1, letters = 1;
        out[len + 35] = (char)times;
        out[len + 39] = (char)types;
        out[len + 43] = (char)letters;
        len += 44;
        memset(out + len, 0, 32);
        if (version == 2) {
            out[len + 8] = 1;        /* the change goes to type 1 */
            out[len + 9 + 2] = 0x0E; /* 3600 = 0x0E10 */
            out[len + 9 + 3] = 0x10;
            out[len + 15 + 2] = 0x1C; /* 7200 = 0x1C20 */
            out[len + 15 + 3] = 0x20;
        }
        len += times * 9U + types * 6U + letters;
    }
    size_t footer_len = strlen(footer);
    memcpy(out + len, footer, footer_len);
    return len + footer_len;
}

static void test_files_are_checked(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    char file[512];
    size_t len = make_file(file, "\nEET-2EEST,M3.5.0/3,M10.5.0/4\n");
    const struct zone_rules *rules = zone_rules_read(&arena, (struct str){file, len});
    assert_non_null(rules);
    assert_int_equal(zone_rules_offset(rules, 3599), HOUR);
    assert_int_equal(zone_rules_offset(rules, 7200), 2 * HOUR);
    assert_int_equal(zone_rules_offset(rules, wall(2024, 7, 1, 0, 0)), 3 * HOUR);
    assert_int_equal(zone_rules_offset(rules, wall(2024, 12, 1, 0, 0)), 2 * HOUR);

    for (size_t cut = 0; cut < len - 1; cut++) {
        char *exact = memory_alloc(cut + 1); /* so that a byte too far is seen */
        memcpy(exact, file, cut);
        const struct zone_rules *some = zone_rules_read(&arena, (struct str){exact, cut});
        if (some) zone_rules_offset(some, 0);
        free(exact);
    }
    for (size_t i = 0; i < len; i++) { /* no change of a byte may do worse than a wrong offset */
        for (int bit = 0; bit < 8; bit++) {
            file[i] = (char)(file[i] ^ 1 << bit);
            const struct zone_rules *some = zone_rules_read(&arena, (struct str){file, len});
            if (some) zone_rules_offset(some, wall(2500, 7, 1, 0, 0));
            file[i] = (char)(file[i] ^ 1 << bit);
        }
    }
    arena_reset(&arena);
}

static void test_days_of_footers(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    char file[512];
    /* J60 is 1 March of every year; 59 counted from 0 is 1 March, in leap years 29 February */
    const struct zone_rules *julian =
        zone_rules_read(&arena, (struct str){file, make_file(file, "\nAAA-2BBB,J60/0,J300\n")});
    assert_non_null(julian);
    assert_int_equal(zone_rules_offset(julian, wall(2024, 2, 29, 23, 0)), 2 * HOUR);
    assert_int_equal(zone_rules_offset(julian, wall(2024, 3, 1, 1, 0)), 3 * HOUR);
    assert_int_equal(zone_rules_offset(julian, wall(2023, 3, 1, 1, 0)), 3 * HOUR);
    const struct zone_rules *counted =
        zone_rules_read(&arena, (struct str){file, make_file(file, "\n<+02>-2<x>-4,59/0,300\n")});
    assert_non_null(counted);
    assert_int_equal(zone_rules_offset(counted, wall(2024, 2, 29, 2, 0)), 4 * HOUR);
    assert_int_equal(zone_rules_offset(counted, wall(2023, 2, 28, 23, 0)), 2 * HOUR);
    static const char *const bad[] = {"\nAAA\n",
                                      "\nAAA-2BBB\n",
                                      "\nAAA-2BBB,M13.1.0,M3.1.0\n",
                                      "\nAAA-2BBB,M3.6.0,M10.1.0\n",
                                      "\n<AAA-2\n",
                                      "\nAAA-2BBB,M3.1.7,J1\n",
                                      "\nAAA-2BBB,J0,J1\n",
                                      "\nAAA-200\n",
                                      "AAA-2\n",
                                      "\nAAA-2BBB,J1,J2,\n",
                                      "\nAAA-2:60\n",
                                      "\n-2\n"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_null(zone_rules_read(&arena, (struct str){file, make_file(file, bad[i])}));
    arena_reset(&arena);
}

static void *read_many(void *sum) {
    static const char *const ids[] = {"Europe/Berlin", "Asia/Kolkata", "America/Denver", "Africa/Cairo", "Asia/Seoul"};
    for (int i = 0; i < 1000; i++) {
        int64_t us;
        if (cast_zone_instant(str_of(ids[i % 5]), wall(2024, 1, 1, 0, 0) * 1000000, &us))
            *(int64_t *)sum += us / 1000000;
    }
    return NULL;
}

static void test_many_threads_read_the_same_regions(void **state) {
    UNUSED(state);
    enum { THREADS = 8 };
    pthread_t threads[THREADS];
    int64_t sums[THREADS] = {0};
    for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&threads[i], NULL, read_many, &sums[i]), 0);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    /* offsets 1, 5.5, -7, 2 and 9 hours, each 200 times */
    int64_t expected = 1000 * wall(2024, 1, 1, 0, 0) - 200 * (10 * HOUR + 1800);
    for (int i = 0; i < THREADS; i++) assert_int_equal(sums[i], expected);
}

/* first, so that the threads are the first to ask for the list */
TEST_MAIN(cmocka_unit_test(test_many_threads_read_the_same_regions), cmocka_unit_test(test_offsets),
          cmocka_unit_test(test_what_is_no_zone), cmocka_unit_test(test_gaps_move_on_and_overlaps_are_the_first),
          cmocka_unit_test(test_before_and_after_the_table), cmocka_unit_test(test_instants_beyond_int64_are_none),
          cmocka_unit_test(test_prefix_is_the_longest_id_in_any_case), cmocka_unit_test(test_files_are_checked),
          cmocka_unit_test(test_days_of_footers))
