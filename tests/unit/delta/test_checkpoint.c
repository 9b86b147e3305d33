/* Checkpoints that assay writes: what is in them, when they come, what they may not do. Their columns are compared with
 * those of a checkpoint that Spark wrote; that other engines read them is tested in tests/interop. */
#include "delta_test.h"

#include "base/time.h"

#include <stdlib.h>

#define LOG "Tables/silver/t/_delta_log/"
#define CHECKPOINT(version) LOG "000000000000000000" version ".checkpoint.parquet"

static struct str local(const char *key) {
    struct assay_error err = {0};
    struct str path;
    assert_ok(store_local_path(store, str_of(key), &arena, &path, &err), &err);
    return path;
}

static bool is_there(const char *key) {
    struct store_entry entry;
    return store_stat(store, str_of(key), &entry, NULL) == ASSAY_OK;
}

static struct delta_checkpoint_report checkpoint(int64_t version) {
    struct assay_error err = {0};
    struct delta_checkpoint_report report;
    assert_ok(delta_checkpoint(store, engine, staging, ROOT, version, &report, &err), &err);
    return report;
}

static struct delta_snapshot *create_with(const char *property, const char *value) {
    struct delta_metadata *m = simple_metadata();
    delta_property_set(m, &arena, str_of(property), str_of(value));
    return create(m, "SELECT 1::BIGINT AS id, 'a' AS name");
}

/* The commits a checkpoint stands for are taken away; what is left gives the same state. */
static void forget_commits(int64_t to) {
    struct assay_error err = {0};
    for (int64_t i = 0; i <= to; i++) assert_ok(store_remove(store, delta_log_commit_key(&arena, ROOT, i), &err), &err);
}

static void test_a_state_survives_without_its_commits(void **state) {
    UNUSED(state);
    struct assay_error err = {0};
    struct delta_snapshot *t = create(simple_metadata(), "SELECT 1::BIGINT AS id, 'a' AS name");
    t = append(t, "SELECT 2::BIGINT AS id, NULL AS name");
    put_commit(2,
               "{\"commitInfo\":{}}\n{\"txn\":{\"appId\":\"app\",\"version\":7,\"lastUpdated\":5}}\n"
               "{\"domainMetadata\":{\"domain\":\"d\",\"configuration\":\"{\\\"x\\\":1}\",\"removed\":false}}\n"
               "{\"domainMetadata\":{\"domain\":\"gone\",\"configuration\":\"\",\"removed\":true}}\n"
               "{\"add\":{\"path\":\"p%20q\",\"partitionValues\":{},\"size\":5,\"modificationTime\":6,\"dataChange\":"
               "true,\"tags\":{\"k\":\"v\"},\"baseRowId\":3,\"defaultRowCommitVersion\":1,\"clusteringProvider\":"
               "\"liquid\",\"stats\":\"{\\\"numRecords\\\":4}\"}}\n");
    t = load();
    struct delta_checkpoint_report report = checkpoint(DELTA_LATEST);
    assert_true(report.is_new);
    assert_int_equal(report.version, 2);
    assert_int_equal(report.file_count, 3);
    assert_int_equal(report.action_count, 7); /* protocol, metaData, txn, domain, 3 files */
    forget_commits(2);
    struct delta_snapshot *u = load();
    assert_int_equal(u->file_count, t->file_count);
    for (size_t i = 0; i < t->file_count; i++) {
        assert_true(str_eq(u->files[i].path, t->files[i].path));
        assert_true(str_eq(u->files[i].stats, t->files[i].stats));
        assert_int_equal(u->files[i].size_bytes, t->files[i].size_bytes);
        assert_int_equal(u->files[i].modified_ms, t->files[i].modified_ms);
    }
    assert_int_equal(u->txn_count, 1);
    assert_int_equal(delta_txn_find(u, STR("app"))->version, 7);
    assert_int_equal(delta_txn_find(u, STR("app"))->last_updated_ms, 5);
    assert_int_equal(u->domain_count, 1);
    assert_str(u->domains[0].name, "d");
    assert_str(u->domains[0].configuration, "{\"x\":1}");
    assert_str(u->metadata.id, str_c(&arena, t->metadata.id));
    assert_int_equal(u->metadata.created_ms, t->metadata.created_ms);
    assert_int_equal(u->protocol.min_writer, t->protocol.min_writer);
    struct str rows =
        ask(str_printf_of("SELECT \"add\".tags['k'], \"add\".\"baseRowId\", \"add\".\"defaultRowCommitVersion\", "
                          "\"add\".\"clusteringProvider\", \"add\".path, \"add\".\"dataChange\" FROM "
                          "read_parquet('%.*s') WHERE \"add\".size = 5",
                          STR_ARG(local(CHECKPOINT("02")))));
    assert_str(rows, "v|3|1|liquid|p%20q|false");
    assert_ok(delta_checkpoint(store, engine, staging, ROOT, DELTA_LATEST, &report, &err), &err);
    assert_false(report.is_new);
}

