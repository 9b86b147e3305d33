/*
 * Files read through blocks of every size: the records and line numbers may not depend on where a block ends. And the
 * bytes a file can have: none at all, nothing but a header, a byte order mark, NULs, lines without an end.
 */
#include "bronze_test.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static struct arena arena;

static int reset(void **state) {
    UNUSED(state);
    arena_reset(&arena);
    return 0;
}

static void check_every_block(const struct csv_dialect *d, struct str bytes, const char *expected) {
    for (size_t block = 1; block <= bytes.len + 2; block++) assert_str(records_of(&arena, d, bytes, block), expected);
}

#define MIXED STR("h1,h2\r\na,b\n\n  \r\"c\",d\r\n\r\ne,\"f\"\"g\"\n\"h,i\nj\",k\r\rl,")

static void test_line_mode_at_every_border(void **state) {
    UNUSED(state);
    check_every_block(&LINE_MODE, MIXED, "1: h1|h2\n2: a|b\n5: c|d\n7: e|f\"g\n8: h,i\n9: j\"|k\n11: l|NULL\n");
}

static void test_multi_line_at_every_border(void **state) {
    UNUSED(state);
    check_every_block(&MULTI_LINE, MIXED, "1: h1|h2\n2: a|b\n4:   \n5: c|d\n7: e|f\"g\n8: h,i\\nj|k\n11: l|NULL\n");
}

static void test_unclosed_at_every_border(void **state) {
    UNUSED(state);
    check_every_block(&MULTI_LINE, STR("a,b\n1,\"open\n2,\"x\ny\",z\r\n3,\"end\n"),
                      "1: a|b\n2 unclosed: 1|open\n3: 2|x\\ny|z\n5 unclosed: 3|end\n");
}

static void test_byte_order_mark(void **state) {
    UNUSED(state);
    check_every_block(&LINE_MODE,
                      STR("\xEF\xBB\xBF"
                          "a,b\n1,2"),
                      "1: a|b\n2: 1|2\n");
    check_every_block(&MULTI_LINE, STR("\xEF\xBB\xBF\"a\n\",b\n"), "1: a\\n|b\n");
    check_every_block(&LINE_MODE, STR("\xEF\xBB\xBF"), "");
    check_every_block(&LINE_MODE, STR("\xEF\xBB"), "1 bad: \\xef\\xbb\n");
    check_every_block(&LINE_MODE,
                      STR("a\n\xEF\xBB\xBF"
                          "b\n"),
                      "1: a\n2: \\xef\\xbb\\xbf"
                      "b\n"); /* text elsewhere */
}

static void test_ends_of_files(void **state) {
    UNUSED(state);
    check_every_block(&LINE_MODE, STR(""), "");
    check_every_block(&MULTI_LINE, STR(""), "");
    check_every_block(&LINE_MODE, STR("\n"), "");
    check_every_block(&LINE_MODE, STR("h1,h2"), "1: h1|h2\n");
    check_every_block(&LINE_MODE, STR("h1,h2\r"), "1: h1|h2\n");
    check_every_block(&LINE_MODE, STR("h1,h2\r\r\n1,2"), "1: h1|h2\n3: 1|2\n");
    check_every_block(&MULTI_LINE, STR("h1,h2\r\r\n1,2"), "1: h1|h2\n3: 1|2\n");
}

static void test_nul_and_high_bytes(void **state) {
    UNUSED(state);
    check_every_block(&LINE_MODE, STR("a\0b,\0\n\0\0\n\xC3\xBC,\xFF\n"),
                      "1: a\\x00b|\\x00\n2: \\x00\\x00\n3 bad: \\xc3\\xbc|\\xff\n");
    check_every_block(&MULTI_LINE, STR("\"\0\n\",\xE4\n"), "1 bad: \\x00\\n|\\xe4\n");
}

static void test_only_records_with_bad_bytes_are_bad(void **state) {
    UNUSED(state);
    check_every_block(&LINE_MODE, STR("a,b\n\xC3\n\xC3\xBC,x\n"), "1: a|b\n2 bad: \\xc3\n3: \\xc3\\xbc|x\n");
}

static void test_more_tokens_than_room(void **state) {
    UNUSED(state);
    check_every_block(&LINE_MODE, STR("1,2,3,4,5,6,7,8\n1,\"2\",3,4,5,6\n"), "1: 1|2|3|4|5|6|...\n2: 1|2|3|4|5|6\n");
}

