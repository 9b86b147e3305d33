/* Commits of our own: what a commit says, its rows read back, rules on the way in, properties that forbid, the outcomes
 * of a put. */
#include "delta_test.h"

static const struct json *action_of(struct json **tree, int64_t version, const char *name, size_t nth) {
    struct str rest = commit_text(version), line;
    while (rest.len > 0) {
        rest = str_split(rest, '\n', &line);
        assert_ok(json_parse(line, "line", tree, NULL), NULL);
        const struct json *body = json_member(*tree, name);
        if (body && nth-- == 0) return body;
        json_close(tree);
    }
    return NULL;
}

static struct str printed(const struct json *node) {
    struct buf text = {0};
    json_print(&text, node);
    struct str copy = str_copy(&arena, buf_str(&text));
    buf_free(&text);
    return copy;
}

static void test_creates_a_table_as_the_protocol_says(void **state) {
    UNUSED(state);
    struct delta_snapshot *t = create(simple_metadata(), "SELECT 1 AS id, 'a' AS name UNION ALL SELECT 2, NULL");
    assert_int_equal(t->version, 0);
    assert_int_equal(t->protocol.min_reader, 1);
    assert_int_equal(t->protocol.min_writer, 2);
    assert_int_equal(t->metadata.id.len, 36);
    assert_int_equal(t->file_count, 1);
    assert_int_equal(t->files[0].row_count, 2);
    assert_str(ask_table(t, "SELECT id, name FROM {t} ORDER BY id"), "1|a\n2|NULL");

    struct json *tree = NULL;
    assert_str(str_split(commit_text(0), ':', &(struct str){0}).ptr ? str_sub(commit_text(0), 0, 14) : STR(""),
               "{\"commitInfo\":");
    const struct json *info = action_of(&tree, 0, "commitInfo", 0);
    assert_str(json_str(json_member(info, "engineInfo")), "assay/" ASSAY_VERSION);
    assert_str(printed(json_member(info, "isBlindAppend")), "true");
    assert_str(json_str(json_member(info, "isolationLevel")), "Serializable");
    assert_null(json_member(info, "readVersion"));
    json_close(&tree);
    const struct json *add = action_of(&tree, 0, "add", 0);
    assert_str(json_str(json_member(add, "stats")),
               "{\"numRecords\":2,\"minValues\":{\"id\":1,\"name\":\"a\"},\"maxValues\":{\"id\":2,\"name\":\"a\"},"
               "\"nullCount\":{\"id\":0,\"name\":1}}");
    assert_str(printed(json_member(add, "partitionValues")), "{}");
    assert_true(str_starts(json_str(json_member(add, "path")), STR("part-00000-")));
    assert_true(str_ends(json_str(json_member(add, "path")), STR(".zstd.parquet")));
    json_close(&tree);
    const struct json *metadata = action_of(&tree, 0, "metaData", 0);
    assert_str(json_str(json_member(metadata, "schemaString")),
               "{\"type\":\"struct\",\"fields\":[{\"name\":\"id\",\"type\":\"long\",\"nullable\":false,\"metadata\":{"
               "\"comment\":\"the key\"}},"
               "{\"name\":\"name\",\"type\":\"string\",\"nullable\":true,\"metadata\":{}}]}");
    json_close(&tree);
}

