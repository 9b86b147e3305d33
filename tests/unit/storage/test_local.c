/* What only a file system can do to us. */
#include "support/test.h"

#include "storage/storage.h"

#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct store *open_lake(const char *root) {
    struct store *store;
    struct assay_error err = {0};
    assert_ok(store_open_local(str_of(root), false, &store, &err), &err);
    return store;
}

static const char *in(struct arena *arena, const char *root, const char *path) {
    return str_path(arena, str_of(root), str_of(path)).ptr;
}

/** Every name in the folder, hidden ones too. */
static size_t count_names(const char *path) {
    size_t count = 0;
    DIR *dir = opendir(path);
    assert_non_null(dir);
    for (const struct dirent *entry; (entry = readdir(dir));)
        count += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
    closedir(dir);
    return count;
}

static void test_a_root_must_be_a_folder(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    struct assay_error err = {0};
    struct store *store = NULL;
    const char *dir = test_dir(), *file = in(&arena, dir, "file");
    test_write(file, STR("x"));
    assert_code(ASSAY_NOT_FOUND, store_open_local(str_of(in(&arena, dir, "none")), false, &store, &err), &err);
    assert_err_has(&err, "none");
    assert_code(ASSAY_INVALID, store_open_local(str_of(file), false, &store, &err), &err);
    assert_code(ASSAY_DENIED, store_open_local(str_of(in(&arena, dir, "file/below")), true, &store, &err), &err);
    assert_code(ASSAY_INVALID, store_open_local(STR(""), true, &store, &err), &err);
    assert_null(store);
    assert_ok(store_open_local(str_of(in(&arena, dir, "new/deep/lake///")), true, &store, &err), &err);
    assert_str(str_basename(store->root), "lake");
    store_close(&store);
    store_close(&store);
    arena_reset(&arena);
}

static void test_the_current_folder_does_not_matter_later(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    struct assay_error err = {0};
    const char *dir = test_dir();
    test_write(in(&arena, dir, "lake/x"), STR("here"));
    char *before = getcwd(NULL, 0);
    assert_int_equal(chdir(dir), 0);
    struct store *store = open_lake("lake");
    assert_int_equal(chdir("/"), 0);
    struct str bytes;
    assert_ok(store_get(store, STR("x"), &arena, &bytes, &err), &err);
    assert_str(bytes, "here");
    assert_int_equal(chdir(before), 0);
    free(before);
    store_close(&store);
    arena_reset(&arena);
}

static void test_only_files_are_objects(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    struct assay_error err = {0};
    struct str bytes;
    const char *dir = test_dir();
    struct store *store = open_lake(dir);
    test_write(in(&arena, dir, "folder/x"), STR("x"));
    assert_int_equal(mkfifo(in(&arena, dir, "pipe"), 0600), 0);
    assert_code(ASSAY_NOT_FOUND, store_get(store, STR("folder"), &arena, &bytes, &err), &err);
    assert_err_has(&err, "a folder");
    assert_code(ASSAY_DENIED, store_get(store, STR("pipe"), &arena, &bytes, &err), &err); /* and does not hang */
    assert_code(ASSAY_DENIED, store_put(store, STR("folder"), STR("x"), &err), &err);
    assert_code(ASSAY_EXISTS, store_put_if_absent(store, STR("folder"), STR("x"), &err), &err);
    assert_code(ASSAY_NOT_FOUND, store_remove(store, STR("folder"), &err), &err);
    assert_code(ASSAY_DENIED, store_put(store, STR("folder/x/y"), STR("x"), &err), &err);
    assert_err_has(&err, "a file is in the way");
    assert_int_equal(symlink("nothing", in(&arena, dir, "dangling")), 0);
    assert_code(ASSAY_DENIED, store_put_if_absent(store, STR("dangling/x"), STR("x"), &err), &err);
    assert_int_equal(unlink(in(&arena, dir, "dangling")), 0);
    assert_int_equal(count_names(dir), 2); /* no temporary file stayed */
    assert_int_equal(count_names(in(&arena, dir, "folder")), 1);
    store_close(&store);
    arena_reset(&arena);
}