static void test_starts_in_the_middle(void **state) {
    UNUSED(state);
    struct csv_file f;
    struct csv_block b;
    struct csv_record record;
    struct assay_error err = {0};
    const char *path = str_printf(&arena, "%s/middle.csv", test_dir()).ptr;
    test_write(path, STR("h\n\nx\n\xEF\xBB\xBFy\n"));
    assert_ok(csv_file_open(&f, &LINE_MODE, path, 10, 3, 3, &err), &err);
    csv_block_open(&b, &LINE_MODE, 1, CSV_BLOCK_BYTES);
    assert_ok(csv_block_load(&b, &f, &err), &err);
    assert_true(csv_block_next(&b, &record));
    assert_int_equal(record.line, 3);
    assert_int_equal(record.offset, 3);
    assert_str(record.bytes, "x");
    assert_true(csv_block_next(&b, &record));
    assert_str(record.bytes, "\xEF\xBB\xBFy");
    assert_int_equal(record.offset, 5);
    assert_false(csv_block_next(&b, &record));
    csv_block_close(&b);
    csv_file_close(&f);
}

/* A line of 20 MB between others, and a quote at the start of the last lines that nothing closes. */
static void test_long_lines_and_unclosed_end(void **state) {
    UNUSED(state);
    enum { LONG = 20 << 20 };
    struct buf bytes = {0};
    buf_addz(&bytes, "a,b\n");
    buf_reserve(&bytes, LONG);
    memset(bytes.data + bytes.len, 'x', LONG);
    bytes.len += LONG;
    buf_addz(&bytes, ",y\nc,d\n");
    for (int i = 0; i < 200000; i++) buf_addz(&bytes, i == 100000 ? "e,\"open\n" : "e,f\n");
    for (int multi = 0; multi < 2; multi++) {
        struct csv_file f;
        struct csv_block b;
        struct csv_record record;
        struct assay_error err = {0};
        const char *path = str_printf(&arena, "%s/long.csv", test_dir()).ptr;
        int64_t records = 0, longest = 0, unclosed = 0, last = 0;
        test_write(path, buf_str(&bytes));
        assert_ok(csv_file_open(&f, multi ? &MULTI_LINE : &LINE_MODE, path, (int64_t)bytes.len, 0, 1, &err), &err);
        csv_block_open(&b, multi ? &MULTI_LINE : &LINE_MODE, 2, CSV_BLOCK_BYTES);
        do {
            assert_ok(csv_block_load(&b, &f, &err), &err);
            while (csv_block_next(&b, &record)) {
                records++;
                if ((int64_t)record.bytes.len > longest) longest = (int64_t)record.bytes.len;
                if (record.is_unclosed) unclosed = record.line;
                last = record.line;
                assert_int_equal(record.token_count, 2);
            }
        } while (b.stop);
        csv_block_close(&b);
        csv_file_close(&f);
        unlink(path);
        assert_int_equal(records, 200003);
        assert_int_equal(last, 200003);
        assert_int_equal(longest, LONG + 2);
        assert_int_equal(unclosed, multi ? 100004 : 0);
    }
    buf_free(&bytes);
}

static void test_file_that_became_shorter(void **state) {
    UNUSED(state);
    struct csv_file f;
    struct csv_block b;
    struct assay_error err = {0};
    const char *path = str_printf(&arena, "%s/short.csv", test_dir()).ptr;
    test_write(path, STR("a,b\n1,2\n"));
    assert_ok(csv_file_open(&f, &LINE_MODE, path, 9, 0, 1, &err), &err);
    csv_block_open(&b, &LINE_MODE, 2, CSV_BLOCK_BYTES);
    assert_code(ASSAY_UNAVAILABLE, csv_block_load(&b, &f, &err), &err);
    assert_err_has(&err, "ends at byte 8 where it had 9");
    csv_block_close(&b);
    csv_file_close(&f);
}

static void test_bytes_that_came_later_are_not_looked_at(void **state) {
    UNUSED(state);
    struct buf out = {0};
    const char *path = str_printf(&arena, "%s/longer.csv", test_dir()).ptr;
    test_write(path, STR("a,b\n1,2\n3,4\n"));
    read_file(&out, &LINE_MODE, path, 6, 100);
    assert_str(buf_str(&out), "1: a|b\n2: 1|NULL\n");
    buf_free(&out);
}

static void test_file_that_is_not_there(void **state) {
    UNUSED(state);
    struct csv_file f;
    struct assay_error err = {0};
    assert_code(ASSAY_NOT_FOUND, csv_file_open(&f, &LINE_MODE, "/nowhere/a.csv", 1, 0, 1, &err), &err);
}

