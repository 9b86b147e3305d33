/* What every store promises, asked of each: local, memory, and both behind the decorator. */
#include "support/test.h"

#include "storage/storage.h"

#include <time.h>
#include <unistd.h>

struct fixture {
    struct store *store;
    struct arena arena;
    struct assay_error err;
};

static struct fixture *fixture_of(void **state) { return *state; }

static int close_fixture(void **state) {
    struct fixture *f = *state;
    store_close(&f->store);
    arena_reset(&f->arena);
    *f = (struct fixture){0};
    return 0;
}

static struct fixture shared;

static int open_local(void **state) {
    struct str root = str_printf(&shared.arena, "%s/my lake \u00FC[x]*?", test_dir());
    assert_ok(store_open_local(root, true, &shared.store, &shared.err), &shared.err);
    *state = &shared;
    return 0;
}

static int open_memory(void **state) {
    assert_ok(store_open_memory(&shared.store, &shared.err), &shared.err);
    *state = &shared;
    return 0;
}

static int open_fault(void **state) {
    struct store *inner;
    assert_ok(store_open_local(str_of(test_dir()), false, &inner, &shared.err), &shared.err);
    assert_ok(store_open_fault(inner, STR("count"), &shared.store, &shared.err), &shared.err);
    *state = &shared;
    return 0;
}

static void assert_holds(struct fixture *f, const char *key, const char *expected) {
    struct str bytes;
    assert_ok(store_get(f->store, str_of(key), &f->arena, &bytes, &f->err), &f->err);
    assert_str(bytes, expected);
}

static void put(struct fixture *f, const char *key, const char *bytes) {
    assert_ok(store_put(f->store, str_of(key), str_of(bytes), &f->err), &f->err);
}

static void test_put_creates_and_replaces(void **state) {
    struct fixture *f = fixture_of(state);
    struct str bytes;
    assert_code(ASSAY_NOT_FOUND, store_get(f->store, STR("a/b/c.json"), &f->arena, &bytes, &f->err), &f->err);
    assert_err_has(&f->err, "a/b/c.json");
    put(f, "a/b/c.json", "one");
    assert_holds(f, "a/b/c.json", "one");
    put(f, "a/b/c.json", "");
    assert_holds(f, "a/b/c.json", "");
    struct str binary = {"\0\xFF\n\0", 4};
    assert_ok(store_put(f->store, STR("bin"), binary, &f->err), &f->err);
    assert_ok(store_get(f->store, STR("bin"), &f->arena, &bytes, &f->err), &f->err);
    assert_true(str_eq(bytes, binary));
    assert_int_equal(bytes.ptr[bytes.len], '\0');
}

static void test_put_if_absent_never_replaces(void **state) {
    struct fixture *f = fixture_of(state);
    assert_ok(store_put_if_absent(f->store, STR("log/0.json"), STR("mine"), &f->err), &f->err);
    assert_code(ASSAY_EXISTS, store_put_if_absent(f->store, STR("log/0.json"), STR("other"), &f->err), &f->err);
    assert_err_has(&f->err, "log/0.json");
    assert_holds(f, "log/0.json", "mine");
    assert_ok(store_remove(f->store, STR("log/0.json"), &f->err), &f->err);
    assert_ok(store_remove(f->store, STR("log/0.json"), &f->err), &f->err); /* gone already */
    assert_ok(store_put_if_absent(f->store, STR("log/0.json"), STR("other"), &f->err), &f->err);
    assert_holds(f, "log/0.json", "other");
}