/* The schema of Spark's own checkpoint, without the parsed columns that it adds by default; that an INT64 is INT_64
 * needs no saying. */
static void test_columns_are_those_of_spark(void **state) {
    UNUSED(state);
    create(simple_metadata(), "SELECT 1::BIGINT AS id, 'a' AS name");
    checkpoint(0);
    static const char QUERY[] =
        "SELECT \"name\", type, repetition_type, num_children, "
        "coalesce(replace(replace(converted_type::VARCHAR, 'INT_64', ''), 'INT_32', ''), '') "
        "FROM parquet_schema('%.*s') "
        "WHERE \"name\" NOT IN ('partitionValues_parsed', 'p', 'maxRowIndex', 'add', 'deletionVector', 'remove', "
        "'spark_schema', 'duckdb_schema') ORDER BY ALL";
    struct str theirs = str_of(
        test_data(&arena, "spark-tables/checkpoint-classic/table/_delta_log/00000000000000000010.checkpoint.parquet"));
    struct str spark = ask(str_printf_of(QUERY, STR_ARG(theirs)));
    struct str ours = ask(str_printf_of(QUERY, STR_ARG(local(CHECKPOINT("00")))));
    assert_str(ours, str_c(&arena, spark));
    assert_str(ask(str_printf_of("SELECT DISTINCT encodings FROM parquet_metadata('%.*s') WHERE encodings NOT IN "
                                 "('PLAIN', 'RLE, PLAIN', 'PLAIN, RLE', 'RLE_DICTIONARY', 'PLAIN_DICTIONARY')",
                                 STR_ARG(local(CHECKPOINT("00"))))),
               "");
}

static void test_it_comes_by_the_interval(void **state) {
    UNUSED(state);
    struct delta_snapshot *t = create_with("delta.checkpointInterval", "3");
    for (int i = 0; i < 4; i++) t = append(t, "SELECT 2::BIGINT AS id, 'b' AS name");
    assert_true(is_there(CHECKPOINT("03")));
    assert_false(is_there(CHECKPOINT("00")) || is_there(CHECKPOINT("01")) || is_there(CHECKPOINT("04")));
    struct str hint;
    struct assay_error err = {0};
    assert_ok(store_get(store, STR(LOG "_last_checkpoint"), &arena, &hint, &err), &err);
    struct json *tree;
    int64_t version, size, files;
    assert_ok(json_parse(hint, "hint", &tree, &err), &err);
    assert_ok(json_get_int(tree, "version", &version, &err), &err);
    assert_ok(json_get_int(tree, "size", &size, &err), &err);
    assert_ok(json_get_int(tree, "numOfAddFiles", &files, &err), &err);
    assert_int_equal(version, 3);
    assert_int_equal(size, 6); /* protocol, metaData, 4 files */
    assert_int_equal(files, 4);
    json_close(&tree);
}

/* A checkpoint that cannot be written is no failure of the commit, and leaves nothing under its name. */
static void test_a_commit_stands_without_its_checkpoint(void **state) {
    UNUSED(state);
    struct assay_error err = {0};
    struct delta_snapshot *t = create_with("delta.checkpointInterval", "1");
    struct delta_new_files files = stage(&t->metadata, "SELECT 2::BIGINT AS id, 'b' AS name");
    struct delta_commit commit = append_of(t, &files);
    int64_t version;
    assert_ok(delta_commit(store, NULL, ROOT, &commit, &version, &err), &err); /* without an engine it cannot */
    assert_int_equal(version, 1);
    assert_false(is_there(CHECKPOINT("01")));
    assert_int_equal(load()->file_count, 2);
}