static uint64_t random_state = 88172645463325252u;
static size_t random_below(size_t limit) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (size_t)(random_state % limit);
}

/* What stands between two records, or behind the last: only a byte order mark, line ends and blank lines. */
static void check_gap(struct str gap, bool is_at_start, bool is_multi_line) {
    if (is_at_start && str_starts(gap, STR("\xEF\xBB\xBF"))) gap = str_sub(gap, 3, gap.len);
    for (size_t i = 0; i < gap.len; i++)
        assert_true(gap.ptr[i] == '\n' || gap.ptr[i] == '\r' || (!is_multi_line && (unsigned char)gap.ptr[i] <= ' '));
}

/* Records in order, each byte of the file in one of them or in a gap; line numbers as counted in the bytes before. */
static void check_cover(const struct csv_dialect *d, struct str bytes, size_t block_bytes) {
    static const char *path;
    struct csv_file f;
    struct csv_block b;
    struct csv_record r;
    struct assay_error err = {0};
    size_t covered = 0, mark = str_starts(bytes, STR("\xEF\xBB\xBF")) ? 3 : 0;
    if (!path) path = str_c(&arena, str_printf(&arena, "%s/random.csv", test_dir()));
    unlink(path);
    test_write(path, bytes);
    assert_ok(csv_file_open(&f, d, path, (int64_t)bytes.len, 0, 1, &err), &err);
    csv_block_open(&b, d, 3, block_bytes);
    do {
        assert_ok(csv_block_load(&b, &f, &err), &err);
        while (csv_block_next(&b, &r)) {
            size_t at = (size_t)r.offset;
            assert_true(at >= covered && at + r.bytes.len <= bytes.len);
            assert_memory_equal(r.bytes.ptr, bytes.ptr + at, r.bytes.len);
            check_gap(str_sub(bytes, covered, at), covered == 0, d->is_multi_line);
            assert_int_equal(r.line, csv_count_lines(str_sub(bytes, mark, at)) + 1);
            assert_true(r.token_count >= 1);
            covered = at + r.bytes.len;
        }
    } while (b.stop);
    check_gap(str_sub(bytes, covered, bytes.len), covered == 0, d->is_multi_line);
    csv_block_close(&b);
    csv_file_close(&f);
}

static void test_no_byte_is_lost(void **state) {
    UNUSED(state);
    static const char *const alphabets[] = {"\"\n,a", "\"\n\r,a\\ \t", "\"\r\n,ab c\xC3\xA4\xFF", "a\n", "\r\n"};
    char bytes[300];
    for (int round = 0; round < 6000; round++) {
        const char *alphabet = alphabets[random_below(5)];
        size_t len = random_below(sizeof bytes), kinds = strlen(alphabet);
        for (size_t i = 0; i < len; i++) bytes[i] = round % 4 ? alphabet[random_below(kinds)] : (char)random_below(256);
        if (round % 16 == 0 && len >= 3) memcpy(bytes, "\xEF\xBB\xBF", 3);
        struct csv_dialect d = random_below(2) ? LINE_MODE : MULTI_LINE;
        d.max_record_bytes = 1 + random_below(40);
        if (random_below(2)) d.escape = '\\';
        check_cover(&d, (struct str){bytes, len}, 1 + random_below(64));
    }
}

TEST_MAIN(cmocka_unit_test_teardown(test_line_mode_at_every_border, reset),
          cmocka_unit_test_teardown(test_multi_line_at_every_border, reset),
          cmocka_unit_test_teardown(test_unclosed_at_every_border, reset),
          cmocka_unit_test_teardown(test_byte_order_mark, reset), cmocka_unit_test_teardown(test_ends_of_files, reset),
          cmocka_unit_test_teardown(test_nul_and_high_bytes, reset),
          cmocka_unit_test_teardown(test_only_records_with_bad_bytes_are_bad, reset),
          cmocka_unit_test_teardown(test_more_tokens_than_room, reset),
          cmocka_unit_test_teardown(test_starts_in_the_middle, reset),
          cmocka_unit_test_teardown(test_long_lines_and_unclosed_end, reset),
          cmocka_unit_test_teardown(test_file_that_became_shorter, reset),
          cmocka_unit_test_teardown(test_bytes_that_came_later_are_not_looked_at, reset),
          cmocka_unit_test_teardown(test_file_that_is_not_there, reset),
          cmocka_unit_test_teardown(test_no_byte_is_lost, reset))
