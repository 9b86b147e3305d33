/*
 * The tokenizer beside Spark 3.5's: the cases of spark_csv_tokenizer_cases.txt that use the dialects we read, and a
 * sample of random lines. Spark's defaults make NULL of every empty token, so the cases do not tell a quoted empty one
 * from an unquoted one; the sample, taken with another nullValue, does.
 */
#include "bronze_test.h"

#include "base/json.h"

static struct arena arena;

static int reset(void **state) {
    UNUSED(state);
    arena_reset(&arena);
    return 0;
}

static struct str shown(const struct csv_dialect *d, struct str record) {
    csv_token tokens[32];
    struct buf scratch = {0}, out = {0};
    size_t count = csv_tokenize(d, record, true, tokens, 32, &scratch);
    show_tokens(&out, tokens, count, 32);
    struct str text = str_copy(&arena, buf_str(&out));
    buf_free(&scratch);
    buf_free(&out);
    return text;
}

/* The text of a string in quotes as the file writes it: \" \\ \n \r \t \uXXXX. */
static struct str unquote(struct str s) {
    struct json *root = NULL;
    struct assay_error err = {0};
    size_t close = s.len;
    while (s.ptr[close - 1] != '"') close--;
    assert_ok(json_parse(str_printf(&arena, "[%.*s]", STR_ARG(str_sub(s, 0, close))), "case", &root, &err), &err);
    struct str text = str_copy(&arena, json_str(json_at(root, 0)));
    json_close(&root);
    return text;
}

/* The dialect of a section's options, if it is one we read: at most an escape or a separator. */
static bool read_options(struct str options, struct csv_dialect *d) {
    *d = LINE_MODE;
    d->escape = '\\'; /* Spark's default */
    if (str_eq(options, STR("escape=\""))) d->escape = '"';
    if (str_eq(options, STR("sep=\t"))) d->delimiter = '\t';
    return options.len == 0 || d->escape == '"' || d->delimiter == '\t';
}

/* `   2 tok ["a" | NULL(""==nullValue)]   raw="a,"` as we show tokens; an empty one is NULL. */
static struct str expected_tokens(struct str line) {
    struct buf out = {0};
    size_t from = str_find(line, STR("[")) + 1, to = str_find(line, STR("]   raw="));
    struct str rest = str_sub(line, from, to);
    while (rest.len) {
        size_t bar = str_find(rest, STR(" | "));
        struct str token = bar == SIZE_MAX ? rest : str_sub(rest, 0, bar);
        rest = bar == SIZE_MAX ? (struct str){0} : str_sub(rest, bar + 3, rest.len);
        if (out.len) buf_addc(&out, '|');
        if (str_starts(token, STR("NULL(")))
            buf_addz(&out, "NULL");
        else
            show_bytes(&out, unquote(token));
    }
    struct str text = str_copy(&arena, buf_str(&out));
    buf_free(&out);
    return text;
}

/* Every '' of ours as NULL, to compare with Spark's defaults. */
static struct str without_empties(struct str tokens) {
    struct buf out = {0};
    for (struct str token, rest = tokens; rest.len;) {
        rest = str_split(rest, '|', &token);
        if (out.len) buf_addc(&out, '|');
        buf_add(&out, str_eq(token, STR("''")) ? STR("NULL") : token);
    }
    struct str text = str_copy(&arena, buf_str(&out));
    buf_free(&out);
    return text;
}

static void test_cases_of_spark(void **state) {
    UNUSED(state);
    struct str line, rest = test_read(&arena, test_data(&arena, "spark/spark_csv_tokenizer_cases.txt"));
    struct csv_dialect d = LINE_MODE;
    bool is_ours = false;
    int compared = 0;
    while (rest.len) {
        rest = str_split(rest, '\n', &line);
        if (str_starts(line, STR("## "))) {
            size_t from = str_find(line, STR("opts={")) + 6, to = str_find(line, STR("}  in="));
            is_ours = read_options(str_sub(line, from, to), &d);
            continue;
        }
        size_t raw = str_find(line, STR("   raw="));
        if (!is_ours || raw == SIZE_MAX) continue;
        struct str record = unquote(str_sub(line, raw + 7, line.len));
        assert_str(without_empties(shown(&d, record)), expected_tokens(line).ptr);
        compared++;
    }
    assert_int_equal(compared, 90);
}

/* Each line of the sample: [delimiter, quote and escape in one text; the line; its tokens, null for NULL]. */
static void test_random_lines_of_spark(void **state) {
    UNUSED(state);
    struct str line, rest = test_read(&arena, test_data(&arena, "spark/spark_csv_tokens_sample.ndjson"));
    int compared = 0;
    while (rest.len) {
        struct json *root = NULL;
        struct assay_error err = {0};
        struct buf expected = {0};
        csv_token tokens[32];
        rest = str_split(rest, '\n', &line);
        assert_ok(json_parse(line, "sample", &root, &err), &err);
        const struct json *list = json_at(root, 2);
        size_t count = json_count(list);
        for (size_t i = 0; i < count; i++) {
            bool is_null = json_kind_of(json_at(list, i)) == JSON_KIND_NULL;
            tokens[i] = is_null ? (csv_token){0} : json_str(json_at(list, i));
            if (!is_null && tokens[i].len == 0) tokens[i].ptr = "";
        }
        show_tokens(&expected, tokens, count, 32);
        const char *marks = json_str(json_at(root, 0)).ptr;
        struct csv_dialect d = DIALECT(marks[0], marks[1], marks[2]);
        assert_str(shown(&d, json_str(json_at(root, 1))), expected.data);
        buf_free(&expected);
        json_close(&root);
        compared++;
    }
    assert_int_equal(compared, 1500);
}