static void test_tombstones_and_txns_expire(void **state) {
    UNUSED(state);
    create_with("delta.setTransactionRetentionDuration", "interval 1 day");
    int64_t now_ms = time_now_us() / 1000, day_ms = 86400000;
    put_commit(1,
               text_of("{\"remove\":{\"path\":\"old\",\"deletionTimestamp\":%lld,\"dataChange\":true}}\n"
                       "{\"remove\":{\"path\":\"young\",\"deletionTimestamp\":%lld,\"dataChange\":true,\"tags\":{\"a\":"
                       "\"b\"},\"size\":9}}\n{\"remove\":{\"path\":\"never\",\"dataChange\":true}}\n"
                       "{\"txn\":{\"appId\":\"old\",\"version\":1,\"lastUpdated\":%lld}}\n"
                       "{\"txn\":{\"appId\":\"young\",\"version\":2,\"lastUpdated\":%lld}}\n"
                       "{\"txn\":{\"appId\":\"never\",\"version\":3}}\n",
                       (long long)(now_ms - 8 * day_ms), (long long)(now_ms - 6 * day_ms),
                       (long long)(now_ms - 2 * day_ms), (long long)(now_ms - day_ms / 2)));
    checkpoint(1);
    struct str path = local(CHECKPOINT("01"));
    assert_str(ask(str_printf_of("SELECT \"remove\".path, \"remove\".size, \"remove\".\"dataChange\" FROM "
                                 "read_parquet('%.*s') WHERE \"remove\".path IS NOT NULL",
                                 STR_ARG(path))),
               "young|9|false");
    assert_str(ask(str_printf_of("SELECT txn.\"appId\" FROM read_parquet('%.*s') WHERE txn.\"appId\" IS NOT NULL",
                                 STR_ARG(path))),
               "young");
}

static void test_a_tombstone_of_an_older_checkpoint_is_kept(void **state) {
    UNUSED(state);
    struct delta_snapshot *t = create(simple_metadata(), "SELECT 1::BIGINT AS id, 'a' AS name");
    int64_t now_ms = time_now_us() / 1000;
    put_commit(1, text_of("{\"remove\":{\"path\":\"%.*s\",\"deletionTimestamp\":%lld,\"dataChange\":true}}\n",
                          STR_ARG(t->files[0].path), (long long)now_ms));
    checkpoint(1);
    forget_commits(1);
    put_commit(2, "{\"commitInfo\":{}}\n");
    checkpoint(2);
    assert_str(
        ask(str_printf_of("SELECT \"remove\".path = '%.*s' FROM read_parquet('%.*s') WHERE \"remove\".path IS NOT "
                          "NULL",
                          STR_ARG(t->files[0].path), STR_ARG(local(CHECKPOINT("02"))))),
        "true");
}

static void test_unknown_features_forbid_it(void **state) {
    UNUSED(state);
    struct assay_error err = {0};
    struct delta_checkpoint_report report;
    create(simple_metadata(), "SELECT 1::BIGINT AS id, 'a' AS name");
    put_commit(1,
               "{\"protocol\":{\"minReaderVersion\":1,\"minWriterVersion\":7,\"writerFeatures\":[\"soonToCome\"]}}\n");
    assert_code(ASSAY_UNSUPPORTED, delta_checkpoint(store, engine, staging, ROOT, 1, &report, &err), &err);
    assert_err_has(&err, "'soonToCome'");
    assert_false(is_there(CHECKPOINT("01")));
}

/* ---- clean-up ---- */

/* A file of the log as if it were so many days old. */
static void make_old(const char *key, int days) {
    struct str path = local(key);
    struct str command = str_printf_of("touch -d '%d days ago' '%.*s'", days, STR_ARG(path));
    assert_int_equal(system(str_c(&arena, command)), 0);
}

static struct delta_snapshot *make_log(const char *property, const char *value) {
    struct delta_snapshot *t = create_with(property, value);
    for (int i = 1; i <= 6; i++) {
        t = append(t, "SELECT 2::BIGINT AS id, 'b' AS name");
        if (i == 2 || i == 4) checkpoint(i);
    }
    for (int i = 0; i <= 6; i++) make_old(text_of(LOG "%020d.json", i), 60 - 6 * i); /* 60, 54, ... 24 days */
    return t;
}

static void test_what_has_expired_is_removed(void **state) {
    UNUSED(state);
    struct delta_snapshot *t, *before = make_log("x", "y"); /* versions 0 to 4 are older than 30 days */
    struct delta_checkpoint_report report = checkpoint(6);
    assert_int_equal(report.removed_count, 4 + 4 + 1); /* commits and checksums 0 to 3, the checkpoint of 2 */
    assert_false(is_there(LOG "00000000000000000003.json"));
    assert_true(is_there(LOG "00000000000000000004.json"));
    assert_true(is_there(CHECKPOINT("04")));
    assert_int_equal(load()->file_count, before->file_count);
    struct assay_error err = {0};
    assert_ok(delta_snapshot_load(store, engine, ROOT, 4, &arena, &t, &err), &err);
    assert_int_equal(t->file_count, 5);
}

static void test_nothing_is_removed_without_need(void **state) {
    UNUSED(state);
    make_log("delta.enableExpiredLogCleanup", "false");
    assert_int_equal(checkpoint(6).removed_count, 0);
    assert_true(is_there(LOG "00000000000000000000.json"));
}

static void test_durations_that_are_not_understood_keep_all(void **state) {
    UNUSED(state);
    make_log("delta.logRetentionDuration", "interval 1 month");
    assert_int_equal(checkpoint(6).removed_count, 0);
}

