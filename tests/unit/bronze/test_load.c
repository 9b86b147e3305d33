/*
 * Batches into the bronze table: what is written, when nothing is, and what stays of other batches. The rows are read
 * back through the engine.
 */
#include "bronze_test.h"

#include "base/time.h"
#include "bronze/table.h"

#include <stdlib.h>

static struct str COLUMNS[] = {{"a", 1}, {"b", 1}};

/* A lake in a folder, its engine, and a plan made by hand. */
static struct world {
    struct arena arena;
    const char *lake;
    struct store *store;
    struct staging *staging;
    struct engine *engine;
    struct plan plan;
    struct assay_error err;
} w;

static int open_world(void **state) {
    UNUSED(state);
    w = (struct world){.lake = test_dir()};
    assert_ok(store_open_local(str_of(w.lake), false, &w.store, &w.err), &w.err);
    assert_ok(staging_open(w.store, &w.staging, &w.err), &w.err);
    struct str folders[] = {str_of(w.lake), staging_folder(w.staging)};
    struct engine_options options = {.threads = 2, .temp_folder = folders[1], .folders = folders, .folder_count = 2};
    assert_ok(engine_open(&options, &w.engine, &w.err), &w.err);
    w.plan = (struct plan){
        .table = STR("silver.t"),
        .bronze_table = STR("bronze.t"),
        .contract_path = STR("c.odcs.yaml"),
        .source = {.path = STR("landing/x"),
                   .pattern = STR("*.csv"),
                   .delimiter = STR(","),
                   .quote = STR("\""),
                   .escape = STR("\""),
                   .encoding = STR("UTF-8"),
                   .max_record_bytes = 1 << 20},
        .source_columns = COLUMNS,
        .source_column_count = 2,
        .reader_settings = STR("{\"a\":1}"),
    };
    return 0;
}

static int close_world(void **state) {
    UNUSED(state);
    engine_close(&w.engine);
    staging_close(&w.staging);
    store_close(&w.store);
    arena_reset(&w.arena);
    return 0;
}

static void land(const char *batch, const char *name, struct str bytes) {
    test_write(str_printf(&w.arena, "%s/Files/landing/x/batch_id=%s/%s", w.lake, batch, name).ptr, bytes);
}

static enum assay_code load(const char *batch, struct bronze_result *out) {
    struct landing_batch *found = ARENA_NEW(&w.arena, struct landing_batch);
    assert_ok(landing_find(w.store, &w.plan, str_of(batch), &w.arena, found, &w.err), &w.err);
    assert_ok(landing_hash(w.store, found, 2, &w.arena, &w.err), &w.err);
    struct bronze_input in = {
        .store = w.store, .engine = w.engine, .staging = w.staging, .plan = &w.plan, .batch = found, .threads = 2};
    return bronze_load(&in, &w.arena, out, &w.err);
}

static void load_well(const char *batch, struct bronze_result *out) { assert_ok(load(batch, out), &w.err); }

/* The table's rows as `a|b|...` lines. */
static struct str ask(const char *columns, const char *tail) {
    struct delta_snapshot *snapshot;
    struct engine_result r;
    struct buf sql = {0};
    assert_ok(delta_snapshot_load(w.store, w.engine, STR("Tables/bronze/t"), DELTA_LATEST, &w.arena, &snapshot, &w.err),
              &w.err);
    buf_printf(&sql, "SELECT %s FROM ", columns);
    assert_ok(delta_scan_sql(snapshot, NULL, 0, false, &w.arena, &sql, &w.err), &w.err);
    buf_printf(&sql, " %s", tail);
    assert_ok(engine_query(w.engine, buf_str(&sql), 1000, &w.arena, &r, &w.err), &w.err);
    buf_clear(&sql);
    for (size_t row = 0; row < r.row_count; row++)
        for (size_t column = 0; column < r.column_count; column++) {
            const struct engine_cell *cell = engine_cell_at(&r, row, column);
            buf_add(&sql, cell->is_null ? STR("NULL") : cell->text);
            buf_addc(&sql, column + 1 < r.column_count ? '|' : '\n');
        }
    struct str text = str_copy(&w.arena, buf_str(&sql));
    buf_free(&sql);
    return text;
}

