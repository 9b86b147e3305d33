/* Logs that lie: every one is a clear error that names the file, and none is read outside of the table. */
#include "delta_test.h"

#define PROTOCOL "{\"protocol\":{\"minReaderVersion\":1,\"minWriterVersion\":2}}\n"
#define SCHEMA                                                                                                         \
    "\"schemaString\":\"{\\\"type\\\":\\\"struct\\\",\\\"fields\\\":[{\\\"name\\\":\\\"id\\\",\\\"type\\\":"           \
    "\\\"long\\\",\\\"nullable\\\":true,\\\"metadata\\\":{}}]}\""
#define METADATA                                                                                                       \
    "{\"metaData\":{\"id\":\"x\",\"format\":{\"provider\":\"parquet\",\"options\":{}}," SCHEMA                         \
    ",\"partitionColumns\":[],\"configuration\":{}}}\n"
#define START METADATA PROTOCOL
#define ADD(path)                                                                                                      \
    "{\"add\":{\"path\":\"" path "\",\"partitionValues\":{},\"size\":1,\"modificationTime\":1,\"dataChange\":true}}\n"
#define REMOVE(path) "{\"remove\":{\"path\":\"" path "\",\"deletionTimestamp\":1,\"dataChange\":true}}\n"

static struct assay_error refused;

static void expect(const char *commit, enum assay_code code, const char *part) {
    struct delta_snapshot *snapshot;
    refused = (struct assay_error){0};
    put_commit(0, commit);
    assert_code(code, delta_snapshot_load(store, engine, ROOT, DELTA_LATEST, &arena, &snapshot, &refused), &refused);
    assert_err_has(&refused, part);
}

/* The table opens, but not even the name of its file reaches the engine. */
static void expect_unread(const char *commit, enum assay_code code, const char *part) {
    struct delta_snapshot *snapshot;
    struct buf sql = {0};
    refused = (struct assay_error){0};
    put_commit(0, commit);
    assert_ok(delta_snapshot_load(store, engine, ROOT, DELTA_LATEST, &arena, &snapshot, &refused), &refused);
    assert_code(code, delta_scan_sql(snapshot, NULL, 0, false, &arena, &sql, &refused), &refused);
    assert_err_has(&refused, part);
    buf_free(&sql);
}

static struct delta_snapshot *accept(const char *commit) {
    put_commit(0, commit);
    return load();
}

static void test_paths_do_not_leave_the_table(void **state) {
    UNUSED(state);
    static const char *const CORRUPT[] = {
        START ADD("../other/part.parquet"),
        START ADD("a/../../b"),
        START ADD("%2e%2e/b"),
        START ADD("a/%2E%2E/b"),
        START ADD("./a"),
        START ADD("a//b"),
        START ADD("a/"),
        START ADD(""),
        START ADD("a%00b"),
        START ADD("a%"),
        START ADD("a%2"),
        START ADD("a%zz"),
        START ADD("_delta_log/x.parquet"),
        START ADD("a%FFb"),
        START ADD("%2e"),
        START ADD("a\\u0000b"),
        START REMOVE("../x"),
    };
    for (size_t i = 0; i < sizeof CORRUPT / sizeof CORRUPT[0]; i++) {
        expect(CORRUPT[i], ASSAY_CORRUPT, "path");
        assert_err_has(&refused, "00000000000000000000.json:3");
    }
    static const char *const ELSEWHERE[] = {
        START ADD("s3://bucket/x"), START ADD("abfss://c@a/x"), START ADD("c:x"),
        START ADD("file://host/x"), START ADD("hdfs:x"),        START ADD("file:x"),
    };
    for (size_t i = 0; i < sizeof ELSEWHERE / sizeof ELSEWHERE[0]; i++) expect(ELSEWHERE[i], ASSAY_UNSUPPORTED, "path");
    static const char *const OUTSIDE[] = {
        START ADD("/etc/passwd"),
        START ADD("file:///etc/passwd"),
        START ADD("file:/etc/passwd"),
        START ADD("%2Fetc/passwd"),
    };
    for (size_t i = 0; i < sizeof OUTSIDE / sizeof OUTSIDE[0]; i++)
        expect_unread(OUTSIDE[i], ASSAY_UNSUPPORTED, "'/etc/passwd' of the table lies outside");
    expect(START ADD("/etc/../etc/passwd"), ASSAY_CORRUPT, "path");
    expect(START ADD("//etc/passwd"), ASSAY_CORRUPT, "path");
    /* what is not there any more is not read */
    assert_int_equal(accept(START ADD("/etc/passwd") REMOVE("file:///etc/passw%64"))->file_count, 0);
}

