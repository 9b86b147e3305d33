/* What files do not say as the schema does: mapped names, narrower types, missing members, void columns, partition
 * values of every type, files of another table. Expected values are those of the protocol's text. */
#include "delta_test.h"

#include <stdlib.h>
#include <unistd.h>

#define FIELD(name, type, metadata)                                                                                    \
    "{\"name\":\"" name "\",\"type\":" type ",\"nullable\":true,\"metadata\":{" metadata "}}"
#define MAPPED(id, physical) "\"delta.columnMapping.id\":" #id ",\"delta.columnMapping.physicalName\":\"" physical "\""
#define STRUCT(fields) "{\"type\":\"struct\",\"fields\":[" fields "]}"
#define STRUCT2(a, b) STRUCT(a "," b)
/* Columns of a schema. */
#define FIELDS(...) join((const char *const[]){__VA_ARGS__, NULL})

/* A file of the table with the rows of a select; its size. */
static struct engine_file write_file(const char *select, const char *name) {
    struct assay_error err = {0};
    struct engine_files files;
    struct engine_write_options options = {.keep_order = true};
    assert_ok(engine_write_parquet(engine, str_of(select), staging_path(staging, &arena, STR("x")), &options, &arena,
                                   &files, &err),
              &err);
    assert_int_equal(files.count, 1);
    assert_ok(store_publish(store, files.files[0].path, str_path(&arena, ROOT, str_of(name)), &err), &err);
    return files.files[0];
}

/* A file written with field ids by the engine's own COPY. */
static void write_with_ids(const char *select, const char *name, const char *ids) {
    struct assay_error err = {0};
    struct str path;
    assert_ok(store_local_path(store, str_path(&arena, ROOT, str_of(name)), &arena, &path, &err), &err);
    struct str staged = staging_path(staging, &arena, STR("x.parquet"));
    assert_ok(
        engine_run(engine,
                   str_printf_of("COPY (%s) TO '%.*s' (FORMAT PARQUET, FIELD_IDS %s)", select, STR_ARG(staged), ids),
                   &err),
        &err);
    assert_ok(store_publish(store, staged, str_path(&arena, ROOT, str_of(name)), &err), &err);
}

static const char *join(const char *const *fields) {
    struct buf text = {0};
    for (size_t i = 0; fields[i]; i++) buf_printf(&text, "%s%s", i ? "," : "", fields[i]);
    const char *copy = str_c(&arena, buf_str(&text));
    buf_free(&text);
    return copy;
}

static void put_text(struct buf *text, const char *value) {
    struct json_writer w = {.out = text};
    json_put_str(&w, str_of(value));
}

/* Version 0: protocol, schema, properties as JSON members, partition columns as a JSON list, and add actions. */
static void put_table(const char *protocol, const char *fields, const char *properties, const char *partitions,
                      const char *adds) {
    struct buf text = {0};
    buf_printf(&text,
               "{\"protocol\":%s}\n{\"metaData\":{\"id\":\"x\",\"format\":{\"provider\":\"parquet\"},"
               "\"schemaString\":",
               protocol);
    put_text(&text, text_of(STRUCT("%s"), fields));
    buf_printf(&text, ",\"partitionColumns\":%s,\"configuration\":{%s}}}\n%s", partitions, properties, adds);
    put_commit(0, text.data);
    buf_free(&text);
}

#define ADD(path, values)                                                                                              \
    "{\"add\":{\"path\":\"" path "\",\"partitionValues\":{" values "},\"size\":1,\"modificationTime\":1,"              \
    "\"dataChange\":true}}\n"
#define LEGACY "{\"minReaderVersion\":2,\"minWriterVersion\":5}"
#define PLAIN "{\"minReaderVersion\":1,\"minWriterVersion\":2}"

#define LIST_OF(type) "{\"type\":\"array\",\"elementType\":" type ",\"containsNull\":true}"
#define MAP_TO(type) "{\"type\":\"map\",\"keyType\":\"string\",\"valueType\":" type ",\"valueContainsNull\":true}"

