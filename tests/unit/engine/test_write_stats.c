/* The statistics go into Delta logs: each is compared with what arithmetic says about the rows, never with the engine's
 * own answer. */
#include "engine_test.h"

#include <stdlib.h>

static struct engine_files files;

static void write_rows(const char *select) {
    struct assay_error err = {0};
    assert_ok(engine_write_parquet(engine, str_of(select), str_printf(&arena, "%s/part", folder),
                                   &(struct engine_write_options){0}, &arena, &files, &err),
              &err);
    assert_int_equal(files.count, 1);
}

/** Write the values as the one column of a file and compare its statistics; min NULL means that there are no bounds. */
static void expect(const char *values, int64_t null_count, const char *min, const char *max) {
    write_rows(text_of("SELECT * FROM (VALUES %s) t(v)", values));
    const struct engine_column_stats *c = &files.files[0].columns[0];
    assert_str(c->name, "v");
    assert_int_equal(c->null_count, null_count);
    if (c->has_bounds != (min != NULL)) fail_msg("bounds of %s: %d", values, c->has_bounds);
    if (!min) return;
    assert_str(c->min, min);
    assert_str(c->max, max);
}

static void test_integers(void **state) {
    UNUSED(state);
    expect("(1::INT), (NULL), (-7), (NULL)", 2, "-7", "1");
    expect("((-128)::TINYINT), (127::TINYINT)", 0, "-128", "127");
    expect("((-32768)::SMALLINT), (32767::SMALLINT)", 0, "-32768", "32767");
    expect("((-2147483648)::INT), (2147483647::INT)", 0, "-2147483648", "2147483647");
    expect("((-9223372036854775808)::BIGINT), (9223372036854775807::BIGINT)", 0, "-9223372036854775808",
           "9223372036854775807");
}

static void test_booleans(void **state) {
    UNUSED(state);
    expect("(true), (false), (NULL)", 1, "false", "true");
    expect("(true), (NULL)", 1, "true", "true");
    expect("(false), (false)", 0, "false", "false");
    expect("({'v': true}), (NULL)", -1, NULL, NULL);
}

static void test_decimals(void **state) {
    UNUSED(state);
    expect("(-99.99::DECIMAL(4,2)), (0.05)", 0, "-99.99", "0.05");
    expect("(1.5::DECIMAL(9,2)), (-0.01)", 0, "-0.01", "1.50");
    expect("(1234567890123456.78::DECIMAL(18,2)), (-1234567890123456.78)", 0, "-1234567890123456.78",
           "1234567890123456.78");
    expect("(123456789012345678901234567890123456.78::DECIMAL(38,2)), "
           "(-123456789012345678901234567890123456.78::DECIMAL(38,2)), (NULL)",
           1, "-123456789012345678901234567890123456.78", "123456789012345678901234567890123456.78");
    expect("(-1::DECIMAL(38,0)), (1::DECIMAL(38,0)), (-170141183460469231731687303715::DECIMAL(38,0))", 0,
           "-170141183460469231731687303715", "1");
    expect("(0.25::DECIMAL(38,38)), (-0.5::DECIMAL(38,38))", 0, "-0.50000000000000000000000000000000000000",
           "0.25000000000000000000000000000000000000");
    expect("(0.25::DECIMAL(4,4)), (-0.5::DECIMAL(4,4))", 0, "-0.5000", "0.2500");
    expect("(-256::DECIMAL(20,0)), (255::DECIMAL(20,0)), (256::DECIMAL(20,0))", 0, "-256", "256");
}

static void test_floating_point(void **state) {
    UNUSED(state);
    expect("(0.1::DOUBLE), (1e300::DOUBLE)", 0, "0.1", "1e+300");
    expect("(0.1::FLOAT), (16777216::FLOAT)", 0, "0.1", "16777216.0");
    expect("(1.5::DOUBLE), ('nan'::DOUBLE), (-2)", 0, NULL, NULL);
    expect("('nan'::FLOAT)", 0, NULL, NULL);
    expect("('inf'::DOUBLE), (1)", 0, NULL, NULL);
    expect("('-inf'::DOUBLE), (1)", 0, NULL, NULL);
    expect("('inf'::FLOAT), (1)", 0, NULL, NULL);
    /* a reader that compares bits, or prunes x < 0.0, must still find both zeros */
    expect("('-0.0'::DOUBLE), ('0.0'::DOUBLE)", 0, "-0.0", "0.0");
    expect("('0.0'::DOUBLE)", 0, "-0.0", "0.0");
    expect("('-0.0'::FLOAT)", 0, "-0.0", "0.0");
    expect("('-0.0'::DOUBLE), (5)", 0, "-0.0", "5.0");
    expect("(5e-324::DOUBLE), (1.7976931348623157e308::DOUBLE)", 0, "4.94065645841247e-324", "1.7976931348623157e+308");
}

