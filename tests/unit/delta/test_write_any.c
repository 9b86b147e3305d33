/* Partitioned and mapped tables, change data, defaults and deletes: what the log says and what the rows are. Escapes
 * and texts of partition values are those of Spark's own tables (tests/data/spark-tables/partitioned) and of the
 * protocol. */
#include "delta_test.h"

static struct delta_metadata *parted_metadata(void) {
    struct delta_metadata *m = simple_metadata();
    delta_field_add(m, &arena, STR("at"), (struct type){.kind = TYPE_TIMESTAMP}, true, (struct str){0});
    m->partition_columns = ARENA_ARRAY(&arena, 2, struct str);
    m->partition_columns[0] = STR("name");
    m->partition_columns[1] = STR("at");
    m->partition_column_count = 2;
    return m;
}

static size_t count_in(struct str text, const char *what) {
    size_t count = 0, at;
    for (struct str rest = text; (at = str_find(rest, str_of(what))) != SIZE_MAX; count++)
        rest = str_sub(rest, at + 1, rest.len);
    return count;
}

static void test_partitions_have_files_of_their_own(void **state) {
    UNUSED(state);
    struct delta_snapshot *t =
        create(parted_metadata(), "SELECT * FROM (VALUES (1, 'a b', TIMESTAMPTZ '2026-03-01 08:00:00.5Z'), "
                                  "(2, 'x:1%/[é]', NULL), (3, '', NULL), (4, NULL, NULL)) v(id, name, \"at\")");
    assert_int_equal(t->file_count, 3);
    struct str text = commit_text(0);
    assert_has(text, "\"path\":\"name=a%20b/at=2026-03-01T08%253A00%253A00.500000Z/part-");
    assert_has(text, "\"partitionValues\":{\"name\":\"a b\",\"at\":\"2026-03-01T08:00:00.500000Z\"}");
    assert_has(text, "\"path\":\"name=x%253A1%2525%252F%255B%C3%A9%255D/at=__HIVE_DEFAULT_PARTITION__/part-");
    assert_has(text, "\"partitionValues\":{\"name\":\"x:1%/[é]\",\"at\":null}");
    assert_has(text, "\"partitionValues\":{\"name\":null,\"at\":null}");
    assert_has(text,
               "\\\"minValues\\\":{\\\"id\\\":3},\\\"maxValues\\\":{\\\"id\\\":4},\\\"nullCount\\\":{\\\"id\\\":0}");
    assert_str(ask_table(t, "SELECT id, name, \"at\" FROM {t} ORDER BY id"),
               "1|a b|2026-03-01 08:00:00.5\n2|x:1%/[é]|NULL\n3|NULL|NULL\n4|NULL|NULL");
    /* a name too long for a folder has none; the row is of its partition all the same */
    t = append(t, "SELECT 5 AS id, repeat('é', 200) AS name, NULL AS \"at\"");
    assert_str(ask_table(t, "SELECT id, length(name) FROM {t} WHERE id = 5"), "5|200");
    assert_has(commit_text(1), "\"path\":\"part-");
}

static void test_replacing_keeps_partitions_apart(void **state) {
    UNUSED(state);
    struct assay_error err = {0};
    struct delta_metadata *m = parted_metadata();
    delta_field_add(m, &arena, STR("batch"), (struct type){.kind = TYPE_STRING}, true, (struct str){0});
    struct delta_snapshot *t =
        create(m, "SELECT range AS id, 'p' || range % 3 AS name, 'b' || range % 2 AS batch FROM range(12)");
    assert_int_equal(t->file_count, 3);
    struct delta_new_files files = stage(&t->metadata, "SELECT 100 AS id, 'p9' AS name, 'b1' AS batch");
    struct delta_commit commit = append_of(t, &files);
    int64_t version;
    struct delta_range equal = {STR("batch"), STR("b1"), STR("b1")};
    assert_ok(delta_replace_where(engine, staging, t, &commit, equal, &arena, &version, &err), &err);
    t = load();
    assert_int_equal(t->file_count, 4);
    assert_str(ask_table(t, "SELECT name, count(*), sum(id) FROM {t} GROUP BY name ORDER BY name"),
               "p0|2|6\np1|2|14\np2|2|10\np9|1|100");
    /* the partition column itself */
    equal = (struct delta_range){STR("name"), STR("p2"), STR("p2")};
    files = stage(&t->metadata, "SELECT 200 AS id, 'p2' AS name, 'b7' AS batch");
    commit = append_of(t, &files);
    assert_ok(delta_replace_where(engine, staging, t, &commit, equal, &arena, &version, &err), &err);
    assert_int_equal(count_in(commit_text(2), "{\"remove\":"), 1);
    assert_int_equal(count_in(commit_text(2), "{\"add\":"), 1);
    assert_str(ask_table(load(), "SELECT id, batch FROM {t} WHERE name = 'p2'"), "200|b7");
}