/* One of every nesting, each with a renamed member; the file lacks `late` at every depth and has the members in another
 * order. */
static const char *const NESTED[] = {
    FIELD("ID", "\"long\"", MAPPED(1, "p1")),
    FIELD("s", STRUCT2(FIELD("in ner", "\"integer\"", MAPPED(3, "p3")), FIELD("late", "\"string\"", MAPPED(4, "p4"))),
          MAPPED(2, "p2")),
    FIELD("l", LIST_OF(STRUCT(FIELD("x", "\"long\"", MAPPED(6, "p6")))), MAPPED(5, "p5")),
    FIELD("m", MAP_TO(STRUCT2(FIELD("y", "\"long\"", MAPPED(8, "p8")), FIELD("late", "\"date\"", MAPPED(9, "p9")))),
          MAPPED(7, "p7")),
    FIELD("late", "\"double\"", MAPPED(10, "p10")),
    FIELD("part", "\"integer\"", MAPPED(11, "p11")),
    NULL,
};

static const char NESTED_ROWS[] =
    "SELECT * FROM (VALUES (MAP {'k': {'p8': 8}, 'n': NULL}, [{'p6': 1}, NULL, {'p6': NULL}], {'p3': 3}, 10), "
    "(MAP {}, [], {'p3': NULL}, 11), (NULL, NULL, NULL, 12)) v(p7, p5, p2, p1)";

static void check_nested(void) {
    struct delta_snapshot *t = load();
    assert_str(
        ask_table(t, "SELECT * FROM {t} ORDER BY 1"),
        "10|{\"in ner\":3,\"late\":null}|[{\"x\":1},null,{\"x\":null}]|{\"k\":{\"y\":8,\"late\":null},\"n\":null}"
        "|NULL|7\n"
        "11|{\"in ner\":null,\"late\":null}|[]|{}|NULL|7\n"
        "12|NULL|NULL|NULL|NULL|7");
    assert_str(ask_table(t, "SELECT typeof(s), typeof(m), typeof(late) FROM {t} LIMIT 1"),
               "STRUCT(\"in ner\" INTEGER, late VARCHAR)|MAP(VARCHAR, STRUCT(y BIGINT, late DATE))|DOUBLE");
    assert_str(ask_files(t, "SELECT " DELTA_SCAN_ROW " FROM {t} WHERE \"ID\" > 11", NULL, 0, true), "2");
    assert_str(ask_files(t, "SELECT count(*) FROM {t} WHERE s.\"in ner\" = 3", NULL, 0, true), "1");
}

static void test_mapping_by_name(void **state) {
    UNUSED(state);
    write_file(NESTED_ROWS, "a");
    put_table(LEGACY, join(NESTED), "\"delta.columnMapping.mode\":\"name\"", "[\"part\"]", ADD("a", "\"p11\":\"7\""));
    check_nested();
    /* without a mode the names are what they are */
    put_table(PLAIN, FIELD("p1", "\"long\"", MAPPED(1, "p7")), "", "[]", ADD("a", ""));
    assert_str(ask_table(load(), "SELECT string_agg(p1, ' ' ORDER BY p1) FROM {t}"), "10 11 12");
    struct assay_error err = {0};
    struct delta_snapshot *snapshot;
    put_table(PLAIN, FIELD("p1", "\"long\"", MAPPED(1, "p7")), "\"delta.columnMapping.mode\":\"name\"", "[]", "");
    assert_code(ASSAY_UNSUPPORTED, delta_snapshot_load(store, engine, ROOT, DELTA_LATEST, &arena, &snapshot, &err),
                &err);
    assert_err_has(&err, "columnMapping");
    put_table(LEGACY, FIELD("p1", "\"long\"", MAPPED(1, "p7")), "\"delta.columnMapping.mode\":\"position\"", "[]", "");
    assert_code(ASSAY_UNSUPPORTED, delta_snapshot_load(store, engine, ROOT, DELTA_LATEST, &arena, &snapshot, &err),
                &err);
    assert_err_has(&err, "'position' (feature columnMapping)");
}

