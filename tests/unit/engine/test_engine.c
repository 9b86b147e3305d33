#include "engine_test.h"

#include "engine/engine_int.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void expect_refused(const char *sql, enum assay_code code) {
    struct assay_error err = {0};
    assert_code(code, engine_run(engine, str_of(sql), &err), &err);
}

static void test_reads_and_writes_only_its_folders(void **state) {
    UNUSED(state);
    const char *other = test_dir();
    assert_ok(engine_run(engine, str_printf(&arena, "COPY (SELECT 1 AS a) TO '%s/in.parquet'", folder), NULL), NULL);
    assert_str(ask(text_of("SELECT a FROM read_parquet('%s/in.parquet')", folder)), "1");
    expect_refused(text_of("COPY (SELECT 1 AS a) TO '%s/out.parquet'", other), ASSAY_DENIED);
    expect_refused(text_of("COPY (SELECT 1 AS a) TO '%s/../out.parquet'", folder), ASSAY_DENIED);
    expect_refused(text_of("COPY (SELECT 1 AS a) TO '%s-beside.parquet'", folder), ASSAY_DENIED);
    expect_refused("SELECT * FROM read_text('/etc/passwd')", ASSAY_DENIED);
    expect_refused("SELECT * FROM read_csv('/etc/passwd')", ASSAY_DENIED);
    expect_refused(text_of("ATTACH '%s/db'", other), ASSAY_DENIED);
}

static void test_links_do_not_lead_out(void **state) {
    UNUSED(state);
    assert_int_equal(symlink("/etc/passwd", text_of("%s/link", folder)), 0);
    expect_refused(text_of("SELECT * FROM read_text('%s/link')", folder), ASSAY_DENIED);
}

static void test_a_folder_may_be_named_by_a_link(void **state) {
    UNUSED(state);
    const char *real = test_dir(), *link = text_of("%s/lake", test_dir());
    assert_int_equal(symlink(real, link), 0);
    struct str folders[] = {str_of(link)};
    struct engine_options options = {.temp_folder = str_of(folder), .folders = folders, .folder_count = 1};
    struct engine *other;
    struct assay_error err = {0};
    assert_ok(engine_open(&options, &other, &err), &err);
    assert_ok(engine_run(other, str_printf(&arena, "COPY (SELECT 1 AS a) TO '%s/a.parquet'", link), &err), &err);
    engine_close(&other);
    assert_int_equal(access(text_of("%s/a.parquet", real), R_OK), 0);
}

static void test_without_folders_no_file_is_read(void **state) {
    UNUSED(state);
    struct engine *none;
    struct assay_error err = {0};
    test_write(text_of("%s/here.txt", folder), STR("x"));
    assert_int_equal(chdir(folder), 0);
    assert_ok(engine_open(&(struct engine_options){.threads = 1}, &none, &err), &err);
    assert_code(ASSAY_DENIED, engine_run(none, STR("SELECT * FROM read_text('here.txt')"), &err), &err);
    engine_close(&none);
    assert_int_equal(chdir("/"), 0);
}

static void test_settings_are_locked(void **state) {
    UNUSED(state);
    expect_refused("SET memory_limit='1GB'", ASSAY_INTERNAL);
    expect_refused("SET allowed_configs=['threads']", ASSAY_INTERNAL);
    expect_refused("SET lock_configuration=false", ASSAY_INTERNAL);
    expect_refused("SET enable_external_access=true", ASSAY_INTERNAL);
    expect_refused("RESET allowed_directories", ASSAY_INTERNAL);
    expect_refused("LOAD '/tmp/x.duckdb_extension'", ASSAY_DENIED);
    expect_refused("INSTALL httpfs", ASSAY_DENIED);
    assert_str(ask("SELECT current_setting('TimeZone'), current_setting('preserve_insertion_order'), "
                   "current_setting('threads')"),
               "UTC|false|2");
}

static void test_memory_and_threads_are_as_asked(void **state) {
    UNUSED(state);
    struct engine_options options = {.temp_folder = str_of(folder), .memory_bytes = 300 * 1024 * 1024, .threads = 1};
    struct engine *own = engine;
    struct assay_error err = {0};
    assert_ok(engine_open(&options, &engine, &err), &err);
    assert_str(ask("SELECT current_setting('memory_limit'), current_setting('threads')"), "300.0 MiB|1");
    engine_close(&engine);
    engine = own;
}

static void test_spills_into_its_folder_and_cleans_up(void **state) {
    UNUSED(state);
    const char *spill = test_dir();
    struct engine_options options = {.temp_folder = str_of(spill), .memory_bytes = 64 * 1024 * 1024, .threads = 2};
    struct engine *own = engine;
    struct assay_error err = {0};
    assert_ok(engine_open(&options, &engine, &err), &err);
    /* a million texts of about 60 bytes do not fit in 64 MiB */
    assert_str(
        ask("SELECT count(*), min(s) FROM (SELECT DISTINCT repeat(i::VARCHAR, 10) AS s FROM range(1000000) t(i))"),
        "1000000|0000000000");
    engine_close(&engine);
    engine = own;
    assert_int_equal(rmdir(spill), 0); /* it is empty */
    assert_int_equal(mkdir(spill, 0777), 0);
}

static void test_out_of_memory_is_a_limit(void **state) {
    UNUSED(state);
    struct engine_options options = {.memory_bytes = 100 * 1024 * 1024, .threads = 2}; /* no folder to spill to */
    struct engine *small;
    struct assay_error err = {0};
    assert_ok(engine_open(&options, &small, &err), &err);
    assert_code(
        ASSAY_LIMIT,
        engine_run(small, STR("SELECT count(*) FROM (SELECT DISTINCT repeat(i::VARCHAR, 10) FROM range(3000000) t(i))"),
                   &err),
        &err);
    engine_close(&small);
}

