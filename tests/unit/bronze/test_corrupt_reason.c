/*
 * Why rows are corrupt, in words: every kind of fault, in UTF-8 and in other encodings, and where the contract has
 * changed since.
 */
#include "bronze_test.h"

static struct arena arena;

static int reset(void **state) {
    UNUSED(state);
    arena_reset(&arena);
    return 0;
}

static struct str NAMES[] = {{"id", 2}, {"name", 4}, {"total", 5}};

static struct plan plan_of(const char *encoding, bool is_multi_line) {
    return (struct plan){.source = {.delimiter = STR(","),
                                    .quote = STR("\""),
                                    .escape = STR("\""),
                                    .encoding = str_of(encoding),
                                    .is_multi_line = is_multi_line,
                                    .max_record_bytes = 1048576},
                         .source_columns = NAMES,
                         .source_column_count = 3};
}

static void check(struct plan plan, struct str text, struct str bytes, const char *expected) {
    struct buf out = {0};
    bronze_corrupt_reason(&plan, text, bytes, &out);
    assert_str(buf_str(&out), expected);
    buf_free(&out);
}

#define NONE ((struct str){0})

static void test_counts(void **state) {
    UNUSED(state);
    struct plan p = plan_of("UTF-8", false);
    check(p, STR("a,b"), NONE, "too few fields: 2 of 3");
    check(p, STR("a,b,c,d,"), NONE, "too many fields: 5 of 3");
    check(p, STR("a,\"b,c"), NONE,
          "too few fields: 2 of 3; the quote that opens field 2 (name) is not closed on its line (multiLine is false)");
    check(p, STR("\"a\" x,b"), NONE, "too few fields: 2 of 3; text follows the closing quote of field 1 (id)");
    check(p, STR("\"a\" ,b"), NONE, "too few fields: 2 of 3"); /* blanks may stand there */
    check(p, STR("\"a\"\"\",b"), NONE, "too few fields: 2 of 3");
    check(p, STR("a,b,c"), NONE, "it reads well with the contract as it is now");
    check(p, STR("a,b,\"c"), NONE, "it reads well with the contract as it is now"); /* as Spark has it */
    check(p, (struct str){"\0\0\0\0", 4}, NONE, "4 zero bytes and nothing else: the file was not written here");
}

static void test_multi_line(void **state) {
    UNUSED(state);
    struct plan p = plan_of("UTF-8", true);
    check(p, STR("a,b,\"c"), NONE,
          "the quote that opens field 3 (total) is not closed, or not within 1048576 bytes, or has text behind it");
    check(p, STR("a,b\nc"), NONE, "too few fields: 2 of 3");
}

static void test_bytes(void **state) {
    UNUSED(state);
    check(plan_of("UTF-8", false), STR("a,b\\xe9,c"), STR("a,b\xE9,c"),
          "byte 4, 0xe9 in field 2 (name), is not valid UTF-8");
    check(plan_of("UTF-8", false), STR("\\xff,b"), STR("\xFF,b"),
          "byte 1, 0xff in field 1 (id), is not valid UTF-8; too few fields: 2 of 3");
    /* 0x81 is no character of Windows-1252 */
    check(plan_of("windows-1252", false), STR("\xC3\xA9,b,\\x81"), STR("\xE9,b,\x81"),
          "byte 5, 0x81 in field 3 (total), is not valid windows-1252");
    /* a high surrogate without a low one */
    check(plan_of("UTF-16LE", false), STR("a,\\x00\\xd8,c"), STR("a\0,\0\0\xD8,\0c\0"),
          "byte 5, 0x00 in field 2 (name), is not valid UTF-16LE");
    check(plan_of("UTF-16", false), STR("a,\\x00\\xd8,c"), STR("a\0,\0\0\xD8,\0c\0"),
          "byte 5, 0x00 in field 2 (name), is not valid UTF-16");
    check(plan_of("UTF-16", false), STR("a,\\xd8\\x00,c"), STR("\0a\0,\xD8\0\0,\0c"),
          "byte 5, 0xd8 in field 2 (name), is not valid UTF-16");
}

static void test_dialects(void **state) {
    UNUSED(state);
    struct plan p = plan_of("UTF-8", false);
    p.source.delimiter = STR("||");
    check(p, STR("a||b|c"), NONE, "too few fields: 2 of 3");
    p.source.quote = p.source.escape = STR("");
    check(p, STR("\"a||b"), NONE, "too few fields: 2 of 3"); /* nothing is a quote */
    p.source.quote = STR("'");
    p.source.escape = STR("\\");
    check(p, STR("'a\\'||b"), NONE,
          "too few fields: 1 of 3; the quote that opens field 1 (id) is not closed on its line (multiLine is false)");
}

TEST_MAIN(cmocka_unit_test_teardown(test_counts, reset), cmocka_unit_test_teardown(test_multi_line, reset),
          cmocka_unit_test_teardown(test_bytes, reset), cmocka_unit_test_teardown(test_dialects, reset))