static const char IDS[] = "{p1: 1, p2: {__duckdb_field_id: 2, p3: 3}, p5: {__duckdb_field_id: 5, element: "
                          "{__duckdb_field_id: 55, p6: 6}}, p7: {__duckdb_field_id: 7, key: 77, value: "
                          "{__duckdb_field_id: 78, p8: 8}}}";

static void expect_unscanned(const char *part) {
    struct assay_error err = {0};
    struct buf sql = {0};
    assert_code(ASSAY_UNSUPPORTED, delta_scan_sql(load(), NULL, 0, false, &arena, &sql, &err), &err);
    assert_err_has(&err, part);
    buf_free(&sql);
}

static void test_mapping_by_id(void **state) {
    UNUSED(state);
    static const char MODE[] = "\"delta.columnMapping.mode\":\"id\"";
    struct assay_error err = {0};
    assert_ok(store_put(store, str_path(&arena, ROOT, STR("x")), STR(""), &err), &err);
    write_with_ids(NESTED_ROWS, "a", IDS);
    put_table(LEGACY, join(NESTED), MODE, "[\"part\"]", ADD("a", "\"p11\":\"7\""));
    check_nested();
    /* only the id counts, whatever the column is called in the file */
    write_with_ids("SELECT 5 AS zz, 6 AS p1", "b", "{zz: 1, p1: 99}");
    put_table(LEGACY, FIELD("ID", "\"long\"", MAPPED(1, "p1")), MODE, "[]", ADD("b", ""));
    assert_str(ask_table(load(), "SELECT * FROM {t}"), "5");
    put_table(LEGACY, FIELD("ID", "\"long\"", ""), MODE, "[]", "");
    struct buf sql = {0};
    put_table(LEGACY, FIELD("ID", "\"long\"", ""), MODE, "[]", ADD("b", ""));
    assert_code(ASSAY_CORRUPT, delta_scan_sql(load(), NULL, 0, false, &arena, &sql, &err), &err);
    assert_err_has(&err, "no id");
    buf_free(&sql);
    /* what cannot be found by id is refused, not NULL */
    write_file("SELECT 5 AS p1", "c");
    put_table(LEGACY, FIELD("ID", "\"long\"", MAPPED(1, "p1")), MODE, "[]", ADD("c", ""));
    expect_unscanned("no field ids");
    write_with_ids("SELECT {'other': 3} AS p2", "d", "{p2: {__duckdb_field_id: 2, other: 3}}");
    put_table(LEGACY, FIELD("s", STRUCT(FIELD("x", "\"integer\"", MAPPED(3, "p3"))), MAPPED(2, "p2")), MODE, "[]",
              ADD("d", ""));
    expect_unscanned("'p3'");
}

#define WIDENED                                                                                                        \
    "{\"minReaderVersion\":3,\"minWriterVersion\":7,\"readerFeatures\":[\"typeWidening\",\"timestampNtz\"],"           \
    "\"writerFeatures\":[\"typeWidening\",\"timestampNtz\"]}"
#define CHANGED(name, from, to)                                                                                        \
    FIELD(name, "\"" to "\"", "\"delta.typeChanges\":[{\"fromType\":\"" from "\",\"toType\":\"" to "\"}]")