static void test_ranges_are_cut_to_the_object(void **state) {
    struct fixture *f = fixture_of(state);
    put(f, "r", "0123456789");
    static const struct {
        int64_t offset, length;
        const char *expected;
    } cases[] = {{0, 4, "0123"},
                 {8, 100, "89"},
                 {10, 1, ""},
                 {INT64_MAX, INT64_MAX, ""},
                 {-3, 2, "78"},
                 {-3, 99, "789"},
                 {-99, 2, "01"},
                 {INT64_MIN, 1, "0"},
                 {2, 0, ""},
                 {2, -1, ""},
                 {0, INT64_MAX, "0123456789"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct str bytes;
        assert_ok(store_get_range(f->store, STR("r"), cases[i].offset, cases[i].length, &f->arena, &bytes, &f->err),
                  &f->err);
        assert_str(bytes, cases[i].expected);
    }
}

static struct str list(struct fixture *f, const char *prefix, bool is_flat) {
    struct store_entry *entries;
    size_t count;
    enum assay_code rc = is_flat ? store_list_flat(f->store, str_of(prefix), &f->arena, &entries, &count, &f->err)
                                 : store_list(f->store, str_of(prefix), &f->arena, &entries, &count, &f->err);
    assert_ok(rc, &f->err);
    struct str all = {0};
    for (size_t i = 0; i < count; i++)
        all = str_printf(&f->arena, "%.*s%s%.*s=%d", STR_ARG(all), i ? " " : "", STR_ARG(entries[i].key),
                         (int)entries[i].size_bytes);
    return all;
}

static void test_lists_are_sorted_by_bytes_and_whole(void **state) {
    struct fixture *f = fixture_of(state);
    assert_str(list(f, "", false), "");
    static const char *const keys[] = {"t/b", "t/a/2",    "t/a/10", "t/a-x", "t/a.y",
                                       "t/B", "t/\u00FC", "u/x",    "t2",    "t/_log/0.json"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) put(f, keys[i], "12");
    put(f, "t/.assay-hidden", "x");
    put(f, "t/.assay-folder/x", "x");
    put(f, "t/.other", "x");
    const char *below = "t/.other=1 t/B=2 t/_log/0.json=2 t/a-x=2 t/a.y=2 t/a/10=2 t/a/2=2 t/b=2 t/\u00FC=2";
    assert_str(list(f, "t", false), below);
    assert_str(list(f, "t/", false), below);
    assert_str(list(f, "t", true), "t/.other=1 t/B=2 t/a-x=2 t/a.y=2 t/b=2 t/\u00FC=2");
    assert_str(list(f, "t/a", false), "t/a/10=2 t/a/2=2");
    assert_str(list(f, "", true), "t2=2");
    assert_str(list(f, "nowhere/at/all", false), "");
    assert_str(list(f, "t/b", false), ""); /* an object is not a folder */
    struct store_entry *entries;
    size_t count;
    assert_code(ASSAY_INVALID, store_list(f->store, STR("t/../u"), &f->arena, &entries, &count, &f->err), &f->err);
}

static void test_stat_tells_size_and_time(void **state) {
    struct fixture *f = fixture_of(state);
    put(f, "d/s", "12345");
    struct store_entry entry;
    assert_ok(store_stat(f->store, STR("d/s"), &entry, &f->err), &f->err);
    assert_str(entry.key, "d/s");
    assert_int_equal(entry.size_bytes, 5);
    assert_in_range(entry.modified_us / 1000000, time(NULL) - 10, time(NULL) + 1);
    assert_code(ASSAY_NOT_FOUND, store_stat(f->store, STR("d"), &entry, &f->err), &f->err);
    assert_code(ASSAY_NOT_FOUND, store_stat(f->store, STR("d/t"), &entry, &f->err), &f->err);
    assert_code(ASSAY_NOT_FOUND, store_stat(f->store, STR("d/s/t"), &entry, &f->err), &f->err);
}

static void test_move_takes_an_object_or_a_folder(void **state) {
    struct fixture *f = fixture_of(state);
    put(f, "b/x", "1");
    put(f, "b/sub/y", "2");
    put(f, "other", "3");
    assert_ok(store_move(f->store, STR("b"), STR("_replaced/deep/b"), &f->err), &f->err);
    assert_str(list(f, "", false), "_replaced/deep/b/sub/y=1 _replaced/deep/b/x=1 other=1");
    assert_code(ASSAY_EXISTS, store_move(f->store, STR("other"), STR("_replaced/deep/b/x"), &f->err), &f->err);
    assert_code(ASSAY_EXISTS, store_move(f->store, STR("other"), STR("_replaced/deep"), &f->err), &f->err);
    assert_holds(f, "_replaced/deep/b/x", "1");
    assert_code(ASSAY_NOT_FOUND, store_move(f->store, STR("nothing"), STR("x"), &f->err), &f->err);
    assert_ok(store_move(f->store, STR("other"), STR("x"), &f->err), &f->err);
    assert_holds(f, "x", "3");
}

static void test_exchange_swaps_objects_and_folders(void **state) {
    struct fixture *f = fixture_of(state);
    put(f, "a/x", "1");
    put(f, "a/sub/y", "2");
    put(f, "b/x", "333");
    put(f, "ab", "4444");
    assert_ok(store_exchange(f->store, STR("a"), STR("b"), &f->err), &f->err);
    assert_str(list(f, "", false), "a/x=3 ab=4 b/sub/y=1 b/x=1");
    assert_ok(store_exchange(f->store, STR("ab"), STR("b/x"), &f->err), &f->err);
    assert_str(list(f, "", false), "a/x=3 ab=1 b/sub/y=1 b/x=4");
    assert_code(ASSAY_NOT_FOUND, store_exchange(f->store, STR("a"), STR("c"), &f->err), &f->err);
    assert_code(ASSAY_NOT_FOUND, store_exchange(f->store, STR("c"), STR("a"), &f->err), &f->err);
    assert_str(list(f, "", false), "a/x=3 ab=1 b/sub/y=1 b/x=4");
}

static void test_published_files_are_taken_over(void **state) {
    struct fixture *f = fixture_of(state);
    struct staging *staging;
    assert_ok(staging_open(f->store, &staging, &f->err), &f->err);
    struct str staged = staging_path(staging, &f->arena, STR("bronze.parquet"));
    test_write(staged.ptr, STR("PAR1"));
    assert_ok(store_publish(f->store, staged, STR("t/new folder/p.parquet"), &f->err), &f->err);
    assert_holds(f, "t/new folder/p.parquet", "PAR1");
    assert_int_equal(access(staged.ptr, F_OK), -1);

    test_write(staged.ptr, STR("other"));
    assert_code(ASSAY_EXISTS, store_publish(f->store, staged, STR("t/new folder/p.parquet"), &f->err), &f->err);
    assert_holds(f, "t/new folder/p.parquet", "PAR1");
    assert_int_equal(access(staged.ptr, F_OK), 0);
    struct str absent = staging_path(staging, &f->arena, STR("absent"));
    assert_code(ASSAY_NOT_FOUND, store_publish(f->store, absent, STR("t/q"), &f->err), &f->err);
    assert_str(list(f, "", false), "t/new folder/p.parquet=4"); /* staged files are no objects */
    staging_close(&staging);
}

static void test_local_paths_can_be_opened(void **state) {
    struct fixture *f = fixture_of(state);
    struct str path;
    put(f, "a b/\u00FC[*].csv", "x,y");
    assert_ok(store_local_path(f->store, STR("a b/\u00FC[*].csv"), &f->arena, &path, &f->err), &f->err);
    assert_int_equal(path.ptr[0], '/');
    assert_str(test_read(&f->arena, path.ptr), "x,y");
    put(f, "a b/\u00FC[*].csv", "z");
    assert_ok(store_local_path(f->store, STR("a b/\u00FC[*].csv"), &f->arena, &path, &f->err), &f->err);
    assert_str(test_read(&f->arena, path.ptr), "z");
    assert_ok(store_local_path(f->store, STR("not/there"), &f->arena, &path, &f->err), &f->err);
}

#define EACH_STORE(test)                                                                                               \
    cmocka_unit_test_setup_teardown(test, open_local, close_fixture),                                                  \
        cmocka_unit_test_setup_teardown(test, open_memory, close_fixture),                                             \
        cmocka_unit_test_setup_teardown(test, open_fault, close_fixture)

TEST_MAIN(EACH_STORE(test_put_creates_and_replaces), EACH_STORE(test_put_if_absent_never_replaces),
          EACH_STORE(test_ranges_are_cut_to_the_object), EACH_STORE(test_lists_are_sorted_by_bytes_and_whole),
          EACH_STORE(test_stat_tells_size_and_time), EACH_STORE(test_move_takes_an_object_or_a_folder),
          EACH_STORE(test_exchange_swaps_objects_and_folders), EACH_STORE(test_published_files_are_taken_over),
          EACH_STORE(test_local_paths_can_be_opened))
