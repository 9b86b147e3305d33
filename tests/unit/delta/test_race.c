/* Two processes on one table: every commit that reported success stands, once, and nothing else does. The parent opens
 * no engine, so that its children start clean. */
#include "delta_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WRITERS = 2, APPENDS = 100, CHANGES = 25 };

static void must(enum assay_code rc, const struct assay_error *err, const char *what) {
    if (rc == ASSAY_OK) return;
    fprintf(stderr, "%s: %s: %s: %s\n", what, assay_code_name(rc), err->where, err->message);
    _exit(1);
}

static void open_in_child(void) {
    struct assay_error err = {0};
    struct str folders[] = {str_of(lake)};
    struct engine_options options = {.temp_folder = str_of(lake), .folders = folders, .folder_count = 1, .threads = 1};
    must(engine_open(&options, &engine, &err), &err, "engine");
    must(store_open_local(str_of(lake), false, &store, &err), &err, "store");
    must(staging_open(store, &staging, &err), &err, "staging");
}

static struct delta_snapshot *load_in_child(void) {
    struct assay_error err = {0};
    struct delta_snapshot *t;
    must(delta_snapshot_load(store, engine, ROOT, DELTA_LATEST, &arena, &t, &err), &err, "load");
    return t;
}

static struct delta_new_files stage_in_child(const struct delta_metadata *m, const char *select) {
    struct assay_error err = {0};
    struct delta_new_files files;
    struct engine_write_options options = {0};
    must(delta_write_files(engine, staging, m, str_of(select), &options, &arena, &files, &err), &err, "write");
    return files;
}

/* Blind appends from a base that is up to ten commits old. */
static void append_many(int writer) {
    struct delta_snapshot *t = NULL;
    for (int i = 0; i < APPENDS; i++) {
        struct assay_error err = {0};
        int64_t version;
        if (i % 10 == 0) t = load_in_child();
        struct delta_new_files files =
            stage_in_child(&t->metadata, text_of("SELECT %d AS id, 'w%d' AS name", writer * APPENDS + i, writer));
        struct delta_commit commit = append_of(t, &files);
        must(delta_commit(store, engine, ROOT, &commit, &version, &err), &err, "commit");
    }
}

/* The one row's number, raised by one: read, rewrite, and again when somebody was first. */
static void raise_many(int writer) {
    UNUSED(writer);
    for (int done = 0, tries = 0; done < CHANGES; tries++) {
        struct assay_error err = {0};
        int64_t version;
        if (tries > 100 * CHANGES) must(ASSAY_LIMIT, &err, "tries");
        struct delta_snapshot *t = load_in_child();
        struct buf sql = {0};
        buf_addz(&sql, "SELECT id + 1 AS id, name FROM ");
        must(delta_scan_sql(t, NULL, 0, false, &arena, &sql, &err), &err, "scan");
        struct delta_new_files files = stage_in_child(&t->metadata, sql.data);
        buf_free(&sql);
        size_t first = 0;
        struct delta_commit commit = append_of(t, &files);
        commit.removes = &first, commit.remove_count = 1, commit.scope = DELTA_READ_TABLE;
        enum assay_code rc = delta_commit(store, engine, ROOT, &commit, &version, &err);
        if (rc != ASSAY_CONFLICT) must(rc, &err, "commit");
        done += rc == ASSAY_OK;
    }
}

static void create_in_child(int rows) {
    struct assay_error err = {0};
    int64_t version;
    struct delta_metadata *m = simple_metadata();
    struct delta_new_files files = stage_in_child(m, text_of("SELECT 0 AS id, 'start' AS name FROM range(%d)", rows));
    struct delta_commit commit = append_of(NULL, &files);
    commit.metadata = m;
    must(delta_commit(store, engine, ROOT, &commit, &version, &err), &err, "create");
}

static void expect_in_child(const char *select, const char *expected) {
    struct str actual = ask_table(load_in_child(), select);
    if (str_eq(actual, str_of(expected))) return;
    fprintf(stderr, "expected %s, got %.*s\n", expected, STR_ARG(actual));
    _exit(1);
}

static void expect_appended(int unused) {
    UNUSED(unused);
    expect_in_child("SELECT count(*), count(DISTINCT id), min(id), max(id), count(DISTINCT name) FROM {t}",
                    text_of("%d|%d|0|%d|%d", WRITERS * APPENDS, WRITERS * APPENDS, WRITERS * APPENDS - 1, WRITERS));
    if (load_in_child()->version != WRITERS * APPENDS) _exit(1);
}

static void expect_raised(int unused) {
    UNUSED(unused);
    expect_in_child("SELECT count(*), max(id) FROM {t}", text_of("1|%d", WRITERS * CHANGES));
    if (load_in_child()->version != WRITERS * CHANGES) _exit(1);
}

static pid_t start(void (*work)(int), int argument) {
    pid_t child = fork();
    if (child != 0) return child;
    open_in_child();
    work(argument);
    staging_close(&staging);
    _exit(0);
}

static void finish(pid_t child) {
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void race(void (*work)(int), void (*expect)(int), int rows) {
    pid_t writers[WRITERS];
    lake = test_dir();
    finish(start(create_in_child, rows));
    for (int i = 0; i < WRITERS; i++) writers[i] = start(work, i);
    for (int i = 0; i < WRITERS; i++) finish(writers[i]);
    finish(start(expect, 0));
    arena_reset(&arena);
}

static void test_appends_all_stand(void **state) {
    UNUSED(state);
    race(append_many, expect_appended, 0);
}

static void test_changes_are_never_lost(void **state) {
    UNUSED(state);
    race(raise_many, expect_raised, 1);
}

TEST_MAIN(cmocka_unit_test(test_appends_all_stand), cmocka_unit_test(test_changes_are_never_lost))
