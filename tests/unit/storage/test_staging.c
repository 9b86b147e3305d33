#include "support/test.h"

#include "storage/storage.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct store *open_lake(const char *root) {
    struct store *store;
    struct assay_error err = {0};
    assert_ok(store_open_local(str_of(root), false, &store, &err), &err);
    return store;
}

static bool is_there(struct str path) { return access(path.ptr, F_OK) == 0; }

static void test_staged_paths_are_new_and_in_the_lake(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    struct assay_error err = {0};
    const char *root = test_dir();
    struct store *store = open_lake(root);
    struct staging *staging;
    assert_ok(staging_open(store, &staging, &err), &err);
    struct str folder = str_copy(&arena, staging_folder(staging));
    assert_has(folder, "/.assay-staging/");
    struct str first = staging_path(staging, &arena, STR("a.parquet")),
               second = staging_path(staging, &arena, STR("a.parquet"));
    assert_true(str_ends(first, STR("/1-a.parquet")));
    assert_true(str_ends(second, STR("/2-a.parquet")));
    assert_true(str_starts(staging_path(staging, &arena, STR("../../x")), folder));
    assert_true(str_ends(staging_path(staging, &arena, STR("../../x")), STR("-x")));
    test_write(first.ptr, STR("x"));
    test_write(str_path(&arena, folder, STR("spill/deep/tmp")).ptr, STR("x"));
    staging_close(&staging);
    assert_null(staging);
    staging_close(&staging);
    assert_false(is_there(folder));
    assert_int_equal(rmdir(root), 0); /* nothing is left in the lake */
    store_close(&store);
    arena_reset(&arena);
}

static void test_closing_does_not_follow_links(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    struct assay_error err = {0};
    const char *outside = test_dir();
    test_write(str_path(&arena, str_of(outside), STR("precious")).ptr, STR("x"));
    struct store *store = open_lake(test_dir());
    struct staging *staging;
    assert_ok(staging_open(store, &staging, &err), &err);
    assert_int_equal(symlink(outside, str_path(&arena, staging_folder(staging), STR("link")).ptr), 0);
    staging_close(&staging);
    assert_true(is_there(str_path(&arena, str_of(outside), STR("precious"))));
    store_close(&store);
    arena_reset(&arena);
}

/** A process that opens a staging folder, tells its path, and waits to be killed. */
static pid_t start_other(const char *root, struct arena *arena, struct str *folder) {
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    pid_t pid = fork();
    if (pid == 0) {
        struct staging *staging;
        struct assay_error err = {0};
        if (staging_open(open_lake(root), &staging, &err)) _exit(1);
        struct str path = staging_folder(staging);
        test_write(staging_path(staging, arena, STR("half")).ptr, STR("half-written"));
        if (write(pipes[1], path.ptr, path.len + 1) < 0) _exit(1);
        for (;;) pause();
    }
    char path[4096] = "";
    assert_true(read(pipes[0], path, sizeof path - 1) > 0);
    close(pipes[0]);
    close(pipes[1]);
    *folder = str_copy(arena, str_of(path));
    return pid;
}

static void test_what_killed_processes_left_is_removed_and_what_living_ones_use_is_not(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    struct assay_error err = {0};
    const char *root = test_dir();
    struct str living, dead;
    pid_t living_pid = start_other(root, &arena, &living), dead_pid = start_other(root, &arena, &dead);
    assert_true(is_there(dead)); /* the second has not removed the first, nor itself */
    assert_true(is_there(living));
    kill(dead_pid, SIGKILL);
    waitpid(dead_pid, NULL, 0);

    struct store *store = open_lake(root);
    struct staging *staging, *another;
    assert_ok(staging_open(store, &staging, &err), &err);
    assert_false(is_there(dead));
    assert_true(is_there(living));
    assert_true(is_there(str_path(&arena, living, STR("1-half"))));
    assert_ok(staging_open(store, &another, &err), &err); /* two in one process */
    assert_true(is_there(staging_folder(staging)));
    staging_close(&another);
    assert_true(is_there(staging_folder(staging)));
    staging_close(&staging);
    assert_true(is_there(living));
    kill(living_pid, SIGKILL);
    waitpid(living_pid, NULL, 0);
    store_close(&store);
    arena_reset(&arena);
}

static void test_many_open_and_close_at_once(void **state) {
    UNUSED(state);
    const char *root = test_dir();
    pid_t pids[4];
    for (int i = 0; i < 4; i++) {
        pids[i] = fork();
        if (pids[i]) continue;
        struct store *store = open_lake(root);
        struct arena arena = {0};
        for (int round = 0; round < 100; round++) {
            struct staging *staging;
            struct assay_error err = {0};
            if (staging_open(store, &staging, &err)) _exit(1);
            test_write(staging_path(staging, &arena, STR("x")).ptr, STR("x"));
            if (!is_there(staging_folder(staging))) _exit(2);
            staging_close(&staging);
        }
        _exit(0);
    }
    for (int i = 0; i < 4; i++) {
        int status;
        waitpid(pids[i], &status, 0);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
}

static void test_a_shared_temporary_folder_of_another_is_not_used(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    struct assay_error err = {0};
    const char *temporary = test_dir();
    char *before = getenv("TMPDIR") ? str_c(&arena, str_of(getenv("TMPDIR"))) : NULL;
    setenv("TMPDIR", temporary, 1);
    struct store *store;
    struct staging *staging;
    assert_ok(store_open_memory(&store, &err), &err);
    assert_ok(staging_open(store, &staging, &err), &err);
    assert_true(str_starts(staging_folder(staging), str_of(temporary)));
    staging_close(&staging);
    struct str parent = str_printf(&arena, "%s/.assay-staging-%u", temporary, (unsigned)geteuid());
    assert_int_equal(mkdir(parent.ptr, 0700), 0);
    assert_int_equal(chmod(parent.ptr, 0777), 0);
    assert_code(ASSAY_DENIED, staging_open(store, &staging, &err), &err);
    assert_int_equal(rmdir(parent.ptr), 0);
    assert_int_equal(symlink("/tmp", parent.ptr), 0);
    assert_code(ASSAY_DENIED, staging_open(store, &staging, &err), &err);
    if (before)
        setenv("TMPDIR", before, 1);
    else
        unsetenv("TMPDIR");
    store_close(&store);
    arena_reset(&arena);
}

TEST_MAIN(cmocka_unit_test(test_staged_paths_are_new_and_in_the_lake),
          cmocka_unit_test(test_closing_does_not_follow_links),
          cmocka_unit_test(test_what_killed_processes_left_is_removed_and_what_living_ones_use_is_not),
          cmocka_unit_test(test_many_open_and_close_at_once),
          cmocka_unit_test(test_a_shared_temporary_folder_of_another_is_not_used))
