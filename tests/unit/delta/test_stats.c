/* Stats as they are written and as they are used: values by hand from the protocol's text, and a search for a lost row
 * over random files. */
#include "delta_test.h"

static struct str make_stats(const struct delta_metadata *m, const struct engine_file *file) {
    return delta_stats_make(m, delta_stats_columns(m, NULL, &arena), file, &arena);
}

static struct str stats_of(struct type type, const char *min, const char *max, int64_t nulls) {
    struct delta_metadata m = {0};
    delta_field_add(&m, &arena, STR("c"), type, true, (struct str){0});
    struct engine_column_stats column = {
        .name = STR("c"), .null_count = nulls, .has_bounds = min != NULL, .min = str_of(min), .max = str_of(max)};
    struct engine_file file = {.row_count = 9, .columns = &column, .column_count = 1};
    return make_stats(&m, &file);
}

static void expect_bounds(enum type_kind kind, const char *min, const char *max, const char *json_min,
                          const char *json_max) {
    struct type type = {
        .kind = kind, .precision = kind == TYPE_DECIMAL ? 38 : 0, .scale = kind == TYPE_DECIMAL ? 2 : 0};
    struct str expected = str_printf_of(
        "{\"numRecords\":9,\"minValues\":{%s%s},\"maxValues\":{%s%s},\"nullCount\":{\"c\":1}}",
        json_min ? "\"c\":" : "", json_min ? json_min : "", json_max ? "\"c\":" : "", json_max ? json_max : "");
    assert_str(stats_of(type, min, max, 1), expected.ptr);
}

#define A31 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define E32 "éééééééééééééééééééééééééééééééé"
#define LAST "\xF4\x8F\xBF\xBF"
#define LAST16 LAST LAST LAST LAST LAST LAST LAST LAST LAST LAST LAST LAST LAST LAST LAST LAST

static void test_texts_are_cut_to_true_bounds(void **state) {
    UNUSED(state);
    expect_bounds(TYPE_STRING, "a", "b", "\"a\"", "\"b\"");
    expect_bounds(TYPE_STRING, "", A31 "bc", "\"\"", "\"" A31 "b\x7F\"");
    expect_bounds(TYPE_STRING, A31 "b", A31 "c", "\"" A31 "b\"", "\"" A31 "c\"");
    expect_bounds(TYPE_STRING, A31 "bc", A31 "bd", "\"" A31 "b\"", "\"" A31 "b\x7F\"");
    expect_bounds(TYPE_STRING, "a", A31 "b\x7F", "\"a\"", "\"" A31 "b" LAST "\"");
    expect_bounds(TYPE_STRING, E32 "x", E32 "é", "\"" E32 "\"", "\"" E32 LAST "\"");
    expect_bounds(TYPE_STRING, "a", E32 LAST LAST "x", "\"a\"", "\"" E32 LAST LAST "\x7F\"");
    expect_bounds(TYPE_STRING, "a", LAST16 LAST16, "\"a\"", "\"" LAST16 LAST16 "\"");
    expect_bounds(TYPE_STRING, "a", LAST16 LAST16 LAST16 LAST16 "x", "\"a\"", NULL);
    expect_bounds(TYPE_STRING, "q\"\\", "q\"\\\n", "\"q\\\"\\\\\"", "\"q\\\"\\\\\\n\"");
    /* one value in the whole file stays whole, so that a batch is known by its long id */
    assert_has(stats_of((struct type){.kind = TYPE_STRING}, A31 A31, A31 A31, 0),
               "\"minValues\":{\"c\":\"" A31 A31 "\"},\"maxValues\":{\"c\":\"" A31 A31 "\"}");
    expect_bounds(TYPE_STRING, A31 A31, A31 A31, "\"" A31 "a\"", "\"" A31 "a\x7F\"");
}

