/* In-commit timestamps: each later than the one before, whatever the clock says, also for a commit that was rebased.
 * The table is as Spark's Delta 3.2 makes it, with the preview's name. */
#include "delta_test.h"

#include <stdlib.h>

#define TABLE(name, commit_time)                                                                                       \
    "{\"commitInfo\":{\"inCommitTimestamp\":" commit_time ",\"operation\":\"CREATE TABLE\"}}\n"                        \
    "{\"protocol\":{\"minReaderVersion\":1,\"minWriterVersion\":7,\"writerFeatures\":[\"inCommitTimestamp" name        \
    "\"]}}\n{\"metaData\":{\"id\":\"x\",\"schemaString\":\"{\\\"type\\\":\\\"struct\\\",\\\"fields\\\":[{"             \
    "\\\"name\\\":"                                                                                                    \
    "\\\"id\\\",\\\"type\\\":\\\"long\\\",\\\"nullable\\\":true,\\\"metadata\\\":{}}]}\",\"partitionColumns\":[],"     \
    "\"configuration\":{\"delta.enableInCommitTimestamps" name "\":\"true\"}}}\n"
/* In the year 2100: the clock of its writer was wrong. */
#define FUTURE "4102444800000"

static int64_t time_of(int64_t version) {
    struct assay_error err = {0};
    int64_t time_ms;
    assert_ok(delta_in_commit_timestamp_of(commit_text(version), "commit", &time_ms, &err), &err);
    return time_ms;
}

static void test_times_rise(void **state) {
    UNUSED(state);
    put_commit(0, TABLE("-preview", FUTURE));
    struct delta_snapshot *t = load();
    assert_int_equal(t->in_commit_timestamp_ms, 4102444800000);
    t = append(t, "SELECT 1::BIGINT AS id");
    assert_int_equal(time_of(1), 4102444800001);
    assert_true(str_starts(commit_text(1), STR("{\"commitInfo\":{\"inCommitTimestamp\":4102444800001,")));
    assert_int_equal(t->in_commit_timestamp_ms, 4102444800001);
}

static void test_a_rebased_commit_is_later_than_its_winners(void **state) {
    UNUSED(state);
    put_commit(0, TABLE("", "5"));
    struct delta_snapshot *t = load();
    put_commit(1, "{\"commitInfo\":{\"inCommitTimestamp\":" FUTURE "}}\n");
    append(t, "SELECT 1::BIGINT AS id");
    assert_int_equal(time_of(2), 4102444800001);
}

static void test_a_missing_time_is_no_time_to_go_on_from(void **state) {
    UNUSED(state);
    struct assay_error err = {0};
    put_commit(0, TABLE("", "5"));
    put_commit(1, "{\"commitInfo\":{}}\n");
    struct delta_snapshot *t = load();
    struct delta_new_files files = {0};
    struct delta_txn txn = {STR("a"), 1, -1};
    struct delta_commit commit = append_of(t, &files);
    int64_t version;
    commit.txns = &txn;
    commit.txn_count = 1;
    assert_code(ASSAY_CORRUPT, delta_commit(store, engine, ROOT, &commit, &version, &err), &err);
    assert_err_has(&err, "00000000000000000001.json");
}

static void test_turned_on_later(void **state) {
    UNUSED(state);
    put_commit(0, TABLE("", "5"));
    struct delta_snapshot *t = load();
    struct delta_metadata *m = delta_metadata_copy(&t->metadata, &arena);
    struct delta_snapshot off = *t;
    off.metadata.property_count = 0; /* as if version 0 had not had it */
    delta_in_commit_timestamp_enable(m, &off, 7, 99, &arena);
    assert_str(delta_property_get(m, STR("delta.inCommitTimestampEnablementVersion")), "7");
    assert_str(delta_property_get(m, STR("delta.inCommitTimestampEnablementTimestamp")), "99");
    m = delta_metadata_copy(&t->metadata, &arena);
    delta_in_commit_timestamp_enable(m, t, 7, 99, &arena); /* it was on already */
    assert_int_equal(delta_property_get(m, STR("delta.inCommitTimestampEnablementVersion")).len, 0);
}

static void test_out_of_use_they_say_nothing(void **state) {
    UNUSED(state);
    struct delta_snapshot *t = create(simple_metadata(), NULL);
    put_commit(1, "{\"commitInfo\":{\"inCommitTimestamp\":" FUTURE "}}\n");
    t = load();
    assert_int_equal(t->in_commit_timestamp_ms, -1);
    append(t, "SELECT 1::BIGINT AS id, 'a' AS name");
    assert_true(str_find(commit_text(2), STR("inCommitTimestamp")) == SIZE_MAX);
}

TEST_MAIN(LAKE_TEST(test_times_rise), LAKE_TEST(test_a_rebased_commit_is_later_than_its_winners),
          LAKE_TEST(test_a_missing_time_is_no_time_to_go_on_from), LAKE_TEST(test_turned_on_later),
          LAKE_TEST(test_out_of_use_they_say_nothing))
