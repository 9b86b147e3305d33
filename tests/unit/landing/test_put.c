/* Landing a delivery: whole or not at all, once, replaced only when told to, and never anything lost. */
#include "landing_test.h"

#include "base/json.h"

#include <pthread.h>
#include <stdatomic.h>

#define BATCH "Files/landing/erp/orders/batch_id=b1"

static enum assay_code put(const char *id, const struct str *paths, size_t count, bool replace,
                           struct landing_batch *out, enum landing_outcome *outcome) {
    struct landing_delivery delivery = {.paths = paths, .path_count = count, .is_replacing = replace};
    return landing_put(w.store, &PLAN, str_of(id), &delivery, &w.arena, out, outcome, &w.err);
}

static void assert_holds(const char *key, const char *text) {
    struct str bytes;
    assert_ok(store_get(w.store, str_of(key), &w.arena, &bytes, &w.err), &w.err);
    assert_str(bytes, text);
}

/* Keys below the source's folder, one a line. */
static struct str everything(void) {
    struct store_entry *entries;
    size_t count;
    struct buf out = {0};
    assert_ok(store_list(w.store, STR(""), &w.arena, &entries, &count, &w.err), &w.err);
    for (size_t i = 0; i < count; i++) buf_printf(&out, "%.*s\n", STR_ARG(entries[i].key));
    struct str text = str_copy(&w.arena, buf_str(&out));
    buf_free(&out);
    return text;
}

static void test_files_and_manifest(void **state) {
    UNUSED(state);
    struct landing_batch batch;
    enum landing_outcome outcome;
    struct str paths[] = {on_desk("b.csv", "b"), on_desk("a.csv", "a")};
    assert_ok(put("b1", paths, 2, false, &batch, &outcome), &w.err);
    assert_int_equal(outcome, LANDING_DONE);
    assert_str(everything(), BATCH "/_manifest.json\n" BATCH "/a.csv\n" BATCH "/b.csv\n");
    assert_holds(BATCH "/a.csv", "a");
    assert_int_equal(batch.file_count, 2);
    assert_str(batch.files[0].key, BATCH "/a.csv");
    struct str text;
    struct json *manifest;
    assert_ok(store_get(w.store, STR(BATCH "/_manifest.json"), &w.arena, &text, &w.err), &w.err);
    assert_ok(json_parse(text, "manifest", &manifest, &w.err), &w.err);
    assert_str(json_str(json_member(manifest, "batch_id")), "b1");
    const struct json *file = json_at(json_member(manifest, "files"), 0);
    assert_str(json_str(json_member(file, "name")), "a.csv");
    assert_int_equal(json_int(json_member(file, "bytes")), 1);
    assert_str(json_str(json_member(file, "sha256")),
               "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb");
    json_close(&manifest);
    struct landing_batch found;
    assert_ok(landing_find(w.store, &PLAN, STR("b1"), &w.arena, &found, &w.err), &w.err);
    assert_int_equal(found.landed_at_us, batch.landed_at_us / 1000 * 1000);
}

static void test_same_content_changes_nothing(void **state) {
    UNUSED(state);
    struct landing_batch batch;
    enum landing_outcome outcome;
    struct str paths[] = {on_desk("a.csv", "a"), on_desk("b.csv", "b")}, turned[] = {paths[1], paths[0]};
    assert_ok(put("b1", paths, 2, false, &batch, &outcome), &w.err);
    struct str before = everything();
    assert_ok(put("b1", turned, 2, false, &batch, &outcome), &w.err);
    assert_int_equal(outcome, LANDING_SAME);
    assert_ok(put("b1", turned, 2, true, &batch, &outcome), &w.err);
    assert_int_equal(outcome, LANDING_SAME);
    assert_str(everything(), before.ptr);
}

static void test_other_content_is_refused(void **state) {
    UNUSED(state);
    struct landing_batch batch;
    enum landing_outcome outcome;
    struct str a = on_desk("a.csv", "a"), b = on_desk("b.csv", "b");
    struct str both[] = {a, b};
    assert_ok(put("b1", &a, 1, false, &batch, &outcome), &w.err);
    assert_code(ASSAY_REFUSED, put("b1", both, 2, false, &batch, &outcome), &w.err);
    assert_err_has(&w.err, "b.csv is not there yet");
    assert_code(ASSAY_REFUSED, put("b1", &b, 1, false, &batch, &outcome), &w.err);
    assert_err_has(&w.err, "a.csv is there and not in this delivery");
    on_desk("a.csv", "A");
    assert_code(ASSAY_REFUSED, put("b1", &a, 1, false, &batch, &outcome), &w.err);
    assert_err_has(&w.err, "a.csv has sha256 ca978112");
    assert_err_has(&w.err, "--replace");
    assert_str(everything(), BATCH "/_manifest.json\n" BATCH "/a.csv\n");
    assert_holds(BATCH "/a.csv", "a");
}

static void test_replaced_files_are_kept(void **state) {
    UNUSED(state);
    struct landing_batch batch, old;
    enum landing_outcome outcome;
    struct str a = on_desk("a.csv", "first"), b = on_desk("b.csv", "b");
    assert_ok(put("b1", &a, 1, false, &old, &outcome), &w.err);
    on_desk("a.csv", "second");
    struct str both[] = {a, b};
    assert_ok(put("b1", both, 2, true, &batch, &outcome), &w.err);
    assert_int_equal(outcome, LANDING_REPLACED);
    assert_holds(BATCH "/a.csv", "second");
    assert_holds(BATCH "/b.csv", "b");
    const char *kept = str_printf(&w.arena, BATCH "/_replaced/%lld", (long long)batch.landed_at_us).ptr;
    assert_holds(str_printf(&w.arena, "%s/a.csv", kept).ptr, "first");
    assert_ok(landing_find(w.store, &PLAN, STR("b1"), &w.arena, &batch, &w.err), &w.err);
    assert_int_equal(batch.file_count, 2);
}

