/* Batches as they lie in the lake, whoever put them there. */
#include "landing_test.h"

#include <fcntl.h>
#include <time.h>

#define FOLDER "Files/landing/erp/orders/"

/* A file in the lake, last changed `seconds` after the epoch. */
static void put(const char *key, const char *text, long seconds) {
    const char *path = in_lake(str_printf(&w.arena, FOLDER "%s", key).ptr);
    struct timespec times[2] = {{.tv_sec = seconds}, {.tv_sec = seconds}};
    test_write(path, str_of(text));
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void find_fails(const char *id, enum assay_code code, const char *message) {
    struct landing_batch batch;
    assert_code(code, landing_find(w.store, &PLAN, str_of(id), &w.arena, &batch, &w.err), &w.err);
    assert_err_has(&w.err, message);
}

static void test_files_of_a_batch(void **state) {
    UNUSED(state);
    struct landing_batch batch;
    put("batch_id=b-1/z.csv", "zzz", 200);
    put("batch_id=b-1/\xC3\xBC [x]*.csv", "y", 300);
    put("batch_id=b-1/A.csv", "", 100);
    put("batch_id=b-1/_hidden.csv", "h", 900);
    put("batch_id=b-1/.hidden.csv", "h", 900);
    put("batch_id=b-1/other.txt", "t", 900);
    put("batch_id=b-1/sub/c.csv", "c", 900);
    put("batch_id=b-1/_replaced/1/d.csv", "d", 900);
    put("batch_id=b-10/e.csv", "e", 900);
    assert_ok(landing_find(w.store, &PLAN, STR("b-1"), &w.arena, &batch, &w.err), &w.err);
    assert_str(batch.id, "b-1");
    assert_str(batch.folder, FOLDER "batch_id=b-1");
    assert_int_equal(batch.file_count, 3);
    assert_str(batch.files[0].name, "A.csv");
    assert_str(batch.files[1].name, "z.csv");
    assert_str(batch.files[1].key, FOLDER "batch_id=b-1/z.csv");
    assert_int_equal(batch.files[1].size_bytes, 3);
    assert_int_equal(batch.files[1].modified_us, 200000000);
    assert_str(batch.files[2].name, "\xC3\xBC [x]*.csv");
    assert_int_equal(batch.landed_at_us, 300000000); /* the newest that is data */
}

static void test_what_is_missing_is_said(void **state) {
    UNUSED(state);
    find_fails("none", ASSAY_NOT_FOUND, "assay land silver.t FILE... --batch none");
    put("batch_id=b1/a.txt", "", 100);
    find_fails("b1", ASSAY_NOT_FOUND, "none of the 1 files in the folder matches the contract's pattern *.csv");
    find_fails("../x", ASSAY_INVALID, "../x");
    find_fails("a/b", ASSAY_INVALID, "a/b");
    find_fails("", ASSAY_INVALID, "");
    find_fails("b1 ", ASSAY_INVALID, "b1");
}

static void test_landed_at_of_the_manifest(void **state) {
    UNUSED(state);
    static const struct {
        const char *manifest;
        int64_t landed_at_us;
    } cases[] = {{"{\"landed_at\":\"1970-01-01T00:00:05.250Z\"}", 5250000},
                 {"{\"landed_at\":\"yesterday\"}", 100000000},
                 {"{\"landed_at\":5}", 100000000},
                 {"{\"batch_id\":\"b1\"}", 100000000},
                 {"not json", 100000000},
                 {"", 100000000}};
    put("batch_id=b1/a.csv", "a", 100);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct landing_batch batch;
        put("batch_id=b1/_manifest.json", cases[i].manifest, 900);
        assert_ok(landing_find(w.store, &PLAN, STR("b1"), &w.arena, &batch, &w.err), &w.err);
        assert_int_equal(batch.landed_at_us, cases[i].landed_at_us);
    }
}