static void test_type_widening(void **state) {
    UNUSED(state);
    write_file("SELECT CAST(-128 AS TINYINT) AS a, 127::TINYINT AS b, CAST(-32768 AS SMALLINT) AS c, "
               "2147483647::INTEGER AS d, "
               "0.1::FLOAT AS e, 16777217::INTEGER AS f, 99.9::DECIMAL(3,1) AS g, 2147483647::INTEGER AS h, "
               "9223372036854775807::BIGINT AS i, DATE '0001-01-01' AS j, {'n': 5::SMALLINT} AS k, "
               "[1::TINYINT] AS l",
               "narrow");
    put_table(WIDENED,
              FIELDS(CHANGED("a", "byte", "short"), CHANGED("b", "byte", "long"), CHANGED("c", "short", "integer"),
                     CHANGED("d", "integer", "long"), CHANGED("e", "float", "double"),
                     CHANGED("f", "integer", "double"), CHANGED("g", "decimal(3,1)", "decimal(10,4)"),
                     CHANGED("h", "integer", "decimal(12,2)"), CHANGED("i", "long", "decimal(22,2)"),
                     CHANGED("j", "date", "timestamp_ntz"), FIELD("k", STRUCT(CHANGED("n", "short", "long")), ""),
                     FIELD("l", LIST_OF("\"integer\""), "")),
              "", "[]", ADD("narrow", ""));
    /* 0.1 as the double that the float is */
    assert_str(ask_table(load(), "SELECT * FROM {t}"),
               "-128|127|-32768|2147483647|0.10000000149011612|16777217.0|99.9000|2147483647.00|"
               "9223372036854775807.00|0001-01-01 00:00:00|{\"n\":5}|[1]");
    assert_str(ask_table(load(),
                         "SELECT count(*) FROM {t} WHERE e > 0.1 AND i = 9223372036854775807 AND a < -100 AND j "
                         "< TIMESTAMP '0001-01-01 00:00:01'"),
               "1");
    static const char *const UNKNOWN[] = {
        CHANGED("a", "long", "double"),    CHANGED("a", "long", "integer"),
        CHANGED("a", "integer", "string"), CHANGED("a", "decimal(5,2)", "decimal(6,4)"),
        CHANGED("a", "date", "timestamp"), CHANGED("a", "integer", "decimal(10,2)")};
    for (size_t i = 0; i < sizeof UNKNOWN / sizeof UNKNOWN[0]; i++) {
        struct assay_error err = {0};
        struct delta_snapshot *snapshot;
        put_table(WIDENED, UNKNOWN[i], "", "[]", "");
        assert_code(ASSAY_UNSUPPORTED, delta_snapshot_load(store, engine, ROOT, DELTA_LATEST, &arena, &snapshot, &err),
                    &err);
        assert_err_has(&err, "typeWidening");
    }
}

/* A condition finds the rows that it is true for, not those for which it would be true in the file's type. */
static void test_conditions_on_widened_values(void **state) {
    UNUSED(state);
    static const struct {
        const char *condition, *ids;
    } CASES[] = {
        {"e > 0.1", "1 2"}, /* the double of 0.1f is above 0.1 */
        {"e <= 0.1", NULL},
        {"e = 0.10000000149011612", "1"},
        {"i > 9223372036854775806.5", "1"},
        {"i BETWEEN 5.4 AND 5.6", NULL},
        {"i > 4.6", "1 2"},
        {"i < 5.4", "2"},
        {"j < TIMESTAMP '2020-01-02 00:00:01'", "1 2"},
        {"j = TIMESTAMP '2020-01-02 00:00:01'", NULL},
        {"g > 1.49", "1 2"},
        {"g = 1.54", NULL},
        {"s.x = 5.01", NULL},
        {"s.x < 5.01", "2"},
        {"i IN (5, 6)", "2"},
    };
    write_file(
        "SELECT * FROM (VALUES (1, 0.1::FLOAT, 9223372036854775807::BIGINT, DATE '0001-01-01', 99.9::DECIMAL(3,1), "
        "{'x': 2147483647::INTEGER}), (2, 5.0::FLOAT, 5::BIGINT, DATE '2020-01-02', 1.5::DECIMAL(3,1), "
        "{'x': 5::INTEGER})) v(id, e, i, j, g, s)",
        "narrow");
    put_table(WIDENED,
              FIELDS(FIELD("id", "\"integer\"", ""), CHANGED("e", "float", "double"),
                     CHANGED("i", "long", "decimal(22,2)"), CHANGED("j", "date", "timestamp_ntz"),
                     CHANGED("g", "decimal(3,1)", "decimal(10,4)"),
                     FIELD("s", STRUCT(CHANGED("x", "integer", "decimal(12,2)")), "")),
              "", "[]", ADD("narrow", ""));
    struct delta_snapshot *t = load();
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++)
        assert_str(
            ask_table(t, text_of("SELECT string_agg(id, ' ' ORDER BY id) FROM {t} WHERE %s", CASES[i].condition)),
            CASES[i].ids ? CASES[i].ids : "NULL");
}

