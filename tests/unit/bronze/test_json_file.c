/* Files of JSON, block by block: the same records whatever the size of the blocks, and the file in them byte for byte.
 */
#include "support/test.h"

#include "bronze/csv.h"
#include "bronze/json.h"

#include <stdio.h>
#include <string.h>

static uint64_t random_state = 88172645463325252u;
static size_t random_below(size_t limit) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (size_t)(random_state % limit);
}

static const char *write_file(struct str bytes, const char *name) {
    static char path[4096];
    if (!path[0]) snprintf(path, sizeof path, "%s/%s", test_dir(), name);
    test_write(path, bytes);
    return path;
}

/** Records as `<line>:<bytes>|`, then the error's code if there was one. */
static enum assay_code read_all(const struct json_settings *settings, struct str bytes, size_t block_bytes,
                                struct buf *out, struct assay_error *err) {
    const char *path = write_file(bytes, "f.json");
    struct json_file f;
    struct json_block b = {0};
    struct json_record r;
    enum assay_code rc = json_file_open(&f, settings, path, "Files/landing/f.json", (int64_t)bytes.len, err);
    if (rc) return rc;
    do {
        rc = json_block_load(&b, &f, block_bytes, err);
        while (!rc && json_block_next(&b, &r)) {
            buf_printf(out, "%lld:", (long long)r.line);
            buf_add(out, r.bytes);
            buf_addz(out, r.is_valid ? "|" : "!|");
        }
    } while (!rc && b.stop);
    json_block_close(&b);
    json_file_close(&f);
    return rc;
}

static const struct json_settings LINES = {false, 1 << 20, {"UTF-8", 5}}, DOCUMENTS = {true, 1 << 20, {"UTF-8", 5}};

static void check(const struct json_settings *settings, struct str bytes, const char *expected) {
    for (size_t block = 1; block < 100; block += 1 + block / 2) {
        struct buf found = {0};
        struct assay_error err;
        assert_ok(read_all(settings, bytes, block, &found, &err), &err);
        assert_str(buf_str(&found), expected);
        buf_free(&found);
    }
}

static void check_refused(const struct json_settings *settings, struct str bytes, const char *part) {
    struct buf found = {0};
    struct assay_error err = {0};
    assert_code(ASSAY_REFUSED, read_all(settings, bytes, 7, &found, &err), &err);
    assert_err_has(&err, part);
    assert_err_has(&err, "Files/landing/f.json");
    buf_free(&found);
}

static void test_lines(void **state) {
    UNUSED(state);
    check(&LINES, STR(""), "");
    check(&LINES, STR("\n \t\r\n"), "");
    check(&LINES, STR("{}"), "1:{}|");
    check(&LINES, STR("\xEF\xBB\xBF{\"a\":1}\r\n\r\n{\"a\":2}\rx\n"), "1:{\"a\":1}|3:{\"a\":2}|4:x|");
    check(&LINES, STR("{\"a\":\"\xff\"}\n{}\n"), "1:{\"a\":\"\xff\"}!|2:{}|");
    check(&LINES, STR("{}\n[{}]\n{\n"), "1:{}|2:[{}]|3:{|");
    check(&LINES, STR("{\"a\":\n"), "1:{\"a\":|"); /* cut off, but no more than a line */
}

static void test_lines_are_expected(void **state) {
    UNUSED(state);
    check_refused(&LINES, STR("[{\"id\":1,\"n\":\"A\"}\n,{\"id\":2,\"n\":\"B\"}\n]"), "multiLine: true");
    check_refused(&LINES, STR("\n  [{}]"), "begins with an array");
    check_refused(&LINES, STR("\r\n{\r\n\"a\":1}"), "goes on over lines");
}

static void test_documents(void **state) {
    UNUSED(state);
    check(&DOCUMENTS, STR(""), "");
    check(&DOCUMENTS, STR(" \n"), "");
    check(&DOCUMENTS, STR("\xEF\xBB\xBF[\n {\"id\":1},\n {\"id\":\n2}\n]\n"), "1:{\"id\":1}|2:{\"id\":\n2}|");
    check(&DOCUMENTS, STR("[{\"id\":1},{\"id\":2}] {\"id\":\"\xff\"}oops"),
          "1:{\"id\":1}|2:{\"id\":2}|3:{\"id\":\"\xff\"}!|4:oops|");
    check_refused(&DOCUMENTS, STR("[{\"id\":1},{\"id\":2}"), "from byte 18 on (record 3)");
    check_refused(&DOCUMENTS, STR("[{\"id\":1},\n{\"id\":[2}]\n"), "from byte 9 on (record 2)");
}

/* Pieces that fit together in all kinds of ways, good and broken. */
static struct str random_file(char *bytes, size_t pieces) {
    static const char *const parts[] = {
        "{\"a\":1}", "{\"a\":\"x\\n\"}", "\n", "\r\n", "\r", " ", "{", "}", "[", "]", ",", "\"", "oops", "\\",
        "\xff",      "{\"a\":[{}]}"};
    size_t len = 0, first = random_below(3);
    for (size_t i = 0; i < pieces; i++) {
        size_t kind = random_below(3) ? random_below(6) : random_below(sizeof parts / sizeof parts[0]);
        const char *part = i == 0 && first == 0 ? "\xEF\xBB\xBF" : parts[kind];
        memcpy(bytes + len, part, strlen(part));
        len += strlen(part);
    }
    return (struct str){bytes, len};
}

/** The records in order, and nothing but what may stand between them in the gaps. */
static void check_covers(struct str file, struct str found, const char *between) {
    size_t at = str_starts(file, STR("\xEF\xBB\xBF")) ? 3 : 0;
    while (found.len) {
        struct str head;
        found = str_split(found, ':', &head);
        size_t end = 0;
        while (!(found.ptr[end] == '|')) end++;
        struct str record = str_sub(found, 0, end - (found.ptr[end - 1] == '!'));
        found = str_sub(found, end + 1, found.len);
        while (at < file.len && !str_starts(str_sub(file, at, file.len), record)) {
            assert_non_null(strchr(between, file.ptr[at]));
            at++;
        }
        assert_true(at + record.len <= file.len);
        at += record.len;
    }
    for (; at < file.len; at++) assert_non_null(strchr(between, file.ptr[at]));
}

static void test_any_blocks_give_the_same(void **state) {
    UNUSED(state);
    static char bytes[4096];
    for (int round = 0; round < 400; round++) {
        struct str file = random_file(bytes, 1 + random_below(60));
        for (int mode = 0; mode < 2; mode++) {
            struct json_settings settings = {mode == 1, 1 + random_below(40), STR("UTF-8")};
            struct buf whole = {0};
            struct assay_error err = {0};
            enum assay_code rc = read_all(&settings, file, CSV_BLOCK_BYTES, &whole, &err);
            for (size_t block = 1; block < file.len + 2; block += 1 + block) {
                struct buf found = {0};
                assert_int_equal(read_all(&settings, file, block, &found, &err), rc);
                if (rc == ASSAY_OK) assert_str(buf_str(&found), whole.data ? whole.data : "");
                buf_free(&found);
            }
            if (rc == ASSAY_OK) check_covers(file, buf_str(&whole), mode ? " \r\n\t,[]" : " \r\n\t");
            buf_free(&whole);
        }
    }
}

TEST_MAIN(cmocka_unit_test(test_lines), cmocka_unit_test(test_lines_are_expected), cmocka_unit_test(test_documents),
          cmocka_unit_test(test_any_blocks_give_the_same))