static void test_replaces_files_in_one_commit(void **state) {
    UNUSED(state);
    struct delta_snapshot *t = create(simple_metadata(), "SELECT 1 AS id, 'a' AS name");
    t = append(t, "SELECT 2 AS id, 'b' AS name");
    assert_int_equal(t->file_count, 2);
    size_t old = str_find(t->files[0].stats, STR("\"id\":1")) != SIZE_MAX ? 0 : 1;
    struct delta_new_files files = stage(&t->metadata, "SELECT 1 AS id, 'A' AS name");
    struct delta_commit commit = append_of(t, &files);
    struct delta_property metrics[] = {{STR("numOutputRows"), STR("1")}};
    struct delta_txn txn = {STR("job"), 7, -1};
    commit.removes = &old, commit.remove_count = 1, commit.scope = DELTA_READ_TABLE;
    commit.metrics = metrics, commit.metric_count = 1, commit.txns = &txn, commit.txn_count = 1,
    commit.user_metadata = STR("{\"run\":\"x\"}");
    assert_int_equal(commit_ok(&commit), 2);
    struct delta_snapshot *after = load();
    assert_str(ask_table(after, "SELECT id, name FROM {t} ORDER BY id"), "1|A\n2|b");
    assert_int_equal(delta_txn_find(after, STR("job"))->version, 7);
    assert_true(delta_txn_find(after, STR("job"))->last_updated_ms > 0);

    struct json *tree = NULL;
    const struct json *removed = action_of(&tree, 2, "remove", 0);
    assert_str(json_str(json_member(removed, "path")), str_c(&arena, t->files[old].path));
    assert_str(printed(json_member(removed, "extendedFileMetadata")), "true");
    assert_str(printed(json_member(removed, "dataChange")), "true");
    assert_int_equal(json_int(json_member(removed, "size")), t->files[old].size_bytes);
    assert_str(json_str(json_member(removed, "stats")), str_c(&arena, t->files[old].stats));
    json_close(&tree);
    const struct json *info = action_of(&tree, 2, "commitInfo", 0);
    assert_str(printed(json_member(info, "operationMetrics")), "{\"numOutputRows\":\"1\"}");
    assert_str(json_str(json_member(info, "userMetadata")), "{\"run\":\"x\"}");
    assert_int_equal(json_int(json_member(info, "readVersion")), 1);
    json_close(&tree);

    struct delta_snapshot *before;
    struct assay_error err = {0};
    assert_ok(delta_snapshot_load(store, engine, ROOT, 1, &arena, &before, &err), &err);
    assert_str(ask_table(before, "SELECT id, name FROM {t} ORDER BY id"), "1|a\n2|b");
    assert_null(delta_txn_find(before, STR("job")));
    assert_code(ASSAY_NOT_FOUND, delta_snapshot_load(store, engine, ROOT, 3, &arena, &before, &err), &err);
    assert_code(ASSAY_NOT_FOUND,
                delta_snapshot_load(store, engine, STR("Tables/none"), DELTA_LATEST, &arena, &before, &err), &err);
}

static void test_nothing_to_do_makes_no_commit(void **state) {
    UNUSED(state);
    struct delta_snapshot *t = create(simple_metadata(), NULL);
    assert_int_equal(t->file_count, 0);
    assert_str(ask_table(t, "SELECT count(*), max(id), max(name) FROM {t}"), "0|NULL|NULL");
    struct delta_new_files none = stage(&t->metadata, "SELECT 1 AS id WHERE FALSE");
    assert_int_equal(none.count, 0);
    struct delta_commit commit = append_of(t, &none);
    assert_int_equal(commit_ok(&commit), 0);
    assert_int_equal(load()->version, 0);
}

static void refuse_write(const struct delta_metadata *metadata, const char *select, enum assay_code code,
                         const char *part) {
    struct assay_error err = {0};
    struct delta_new_files files;
    struct engine_write_options options = {0};
    assert_code(code, delta_write_files(engine, staging, metadata, str_of(select), &options, &arena, &files, &err),
                &err);
    assert_err_has(&err, part);
}

static void test_rules_of_the_table_hold_for_every_row(void **state) {
    UNUSED(state);
    struct delta_metadata *m = simple_metadata();
    delta_field_add(m, &arena, STR("amount"), (struct type){TYPE_DECIMAL, 18, 2}, true, (struct str){0});
    delta_property_set(m, &arena, STR("delta.constraints.amount_ok"), STR("amount >= 0"));
    refuse_write(m, "SELECT NULL::BIGINT AS id, 1 AS amount", ASSAY_REFUSED, "NOT NULL of column 'id'");
    refuse_write(m, "SELECT 7 AS id, 1 AS amount UNION ALL SELECT 8, -1", ASSAY_REFUSED, "'amount_ok' (amount >= 0)");
    refuse_write(m, "SELECT 7 AS id, 1 AS amount UNION ALL SELECT 8, -1", ASSAY_REFUSED,
                 "id = 8, name = NULL, amount = -1.00");
    refuse_write(m, "SELECT 7 AS id, NULL AS amount", ASSAY_REFUSED, "amount_ok");
    refuse_write(m, "SELECT 7 AS id", ASSAY_REFUSED, "amount_ok");
    refuse_write(m, "SELECT 'x' AS name", ASSAY_REFUSED, "NOT NULL of column 'id'");
    refuse_write(m, "SELECT 7 AS id, 1 AS amount, 2 AS more", ASSAY_INTERNAL, "'more'");
    /* rows that a filter of the SELECT takes out are never judged */
    struct delta_new_files files =
        stage(m, "SELECT id, amount FROM (SELECT range AS id, range - 5 AS amount FROM range(1000)) WHERE amount >= 0");
    assert_int_equal(files.row_count, 995);
    struct delta_commit commit = append_of(NULL, &files);
    commit.metadata = m;
    commit_ok(&commit);
    struct delta_snapshot *t = load();
    assert_int_equal(t->protocol.min_reader, 1);
    assert_int_equal(t->protocol.min_writer, 3);
    assert_str(ask_table(t, "SELECT count(*), min(id), max(amount) FROM {t}"), "995|5|994.00");
}

