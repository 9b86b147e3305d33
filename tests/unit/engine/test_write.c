#include "engine_test.h"

#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static struct engine_files files;

static void write_rows(const char *select, struct engine_write_options options) {
    struct assay_error err = {0};
    assert_ok(engine_write_parquet(engine, str_of(select), str_printf(&arena, "%s/part", folder), &options, &arena,
                                   &files, &err),
              &err);
}

static size_t count_entries(void) {
    size_t count = 0;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));) count += entry->d_name[0] != '.';
    closedir(dir);
    return count;
}

static void test_one_small_file(void **state) {
    UNUSED(state);
    write_rows("SELECT i AS a, 'x' || i AS b FROM range(10) t(i)", (struct engine_write_options){0});
    assert_int_equal(files.count, 1);
    assert_int_equal(files.row_count, 10);
    assert_int_equal(files.files[0].row_count, 10);
    assert_str(files.files[0].path, text_of("%s/part-00000.parquet", folder));
    struct stat info;
    assert_int_equal(stat(files.files[0].path.ptr, &info), 0);
    assert_int_equal(files.files[0].size_bytes, info.st_size);
    assert_int_equal(files.files[0].column_count, 2);
    assert_str(files.files[0].columns[0].name, "a");
    assert_str(files.files[0].columns[1].max, "x9");
    assert_int_equal(count_entries(), 1);
}

static void test_no_rows_no_files(void **state) {
    UNUSED(state);
    write_rows("SELECT 1 AS a WHERE false", (struct engine_write_options){0});
    assert_int_equal(files.count, 0);
    assert_int_equal(files.row_count, 0);
    assert_int_equal(count_entries(), 0);
}

/** Sum of rows, and statistics of each file, compared with what is in the file. */
static void check_files(int64_t rows) {
    int64_t sum = 0;
    for (size_t i = 0; i < files.count; i++) {
        const struct engine_file *f = &files.files[i];
        struct stat info;
        assert_int_equal(stat(f->path.ptr, &info), 0);
        assert_int_equal(f->size_bytes, info.st_size);
        struct str found =
            ask(text_of("SELECT count(*), min(a), max(a), min(b), max(b) FROM read_parquet('%s')", f->path.ptr));
        assert_str(found, text_of("%lld|%s|%s|%s|%s", (long long)f->row_count, f->columns[0].min.ptr,
                                  f->columns[0].max.ptr, f->columns[1].min.ptr, f->columns[1].max.ptr));
        sum += f->row_count;
    }
    assert_int_equal(sum, rows);
    assert_int_equal(files.row_count, rows);
}

static void test_files_of_about_the_asked_size(void **state) {
    UNUSED(state);
    write_rows("SELECT i AS a, md5(i::VARCHAR) AS b FROM range(1000000) t(i)",
               (struct engine_write_options){.file_bytes = 8000000});
    assert_true(files.count >= 3);
    check_files(1000000);
    assert_int_equal(count_entries(), files.count);
}

static void test_order_is_kept_when_asked(void **state) {
    UNUSED(state);
    struct assay_error err = {0};
    const char *source = text_of("%s/source.parquet", folder);
    assert_ok(engine_run(engine,
                         str_printf(&arena,
                                    "COPY (SELECT i AS a, i::VARCHAR AS b FROM range(2250000) t(i) ORDER BY i) TO '%s'",
                                    source),
                         &err),
              &err);
    write_rows(text_of("SELECT * FROM read_parquet('%s') WHERE a %% 3 <> 1", source),
               (struct engine_write_options){.file_bytes = 100000, .keep_order = true});
    assert_true(files.count > 11); /* so that a name with two digits has to sort after one with one */
    check_files(1500000);
    int64_t last = -1;
    for (size_t i = 0; i < files.count; i++) {
        if (i) assert_true(str_cmp(files.files[i - 1].path, files.files[i].path) < 0);
        assert_str(
            ask(text_of(
                "SELECT bool_and(a > before) FROM (SELECT a, lag(a, 1, %lld) OVER (ORDER BY file_row_number) AS before "
                "FROM read_parquet('%s', file_row_number=true))",
                (long long)last, files.files[i].path.ptr)),
            "true");
        last = strtoll(files.files[i].columns[0].max.ptr, NULL, 10);
    }
    assert_str(ask("SELECT current_setting('preserve_insertion_order'), current_setting('threads')"), "false|2");
}

static void test_a_failing_statement_leaves_nothing(void **state) {
    UNUSED(state);
    struct assay_error err = {0};
    struct str select =
        STR("SELECT CASE WHEN i = 990000 THEN error('boom') ELSE md5(i::VARCHAR) END AS a FROM range(1000000) t(i)");
    assert_code(ASSAY_INTERNAL,
                engine_write_parquet(engine, select, str_printf(&arena, "%s/part", folder),
                                     &(struct engine_write_options){.file_bytes = 1000000, .keep_order = true}, &arena,
                                     &files, &err),
                &err);
    assert_int_equal(count_entries(), 0);
    assert_str(ask("SELECT current_setting('preserve_insertion_order'), current_setting('threads')"), "false|2");
}

static void *interrupt_soon(void *unused) {
    UNUSED(unused);
    usleep(300 * 1000);
    engine_interrupt(engine);
    return NULL;
}

static void test_an_interrupt_leaves_nothing(void **state) {
    UNUSED(state);
    struct assay_error err = {0};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, interrupt_soon, NULL), 0);
    assert_code(ASSAY_INTERRUPTED,
                engine_write_parquet(engine, STR("SELECT md5(i::VARCHAR) AS a FROM range(1000000000) t(i)"),
                                     str_printf(&arena, "%s/part", folder),
                                     &(struct engine_write_options){.file_bytes = 1000000}, &arena, &files, &err),
                &err);
    pthread_join(thread, NULL);
    assert_int_equal(count_entries(), 0);
}