static struct str rows(const char *columns) { return ask(columns, "ORDER BY _batch_id, _source_file, _source_line"); }

static void test_rows_as_they_were_sent(void **state) {
    UNUSED(state);
    struct bronze_result r;
    land("b1", "2.csv", STR("A,b\n,\"\"\nshort\n1,2,3\n\n x ,\"say \"\"hi\"\"\"\n"));
    land("b1", "1.csv", STR("a,B\n1,2\n"));
    load_well("b1", &r);
    assert_true(r.is_written && r.is_first && !r.is_replaced);
    assert_int_equal(r.version, 0);
    assert_int_equal(r.row_count, 5);
    assert_int_equal(r.corrupt_count, 2);
    assert_int_equal(r.bytes, 38 + 8);
    assert_int_equal(r.loaded_at_us % 1000, 0);
    assert_false(r.has_quoted_break_hint);
    assert_str(rows("a, b, _corrupt_record, _source_file[-5:], _source_line, _batch_id"),
               "1|2|NULL|1.csv|2|b1\n"
               "NULL||NULL|2.csv|2|b1\n"
               "short|NULL|short|2.csv|3|b1\n"
               "1|2|1,2,3|2.csv|4|b1\n"
               " x |say \"hi\"|NULL|2.csv|6|b1\n");
    assert_str(ask("_source_file, epoch_us(min(_loaded_at))", "GROUP BY 1 ORDER BY 1"),
               str_printf(&w.arena, "Files/landing/x/batch_id=b1/1.csv|%lld\nFiles/landing/x/batch_id=b1/2.csv|%lld\n",
                          (long long)r.loaded_at_us, (long long)r.loaded_at_us)
                   .ptr);
}

static void test_same_files_write_nothing(void **state) {
    UNUSED(state);
    struct bronze_result first, again;
    land("b1", "1.csv", STR("a,b\n1,2\nx\n"));
    load_well("b1", &first);
    load_well("b1", &again);
    assert_false(again.is_written || again.is_first || again.is_replaced);
    assert_int_equal(again.version, 0);
    assert_int_equal(again.row_count, 2);
    assert_int_equal(again.corrupt_count, 1);
    assert_int_equal(again.loaded_at_us, first.loaded_at_us);
    assert_true(str_eq(again.fingerprint, first.fingerprint));
}

static void test_other_files_or_settings_replace_the_batch(void **state) {
    UNUSED(state);
    struct bronze_result first, r;
    land("b1", "1.csv", STR("a,b\n1,2\n"));
    land("b2", "1.csv", STR("a,b\n3,4\n"));
    load_well("b1", &first);
    load_well("b2", &r);
    assert_true(r.is_first);
    land("b1", "1.csv", STR("a,b\n5,6\n"));
    load_well("b1", &r);
    assert_true(r.is_written && r.is_replaced && !r.is_first);
    assert_int_equal(r.version, 2);
    assert_true(r.loaded_at_us > first.loaded_at_us);
    assert_str(rows("a, b, _batch_id"), "5|6|b1\n3|4|b2\n");
    w.plan.reader_settings = STR("{\"a\":2}");
    load_well("b1", &r);
    assert_true(r.is_written && r.is_replaced);
    assert_str(rows("a, b, _batch_id"), "5|6|b1\n3|4|b2\n");
    land("b1", "2.csv", STR("a,b\n7,8\n")); /* one file more */
    load_well("b1", &r);
    assert_true(r.is_replaced);
    assert_str(rows("a, b, _batch_id"), "5|6|b1\n7|8|b1\n3|4|b2\n");
}

