/* A winner between base and commit, as a matrix: what the winner did against what the commit relied on (Spark's rules
 * under Serializable). */
#include "delta_test.h"

#define WINNER_INFO                                                                                                    \
    "{\"commitInfo\":{\"timestamp\":1,\"operation\":\"WINNING\",\"engineInfo\":\"Other/"                               \
    "1.0\",\"isBlindAppend\":true}}\n"
#define STATS(low, high)                                                                                               \
    "\"stats\":\"{\\\"numRecords\\\":1,\\\"minValues\\\":{\\\"id\\\":" #low "},\\\"maxValues\\\":{\\\"id\\\":" #high   \
    "},\\\"nullCount\\\":{\\\"id\\\":0}}\""
#define WIN_ADD(change, stats)                                                                                         \
    WINNER_INFO "{\"add\":{\"path\":\"won.parquet\",\"partitionValues\":{},\"size\":1,\"modificationTime\":1,"         \
                "\"dataChange\":" change stats "}}\n"

/* The base has three files with ids 0-9, 10-19, 20-29; the commit reads ids 10..19 and replaces the second. */
struct expectation {
    const char *name, *winner;
    bool blind, ranges, table, rewrite; /* whether the commit stands: an append, a read of 10..19, a read of all, a
                                           replacement of file 2 by ranges */
    const char *reason;
};

static size_t file_of(const struct delta_snapshot *t, const char *low) {
    for (size_t i = 0; i < t->file_count; i++)
        if (str_find(t->files[i].stats, str_printf_of("\"minValues\":{\"id\":%s", low)) != SIZE_MAX) return i;
    fail_msg("no file from %s", low);
    return 0;
}

static const char *removal(const struct delta_snapshot *t, const char *low, const char *change) {
    return text_of(WINNER_INFO "{\"remove\":{\"path\":\"%.*s\",\"deletionTimestamp\":1,\"dataChange\":%s}}\n",
                   STR_ARG(t->files[file_of(t, low)].path), change);
}

enum kind { BLIND, RANGES, TABLE, REWRITE };

static void try_against(const struct delta_snapshot *t, const struct expectation *e, enum kind kind, bool stands) {
    struct assay_error err = {0};
    int64_t version = -1;
    put_commit(t->version + 1, e->winner);
    struct delta_new_files files = stage(&t->metadata, "SELECT 15 AS id, 'ours' AS name");
    struct delta_commit commit = append_of(t, &files);
    struct delta_range range = {STR("id"), STR("10"), STR("19")};
    size_t second = file_of(t, "10");
    if (kind == TABLE) commit.scope = DELTA_READ_TABLE;
    if (kind == RANGES || kind == REWRITE)
        commit.scope = DELTA_READ_RANGES, commit.ranges = &range, commit.range_count = 1;
    if (kind == REWRITE) commit.removes = &second, commit.remove_count = 1;
    enum assay_code rc = delta_commit(store, engine, ROOT, &commit, &version, &err);
    if (rc != (stands ? ASSAY_OK : ASSAY_CONFLICT))
        fail_msg("winner '%s', commit %d: %s: %s", e->name, kind, assay_code_name(rc), err.message);
    if (stands) {
        assert_int_equal(version, t->version + 2);
        assert_has(commit_text(version), "\"readVersion\":2");
        assert_ok(store_remove(store, delta_log_commit_key(&arena, ROOT, version), &err), &err);
        return;
    }
    assert_err_has(&err, e->reason);
    assert_err_has(&err, "WINNING by Other/1.0");
}

static void test_matrix(void **state) {
    UNUSED(state);
    struct delta_snapshot *t = create(simple_metadata(), "SELECT range AS id FROM range(10)");
    t = append(t, "SELECT range AS id FROM range(10, 20)");
    t = append(t, "SELECT range AS id FROM range(20, 30)");
    size_t before = t->file_count;
    const struct expectation MATRIX[] = {
        {"nothing", WINNER_INFO, true, true, true, true, ""},
        {"adds outside", WIN_ADD("true,", STATS(20, 25)), true, true, false, true, "added the file won.parquet"},
        {"adds inside", WIN_ADD("true,", STATS(12, 25)), true, false, false, false, "added the file won.parquet"},
        {"adds without stats", WIN_ADD("true", ""), true, false, false, false, "added the file won.parquet"},
        {"rearranges into inside", WIN_ADD("false,", STATS(12, 25)), true, true, true, true, ""},
        {"removes outside", removal(t, "20", "true"), true, true, false, true, "removed the file"},
        {"removes inside", removal(t, "10", "true"), true, false, false, false, "removed the file"},
        {"rearranges the rewritten", removal(t, "10", "false"), true, true, true, false, "rewrites or removes too"},
        {"rearranges another", removal(t, "0", "false"), true, true, true, true, ""},
        {"metadata",
         WINNER_INFO
         "{\"metaData\":{\"id\":\"x\",\"schemaString\":\"{}\",\"partitionColumns\":[],\"configuration\":{}}}\n",
         false, false, false, false, "metadata"},
        {"protocol", WINNER_INFO "{\"protocol\":{\"minReaderVersion\":1,\"minWriterVersion\":3}}\n", false, false,
         false, false, "protocol"},
        {"other txn", WINNER_INFO "{\"txn\":{\"appId\":\"other\",\"version\":1}}\n", true, true, true, true, ""},
        {"cdc and domain",
         WINNER_INFO "{\"cdc\":{\"path\":\"_change_data/"
                     "x\",\"partitionValues\":{},\"size\":1,\"dataChange\":false}}\n{\"domainMetadata\":{\"domain\":"
                     "\"d\",\"configuration\":\"\",\"removed\":false}}\n",
         true, true, true, true, ""},
    };
    for (size_t i = 0; i < sizeof MATRIX / sizeof MATRIX[0]; i++) {
        try_against(t, &MATRIX[i], BLIND, MATRIX[i].blind);
        try_against(t, &MATRIX[i], RANGES, MATRIX[i].ranges);
        try_against(t, &MATRIX[i], TABLE, MATRIX[i].table);
        try_against(t, &MATRIX[i], REWRITE, MATRIX[i].rewrite);
    }
    assert_int_equal(before, 3);
}