static void test_absolute_paths_inside_the_table_are_its_own(void **state) {
    UNUSED(state);
    struct str folder;
    assert_ok(store_local_path(store, ROOT, &arena, &folder, NULL), NULL);
    struct delta_snapshot *t =
        accept(text_of(START "{\"add\":{\"path\":\"%.*s/"
                             "a%%20b\",\"partitionValues\":{},\"size\":1,\"modificationTime\":1,\"dataChange\":true}}\n"
                             "{\"add\":{\"path\":\"file://%.*s/"
                             "c\",\"partitionValues\":{},\"size\":1,\"modificationTime\":1,\"dataChange\":true}}\n",
                       STR_ARG(folder), STR_ARG(folder)));
    assert_int_equal(t->file_count, 2);
    assert_str(t->files[0].path, "a b");
    assert_str(t->files[1].path, "c");
    expect(text_of(START "{\"add\":{\"path\":\"%.*s/../"
                         "c\",\"partitionValues\":{},\"size\":1,\"modificationTime\":1,\"dataChange\":true}}\n",
                   STR_ARG(folder)),
           ASSAY_CORRUPT, "..");
}

static void test_lines_that_are_no_actions(void **state) {
    UNUSED(state);
    static const char *const CORRUPT[][2] = {
        {"", "empty"},
        {"\n\n", "empty"},
        {START "{\"add\":{\"path\":\"a\",\"partitionVal", "json:3"},
        {START "[1]\n", "not a JSON object"},
        {START "17\n", "json:3"},
        {START "{\"add\":7}\n", "'add' is not an object"},
        {START "{\"add\":{\"partitionValues\":{},\"size\":1}}\n", "'path'"},
        {START "{\"add\":{\"path\":7,\"partitionValues\":{},\"size\":1}}\n", "path"},
        {START "{\"add\":{\"path\":\"a\",\"partitionValues\":{}}}\n", "'size'"},
        {START "{\"add\":{\"path\":\"a\",\"partitionValues\":{},\"size\":-1}}\n", "negative"},
        {START "{\"add\":{\"path\":\"a\",\"partitionValues\":{},\"size\":99999999999999999999999}}\n", "json:3"},
        {START "{\"add\":{\"path\":\"a\",\"partitionValues\":{},\"size\":1.5}}\n", "size"},
        {START "{\"add\":{\"path\":\"a\",\"partitionValues\":[],\"size\":1}}\n", "partitionValues"},
        {START "{\"add\":{\"path\":\"a\",\"path\":\"b\",\"partitionValues\":{},\"size\":1}}\n", "json:3"},
        {START "{\"add\":{\"path\":\"a\",\"partitionValues\":{},\"size\":1,\"stats\":{}}}\n", "stats"},
        {START "{\"add\":{\"path\":\"a\",\"partitionValues\":{},\"size\":1},\"remove\":{\"path\":\"a\"}}\n",
         "two actions"},
        {START PROTOCOL, "second"},
        {START METADATA, "second"},
        {START "{\"txn\":{\"version\":1}}\n", "appId"},
        {METADATA, "protocol"},
        {PROTOCOL, "metaData"},
        {METADATA "{\"protocol\":{\"minReaderVersion\":0,\"minWriterVersion\":2}}\n", "reader 0"},
        {METADATA "{\"protocol\":{\"minReaderVersion\":3,\"minWriterVersion\":7,\"readerFeatures\":\"x\"}}\n",
         "readerFeatures"},
        {PROTOCOL "{\"metaData\":{\"id\":\"x\",\"partitionColumns\":[],\"configuration\":{}}}\n", "schemaString"},
        {PROTOCOL "{\"metaData\":{\"id\":\"x\",\"schemaString\":\"{\",\"partitionColumns\":[],\"configuration\":{}}}\n",
         "schemaString"},
        {PROTOCOL "{\"metaData\":{\"id\":\"x\",\"schemaString\":\"7\",\"partitionColumns\":[],\"configuration\":{}}}\n",
         "schema"},
        {PROTOCOL "{\"metaData\":{\"id\":\"x\"," SCHEMA ",\"partitionColumns\":[\"nope\"],\"configuration\":{}}}\n",
         "'nope'"},
        {PROTOCOL "{\"metaData\":{\"id\":\"x\"," SCHEMA ",\"partitionColumns\":[],\"configuration\":{\"a\":1}}}\n",
         "property 'a'"},
    };
    for (size_t i = 0; i < sizeof CORRUPT / sizeof CORRUPT[0]; i++) expect(CORRUPT[i][0], ASSAY_CORRUPT, CORRUPT[i][1]);
    struct buf deep = {0};
    buf_addz(&deep, START "{\"add\":");
    for (int i = 0; i < 100000; i++) buf_addz(&deep, "{\"a\":[");
    expect(deep.data, ASSAY_CORRUPT, "deeper");
    buf_free(&deep);
}