/* The largest and smallest of a float, as a writer put them into the stats before the column became double. */
static void test_pruning_of_widened_floats(void **state) {
    UNUSED(state);
    write_file("SELECT 0.1::FLOAT AS e UNION ALL SELECT 0.7::FLOAT", "narrow");
    put_table(
        WIDENED, CHANGED("e", "float", "double"), "", "[]",
        "{\"add\":{\"path\":\"narrow\",\"partitionValues\":{},\"size\":1,\"modificationTime\":1,\"dataChange\":true,"
        "\"stats\":\"{\\\"numRecords\\\":2,\\\"minValues\\\":{\\\"e\\\":0.1},\\\"maxValues\\\":{\\\"e\\\":0.7},"
        "\\\"nullCount\\\":{\\\"e\\\":0}}\"}}\n");
    struct delta_snapshot *t = load();
    static const struct {
        const char *min, *max;
        size_t kept;
    } RANGES[] = {
        {"0.10000000149011612", "0.10000000149011612", 1}, /* the double of 0.1f, above 0.1 */
        {"0.699999988079071", "0.699999988079071", 1},     /* that of 0.7f, below 0.7 */
        {"0.05", "0.06", 0},
        {"0.71", "0.72", 0},
    };
    for (size_t i = 0; i < sizeof RANGES / sizeof RANGES[0]; i++) {
        struct delta_range range = {STR("e"), str_of(RANGES[i].min), str_of(RANGES[i].max)};
        size_t *kept, count;
        assert_ok(delta_prune(t, &range, 1, &arena, &kept, &count, NULL), NULL);
        assert_int_equal(count, RANGES[i].kept);
    }
}

static void test_void_columns(void **state) {
    UNUSED(state);
    write_file("SELECT 1 AS a, {'x': 2} AS s", "a");
    put_table(PLAIN,
              FIELDS(FIELD("a", "\"integer\"", ""), FIELD("v", "\"void\"", ""),
                     FIELD("s", STRUCT2(FIELD("x", "\"integer\"", ""), FIELD("v", "\"void\"", "")), "")),
              "", "[]", ADD("a", ""));
    assert_str(ask_table(load(), "SELECT * FROM {t}"), "1|NULL|{\"x\":2,\"v\":null}");
}

/* Columns with the names that the engine has for places. */
static void test_names_that_the_engine_uses(void **state) {
    UNUSED(state);
    write_file("SELECT 7 AS file_index, 8 AS file_row_number, 9 AS c0, 10 AS filename", "a");
    put_table(PLAIN,
              FIELDS(FIELD("file_index", "\"integer\"", ""), FIELD("file_row_number", "\"integer\"", ""),
                     FIELD("c0", "\"integer\"", ""), FIELD("filename", "\"integer\"", ""),
                     FIELD("p", "\"integer\"", "")),
              "", "[\"p\"]", ADD("a", "\"p\":\"5\""));
    assert_str(ask_files(load(), "SELECT * FROM {t}", NULL, 0, true), "7|8|9|10|5|0|0");
}

/* ---- partition values ---- */

