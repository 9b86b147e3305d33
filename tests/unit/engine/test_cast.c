#include "engine/cast.h"

#include "vectors.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_no_value(struct str expected) {
    /* two divergences of the design: what depends on today, and what makes Spark throw */
    return str_eq(expected, STR("NULL")) || str_starts(expected, STR("CURRENT_DATE")) ||
           str_starts(expected, STR("THROWS"));
}

/** `2024-01-05 (19727)`: the number in the last parentheses, or the text itself. */
static int64_t number_of(struct arena *arena, struct str expected) {
    char *text = str_c(arena, expected);
    char *open = strrchr(text, '(');
    return strtoll(open ? open + 1 : text, NULL, 10);
}

static struct str decimal_text(struct arena *arena, int128 value, int scale) {
    char digits[64];
    size_t at = sizeof digits;
    bool is_negative = value < 0;
    if (is_negative) value = -value;
    for (int place = 0; value > 0 || place <= scale; place++) {
        if (scale > 0 && place == scale) digits[--at] = '.';
        digits[--at] = (char)('0' + (int)(value % 10));
        value /= 10;
    }
    if (is_negative) digits[--at] = '-';
    return str_copy(arena, (struct str){digits + at, sizeof digits - at});
}

static bool is_same_real(double a, double b) { return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b)); }

/** The cast of v.input as a text that can be compared with v.expected, or "NULL". */
static bool agrees(struct arena *arena, struct vector v) {
    bool is_value, want_value = !is_no_value(v.expected);
    char *kind = str_c(arena, v.kind), *expected = str_c(arena, v.expected);
#define INTEGER(name, c_type, cast)                                                                                    \
    if (strcmp(kind, name) == 0) {                                                                                     \
        c_type value = 0;                                                                                              \
        is_value = cast(v.input, &value);                                                                              \
        return is_value == want_value && (!is_value || value == number_of(arena, v.expected));                         \
    }
    INTEGER("date", int32_t, cast_date)
    INTEGER("ts", int64_t, cast_timestamp)
    INTEGER("ntz", int64_t, cast_timestamp_ntz)
    INTEGER("tinyint", int8_t, cast_tinyint)
    INTEGER("smallint", int16_t, cast_smallint)
    INTEGER("int", int32_t, cast_int)
    INTEGER("bigint", int64_t, cast_bigint)
    if (strcmp(kind, "bool") == 0) {
        bool value = false;
        is_value = cast_boolean(v.input, &value);
        return is_value == want_value && (!is_value || value == (strcmp(expected, "true") == 0));
    }
    if (strcmp(kind, "double") == 0) {
        double value = 0;
        is_value = cast_double(v.input, &value);
        return is_value == want_value && (!is_value || is_same_real(value, strtod(expected, NULL)));
    }
    if (strcmp(kind, "float") == 0) {
        float value = 0;
        is_value = cast_float(v.input, &value);
        return is_value == want_value && (!is_value || is_same_real((double)value, (double)strtof(expected, NULL)));
    }
    int precision, scale;
    int128 value = 0;
    assert_int_equal(sscanf(kind, "dec%2d,%2d", &precision, &scale), 2);
    is_value = cast_decimal(v.input, precision, scale, &value, NULL);
    return is_value == want_value && (!is_value || str_eq(decimal_text(arena, value, scale), v.expected));
}

static size_t count_agreeing(const char *file, size_t *total) {
    struct arena arena = {0};
    struct str rest = test_read(&arena, test_data(&arena, file));
    struct vector v;
    size_t good = 0;
    *total = 0;
    while (vector_next(&arena, &rest, &v)) {
        ++*total;
        if (agrees(&arena, v))
            good++;
        else
            print_message("%.*s of \"%.*s\" is not %.*s\n", STR_ARG(v.kind), STR_ARG(v.input), STR_ARG(v.expected));
    }
    arena_reset(&arena);
    return good;
}

static void test_all_vectors_of_spark(void **state) {
    UNUSED(state);
    size_t total, good = count_agreeing("spark/spark_cast_vectors.tsv", &total);
    assert_int_equal(good, total);
    assert_int_equal(total, 568);
}

static void test_sample_of_a_differential_run(void **state) {
    UNUSED(state);
    size_t total, good = count_agreeing("spark/spark_cast_sample.tsv", &total);
    assert_int_equal(good, total);
    assert_true(total > 50);
}

static void test_time_only_is_no_timestamp(void **state) {
    UNUSED(state);
    int64_t us;
    const char *const texts[] = {"12:30", "12:30:45", "T12:30", "T2", " T12:30:45Z", "1:2:3 Europe/Paris"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_false(cast_timestamp(str_of(texts[i]), &us));
        assert_false(cast_timestamp_ntz(str_of(texts[i]), &us));
    }
}

static void test_timestamps_to_the_ends_of_int64(void **state) {
    UNUSED(state);
    int64_t us;
    assert_true(cast_timestamp(STR("294247-01-10 04:00:54.775807"), &us));
    assert_int_equal(us, INT64_MAX);
    assert_false(cast_timestamp(STR("294247-01-10 04:00:54.775808"), &us));
    assert_true(cast_timestamp(STR("-290308-12-21 19:59:05.224192"), &us));
    assert_int_equal(us, INT64_MIN);
    assert_false(cast_timestamp(STR("-290308-12-21 19:59:05.224191"), &us));
    assert_false(cast_timestamp(STR("999999-01-01"), &us));
    assert_false(cast_timestamp(STR("294247-01-10 04:00:54Z-01:00"), &us));
}

