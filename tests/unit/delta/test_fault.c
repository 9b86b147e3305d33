/* Every storage call of create, append and replace fails, lies or is the last one of the process. Then the table is in
 * exactly one of the states between commits, what reported success is in it, and running the script again finishes the
 * job. Processes that end are children; they are tested first, while the parent has no engine. */
#include "delta_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KILLED = 137, STEPS = 3 };
static const char *const STATES[] = {"no table", "1|a", "1|a\n2|b", "1|A\n2|b"};

/* What the children tell the parent, by a file. */
struct report {
    int done;    /* steps that returned OK */
    int unknown; /* steps that returned UNKNOWN */
};

static const char *parent_folder; /* of all lakes */

static void open_store(const char *fault) {
    struct assay_error err = {0};
    struct str folders[] = {str_of(parent_folder)};
    struct engine_options options = {
        .temp_folder = str_of(parent_folder), .folders = folders, .folder_count = 1, .threads = 1};
    struct store *plain;
    if (!engine) assert_ok(engine_open(&options, &engine, &err), &err);
    assert_ok(store_open_local(str_of(lake), true, &plain, &err), &err);
    assert_ok(staging_open(plain, &staging, &err), &err);
    store = plain;
    if (fault) assert_ok(store_open_fault(plain, str_of(fault), &store, &err), &err);
}

static void close_store(void) {
    staging_close(&staging);
    store_close(&store);
}

static enum assay_code write_step(const struct delta_snapshot *t, const struct delta_metadata *m, const char *select,
                                  const size_t *remove, struct assay_error *err) {
    struct delta_new_files files;
    struct engine_write_options options = {0};
    int64_t version;
    TRY(delta_write_files(engine, staging, m, str_of(select), &options, &arena, &files, err));
    struct delta_commit commit = append_of(t, &files);
    if (!t) commit.metadata = m;
    if (remove) commit.removes = remove, commit.remove_count = 1, commit.scope = DELTA_READ_TABLE;
    return delta_commit(store, engine, ROOT, &commit, &version, err);
}

/* Do what is left to do, as a run does: look at the table, take the next step. */
static enum assay_code next_step(int *state, struct assay_error *err) {
    struct delta_snapshot *t = NULL;
    enum assay_code rc = delta_snapshot_load(store, engine, ROOT, DELTA_LATEST, &arena, &t, err);
    if (rc == ASSAY_NOT_FOUND)
        return *state = 0, write_step(NULL, simple_metadata(), "SELECT 1 AS id, 'a' AS name", NULL, err);
    if (rc) return rc;
    *state = (int)t->version + 1;
    if (*state == STEPS) return ASSAY_OK;
    if (t->version == 0) return write_step(t, &t->metadata, "SELECT 2 AS id, 'b' AS name", NULL, err);
    struct delta_range range = {STR("id"), STR("1"), STR("1")};
    size_t *files, count;
    TRY(delta_prune(t, &range, 1, &arena, &files, &count, err));
    return write_step(t, &t->metadata, "SELECT 1 AS id, 'A' AS name", files, err);
}

static void save(const char *path, const struct report *report) {
    test_write(path, (struct str){(const char *)report, sizeof *report});
}

static enum assay_code run_script(const char *fault, const char *path) {
    struct report report = {0};
    struct assay_error err = {0};
    enum assay_code rc = ASSAY_OK;
    open_store(fault);
    for (int state = 0; rc == ASSAY_OK && state < STEPS;) {
        save(path, &report);
        rc = next_step(&state, &err);
        report.done += rc == ASSAY_OK && state < STEPS;
        report.unknown += rc == ASSAY_UNKNOWN;
    }
    save(path, &report);
    close_store();
    if (rc == ASSAY_INTERNAL || rc == ASSAY_CORRUPT || rc == ASSAY_CONFLICT)
        fail_msg("%s: %s: %s", fault, assay_code_name(rc), err.message);
    return rc;
}