static void test_invariants_lengths_and_nested_not_null(void **state) {
    UNUSED(state);
    struct delta_metadata *m = simple_metadata();
    delta_field_add_json(m, &arena, STR("st"),
                         STR("{\"type\":\"struct\",\"fields\":[{\"name\":\"a "
                             "b\",\"type\":\"integer\",\"nullable\":false,\"metadata\":{}}]}"),
                         true);
    m->schema.fields[0].metadata =
        STR("{\"delta.invariants\":\"{\\\"expression\\\":{\\\"expression\\\":\\\"id > 3\\\"}}\"}");
    m->schema.fields[1].metadata = STR("{\"__CHAR_VARCHAR_TYPE_STRING\":\"varchar(3)\"}");
    refuse_write(m, "SELECT 3 AS id, {'a b': 1} AS st", ASSAY_REFUSED, "id > 3");
    refuse_write(m, "SELECT 4 AS id, 'abcd' AS name, {'a b': 1} AS st", ASSAY_REFUSED, "varchar(3)");
    refuse_write(m, "SELECT 4 AS id, {'a b': NULL} AS st", ASSAY_REFUSED, "'st.a b'");
    refuse_write(m, "SELECT 4 AS id, NULL AS st", ASSAY_REFUSED, "'st.a b'");
    assert_int_equal(stage(m, "SELECT 4 AS id, '\xC3\xA9\xC3\xA9\xC3\xA9' AS name, {'a b': 1} AS st").row_count, 1);
    m->schema.fields[1].metadata = STR("{\"__CHAR_VARCHAR_TYPE_STRING\":\"char(3)\"}");
    refuse_write(m, "SELECT 4 AS id, 'abcd' AS name, {'a b': 1} AS st", ASSAY_REFUSED, "char(3)");
    m->schema.fields[1].metadata = STR("{\"__CHAR_VARCHAR_TYPE_STRING\":\"char(n)\"}");
    refuse_write(m, "SELECT 4 AS id", ASSAY_UNSUPPORTED, "char(n)");
}

static void test_append_only_and_bad_metadata_are_refused(void **state) {
    UNUSED(state);
    struct assay_error err = {0};
    int64_t version;
    struct delta_metadata *m = simple_metadata();
    delta_property_set(m, &arena, STR("delta.appendOnly"), STR("true"));
    struct delta_snapshot *t = create(m, "SELECT 1 AS id");
    t = append(t, "SELECT 2 AS id");
    size_t first = 0;
    struct delta_commit commit = {
        .base = t, .removes = &first, .remove_count = 1, .operation = "DELETE", .scope = DELTA_READ_TABLE};
    assert_code(ASSAY_UNSUPPORTED, delta_commit(store, engine, ROOT, &commit, &version, &err), &err);
    assert_err_has(&err, "append-only");
    /* rearranging is allowed */
    struct delta_new_files files = stage(&t->metadata, "SELECT 1 AS id");
    size_t old = str_find(t->files[0].stats, STR("\"id\":1")) != SIZE_MAX ? 0 : 1;
    commit = append_of(t, &files);
    commit.removes = &old, commit.remove_count = 1, commit.is_rearranged = true, commit.operation = "OPTIMIZE";
    commit_ok(&commit);
    assert_str(ask_table(load(), "SELECT id FROM {t} ORDER BY id"), "1\n2");

    struct delta_metadata bad = {0};
    struct delta_commit create_bad = {.metadata = &bad, .operation = "CREATE TABLE"};
    assert_code(ASSAY_CONFLICT,
                delta_commit(store, engine, ROOT, &(struct delta_commit){.metadata = m, .operation = "CREATE TABLE"},
                             &version, &err),
                &err);
    assert_code(ASSAY_INVALID, delta_commit(store, engine, STR("Tables/other"), &create_bad, &version, &err), &err);
    delta_field_add(&bad, &arena, STR("a b"), (struct type){.kind = TYPE_STRING}, true, (struct str){0});
    assert_code(ASSAY_INVALID, delta_commit(store, engine, STR("Tables/other"), &create_bad, &version, &err), &err);
    assert_err_has(&err, "'a b'");
}

