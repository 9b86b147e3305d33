#include "support/test.h"

#include "storage/storage.h"

#include <string.h>

static void test_names_inside_the_lake_are_taken(void **state) {
    UNUSED(state);
    static const char *const good[] = {"a",     "a/b",      "Tables/silver/orders/_delta_log/00000000000000000000.json",
                                       "...",   "a..b/..c", "with space/\u00FC[*]?'\".csv",
                                       "x=%2F", ".hidden",  "-rf",
                                       "~",     "a:b",      "\U0001F600"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        struct assay_error err = {0};
        assert_ok(store_key_check(str_of(good[i]), &err), &err);
    }
}

static void test_names_that_could_leave_it_are_not(void **state) {
    UNUSED(state);
    static const struct {
        struct str key;
        const char *why;
    } bad[] = {
        {{"", 0}, "empty"},
        {{"/", 1}, "'/'"},
        {{"/etc/passwd", 11}, "'/'"},
        {{"a/", 2}, "'/'"},
        {{"a//b", 4}, "two in a row"},
        {{".", 1}, "'..'"},
        {{"..", 2}, "'..'"},
        {{"../a", 4}, "'..'"},
        {{"a/../b", 6}, "'..'"},
        {{"a/./b", 5}, "'.'"},
        {{"a/..", 4}, "'..'"},
        {{"a\\..\\b", 6}, "backslash"},
        {{"a\0b", 3}, "NUL"},
        {{"\xFF", 1}, "not UTF-8"},
        {{"a/\xC0\xAE\xC0\xAE/b", 8}, "not UTF-8"}, /* overlong dots */
    };
    struct store *store;
    struct assay_error err = {0};
    assert_ok(store_open_memory(&store, &err), &err);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct arena arena = {0};
        struct str out;
        struct store_entry entry;
        assert_code(ASSAY_INVALID, store_key_check(bad[i].key, &err), &err);
        assert_err_has(&err, bad[i].why);
        assert_code(ASSAY_INVALID, store_get(store, bad[i].key, &arena, &out, &err), &err);
        assert_code(ASSAY_INVALID, store_put(store, bad[i].key, STR("x"), &err), &err);
        assert_code(ASSAY_INVALID, store_put_if_absent(store, bad[i].key, STR("x"), &err), &err);
        assert_code(ASSAY_INVALID, store_publish(store, STR("/nowhere"), bad[i].key, &err), &err);
        assert_code(ASSAY_INVALID, store_remove(store, bad[i].key, &err), &err);
        assert_code(ASSAY_INVALID, store_stat(store, bad[i].key, &entry, &err), &err);
        assert_code(ASSAY_INVALID, store_local_path(store, bad[i].key, &arena, &out, &err), &err);
        assert_code(ASSAY_INVALID, store_move(store, bad[i].key, STR("b"), &err), &err);
        assert_code(ASSAY_INVALID, store_move(store, STR("b"), bad[i].key, &err), &err);
        assert_code(ASSAY_INVALID, store_exchange(store, bad[i].key, STR("b"), &err), &err);
        assert_code(ASSAY_INVALID, store_exchange(store, STR("b"), bad[i].key, &err), &err);
        arena_reset(&arena);
    }
    store_close(&store);
    assert_null(store);
}

static void test_lengths_have_limits(void **state) {
    UNUSED(state);
    char text[4000];
    memset(text, 'a', sizeof text);
    struct assay_error err = {0};
    assert_ok(store_key_check((struct str){text, 255}, &err), &err);
    assert_code(ASSAY_LIMIT, store_key_check((struct str){text, 256}, &err), &err);
    for (size_t i = 100; i < sizeof text; i += 100) text[i] = '/';
    assert_ok(store_key_check((struct str){text, 2048}, &err), &err);
    assert_code(ASSAY_LIMIT, store_key_check((struct str){text, 2049}, &err), &err);
}

static void test_nothing_is_moved_into_itself(void **state) {
    UNUSED(state);
    struct store *store;
    struct assay_error err = {0};
    assert_ok(store_open_memory(&store, &err), &err);
    assert_ok(store_put(store, STR("a/b"), STR("x"), &err), &err);
    assert_code(ASSAY_INVALID, store_move(store, STR("a"), STR("a/c"), &err), &err);
    assert_code(ASSAY_INVALID, store_move(store, STR("a"), STR("a"), &err), &err);
    assert_ok(store_move(store, STR("a"), STR("ab"), &err), &err);
    assert_code(ASSAY_INVALID, store_exchange(store, STR("ab"), STR("ab"), &err), &err);
    assert_code(ASSAY_INVALID, store_exchange(store, STR("ab"), STR("ab/b"), &err), &err);
    assert_code(ASSAY_INVALID, store_exchange(store, STR("ab/b"), STR("ab"), &err), &err);
    store_close(&store);
}

TEST_MAIN(cmocka_unit_test(test_names_inside_the_lake_are_taken),
          cmocka_unit_test(test_names_that_could_leave_it_are_not), cmocka_unit_test(test_lengths_have_limits),
          cmocka_unit_test(test_nothing_is_moved_into_itself))