static void test_batch_without_rows(void **state) {
    UNUSED(state);
    struct bronze_result r;
    land("b1", "1.csv", STR("a,b\n"));
    load_well("b1", &r);
    assert_true(r.is_written && r.is_first);
    assert_int_equal(r.row_count, 0);
    load_well("b1", &r);
    assert_false(r.is_written || r.is_first);
    land("b1", "1.csv", STR("a,b\n1,2\n"));
    load_well("b1", &r);
    assert_int_equal(r.row_count, 1);
    land("b1", "1.csv", STR("a,b\n")); /* emptied */
    load_well("b1", &r);
    assert_true(r.is_replaced);
    assert_str(rows("a"), "");
}

static void test_refused_header_writes_nothing(void **state) {
    UNUSED(state);
    struct bronze_result r;
    land("b1", "1.csv", STR("a,b\n1,2\n"));
    land("b1", "2.csv", STR("a,c\n1,2\n"));
    assert_code(ASSAY_REFUSED, load("b1", &r), &w.err);
    assert_str(r.gate, "header");
    assert_int_equal(r.version, -1);
    assert_false(r.is_written);
    struct delta_snapshot *snapshot;
    assert_int_equal(
        delta_snapshot_load(w.store, w.engine, STR("Tables/bronze/t"), DELTA_LATEST, &w.arena, &snapshot, NULL),
        ASSAY_NOT_FOUND);
}

static void test_bad_bytes_add_their_column_at_first_need(void **state) {
    UNUSED(state);
    struct bronze_result r;
    land("b1", "1.csv", STR("a,b\n1,2\n"));
    land("b2", "1.csv", STR("a,b\nM\xFCller,x\n\xC3\xBC,y\n"));
    load_well("b1", &r);
    load_well("b2", &r);
    assert_int_equal(r.corrupt_count, 1);
    assert_int_equal(r.row_count, 2);
    assert_str(rows("a, b, _corrupt_record, _corrupt_bytes"),
               "1|2|NULL|NULL\nNULL|x|M\\xfcller,x|4dfc6c6c65722c78\n\xC3\xBC|y|NULL|NULL\n");
    land("b3", "1.csv", STR("a,b\n5,6\n"));
    load_well("b3", &r); /* the column is there and NULL */
    assert_str(rows("a, _corrupt_bytes IS NULL"), "1|true\nNULL|false\n\xC3\xBC|true\n5|true\n");
}

static void test_quoted_breaks_in_line_mode_are_hinted_at(void **state) {
    UNUSED(state);
    struct bronze_result r;
    land("b1", "1.csv", STR("a,b\n\"x\ny\",2\n"));
    load_well("b1", &r);
    assert_int_equal(r.row_count, 2);
    assert_int_equal(r.corrupt_count, 1); /* the second half has two fields */
    assert_true(r.has_quoted_break_hint);
    land("b2", "1.csv", STR("a,b\n\"x\n\",2\n1,\"\ny\"\n"));
    load_well("b2", &r);
    assert_true(r.has_quoted_break_hint);
    w.plan.source.is_multi_line = true;
    w.plan.reader_settings = STR("{\"multi\":1}");
    load_well("b2", &r);
    assert_false(r.has_quoted_break_hint);
    assert_int_equal(r.corrupt_count, 0);
    assert_str(rows("a, b, _source_line"), "x|NULL|2\ny\"|2|3\nx\n|2|2\n1|\ny|4\n");
}

static void test_settings_that_are_not_read_are_refused(void **state) {
    UNUSED(state);
    struct bronze_result r;
    land("b1", "1.csv", STR("a,b\n1,2\n"));
    w.plan.source.encoding = STR("EBCDIC-US");
    assert_code(ASSAY_UNSUPPORTED, load("b1", &r), &w.err);
    assert_err_has(&w.err, "EBCDIC-US");
    w.plan.source.encoding = STR("utf8");
    w.plan.source.quote = STR("''");
    assert_code(ASSAY_INVALID, load("b1", &r), &w.err);
    assert_err_has(&w.err, "quote `''`");
    w.plan.source.quote = STR("\"");
    w.plan.source.delimiter = STR("\"");
    assert_code(ASSAY_INVALID, load("b1", &r), &w.err);
    assert_err_has(&w.err, "has the quote or the escape in it");
}