static void test_days_and_instants(void **state) {
    UNUSED(state);
    expect("(DATE '2024-02-29'), (DATE '1969-12-31')", 0, "1969-12-31", "2024-02-29");
    expect("(DATE '0001-01-01'), (DATE '9999-12-31')", 0, "0001-01-01", "9999-12-31");
    expect("(DATE '0044-03-15 (BC)'), (DATE '0001-01-01 (BC)')", 0, "-0043-03-15", "0000-01-01");
    expect("(DATE '12024-02-29')", 0, "+12024-02-29", "+12024-02-29");
    expect("('infinity'::DATE), (DATE '2024-01-01')", 0, NULL, NULL);
    expect("('-infinity'::TIMESTAMP)", 0, NULL, NULL);
    expect("(TIMESTAMPTZ '2024-01-05 12:30:45.000001+02:00'), (TIMESTAMPTZ '1969-12-31 23:59:59.999999Z')", 0,
           "1969-12-31 23:59:59.999999", "2024-01-05 10:30:45.000001");
    expect("(TIMESTAMP '2024-01-05 12:30:45.1'), (NULL)", 1, "2024-01-05 12:30:45.1", "2024-01-05 12:30:45.1");
    expect("(TIMESTAMPTZ '0001-01-01 00:00:00Z'), (TIMESTAMPTZ '9999-12-31 23:59:59.999999Z')", 0,
           "0001-01-01 00:00:00", "9999-12-31 23:59:59.999999");
    expect("(make_timestamptz(-62198755199999999)), (make_timestamptz(-99999999999999999))", 0,
           "-1199-02-15 14:13:20.000001", "-0001-01-01 00:00:00.000001");
    expect("(make_timestamp(-62198755199999999)), (make_timestamp(9000000000000000000))", 0,
           "-0001-01-01 00:00:00.000001", "+287168-08-24 16:00:00");
}

static void test_no_bounds_where_delta_has_none(void **state) {
    UNUSED(state);
    expect("(NULL::BOOLEAN), (NULL)", 2, NULL, NULL);
    expect("('\\x00\\xFF'::BLOB), (NULL)", 1, NULL, NULL);
    expect("(NULL::VARCHAR), (NULL)", 2, NULL, NULL);
    expect("(NULL::DOUBLE)", 1, NULL, NULL);
    expect("(NULL::DECIMAL(38,2))", 1, NULL, NULL);
    expect("([1, NULL]), (NULL)", -1, NULL, NULL);
    expect("({'a': 1}), (NULL)", -1, NULL, NULL);
    expect("(MAP {'a': 1})", -1, NULL, NULL);
    expect("([{'v': 1}])", -1, NULL, NULL);
}

static void test_short_texts(void **state) {
    UNUSED(state);
    expect("('b'), ('a'), (NULL)", 1, "a", "b");
    expect("(''), ('a')", 0, "", "a");
    expect("(''), (NULL)", 1, "", "");
    expect("('Z'), ('a'), ('\xc3\xa9'), ('\xf0\x9f\x98\x80'), ('\xef\xbf\xbf')", 0, "Z",
           "\xf0\x9f\x98\x80"); /* order of bytes, not of UTF-16 */
    expect("('min'), ('max'), ('null_count')", 0, "max", "null_count");
    expect("('NULL'), ('inf')", 0, "NULL", "inf");
    write_rows("SELECT * FROM (VALUES ('a' || chr(0)), ('a' || chr(0) || 'b'), ('a')) t(v)");
    assert_str(files.files[0].columns[0].min, "a");
    assert_true(str_eq(files.files[0].columns[0].max, STR("a\0b")));
}

static void test_long_texts_have_bounds_only_if_exact(void **state) {
    UNUSED(state);
    /* a bound of 256 bytes is kept, one of 257 is cut */
    write_rows("SELECT repeat('x', 256) AS v");
    assert_true(files.files[0].columns[0].has_bounds);
    assert_int_equal(files.files[0].columns[0].max.len, 256);
    expect("(repeat('x', 257))", 0, NULL, NULL);
    expect("('a'), (repeat('x', 257))", 0, NULL, NULL); /* the minimum alone would be exact */
    expect("('z'), (repeat('x', 257))", 0, NULL, NULL);
    /* a long text between the bounds takes nothing from them */
    expect("('a'), ('z'), (repeat('m', 9000))", 0, "a", "z");
    /* the cut maximum becomes `b`, short and not a value of the column */
    expect("('a' || repeat('\xc3\xa9', 200)), ('0')", 0, NULL, NULL);
    expect("('a' || repeat(chr(127), 300)), ('0')", 0, NULL, NULL);
    expect("(repeat('\xc3\xa9', 200))", 0, NULL, NULL); /* cannot be cut at all */
    expect("(repeat('\xf0\x9f\x98\x80', 65))", 0, NULL, NULL);
}

