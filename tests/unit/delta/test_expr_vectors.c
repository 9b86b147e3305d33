/*
 * The rule language on the embedded engine against Spark: tests/data/expr/vectors.tsv has what Spark 3.5 gave for each
 * expression over the rows of rows.tsv (made by make_vectors.py). An expression is either refused by expr_check or
 * gives Spark's type and values.
 */
#include "support/test.h"

#include "engine/engine.h"
#include "expr/expr.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MAX = 32, ROWS_MAX = 32, MISTAKES_SHOWN = 40 };

static struct engine *engine;
static struct arena arena;
static struct expr_column columns[COLUMNS_MAX];
static size_t column_count, row_count;

static struct str unescape(struct str s) {
    struct buf out = {0};
    for (size_t i = 0; i < s.len; i++) {
        bool is_escape = s.ptr[i] == '\\' && i + 1 < s.len;
        char c = s.ptr[is_escape ? ++i : i];
        buf_addc(&out, is_escape && c == 't' ? '\t' : is_escape && c == 'n' ? '\n' : c);
    }
    struct str copy = str_copy(&arena, buf_str(&out));
    buf_free(&out);
    return copy;
}

static struct str take_line(struct str *rest) {
    struct str line;
    *rest = str_split(*rest, '\n', &line);
    return line;
}

static struct str take_cell(struct str *line) {
    struct str cell;
    *line = str_split(*line, '\t', &cell);
    return cell;
}

static void read_columns(struct str line) {
    for (column_count = 0; line.len; column_count++) {
        struct str name, type = str_split(take_cell(&line), ':', &name);
        columns[column_count].name = name;
        assert_true(type_parse(type, &columns[column_count].type));
    }
}

static void add_value(struct buf *sql, struct str cell, struct type type) {
    struct assay_error err = {0};
    if (str_eq(cell, STR("\\N"))) {
        buf_addz(sql, "CAST(NULL AS ");
        type_print_engine(sql, type);
        buf_addc(sql, ')');
        return;
    }
    if (type.kind == TYPE_DECIMAL) {
        assert_ok(engine_need_decimal(engine, type.precision, type.scale, &err), &err);
        buf_printf(sql, "spark_decimal_%d_%d(", type.precision, type.scale);
    } else if (type.kind != TYPE_STRING) {
        buf_addz(sql, "spark_");
        type_print(sql, type);
        buf_addc(sql, '(');
    }
    engine_sql_text(sql, unescape(cell));
    if (type.kind != TYPE_STRING) buf_addc(sql, ')');
}

static int open_rows(void **state) {
    UNUSED(state);
    struct assay_error err = {0};
    struct engine_options options = {.temp_folder = str_of(test_dir()), .threads = 1};
    assert_ok(engine_open(&options, &engine, &err), &err);
    struct str text = test_read(&arena, test_data(&arena, "expr/rows.tsv"));
    struct buf sql = {0};
    read_columns(take_line(&text));
    buf_addz(&sql, "CREATE TABLE rows AS SELECT * FROM (VALUES ");
    for (row_count = 0; text.len; row_count++) {
        struct str line = take_line(&text);
        buf_printf(&sql, "%s(%zu", row_count ? ", " : "", row_count);
        for (size_t c = 0; c < column_count; c++) {
            buf_addz(&sql, ", ");
            add_value(&sql, take_cell(&line), columns[c].type);
        }
        buf_addc(&sql, ')');
    }
    buf_addz(&sql, ") AS v(_k");
    for (size_t c = 0; c < column_count; c++) {
        buf_addz(&sql, ", ");
        engine_sql_name(&sql, columns[c].name);
    }
    buf_addc(&sql, ')');
    assert_ok(engine_run(engine, buf_str(&sql), &err), &err);
    buf_free(&sql);
    return 0;
}

static int close_rows(void **state) {
    UNUSED(state);
    engine_close(&engine);
    arena_reset(&arena);
    return 0;
}

/** Floats are compared as values of their type. The sign of zero is not: nothing in the language tells -0.0 from 0.0.
 */
static bool is_equal(const struct engine_cell *cell, struct str expected, struct type type) {
    if (str_eq(expected, STR("\\N")) || cell->is_null) return str_eq(expected, STR("\\N")) && cell->is_null;
    struct str wanted = unescape(expected);
    if (type.kind != TYPE_DOUBLE && type.kind != TYPE_FLOAT) return str_eq(cell->text, wanted);
    double found = strtod(str_c(&arena, cell->text), NULL), value = strtod(str_c(&arena, wanted), NULL);
    if (type.kind == TYPE_FLOAT) {
        found = (double)(float)found;
        value = (double)(float)value;
    }
    return isnan(found) ? isnan(value) : found <= value && found >= value;
}

static struct str engine_sql(const struct expr *e) {
    struct assay_error err = {0};
    struct type *decimals;
    size_t count;
    struct buf sql = {0};
    expr_decimals(e, &arena, &decimals, &count);
    for (size_t i = 0; i < count; i++)
        assert_ok(engine_need_decimal(engine, decimals[i].precision, decimals[i].scale, &err), &err);
    buf_addz(&sql, "SELECT ");
    expr_print_engine(&sql, e, STR("r"));
    buf_addz(&sql, " FROM rows r ORDER BY _k");
    struct str copy = str_copy(&arena, buf_str(&sql));
    buf_free(&sql);
    return copy;
}