static void test_links_are_followed_but_not_in_circles(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    struct assay_error err = {0};
    const char *dir = test_dir(), *elsewhere = test_dir();
    test_write(in(&arena, elsewhere, "batch/data.csv"), STR("a,b"));
    test_write(in(&arena, dir, "lake/own.csv"), STR("1"));
    assert_int_equal(symlink(elsewhere, in(&arena, dir, "lake/linked")), 0);
    assert_int_equal(symlink("..", in(&arena, dir, "lake/linked/batch/up")), 0);
    assert_int_equal(symlink(".", in(&arena, dir, "lake/self")), 0);
    assert_int_equal(symlink("nothing", in(&arena, dir, "lake/dangling")), 0);
    assert_int_equal(symlink("loop", in(&arena, dir, "lake/loop")), 0);
    struct store *store = open_lake(in(&arena, dir, "lake"));
    struct store_entry *entries;
    size_t count;
    assert_ok(store_list(store, STR(""), &arena, &entries, &count, &err), &err);
    assert_int_equal(count, 4);
    assert_str(entries[0].key, "dangling"); /* not read, and not done without */
    assert_int_equal(entries[0].size_bytes, 0);
    assert_str(entries[1].key, "linked/batch/data.csv");
    assert_int_equal(entries[1].size_bytes, 3);
    assert_str(entries[2].key, "loop");
    assert_str(entries[3].key, "own.csv");
    struct str bytes;
    assert_code(ASSAY_NOT_FOUND, store_get(store, STR("dangling"), &arena, &bytes, &err), &err);
    assert_ok(store_get(store, STR("linked/batch/data.csv"), &arena, &bytes, &err), &err);
    assert_str(bytes, "a,b");
    store_close(&store);
    arena_reset(&arena);
}

static void test_a_lake_that_goes_away_is_not_an_empty_one(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    struct assay_error err = {0};
    const char *dir = test_dir(), *lake = in(&arena, dir, "lake");
    assert_int_equal(mkdir(lake, 0700), 0);
    struct store *store = open_lake(lake);
    assert_int_equal(rmdir(lake), 0);
    struct store_entry *entries;
    size_t count;
    assert_code(ASSAY_NOT_FOUND, store_list(store, STR("Tables"), &arena, &entries, &count, &err), &err);
    assert_code(ASSAY_NOT_FOUND, store_list(store, STR(""), &arena, &entries, &count, &err), &err);
    store_close(&store);
    arena_reset(&arena);
}

static void test_deep_folders_cost_no_file_handles(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    struct assay_error err = {0};
    struct store *store = open_lake(test_dir());
    struct buf key = {0};
    for (int i = 0; i < 900; i++) buf_addz(&key, "d/");
    buf_addz(&key, "x");
    assert_ok(store_put(store, buf_str(&key), STR("deep"), &err), &err);
    struct rlimit old, few = {.rlim_cur = 32};
    getrlimit(RLIMIT_NOFILE, &old);
    few.rlim_max = old.rlim_max;
    setrlimit(RLIMIT_NOFILE, &few);
    struct store_entry *entries;
    size_t count = 0;
    enum assay_code rc = store_list(store, STR(""), &arena, &entries, &count, &err);
    setrlimit(RLIMIT_NOFILE, &old);
    assert_ok(rc, &err);
    assert_int_equal(count, 1);
    assert_true(str_eq(entries[0].key, buf_str(&key)));
    buf_free(&key);
    store_close(&store);
    arena_reset(&arena);
}

static void test_a_full_disk_leaves_nothing_behind(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    struct assay_error err = {0};
    const char *dir = test_dir();
    struct store *store = open_lake(dir);
    assert_ok(store_put(store, STR("t/old"), STR("old"), &err), &err);
    struct str big = {arena_alloc(&arena, 100000), 100000};
    struct rlimit old, small = {.rlim_cur = 4096};
    getrlimit(RLIMIT_FSIZE, &old);
    small.rlim_max = old.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    enum assay_code over = store_put(store, STR("t/old"), big, &err);
    enum assay_code fresh = store_put_if_absent(store, STR("t/new"), big, &err);
    setrlimit(RLIMIT_FSIZE, &old);
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(over, ASSAY_DENIED);
    assert_code(ASSAY_DENIED, fresh, &err);
    assert_err_has(&err, "t/new");
    assert_int_equal(count_names(in(&arena, dir, "t")), 1);
    assert_str(test_read(&arena, in(&arena, dir, "t/old")), "old");
    store_close(&store);
    arena_reset(&arena);
}

static void test_publishing_to_another_file_system_copies(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    struct assay_error err = {0};
    const char *dir = test_dir();
    char other[] = "/dev/shm/assay-test-XXXXXX";
    struct stat here, there;
    if (!mkdtemp(other) || stat(other, &there) || stat(dir, &here) || here.st_dev == there.st_dev) skip();
    struct store *store = open_lake(dir);
    assert_int_equal(symlink(other, in(&arena, dir, "linked")), 0);
    struct str big = {arena_alloc(&arena, 300000), 300000};
    const char *staged = in(&arena, dir, "staged");
    test_write(staged, big);
    assert_ok(store_publish(store, str_of(staged), STR("linked/sub/p"), &err), &err);
    assert_int_equal(access(staged, F_OK), -1);
    struct str bytes;
    assert_ok(store_get(store, STR("linked/sub/p"), &arena, &bytes, &err), &err);
    assert_true(str_eq(bytes, big));
    test_write(staged, STR("second"));
    assert_code(ASSAY_EXISTS, store_publish(store, str_of(staged), STR("linked/sub/p"), &err), &err);
    assert_int_equal(access(staged, F_OK), 0);
    assert_int_equal(count_names(in(&arena, other, "sub")), 1);
    unlink(in(&arena, other, "sub/p"));
    rmdir(in(&arena, other, "sub"));
    rmdir(other);
    store_close(&store);
    arena_reset(&arena);
}

