/* Small files put together: which, in what order, what the log says, and that rows are the same. The deletion vector is
 * made by the protocol ("Deletion Vector Format") of its example: rows 3, 4, 7, 11, 18 and 29 are deleted. */
#include "delta_test.h"

static struct delta_compact_result compact(const struct delta_snapshot *t, struct delta_compact_options options,
                                           int64_t *version) {
    struct assay_error err = {0};
    struct delta_compact_result out;
    assert_ok(delta_compact(t, staging, &options, &arena, &out, version, &err), &err);
    return out;
}

static size_t count_in(struct str text, const char *what) {
    size_t count = 0, at;
    for (struct str rest = text; (at = str_find(rest, str_of(what))) != SIZE_MAX; count++)
        rest = str_sub(rest, at + 1, rest.len);
    return count;
}

static void test_rows_keep_their_order(void **state) {
    UNUSED(state);
    int64_t version;
    struct delta_snapshot *t = create(simple_metadata(), "SELECT 9 AS id, 'a' AS name UNION ALL SELECT 3, 'b'");
    t = append(t, "SELECT range AS id, 'c' AS name FROM range(20, 23)");
    t = append(t, "SELECT 1 AS id, 'd' AS name");
    struct delta_compact_result out = compact(t, (struct delta_compact_options){0}, &version);
    assert_int_equal(out.removed_count, 3);
    assert_int_equal(out.added_count, 1);
    assert_int_equal(version, 3);
    t = load();
    assert_int_equal(t->file_count, 1);
    assert_int_equal(t->files[0].row_count, 6);
    assert_int_equal(t->files[0].size_bytes, out.added_bytes);
    assert_str(ask_table(t, "SELECT string_agg(id || name, ' ' ORDER BY id) FROM {t}"), "1d 3b 9a 20c 21c 22c");
    struct str text = commit_text(3);
    assert_has(text, "\"operation\":\"OPTIMIZE\"");
    assert_has(text, "{\"predicate\":\"[]\",\"zOrderBy\":\"[]\",\"clusterBy\":\"[]\",\"auto\":false}");
    assert_has(text, "\"isolationLevel\":\"SnapshotIsolation\",\"isBlindAppend\":false");
    assert_has(text, "\"numRemovedFiles\":\"3\"");
    assert_int_equal(count_in(text, "\"dataChange\":false"), 4);
    assert_int_equal(count_in(text, "\"dataChange\":true"), 0);
    /* nothing is left to do, so nothing is done */
    out = compact(t, (struct delta_compact_options){0}, &version);
    assert_int_equal(out.removed_count + out.added_count, 0);
    assert_int_equal(version, 3);
}

static void test_files_of_the_order_in_which_they_were_written(void **state) {
    UNUSED(state);
    int64_t version;
    struct delta_snapshot *t = create(simple_metadata(), "SELECT range AS id, NULL AS name FROM range(1000, 2000)");
    for (int i = 2; i < 5; i++)
        t = append(t, text_of("SELECT range AS id, NULL AS name FROM range(%d, %d)", i * 1000, (i + 1) * 1000));
    int64_t bytes = 0;
    for (size_t i = 0; i < t->file_count; i++)
        if (t->files[i].size_bytes > bytes) bytes = t->files[i].size_bytes;
    /* two files fit into the target, three do not */
    struct delta_compact_options options = {.target_bytes = 2 * bytes + 10, .small_bytes = bytes + 1};
    struct delta_compact_result out = compact(t, options, &version);
    assert_int_equal(out.removed_count, 4);
    assert_int_equal(out.added_count, 2);
    t = load();
    for (size_t i = 0; i < 2; i++) {
        struct str range = ask_files(t, "SELECT min(id), max(id), count(*) FROM {t}", &i, 1, false);
        assert_true(str_eq(range, STR("1000|2999|2000")) || str_eq(range, STR("3000|4999|2000")));
    }
    /* no file is smaller than that */
    out = compact(t, (struct delta_compact_options){.small_bytes = 10}, &version);
    assert_int_equal(out.removed_count, 0);
}

static void test_partitions_stay_apart(void **state) {
    UNUSED(state);
    int64_t version;
    struct delta_metadata *m = simple_metadata();
    m->partition_columns = ARENA_ARRAY(&arena, 1, struct str);
    m->partition_columns[0] = STR("name");
    m->partition_column_count = 1;
    struct delta_snapshot *t =
        create(m, "SELECT 1 AS id, 'x' AS name UNION ALL SELECT 2, NULL UNION ALL SELECT 3, 'y'");
    t = append(t, "SELECT 4 AS id, 'x' AS name UNION ALL SELECT 5, NULL");
    assert_int_equal(t->file_count, 5);
    struct delta_compact_result out = compact(t, (struct delta_compact_options){0}, &version);
    assert_int_equal(out.removed_count, 4); /* the one of y is alone */
    assert_int_equal(out.added_count, 2);
    assert_str(ask_table(load(), "SELECT name, string_agg(id, ',' ORDER BY id) FROM {t} GROUP BY name ORDER BY name"),
               "x|1,4\ny|3\nNULL|2,5");
}

