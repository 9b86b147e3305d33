/*
 * Where multiLine records end: cases by hand, then random bytes beside the oracle's rule, which is written down here a
 * second time, byte by byte and without lookahead.
 */
#include "bronze_test.h"

#include <time.h>

static struct arena arena;

static int reset(void **state) {
    UNUSED(state);
    arena_reset(&arena);
    return 0;
}

static size_t line_end_at(struct str s, size_t i) {
    if (i >= s.len) return 0;
    if (s.ptr[i] == '\r' && i + 1 < s.len && s.ptr[i + 1] == '\n') return 2;
    return s.ptr[i] == '\r' || s.ptr[i] == '\n';
}

/* The rule: the record at `start`. Returns where it ends; *lines: line ends inside. */
static size_t end_by_rule(const struct csv_dialect *d, struct str s, size_t start, int64_t *lines, bool *is_unclosed) {
    size_t i = start, first_end = SIZE_MAX;
    int64_t opened = 0;
    bool is_inside = false, is_field_start = true;
    *lines = 0;
    while (i < s.len && !(*lines && i - start > d->max_record_bytes)) {
        char c = s.ptr[i];
        size_t step = line_end_at(s, i);
        if (step) {
            if (first_end == SIZE_MAX) first_end = i;
            if (!is_inside) break;
            ++*lines;
            i += step;
            continue;
        }
        if (is_inside) {
            bool is_pair = c == d->escape && i + 1 < s.len && (s.ptr[i + 1] == d->quote || s.ptr[i + 1] == d->escape);
            if (is_pair) {
                i += 2;
                continue;
            }
            if (c == d->quote && *lines > opened && i + 1 < s.len && s.ptr[i + 1] != d->delimiter &&
                !line_end_at(s, i + 1))
                break;
            is_inside = c != d->quote;
        } else if (c == d->quote && is_field_start) {
            is_inside = true;
            opened = *lines;
        }
        is_field_start = !is_inside && c == d->delimiter;
        i++;
    }
    *is_unclosed = is_inside || (*lines && i - start > d->max_record_bytes);
    if (*is_unclosed) {
        i = first_end == SIZE_MAX ? s.len : first_end;
        *lines = 0;
    }
    return i;
}

static struct str extents_by_rule(const struct csv_dialect *d, struct str s) {
    struct buf out = {0};
    int64_t line = 1;
    for (size_t start = 0; start < s.len;) {
        int64_t lines;
        bool is_unclosed;
        size_t stop = end_by_rule(d, s, start, &lines, &is_unclosed);
        buf_printf(&out, "%lld:%zu-%zu%s ", (long long)line, start, stop, is_unclosed ? "!" : "");
        line += lines + 1;
        start = stop + line_end_at(s, stop);
    }
    struct str text = str_copy(&arena, buf_str(&out));
    buf_free(&out);
    return text;
}

static struct str extents(const struct csv_dialect *d, struct str s) {
    struct buf out = {0};
    struct csv_lookahead look = {0};
    int64_t line = 1;
    for (size_t start = 0; start < s.len;) {
        struct csv_extent e;
        struct str rest = {s.ptr + start, s.len - start};
        assert_true(csv_multi_line_record(d, rest, (int64_t)start, line, true, &look, &e));
        buf_printf(&out, "%lld:%zu-%zu%s ", (long long)line, start, start + e.size, e.is_unclosed ? "!" : "");
        line += e.lines;
        start += e.step;
    }
    struct str text = str_copy(&arena, buf_str(&out));
    buf_free(&out);
    return text;
}

static void check(struct str bytes, const char *expected) {
    assert_str(extents(&MULTI_LINE, bytes), expected);
    assert_str(extents_by_rule(&MULTI_LINE, bytes), expected);
}

static void test_records_by_hand(void **state) {
    UNUSED(state);
    check(STR("a,b\nc\n"), "1:0-3 2:4-5 ");
    check(STR("\"a\nb\",c\nd"), "1:0-7 3:8-9 ");
    check(STR("\"a\r\nb\"\r\nd\r"), "1:0-6 3:8-9 ");
    check(STR("\n\n\"\n\"\n"), "1:0-0 2:1-1 3:2-5 ");
    check(STR("x\"y\nz\"\n"), "1:0-3 2:4-6 ");                     /* a quote in the middle opens nothing */
    check(STR("21,\"open,21\n22,\"c\",22\n"), "1:0-11! 2:12-21 "); /* closed in the middle of text */
    check(STR("1,\"open\n2,x\n"), "1:0-7! 2:8-11 ");               /* never closed */
    check(STR("\"a\n\"\"b\"\nc"), "1:0-7 3:8-9 ");                 /* two quotes are one */
    check(STR("\"a\nb\" ,c\n"), "1:0-2! 2:3-8 ");                  /* a blank is no delimiter */
    check(STR("\"a\" x,\"b\"\n"), "1:0-9 ");                       /* on one line text may follow */
    check(STR("\"a\nb\"\rc"), "1:0-5 3:6-7 ");
}

