/* Tables that Spark 3.5 with Delta 3.2 wrote (tests/data/spark-tables), read back: version, schema, properties, and
 * every value against what Spark reads. */
#include "delta_test.h"

#include <math.h>
#include <stdlib.h>

static struct delta_snapshot *open_table(const char *name, struct assay_error *err, enum assay_code *rc) {
    store_close(&store);
    *rc = store_open_local(str_of(test_data(&arena, "spark-tables")), false, &store, err);
    struct delta_snapshot *snapshot = NULL;
    if (*rc == ASSAY_OK)
        *rc = delta_snapshot_load(store, engine, str_printf_of("%s/table", name), DELTA_LATEST, &arena, &snapshot, err);
    return snapshot;
}

static bool is_real_equal(struct str a, struct str b) {
    double x = strtod(str_c(&arena, a), NULL), y = strtod(str_c(&arena, b), NULL);
    return x == y || (isnan(x) && isnan(y));
}

static struct str json_text(const struct json *node) {
    struct buf text = {0};
    json_print(&text, node);
    struct str copy = str_copy(&arena, buf_str(&text));
    buf_free(&text);
    return json_kind_of(node) == JSON_KIND_STRING ? json_str(node) : copy;
}

/* A map is [[key, value], ...] in the expectation and an object in the engine's text. */
static bool is_map_equal(const struct json *pairs, const struct json *map);

static bool is_json_equal(const struct json *expected, const struct json *actual) {
    enum json_kind kind = json_kind_of(actual);
    if (json_kind_of(expected) == JSON_KIND_ARRAY && kind == JSON_KIND_OBJECT) return is_map_equal(expected, actual);
    if (kind == JSON_KIND_REAL) return is_real_equal(json_text(expected), json_text(actual));
    if (json_kind_of(expected) != kind || json_count(expected) != json_count(actual)) return false;
    for (size_t i = 0; i < json_count(expected); i++) {
        struct str key;
        const struct json *value = NULL;
        if (kind == JSON_KIND_OBJECT) json_member_at(expected, i, &key, &value);
        const struct json *other =
            kind == JSON_KIND_OBJECT ? json_member(actual, str_c(&arena, key)) : json_at(actual, i);
        if (!is_json_equal(value ? value : json_at(expected, i), other)) return false;
    }
    return json_count(expected) > 0 || str_eq(json_text(expected), json_text(actual));
}

static bool is_map_equal(const struct json *pairs, const struct json *map) {
    if (json_count(pairs) != json_count(map)) return false;
    for (size_t i = 0; i < json_count(pairs); i++) {
        const struct json *pair = json_at(pairs, i);
        if (!is_json_equal(json_at(pair, 1), json_member(map, str_c(&arena, json_str(json_at(pair, 0)))))) return false;
    }
    return true;
}

/* Spark shows no metadata of column mapping. */
static bool is_type_equal(const struct json *expected, const struct json *actual) {
    if (json_kind_of(expected) != json_kind_of(actual) || json_count(expected) != json_count(actual)) return false;
    bool is_object = json_kind_of(expected) == JSON_KIND_OBJECT;
    for (size_t i = 0; i < json_count(expected); i++) {
        struct str key = {0};
        const struct json *value = json_at(expected, i);
        if (is_object) json_member_at(expected, i, &key, &value);
        if (str_eq(key, STR("metadata"))) continue;
        if (!is_type_equal(value, is_object ? json_member(actual, str_c(&arena, key)) : json_at(actual, i)))
            return false;
    }
    return json_count(expected) > 0 || str_eq(json_text(expected), json_text(actual));
}

static bool is_cell_equal(const struct json *expected, const struct engine_cell *cell, struct type type) {
    if (cell->is_null || json_kind_of(expected) == JSON_KIND_NULL)
        return cell->is_null && json_kind_of(expected) == JSON_KIND_NULL;
    if (type.kind == TYPE_FLOAT || type.kind == TYPE_DOUBLE) return is_real_equal(json_text(expected), cell->text);
    if (type.kind == TYPE_BINARY) return str_eq(json_str(json_member(expected, "$hex")), cell->text);
    if (type.kind == TYPE_DECIMAL) {
        struct delta_bound a = delta_bound_of_text(json_str(expected), type), b = delta_bound_of_text(cell->text, type);
        return !a.is_open && !b.is_open && delta_bound_cmp(&a, &b, type) == 0;
    }
    if (type.kind != TYPE_NONE) return str_eq(json_text(expected), cell->text);
    struct json *actual = NULL;
    bool is_equal = json_parse(cell->text, "cell", &actual, NULL) == ASSAY_OK && is_json_equal(expected, actual);
    json_close(&actual);
    return is_equal;
}

