/** Helpers of landing's tests: a lake in a scratch folder and a plan that says where its files land. */
#ifndef TESTS_UNIT_LANDING_TEST_H
#define TESTS_UNIT_LANDING_TEST_H

#include "support/test.h"

#include "landing/landing_int.h"

#include <sys/stat.h>
#include <unistd.h>

static const struct plan PLAN = {.table = {"silver.t", 8},
                                 .source = {.path = {"landing/erp/orders", 18}, .pattern = {"*.csv", 5}}};

static struct world {
    struct arena arena;
    const char *lake, *desk; /* desk: where deliveries lie before they land */
    struct store *store;
    struct assay_error err;
} w;

static inline int open_world(void **state) {
    UNUSED(state);
    w = (struct world){.lake = test_dir(), .desk = test_dir()};
    assert_ok(store_open_local(str_of(w.lake), false, &w.store, &w.err), &w.err);
    return 0;
}

static inline int close_world(void **state) {
    UNUSED(state);
    store_close(&w.store);
    arena_reset(&w.arena);
    return 0;
}

/** A path in the lake or on the desk. */
static inline const char *in_lake(const char *key) { return str_printf(&w.arena, "%s/%s", w.lake, key).ptr; }
static inline struct str on_desk(const char *name, const char *text) {
    struct str path = str_printf(&w.arena, "%s/%s", w.desk, name);
    test_write(path.ptr, str_of(text));
    return path;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_world, close_world)

#endif
