#include "support/test.h"

#include "storage/storage.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CALLS = 10 };

static struct store *open_faulty(const char *root, const char *spec) {
    struct store *inner, *store;
    struct assay_error err = {0};
    assert_ok(store_open_local(str_of(root), false, &inner, &err), &err);
    assert_ok(store_open_fault(inner, str_of(spec), &store, &err), &err);
    return store;
}

/** Every operation once, in a fixed order; codes[i] is what the i-th said. */
static void touch_all(struct store *store, const char *staged, enum assay_code codes[CALLS]) {
    struct arena arena = {0};
    struct assay_error err = {0};
    struct str out;
    struct store_entry entry, *entries;
    size_t count;
    test_write(staged, STR("staged"));
    codes[0] = store_put(store, STR("put"), STR("1"), &err);
    codes[1] = store_put_if_absent(store, STR("absent"), STR("2"), &err);
    codes[2] = store_publish(store, str_of(staged), STR("published"), &err);
    codes[3] = store_get(store, STR("seed"), &arena, &out, &err);
    codes[4] = store_list_flat(store, STR(""), &arena, &entries, &count, &err);
    codes[5] = store_stat(store, STR("seed"), &entry, &err);
    codes[6] = store_local_path(store, STR("seed"), &arena, &out, &err);
    codes[7] = store_remove(store, STR("removed"), &err);
    codes[8] = store_move(store, STR("from"), STR("to"), &err);
    codes[9] = store_exchange(store, STR("left"), STR("right"), &err);
    arena_reset(&arena);
}

/** A lake before touch_all. */
static const char *make_lake(void) {
    struct arena arena = {0};
    const char *root = test_dir();
    static const char *const keys[] = {"seed", "removed", "from", "left", "right"};
    for (size_t i = 0; i < 5; i++) test_write(str_path(&arena, str_of(root), str_of(keys[i])).ptr, str_of(keys[i]));
    arena_reset(&arena);
    return root;
}

/** The effects of the operations that change the lake: which of them happened, as letters. */
static struct str effects(struct arena *arena, const char *root) {
    static const struct {
        const char *name;
        bool is_there;
        char letter;
    } expected[] = {{"put", true, 'p'},
                    {"absent", true, 'a'},
                    {"published", true, 's'},
                    {"removed", false, 'r'},
                    {"to", true, 'm'}};
    struct str out = STR("");
    for (size_t i = 0; i < 5; i++) {
        bool is_there = access(str_path(arena, str_of(root), str_of(expected[i].name)).ptr, F_OK) == 0;
        if (is_there == expected[i].is_there) out = str_printf(arena, "%.*s%c", STR_ARG(out), expected[i].letter);
    }
    struct str left = test_read(arena, str_path(arena, str_of(root), STR("left")).ptr);
    return str_eq(left, STR("right")) ? str_printf(arena, "%.*sx", STR_ARG(out)) : out;
}

static const char *const without[CALLS] = {"asrmx",  "psrmx",  "parmx", "pasrmx", "pasrmx",
                                           "pasrmx", "pasrmx", "pasmx", "pasrx",  "pasrm"};

static void check_failing(const char *word, size_t at, bool is_done) {
    struct arena arena = {0};
    const char *root = make_lake();
    struct store *store = open_faulty(root, str_printf(&arena, "%s:%zu", word, at + 1).ptr);
    enum assay_code codes[CALLS];
    touch_all(store, str_path(&arena, str_of(test_dir()), STR("staged")).ptr, codes);
    for (size_t i = 0; i < CALLS; i++) {
        enum assay_code lost = is_done && at == 1 ? ASSAY_UNKNOWN : ASSAY_UNAVAILABLE;
        assert_int_equal(codes[i], i == at ? lost : ASSAY_OK);
    }
    assert_str(effects(&arena, root), is_done ? "pasrmx" : without[at]);
    store_close(&store);
    arena_reset(&arena);
}

static void test_each_call_can_fail_before_or_after_its_work(void **state) {
    UNUSED(state);
    for (size_t at = 0; at < CALLS; at++) {
        check_failing("fail", at, false);
        check_failing("fail-after", at, true);
    }
}

static void check_stopping(const char *word, size_t at, const char *expected) {
    struct arena arena = {0};
    const char *root = make_lake(), *staged = str_path(&arena, str_of(test_dir()), STR("staged")).ptr;
    pid_t pid = fork();
    if (pid == 0) {
        struct store *store = open_faulty(root, str_printf(&arena, "%s:%zu", word, at + 1).ptr);
        enum assay_code codes[CALLS];
        touch_all(store, staged, codes);
        _exit(0);
    }
    int status;
    waitpid(pid, &status, 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 137);
    assert_str(effects(&arena, root), expected);
    arena_reset(&arena);
}

static void test_the_process_can_end_before_or_after_each_call(void **state) {
    UNUSED(state);
    static const char *const done[CALLS + 1] = {"",    "p",   "pa",   "pas",   "pas",   "pas",
                                                "pas", "pas", "pasr", "pasrm", "pasrmx"};
    for (size_t at = 0; at < CALLS; at++) {
        check_stopping("stop", at, done[at]);
        check_stopping("stop-after", at, done[at + 1]);
    }
}

static void test_a_full_disk_stops_writing_only(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    const char *root = make_lake();
    struct store *store = open_faulty(root, "full:2");
    enum assay_code codes[CALLS];
    touch_all(store, str_path(&arena, str_of(test_dir()), STR("staged")).ptr, codes);
    for (size_t i = 0; i < CALLS; i++) assert_int_equal(codes[i], i == 1 || i == 2 ? ASSAY_DENIED : ASSAY_OK);
    assert_str(effects(&arena, root), "prmx");
    struct assay_error err = {0};
    assert_code(ASSAY_DENIED, store_put(store, STR("put"), STR("x"), &err), &err); /* and stays full */
    assert_err_has(&err, "no space");
    store_close(&store);
    arena_reset(&arena);
}

static void test_calls_are_counted(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    const char *count = str_path(&arena, str_of(test_dir()), STR("count")).ptr;
    struct store *store = open_faulty(make_lake(), "count");
    enum assay_code codes[CALLS];
    touch_all(store, str_path(&arena, str_of(test_dir()), STR("staged")).ptr, codes);
    struct str out;
    struct assay_error err = {0};
    assert_code(ASSAY_INVALID, store_get(store, STR("../x"), &arena, &out, &err), &err); /* touches nothing */
    setenv("ASSAY_TEST_FAULT_COUNT", count, 1);
    store_close(&store);
    unsetenv("ASSAY_TEST_FAULT_COUNT");
    assert_str(test_read(&arena, count), "10\n");
    arena_reset(&arena);
}

static void test_orders_that_make_no_sense_are_refused(void **state) {
    UNUSED(state);
    static const char *const bad[] = {"",       "fail",     "fail:",     "fail:0", "fail:-1",
                                      "fail:x", "stop:1:2", "explode:1", "count:1"};
    struct store *inner, *store = NULL;
    struct assay_error err = {0};
    assert_ok(store_open_memory(&inner, &err), &err);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_code(ASSAY_INVALID, store_open_fault(inner, str_of(bad[i]), &store, &err), &err);
    assert_null(store);
    store_close(&inner);
}

TEST_MAIN(cmocka_unit_test(test_each_call_can_fail_before_or_after_its_work),
          cmocka_unit_test(test_the_process_can_end_before_or_after_each_call),
          cmocka_unit_test(test_a_full_disk_stops_writing_only), cmocka_unit_test(test_calls_are_counted),
          cmocka_unit_test(test_orders_that_make_no_sense_are_refused))