/** Run one expression; the number of rows that differ, each printed. */
static size_t compare(struct str text, const struct expr *e, struct str values) {
    struct assay_error err = {0};
    struct engine_result r;
    struct str sql = engine_sql(e);
    size_t wrong = 0;
    if (engine_query(engine, sql, ROWS_MAX, &arena, &r, &err)) {
        print_error("%.*s: %s\n  %.*s\n", STR_ARG(text), err.message, STR_ARG(sql));
        return 1;
    }
    for (size_t row = 0; row < r.row_count; row++) {
        struct str expected = take_cell(&values);
        const struct engine_cell *cell = engine_cell_at(&r, row, 0);
        if (is_equal(cell, expected, e->type)) continue;
        print_error("%.*s, row %zu: engine %.*s, Spark %.*s\n  %.*s\n", STR_ARG(text), row,
                    STR_ARG(cell->is_null ? STR("NULL") : cell->text), STR_ARG(expected),
                    STR_ARG(str_sub(sql, 0, 1500)));
        wrong++;
    }
    return wrong;
}

static bool has_type(struct type type, struct str name) {
    struct buf text = {0};
    if (type.kind == TYPE_NONE)
        buf_addz(&text, "void");
    else
        type_print(&text, type);
    bool is_same = str_eq(buf_str(&text), name);
    buf_free(&text);
    return is_same;
}

/** Spark's answers are ours, or we refuse; what Spark refuses, we refuse. The number of refused ones may change only
 * knowingly. */
static void test_equals_spark(void **state) {
    UNUSED(state);
    size_t count = 0, refused = 0, wrong = 0;
    struct str text = test_read(&arena, test_data(&arena, "expr/vectors.tsv"));
    while (text.len && wrong < MISTAKES_SHOWN) {
        struct str line = take_line(&text);
        if (line.len == 0 || line.ptr[0] == '#') continue;
        struct str source = unescape(take_cell(&line)), type = take_cell(&line);
        struct assay_error err = {0};
        struct expr *e;
        bool is_error = str_eq(type, STR("ERROR"));
        bool is_known = expr_parse(source, &arena, &e, &err) == ASSAY_OK &&
                        expr_check(e, columns, column_count, &arena, &err) == ASSAY_OK;
        count++;
        if (!is_known) {
            refused += !is_error;
            if (getenv("ASSAY_TEST_VERBOSE") && !is_error) print_message("%.*s: %s\n", STR_ARG(source), err.message);
        } else if (is_error) {
            print_error("%.*s: Spark refuses it\n", STR_ARG(source));
            wrong++;
        } else if (!has_type(e->type, type)) {
            print_error("%.*s: not of Spark's type %.*s\n", STR_ARG(source), STR_ARG(type));
            wrong++;
        } else {
            wrong += compare(source, e, line);
        }
    }
    print_message("%zu expressions, %zu refused\n", count, refused);
    assert_int_equal(wrong, 0);
    assert_true(count > 1000);
    assert_int_equal(refused, 253);
}

/** A column inside of `count` times the same: checked and run. */
static void run_deep(const char *before, const char *column, const char *after, size_t count) {
    struct assay_error err = {0};
    struct engine_result r;
    struct buf text = {0};
    struct expr *e;
    for (size_t i = 0; i < count; i++) buf_addz(&text, before);
    buf_addz(&text, column);
    for (size_t i = 0; i < count; i++) buf_addz(&text, after);
    assert_ok(expr_parse(buf_str(&text), &arena, &e, &err), &err);
    assert_ok(expr_check(e, columns, column_count, &arena, &err), &err);
    assert_ok(engine_query(engine, engine_sql(e), ROWS_MAX, &arena, &r, &err), &err);
    buf_free(&text);
}

/** Time and nesting grow with the rule, not with its power set: each of these would never end if a value were printed
 * twice. */
static void test_deep_rules_run(void **state) {
    UNUSED(state);
    run_deep("", "i", " + 1", 40);
    run_deep("", "b", " + 1", 40);
    run_deep("1 / (", "d", ")", 40);
    run_deep("i % (", "i", ")", 40);
    run_deep("", "p", " OR p", 190);
    run_deep("coalesce(", "s", ", 'x')", 60);
    run_deep("CASE WHEN p THEN ", "i", " END", 60);
    run_deep("CAST(CAST(", "d", " AS INT) AS DOUBLE)", 20);
    run_deep("substring(", "s", ", -2)", 20);
    run_deep("round(", "d", ", 1)", 40);
    run_deep("nullif(", "i", ", '1')", 40);
    run_deep("nullif(", "s", ", 'x')", 40);
}

TEST_MAIN(cmocka_unit_test_setup_teardown(test_equals_spark, open_rows, close_rows),
          cmocka_unit_test_setup_teardown(test_deep_rules_run, open_rows, close_rows))