static void test_partition_values_of_every_type(void **state) {
    UNUSED(state);
    static const struct {
        const char *type, *value, *read; /* read NULL: refused */
    } VALUES[] = {
        {"string", "a b%20/=", "a b%20/="},
        {"string", "", "NULL"},
        {"string", "__HIVE_DEFAULT_PARTITION__", "__HIVE_DEFAULT_PARTITION__"},
        {"integer", "", "NULL"},
        {"byte", "-128", "-128"},
        {"byte", "128", NULL},
        {"short", "32767", "32767"},
        {"integer", "-2147483648", "-2147483648"},
        {"integer", "2147483648", NULL},
        {"integer", "1.5", NULL},
        {"integer", "0x10", NULL},
        {"integer", "7 ", NULL},
        {"long", "9223372036854775807", "9223372036854775807"},
        {"long", "9223372036854775808", NULL},
        {"float", "1.0E3", "1000.0"},
        {"double", "NaN", "NaN"},
        {"double", "-Infinity", "-Infinity"},
        {"double", "1.25E-1", "0.125"},
        {"double", "1,5", NULL},
        {"decimal(10,2)", "42.00", "42.00"},
        {"decimal(10,2)", "-0.5", "-0.50"},
        {"decimal(10,2)", "1.005", NULL},
        {"decimal(4,2)", "100", NULL},
        {"decimal(38,0)", "99999999999999999999999999999999999999", "99999999999999999999999999999999999999"},
        {"boolean", "true", "true"},
        {"boolean", "FALSE", "false"},
        {"boolean", "1", NULL},
        {"date", "2024-02-29", "2024-02-29"},
        {"date", "2023-02-29", NULL},
        {"date", "0001-01-01", "0001-01-01"},
        {"timestamp", "2021-09-08T11:11:11.000000Z", "2021-09-08 11:11:11"},
        {"timestamp", "2021-09-08 11:11:11.123456", "2021-09-08 11:11:11.123456"},
        {"timestamp", "yesterday", NULL},
        {"timestamp_ntz", "2021-11-18 02:30:00.123456", "2021-11-18 02:30:00.123456"},
        {"timestamp_ntz", "2021-11-18", "2021-11-18 00:00:00"},
        {"binary", "\\u0001a\\u00e9", "0161c3a9"},
    };
    write_file("SELECT 1 AS a", "a");
    for (size_t i = 0; i < sizeof VALUES / sizeof VALUES[0]; i++) {
        put_table("{\"minReaderVersion\":3,\"minWriterVersion\":7,\"readerFeatures\":[\"timestampNtz\"],"
                  "\"writerFeatures\":[\"timestampNtz\"]}",
                  FIELDS(FIELD("a", "\"integer\"", ""), text_of(FIELD("p", "\"%s\"", ""), VALUES[i].type)), "",
                  "[\"p\"]", text_of(ADD("a", "\"p\":\"%s\""), VALUES[i].value));
        struct delta_snapshot *t = load();
        if (VALUES[i].read) {
            assert_str(ask_table(t, "SELECT p FROM {t}"), VALUES[i].read);
            continue;
        }
        struct assay_error err = {0};
        struct buf sql = {0};
        assert_code(ASSAY_CORRUPT, delta_scan_sql(t, NULL, 0, false, &arena, &sql, &err), &err);
        assert_err_has(&err, VALUES[i].value);
        buf_free(&sql);
    }
    put_table(PLAIN, FIELDS(FIELD("a", "\"integer\"", ""), FIELD("p", "\"date\"", "")), "", "[\"p\"]",
              ADD("a", "\"p\":null"));
    assert_str(ask_table(load(), "SELECT p FROM {t}"), "NULL");
    put_table(PLAIN, FIELDS(FIELD("a", "\"integer\"", ""), FIELD("p", "\"date\"", "")), "", "[\"p\"]", ADD("a", ""));
    assert_str(ask_table(load(), "SELECT p FROM {t}"), "NULL");
}

/* ---- files of another table ---- */