static void test_limit_counts_from_first_to_last_byte(void **state) {
    UNUSED(state);
    struct csv_dialect d = MULTI_LINE;
    d.max_record_bytes = 5;
    assert_str(extents(&d, STR("\"a\nb\"\nc\n")), "1:0-5 3:6-7 ");
    assert_str(extents(&d, STR("\"aa\nb\"\nc\n")), "1:0-3! 2:4-6 3:7-8 ");
    assert_str(extents(&d, STR("\"a line of its own\"\nc\n")), "1:0-19 2:20-21 "); /* any length on one line */
}

static void test_needs_more_bytes_to_say(void **state) {
    UNUSED(state);
    static const struct str unsure[] = {{"a", 1}, {"a\r", 2}, {"\"a\n", 3}, {"\"a\nb\"", 5}, {"\"a\nb\"\r", 6}};
    for (size_t i = 0; i < sizeof unsure / sizeof unsure[0]; i++) {
        struct csv_lookahead look = {0};
        struct csv_extent e;
        assert_false(csv_multi_line_record(&MULTI_LINE, unsure[i], 0, 1, false, &look, &e));
    }
}

static uint64_t random_state = 88172645463325252u;
static size_t random_below(size_t limit) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (size_t)(random_state % limit);
}

static void test_random_bytes_beside_the_rule(void **state) {
    UNUSED(state);
    static const size_t limits[] = {1, 5, 12, 30, 1 << 20};
    static const char *const alphabets[] = {"\"\n,a", "\"\n\r,a\\", "\"\n,ab c", "\"\",,\na", "\"aaaaaa\naaaa,"};
    char bytes[200];
    for (int round = 0; round < 40000; round++) {
        const char *alphabet = alphabets[random_below(5)];
        size_t len = random_below(sizeof bytes);
        for (size_t i = 0; i < len; i++) bytes[i] = alphabet[random_below(strlen(alphabet))];
        struct csv_dialect d = MULTI_LINE;
        d.max_record_bytes = limits[random_below(5)];
        if (random_below(2)) d.escape = '\\';
        struct str s = {bytes, len};
        struct str expected = extents_by_rule(&d, s);
        if (!str_eq(extents(&d, s), expected)) {
            struct buf shown = {0};
            show_bytes(&shown, s);
            print_error("%s, limit %zu, escape %c\n", shown.data, d.max_record_bytes, d.escape);
            assert_str(extents(&d, s), expected.ptr);
        }
        arena_reset(&arena);
    }
}

/* Every line opens a quote that no line closes, while to a look from before the line is inside quotes throughout. Each
 * looking for itself would go over 200 GB. */
static void test_unclosed_quotes_on_every_line_take_no_time(void **state) {
    UNUSED(state);
    struct buf bytes = {0};
    for (int i = 0; i < 200000; i++) buf_addz(&bytes, "\",a\"b,\"c\n");
    struct csv_lookahead look = {0};
    int64_t line = 1;
    clock_t start_ticks = clock(); /* of the processor, so that others who are busy do not count */
    for (size_t start = 0; start < bytes.len; line++) {
        struct csv_extent e;
        struct str rest = {bytes.data + start, bytes.len - start};
        assert_true(csv_multi_line_record(&MULTI_LINE, rest, (int64_t)start, line, true, &look, &e));
        assert_true(e.is_unclosed);
        start += e.step;
    }
    assert_int_equal(line, 200001);
    assert_true(clock() - start_ticks < 20 * CLOCKS_PER_SEC);
    buf_free(&bytes);
}

TEST_MAIN(cmocka_unit_test_teardown(test_records_by_hand, reset),
          cmocka_unit_test_teardown(test_limit_counts_from_first_to_last_byte, reset),
          cmocka_unit_test_teardown(test_needs_more_bytes_to_say, reset),
          cmocka_unit_test_teardown(test_random_bytes_beside_the_rule, reset),
          cmocka_unit_test_teardown(test_unclosed_quotes_on_every_line_take_no_time, reset))