static void test_errors_hide_the_sql(void **state) {
    UNUSED(state);
    struct assay_error err = {0};
    assert_code(ASSAY_INTERNAL, engine_run(engine, STR("SELECT secret_column FROM (SELECT 1 AS a)"), &err), &err);
    assert_err_has(&err, "secret_column"); /* named by the message itself */
    assert_null(strstr(err.message, "LINE"));
    setenv("ASSAY_TEST_SQL", "1", 1);
    assert_code(ASSAY_INTERNAL, engine_run(engine, STR("SELECT b FROM (SELECT 1 AS a)"), &err), &err);
    assert_err_has(&err, "SELECT b FROM (SELECT 1 AS a)");
    unsetenv("ASSAY_TEST_SQL");
}

static void test_missing_and_broken_files_have_their_codes(void **state) {
    UNUSED(state);
    struct assay_error err = {0};
    struct engine_result r;
    test_write(text_of("%s/broken.parquet", folder), STR("this is no Parquet file at all"));
    assert_code(
        ASSAY_NOT_FOUND,
        engine_query(engine, str_printf(&arena, "FROM read_parquet('%s/none.parquet')", folder), 1, &arena, &r, &err),
        &err);
    assert_code(
        ASSAY_CORRUPT,
        engine_query(engine, str_printf(&arena, "FROM read_parquet('%s/broken.parquet')", folder), 1, &arena, &r, &err),
        &err);
}

static void *interrupt_soon(void *engine_pointer) {
    usleep(200 * 1000);
    engine_interrupt(engine_pointer);
    return NULL;
}

static void test_interrupt_ends_the_statement_and_all_after_it(void **state) {
    UNUSED(state);
    struct engine_options options = {.temp_folder = str_of(folder), .threads = 2};
    struct engine *other;
    struct assay_error err = {0};
    pthread_t thread;
    assert_ok(engine_open(&options, &other, &err), &err);
    assert_int_equal(pthread_create(&thread, NULL, interrupt_soon, other), 0);
    assert_code(ASSAY_INTERRUPTED,
                engine_run(other, STR("SELECT sum(a.i * b.i) FROM range(1000000) a(i), range(1000000) b(i)"), &err),
                &err);
    pthread_join(thread, NULL);
    assert_code(ASSAY_INTERRUPTED, engine_run(other, STR("SELECT 1"), &err), &err);
    engine_close(&other);
}

static void test_limits_of_the_machine(void **state) {
    UNUSED(state);
    const char *root = test_dir();
    test_write(text_of("%s/proc/meminfo", root),
               STR("MemTotal:       8000000 kB\nMemFree: 1 kB\nMemAvailable:   6000000 kB\n"));
    struct machine m = machine_limits(root);
    assert_int_equal(m.memory_total, INT64_C(8000000) * 1024);
    assert_int_equal(m.memory_free, INT64_C(6000000) * 1024);

    test_write(text_of("%s/proc/self/cgroup", root), STR("0::/a/b\n"));
    test_write(text_of("%s/sys/fs/cgroup/a/b/memory.max", root), STR("max\n"));
    test_write(text_of("%s/sys/fs/cgroup/a/memory.max", root), STR("1000000000\n"));
    test_write(text_of("%s/sys/fs/cgroup/a/memory.current", root), STR("400000000\n"));
    test_write(text_of("%s/sys/fs/cgroup/a/b/cpu.max", root), STR("50000 100000\n"));
    m = machine_limits(root);
    assert_int_equal(m.memory_total, 1000000000);
    assert_int_equal(m.memory_free, 600000000);
    assert_int_equal(m.threads, 1);

    test_write(text_of("%s/proc/self/cgroup", root), STR("4:memory:/c\n3:cpu,cpuacct:/c\n"));
    test_write(text_of("%s/sys/fs/cgroup/memory/c/memory.limit_in_bytes", root), STR("9223372036854771712\n"));
    test_write(text_of("%s/sys/fs/cgroup/memory/memory.limit_in_bytes", root), STR("700000000\n"));
    test_write(text_of("%s/sys/fs/cgroup/memory/memory.usage_in_bytes", root), STR("900000000\n"));
    m = machine_limits(root);
    assert_int_equal(m.memory_total, 700000000);
    assert_int_equal(m.memory_free, 0);

    test_write(text_of("%s/proc/self/cgroup", root), STR("nonsense\n::\n0:\n"));
    test_write(text_of("%s/proc/meminfo", root), STR("MemTotal: -5 kB\n"));
    m = machine_limits(root);
    assert_true(m.threads >= 1);
    assert_int_equal(m.memory_total, INT64_MAX);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_engine, close_engine)
TEST_MAIN(TEST(test_reads_and_writes_only_its_folders), TEST(test_links_do_not_lead_out),
          TEST(test_a_folder_may_be_named_by_a_link), TEST(test_without_folders_no_file_is_read),
          TEST(test_settings_are_locked), TEST(test_memory_and_threads_are_as_asked),
          TEST(test_spills_into_its_folder_and_cleans_up), TEST(test_out_of_memory_is_a_limit),
          TEST(test_errors_hide_the_sql), TEST(test_missing_and_broken_files_have_their_codes),
          TEST(test_interrupt_ends_the_statement_and_all_after_it), TEST(test_limits_of_the_machine))