static void test_numbers_and_times_are_exact_or_left_out(void **state) {
    UNUSED(state);
    expect_bounds(TYPE_BIGINT, "-9223372036854775808", "9223372036854775807", "-9223372036854775808",
                  "9223372036854775807");
    expect_bounds(TYPE_DECIMAL, "-999999999999999999999999999999999999.99", "0.10",
                  "-999999999999999999999999999999999999.99", "0.10");
    expect_bounds(TYPE_DOUBLE, "-1e-300", "1e+300", "-1e-300", "1e+300");
    expect_bounds(TYPE_DOUBLE, "-Infinity", "NaN", NULL, NULL);
    expect_bounds(TYPE_DATE, "0001-01-01", "+10000-01-01", "\"0001-01-01\"", NULL);
    expect_bounds(TYPE_DATE, "-0044-03-15", "9999-12-31", NULL, "\"9999-12-31\"");
    expect_bounds(TYPE_TIMESTAMP, "1969-12-31 23:59:59.999999", "2024-01-05 12:30:45.5", "\"1969-12-31T23:59:59.999Z\"",
                  "\"2024-01-05T12:30:45.500Z\"");
    expect_bounds(TYPE_TIMESTAMP, "2024-01-05 00:00:00", "+10000-01-01 00:00:00", "\"2024-01-05T00:00:00.000Z\"", NULL);
    expect_bounds(TYPE_TIMESTAMP_NTZ, "2024-01-05 00:00:00.001", "2024-01-05 00:00:00.0019",
                  "\"2024-01-05T00:00:00.001\"", "\"2024-01-05T00:00:00.001\"");
    expect_bounds(TYPE_BOOLEAN, "false", "true", "false", "true");
    expect_bounds(TYPE_BINARY, "00", "ff", NULL, NULL);
    expect_bounds(TYPE_BIGINT, NULL, NULL, NULL, NULL);
}

static void test_only_the_first_leaves_have_stats(void **state) {
    UNUSED(state);
    struct delta_metadata m = {0};
    struct engine_column_stats columns[40];
    for (size_t i = 0; i < 40; i++) {
        struct str name = str_printf_of("c%zu", i);
        if (i == 1)
            delta_field_add_json(
                &m, &arena, name,
                STR("{\"type\":\"struct\",\"fields\":[{\"name\":\"a\",\"type\":\"long\",\"nullable\":true,\"metadata\":"
                    "{}},{\"name\":\"b\",\"type\":\"long\",\"nullable\":true,\"metadata\":{}}]}"),
                true);
        else if (i == 2)
            delta_field_add_json(&m, &arena, name,
                                 STR("{\"type\":\"array\",\"elementType\":\"long\",\"containsNull\":true}"), true);
        else
            delta_field_add(&m, &arena, name, (struct type){.kind = TYPE_BIGINT}, true, (struct str){0});
        columns[i] = (struct engine_column_stats){name, 0, i != 1 && i != 2, STR("1"), STR("2")};
    }
    struct engine_file file = {.row_count = 1, .columns = columns, .column_count = 40};
    struct str raw, stats = make_stats(&m, &file);
    assert_true(delta_stats_find(stats, "minValues", STR("c0"), &raw));
    assert_false(delta_stats_find(stats, "nullCount", STR("c1"), &raw));
    assert_true(delta_stats_find(stats, "nullCount", STR("c2"), &raw));
    assert_false(delta_stats_find(stats, "minValues", STR("c2"), &raw));
    assert_true(delta_stats_find(stats, "minValues", STR("c30"), &raw));
    assert_false(delta_stats_find(stats, "minValues", STR("c31"), &raw));
    delta_property_set(&m, &arena, STR("delta.dataSkippingNumIndexedCols"), STR("1"));
    stats = make_stats(&m, &file);
    assert_str(stats, "{\"numRecords\":1,\"minValues\":{\"c0\":1},\"maxValues\":{\"c0\":2},\"nullCount\":{\"c0\":0}}");
    delta_property_set(&m, &arena, STR("delta.dataSkippingNumIndexedCols"), STR("0"));
    assert_str(make_stats(&m, &file), "{\"numRecords\":1,\"minValues\":{},\"maxValues\":{},\"nullCount\":{}}");
    delta_property_set(&m, &arena, STR("delta.dataSkippingNumIndexedCols"), STR("-1"));
    assert_true(delta_stats_find(make_stats(&m, &file), "minValues", STR("c39"), &raw));
    delta_property_set(&m, &arena, STR("delta.dataSkippingStatsColumns"), STR("c39, `c38`"));
    stats = make_stats(&m, &file);
    assert_str(stats, "{\"numRecords\":1,\"minValues\":{\"c38\":1,\"c39\":1},\"maxValues\":{\"c38\":2,\"c39\":2},"
                      "\"nullCount\":{\"c38\":0,\"c39\":0}}");
}