static void test_mapped_columns_have_names_and_ids_in_files(void **state) {
    UNUSED(state);
    struct delta_metadata *m = ARENA_NEW(&arena, struct delta_metadata);
    delta_property_set(m, &arena, STR("delta.columnMapping.mode"), STR("id"));
    delta_field_add(m, &arena, STR("the id"), (struct type){.kind = TYPE_BIGINT}, false, STR("the key"));
    delta_field_add_json(m, &arena, STR("st"),
                         STR("{\"type\":\"array\",\"elementType\":{\"type\":\"struct\",\"fields\":[{\"name\":\"a "
                             "b\",\"type\":\"integer\",\"nullable\":true,\"metadata\":{}}]},\"containsNull\":true}"),
                         true);
    struct delta_snapshot *t = create(m, "SELECT 1 AS \"the id\", [{'a b': 5}, NULL] AS st UNION ALL SELECT 2, NULL");
    assert_int_equal(t->protocol.min_reader, 2);
    assert_int_equal(t->protocol.min_writer, 5);
    assert_str(delta_property_get(&t->metadata, STR("delta.columnMapping.maxColumnId")), "3");
    assert_true(str_starts(t->metadata.schema.fields[0].physical_name, STR("col-")));
    assert_has(t->metadata.schema.fields[0].metadata, "\"comment\":\"the key\"");
    assert_str(ask_table(t, "SELECT * FROM {t} ORDER BY 1"), "1|[{\"a b\":5},null]\n2|NULL");
    assert_has(t->files[0].stats,
               str_printf_of("\"minValues\":{\"%.*s\":1}", STR_ARG(t->metadata.schema.fields[0].physical_name)).ptr);
    assert_str(
        ask(str_printf_of("SELECT count(*), count(field_id), max(field_id), count(*) FILTER (name LIKE 'col-%%') FROM "
                          "parquet_schema('%s/Tables/silver/t/*.parquet')",
                          lake)),
        "6|3|3|3");
    /* a column more: its own id and name; old rows are NULL there */
    struct delta_metadata *more = delta_metadata_copy(&t->metadata, &arena);
    delta_field_add(more, &arena, STR("new"), (struct type){.kind = TYPE_STRING}, true, (struct str){0});
    assert_int_equal(more->schema.fields[2].mapping_id, 4);
    struct delta_new_files files = stage(more, "SELECT 3 AS \"the id\", 'n' AS new");
    struct delta_commit commit = append_of(t, &files);
    commit.metadata = more;
    commit_ok(&commit);
    assert_str(ask_table(load(), "SELECT \"the id\", new FROM {t} ORDER BY 1"), "1|NULL\n2|NULL\n3|n");
    assert_str(delta_property_get(&load()->metadata, STR("delta.columnMapping.maxColumnId")), "4");
}

static struct str changes_of(const struct delta_snapshot *t, int64_t version) {
    UNUSED(t);
    struct str text = commit_text(version);
    if (str_find(text, STR("{\"cdc\":")) == SIZE_MAX) return STR("none");
    return ask(
        str_printf_of("SELECT _change_type, id, name FROM read_parquet('%s/Tables/silver/t/_change_data/*.parquet') "
                      "ORDER BY ALL",
                      lake));
}