static void test_list_in_order_of_landing(void **state) {
    UNUSED(state);
    struct landing_batch *batches;
    size_t count;
    put("batch_id=new/a.csv", "a", 300);
    put("batch_id=tie-b/a.csv", "a", 200);
    put("batch_id=tie-a/a.csv", "a", 200);
    put("batch_id=tie-a/b.csv", "b", 100);
    put("batch_id=late/a.csv", "a", 100);
    put("batch_id=late/_manifest.json", "{\"landed_at\":\"2030-01-01T00:00:00Z\"}", 1);
    put("batch_id=empty/_manifest.json", "{}", 1);
    put("batch_id=empty/a.txt", "", 1);
    put("batch_id=bad id/a.csv", "a", 1);
    put("batch_id=/a.csv", "a", 1);
    put("other/a.csv", "a", 1);
    put("_landing-1234/a.csv", "a", 1);
    put("stray.csv", "a", 1);
    put("batch_id=new-1/sub/a.csv", "a", 1); /* no data, and next to `new` in the order of keys */
    assert_ok(landing_list(w.store, &PLAN, &w.arena, &batches, &count, &w.err), &w.err);
    assert_int_equal(count, 4);
    assert_str(batches[0].id, "tie-a");
    assert_int_equal(batches[0].file_count, 2);
    assert_str(batches[0].files[1].key, FOLDER "batch_id=tie-a/b.csv");
    assert_str(batches[1].id, "tie-b");
    assert_str(batches[2].id, "new");
    assert_str(batches[3].id, "late");
}

static void test_list_of_no_source_is_empty(void **state) {
    UNUSED(state);
    struct landing_batch *batches;
    size_t count = 7;
    assert_ok(landing_list(w.store, &PLAN, &w.arena, &batches, &count, &w.err), &w.err);
    assert_int_equal(count, 0);
}

static void test_linked_folder(void **state) {
    UNUSED(state);
    struct landing_batch batch, *batches;
    size_t count;
    put("batch_id=b1/a.csv", "a", 100);
    test_write(in_lake("Files/elsewhere/x.csv"), STR("x"));
    assert_int_equal(symlink(in_lake("Files/elsewhere"), in_lake(FOLDER "batch_id=b2")), 0);
    assert_ok(landing_find(w.store, &PLAN, STR("b2"), &w.arena, &batch, &w.err), &w.err);
    assert_int_equal(batch.file_count, 1);
    assert_ok(landing_list(w.store, &PLAN, &w.arena, &batches, &count, &w.err), &w.err);
    assert_int_equal(count, 2);
}

/* echo -n a | sha256sum, and so on */
static const char *const HASHES[] = {"ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb",
                                     "3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d",
                                     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"};

static void test_hashes(void **state) {
    UNUSED(state);
    struct landing_batch batch;
    put("batch_id=b1/1.csv", "a", 100);
    put("batch_id=b1/2.csv", "b", 100);
    put("batch_id=b1/3.csv", "", 100);
    for (int threads = 0; threads < 5; threads++) {
        assert_ok(landing_find(w.store, &PLAN, STR("b1"), &w.arena, &batch, &w.err), &w.err);
        assert_ok(landing_hash(w.store, &batch, threads, &w.arena, &w.err), &w.err);
        for (size_t i = 0; i < 3; i++) assert_str(batch.files[i].sha256, HASHES[i]);
    }
    put("batch_id=b1/2.csv", "bb", 100);
    assert_code(ASSAY_UNAVAILABLE, landing_hash(w.store, &batch, 2, &w.arena, &w.err), &w.err);
    assert_err_has(&w.err, "has 2 bytes where 1 were listed");
    assert_int_equal(unlink(in_lake(FOLDER "batch_id=b1/2.csv")), 0);
    assert_code(ASSAY_NOT_FOUND, landing_hash(w.store, &batch, 2, &w.arena, &w.err), &w.err);
}

TEST_MAIN(TEST(test_files_of_a_batch), TEST(test_what_is_missing_is_said), TEST(test_landed_at_of_the_manifest),
          TEST(test_list_in_order_of_landing), TEST(test_list_of_no_source_is_empty), TEST(test_linked_folder),
          TEST(test_hashes))