static void test_looking_into_any_bytes(void **state) {
    UNUSED(state);
    struct str raw, text,
        stats = STR("{\"numRecords\":3,\"minValues\":{\"a\\u0062\\n\":\"\\ud83d\\ude42\\t\",\"n\":null,\"x\":{\"y\":[1,"
                    "{}]},\"big\":12345678901234567890123456789.5}, \"z\" : 1 }");
    assert_int_equal(delta_stats_int(stats, "numRecords", (struct str){0}), 3);
    assert_int_equal(delta_stats_int(stats, "z", (struct str){0}), 1);
    assert_true(delta_stats_find(stats, "minValues", STR("ab\n"), &raw));
    assert_true(delta_stats_text(raw, &arena, &text));
    assert_str(text, "\xF0\x9F\x99\x82\t");
    assert_false(delta_stats_find(stats, "minValues", STR("n"), &raw));
    assert_true(delta_stats_find(stats, "minValues", STR("big"), &raw));
    assert_str(raw, "12345678901234567890123456789.5");
    for (size_t cut = 0; cut < stats.len; cut++) {
        struct str part = {str_c(&arena, str_sub(stats, 0, cut)), cut};
        delta_stats_find(part, "z", (struct str){0}, &raw);
        assert_true(cut < 15 || delta_stats_int(part, "numRecords", (struct str){0}) == 3 || cut == 15);
    }
    static const char *const NONE[] = {"",
                                       "{",
                                       "[]",
                                       "\"",
                                       "{\"numRecords\"",
                                       "{\"numRecords\":",
                                       "{\"numRecords\":}",
                                       "{\"numRecords\":-1}",
                                       "{\"numRecords\":1e3}",
                                       "{\"numRecords\":\"3\"}",
                                       "{\"a\":1 \"numRecords\":3}",
                                       "nonsense",
                                       "{\"numRecords\":99999999999999999999}"};
    for (size_t i = 0; i < sizeof NONE / sizeof NONE[0]; i++)
        assert_int_equal(delta_stats_int(str_of(NONE[i]), "numRecords", (struct str){0}), -1);
    struct buf deep = {0};
    buf_addz(&deep, "{\"a\":");
    for (int i = 0; i < 1000000; i++) buf_addc(&deep, '[');
    assert_false(delta_stats_find(buf_str(&deep), "numRecords", (struct str){0}, &raw));
    buf_free(&deep);
    static const char *const BAD[] = {"\"\\ud83d\"", "\"\\ude42\"", "\"\\u12\"", "\"\\x\"", "\"\\", "7", "\""};
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++)
        assert_false(delta_stats_text(str_of(BAD[i]), &arena, &text));
}

/* ---- pruning ---- */

static bool may_match(struct type type, const char *stats, const char *min, const char *max) {
    struct delta_metadata m = {0};
    delta_field_add(&m, &arena, STR("c"), type, true, (struct str){0});
    struct delta_range range = {STR("C"), {min, min ? strlen(min) : 0}, {max, max ? strlen(max) : 0}};
    struct delta_stats_range *resolved;
    size_t count;
    delta_ranges_resolve(&m, &range, 1, &arena, &resolved, &count);
    return delta_stats_may_match(&m, str_of(stats), NULL, resolved, count, &arena);
}