static void test_deletes_say_what_they_changed(void **state) {
    UNUSED(state);
    struct assay_error err = {0};
    struct delta_metadata *m = simple_metadata();
    delta_property_set(m, &arena, STR("delta.enableChangeDataFeed"), STR("true"));
    struct delta_snapshot *t = create(m, "SELECT range AS id, CASE WHEN range < 3 THEN 'x' END AS name FROM range(5)");
    assert_int_equal(t->protocol.min_writer, 4);
    t = append(t, "SELECT 10 + range AS id, 'y' AS name FROM range(2)");
    int64_t version, deleted;
    struct delta_range high = {STR("id"), STR("10"), (struct str){0}};
    /* a whole file: nothing is written */
    assert_ok(delta_delete(engine, staging, t, STR("t.id >= 10"), &high, 1, STR("(id >= 10)"), &arena, &deleted,
                           &version, &err),
              &err);
    assert_int_equal(deleted, 2);
    assert_int_equal(count_in(commit_text(2), "{\"add\":"), 0);
    assert_str(changes_of(t, 2), "none");
    /* NULL keeps a row; the rest of the file is written anew */
    t = load();
    assert_ok(delta_delete(engine, staging, t, STR("t.name = 'x' AND t.id > 0"), NULL, 0, STR("p"), &arena, &deleted,
                           &version, &err),
              &err);
    assert_int_equal(deleted, 2);
    assert_str(changes_of(t, 3), "delete|1|x\ndelete|2|x");
    assert_str(ask_table(load(), "SELECT id, name FROM {t} ORDER BY id"), "0|x\n3|NULL\n4|NULL");
    assert_has(commit_text(3), "\"dataChange\":false");
    /* nothing to delete */
    assert_ok(
        delta_delete(engine, staging, load(), STR("t.id = 99"), NULL, 0, STR("p"), &arena, &deleted, &version, &err),
        &err);
    assert_int_equal(version, 3);
    /* append-only: nothing goes */
    m = delta_metadata_copy(&load()->metadata, &arena);
    delta_property_set(m, &arena, STR("delta.appendOnly"), STR("true"));
    struct delta_commit commit = {.base = load(), .metadata = m, .operation = "SET TBLPROPERTIES"};
    commit_ok(&commit);
    assert_code(ASSAY_UNSUPPORTED,
                delta_delete(engine, staging, load(), STR("true"), NULL, 0, STR("p"), &arena, &deleted, &version, &err),
                &err);
    assert_err_has(&err, "append-only");
}

static void test_replacing_part_of_a_file_says_what_came(void **state) {
    UNUSED(state);
    struct assay_error err = {0};
    struct delta_metadata *m = simple_metadata();
    delta_property_set(m, &arena, STR("delta.enableChangeDataFeed"), STR("true"));
    struct delta_snapshot *t = create(m, "SELECT range AS id, 'b' || range % 2 AS name FROM range(4)");
    struct delta_new_files files = stage(&t->metadata, "SELECT 7 AS id, 'b1' AS name");
    struct delta_commit commit = append_of(t, &files);
    int64_t version;
    assert_ok(delta_replace_where(engine, staging, t, &commit, (struct delta_range){STR("name"), STR("b1"), STR("b1")},
                                  &arena, &version, &err),
              &err);
    assert_str(changes_of(t, 1), "delete|1|b1\ndelete|3|b1\ninsert|7|b1");
    assert_str(ask_table(load(), "SELECT id, name FROM {t} ORDER BY id"), "0|b0\n2|b0\n7|b1");
}

static void test_defaults_and_lengths(void **state) {
    UNUSED(state);
    struct assay_error err = {0};
    struct delta_metadata *m = simple_metadata();
    delta_field_add(m, &arena, STR("score"), (struct type){TYPE_DECIMAL, 9, 3}, true, (struct str){0});
    delta_field_add(m, &arena, STR("c"), (struct type){.kind = TYPE_STRING}, true, (struct str){0});
    m->schema.fields[1].metadata = STR("{\"CURRENT_DEFAULT\":\"'no' || 'ne'\"}");
    m->schema.fields[2].metadata = STR("{\"CURRENT_DEFAULT\":\"1.5\"}");
    m->schema.fields[3].metadata = STR("{\"__CHAR_VARCHAR_TYPE_STRING\":\"char(3)\"}");
    struct delta_snapshot *t = create(m, "SELECT 1 AS id, 'é' AS c UNION ALL SELECT 2, NULL");
    t = append(t, "SELECT 3 AS id, NULL AS name, 2 AS score");
    assert_str(ask_table(t, "SELECT id, name, score, c || '.' FROM {t} ORDER BY id"),
               "1|none|1.500|é  .\n2|none|1.500|NULL\n3|NULL|2.000|NULL");
    m = delta_metadata_copy(&t->metadata, &arena);
    m->schema.fields[2].metadata = STR("{\"CURRENT_DEFAULT\":\"rand()\"}");
    struct delta_new_files files;
    struct engine_write_options options = {0};
    assert_code(ASSAY_UNSUPPORTED,
                delta_write_files(engine, staging, m, STR("SELECT 4 AS id"), &options, &arena, &files, &err), &err);
    assert_err_has(&err, "'score', whose default (rand())");
}

TEST_MAIN(LAKE_TEST(test_partitions_have_files_of_their_own), LAKE_TEST(test_replacing_keeps_partitions_apart),
          LAKE_TEST(test_mapped_columns_have_names_and_ids_in_files), LAKE_TEST(test_deletes_say_what_they_changed),
          LAKE_TEST(test_replacing_part_of_a_file_says_what_came), LAKE_TEST(test_defaults_and_lengths))