static bool is_row_equal(const struct json *expected, const struct engine_cell *cells,
                         const struct delta_schema *schema) {
    for (size_t i = 0; i < schema->count; i++) {
        const struct json *value = json_member(expected, str_c(&arena, schema->fields[i].name));
        if (!is_cell_equal(value, &cells[i], schema->fields[i].type)) return false;
    }
    return true;
}

static void compare_rows(const char *name, const struct json *expected, const struct delta_snapshot *snapshot,
                         const struct engine_result *rows) {
    const struct json *list = json_member(expected, "rows");
    assert_int_equal(rows->row_count, json_count(list));
    bool *is_used = ARENA_ARRAY(&arena, rows->row_count, bool);
    for (size_t i = 0; i < json_count(list); i++) {
        size_t k = 0;
        while (k < rows->row_count &&
               (is_used[k] ||
                !is_row_equal(json_at(list, i), &rows->cells[k * rows->column_count], &snapshot->metadata.schema)))
            k++;
        if (k == rows->row_count) fail_msg("%s: no row like %.*s", name, STR_ARG(json_text(json_at(list, i))));
        is_used[k] = true;
    }
}

static void compare_metadata(const struct json *expected, const struct delta_snapshot *snapshot) {
    assert_int_equal(snapshot->version, json_int(json_member(expected, "version")));
    assert_int_equal(snapshot->file_count, json_int(json_member(expected, "numFiles")));
    const struct json *properties = json_member(expected, "properties"), *protocol = json_member(expected, "protocol"),
                      *value;
    assert_int_equal(snapshot->metadata.property_count, json_count(properties));
    struct str key;
    for (size_t i = 0; json_member_at(properties, i, &key, &value); i++)
        assert_str(delta_property_get(&snapshot->metadata, key), str_c(&arena, json_str(value)));
    assert_int_equal(snapshot->protocol.min_reader, json_int(json_member(protocol, "minReaderVersion")));
    assert_int_equal(snapshot->protocol.min_writer, json_int(json_member(protocol, "minWriterVersion")));
    const struct json *fields = json_member(json_member(expected, "schema"), "fields");
    assert_int_equal(snapshot->metadata.schema.count, json_count(fields));
    for (size_t i = 0; i < json_count(fields); i++) {
        const struct delta_field *field = &snapshot->metadata.schema.fields[i];
        struct json *type = NULL;
        assert_ok(json_parse(field->type_json, "type", &type, NULL), NULL);
        assert_str(field->name, str_c(&arena, json_str(json_member(json_at(fields, i), "name"))));
        assert_true(is_type_equal(json_member(json_at(fields, i), "type"), type));
        assert_int_equal(field->is_nullable, json_bool(json_member(json_at(fields, i), "nullable")));
        json_close(&type);
    }
}

/* The sum of numRecords without deleted rows is the number of rows wherever every file has it. */
static void compare_counts(const struct delta_snapshot *snapshot, size_t rows) {
    int64_t sum = 0;
    for (size_t i = 0; i < snapshot->file_count; i++) {
        if (snapshot->files[i].row_count < 0) return;
        sum += snapshot->files[i].row_count;
        if (snapshot->files[i].vector) sum -= snapshot->files[i].vector->cardinality;
    }
    assert_int_equal(sum, rows);
}