static void test_every_row_group_counts(void **state) {
    UNUSED(state);
    /* three row groups; one of them has a text that cannot be cut, in the middle of the order */
    write_rows(
        "SELECT i AS n, CASE WHEN i = 130000 THEN repeat('\xc3\xa9', 400) ELSE lpad(i::VARCHAR, 6, '0') END AS v, "
        "CASE WHEN i = 200000 THEN 'nan'::DOUBLE ELSE i END AS f, CASE WHEN i < 150000 THEN i END AS half, i % 1000 AS "
        "m "
        "FROM range(300000) t(i) ORDER BY i");
    const struct engine_column_stats *c = files.files[0].columns;
    assert_str(c[0].min, "0");
    assert_str(c[0].max, "299999");
    assert_false(c[1].has_bounds);
    assert_int_equal(c[1].null_count, 0);
    assert_false(c[2].has_bounds);
    assert_int_equal(c[3].null_count, 150000);
    if (c[3].has_bounds) { /* a row group of NULLs only may cost the bounds, but never falsify them */
        assert_str(c[3].min, "0");
        assert_str(c[3].max, "149999");
    }
    assert_str(c[4].min, "0");
    assert_str(c[4].max, "999");
}

static uint64_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005U + 1442695040888963407U;
    return *state >> 33;
}

/** Rows made in C; their statistics are computed here. */
struct random_rows {
    uint64_t state;
    int64_t left, nulls, low, high;
    struct buf min, max;
};

static enum assay_code fill(void *source, void *worker, struct engine_sink *sink, struct assay_error *err) {
    UNUSED(worker);
    UNUSED(err);
    struct random_rows *r = source;
    for (; r->left > 0 && sink->row_count < sink->capacity; r->left--, sink->row_count++) {
        int64_t number = (int64_t)(next_random(&r->state) << 31 ^ next_random(&r->state)) - INT64_C(0x1000000000000000);
        engine_sink_int64(sink, 0, sink->row_count, number);
        if (number < r->low) r->low = number;
        if (number > r->high) r->high = number;
        if (next_random(&r->state) % 10 == 0) {
            engine_sink_null(sink, 1, sink->row_count);
            r->nulls++;
            continue;
        }
        char bytes[40];
        size_t len = next_random(&r->state) % sizeof bytes;
        for (size_t k = 0; k < len; k++) bytes[k] = (char)(1 + next_random(&r->state) % 127);
        struct str text = {bytes, len};
        engine_sink_text(sink, 1, sink->row_count, text);
        if (!r->min.data || str_cmp(text, buf_str(&r->min)) < 0) buf_clear(&r->min), buf_add(&r->min, text);
        if (!r->max.data || str_cmp(text, buf_str(&r->max)) > 0) buf_clear(&r->max), buf_add(&r->max, text);
    }
    return ASSAY_OK;
}

static void test_random_rows(void **state) {
    UNUSED(state);
    static const struct str names[] = {{"n", 1}, {"s", 1}};
    static const char *const types[] = {"BIGINT", "VARCHAR"};
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct random_rows r = {
            .state = seed, .left = (int64_t)(seed * seed * 700), .low = INT64_MAX, .high = INT64_MIN};
        int64_t rows = r.left;
        struct engine_source source = {.source = &r,
                                       .column_count = 2,
                                       .column_names = names,
                                       .column_types = types,
                                       .workers_max = 1,
                                       .fill = fill};
        struct assay_error err = {0};
        const char *name = text_of("random_%d", (int)seed);
        assert_ok(engine_add_source(engine, str_of(name), &source, &err), &err);
        write_rows(text_of("SELECT * FROM %s()", name));
        const struct engine_column_stats *c = files.files[0].columns;
        assert_int_equal(files.row_count, rows);
        assert_int_equal(c[0].null_count, 0);
        assert_str(c[0].min, text_of("%lld", (long long)r.low));
        assert_str(c[0].max, text_of("%lld", (long long)r.high));
        assert_int_equal(c[1].null_count, r.nulls);
        assert_true(c[1].has_bounds);
        assert_true(str_eq(c[1].min, buf_str(&r.min)));
        assert_true(str_eq(c[1].max, buf_str(&r.max)));
        buf_free(&r.min);
        buf_free(&r.max);
    }
}

static void test_many_columns(void **state) {
    UNUSED(state);
    struct buf sql = {0};
    buf_addz(&sql, "SELECT ");
    for (int i = 0; i < 1000; i++) buf_printf(&sql, "%s%d AS c%d", i ? ", " : "", i * 7, i);
    write_rows(sql.data);
    buf_free(&sql);
    assert_int_equal(files.files[0].column_count, 1000);
    for (int i = 0; i < 1000; i++) {
        assert_str(files.files[0].columns[i].name, text_of("c%d", i));
        assert_str(files.files[0].columns[i].min, text_of("%d", i * 7));
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_engine, close_engine)
TEST_MAIN(TEST(test_integers), TEST(test_booleans), TEST(test_decimals), TEST(test_floating_point),
          TEST(test_days_and_instants), TEST(test_no_bounds_where_delta_has_none), TEST(test_short_texts),
          TEST(test_long_texts_have_bounds_only_if_exact), TEST(test_every_row_group_counts), TEST(test_random_rows),
          TEST(test_many_columns))