static void test_a_broken_checkpoint_guards_nothing(void **state) {
    UNUSED(state);
    struct assay_error err = {0};
    struct delta_checkpoint_report report;
    make_log("x", "y");
    assert_ok(store_put(store, STR(CHECKPOINT("04")), STR("PAR1 no"), &err), &err);
    assert_code(ASSAY_CORRUPT, delta_checkpoint(store, engine, staging, ROOT, 6, &report, &err), &err);
    assert_int_equal(report.removed_count, 0);
    assert_true(is_there(LOG "00000000000000000000.json"));
    assert_int_equal(load()->file_count, 7);
}

static void test_protection_forbids_clean_up(void **state) {
    UNUSED(state);
    make_log("x", "y");
    put_commit(7, "{\"protocol\":{\"minReaderVersion\":1,\"minWriterVersion\":7,\"writerFeatures\":"
                  "[\"checkpointProtection\"]}}\n");
    assert_int_equal(checkpoint(7).removed_count, 0);
}

static void test_intervals(void **state) {
    UNUSED(state);
    assert_int_equal(delta_interval_ms(STR("interval 1 week")), 604800000);
    assert_int_equal(delta_interval_ms(STR("7 days")), 604800000);
    assert_int_equal(delta_interval_ms(STR("INTERVAL 1 Day 2 hours 3 minutes 4 seconds 5 milliseconds")), 93784005);
    assert_int_equal(delta_interval_ms(STR("interval 0 hours")), 0);
    static const char *const BAD[] = {
        "", "interval", "1", "days", "1 month", "-1 days", "1.5 days", "99999999999999 weeks", "interval 1 day x"};
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) assert_int_equal(delta_interval_ms(str_of(BAD[i])), -1);
}

/* ---- checksums ---- */

static void test_a_checksum_follows_a_commit(void **state) {
    UNUSED(state);
    struct assay_error err = {0};
    struct delta_snapshot *t = create(simple_metadata(), "SELECT 1::BIGINT AS id, 'a' AS name");
    struct delta_snapshot *second = append(t, "SELECT 2::BIGINT AS id, 'b' AS name");
    struct delta_new_files files = stage(&t->metadata, "SELECT 3::BIGINT AS id, 'c' AS name");
    struct delta_commit late = append_of(t, &files); /* rebased over version 1 */
    assert_int_equal(commit_ok(&late), 2);
    size_t gone = 0;
    struct delta_commit removal = {
        .base = load(), .removes = &gone, .remove_count = 1, .scope = DELTA_READ_TABLE, .operation = "DELETE"};
    assert_int_equal(commit_ok(&removal), 3);
    struct delta_snapshot *last = load();
    assert_true(is_there(LOG "00000000000000000000.crc"));
    assert_false(is_there(LOG "00000000000000000002.crc"));
    for (int version = 1; version <= 3; version += 2) {
        const struct delta_snapshot *s = version == 1 ? second : last;
        int64_t sum = 0, size, count;
        struct str text;
        struct json *tree;
        assert_ok(store_get(store, str_of(text_of(LOG "%020d.crc", version)), &arena, &text, &err), &err);
        assert_ok(json_parse(text, "crc", &tree, &err), &err);
        assert_ok(json_get_int(tree, "tableSizeBytes", &size, &err), &err);
        assert_ok(json_get_int(tree, "numFiles", &count, &err), &err);
        for (size_t i = 0; i < s->file_count; i++) sum += s->files[i].size_bytes;
        assert_int_equal(size, sum);
        assert_int_equal(count, s->file_count);
        assert_str(json_str(json_member(json_member(tree, "metadata"), "id")), str_c(&arena, t->metadata.id));
        json_close(&tree);
    }
}

TEST_MAIN(LAKE_TEST(test_a_state_survives_without_its_commits), LAKE_TEST(test_columns_are_those_of_spark),
          LAKE_TEST(test_it_comes_by_the_interval), LAKE_TEST(test_a_commit_stands_without_its_checkpoint),
          LAKE_TEST(test_tombstones_and_txns_expire), LAKE_TEST(test_a_tombstone_of_an_older_checkpoint_is_kept),
          LAKE_TEST(test_unknown_features_forbid_it), LAKE_TEST(test_what_has_expired_is_removed),
          LAKE_TEST(test_nothing_is_removed_without_need), LAKE_TEST(test_durations_that_are_not_understood_keep_all),
          LAKE_TEST(test_a_broken_checkpoint_guards_nothing), LAKE_TEST(test_protection_forbids_clean_up),
          LAKE_TEST(test_intervals), LAKE_TEST(test_a_checksum_follows_a_commit))