static void test_what_parquet_would_change_is_refused(void **state) {
    UNUSED(state);
    static const char *const selects[] = {"SELECT 1::HUGEINT AS bad",
                                          "SELECT sum(i) AS bad FROM range(3) t(i)",
                                          "SELECT 1::UBIGINT AS bad",
                                          "SELECT TIME '12:00' AS bad",
                                          "SELECT TIMESTAMP_NS '2024-01-01' AS bad",
                                          "SELECT INTERVAL 1 DAY AS bad",
                                          "SELECT uuid() AS bad",
                                          "SELECT [{'a': 1::HUGEINT}] AS bad",
                                          "SELECT MAP {'a': 1::UTINYINT} AS bad"};
    for (size_t i = 0; i < sizeof selects / sizeof selects[0]; i++) {
        struct assay_error err = {0};
        assert_code(ASSAY_UNSUPPORTED,
                    engine_write_parquet(engine, str_of(selects[i]), str_printf(&arena, "%s/part", folder),
                                         &(struct engine_write_options){0}, &arena, &files, &err),
                    &err);
        assert_err_has(&err, "column bad");
    }
    assert_int_equal(count_entries(), 0);
}

static void test_the_format_that_every_reader_knows(void **state) {
    UNUSED(state);
    write_rows("SELECT i::INT AS i, i % 3 AS few, 'id' || i AS id, i % 2 = 0 AS b, i::DECIMAL(18,2) AS d, "
               "i::DECIMAL(38,2) AS big, i::DOUBLE AS f, "
               "make_timestamptz(i) AS utc, make_timestamp(i) AS ntz, DATE '2024-01-01' AS day FROM range(200000) t(i)",
               (struct engine_write_options){0});
    const char *path = files.files[0].path.ptr;
    assert_str(ask(text_of("SELECT DISTINCT compression FROM parquet_metadata('%s')", path)), "ZSTD");
    assert_str(ask(text_of("SELECT count(*) FROM parquet_metadata('%s') WHERE encodings LIKE '%%DELTA%%' OR encodings "
                           "LIKE '%%BYTE_STREAM%%'",
                           path)),
               "0");
    assert_str(ask(text_of("SELECT encodings FROM parquet_metadata('%s') WHERE path_in_schema = 'b' LIMIT 1", path)),
               "PLAIN");
    assert_str(
        ask(text_of(
            "SELECT name, type, converted_type, logical_type LIKE '%%isAdjustedToUTC=1%%' FROM parquet_schema('%s') "
            "WHERE name IN ('utc', 'ntz', 'day', 'd', 'big', 'id')",
            path)),
        "id|BYTE_ARRAY|UTF8|NULL\nd|INT64|DECIMAL|false\nbig|FIXED_LEN_BYTE_ARRAY|DECIMAL|false\nutc|INT64|TIMESTAMP_"
        "MICROS|true\n"
        "ntz|INT64|TIMESTAMP_MICROS|false\nday|INT32|DATE|NULL");
}

static void test_old_and_far_days_keep_their_values(void **state) {
    UNUSED(state);
    write_rows("SELECT * FROM (VALUES (DATE '0001-01-01', TIMESTAMPTZ '0001-01-01 00:00:00Z'), (DATE '1582-10-10', "
               "TIMESTAMPTZ '1582-10-10 01:02:03.000004Z'), "
               "(DATE '9999-12-31', TIMESTAMPTZ '9999-12-31 23:59:59.999999Z'), (DATE '12024-02-29', TIMESTAMPTZ "
               "'12024-02-29 00:00:00Z')) t(d, t)",
               (struct engine_write_options){0});
    assert_str(ask(text_of("SELECT epoch_us(d) // 86400000000, epoch_us(t) FROM read_parquet('%s') ORDER BY t",
                           files.files[0].path.ptr)),
               "-719162|-62135596800000000\n-141432|-12219721076999996\n2932896|253402300799999999\n3672207|"
               "317278684800000000");
    assert_str(files.files[0].columns[0].min, "0001-01-01");
    assert_str(files.files[0].columns[0].max, "+12024-02-29");
    assert_str(files.files[0].columns[1].max, "+12024-02-29 00:00:00");
}

static void test_names_that_need_quotes(void **state) {
    UNUSED(state);
    struct assay_error err = {0};
    struct str prefix = str_printf(&arena, "%s/it's {i} [a]*", folder);
    struct str select = STR("SELECT 1 AS \"a \"\"b\"\".c\", 2 AS \"d, e\"");
    assert_ok(engine_write_parquet(engine, select, prefix, &(struct engine_write_options){0}, &arena, &files, &err),
              &err);
    assert_str(files.files[0].path, text_of("%s-00000.parquet", prefix.ptr));
    assert_str(files.files[0].columns[0].name, "a \"b\".c");
    assert_str(files.files[0].columns[0].min, "1");
    assert_str(files.files[0].columns[1].max, "2");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_engine, close_engine)
TEST_MAIN(TEST(test_one_small_file), TEST(test_no_rows_no_files), TEST(test_files_of_about_the_asked_size),
          TEST(test_order_is_kept_when_asked), TEST(test_a_failing_statement_leaves_nothing),
          TEST(test_an_interrupt_leaves_nothing), TEST(test_what_parquet_would_change_is_refused),
          TEST(test_the_format_that_every_reader_knows), TEST(test_old_and_far_days_keep_their_values),
          TEST(test_names_that_need_quotes))