static void test_metadata_changes_keep_id_and_raise_the_protocol(void **state) {
    UNUSED(state);
    struct delta_snapshot *t = create(simple_metadata(), "SELECT 1 AS id");
    struct delta_metadata *m = delta_metadata_copy(&t->metadata, &arena);
    delta_field_add(m, &arena, STR("more"), (struct type){.kind = TYPE_INT}, true, (struct str){0});
    delta_property_set(m, &arena, STR("delta.constraints.id_ok"), STR("id > 0"));
    struct delta_commit commit = {.base = t, .metadata = m, .operation = "ADD CONSTRAINT", .scope = DELTA_READ_TABLE};
    commit_ok(&commit);
    struct delta_snapshot *after = load();
    assert_str(after->metadata.id, str_c(&arena, t->metadata.id));
    assert_int_equal(after->metadata.created_ms, t->metadata.created_ms);
    assert_int_equal(after->protocol.min_writer, 3);
    assert_str(ask_table(after, "SELECT id, name, more FROM {t}"), "1|NULL|NULL");
    m = delta_metadata_copy(&after->metadata, &arena);
    delta_field_add(m, &arena, STR("wall"), (struct type){.kind = TYPE_TIMESTAMP_NTZ}, true, (struct str){0});
    commit = (struct delta_commit){.base = after, .metadata = m, .operation = "ADD COLUMNS", .scope = DELTA_READ_TABLE};
    commit_ok(&commit);
    after = load();
    assert_int_equal(after->protocol.min_reader, 3);
    assert_int_equal(after->protocol.min_writer, 7);
    struct buf features = {0};
    for (size_t i = 0; i < after->protocol.writer_feature_count; i++)
        buf_printf(&features, "%.*s ", STR_ARG(after->protocol.writer_features[i]));
    assert_str(buf_str(&features), "appendOnly invariants checkConstraints timestampNtz ");
    buf_free(&features);
    assert_int_equal(after->protocol.reader_feature_count, 1);
    assert_ok(delta_writable(after, NULL), NULL);
}

static void test_places_name_the_file_and_the_row(void **state) {
    UNUSED(state);
    struct delta_snapshot *t = create(simple_metadata(), "SELECT range AS id, 'f0' AS name FROM range(3)");
    t = append(t, "SELECT 10 AS id, 'f1' AS name");
    t = append(t, "SELECT 20 AS id, 'f2' AS name");
    size_t of[3];
    for (size_t i = 0; i < 3; i++) {
        struct str name = ask_files(t, "SELECT min(name) FROM {t}", &i, 1, false);
        of[name.ptr[1] - '0'] = i;
    }
    size_t picked[] = {of[2], of[0]};
    struct str expected = str_printf_of("0|%zu|0\n1|%zu|1\n2|%zu|2\n20|%zu|0", of[0], of[0], of[0], of[2]);
    assert_str(ask_files(t, "SELECT id, _assay_file, _assay_row FROM {t} ORDER BY id", picked, 2, true), expected.ptr);
    assert_str(ask_files(t, "SELECT count(DISTINCT _assay_file), count(*) FROM {t}", NULL, 0, true), "3|5");
    assert_str(ask_files(t, "SELECT _assay_file FROM {t} WHERE id = 10", NULL, 0, true),
               str_printf_of("%zu", of[1]).ptr);
    assert_str(ask_files(t, "SELECT count(*) FROM {t}", picked, 0, true), "0");
}