static void test_file_changed_after_it_was_listed(void **state) {
    UNUSED(state);
    struct bronze_result r;
    struct landing_batch batch;
    land("b1", "1.csv", STR("a,b\n1,2\n"));
    assert_ok(landing_find(w.store, &w.plan, STR("b1"), &w.arena, &batch, &w.err), &w.err);
    assert_ok(landing_hash(w.store, &batch, 1, &w.arena, &w.err), &w.err);
    land("b1", "1.csv", STR("a,b\n1,2\n3,4\n"));
    struct bronze_input in = {w.store, w.engine, w.staging, &w.plan, &batch, 2};
    assert_code(ASSAY_UNAVAILABLE, bronze_load(&in, &w.arena, &r, &w.err), &w.err);
    assert_err_has(&w.err, "changed while the batch was being read");
}

/* Every row of several files of many blocks arrives once, with its own line, whoever reads it. */
static void test_many_blocks_on_two_threads(void **state) {
    UNUSED(state);
    enum { FILES = 3, ROWS = 120000 };
    struct bronze_result r;
    struct buf bytes = {0};
    for (int file = 0; file < FILES; file++) {
        buf_clear(&bytes);
        buf_addz(&bytes, "a,b\r\n");
        for (int i = 0; i < ROWS; i++) buf_printf(&bytes, "%d,a text to fill the line %d\r\n", i + 2, file);
        land("b1", str_printf(&w.arena, "%d.csv", file).ptr, buf_str(&bytes));
    }
    buf_free(&bytes);
    load_well("b1", &r);
    assert_int_equal(r.row_count, FILES * ROWS);
    assert_str(ask("_source_file[-5:], count(*), count(DISTINCT a), bool_and(a::BIGINT = _source_line), "
                   "bool_and(b[-1:] = _source_file[-5:-5])",
                   "GROUP BY 1 ORDER BY 1"),
               "0.csv|120000|120000|true|true\n1.csv|120000|120000|true|true\n2.csv|120000|120000|true|true\n");
}

static void test_look_without_loading(void **state) {
    UNUSED(state);
    struct bronze_result r;
    struct bronze_input in = {w.store, w.engine, w.staging, &w.plan, NULL, 2};
    assert_code(ASSAY_NOT_FOUND, bronze_look(&in, STR("b1"), &w.arena, &r, &w.err), &w.err);
    assert_err_has(&w.err, "assay run silver.t --batch b1");
    land("b1", "1.csv", STR("a,b\n1,2\nx\n"));
    struct bronze_result loaded;
    load_well("b1", &loaded);
    assert_ok(bronze_look(&in, STR("b1"), &w.arena, &r, &w.err), &w.err);
    assert_int_equal(r.row_count, 2);
    assert_int_equal(r.corrupt_count, 1);
    assert_int_equal(r.loaded_at_us, loaded.loaded_at_us);
    assert_false(r.is_first);
    assert_ok(bronze_look(&in, STR("b2"), &w.arena, &r, &w.err), &w.err);
    assert_true(r.is_first);
}

/* A clock that went back gives no load an earlier time than the one it replaces. */
static void test_load_time_always_grows(void **state) {
    UNUSED(state);
    struct bronze_result first, second;
    land("b1", "1.csv", STR("a,b\n1,2\n"));
    setenv("ASSAY_TEST_NOW", "1700000000123456", 1);
    load_well("b1", &first);
    setenv("ASSAY_TEST_NOW", "1600000000000000", 1);
    land("b1", "1.csv", STR("a,b\n3,4\n"));
    load_well("b1", &second);
    unsetenv("ASSAY_TEST_NOW");
    assert_int_equal(first.loaded_at_us, 1700000000123000);
    assert_int_equal(second.loaded_at_us, 1700000000124000);
}