static void test_a_shallow_clone(void **state) {
    UNUSED(state);
    struct assay_error err = {0};
    write_file("SELECT 1 AS a", "own");
    write_file("SELECT 2 AS a", "x%20y");
    assert_ok(store_move(store, str_path(&arena, ROOT, STR("x%20y")), STR("Tables/bronze/src/x%20y"), &err), &err);
    char *real = realpath(lake, NULL);
    put_table(PLAIN, FIELD("a", "\"integer\"", ""), "", "[]",
              text_of(ADD("own", "") ADD("file:%s/Tables/bronze/src/x%%2520y", ""), real));
    assert_str(ask_table(load(), "SELECT string_agg(a, ' ' ORDER BY a) FROM {t}"), "1 2");
    /* a link inside of the lake that leads out of it */
    assert_int_equal(symlink("/etc", text_of("%s/way", lake)), 0);
    put_table(PLAIN, FIELD("a", "\"integer\"", ""), "", "[]", text_of(ADD("%s/way/passwd", ""), real));
    expect_unscanned("/way/passwd' of the table lies outside");
    put_table(PLAIN, FIELD("a", "\"integer\"", ""), "", "[]", text_of(ADD("%sx/passwd", ""), real));
    expect_unscanned("/passwd' of the table lies outside");
    free(real);
}

/* ---- data skipping ---- */

/* Every range over every column keeps every file that has a row in it, and leaves files out where stats allow it. */
static void check_pruning(const char *table, const char *column, const char *const *values, size_t value_count) {
    struct assay_error err = {0};
    struct delta_snapshot *t = NULL;
    store_close(&store);
    assert_ok(store_open_local(str_of(test_data(&arena, "spark-tables")), false, &store, &err), &err);
    assert_ok(delta_snapshot_load(store, engine, str_printf_of("%s/table", table), DELTA_LATEST, &arena, &t, &err),
              &err);
    for (size_t i = 0; i < value_count; i++)
        for (size_t k = i; k < value_count; k++) {
            struct delta_range range = {str_of(column), str_of(values[i]), str_of(values[k])};
            size_t *kept, count;
            assert_ok(delta_prune(t, &range, 1, &arena, &kept, &count, &err), &err);
            const char *select =
                text_of("SELECT count(*) FROM {t} WHERE \"%s\" BETWEEN '%s' AND '%s'", column, values[i], values[k]);
            struct str all = ask_table(t, select), some = ask_files(t, select, kept, count, false);
            assert_str(some, str_c(&arena, all));
        }
}

static void test_pruning_loses_no_row(void **state) {
    UNUSED(state);
    static const char *const NUMBERS[] = {"-1", "0", "1",  "2",  "3",  "4",   "5",
                                          "7",  "9", "10", "50", "99", "100", "1000"};
    enum { NUMBER_COUNT = sizeof NUMBERS / sizeof NUMBERS[0] };
    static const char *const TABLES[][2] = {{"deletion-vectors", "id"},
                                            {"column-mapping", "id"},
                                            {"column-mapping-upgraded", "id"},
                                            {"type-widening", "small"},
                                            {"type-widening", "tiny"}};
    for (size_t i = 0; i < sizeof TABLES / sizeof TABLES[0]; i++) {
        check_pruning(TABLES[i][0], TABLES[i][1], NUMBERS, NUMBER_COUNT);
    }
}

TEST_MAIN(LAKE_TEST(test_mapping_by_name), LAKE_TEST(test_mapping_by_id), LAKE_TEST(test_type_widening),
          LAKE_TEST(test_conditions_on_widened_values), LAKE_TEST(test_pruning_of_widened_floats),
          LAKE_TEST(test_void_columns), LAKE_TEST(test_names_that_the_engine_uses),
          LAKE_TEST(test_partition_values_of_every_type), LAKE_TEST(test_a_shallow_clone),
          LAKE_TEST(test_pruning_loses_no_row))