/* Index into STATES of what the table holds. */
static int look(void) {
    struct assay_error err = {0};
    struct delta_snapshot *t = NULL;
    open_store(NULL);
    enum assay_code rc = delta_snapshot_load(store, engine, ROOT, DELTA_LATEST, &arena, &t, &err);
    if (rc != ASSAY_NOT_FOUND) assert_ok(rc, &err);
    int state = t ? (int)t->version + 1 : 0;
    if (state > STEPS) fail_msg("there is a version %d", state - 1);
    if (t) assert_str(ask_table(t, "SELECT id, name FROM {t} ORDER BY id"), STATES[state]);
    close_store();
    return state;
}

/* What the table holds after a fault, as the exit code; then the job is finished. */
static int look_and_finish(const char *path) {
    int state = look();
    assert_int_equal(run_script("count", path), ASSAY_OK);
    assert_int_equal(look(), STEPS);
    return state;
}

enum job { SCRIPT, FINISH };

static int run_child(enum job job, const char *fault, const char *path) {
    int status = -1;
    pid_t child = fork();
    if (child == 0) _exit(job == FINISH ? look_and_finish(path) : run_script(fault, path) == ASSAY_OK ? 0 : 2);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static struct report read_report(const char *path) {
    struct report report;
    struct str bytes = test_read(&arena, path);
    assert_int_equal(bytes.len, sizeof report);
    memcpy(&report, bytes.ptr, sizeof report);
    return report;
}

/* What said OK stands; at most the step in flight may stand beside it, and only if the process died or the outcome was
 * unknown. */
static void judge(const char *fault, const struct report *report, int state, bool is_dead) {
    int surplus = state - report->done;
    bool may_have_more = is_dead || report->unknown > 0;
    if (surplus < 0 || surplus > (may_have_more ? 1 : 0))
        fail_msg("%s: %d steps said OK, the table is '%s'", fault, report->done, STATES[state]);
}

static void break_call(const char *fault) {
    lake = text_of("%s/%s", parent_folder, fault);
    const char *path = text_of("%s/%s.report", parent_folder, fault);
    run_script(fault, path);
    struct report report = read_report(path);
    judge(fault, &report, look_and_finish(path), false);
}

static void stop_at_call(const char *fault) {
    lake = text_of("%s/%s", parent_folder, fault);
    const char *path = text_of("%s/%s.report", parent_folder, fault);
    assert_int_equal(run_child(SCRIPT, fault, path), KILLED);
    struct report report = read_report(path);
    judge(fault, &report, run_child(FINISH, NULL, path), true);
}

/* Storage calls of a run without faults, from the decorator's own count. */
static int count_calls(void) {
    int64_t calls;
    lake = text_of("%s/plain", parent_folder);
    const char *file = text_of("%s/calls", parent_folder);
    setenv("ASSAY_TEST_FAULT_COUNT", file, 1);
    assert_int_equal(run_child(SCRIPT, "count", text_of("%s/report", parent_folder)), 0);
    unsetenv("ASSAY_TEST_FAULT_COUNT");
    assert_ok(str_int64(str_trim(test_read(&arena, file)), &calls), NULL);
    assert_true(calls > 10 && calls < 100);
    return (int)calls;
}

static int calls;

static int prepare(void **state) {
    UNUSED(state);
    parent_folder = test_dir();
    calls = count_calls();
    return 0;
}

static int finish(void **state) {
    UNUSED(state);
    engine_close(&engine);
    arena_reset(&arena);
    return 0;
}

static void sweep(void (*one)(const char *), const char *mode) {
    for (int n = 1; n <= calls; n++) one(text_of("%s:%d", mode, n));
}

/* To stop after a call is to stop before the next one: nothing between them touches the lake. */
static void test_every_call_is_the_last(void **state) {
    UNUSED(state);
    sweep(stop_at_call, "stop");
}

static void test_every_call_fails(void **state) {
    UNUSED(state);
    sweep(break_call, "fail");
}

static void test_every_answer_is_lost(void **state) {
    UNUSED(state);
    sweep(break_call, "fail-after");
}

static void test_the_disk_is_full(void **state) {
    UNUSED(state);
    sweep(break_call, "full");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_call_is_the_last), cmocka_unit_test(test_every_call_fails),
        cmocka_unit_test(test_every_answer_is_lost), cmocka_unit_test(test_the_disk_is_full)};
    return cmocka_run_group_tests(tests, prepare, finish);
}
