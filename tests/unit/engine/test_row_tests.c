/* Questions about rows by place: answers, how many files are open at once, errors, and that all is closed. */
#include "engine_test.h"

#include <stdatomic.h>
#include <stdlib.h>

/** Even rows are in file 0, multiples of three in file 1, and so on; no row is in a file that 5 divides. */
struct multiples {
    atomic_int opened, closed;
    int most; /* open at once */
    int64_t broken;
};

struct opened {
    struct multiples *of;
    int64_t divisor;
};

static enum assay_code open_file(void *context, int64_t file, void **opened, struct assay_error *err) {
    struct multiples *m = context;
    if (file == m->broken) return error_set(err, ASSAY_CORRUPT, "file", "is damaged");
    if (file % 5 == 4) return ASSAY_OK;
    struct opened *o = memory_alloc(sizeof *o);
    *o = (struct opened){m, file + 2};
    int open = atomic_fetch_add(&m->opened, 1) + 1 - atomic_load(&m->closed);
    if (open > m->most) m->most = open;
    *opened = o;
    return ASSAY_OK;
}

static void test_file(const void *opened, const int64_t *rows, size_t count, bool *answers) {
    const struct opened *o = opened;
    for (size_t i = 0; i < count; i++) answers[i] = rows[i] % o->divisor == 0;
}

static void close_file(void *opened) {
    atomic_fetch_add(&((struct opened *)opened)->of->closed, 1);
    free(opened);
}

static struct str add(struct multiples *m) {
    struct assay_error err = {0};
    struct str name;
    struct engine_row_test test = {m, open_file, test_file, close_file};
    assert_ok(engine_add_row_test(engine, &test, &arena, &name, &err), &err);
    return name;
}

static void test_answers(void **state) {
    struct multiples m = {.broken = -1}, other = {.broken = -1};
    struct str name = add(&m), second = add(&other);
    int64_t expected = 0;
    for (int64_t file = 0; file < 100; file++)
        if (file % 5 != 4) expected += (9999 + file + 2) / (file + 2);
    assert_str(ask(text_of("SELECT count(*) FROM range(100) f(file), range(10000) r(i) WHERE %s(file, i)", name.ptr)),
               text_of("%lld", (long long)expected));
    /* files mixed within a chunk, two tests in one statement, NULL for NULL */
    assert_str(ask(text_of("SELECT count(*) FROM range(6000) r(i) WHERE %s(i %% 2, i) AND NOT %s(i %% 3, i)", name.ptr,
                           second.ptr)),
               "2500");
    assert_true(m.most <= 8); /* twice the two threads idle, and what they use */
    close_engine(state);
    assert_int_equal(m.opened, m.closed);
    assert_int_equal(other.opened, other.closed);
    open_engine(state);
}

static void test_an_error_ends_the_statement(void **state) {
    UNUSED(state);
    struct multiples m = {.broken = 7};
    struct str name = add(&m);
    struct assay_error err = {0};
    struct engine_result r;
    struct str sql =
        str_printf(&arena, "SELECT count(*) FROM range(10) f(file), range(3) r(i) WHERE %s(file, i)", name.ptr);
    assert_code(ASSAY_CORRUPT, engine_query(engine, sql, 1, &arena, &r, &err), &err);
    assert_err_has(&err, "is damaged");
    m.broken = -1;
    assert_ok(engine_query(engine, sql, 1, &arena, &r, &err), &err);
}

TEST_MAIN(cmocka_unit_test_setup_teardown(test_answers, open_engine, close_engine),
          cmocka_unit_test_setup_teardown(test_an_error_ends_the_statement, open_engine, close_engine))