static void test_schemas_that_lie(void **state) {
    UNUSED(state);
    static const char *const FIELDS[][2] = {
        {"{\\\"name\\\":\\\"a\\\",\\\"type\\\":\\\"long\\\",\\\"nullable\\\":true},{\\\"name\\\":\\\"A\\\","
         "\\\"type\\\":\\\"long\\\",\\\"nullable\\\":true}",
         "twice"},
        {"{\\\"type\\\":\\\"long\\\",\\\"nullable\\\":true}", "no name"},
        {"{\\\"name\\\":\\\"a\\\",\\\"nullable\\\":true}", "no type"},
        {"{\\\"name\\\":\\\"a\\\",\\\"type\\\":\\\"long\\\"}", "nullable"},
        {"{\\\"name\\\":\\\"\\\",\\\"type\\\":\\\"long\\\",\\\"nullable\\\":true}", "no name"},
        {"7", "no name"},
    };
    for (size_t i = 0; i < sizeof FIELDS / sizeof FIELDS[0]; i++)
        expect(text_of(PROTOCOL "{\"metaData\":{\"id\":\"x\",\"schemaString\":\"{\\\"type\\\":\\\"struct\\\","
                                "\\\"fields\\\":[%s]}\",\"partitionColumns\":[],\"configuration\":{}}}\n",
                       FIELDS[i][0]),
               ASSAY_CORRUPT, FIELDS[i][1]);
    /* a type of the future: the table opens, its column cannot be scanned */
    struct delta_snapshot *t = accept(PROTOCOL "{\"metaData\":{\"id\":\"x\",\"schemaString\":\"{\\\"type\\\":"
                                               "\\\"struct\\\",\\\"fields\\\":[{\\\"name\\\":\\\"v\\\",\\\"type\\\":"
                                               "\\\"variant\\\",\\\"nullable\\\":true,\\\"metadata\\\":{}}]}\","
                                               "\"partitionColumns\":[],\"configuration\":{}}}\n");
    struct assay_error err = {0};
    struct buf sql = {0};
    assert_code(ASSAY_UNSUPPORTED, delta_scan_sql(t, NULL, 0, false, &arena, &sql, &err), &err);
    assert_err_has(&err, "variant");
    buf_free(&sql);
}

