/* The strict header check, file by file, and where it says that the rows start. */
#include "bronze_test.h"

static struct arena arena;

static int reset(void **state) {
    UNUSED(state);
    arena_reset(&arena);
    return 0;
}

static struct str COLUMNS[] = {{"id", 2}, {"Name", 4}, {"\xC3\x84NDERUNG", 9}};
static const struct plan PLAN = {
    .source_columns = COLUMNS, .source_column_count = 3, .contract_path = {"c.odcs.yaml", 11}};

static struct bronze_file file_of(const char *name, struct str bytes) {
    static const char *folder;
    if (!folder) folder = test_dir();
    const char *path = str_printf(&arena, "%s/%s", folder, name).ptr;
    test_write(path, bytes);
    return (struct bronze_file){.key = str_of(name), .path = path, .size_bytes = (int64_t)bytes.len};
}

/* The file is accepted, and its rows start at this offset and line. */
static void accept(const struct csv_dialect *d, struct str bytes, int64_t offset, int64_t line) {
    struct assay_error err = {0};
    struct bronze_file file = file_of("accept.csv", bytes);
    assert_ok(check_headers(&arena, &PLAN, d, &file, 1, &err), &err);
    assert_int_equal(file.rows_offset, offset);
    assert_int_equal(file.rows_line, line);
}

static void refuse(const struct csv_dialect *d, struct str bytes, const char *message) {
    struct assay_error err = {0};
    struct bronze_file file = file_of("refuse.csv", bytes);
    assert_code(ASSAY_REFUSED, check_headers(&arena, &PLAN, d, &file, 1, &err), &err);
    assert_string_equal(err.where, "refuse.csv");
    assert_err_has(&err, message);
}

static void test_same_names_however_written(void **state) {
    UNUSED(state);
    accept(&LINE_MODE, STR("id,Name,\xC3\x84NDERUNG\n1,2,3\n"), 18, 2);
    accept(&LINE_MODE, STR("ID,name,\xC3\xA4nderung\r\n1,2,3\n"), 19, 2);
    accept(&LINE_MODE, STR("\"id\" ,\"NAME\",\xC3\xA4nderung"), 22, 2);
    accept(&LINE_MODE, STR("\n \t\r\n\rid,Name,\xC3\x84NDERUNG\r1,2,3\n"), 24, 5);
    accept(&LINE_MODE, STR("\xEF\xBB\xBFid,Name,\xC3\x84NDERUNG\n"), 21, 2);
    accept(&MULTI_LINE, STR("\n\"id\",Name,\xC3\x84NDERUNG\n\"1\n\",2,3\n"), 21, 3);
}

static void test_blank_lines_beyond_a_block(void **state) {
    UNUSED(state);
    struct buf bytes = {0};
    for (int i = 0; i < 50000; i++) buf_addz(&bytes, "  \n");
    buf_addz(&bytes, "id,Name,\xC3\x84NDERUNG\n1,2,3\n");
    accept(&LINE_MODE, buf_str(&bytes), 150018, 50002);
    buf_free(&bytes);
}

static void test_first_difference_is_named(void **state) {
    UNUSED(state);
    refuse(&LINE_MODE, STR("id,title,\xC3\x84NDERUNG\n"),
           "column 2: expected `Name`, found `title` (3 columns expected, 3 found)");
    refuse(&LINE_MODE, STR("Name,id,\xC3\x84NDERUNG\n"), "column 1: expected `id`, found `Name`");
    refuse(&LINE_MODE, STR("id,Name\n"),
           "column 3: expected `\xC3\x84NDERUNG`, found nothing (3 columns expected, 2 found)");
    refuse(&LINE_MODE, STR("id,Name,\xC3\x84NDERUNG,x\n"),
           "column 4: expected nothing, found `x` (3 columns expected, 4 found)");
    refuse(&LINE_MODE, STR("id,Name,\xC3\x84NDERUNG,\n"), "column 4: expected nothing, found ``");
    refuse(&LINE_MODE, STR("id, Name,\xC3\x84NDERUNG\n"),
           "column 2: expected `Name`, found ` Name`"); /* blanks count */
    refuse(&LINE_MODE, STR("id;Name;\xC3\x84NDERUNG\n"), "column 1: expected `id`, found `id;Name;");
}

static void test_files_without_a_header(void **state) {
    UNUSED(state);
    refuse(&LINE_MODE, STR(""), "column 1: expected `id`, found nothing (3 columns expected, 0 found)");
    refuse(&LINE_MODE, STR("\xEF\xBB\xBF"), "found nothing");
    refuse(&LINE_MODE, STR("\n  \n\r\n"), "found nothing");
    refuse(&MULTI_LINE, STR("\n\n"), "found nothing");
    refuse(&MULTI_LINE, STR("\"id,Name\n"), "column 1: expected `id`, found `id,Name`"); /* never closed */
}

static void test_binary_file(void **state) {
    UNUSED(state);
    struct buf bytes = {0};
    for (uint32_t i = 0; i < 300000; i++) buf_addc(&bytes, (char)(i * 7919 >> 3 & 0xFF));
    refuse(&LINE_MODE, buf_str(&bytes), "column 1: expected `id`");
    refuse(&MULTI_LINE, buf_str(&bytes), "column 1: expected `id`");
    buf_free(&bytes);
}

static void test_very_many_columns(void **state) {
    UNUSED(state);
    enum { COLUMNS_MANY = 10000 };
    struct buf bytes = {0};
    struct assay_error err = {0};
    struct str *names = ARENA_ARRAY(&arena, COLUMNS_MANY, struct str);
    for (int i = 0; i < COLUMNS_MANY; i++) {
        names[i] = str_printf(&arena, "column_%d", i);
        buf_printf(&bytes, "%s%.*s", i ? "," : "", STR_ARG(names[i]));
    }
    buf_addz(&bytes, "\n");
    struct plan wide = {.source_columns = names, .source_column_count = COLUMNS_MANY};
    struct bronze_file file = file_of("wide.csv", buf_str(&bytes));
    assert_ok(check_headers(&arena, &wide, &LINE_MODE, &file, 1, &err), &err);
    assert_int_equal(file.rows_offset, bytes.len);
    refuse(&LINE_MODE, buf_str(&bytes), "(3 columns expected, 10000 found)");
    buf_free(&bytes);
}

static void test_every_file_is_looked_at(void **state) {
    UNUSED(state);
    struct assay_error err = {0};
    struct bronze_file files[] = {file_of("1.csv", STR("id,Name,\xC3\x84NDERUNG\n1,2,3\n")),
                                  file_of("2.csv", STR("id,Nome,\xC3\x84NDERUNG\n1,2,3\n"))};
    assert_code(ASSAY_REFUSED, check_headers(&arena, &PLAN, &LINE_MODE, files, 2, &err), &err);
    assert_string_equal(err.where, "2.csv");
    files[1].path = "/nowhere/2.csv";
    assert_code(ASSAY_NOT_FOUND, check_headers(&arena, &PLAN, &LINE_MODE, files, 2, &err), &err);
}

TEST_MAIN(cmocka_unit_test_teardown(test_same_names_however_written, reset),
          cmocka_unit_test_teardown(test_blank_lines_beyond_a_block, reset),
          cmocka_unit_test_teardown(test_first_difference_is_named, reset),
          cmocka_unit_test_teardown(test_files_without_a_header, reset),
          cmocka_unit_test_teardown(test_binary_file, reset), cmocka_unit_test_teardown(test_very_many_columns, reset),
          cmocka_unit_test_teardown(test_every_file_is_looked_at, reset))