static void compare_table(const char *name) {
    struct assay_error err = {0};
    enum assay_code rc;
    struct json *expected = NULL;
    assert_ok(json_parse(test_read(&arena, test_data(&arena, text_of("spark-tables/%s/expected.json", name))), name,
                         &expected, &err),
              &err);
    struct delta_snapshot *snapshot = open_table(name, &err, &rc);
    assert_ok(rc, &err);
    compare_metadata(expected, snapshot);
    struct engine_result rows;
    struct buf sql = {0};
    buf_addz(&sql, "SELECT * FROM ");
    assert_ok(delta_scan_sql(snapshot, NULL, 0, false, &arena, &sql, &err), &err);
    assert_ok(engine_query(engine, buf_str(&sql), 1000, &arena, &rows, &err), &err);
    compare_rows(name, expected, snapshot, &rows);
    compare_counts(snapshot, rows.row_count);
    buf_free(&sql);
    json_close(&expected);
}

static void test_reads_what_spark_reads(void **state) {
    UNUSED(state);
    static const char *const TABLES[] = {
        "append-only",
        "change-data-feed",
        "check-null",
        "checkpoint-classic",
        "checkpoint-multipart",
        "checkpoint-v2",
        "clustered",
        "column-defaults",
        "column-mapping",
        "column-mapping-upgraded",
        "deletion-vectors",
        "constraints",
        "generated-column",
        "history",
        "in-commit-timestamps",
        "partitioned",
        "partitioned-types",
        "restored",
        "row-tracking",
        "schema-evolution",
        "timestamp-ntz",
        "type-widening",
        "types",
    };
    for (size_t i = 0; i < sizeof TABLES / sizeof TABLES[0]; i++) compare_table(TABLES[i]);
}

static void test_refuses_to_write_by_name(void **state) {
    UNUSED(state);
    static const char *const TABLES[][2] = {
        {"append-only", NULL},
        {"check-null", NULL},
        {"checkpoint-multipart", NULL},
        {"constraints", NULL},
        {"history", NULL},
        {"schema-evolution", NULL},
        {"timestamp-ntz", NULL},
        {"types", NULL},
        {"change-data-feed", NULL},
        {"clustered", NULL},
        {"column-defaults", NULL},
        {"column-mapping", NULL},
        {"deletion-vectors", NULL},
        {"partitioned", NULL},
        {"type-widening", NULL},
        {"generated-column", "is a generated column"},
        {"in-commit-timestamps", NULL},
        {"row-tracking", "rowTracking"},
    };
    for (size_t i = 0; i < sizeof TABLES / sizeof TABLES[0]; i++) {
        struct assay_error err = {0};
        enum assay_code rc;
        struct delta_snapshot *snapshot = open_table(TABLES[i][0], &err, &rc);
        assert_ok(rc, &err);
        rc = delta_writable(snapshot, &err);
        if (!TABLES[i][1])
            assert_ok(rc, &err);
        else
            assert_code(ASSAY_UNSUPPORTED, rc, &err), assert_err_has(&err, TABLES[i][1]);
    }
}

static void test_history_is_what_spark_says(void **state) {
    UNUSED(state);
    struct assay_error err = {0};
    enum assay_code rc;
    struct json *expected = NULL;
    assert_ok(json_parse(test_read(&arena, test_data(&arena, "spark-tables/history/expected.json")), "history",
                         &expected, &err),
              &err);
    open_table("history", &err, &rc);
    struct delta_history_entry *entries;
    size_t count;
    assert_ok(delta_history(store, STR("history/table"), SIZE_MAX, &arena, &entries, &count, &err), &err);
    const struct json *list = json_member(expected, "history");
    assert_int_equal(count, json_count(list));
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < count; k++) {
            if (json_int(json_member(json_at(list, k), "version")) != entries[i].version) continue;
            assert_str(entries[i].operation, str_c(&arena, json_str(json_member(json_at(list, k), "operation"))));
        }
        assert_int_equal(entries[i].version, count - 1 - i);
        assert_true(entries[i].timestamp_ms > 1700000000000);
        assert_has(entries[i].engine_info, "Delta-Lake/3.2.1");
    }
    json_close(&expected);
}

