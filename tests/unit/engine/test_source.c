#include "engine_test.h"

#include "engine/engine_int.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

/** Rows 0 .. rows - 1 in pieces handed out by ticket; what a row holds follows from its number. */
struct numbers {
    atomic_llong next;
    int64_t rows;
    int64_t fail_at; /* the fill that would make this row fails; -1: never */
    atomic_int opened, closed;
    bool open_fails;
    useconds_t nap_us;
};

static enum assay_code open_worker(void *source, void **worker, struct assay_error *err) {
    struct numbers *n = source;
    if (n->open_fails) return error_set(err, ASSAY_DENIED, "file.csv", "may not be read");
    atomic_fetch_add(&n->opened, 1);
    *worker = memory_alloc(64);
    return ASSAY_OK;
}

static void close_worker(void *source, void *worker) {
    atomic_fetch_add(&((struct numbers *)source)->closed, 1);
    free(worker);
}

/** A text for row i: NULL, empty, inline and long ones, also some longer than a block. */
static struct str text_for(int64_t i, char *room) {
    static const size_t lengths[] = {0, 1, 11, 12, 13, 30, 200};
    size_t len = i % 5000 == 4999 ? 70000 : lengths[i % 7];
    for (size_t k = 0; k < len; k++) room[k] = (char)('a' + (i + (int64_t)k) % 26);
    return (struct str){room, len};
}

static enum assay_code fill(void *source, void *worker, struct engine_sink *sink, struct assay_error *err) {
    struct numbers *n = source;
    static _Thread_local char room[70000];
    assert_non_null(worker);
    if (n->nap_us) usleep(n->nap_us);
    int64_t first = atomic_fetch_add(&n->next, (int64_t)sink->capacity);
    for (int64_t i = first; i < n->rows && i < first + (int64_t)sink->capacity; i++) {
        if (i == n->fail_at) return error_set(err, ASSAY_CORRUPT, "orders.csv:17", "a quote that nothing closes");
        size_t row = sink->row_count++;
        engine_sink_int64(sink, 0, row, i);
        if (i % 3 == 0)
            engine_sink_null(sink, 1, row);
        else
            engine_sink_text(sink, 1, row, text_for(i, room));
        engine_sink_text(sink, 2, row, (struct str){"\xff\0\xfe", 3});
        engine_sink_int64(sink, 3, row, i * 1000000);
    }
    return ASSAY_OK;
}

static const struct str NAMES[] = {{"i", 1}, {"a \"text\"", 8}, {"b", 1}, {"t", 1}};
static const char *const TYPES[] = {"BIGINT", "VARCHAR", "BLOB", "TIMESTAMPTZ"};

static struct engine_source source_of(struct numbers *n) {
    return (struct engine_source){.source = n,
                                  .column_count = 4,
                                  .column_names = NAMES,
                                  .column_types = TYPES,
                                  .workers_max = 2,
                                  .open_worker = open_worker,
                                  .fill = fill,
                                  .close_worker = close_worker};
}

static void add(const char *name, struct numbers *n) {
    struct engine_source source = source_of(n);
    struct assay_error err = {0};
    assert_ok(engine_add_source(engine, str_of(name), &source, &err), &err);
}

static enum assay_code check_row(void *context, const struct engine_cell *cells, size_t column_count,
                                 struct assay_error *err) {
    static char room[70000];
    int64_t *sum = context, i = engine_cell_int(&cells[0], -1);
    UNUSED(column_count);
    UNUSED(err);
    *sum += i;
    assert_int_equal(cells[1].is_null, i % 3 == 0);
    if (!cells[1].is_null) assert_true(str_eq(cells[1].text, text_for(i, room)));
    assert_str(cells[2].text, "ff00fe");
    return ASSAY_OK;
}

static void test_every_row_arrives_once_and_unchanged(void **state) {
    UNUSED(state);
    enum { ROWS = 100000 };
    struct numbers n = {.rows = ROWS, .fail_at = -1};
    struct assay_error err = {0};
    int64_t sum = 0;
    add("numbers", &n);
    assert_ok(engine_query_each(engine, STR("SELECT * FROM numbers()"), check_row, &sum, &err), &err);
    assert_int_equal(sum, (int64_t)ROWS * (ROWS - 1) / 2);
    assert_int_equal(atomic_load(&n.opened), atomic_load(&n.closed));
    assert_true(atomic_load(&n.opened) >= 1);
}

static void test_types_and_names(void **state) {
    UNUSED(state);
    struct numbers n = {.rows = 3, .fail_at = -1};
    add("three", &n);
    assert_str(ask("SELECT i, \"a \"\"text\"\"\", typeof(b), t, typeof(t) FROM three() ORDER BY i"),
               "0|NULL|BLOB|1970-01-01 00:00:00|TIMESTAMP WITH TIME ZONE\n"
               "1|b|BLOB|1970-01-01 00:00:01|TIMESTAMP WITH TIME ZONE\n"
               "2|cdefghijklm|BLOB|1970-01-01 00:00:02|TIMESTAMP WITH TIME ZONE");
}