#define C_STATS(low, high)                                                                                             \
    "{\"numRecords\":3,\"minValues\":{\"c\":" low "},\"maxValues\":{\"c\":" high "},\"nullCount\":{\"c\":0}}"

/* C_STATS as another writer may put it, a range, and whether a row may be inside. */
static const struct {
    struct type type;
    const char *stats, *min, *max;
    bool may;
} PRUNING[] = {
    {{.kind = TYPE_BIGINT}, C_STATS("10", "20"), "20", "30", true},
    {{.kind = TYPE_BIGINT}, C_STATS("10", "20"), "21", "30", false},
    {{.kind = TYPE_BIGINT}, C_STATS("10", "20"), NULL, "9", false},
    {{.kind = TYPE_BIGINT}, C_STATS("10", "20"), NULL, "10", true},
    {{.kind = TYPE_BIGINT}, C_STATS("10", "20"), "21", NULL, false},
    {{.kind = TYPE_BIGINT},
     C_STATS("9007199254740993", "9007199254740993"),
     "9007199254740992",
     "9007199254740992",
     false},
    {{.kind = TYPE_BIGINT}, C_STATS("10.5", "20"), "21", NULL, false},
    {{.kind = TYPE_BIGINT}, C_STATS("\"x\"", "1e1"), "21", NULL, true},
    {{.kind = TYPE_BIGINT}, "{\"numRecords\":3}", "21", NULL, true},
    {{.kind = TYPE_BIGINT}, "", "21", NULL, true},
    {{.kind = TYPE_BIGINT}, "{\"numRecords\":3,\"nullCount\":{\"c\":3}}", NULL, NULL, false},
    {{.kind = TYPE_BIGINT}, "{\"numRecords\":3,\"nullCount\":{\"c\":2}}", NULL, NULL, true},
    {{TYPE_DECIMAL, 38, 2}, C_STATS("-1E-2", "0E-10"), "0.01", NULL, false},
    {{TYPE_DECIMAL, 38, 2}, C_STATS("-1E-2", "1E+2"), "99.99", NULL, true},
    {{TYPE_DECIMAL, 38, 2},
     C_STATS("1", "999999999999999999999999999999999999.98"),
     "999999999999999999999999999999999999.99",
     NULL,
     false},
    {{TYPE_DECIMAL, 38, 2}, C_STATS("1", "2.005"), "3.00", NULL, true},
    {{.kind = TYPE_DOUBLE}, C_STATS("1.5", "2.5"), "2.6", "3.0", false},
    {{.kind = TYPE_DOUBLE}, C_STATS("1.5", "2.5"), "2.6", NULL, true},
    {{.kind = TYPE_DOUBLE}, C_STATS("1.5", "\"NaN\""), "2.6", "3.0", true},
    {{.kind = TYPE_DOUBLE}, C_STATS("\"NaN\"", "\"NaN\""), "2.6", "3.0", false},
    {{.kind = TYPE_DOUBLE}, C_STATS("0.0", "0.0"), "-0.0", "-0.0", true},
    {{.kind = TYPE_DATE}, C_STATS("\"2024-01-01\"", "\"2024-01-31\""), "2024-02-01", NULL, false},
    {{.kind = TYPE_DATE}, C_STATS("\"2024-01-01\"", "\"2024-01-31\""), NULL, "-0044-03-15", false},
    {{.kind = TYPE_DATE}, C_STATS("\"2024-01-01\"", "\"2024-13-31\""), "2024-02-01", NULL, true},
    {{.kind = TYPE_TIMESTAMP},
     C_STATS("\"2024-01-01T00:00:00.000Z\"", "\"2024-01-01T00:00:00.999Z\""),
     "2024-01-01 00:00:00.999999",
     NULL,
     true},
    {{.kind = TYPE_TIMESTAMP},
     C_STATS("\"2024-01-01T00:00:00.000Z\"", "\"2024-01-01T00:00:00.999Z\""),
     "2024-01-01 00:00:01.001",
     NULL,
     false},
    {{.kind = TYPE_TIMESTAMP},
     C_STATS("\"2024-01-01T00:00:00.000-08:00\"", "\"2024-01-01T00:00:00.000-08:00\""),
     NULL,
     "2024-01-01 07:59:59",
     false},
    {{.kind = TYPE_TIMESTAMP_NTZ},
     C_STATS("\"2024-01-01T00:00:00.000\"", "\"2024-01-01T00:00:00.000\""),
     NULL,
     "2023-12-31 23:59:59.999999",
     false},
    {{.kind = TYPE_STRING}, C_STATS("\"b\"", "\"d\""), "da", NULL, false},
    {{.kind = TYPE_STRING}, C_STATS("\"b\"", "\"d\""), "a", "az", false},
    {{.kind = TYPE_STRING}, C_STATS("\"b\"", "\"d\""), "c", "c", true},
    {{.kind = TYPE_STRING}, C_STATS("\"b\"", "\"\\ud83d\\ude42\""), "\xEF\xBF\xBD", NULL, true},
    {{.kind = TYPE_STRING},
     C_STATS("\"b\"", "\"c\xEF\xBF\xBD\""),
     "c\xF0\x9F\x99\x82",
     NULL,
     true}, /* Spark 3.2's cut before a character above U+FFFF */
    {{.kind = TYPE_STRING},
     C_STATS("\"b\"", "\"c?\xEF\xBF\xBD\""),
     "c\xF0\x9F\x99\x82",
     NULL,
     true}, /* ... inside of it */
    {{.kind = TYPE_STRING}, C_STATS("\"b\"", "7"), "z", NULL, true},
    {{.kind = TYPE_BOOLEAN}, C_STATS("false", "false"), "true", "true", true},
};

