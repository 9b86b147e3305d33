/* Contracts that exist: every one of the oracle, the small job, and the examples in both forms read without a mistake.
 */
#include "contract_support.h"

#include <glob.h>

static void parse_file(struct parsed *p, struct arena *arena, const char *path) {
    struct str text = test_read(arena, path);
    *p = (struct parsed){0};
    assert_ok(contract_parse(text, str_of(path), &p->arena, &p->list, &p->count, &p->diagnostics), NULL);
}

static size_t assert_all_read(const char *pattern) {
    struct arena arena = {0};
    glob_t found = {0};
    assert_int_equal(glob(test_data(&arena, pattern), 0, NULL, &found), 0);
    size_t count = 0;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct parsed p;
        parse_file(&p, &arena, found.gl_pathv[i]);
        if (p.diagnostics.error_count) print_mistakes(&p);
        assert_int_equal(p.diagnostics.error_count, 0);
        assert_int_equal(p.count, 1);
        count++;
        arena_reset(&p.arena);
    }
    globfree(&found);
    arena_reset(&arena);
    return count;
}

static void test_oracle_contracts(void **state) {
    UNUSED(state);
    /* 31 scenarios, two of them with a second contract */
    assert_true(assert_all_read("oracle/scenarios/*/contract*.yaml") >= 31);
}

static void test_small_job(void **state) {
    UNUSED(state);
    assert_int_equal(assert_all_read("small-job/*.odcs.yaml"), 1);
}

static void test_examples_of_both_versions_mean_the_same(void **state) {
    UNUSED(state);
    assert_int_equal(assert_all_read("contracts/*.odcs.yaml"), 2);
    struct arena arena = {0};
    struct parsed a, b;
    parse_file(&a, &arena, test_data(&arena, "contracts/orders.minimal.v3.1.odcs.yaml"));
    parse_file(&b, &arena, test_data(&arena, "contracts/orders.v3.2.odcs.yaml"));
    const struct contract *x = &a.list[0], *y = &b.list[0];
    assert_int_equal(x->rule_count, y->rule_count);
    for (size_t i = 0; i < x->rule_count; i++) {
        assert_true(str_eq(x->rules[i].id, y->rules[i].id));
        assert_int_equal(x->rules[i].kind, y->rules[i].kind);
        assert_int_equal(x->rules[i].value_count, y->rules[i].value_count);
    }
    assert_true(str_eq(x->bronze_table, y->bronze_table));
    assert_int_equal(x->latest_by_count, y->latest_by_count);
    arena_reset(&a.arena);
    arena_reset(&b.arena);
    arena_reset(&arena);
}

/* Two columns may only hold active keys of another table. */
static void test_references_of_the_oracle(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    struct parsed p;
    parse_file(&p, &arena, test_data(&arena, "oracle/scenarios/reference-table/contract.odcs.yaml"));
    size_t references = 0;
    for (size_t i = 0; i < p.list[0].rule_count; i++) {
        const struct contract_rule *rule = &p.list[0].rules[i];
        if (rule->kind != CONTRACT_REFERENCE) continue;
        references++;
        assert_str(rule->reference_table, "silver.currencies");
        assert_str(rule->reference_column, "code");
        assert_str(rule->reference_active_when, "active");
        assert_false(rule->is_constraint);
    }
    assert_int_equal(references, 2);
    arena_reset(&p.arena);
    arena_reset(&arena);
}

static void test_first_contract_is_clean(void **state) {
    UNUSED(state);
    struct buf contract = {0}, project = {0};
    contract_init_text(STR("silver.my_table"), &contract, &project);
    struct parsed p;
    parse_text(&p, buf_str(&contract));
    assert_clean(&p, "the first contract");
    assert_str(p.list[0].table, "silver.my_table");
    assert_str(p.list[0].source.path, "landing/my_source/my_table");
    assert_int_equal(p.list[0].unchecked_count, 0);
    assert_has(buf_str(&project), "lake: ./lake\ncontracts: contracts/*.odcs.yaml\n");
    arena_reset(&p.arena);
    buf_free(&contract);
    buf_free(&project);
}

TEST_MAIN(cmocka_unit_test(test_oracle_contracts), cmocka_unit_test(test_small_job),
          cmocka_unit_test(test_examples_of_both_versions_mean_the_same),
          cmocka_unit_test(test_references_of_the_oracle), cmocka_unit_test(test_first_contract_is_clean))