static void test_features_are_refused_by_name(void **state) {
    UNUSED(state);
    expect(METADATA "{\"protocol\":{\"minReaderVersion\":4,\"minWriterVersion\":7}}\n", ASSAY_UNSUPPORTED,
           "reader version 4");
    expect(METADATA "{\"protocol\":{\"minReaderVersion\":3,\"minWriterVersion\":7,\"readerFeatures\":[\"soonToCome\"],"
                    "\"writerFeatures\":[\"soonToCome\"]}}\n",
           ASSAY_UNSUPPORTED, "'soonToCome'");
    expect(METADATA "{\"protocol\":{\"minReaderVersion\":3,\"minWriterVersion\":7,\"readerFeatures\":[\"variantType\"],"
                    "\"writerFeatures\":[\"variantType\"]}}\n",
           ASSAY_UNSUPPORTED, "'variantType'");
    struct assay_error err = {0};
    struct delta_snapshot *t = accept(METADATA "{\"protocol\":{\"minReaderVersion\":1,\"minWriterVersion\":8}}\n");
    assert_code(ASSAY_UNSUPPORTED, delta_writable(t, &err), &err);
    assert_err_has(&err, "writer version 8");
    t = accept(METADATA
               "{\"protocol\":{\"minReaderVersion\":1,\"minWriterVersion\":7,\"writerFeatures\":[\"soonToCome\"]}}\n");
    assert_code(ASSAY_UNSUPPORTED, delta_writable(t, &err), &err);
    assert_err_has(&err, "'soonToCome'");
    /* an empty deletion vector, as some writers leave it, is none */
    t = accept(START "{\"add\":{\"path\":\"a\",\"partitionValues\":{},\"size\":1,\"deletionVector\":{\"storageType\":"
                     "\"\",\"pathOrInlineDv\":\"\"}}}\n");
    assert_int_equal(t->file_count, 1);
    assert_ok(delta_writable(t, &err), &err);
}

static void test_gaps_are_named(void **state) {
    UNUSED(state);
    struct delta_snapshot *snapshot;
    struct assay_error err = {0};
    put_commit(0, START);
    put_commit(1, ADD("a"));
    put_commit(3, ADD("b"));
    assert_code(ASSAY_CORRUPT, delta_snapshot_load(store, engine, ROOT, DELTA_LATEST, &arena, &snapshot, &err), &err);
    assert_err_has(&err, "00000000000000000002.json");
    assert_ok(delta_snapshot_load(store, engine, ROOT, 1, &arena, &snapshot, &err), &err);
    assert_int_equal(snapshot->file_count, 1);
    put_commit(2, "");
    assert_code(ASSAY_CORRUPT, delta_snapshot_load(store, engine, ROOT, DELTA_LATEST, &arena, &snapshot, &err), &err);
    assert_err_has(&err, "00000000000000000002.json");
}

static void test_names_that_only_look_like_the_log(void **state) {
    UNUSED(state);
    struct assay_error err = {0};
    put_commit(0, START);
    static const char *const NAMES[] = {
        "0.json",
        "00000000000000000001.json.tmp",
        "00000000000000000001.crc",
        "_last_checkpoint",
        "0000000000000000000x.json",
        "00000000000000000001.checkpoint.0000000001.0000000002.parquet",
        "00000000000000000000.00000000000000000001.compacted.json",
        "99999999999999999999.json",
        ".00000000000000000001.json",
        "_commits/00000000000000000001.json",
        "00000000000000000001",
    };
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++)
        assert_ok(store_put(store, str_printf_of("Tables/silver/t/_delta_log/%s", NAMES[i]), STR("garbage"), &err),
                  &err);
    struct delta_snapshot *t = load();
    assert_int_equal(t->version, 0);
    assert_int_equal(t->file_count, 0);
}

