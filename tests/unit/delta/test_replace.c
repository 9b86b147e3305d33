/* Replace-where by one text value: which files go, which are written anew, which rows are left. */
#include "delta_test.h"

static struct delta_range batch(const char *value) {
    return (struct delta_range){STR("name"), str_of(value), str_of(value)};
}

static enum assay_code replace(const struct delta_snapshot *t, const char *value, const char *select,
                               struct assay_error *err) {
    struct delta_new_files files = stage(&t->metadata, select);
    struct delta_commit commit = append_of(t, &files);
    int64_t version;
    return delta_replace_where(engine, staging, t, &commit, batch(value), &arena, &version, err);
}

static size_t count_actions(int64_t version, const char *action) {
    size_t count = 0;
    for (struct str rest = commit_text(version), line; rest.len > 0;) {
        rest = str_split(rest, '\n', &line);
        count += str_starts(line, str_printf_of("{\"%s\":", action));
    }
    return count;
}

static void test_only_files_of_the_value_are_touched(void **state) {
    UNUSED(state);
    struct assay_error err = {0};
    struct delta_snapshot *t = create(simple_metadata(), "SELECT range AS id, 'b1' AS name FROM range(3)");
    t = append(t, "SELECT 10 + range AS id, 'b2' AS name FROM range(3)");
    assert_ok(replace(t, "b1", "SELECT 7 AS id, 'b1' AS name", &err), &err);
    t = load();
    assert_int_equal(t->version, 2);
    assert_int_equal(count_actions(2, "remove"), 1);
    assert_int_equal(count_actions(2, "add"), 1);
    assert_str(ask_table(t, "SELECT name, id FROM {t} ORDER BY id"), "b1|7\nb2|10\nb2|11\nb2|12");
    /* a value that is not there: rows are added, nothing is removed; without rows there is no commit */
    assert_ok(replace(t, "b3", "SELECT 20 AS id, 'b3' AS name", &err), &err);
    assert_int_equal(count_actions(3, "remove"), 0);
    assert_ok(replace(load(), "b4", "SELECT 1 AS id WHERE FALSE", &err), &err);
    assert_int_equal(load()->version, 3);
    /* to nothing: the batch is gone */
    assert_ok(replace(load(), "b2", "SELECT 1 AS id WHERE FALSE", &err), &err);
    assert_str(ask_table(load(), "SELECT name, id FROM {t} ORDER BY id"), "b1|7\nb3|20");
}

static void test_mixed_files_keep_their_other_rows(void **state) {
    UNUSED(state);
    struct assay_error err = {0};
    struct delta_snapshot *t =
        create(simple_metadata(), "SELECT * FROM (VALUES (1, 'a'), (2, 'b'), (3, NULL), (4, 'c')) v(id, name)");
    t = append(t, "SELECT * FROM (VALUES (5, 'a'), (6, 'c')) v(id, name)");
    assert_ok(replace(t, "b", "SELECT 20 AS id, 'b' AS name", &err), &err);
    t = load();
    assert_int_equal(count_actions(2, "remove"), 1); /* the second file may hold b by its stats, but does not */
    assert_int_equal(count_actions(2, "add"), 2);
    assert_str(ask_table(t, "SELECT id, name FROM {t} ORDER BY id"), "1|a\n3|NULL\n4|c\n5|a\n6|c\n20|b");
}

static void test_two_runs_of_one_batch_conflict(void **state) {
    UNUSED(state);
    struct assay_error err = {0};
    struct delta_snapshot *t = create(simple_metadata(), "SELECT 1 AS id, 'b1' AS name");
    assert_ok(replace(t, "b1", "SELECT 2 AS id, 'b1' AS name", &err), &err);
    assert_code(ASSAY_CONFLICT, replace(t, "b1", "SELECT 3 AS id, 'b1' AS name", &err), &err);
    assert_ok(replace(t, "b2", "SELECT 4 AS id, 'b2' AS name", &err), &err); /* another batch is rebased */
    assert_code(ASSAY_CONFLICT, replace(t, "b2", "SELECT 5 AS id, 'b2' AS name", &err), &err);
    assert_str(ask_table(load(), "SELECT id, name FROM {t} ORDER BY id"), "2|b1\n4|b2");
}

TEST_MAIN(LAKE_TEST(test_only_files_of_the_value_are_touched), LAKE_TEST(test_mixed_files_keep_their_other_rows),
          LAKE_TEST(test_two_runs_of_one_batch_conflict))