static void test_pruning_by_hand(void **state) {
    UNUSED(state);
    for (size_t i = 0; i < sizeof PRUNING / sizeof PRUNING[0]; i++)
        if (may_match(PRUNING[i].type, PRUNING[i].stats, PRUNING[i].min, PRUNING[i].max) != PRUNING[i].may)
            fail_msg("case %zu: %s in %s .. %s", i, PRUNING[i].stats, PRUNING[i].min, PRUNING[i].max);
}

static void test_a_file_of_one_batch_is_proven(void **state) {
    UNUSED(state);
    struct delta_snapshot *t =
        create(simple_metadata(), "SELECT range AS id, '" A31 A31 "-batch' AS name FROM range(3)");
    assert_true(delta_file_is_all(t, 0, STR("NAME"), STR(A31 A31 "-batch")));
    assert_false(delta_file_is_all(t, 0, STR("name"), STR(A31 A31 "-batcH")));
    assert_false(delta_file_is_all(t, 0, STR("id"), STR("0")));
    assert_false(delta_file_is_all(t, 0, STR("none"), STR("0")));
    t = append(t, "SELECT 1 AS id, 'x' AS name UNION ALL SELECT 2, NULL");
    t = append(t, "SELECT 1 AS id, 'x' AS name UNION ALL SELECT 2, 'y'");
    size_t proven = 0;
    for (size_t i = 0; i < t->file_count; i++) proven += delta_file_is_all(t, i, STR("name"), STR("x"));
    assert_int_equal(proven, 0);
}

/* Random values of every type in many files: no file that holds a row of a range may be passed over, and wide ranges
 * must pass over some. */