static void test_empty_and_quoted_empty(void **state) {
    UNUSED(state);
    assert_str(shown(&LINE_MODE, STR("")), "NULL");
    assert_str(shown(&LINE_MODE, STR(",")), "NULL|NULL");
    assert_str(shown(&LINE_MODE, STR(",\"\",")), "NULL|''|NULL");
    assert_str(shown(&LINE_MODE, STR("\"\"  ,x")), "''|x");
    assert_str(shown(&LINE_MODE, STR(" ,\" \"")), " | ");
}

static void test_other_characters(void **state) {
    UNUSED(state);
    struct csv_dialect d = DIALECT(';', '\'', '\\');
    assert_str(shown(&d, STR("'a;b';c\"d")), "a;b|c\"d");
    assert_str(shown(&d, STR("'it\\'s';x")), "it's|x");
    d = (struct csv_dialect)DIALECT('\t', '"', '"');
    assert_str(shown(&d, STR("\"a\" \tb")), "a|b");
    assert_str(shown(&d, STR("\"a\"\t\t")), "a|NULL|NULL");
}

static void test_nul_bytes_are_text(void **state) {
    UNUSED(state);
    struct str record = {"a\0b,\"\0\",\0", 9};
    assert_str(shown(&LINE_MODE, record), "a\\x00b|\\x00|\\x00");
}

static void test_counts_tokens_without_room(void **state) {
    UNUSED(state);
    struct buf scratch = {0}, line = {0};
    for (int i = 0; i < 10000; i++) buf_addz(&line, i ? ",\"x\"\"\"" : "\"x\"\"\"");
    assert_int_equal(csv_tokenize(&LINE_MODE, buf_str(&line), true, NULL, 0, &scratch), 10000);
    csv_token *tokens = ARENA_ARRAY(&arena, 10000, csv_token);
    assert_int_equal(csv_tokenize(&LINE_MODE, buf_str(&line), true, tokens, 10000, &scratch), 10000);
    for (int i = 0; i < 10000; i++) assert_str(tokens[i], "x\"");
    buf_free(&scratch);
    buf_free(&line);
}

/* A megabyte of nothing but quotes, blanks or escapes ends soon and without a deep stack. */
static void test_long_runs(void **state) {
    UNUSED(state);
    enum { BYTES = 1 << 20 };
    static const char *const patterns[] = {"\"", "\" ", "\"\\", "\\\"", "\"\" ", "\",", "\"a"};
    char *bytes = arena_alloc(&arena, BYTES);
    struct buf scratch = {0};
    for (size_t k = 0; k < sizeof patterns / sizeof patterns[0]; k++) {
        for (size_t i = 0; i < BYTES; i++) bytes[i] = patterns[k][i % strlen(patterns[k])];
        for (int escape = 0; escape < 2; escape++) {
            csv_token tokens[4];
            struct csv_dialect d = LINE_MODE;
            if (escape) d.escape = '\\';
            assert_true(csv_tokenize(&d, (struct str){bytes, BYTES}, escape, tokens, 4, &scratch) >= 1);
        }
    }
    buf_free(&scratch);
}

/* In multiLine a line end follows the record, so a quote at its end does not come out once more. */
static void test_line_end_behind_a_record(void **state) {
    UNUSED(state);
    csv_token tokens[4];
    struct buf scratch = {0};
    struct str record = STR("\"a\" x\" b,\"c\nd\"");
    assert_int_equal(csv_tokenize(&MULTI_LINE, record, false, tokens, 4, &scratch), 2);
    assert_str(tokens[0], "\"a\" x\" b");
    assert_str(tokens[1], "c\nd");
    record = STR("\"a\" x\"b");
    assert_int_equal(csv_tokenize(&MULTI_LINE, record, false, tokens, 4, &scratch), 1);
    assert_str(tokens[0], "\"a\" x\"b");
    assert_int_equal(csv_tokenize(&LINE_MODE, record, true, tokens, 4, &scratch), 1);
    assert_str(tokens[0], "\"a\" x\"b\""); /* as Spark's line reader gives it */
    buf_free(&scratch);
}

TEST_MAIN(cmocka_unit_test_teardown(test_cases_of_spark, reset),
          cmocka_unit_test_teardown(test_random_lines_of_spark, reset),
          cmocka_unit_test_teardown(test_empty_and_quoted_empty, reset),
          cmocka_unit_test_teardown(test_other_characters, reset),
          cmocka_unit_test_teardown(test_nul_bytes_are_text, reset),
          cmocka_unit_test_teardown(test_counts_tokens_without_room, reset),
          cmocka_unit_test_teardown(test_line_end_behind_a_record, reset),
          cmocka_unit_test_teardown(test_long_runs, reset))
