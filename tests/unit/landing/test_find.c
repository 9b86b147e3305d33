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
    struct landing_zone zone;
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
    put("batch_id=new-1/_SUCCESS", "", 1);
    assert_ok(landing_list(w.store, &PLAN, &w.arena, &zone, &w.err), &w.err);
    static const struct {
        const char *id;
        size_t files, left_out, misfits;
    } batches[] = {{"new-1", 0, 2, 1}, {"tie-a", 2, 0, 0}, {"tie-b", 1, 0, 0},
                   {"new", 1, 0, 0},   {"late", 1, 0, 0},  {"empty", 0, 1, 1}};
    assert_int_equal(zone.batch_count, 6);
    size_t found = 0;
    for (size_t i = 0; i < 6; i++) { /* without a file and a manifest a batch has no time */
        const struct landing_batch *b = &zone.batches[i];
        for (size_t k = 0; k < 6; k++) {
            if (!str_eq(b->id, str_of(batches[k].id))) continue;
            assert_int_equal(b->file_count, batches[k].files);
            assert_int_equal(b->left_out_count, batches[k].left_out);
            assert_int_equal(b->misfit_count, batches[k].misfits);
            assert_int_equal(landing_is_unread(b), batches[k].files == 0);
            found++;
        }
    }
    assert_int_equal(found, 6);
    for (size_t i = 2; i < 6; i++) assert_str(zone.batches[i].id, batches[i - 1].id);
    assert_str(zone.batches[2].files[1].key, FOLDER "batch_id=tie-a/b.csv");
    assert_int_equal(zone.stray_count, 4);
    assert_str(zone.strays[0].folder, FOLDER "batch_id=");
    assert_str(zone.strays[1].folder, FOLDER "batch_id=bad id");
    assert_str(zone.strays[1].batch_id, "");
    assert_str(zone.strays[2].folder, FOLDER "other");
    assert_str(zone.strays[2].batch_id, "other");
    assert_str(zone.strays[3].folder, "Files/landing/erp/orders");
    assert_str(zone.strays[3].names[0], "stray.csv");
    assert_int_equal(zone.leftover_count, 1);
    assert_str(zone.leftovers[0], FOLDER "_landing-1234");
}

/* What lies in no batch folder is refused, with a command for each folder; what is no data or another entity's is not.
 */
static void test_strays(void **state) {
    UNUSED(state);
    struct landing_zone zone;
    put("batch_id=b1/a.csv", "a", 1);
    put("README.txt", "", 1);
    put("_old/a.csv", "", 1);
    put(".hidden/a.csv", "", 1);
    put("lines/batch_id=b1/a.csv", "another entity", 1);
    put("lines/deeper/batch_id=b1/a.csv", "another entity", 1);
    put("2026-04-01/notes.txt", "", 1);
    assert_ok(landing_list(w.store, &PLAN, &w.arena, &zone, &w.err), &w.err);
    assert_int_equal(zone.batch_count, 1);
    assert_int_equal(zone.stray_count, 0);
    assert_ok(landing_judge(w.store, &PLAN, &zone, &w.err), &w.err);
    put("2026-04-01/a.csv", "a", 1);
    put("2026-04-01/b.csv", "a", 1);
    put("2026-04-02/batch_id=b1/a.csv", "a date above the batch", 1);
    put("year=2026/month=04/day=03/a.csv", "a", 1);
    assert_ok(landing_list(w.store, &PLAN, &w.arena, &zone, &w.err), &w.err);
    static const char *const ids[] = {"2026-04-01", "2026-04-02-b1", "2026-04-03"};
    assert_int_equal(zone.stray_count, 3);
    for (size_t i = 0; i < 3; i++) assert_str(zone.strays[i].batch_id, ids[i]);
    assert_int_equal(zone.strays[0].name_count, 2);
    assert_code(ASSAY_REFUSED, landing_judge(w.store, &PLAN, &zone, &w.err), &w.err);
    assert_str(str_of(w.err.where), "Files/landing/erp/orders");
    assert_err_has(&w.err, "4 files are in no batch folder");
    assert_err_has(&w.err, "2026-04-01/: a.csv, b.csv");
    assert_err_has(&w.err, "batch_id=<ID>/, without levels for dates");
    assert_err_has(&w.err, "orders/year=2026/month=04/day=03 --batch 2026-04-03");
}

static void test_command_for_hostile_names(void **state) {
    UNUSED(state);
    struct landing_zone zone;
    put("a b'c\n.csv", "a", 1);
    assert_ok(landing_list(w.store, &PLAN, &w.arena, &zone, &w.err), &w.err);
    assert_code(ASSAY_REFUSED, landing_judge(w.store, &PLAN, &zone, &w.err), &w.err);
    assert_err_has(&w.err, "/orders/a b'\\''c\\x0a.csv' --batch ID");
    assert_err_has(&w.err,
                   "1 file is in no batch folder, so no run reads it:\n  Files/landing/erp/orders/: a b'c\\x0a.csv");
}

static void test_batch_of_which_nothing_is_read(void **state) {
    UNUSED(state);
    struct landing_zone zone;
    put("batch_id=b1/a.CSV", "a", 1);
    put("batch_id=b2/_SUCCESS", "", 1);
    assert_ok(landing_list(w.store, &PLAN, &w.arena, &zone, &w.err), &w.err);
    assert_code(ASSAY_REFUSED, landing_judge(w.store, &PLAN, &zone, &w.err), &w.err);
    assert_err_has(&w.err,
                   "batch b1: none of its 1 files matches the contract's pattern *.csv, so no run reads it: a.CSV");
}

static void test_list_of_no_source_is_empty(void **state) {
    UNUSED(state);
    struct landing_zone zone = {.batch_count = 7};
    assert_ok(landing_list(w.store, &PLAN, &w.arena, &zone, &w.err), &w.err);
    assert_int_equal(zone.batch_count, 0);
}

static void test_linked_folder(void **state) {
    UNUSED(state);
    struct landing_batch batch;
    struct landing_zone zone;
    put("batch_id=b1/a.csv", "a", 100);
    test_write(in_lake("Files/elsewhere/x.csv"), STR("x"));
    assert_int_equal(symlink(in_lake("Files/elsewhere"), in_lake(FOLDER "batch_id=b2")), 0);
    assert_ok(landing_find(w.store, &PLAN, STR("b2"), &w.arena, &batch, &w.err), &w.err);
    assert_int_equal(batch.file_count, 1);
    assert_ok(landing_list(w.store, &PLAN, &w.arena, &zone, &w.err), &w.err);
    assert_int_equal(zone.batch_count, 2);
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
          TEST(test_list_in_order_of_landing), TEST(test_strays), TEST(test_command_for_hostile_names),
          TEST(test_batch_of_which_nothing_is_read), TEST(test_list_of_no_source_is_empty), TEST(test_linked_folder),
          TEST(test_hashes))
