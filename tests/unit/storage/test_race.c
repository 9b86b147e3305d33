/* put_if_absent is the commit of a table: of all who try one key, exactly one may win. */
#include "support/test.h"

#include "storage/storage.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KEYS = 300, PROCESSES = 2, THREADS = 4 };

static struct str key_of(struct arena *arena, int number) {
    return str_printf(arena, "t/_delta_log/%020d.json", number);
}

/** Try every key; won says for each whether it was ours, 99 is an error. */
static void try_all(struct store *store, const char *who, unsigned char won[KEYS]) {
    struct arena arena = {0};
    for (int i = 0; i < KEYS; i++) {
        struct assay_error err = {0};
        enum assay_code rc = store_put_if_absent(store, key_of(&arena, i), str_of(who), &err);
        won[i] = rc == ASSAY_OK ? 1 : rc == ASSAY_EXISTS ? 0 : 99;
    }
    arena_reset(&arena);
}

static void assert_one_winner(struct store *store, const char *const *names, unsigned char won[][KEYS],
                              size_t writers) {
    struct arena arena = {0};
    struct assay_error err = {0};
    for (int i = 0; i < KEYS; i++) {
        size_t winner = writers, wins = 0;
        for (size_t w = 0; w < writers; w++) {
            assert_int_not_equal(won[w][i], 99);
            if (!won[w][i]) continue;
            winner = w;
            wins++;
        }
        assert_int_equal(wins, 1);
        struct str bytes;
        assert_ok(store_get(store, key_of(&arena, i), &arena, &bytes, &err), &err);
        assert_str(bytes, names[winner]);
    }
    struct store_entry *entries;
    size_t count;
    assert_ok(store_list(store, STR(""), &arena, &entries, &count, &err), &err);
    assert_int_equal(count, KEYS);
    arena_reset(&arena);
}

static int run_process(const char *root, const char *who, int start_fd, int result_fd) {
    struct store *store;
    struct assay_error err = {0};
    if (store_open_local(str_of(root), false, &store, &err)) return 1;
    char go;
    if (read(start_fd, &go, 1) != 0) return 2; /* the end of the pipe is the signal to all */
    unsigned char won[KEYS];
    try_all(store, who, won);
    store_close(&store);
    return write(result_fd, won, sizeof won) == (ssize_t)sizeof won ? 0 : 3;
}

static void test_one_process_wins_each_key(void **state) {
    UNUSED(state);
    static const char *const names[PROCESSES] = {"first writer", "second writer"};
    static unsigned char won[PROCESSES][KEYS];
    const char *root = test_dir();
    int start[2], results[PROCESSES][2];
    pid_t pids[PROCESSES];
    assert_int_equal(pipe(start), 0);
    for (int w = 0; w < PROCESSES; w++) {
        assert_int_equal(pipe(results[w]), 0);
        pids[w] = fork();
        if (pids[w]) continue;
        close(start[1]);
        _exit(run_process(root, names[w], start[0], results[w][1]));
    }
    close(start[1]);
    for (int w = 0; w < PROCESSES; w++) {
        int status;
        waitpid(pids[w], &status, 0);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        assert_int_equal(read(results[w][0], won[w], KEYS), KEYS);
        close(results[w][0]);
        close(results[w][1]);
    }
    close(start[0]);
    struct store *store;
    struct assay_error err = {0};
    assert_ok(store_open_local(str_of(root), false, &store, &err), &err);
    assert_one_winner(store, names, won, PROCESSES);
    store_close(&store);
}

struct racer {
    struct store *store;
    const char *who;
    unsigned char *won;
};

static void *run_thread(void *argument) {
    const struct racer *racer = argument;
    try_all(racer->store, racer->who, racer->won);
    return NULL;
}

static void race_threads(struct store *store) {
    static const char *const names[THREADS] = {"a", "b", "c", "d"};
    static unsigned char won[THREADS][KEYS];
    struct racer racers[THREADS];
    pthread_t threads[THREADS];
    for (int w = 0; w < THREADS; w++) {
        racers[w] = (struct racer){store, names[w], won[w]};
        assert_int_equal(pthread_create(&threads[w], NULL, run_thread, &racers[w]), 0);
    }
    for (int w = 0; w < THREADS; w++) pthread_join(threads[w], NULL);
    assert_one_winner(store, names, won, THREADS);
}

static void test_one_thread_wins_each_key(void **state) {
    UNUSED(state);
    struct store *store;
    struct assay_error err = {0};
    assert_ok(store_open_local(str_of(test_dir()), false, &store, &err), &err);
    race_threads(store);
    store_close(&store);
    assert_ok(store_open_memory(&store, &err), &err);
    race_threads(store);
    store_close(&store);
}

/** A reader sees the old or the new object, never a part, while another process replaces it. */
static void test_replacing_is_never_seen_half_done(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    struct assay_error err = {0};
    struct store *store;
    assert_ok(store_open_local(str_of(test_dir()), false, &store, &err), &err);
    struct str texts[2];
    for (int i = 0; i < 2; i++) {
        char *text = arena_alloc(&arena, 200001);
        for (int at = 0; at < (i ? 200000 : 100000); at++) text[at] = i ? 'b' : 'a';
        texts[i] = str_of(text);
    }
    assert_ok(store_put(store, STR("x"), texts[0], &err), &err);
    pid_t pid = fork();
    if (pid == 0) {
        for (int i = 0; i < 200; i++)
            if (store_put(store, STR("x"), texts[i % 2], &err)) _exit(1);
        _exit(0);
    }
    int status = 0;
    while (waitpid(pid, &status, WNOHANG) == 0) {
        struct arena scratch = {0};
        struct str bytes;
        assert_ok(store_get(store, STR("x"), &scratch, &bytes, &err), &err);
        assert_true(str_eq(bytes, texts[0]) || str_eq(bytes, texts[1]));
        arena_reset(&scratch);
    }
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    store_close(&store);
    arena_reset(&arena);
}

TEST_MAIN(cmocka_unit_test(test_one_process_wins_each_key), cmocka_unit_test(test_one_thread_wins_each_key),
          cmocka_unit_test(test_replacing_is_never_seen_half_done))