static void test_deleted_rows_go_for_good(void **state) {
    UNUSED(state);
    int64_t version;
    struct delta_snapshot *t = create(simple_metadata(), "SELECT range AS id, NULL AS name FROM range(40)");
    put_commit(1, text_of("{\"commitInfo\":{\"operation\":\"DELETE\"}}\n"
                          "{\"protocol\":{\"minReaderVersion\":3,\"minWriterVersion\":7,\"readerFeatures\":["
                          "\"deletionVectors\"],\"writerFeatures\":[\"deletionVectors\"]}}\n"
                          "{\"remove\":{\"path\":\"%.*s\",\"deletionTimestamp\":1,\"dataChange\":true}}\n"
                          "{\"add\":{\"path\":\"%.*s\",\"partitionValues\":{},\"size\":%lld,\"modificationTime\":1,"
                          "\"dataChange\":true,\"stats\":\"{\\\"numRecords\\\":40}\",\"deletionVector\":{"
                          "\"storageType\":\"i\",\"pathOrInlineDv\":\"^Bg9^0rr910000000000iXQKl0rr91000f55c8Xg0@@"
                          "D72lkbi5=-{L\",\"sizeInBytes\":44,\"cardinality\":6}}}\n",
                          STR_ARG(t->files[0].path), STR_ARG(t->files[0].path), (long long)t->files[0].size_bytes));
    t = load();
    assert_non_null(t->files[0].vector);
    struct delta_compact_result out = compact(t, (struct delta_compact_options){0}, &version);
    assert_int_equal(out.removed_count, 1);
    assert_int_equal(out.vector_count, 1);
    assert_has(commit_text(2), "\"numDeletionVectorsRemoved\":\"1\"");
    t = load();
    assert_null(t->files[0].vector);
    assert_int_equal(t->files[0].row_count, 34);
    assert_str(ask_table(t, "SELECT count(*), sum(id) FROM {t} WHERE id NOT IN (3, 4, 7, 11, 18, 29)"), "34|708");
}

static void test_another_writer_was_first(void **state) {
    UNUSED(state);
    struct assay_error err = {0};
    struct delta_compact_result out;
    int64_t version;
    struct delta_snapshot *t = create(simple_metadata(), "SELECT 1 AS id, NULL AS name");
    t = append(t, "SELECT 2 AS id, NULL AS name");
    put_commit(2, text_of("{\"commitInfo\":{\"operation\":\"DELETE\"}}\n{\"remove\":{\"path\":\"%.*s\","
                          "\"deletionTimestamp\":1,\"dataChange\":true}}\n",
                          STR_ARG(t->files[0].path)));
    assert_code(
        ASSAY_CONFLICT,
        delta_compact(t, staging, &(struct delta_compact_options){.is_auto = true}, &arena, &out, &version, &err),
        &err);
    t = load();
    assert_int_equal(t->version, 2);
    assert_int_equal(t->file_count, 1);
    /* one who only adds rows is no reason */
    t = append(t, "SELECT 3 AS id, NULL AS name");
    append(t, "SELECT 4 AS id, NULL AS name");
    compact(t, (struct delta_compact_options){0}, &version);
    assert_int_equal(version, 5);
    assert_str(ask_table(load(), "SELECT count(*) FROM {t}"), "3");
    assert_int_equal(load()->file_count, 2);
}

/* Sizes as Spark writes them (JavaUtils.byteStringAs), in powers of 1024. */
static void test_target_size(void **state) {
    UNUSED(state);
    static const struct {
        const char *text;
        int64_t bytes;
    } cases[] = {{"256m", 268435456},  {"1g", 1073741824}, {"134217728", 134217728}, {"134217728b", 134217728},
                 {"512MB", 536870912}, {"300 k", 307200},  {"1t", 1099511627776},    {"0", 134217728},
                 {"-1", 134217728},    {"big", 134217728}, {"1x", 134217728},        {"99999999999t", 134217728}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct delta_metadata *m = simple_metadata();
        delta_property_set(m, &arena, STR("delta.targetFileSize"), str_of(cases[i].text));
        assert_int_equal(delta_target_bytes(m), cases[i].bytes);
    }
    assert_int_equal(delta_target_bytes(simple_metadata()), 134217728);
}

static void test_after_a_commit(void **state) {
    UNUSED(state);
    struct delta_metadata *m = simple_metadata();
    delta_property_set(m, &arena, STR("delta.autoOptimize.autoCompact"), STR("true"));
    delta_property_set(m, &arena, STR("spark.databricks.delta.autoCompact.minNumFiles"), STR("3"));
    struct delta_snapshot *t = create(m, "SELECT 1 AS id, NULL AS name");
    t = append(t, "SELECT 2 AS id, NULL AS name");
    assert_int_equal(t->version, 1);
    t = append(t, "SELECT 3 AS id, NULL AS name");
    assert_int_equal(t->version, 3);
    assert_int_equal(t->file_count, 1);
    assert_has(commit_text(3), "\"auto\":true");
    assert_str(ask_table(t, "SELECT count(*), sum(id) FROM {t}"), "3|6");
}

int main(void) {
    const struct CMUnitTest tests[] = {LAKE_TEST(test_rows_keep_their_order),
                                       LAKE_TEST(test_files_of_the_order_in_which_they_were_written),
                                       LAKE_TEST(test_partitions_stay_apart),
                                       LAKE_TEST(test_deleted_rows_go_for_good),
                                       LAKE_TEST(test_another_writer_was_first),
                                       LAKE_TEST(test_target_size),
                                       LAKE_TEST(test_after_a_commit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
