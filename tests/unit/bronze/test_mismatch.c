/*
 * Deliveries that are not what the contract says are one error before a row lands: packed under a plain name and the
 * other way round, another encoding by its mark, another delimiter, the same file twice.
 */
#include "bronze_test.h"

static struct arena arena;

static int reset(void **state) {
    UNUSED(state);
    arena_reset(&arena);
    return 0;
}

static struct str COLUMNS[] = {{"id", 2}, {"name", 4}, {"total", 5}};
static const struct plan PLAN = {
    .source_columns = COLUMNS, .source_column_count = 3, .contract_path = {"c.odcs.yaml", 11}};

static struct bronze_file file_of(const char *name, struct str bytes) {
    static const char *folder;
    if (!folder) folder = test_dir();
    const char *path = str_printf(&arena, "%s/%s", folder, name).ptr;
    test_write(path, bytes);
    return (struct bronze_file){.key = str_of(name), .path = path, .size_bytes = (int64_t)bytes.len};
}

static void refuse(const char *name, const char *encoding, struct str bytes, const char *message) {
    struct assay_error err = {0};
    struct csv_dialect d = LINE_MODE;
    d.encoding = str_of(encoding);
    struct bronze_file file = file_of(name, bytes);
    assert_code(ASSAY_REFUSED, check_headers(&arena, &PLAN, &d, &file, 1, &err), &err);
    assert_err_has(&err, message);
    assert_err_has(&err, "no row of the batch was loaded\n");
    assert_err_has(&err, "\nnext: ");
    assert_true(str_find(str_of(err.where), str_of(name)) != SIZE_MAX);
}

static void test_kinds_of_files(void **state) {
    UNUSED(state);
    refuse("a.csv", "", STR("\x1F\x8B\x08\0\0\0"), "the file is gzip by its first bytes, and plain text by its name");
    refuse("a.csv", "", STR("\x28\xB5\x2F\xFD\0"), "zstd by its first bytes");
    refuse("a.csv", "", STR("PK\x03\x04\x14\0"), "Excel workbook");
    refuse("a.csv", "", STR("PAR1\x15\0"), "say format: parquet");
    refuse("a.csv", "", STR("BZh91AY&SY"), "bzip2");
    refuse("a.csv.gz", "", STR("\x28\xB5\x2F\xFD\0"), "the file is zstd by its first bytes, and gzip by its name");
    refuse("a.csv.gz", "", STR("id,name,total\n"), "the file is gzip by its name, but does not start as such a file");
    refuse("a.csv.GZ", "", STR(""), "the file is gzip by its name, but has no bytes");
    refuse("a.zst", "", STR("id"), "the file is zstd by its name");
    refuse("a.csv", "", STR("PAR1,PK,BZh9\n1,2,3\n"), "header column 1"); /* names like any other */
}

static void test_encodings(void **state) {
    UNUSED(state);
    refuse("a.csv", "UTF-8", STR("\xFF\xFEi\0d\0"),
           "the file is UTF-16LE (its byte order mark says so), the contract's "
           "encoding is UTF-8");
    refuse("a.csv", "", STR("\xFE\xFF\0i\0d"), "the file is UTF-16BE");
    refuse("a.csv", "", STR("\xFF\xFE\0\0i\0\0\0"), "the file is UTF-32LE");
    refuse("a.csv", "", STR("i\0d\0,\0n\0a\0m\0e\0"), "the file is UTF-16LE (every second byte is zero)");
    refuse("a.csv", "", STR("\0i\0d\0,\0n\0a\0m\0e"), "the file is UTF-16BE (every second byte is zero)");
    refuse("a.csv", "ISO-8859-1", STR("\xEF\xBB\xBFid,name,total\n"), "the file is UTF-8 (its byte order mark");
    refuse("a.csv", "UTF-16LE", STR("\xFE\xFF\0i\0d"), "the file is UTF-16BE");
    refuse("a.csv", "UTF-16", STR("i\0d\0,\0n\0"), "no byte order mark says which UTF-16 the file is");
}

static void test_delimiters(void **state) {
    UNUSED(state);
    refuse("a.csv", "", STR("id;name;total\n1;2;3\n"),
           "expected `id`, found `id;name;total` (3 columns expected, 1 found)");
    refuse("a.csv", "", STR("id;name;total\n1;2;3\n"),
           "loaded\nnext: with the delimiter \";\" it has 3 columns, so say");
    refuse("a.csv", "", STR("id\tname,x\n"), "header column 1");
    refuse("a.csv", "", STR("id\tname\ttotal\n"), "with the delimiter \"\\t\" it has 3 columns");
    refuse("a.csv", "", STR("id|name|total|more\n"), "with the delimiter \"|\" it has 4 columns");
    refuse("a.csv", "", STR("\"id\";\"na;me\";total\n"), "with the delimiter \";\" it has 3 columns");
    refuse("a.csv", "", STR("what is this\n"), "next: ask the source for the agreed columns");
}

static void test_twins(void **state) {
    UNUSED(state);
    struct assay_error err = {0};
    struct str header = STR("id,name,total\n");
    struct bronze_file files[] = {file_of("a.csv", header), file_of("a.csv-2", header), file_of("a.csv.gz", header)};
    assert_code(ASSAY_REFUSED, mismatch_twins(files, 3, &err), &err);
    assert_string_equal(err.where, "a.csv.gz");
    assert_err_has(&err, "the same file is there as `a.csv` too: its rows would land twice");
    assert_ok(mismatch_twins(files, 2, &err), &err);
}

TEST_MAIN(cmocka_unit_test_teardown(test_kinds_of_files, reset), cmocka_unit_test_teardown(test_encodings, reset),
          cmocka_unit_test_teardown(test_delimiters, reset), cmocka_unit_test_teardown(test_twins, reset))