static void test_a_broken_checkpoint_falls_back(void **state) {
    UNUSED(state);
    struct assay_error err = {0};
    put_commit(0, START ADD("a"));
    put_commit(1, ADD("b"));
    assert_ok(store_put(store, STR("Tables/silver/t/_delta_log/00000000000000000001.checkpoint.parquet"),
                        STR("PAR1 is not enough"), &err),
              &err);
    struct delta_snapshot *t = load();
    assert_int_equal(t->file_count, 2);
    assert_ok(store_remove(store, STR("Tables/silver/t/_delta_log/00000000000000000000.json"), &err), &err);
    assert_code(ASSAY_CORRUPT, delta_snapshot_load(store, engine, ROOT, DELTA_LATEST, &arena, &t, &err), &err);
    assert_err_has(&err, "00000000000000000001.checkpoint.parquet");
}

/* A Parquet file of other columns, or of columns of other types, is no checkpoint. */
static void test_a_checkpoint_that_lies(void **state) {
    UNUSED(state);
    static const char *const LIES[][2] = {
        {"SELECT 1 AS x", "version 5 has no metaData"},
        {"SELECT 'abc' AS add, {'minReaderVersion': 1, 'minWriterVersion': 2} AS protocol", "5.checkpoint.parquet"},
        {"SELECT {'path': '../../x', 'size': 1} AS add, NULL::STRUCT(\"minReaderVersion\" INT, \"minWriterVersion\" "
         "INT) AS protocol",
         "5.checkpoint.parquet"},
        {"SELECT {'minReaderVersion': 'many', 'minWriterVersion': 2} AS protocol", "5.checkpoint.parquet"},
        {"SELECT {'minReaderVersion': -5, 'minWriterVersion': 2} AS protocol", "5.checkpoint.parquet"},
        {"SELECT {'minReaderVersion': 1, 'minWriterVersion': 2} AS protocol, {'id': 'x', 'schemaString': '{'} AS "
         "\"metaData\"",
         "5.checkpoint.parquet"},
    };
    for (size_t i = 0; i < sizeof LIES / sizeof LIES[0]; i++) {
        struct assay_error err = {0};
        struct delta_snapshot *snapshot;
        struct str path;
        assert_ok(
            store_put(store, STR("Tables/silver/t/_delta_log/00000000000000000005.checkpoint.parquet"), STR(""), &err),
            &err);
        assert_ok(store_local_path(store, STR("Tables/silver/t/_delta_log/00000000000000000005.checkpoint.parquet"),
                                   &arena, &path, &err),
                  &err);
        assert_ok(
            engine_run(engine, str_printf_of("COPY (%s) TO '%.*s' (FORMAT parquet)", LIES[i][0], STR_ARG(path)), &err),
            &err);
        assert_code(ASSAY_CORRUPT, delta_snapshot_load(store, engine, ROOT, DELTA_LATEST, &arena, &snapshot, &err),
                    &err);
        assert_err_has(&err, LIES[i][1]);
    }
}

static void test_the_later_line_of_a_commit_wins(void **state) {
    UNUSED(state);
    assert_int_equal(accept(START REMOVE("a%20b") ADD("a b"))->file_count, 1);
    assert_int_equal(accept(START ADD("a%20b") REMOVE("a b"))->file_count, 0);
    assert_int_equal(accept(START ADD("a") ADD("a"))->file_count, 1);
    put_commit(1, REMOVE("a"));
    assert_int_equal(load()->file_count, 0);
    put_commit(2, ADD("a"));
    assert_int_equal(load()->file_count, 1);
}

TEST_MAIN(LAKE_TEST(test_paths_do_not_leave_the_table), LAKE_TEST(test_absolute_paths_inside_the_table_are_its_own),
          LAKE_TEST(test_lines_that_are_no_actions), LAKE_TEST(test_schemas_that_lie),
          LAKE_TEST(test_features_are_refused_by_name), LAKE_TEST(test_gaps_are_named),
          LAKE_TEST(test_names_that_only_look_like_the_log), LAKE_TEST(test_a_broken_checkpoint_falls_back),
          LAKE_TEST(test_a_checkpoint_that_lies), LAKE_TEST(test_the_later_line_of_a_commit_wins))