/** What an unprivileged user may do in `dir`; 0, or the line that failed. */
static int try_without_rights(const char *dir) {
    if (geteuid() == 0 && (setgroups(0, NULL) || setgid(65534) || setuid(65534))) return __LINE__;
    struct arena arena = {0};
    struct assay_error err = {0};
    struct store *store;
    struct str bytes;
    struct store_entry *entries;
    size_t count;
    if (store_open_local(str_of(dir), false, &store, &err)) return __LINE__;
    if (store_get(store, STR("open/secret"), &arena, &bytes, &err) != ASSAY_DENIED) return __LINE__;
    if (!strstr(err.where, "open/secret")) return __LINE__;
    if (store_get(store, STR("open/public"), &arena, &bytes, &err) != ASSAY_OK) return __LINE__;
    if (store_put(store, STR("open/public"), STR("x"), &err) != ASSAY_DENIED) return __LINE__;
    if (store_put_if_absent(store, STR("open/new"), STR("x"), &err) != ASSAY_DENIED) return __LINE__;
    if (store_put(store, STR("open/sub/new"), STR("x"), &err) != ASSAY_DENIED) return __LINE__;
    if (store_remove(store, STR("open/public"), &err) != ASSAY_DENIED) return __LINE__;
    if (store_move(store, STR("open/public"), STR("open/moved"), &err) != ASSAY_DENIED) return __LINE__;
    if (store_list(store, STR("open"), &arena, &entries, &count, &err) != ASSAY_OK || count != 2) return __LINE__;
    if (store_list(store, STR(""), &arena, &entries, &count, &err) != ASSAY_DENIED) return __LINE__;
    if (store_list(store, STR("closed"), &arena, &entries, &count, &err) != ASSAY_DENIED) return __LINE__;
    if (!strstr(err.where, "closed")) return __LINE__;
    /* a folder that may be written but not opened cannot be synced: the object is there, but is it for good? */
    if (store_put_if_absent(store, STR("drop/new"), STR("x"), &err) != ASSAY_UNKNOWN) return __LINE__;
    if (store_put_if_absent(store, STR("drop/new"), STR("y"), &err) != ASSAY_EXISTS) return __LINE__;
    struct staging *staging;
    if (staging_open(store, &staging, &err) != ASSAY_DENIED) return __LINE__;
    store_close(&store);
    arena_reset(&arena);
    return 0;
}

static void test_a_user_without_rights_is_told_so(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    const char *dir = test_dir();
    assert_int_equal(chmod(in(&arena, dir, ".."), 0755), 0); /* made for us alone */
    test_write(in(&arena, dir, "lake/open/secret"), STR("s"));
    test_write(in(&arena, dir, "lake/open/public"), STR("p"));
    test_write(in(&arena, dir, "lake/closed/x"), STR("x"));
    assert_int_equal(chmod(in(&arena, dir, "lake/open/secret"), 0), 0);
    assert_int_equal(chmod(in(&arena, dir, "lake/closed"), 0), 0);
    assert_int_equal(chmod(in(&arena, dir, "lake/open"), 0555), 0);
    assert_int_equal(mkdir(in(&arena, dir, "lake/drop"), 0700), 0);
    assert_int_equal(chmod(in(&arena, dir, "lake/drop"), 0333), 0);
    assert_int_equal(chmod(in(&arena, dir, "lake"), 0555), 0);
    pid_t pid = fork();
    if (pid == 0) _exit(try_without_rights(in(&arena, dir, "lake")) & 0xFF);
    int status;
    waitpid(pid, &status, 0);
    chmod(in(&arena, dir, "lake/open"), 0755);
    chmod(in(&arena, dir, "lake/closed"), 0755);
    chmod(in(&arena, dir, "lake"), 0755);
    chmod(in(&arena, dir, "lake/drop"), 0755);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(count_names(in(&arena, dir, "lake/open")), 2);
    arena_reset(&arena);
}

TEST_MAIN(cmocka_unit_test(test_a_root_must_be_a_folder),
          cmocka_unit_test(test_the_current_folder_does_not_matter_later),
          cmocka_unit_test(test_only_files_are_objects), cmocka_unit_test(test_links_are_followed_but_not_in_circles),
          cmocka_unit_test(test_a_lake_that_goes_away_is_not_an_empty_one),
          cmocka_unit_test(test_deep_folders_cost_no_file_handles),
          cmocka_unit_test(test_a_full_disk_leaves_nothing_behind),
          cmocka_unit_test(test_publishing_to_another_file_system_copies),
          cmocka_unit_test(test_a_user_without_rights_is_told_so))
