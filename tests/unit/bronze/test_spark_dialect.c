/*
 * Dialects other than the usual one beside Spark 3.5: tokens of random lines with delimiters of several bytes, and
 * random files with comments, null markers and blank lines (tests/data/spark/make_csv_dialect.py made both).
 */
#include "bronze_test.h"

#include "base/json.h"

static struct arena arena;

static int reset(void **state) {
    UNUSED(state);
    arena_reset(&arena);
    return 0;
}

static struct str text_at(const struct json *list, size_t i) { return str_copy(&arena, json_str(json_at(list, i))); }

static void show_values(struct buf *out, const struct json *list, size_t count) {
    csv_token tokens[64];
    for (size_t i = 0; i < count; i++) {
        bool is_null = json_kind_of(json_at(list, i)) == JSON_KIND_NULL;
        tokens[i] = is_null ? (csv_token){0} : json_str(json_at(list, i));
        if (!is_null && tokens[i].len == 0) tokens[i].ptr = "";
    }
    show_tokens(out, tokens, count, 64);
}

static void test_tokens(void **state) {
    UNUSED(state);
    struct str line, rest = test_read(&arena, test_data(&arena, "spark/spark_csv_dialect_tokens.ndjson"));
    int compared = 0, wrong = 0;
    struct buf scratch = {0}, expected = {0}, found = {0};
    while (rest.len) {
        struct json *root = NULL;
        struct assay_error err = {0};
        csv_token tokens[64];
        rest = str_split(rest, '\n', &line);
        assert_ok(json_parse(line, "tokens", &root, &err), &err);
        struct str delimiter = text_at(root, 0);
        struct csv_dialect d =
            DIALECT(delimiter.ptr[0], (unsigned char)text_at(root, 1).ptr[0], (unsigned char)text_at(root, 2).ptr[0]);
        d.more = str_sub(delimiter, 1, delimiter.len);
        buf_clear(&expected);
        buf_clear(&found);
        show_values(&expected, json_at(root, 4), json_count(json_at(root, 4)));
        size_t count = csv_tokenize(&d, text_at(root, 3), true, tokens, 64, &scratch);
        show_tokens(&found, tokens, count, 64);
        if (!str_eq(buf_str(&found), buf_str(&expected))) {
            wrong++;
            print_message("%.*s\n  Spark %s\n  found %s\n", STR_ARG(line), expected.data, found.data);
        }
        json_close(&root);
        compared++;
    }
    buf_free(&scratch);
    buf_free(&expected);
    buf_free(&found);
    assert_int_equal(compared, 1580);
    assert_int_equal(wrong, 0);
}

/* The rows of a file as `a|b|c|corrupt` lines. */
static struct str rows_of(const struct csv_dialect *d, struct str bytes, size_t block_bytes) {
    static const char *path;
    struct buf out = {0};
    struct csv_file f;
    struct csv_block b;
    struct csv_record r;
    struct assay_error err = {0};
    if (!path) path = str_c(&arena, str_printf(&arena, "%s/spark.csv", test_dir()));
    unlink(path);
    test_write(path, bytes);
    assert_ok(csv_file_open(&f, d, path, (int64_t)bytes.len, 0, 1, &err), &err);
    csv_block_open(&b, d, 3, block_bytes);
    do {
        assert_ok(csv_block_load(&b, &f, &err), &err);
        while (csv_block_next(&b, &r)) {
            csv_token row[4] = {{0}, {0}, {0}, {0}};
            for (size_t i = 0; i < 3 && i < r.token_count; i++)
                if (!csv_is_null(d, b.tokens[i])) row[i] = b.tokens[i];
            if (csv_is_corrupt(&r, 3)) row[3] = r.bytes;
            show_tokens(&out, row, 4, 4);
            buf_addc(&out, '\n');
        }
    } while (b.stop);
    csv_block_close(&b);
    csv_file_close(&f);
    struct str text = str_copy(&arena, buf_str(&out));
    buf_free(&out);
    return text;
}

static void test_files(void **state) {
    UNUSED(state);
    struct str line, rest = test_read(&arena, test_data(&arena, "spark/spark_csv_dialect_files.ndjson"));
    int compared = 0;
    while (rest.len) {
        struct json *root = NULL;
        struct assay_error err = {0};
        struct buf expected = {0};
        rest = str_split(rest, '\n', &line);
        assert_ok(json_parse(line, "files", &root, &err), &err);
        const struct json *options = json_at(root, 0), *rows = json_at(root, 2);
        struct str marker, comment;
        bool is_multi_line = false;
        assert_ok(json_get_str(options, "marker", &marker, &err), &err);
        assert_ok(json_get_str(options, "comment", &comment, &err), &err);
        assert_ok(json_get_bool(options, "multiLine", &is_multi_line, &err), &err);
        struct csv_dialect d = is_multi_line ? MULTI_LINE : LINE_MODE;
        d.comment = comment;
        d.null_markers = &marker;
        d.null_marker_count = 1;
        for (size_t i = 0; i < json_count(rows); i++) {
            show_values(&expected, json_at(rows, i), 4);
            buf_addc(&expected, '\n');
        }
        for (size_t block = 1; block < 40; block += 6)
            assert_str(rows_of(&d, text_at(root, 1), block), expected.data ? expected.data : "");
        buf_free(&expected);
        json_close(&root);
        compared++;
    }
    assert_int_equal(compared, 160);
}

TEST_MAIN(cmocka_unit_test_teardown(test_tokens, reset), cmocka_unit_test_teardown(test_files, reset))