static void test_every_type_comes_back(void **state) {
    UNUSED(state);
    struct delta_metadata *m = ARENA_NEW(&arena, struct delta_metadata);
    static const struct {
        const char *name;
        struct type type;
    } COLUMNS[] = {
        {"s", {.kind = TYPE_STRING}},     {"b", {.kind = TYPE_BOOLEAN}},    {"i8", {.kind = TYPE_TINYINT}},
        {"i16", {.kind = TYPE_SMALLINT}}, {"i32", {.kind = TYPE_INT}},      {"i64", {.kind = TYPE_BIGINT}},
        {"f", {.kind = TYPE_FLOAT}},      {"d", {.kind = TYPE_DOUBLE}},     {"dec", {TYPE_DECIMAL, 38, 10}},
        {"day", {.kind = TYPE_DATE}},     {"ts", {.kind = TYPE_TIMESTAMP}}, {"bin", {.kind = TYPE_BINARY}},
    };
    for (size_t i = 0; i < sizeof COLUMNS / sizeof COLUMNS[0]; i++)
        delta_field_add(m, &arena, str_of(COLUMNS[i].name), COLUMNS[i].type, true, (struct str){0});
    delta_field_add_json(
        m, &arena, STR("arr"),
        STR("{\"type\":\"array\",\"elementType\":{\"type\":\"struct\",\"fields\":[{\"name\":\"x\\\"y\",\"type\":"
            "\"string\",\"nullable\":true,\"metadata\":{}}]},\"containsNull\":true}"),
        true);
    struct delta_snapshot *t = create(
        m,
        "SELECT 'ü''\"' AS s, true AS b, -128 AS i8, 32767 AS i16, -2147483648 AS i32, 9223372036854775807 AS i64, "
        "0.1::FLOAT AS f, "
        "1e-300 AS d, 1234567890123456789012345678.0123456789::DECIMAL(38,10) AS dec, DATE '0001-01-01' AS day, "
        "TIMESTAMPTZ '9999-12-31 23:59:59.999999+00' AS ts, '\\x00\\xFF'::BLOB AS bin, [{'x\"y': 'v'}, NULL] AS arr");
    assert_str(
        ask_table(t, "SELECT * FROM {t}"),
        "ü'\"|true|-128|32767|-2147483648|9223372036854775807|0.1|1e-300|"
        "1234567890123456789012345678.0123456789|0001-01-01|9999-12-31 23:59:59.999999|00ff|[{\"x\\\"y\":\"v\"},null]");
    assert_has(t->files[0].stats, "\"dec\":1234567890123456789012345678.0123456789");
    assert_has(t->files[0].stats, "\"ts\":\"9999-12-31T23:59:59.999Z\"");
    assert_has(t->files[0].stats, "\"i64\":9223372036854775807");
}

static void test_data_files_with_odd_names_are_found(void **state) {
    UNUSED(state);
    struct delta_snapshot *t = create(simple_metadata(), "SELECT 1 AS id");
    static const char *const NAMES[][2] = {/* in the log, on disk */
                                           {"a%20b.parquet", "a b.parquet"},
                                           {"p=x%253Ay/c+d.parquet", "p=x%3Ay/c+d.parquet"},
                                           {"%5Bq%5D%2A'%22.parquet", "[q]*'\".parquet"},
                                           {"é😈.parquet", "é😈.parquet"}};
    struct str bytes;
    struct assay_error err = {0};
    assert_ok(store_get(store, str_path(&arena, ROOT, t->files[0].path), &arena, &bytes, &err), &err);
    struct buf text = {0};
    for (size_t i = 0; i < 4; i++) {
        assert_ok(store_put(store, str_path(&arena, ROOT, str_of(NAMES[i][1])), bytes, &err), &err);
        buf_printf(&text,
                   "{\"add\":{\"path\":\"%s\",\"partitionValues\":{},\"size\":%zu,\"modificationTime\":1,"
                   "\"dataChange\":true}}\n",
                   NAMES[i][0], bytes.len);
    }
    put_commit(1, buf_str(&text).ptr);
    t = load();
    assert_int_equal(t->file_count, 5);
    assert_str(ask_table(t, "SELECT count(*), sum(id) FROM {t}"), "5|5");
    /* a remove says the path as the add said it */
    for (size_t i = 0; i < t->file_count; i++) {
        if (!str_starts(t->files[i].path, STR("p=x"))) continue;
        struct delta_commit commit = {
            .base = t, .removes = &i, .remove_count = 1, .operation = "DELETE", .scope = DELTA_READ_TABLE};
        commit_ok(&commit);
    }
    assert_has(commit_text(2), "\"path\":\"p=x%253Ay/c+d.parquet\"");
    assert_int_equal(load()->file_count, 4);
    buf_free(&text);
}

TEST_MAIN(LAKE_TEST(test_creates_a_table_as_the_protocol_says), LAKE_TEST(test_replaces_files_in_one_commit),
          LAKE_TEST(test_nothing_to_do_makes_no_commit), LAKE_TEST(test_rules_of_the_table_hold_for_every_row),
          LAKE_TEST(test_invariants_lengths_and_nested_not_null),
          LAKE_TEST(test_append_only_and_bad_metadata_are_refused),
          LAKE_TEST(test_metadata_changes_keep_id_and_raise_the_protocol),
          LAKE_TEST(test_places_name_the_file_and_the_row), LAKE_TEST(test_every_type_comes_back),
          LAKE_TEST(test_data_files_with_odd_names_are_found))
