/** The public functions on a project of our own: what they return, what they hand out, that it can be given back. */
#include "support/test.h"

#include <assay/assay.h>

#include "base/json.h"

#include <stdio.h>

static const char contract[] =
    "apiVersion: v3.1.0\nkind: DataContract\nid: t\nversion: 1.0.0\nstatus: active\nteam: { name: us }\n"
    "schema:\n"
    "  - name: t\n"
    "    customProperties:\n"
    "      - { property: assaySource, value: { path: landing/s/t } }\n"
    "    properties:\n"
    "      - { name: id, logicalType: string, primaryKey: true }\n"
    "      - { name: n, logicalType: integer }\n";

static const char *make_project(struct arena *arena, const char *text) {
    const char *folder = test_dir();
    test_write(str_printf(arena, "%s/assay.yaml", folder).ptr, STR("lake: ./lake\ncontracts: '*.odcs.yaml'\n"));
    test_write(str_printf(arena, "%s/t.odcs.yaml", folder).ptr, str_of(text));
    return folder;
}

static void land(struct arena *arena, const char *folder, const char *batch, struct str rows) {
    test_write(str_printf(arena, "%s/lake/Files/landing/s/t/batch_id=%s/a.csv", folder, batch).ptr, rows);
}

/** The only member of `runs`. */
static const struct json *only_run(const struct json *root) {
    const struct json *runs = json_member(root, "runs");
    assert_int_equal(json_count(runs), 1);
    return json_at(runs, 0);
}

static void test_lints_a_project_in_order(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    struct assay_error err = {0};
    struct json *root;
    char *json;
    assert_ok(assay_lint(make_project(&arena, contract), &json, &err), &err);
    assert_ok(json_parse(str_of(json), "json", &root, &err), &err);
    assert_int_equal(json_int(json_member(root, "files")), 1);
    assert_int_equal(json_int(json_member(root, "errors")), 0);
    json_close(&root);
    assay_free(json);
    arena_reset(&arena);
}

static void test_lint_hands_out_the_place_of_a_mistake(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    struct assay_error err = {0};
    struct json *root;
    char *json;
    const char *wrong = str_printf(&arena, "%s      - { nam: x }\n", contract).ptr;
    assert_code(ASSAY_INVALID, assay_lint(make_project(&arena, wrong), &json, &err), &err);
    assert_ok(json_parse(str_of(json), "json", &root, &err), &err);
    const struct json *first = json_at(json_member(root, "diagnostics"), 0);
    assert_int_equal(json_int(json_member(first, "line")), 14);
    assert_str(json_str(json_member(first, "severity")), "error");
    json_close(&root);
    assay_free(json);
    arena_reset(&arena);
}

static void test_nothing_is_handed_out_without_a_project(void **state) {
    UNUSED(state);
    struct assay_error err = {0};
    char *json = (char *)&err;
    assert_code(ASSAY_NOT_FOUND, assay_lint(test_dir(), &json, &err), &err);
    assert_null(json);
    json = (char *)&err;
    assert_code(ASSAY_NOT_FOUND, assay_run(test_dir(), NULL, NULL, &json, &err), &err);
    assert_null(json);
    assay_free(json);
    assert_int_equal(assay_lint(test_dir(), &json, NULL), ASSAY_NOT_FOUND);
}

static void test_runs_what_is_pending(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    struct assay_error err = {0};
    struct json *root;
    char *json;
    const char *folder = make_project(&arena, contract);
    land(&arena, folder, "b1", STR("id,n\na,1\na,2\nb,\n"));
    assert_ok(assay_run(folder, NULL, NULL, &json, &err), &err);
    assert_ok(json_parse(str_of(json), "json", &root, &err), &err);
    assert_int_equal(json_int(json_member(only_run(root), "landed")), 3);
    assert_int_equal(json_int(json_member(only_run(root), "inserted")), 2);
    json_close(&root);
    assay_free(json);
    assert_ok(assay_run(folder, "silver.t", NULL, &json, &err), &err);
    assert_str(str_of(json), "{\"runs\":[]}");
    assay_free(json);
    arena_reset(&arena);
}

static void test_a_refused_batch_is_told_and_does_not_stop_the_others(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    struct assay_error err = {0};
    struct json *root;
    char *json;
    const char *folder = make_project(&arena, contract);
    land(&arena, folder, "b1", STR("id,n\na,x\n"));
    land(&arena, folder, "b2", STR("id,n\nb,1\n"));
    assert_code(ASSAY_REFUSED, assay_run(folder, "silver.t", NULL, &json, &err), &err);
    assert_err_has(&err, "b1");
    assert_ok(json_parse(str_of(json), "json", &root, &err), &err);
    assert_int_equal(json_count(json_member(root, "runs")), 2);
    json_close(&root);
    assay_free(json);
    assert_code(ASSAY_NOT_FOUND, assay_run(folder, "silver.t", "b3", &json, &err), &err);
    assay_free(json);
    assert_code(ASSAY_INVALID, assay_run(folder, "silver.x", NULL, &json, &err), &err);
    assert_null(json);
    arena_reset(&arena);
}

static void test_the_version_is_three_numbers(void **state) {
    UNUSED(state);
    int parts[3];
    char rest;
    assert_int_equal(sscanf(assay_version(), "%d.%d.%d%c", &parts[0], &parts[1], &parts[2], &rest), 3);
}

TEST_MAIN(cmocka_unit_test(test_lints_a_project_in_order), cmocka_unit_test(test_lint_hands_out_the_place_of_a_mistake),
          cmocka_unit_test(test_nothing_is_handed_out_without_a_project), cmocka_unit_test(test_runs_what_is_pending),
          cmocka_unit_test(test_a_refused_batch_is_told_and_does_not_stop_the_others),
          cmocka_unit_test(test_the_version_is_three_numbers))