/* With the JSON commits of the classic checkpoint's range taken away, the table still reads the same. */
static void test_a_checkpoint_stands_for_its_commits(void **state) {
    UNUSED(state);
    struct assay_error err = {0};
    enum assay_code rc;
    struct delta_snapshot *whole = open_table("checkpoint-classic", &err, &rc);
    assert_ok(rc, &err);
    store_close(&store);
    assert_ok(store_open_local(str_of(lake), false, &store, &err), &err);
    static const char *const KEPT[] = {"00000000000000000010.checkpoint.parquet", "00000000000000000011.json",
                                       "00000000000000000012.json", "00000000000000000013.json"};
    for (size_t i = 0; i < sizeof KEPT / sizeof KEPT[0]; i++) {
        struct str bytes = test_read(
            &arena, test_data(&arena, text_of("spark-tables/checkpoint-classic/table/_delta_log/%s", KEPT[i])));
        assert_ok(store_put(store, str_printf_of("Tables/silver/t/_delta_log/%s", KEPT[i]), bytes, &err), &err);
    }
    struct delta_snapshot *part = load();
    assert_int_equal(part->file_count, whole->file_count);
    for (size_t i = 0; i < part->file_count; i++) {
        assert_true(str_eq(part->files[i].path, whole->files[i].path));
        assert_true(str_eq(part->files[i].stats, whole->files[i].stats));
        assert_int_equal(part->files[i].size_bytes, whole->files[i].size_bytes);
        assert_int_equal(part->files[i].modified_ms, whole->files[i].modified_ms);
        assert_true(str_eq(part->files[i].partition_values[0], whole->files[i].partition_values[0]));
    }
    assert_str(part->metadata.id, str_c(&arena, whole->metadata.id));
    assert_str(delta_property_get(&part->metadata, STR("owner.note")), "kept");
    struct delta_snapshot *older;
    assert_code(ASSAY_CORRUPT, delta_snapshot_load(store, engine, ROOT, 9, &arena, &older, &err), &err);
    assert_err_has(&err, "00000000000000000000.json");
}

/* A V2 checkpoint and its sidecar stand for their commits; without the sidecar the table is broken, and it is named. */
static void test_a_v2_checkpoint_stands_for_its_commits(void **state) {
    UNUSED(state);
    struct assay_error err = {0};
    enum assay_code rc;
    struct delta_snapshot *t, *whole = open_table("checkpoint-v2", &err, &rc);
    assert_ok(rc, &err);
    store_close(&store);
    assert_ok(store_open_local(str_of(lake), false, &store, &err), &err);
    static const char *const KEPT[] = {
        "00000000000000000004.checkpoint.24f42d12-9b22-412d-a90e-22de74acf89d.json",
        "00000000000000000005.json",
        "00000000000000000006.json",
        "00000000000000000007.json",
        "_sidecars/"
        "00000000000000000004.checkpoint.0000000001.0000000001.a5f4e342-5ff6-4ab6-9d64-c2494a7e40ac.parquet",
    };
    for (size_t i = 0; i < sizeof KEPT / sizeof KEPT[0]; i++) {
        struct str bytes =
            test_read(&arena, test_data(&arena, text_of("spark-tables/checkpoint-v2/table/_delta_log/%s", KEPT[i])));
        assert_ok(store_put(store, str_printf_of("Tables/silver/t/_delta_log/%s", KEPT[i]), bytes, &err), &err);
    }
    struct delta_snapshot *part = load();
    assert_int_equal(part->version, 7);
    assert_int_equal(part->file_count, whole->file_count);
    for (size_t i = 0; i < part->file_count; i++) {
        assert_true(str_eq(part->files[i].path, whole->files[i].path));
        assert_true(str_eq(part->files[i].stats, whole->files[i].stats));
    }
    assert_ok(store_remove(store, str_printf_of("Tables/silver/t/_delta_log/%s", KEPT[4]), &err), &err);
    assert_code(ASSAY_CORRUPT, delta_snapshot_load(store, engine, ROOT, DELTA_LATEST, &arena, &t, &err), &err);
    assert_err_has(&err, KEPT[4]);
}

TEST_MAIN(LAKE_TEST(test_reads_what_spark_reads), LAKE_TEST(test_refuses_to_write_by_name),
          LAKE_TEST(test_history_is_what_spark_says), LAKE_TEST(test_a_checkpoint_stands_for_its_commits),
          LAKE_TEST(test_a_v2_checkpoint_stands_for_its_commits))