static void test_names_that_would_not_be_read(void **state) {
    UNUSED(state);
    struct landing_batch batch;
    enum landing_outcome outcome;
    static const char *const names[] = {"a.txt", "_a.csv", ".a.csv"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct str path = on_desk(names[i], "a");
        assert_code(ASSAY_INVALID, put("b1", &path, 1, false, &batch, &outcome), &w.err);
        assert_err_has(&w.err, names[i]);
    }
    struct str twins[] = {on_desk("x/a.csv", "1"), on_desk("y/a.csv", "2")};
    assert_code(ASSAY_INVALID, put("b1", twins, 2, false, &batch, &outcome), &w.err);
    assert_err_has(&w.err, "two files are named a.csv");
    struct str folder = on_desk("folder.csv/a", "");
    folder = str_sub(folder, 0, folder.len - 2);
    folder = str_copy(&w.arena, folder);
    assert_code(ASSAY_INVALID, put("b1", &folder, 1, false, &batch, &outcome), &w.err);
    struct str missing[] = {on_desk("a.csv", "a"), str_printf(&w.arena, "%s/none.csv", w.desk)};
    assert_code(ASSAY_NOT_FOUND, put("b1", missing, 2, false, &batch, &outcome), &w.err);
    assert_err_has(&w.err, "none.csv");
    assert_str(everything(), "");
}

static void test_ids_that_are_none(void **state) {
    UNUSED(state);
    struct landing_batch batch;
    enum landing_outcome outcome;
    struct str path = on_desk("a.csv", "a");
    static const char *const ids[] = {"../x", "a/b", "", ".", "b 1", "b\n", "\xC3\xBC", "a.b", "b*"};
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++)
        assert_code(ASSAY_INVALID, put(ids[i], &path, 1, false, &batch, &outcome), &w.err);
    assert_str(everything(), "");
}

static void test_folder_without_data_is_not_touched(void **state) {
    UNUSED(state);
    struct landing_batch batch;
    enum landing_outcome outcome;
    struct str path = on_desk("a.csv", "a");
    test_write(in_lake(BATCH "/notes.txt"), STR("mine"));
    assert_code(ASSAY_CONFLICT, put("b1", &path, 1, false, &batch, &outcome), &w.err);
    assert_err_has(&w.err, "without a file that the contract reads");
    assert_str(everything(), BATCH "/notes.txt\n");
}

/* ---- several at once ---- */

enum { RACERS = 6 };
static atomic_int landed;

/* Lands either of two contents under one id. */
static void *race(void *context) {
    struct arena arena = {0};
    struct assay_error err = {0};
    struct landing_batch batch;
    enum landing_outcome outcome = LANDING_SAME;
    struct landing_delivery delivery = {.paths = context, .path_count = 2};
    enum assay_code rc = landing_put(w.store, &PLAN, STR("b1"), &delivery, &arena, &batch, &outcome, &err);
    if (rc == ASSAY_OK && outcome == LANDING_DONE) atomic_fetch_add(&landed, 1);
    bool is_fine = rc == ASSAY_OK || rc == ASSAY_REFUSED || rc == ASSAY_CONFLICT;
    if (!is_fine) print_error("%s: %s\n", err.where, err.message);
    arena_reset(&arena);
    return is_fine ? NULL : context;
}

static void test_one_of_many_wins_whole(void **state) {
    UNUSED(state);
    struct str first[] = {on_desk("1/a.csv", "first"), on_desk("1/b.csv", "first")};
    struct str second[] = {on_desk("2/a.csv", "second"), on_desk("2/b.csv", "second")};
    for (int round = 0; round < 10; round++) {
        pthread_t threads[RACERS];
        atomic_store(&landed, 0);
        for (int i = 0; i < RACERS; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, race, i % 2 ? first : second), 0);
        for (int i = 0; i < RACERS; i++) {
            void *failed;
            pthread_join(threads[i], &failed);
            assert_null(failed);
        }
        assert_int_equal(atomic_load(&landed), 1);
        struct str a, b;
        assert_ok(store_get(w.store, STR(BATCH "/a.csv"), &w.arena, &a, &w.err), &w.err);
        assert_ok(store_get(w.store, STR(BATCH "/b.csv"), &w.arena, &b, &w.err), &w.err);
        assert_true(str_eq(a, b));
        assert_str(everything(), BATCH "/_manifest.json\n" BATCH "/a.csv\n" BATCH "/b.csv\n");
        assert_ok(store_move(w.store, STR(BATCH), str_printf(&w.arena, "old-%d", round), &w.err), &w.err);
        struct store_entry *entries;
        size_t count;
        assert_ok(store_list(w.store, STR(""), &w.arena, &entries, &count, &w.err), &w.err);
        for (size_t i = 0; i < count; i++) assert_ok(store_remove(w.store, entries[i].key, &w.err), &w.err);
    }
}

TEST_MAIN(TEST(test_files_and_manifest), TEST(test_same_content_changes_nothing), TEST(test_other_content_is_refused),
          TEST(test_replaced_files_are_kept), TEST(test_names_that_would_not_be_read), TEST(test_ids_that_are_none),
          TEST(test_folder_without_data_is_not_touched), TEST(test_one_of_many_wins_whole))