static void test_lost_commits_leave_no_files(void **state) {
    UNUSED(state);
    struct assay_error err = {0};
    struct delta_snapshot *t = create(simple_metadata(), "SELECT 1 AS id");
    put_commit(1, WINNER_INFO "{\"protocol\":{\"minReaderVersion\":1,\"minWriterVersion\":3}}\n");
    struct delta_new_files files = stage(&t->metadata, "SELECT 2 AS id");
    struct delta_commit commit = append_of(t, &files);
    int64_t version;
    assert_code(ASSAY_CONFLICT, delta_commit(store, engine, ROOT, &commit, &version, &err), &err);
    struct store_entry *entries;
    size_t count;
    assert_ok(store_list_flat(store, ROOT, &arena, &entries, &count, &err), &err);
    assert_int_equal(count, 1);
}

static void test_the_same_application_id_is_a_conflict(void **state) {
    UNUSED(state);
    struct assay_error err = {0};
    struct delta_snapshot *t = create(simple_metadata(), NULL);
    put_commit(1, WINNER_INFO "{\"txn\":{\"appId\":\"job\",\"version\":9}}\n");
    struct delta_txn txn = {STR("job"), 9, -1};
    struct delta_commit commit = {.base = t, .txns = &txn, .txn_count = 1, .operation = "WRITE"};
    int64_t version;
    assert_code(ASSAY_CONFLICT, delta_commit(store, engine, ROOT, &commit, &version, &err), &err);
    assert_err_has(&err, "'job' to 9");
}

static void test_a_metadata_change_loses_to_any_data(void **state) {
    UNUSED(state);
    struct assay_error err = {0};
    struct delta_snapshot *t = create(simple_metadata(), NULL);
    struct delta_metadata *m = delta_metadata_copy(&t->metadata, &arena);
    delta_property_set(m, &arena, STR("delta.constraints.c"), STR("id > 0"));
    struct delta_commit commit = {.base = t, .metadata = m, .operation = "ADD CONSTRAINT"};
    put_commit(1, WIN_ADD("true,", STATS(-5, -1)));
    int64_t version;
    assert_code(ASSAY_CONFLICT, delta_commit(store, engine, ROOT, &commit, &version, &err), &err);
}

static void test_many_winners_are_passed_one_by_one(void **state) {
    UNUSED(state);
    struct assay_error err = {0};
    struct delta_snapshot *t = create(simple_metadata(), NULL);
    for (int64_t v = 1; v <= 60; v++)
        put_commit(v, text_of(WINNER_INFO "{\"add\":{\"path\":\"w%d\",\"partitionValues\":{},\"size\":1,"
                                          "\"modificationTime\":1,\"dataChange\":true}}\n",
                              (int)v));
    struct delta_new_files files = stage(&t->metadata, "SELECT 2 AS id");
    struct delta_commit commit = append_of(t, &files);
    assert_int_equal(commit_ok(&commit), 61);
    t = load();
    assert_int_equal(t->file_count, 61);
    put_commit(62, "{\"add\":{\"pa");
    commit = append_of(t, &files);
    commit.add_count = 0;
    struct delta_txn txn = {STR("job"), 9, -1};
    commit.txns = &txn, commit.txn_count = 1;
    int64_t version;
    assert_code(ASSAY_CORRUPT, delta_commit(store, engine, ROOT, &commit, &version, &err), &err);
    assert_err_has(&err, "00000000000000000062.json");
}

TEST_MAIN(LAKE_TEST(test_matrix), LAKE_TEST(test_lost_commits_leave_no_files),
          LAKE_TEST(test_the_same_application_id_is_a_conflict), LAKE_TEST(test_a_metadata_change_loses_to_any_data),
          LAKE_TEST(test_many_winners_are_passed_one_by_one))