/** Texts made by the sink compare, group and sort like DuckDB's own. */
static void test_texts_are_whole_values(void **state) {
    UNUSED(state);
    struct numbers n = {.rows = 26 * 7 * 3 * 10, .fail_at = -1};
    add("texts", &n);
    assert_str(ask("SELECT count(*), count(DISTINCT s), min(s), max(s) = 'zabcdefghijklmnopqrstuvwxyzabc' FROM "
                   "(SELECT \"a \"\"text\"\"\" AS s FROM texts()) WHERE length(s) < 100"),
               "3119|131||true");
    struct numbers m = {.rows = 26 * 7 * 3, .fail_at = -1};
    add("texts2", &m);
    assert_str(ask("SELECT count(*) FROM (SELECT \"a \"\"text\"\"\" AS s FROM texts2()) WHERE s IN ('b', "
                   "'bcdefghijklm', 'cdefghijklm')"),
               ask("SELECT count(*) FROM range(546) t(i) WHERE i % 3 <> 0 AND ((i % 26 = 1 AND i % 7 IN (1, 3)) OR (i "
                   "% 26 = 2 AND i % 7 = 2))")
                   .ptr);
}

#define PATTERN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOP"

/** Text i is the pattern cut after i % 41 bytes, from memory that ends there. */
static enum assay_code fill_lengths(void *source, void *worker, struct engine_sink *sink, struct assay_error *err) {
    UNUSED(worker);
    UNUSED(err);
    int *left = source;
    for (; *left > 0 && sink->row_count < sink->capacity; sink->row_count++) {
        size_t len = (size_t)(--*left % 41);
        char *copy = memory_alloc(len);
        memcpy(copy, PATTERN, len);
        engine_sink_text(sink, 0, sink->row_count, (struct str){copy, len});
        free(copy);
    }
    return ASSAY_OK;
}

static void test_every_short_length(void **state) {
    UNUSED(state);
    static const char *const types[] = {"VARCHAR"};
    int left = 4100;
    struct engine_source source = {.source = &left,
                                   .column_count = 1,
                                   .column_names = NAMES,
                                   .column_types = types,
                                   .workers_max = 1,
                                   .fill = fill_lengths};
    struct assay_error err = {0};
    assert_ok(engine_add_source(engine, STR("lengths"), &source, &err), &err);
    assert_str(ask("SELECT count(*), count(DISTINCT i), count(*) FILTER (i = left('" PATTERN "', length(i)::INT)) FROM "
                   "(SELECT i, count(*) FROM lengths() GROUP BY i HAVING count(*) = 100)"),
               "41|41|41");
}

static void test_an_error_keeps_its_code_and_place(void **state) {
    UNUSED(state);
    struct numbers n = {.rows = 100000, .fail_at = 70000};
    struct assay_error err = {0};
    struct engine_files files;
    add("failing", &n);
    assert_code(ASSAY_CORRUPT, engine_run(engine, STR("CREATE TEMP TABLE x AS FROM failing()"), &err), &err);
    assert_err_has(&err, "a quote that nothing closes");
    assert_string_equal(err.where, "orders.csv:17");
    assert_int_equal(atomic_load(&n.opened), atomic_load(&n.closed));

    n.next = 0;
    err = (struct assay_error){0};
    assert_code(ASSAY_CORRUPT,
                engine_write_parquet(engine, STR("SELECT * FROM failing()"), str_printf(&arena, "%s/part", folder),
                                     &(struct engine_write_options){0}, &arena, &files, &err),
                &err);
    assert_string_equal(err.where, "orders.csv:17");
    assert_int_equal(rmdir(folder), 0); /* no file is left behind */

    n.next = 0;
    n.fail_at = -1;
    assert_str(ask("SELECT count(*) FROM failing()"), "100000"); /* and the engine has forgotten it */
}

static void test_a_worker_that_does_not_open(void **state) {
    UNUSED(state);
    struct numbers n = {.rows = 10, .open_fails = true};
    struct assay_error err = {0};
    add("closed", &n);
    assert_code(ASSAY_DENIED, engine_run(engine, STR("SELECT * FROM closed()"), &err), &err);
    assert_string_equal(err.where, "file.csv");
    assert_int_equal(atomic_load(&n.closed), 0);
}

static void *interrupt_soon(void *unused) {
    UNUSED(unused);
    usleep(100 * 1000);
    engine_interrupt(engine);
    return NULL;
}

static void test_an_interrupt_ends_a_slow_source(void **state) {
    UNUSED(state);
    struct numbers n = {.rows = INT64_MAX, .fail_at = -1, .nap_us = 5000};
    struct assay_error err = {0};
    pthread_t thread;
    add("slow", &n);
    assert_int_equal(pthread_create(&thread, NULL, interrupt_soon, NULL), 0);
    assert_code(ASSAY_INTERRUPTED, engine_run(engine, STR("SELECT count(*) FROM slow()"), &err), &err);
    pthread_join(thread, NULL);
    assert_int_equal(atomic_load(&n.opened), atomic_load(&n.closed));
}

static void test_a_wrong_type_or_a_used_name_is_refused(void **state) {
    UNUSED(state);
    struct numbers n = {.rows = 1, .fail_at = -1};
    struct assay_error err = {0};
    static const char *const wrong[] = {"BIGINT", "INTEGER", "BLOB", "TIMESTAMPTZ"};
    struct engine_source source = source_of(&n);
    source.column_types = wrong;
    assert_code(ASSAY_INTERNAL, engine_add_source(engine, STR("wrong"), &source, &err), &err);
    assert_err_has(&err, "INTEGER");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_engine, close_engine)
TEST_MAIN(TEST(test_every_row_arrives_once_and_unchanged), TEST(test_types_and_names),
          TEST(test_texts_are_whole_values), TEST(test_every_short_length),
          TEST(test_an_error_keeps_its_code_and_place), TEST(test_a_worker_that_does_not_open),
          TEST(test_an_interrupt_ends_a_slow_source), TEST(test_a_wrong_type_or_a_used_name_is_refused))
