#include "engine_test.h"

/** Names and texts come back from SQL as they were. */
static void test_names_and_texts_survive(void **state) {
    UNUSED(state);
    const struct str texts[] = {STR("plain"),
                                STR("it's"),
                                STR("''; DROP TABLE x; --"),
                                STR("a\"b"),
                                STR("\xc3\xa9\xf0\x9f\x98\x80"),
                                STR("tab\tnewline\n"),
                                STR("back\\slash\\'"),
                                STR(""),
                                STR("nul\0inside"),
                                STR("\0"),
                                STR("\0\0'\0")};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct buf sql = {0};
        struct engine_result r;
        struct assay_error err = {0};
        buf_addz(&sql, "SELECT ");
        engine_sql_text(&sql, texts[i]);
        assert_ok(engine_query(engine, buf_str(&sql), 1, &arena, &r, &err), &err);
        assert_true(str_eq(r.cells[0].text, texts[i]));
        if (texts[i].len && str_find_char(texts[i], '\0') == SIZE_MAX) {
            buf_clear(&sql);
            buf_addz(&sql, "SELECT 7 AS ");
            engine_sql_name(&sql, texts[i]);
            assert_ok(engine_query(engine, buf_str(&sql), 1, &arena, &r, &err), &err);
            assert_true(str_eq(r.columns[0], texts[i]));
        }
        buf_free(&sql);
    }
}

static int64_t rows_of(const char *path, const char *extra) {
    struct buf sql = {0};
    struct engine_result r;
    struct assay_error err = {0};
    struct str paths[] = {str_of(path)};
    buf_addz(&sql, "SELECT count(*) FROM ");
    engine_sql_parquet(&sql, paths, 1, extra);
    assert_ok(engine_query(engine, buf_str(&sql), 1, &arena, &r, &err), &err);
    buf_free(&sql);
    return engine_cell_int(&r.cells[0], -1);
}

static void test_files_are_read_by_exact_name(void **state) {
    UNUSED(state);
    static const char *const names[] = {"a*",  "ab",  "a?",    "a[b]", "a[!b]", "a]", "a{b,c}", "**", "[",       "[]",
                                        "a'b", "a b", "a%2Fb", "k=1",  "a\\b",  "-",  "!",      "^",  "\xc3\xa9"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) { /* file i has i + 1 rows */
        struct buf sql = {0};
        struct assay_error err = {0};
        buf_printf(&sql, "COPY (SELECT 1 AS a FROM range(%zu)) TO ", i + 1);
        engine_sql_text(&sql, str_printf(&arena, "%s/%s.parquet", folder, names[i]));
        assert_ok(engine_run(engine, buf_str(&sql), &err), &err);
        buf_free(&sql);
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_int_equal(rows_of(text_of("%s/%s.parquet", folder, names[i]), ""), i + 1);
}

static void test_a_folder_named_like_a_pattern_or_a_partition(void **state) {
    UNUSED(state);
    struct assay_error err = {0};
    const char *path = text_of("%s/year=[20]*/x.parquet", folder);
    test_write(path, STR("")); /* makes the folder */
    assert_ok(engine_run(engine, str_printf(&arena, "COPY (SELECT 1 AS a FROM range(3)) TO '%s'", path), &err), &err);
    assert_int_equal(rows_of(path, "union_by_name=true, filename=true, file_row_number=true"), 3);
    struct buf sql = {0};
    struct str paths[] = {str_of(path)};
    buf_addz(&sql, "SELECT * FROM ");
    engine_sql_parquet(&sql, paths, 1, ""); /* no column `year` from the folder's name */
    assert_str(ask(sql.data), "1\n1\n1");
    buf_free(&sql);
}

static void test_an_unfindable_name_is_an_error(void **state) {
    UNUSED(state);
    struct buf sql = {0};
    struct engine_result r;
    struct assay_error err = {0};
    struct str paths[] = {str_printf(&arena, "%s/both\\and*.parquet", folder)};
    buf_addz(&sql, "SELECT * FROM ");
    engine_sql_parquet(&sql, paths, 1, "");
    assert_code(ASSAY_NOT_FOUND, engine_query(engine, buf_str(&sql), 1, &arena, &r, &err), &err);
    buf_free(&sql);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_engine, close_engine)
TEST_MAIN(TEST(test_names_and_texts_survive), TEST(test_files_are_read_by_exact_name),
          TEST(test_a_folder_named_like_a_pattern_or_a_partition), TEST(test_an_unfindable_name_is_an_error))