static void test_no_row_is_lost_to_pruning(void **state) {
    UNUSED(state);
    static const struct {
        const char *column, *value; /* of a hash h and the file number f */
    } COLUMNS[] = {
        {"i", "(h % 1000 + f * 100)::BIGINT"},
        {"dec", "((h % 100000) / 100.0 + f * 50)::DECIMAL(38,10)"},
        {"d", "CASE WHEN h % 97 = 0 THEN 'NaN'::DOUBLE ELSE h % 1000 / 7.0 + f END"},
        {"fl", "(h % 1000 / 3.0 + f)::FLOAT"},
        {"day", "DATE '1969-06-01' + (h % 100 + f * 10)::INT"},
        {"ts", "make_timestamptz((h % 100000000 + f::BIGINT * 30000000 - 60000000)::BIGINT)"},
        {"s", "repeat(chr((65 + f % 60)::INT), (h % 40)::INT) || chr((CASE h % 5 WHEN 0 THEN 128578 WHEN 1 THEN 65533 "
              "WHEN 2 THEN 127 WHEN 3 THEN 1114111 ELSE 97 + h % 20 END)::INT) || h::VARCHAR"},
    };
    struct delta_metadata *m = ARENA_NEW(&arena, struct delta_metadata);
    static const struct type TYPES[] = {{.kind = TYPE_BIGINT}, {TYPE_DECIMAL, 38, 10}, {.kind = TYPE_DOUBLE},
                                        {.kind = TYPE_FLOAT},  {.kind = TYPE_DATE},    {.kind = TYPE_TIMESTAMP},
                                        {.kind = TYPE_STRING}};
    for (size_t i = 0; i < 7; i++)
        delta_field_add(m, &arena, str_of(COLUMNS[i].column), TYPES[i], true, (struct str){0});
    struct delta_snapshot *t = create(m, NULL);
    for (int f = 0; f < 8; f++) {
        struct buf sql = {0};
        buf_addz(&sql, "SELECT ");
        for (size_t i = 0; i < 7; i++)
            buf_printf(&sql, "%s%s AS %s", i ? ", " : "", COLUMNS[i].value, COLUMNS[i].column);
        buf_printf(&sql, " FROM (SELECT hash(range * 31 + %d) %% 1000003 AS h, %d AS f FROM range(40))", f, f);
        t = append(t, sql.data);
        buf_free(&sql);
    }
    assert_int_equal(t->file_count, 8);
    size_t passed_over = 0;
    for (size_t c = 0; c < 7; c++) {
        struct buf sql = {0};
        buf_addz(&sql, "SELECT ");
        buf_addz(&sql, COLUMNS[c].column);
        buf_addz(&sql, ", _assay_file FROM ");
        assert_ok(delta_scan_sql(t, NULL, 0, true, &arena, &sql, NULL), NULL);
        struct engine_result rows;
        assert_ok(engine_query(engine, buf_str(&sql), 1000, &arena, &rows, NULL), NULL);
        buf_free(&sql);
        assert_int_equal(rows.row_count, 320);
        for (size_t r = 0; r < rows.row_count; r++) {
            struct str value = engine_cell_at(&rows, r, 0)->text;
            size_t file = (size_t)engine_cell_int(engine_cell_at(&rows, r, 1), -1), *kept, kept_count, k = 0;
            struct delta_range range = {str_of(COLUMNS[c].column), value, value};
            assert_ok(delta_prune(t, &range, 1, &arena, &kept, &kept_count, NULL), NULL);
            while (k < kept_count && kept[k] != file) k++;
            if (k == kept_count)
                fail_msg("%s = %.*s is in a file that was passed over: %.*s", COLUMNS[c].column, STR_ARG(value),
                         STR_ARG(t->files[file].stats));
            passed_over += t->file_count - kept_count;
        }
    }
    assert_true(passed_over > 1000);
}

TEST_MAIN(LAKE_TEST(test_texts_are_cut_to_true_bounds), LAKE_TEST(test_numbers_and_times_are_exact_or_left_out),
          LAKE_TEST(test_only_the_first_leaves_have_stats), LAKE_TEST(test_looking_into_any_bytes),
          LAKE_TEST(test_pruning_by_hand), LAKE_TEST(test_a_file_of_one_batch_is_proven),
          LAKE_TEST(test_no_row_is_lost_to_pruning))