/* A table of these columns with one row, made by somebody else. */
static void make_table(const char *name, enum type_kind kind, const char *value) {
    struct delta_metadata *m = ARENA_NEW(&w.arena, struct delta_metadata);
    struct delta_new_files files;
    int64_t version;
    delta_field_add(m, &w.arena, str_of(name), (struct type){.kind = kind}, true, (struct str){0});
    struct str select = str_printf(&w.arena, "SELECT %s AS \"%s\"", value, name);
    assert_ok(
        delta_write_files(w.engine, w.staging, m, select, &(struct engine_write_options){0}, &w.arena, &files, &w.err),
        &w.err);
    struct delta_commit commit = {.metadata = m,
                                  .adds = files.files,
                                  .add_count = files.count,
                                  .operation = "CREATE TABLE AS SELECT",
                                  .parameters = STR("{}")};
    assert_ok(delta_commit(w.store, w.engine, STR("Tables/bronze/t"), &commit, &version, &w.err), &w.err);
}

static void test_table_with_a_column_of_another_type(void **state) {
    UNUSED(state);
    struct bronze_result r;
    make_table("a", TYPE_INT, "5::INTEGER");
    land("b1", "1.csv", STR("a,b\n1,2\n"));
    assert_code(ASSAY_INVALID, load("b1", &r), &w.err);
    assert_err_has(&w.err, "column a is \"integer\" in the bronze table, where assay keeps a string");
}

static void test_lineage_column_of_another_type(void **state) {
    UNUSED(state);
    struct bronze_result r;
    make_table("_BATCH_ID", TYPE_INT, "5::INTEGER");
    land("b1", "1.csv", STR("a,b\n1,2\n"));
    assert_code(ASSAY_INVALID, load("b1", &r), &w.err);
    assert_err_has(&w.err, "column _batch_id is \"integer\"");
}

static void test_table_of_somebody_else_gets_the_columns(void **state) {
    UNUSED(state);
    struct bronze_result r;
    make_table("b", TYPE_STRING, "'old'");
    land("b1", "1.csv", STR("a,b\n1,2\n"));
    load_well("b1", &r);
    assert_true(r.is_written && r.is_first);
    assert_str(rows("b, a, _source_line, _batch_id"), "2|1|2|b1\nold|NULL|NULL|NULL\n");
    load_well("b1", &r);
    assert_false(r.is_written);
}

static void test_fingerprint(void **state) {
    UNUSED(state);
    struct landing_file files[] = {{.name = STR("a.csv"), .sha256 = STR("00")},
                                   {.name = STR("b"), .sha256 = STR("11")}};
    struct landing_batch batch = {.files = files, .file_count = 2};
    struct str one = fingerprint_of(&batch, &w.plan, &w.arena);
    /* python3: hashlib.sha256(b'a.csv\x0000\x00b\x0011\x00{"a":1}').hexdigest() */
    assert_str(one, "e6f36548125b94d81df30b6248637b4d07302f70062310e61bcb392fbaf43dbd");
    assert_int_equal(fingerprint_number(STR("ffffffffffffffff")), INT64_MAX);
    assert_int_equal(fingerprint_number(STR("0000000000000003aa")), 1);
}

static void test_readable_text(void **state) {
    UNUSED(state);
    struct buf out = {0};
    readable_text(&out, STR("a\xFF\xC3\xA4\xE2\x82,\\xff"), false);
    assert_str(buf_str(&out), "a\\xff\xC3\xA4\\xe2\\x82,\\xff");
    buf_free(&out);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_world, close_world)

TEST_MAIN(TEST(test_rows_as_they_were_sent), TEST(test_same_files_write_nothing),
          TEST(test_other_files_or_settings_replace_the_batch), TEST(test_batch_without_rows),
          TEST(test_refused_header_writes_nothing), TEST(test_bad_bytes_add_their_column_at_first_need),
          TEST(test_quoted_breaks_in_line_mode_are_hinted_at), TEST(test_settings_that_are_not_read_are_refused),
          TEST(test_file_changed_after_it_was_listed), TEST(test_many_blocks_on_two_threads),
          TEST(test_look_without_loading), TEST(test_load_time_always_grows),
          TEST(test_table_with_a_column_of_another_type), TEST(test_lineage_column_of_another_type),
          TEST(test_table_of_somebody_else_gets_the_columns), TEST(test_fingerprint),
          cmocka_unit_test(test_readable_text))