static void test_decimal_says_whether_it_rounded(void **state) {
    UNUSED(state);
    static const struct {
        const char *text;
        bool is_exact;
    } cases[] = {{"1.50", true},
                 {"1.500", true},
                 {"1.505", false},
                 {"1e-3", false},
                 {"0e-3", true},
                 {"150e-2", true},
                 {"1.5e1", true},
                 {"0.001", false},
                 {"1.500000000000000000000000000000", true},
                 {"1.500000000000000000000000000001", false},
                 {"1e-400", false},
                 {"0", true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int128 value;
        bool is_exact = !cases[i].is_exact;
        assert_true(cast_decimal(str_of(cases[i].text), 10, 2, &value, &is_exact));
        assert_int_equal(is_exact, cases[i].is_exact);
    }
}

/** Long texts and exponents must neither overflow nor take time that grows faster than they. */
static void test_decimal_of_hostile_length(void **state) {
    UNUSED(state);
    enum { LENGTH = 1 << 20 };
    char *text = memory_alloc(LENGTH);
    int128 value;
    memset(text, '9', LENGTH);
    assert_false(cast_decimal((struct str){text, LENGTH}, 38, 0, &value, NULL));
    text[0] = '.';
    assert_true(cast_decimal((struct str){text, LENGTH}, 38, 2, &value, NULL));
    assert_int_equal((int64_t)value, 100);
    memset(text, '0', LENGTH);
    assert_true(cast_decimal((struct str){text, LENGTH}, 1, 0, &value, NULL));
    assert_int_equal((int64_t)value, 0);
    memcpy(text, "1e-", 3);
    assert_true(cast_decimal((struct str){text, LENGTH}, 1, 0, &value, NULL));
    assert_int_equal((int64_t)value, 1);
    text[LENGTH - 10] = '1';
    assert_true(cast_decimal((struct str){text, LENGTH - 1}, 1, 0, &value, NULL));
    assert_int_equal((int64_t)value, 0);
    assert_false(cast_decimal(STR("1e99999999999999999999999999"), 38, 0, &value, NULL));
    assert_false(cast_decimal(STR("1e-536870922"), 38, 2, &value, NULL));
    free(text);
}

static void test_decimal_takes_no_broken_utf8(void **state) {
    UNUSED(state);
    int128 value;
    assert_true(cast_decimal(STR("\xD9\xA1"), 3, 0, &value, NULL)); /* U+0661 */
    assert_int_equal((int64_t)value, 1);
    assert_false(cast_decimal(STR("\xD9"), 3, 0, &value, NULL));
    assert_false(cast_decimal(STR("1\xEF\xBC"), 3, 0, &value, NULL));
    assert_false(cast_decimal(STR("\xE0\x99\xA1"), 3, 0, &value, NULL)); /* U+0661, one byte too long */
    assert_false(cast_decimal(STR("\xC0\xB1"), 3, 0, &value, NULL));     /* 1, one byte too long */
    assert_false(
        cast_decimal(STR("\xF0\x9D\x9F\x98"), 3, 0, &value, NULL)); /* U+1D7D8: two chars in Java, so no digit */
}

static void test_reals_of_hostile_length(void **state) {
    UNUSED(state);
    enum { LENGTH = 1 << 16 };
    char *text = memory_alloc(LENGTH);
    double value;
    memset(text, '0', LENGTH);
    text[1] = '.';
    text[LENGTH - 1] = '1';
    assert_true(cast_double((struct str){text, LENGTH}, &value));
    assert_true(value == 0.0);
    memset(text, '9', LENGTH);
    assert_true(cast_double((struct str){text, LENGTH}, &value));
    assert_true(isinf(value));
    assert_true(cast_double(STR("1e99999999999999999999"), &value));
    assert_true(isinf(value));
    assert_false(cast_double(STR("1\0002"), &value));
    assert_false(cast_double(STR("nan(1)"), &value));
    assert_false(cast_double(STR("infinityx"), &value));
    free(text);
}

static void test_trim_takes_blanks_only(void **state) {
    UNUSED(state);
    assert_str(cast_trim(STR("  a b ")), "a b");
    assert_str(cast_trim(STR("\ta\n ")), "\ta\n");
    assert_str(cast_trim(STR("   ")), "");
    assert_str(cast_trim(STR("\xC2\xA0")), "\xC2\xA0");
    assert_str(cast_trim((struct str){0}), "");
}

TEST_MAIN(cmocka_unit_test(test_all_vectors_of_spark), cmocka_unit_test(test_sample_of_a_differential_run),
          cmocka_unit_test(test_time_only_is_no_timestamp), cmocka_unit_test(test_timestamps_to_the_ends_of_int64),
          cmocka_unit_test(test_decimal_says_whether_it_rounded), cmocka_unit_test(test_decimal_of_hostile_length),
          cmocka_unit_test(test_decimal_takes_no_broken_utf8), cmocka_unit_test(test_reals_of_hostile_length),
          cmocka_unit_test(test_trim_takes_blanks_only))
