/* From a contract made by hand to the plan: each point on its own, with what Spark SQL would say as the expected text.
 */
#include "support/test.h"

#include "plan/plan.h"

struct fixture {
    struct arena arena;
    struct assay_error err;
    struct contract contract;
    struct contract_column columns[8];
    struct contract_rule rules[16];
    struct contract_order order[4];
    size_t keys[2];
    struct plan *plan;
};

static struct type type_of(const char *name) {
    struct type type;
    assert_true(type_parse(str_of(name), &type));
    return type;
}

static size_t add_column(struct fixture *f, const char *name, const char *type, bool is_required) {
    f->columns[f->contract.column_count] = (struct contract_column){
        .name = str_of(name),
        .source = str_of(name),
        .type = type_of(type),
        .is_required = is_required,
        .place = {.line = 10 + (uint32_t)f->contract.column_count, .column = 5},
    };
    return f->contract.column_count++;
}

static struct contract_rule *add_rule(struct fixture *f, enum contract_rule_kind kind, const char *id, size_t column) {
    struct contract_rule *rule = &f->rules[f->contract.rule_count++];
    *rule = (struct contract_rule){
        .kind = kind,
        .id = str_of(id),
        .column = column,
        .is_constraint = true,
        .place = {.line = 40, .column = 7},
        .min_length = -1,
        .max_length = -1,
    };
    return rule;
}

/* A contract of one key column `id`. */
static void setup(struct fixture *f) {
    *f = (struct fixture){0};
    f->contract = (struct contract){
        .path = STR("c.odcs.yaml"),
        .table = STR("silver.things"),
        .bronze_table = STR("bronze.things"),
        .quarantine_table = STR("quarantine.things"),
        .columns = f->columns,
        .rules = f->rules,
        .latest_by = f->order,
        .keys = f->keys,
        .key_count = 1,
        .min_rows = -1,
        .max_rows = -1,
        .limit_scaled = 5,
        .source = {.path = STR("landing/a/b"),
                   .pattern = STR("*.csv"),
                   .delimiter = STR(","),
                   .quote = STR("\""),
                   .escape = STR("\""),
                   .encoding = STR("UTF-8"),
                   .max_record_bytes = 1048576},
    };
    add_column(f, "id", "string", true);
}

static void compile(struct fixture *f) { assert_ok(plan_compile(&f->contract, &f->arena, &f->plan, &f->err), &f->err); }

static void compile_fails(struct fixture *f, const char *part) {
    assert_code(ASSAY_INVALID, plan_compile(&f->contract, &f->arena, &f->plan, &f->err), &f->err);
    assert_err_has(&f->err, part);
}

static struct str predicate_text(struct fixture *f, size_t rule) {
    struct buf out = {0};
    expr_print_spark(&out, f->plan->rules[rule].predicate);
    struct str text = str_copy(&f->arena, buf_str(&out));
    buf_free(&out);
    return text;
}

/* One range rule over one optional column of the type; *f stays open for the caller's questions. */
static struct str range_text(struct fixture *f, const char *type, const char *minimum, const char *maximum) {
    setup(f);
    size_t column = add_column(f, "v", type, false);
    struct contract_rule *rule = add_rule(f, CONTRACT_RANGE, "v_range", column);
    rule->minimum = str_of(minimum);
    rule->maximum = str_of(maximum);
    compile(f);
    return predicate_text(f, 0);
}

static void test_bounds_are_typed_by_the_column(void **state) {
    UNUSED(state);
    static const struct {
        const char *type, *minimum, *maximum, *expected;
    } cases[] = {
        {"int", "0", "100", "v >= 0 AND v <= 100"},
        {"int", "-5", NULL, "v >= -5"},
        {"decimal(18,2)", NULL, "10.50", "v <= 10.50"},
        {"double", "+1.5", "1e3", "v >= 1.5 AND v <= 1e3"},
        {"float", "0.1", NULL, "v >= CAST(0.1 AS float)"},
        {"date", "1900-01-01", "2020-12-31", "v >= DATE '1900-01-01' AND v <= DATE '2020-12-31'"},
        {"timestamp", "2024-01-01T00:00:00Z", NULL, "v >= TIMESTAMP '2024-01-01T00:00:00Z'"},
        {"string", "a", "it's", "v >= 'a' AND v <= 'it\\'s'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fixture f;
        struct str text = range_text(&f, cases[i].type, cases[i].minimum, cases[i].maximum);
        if (!str_eq_nocase(text, str_of(cases[i].expected))) assert_str(text, cases[i].expected);
        arena_reset(&f.arena);
    }
}

static void test_bounds_that_are_no_value_are_refused(void **state) {
    UNUSED(state);
    static const struct {
        const char *type, *bound;
    } cases[] = {
        {"int", "ten"},
        {"int", ""},
        {"int", "1; DROP TABLE x"},
        {"decimal(9,2)", "1,5"},
        {"decimal(9,2)", "--"},
        {"double", "1e"},
        {"double", "."},
        {"date", "2020-02-30"},
        {"date", "today"},
        {"date", "2020'; --"},
        {"timestamp", "noon"},
        {"binary", "x"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fixture f;
        setup(&f);
        add_rule(&f, CONTRACT_RANGE, "v_range", add_column(&f, "v", cases[i].type, false))->minimum =
            str_of(cases[i].bound);
        compile_fails(&f, "c.odcs.yaml:40:7: rule v_range");
        assert_err_has(&f.err, cases[i].bound);
        arena_reset(&f.arena);
    }
}

static void test_exclusive_bounds(void **state) {
    UNUSED(state);
    struct fixture f;
    setup(&f);
    struct contract_rule *rule = add_rule(&f, CONTRACT_RANGE, "n_range", add_column(&f, "n", "int", true));
    rule->minimum = STR("0");
    rule->maximum = STR("9");
    rule->is_minimum_exclusive = rule->is_maximum_exclusive = true;
    compile(&f);
    assert_str(predicate_text(&f, 0), "n > 0 AND n < 9");
    assert_str(f.plan->rules[0].reason, "invalid n");
    arena_reset(&f.arena);
}

static void test_length_pattern_allowed(void **state) {
    UNUSED(state);
    struct fixture f;
    struct str letters[] = {STR("A"), STR("it's"), STR("")}, numbers[] = {STR("1"), STR("-2")};
    setup(&f);
    size_t text = add_column(&f, "t", "string", false), number = add_column(&f, "n", "smallint", false);
    struct contract_rule *length = add_rule(&f, CONTRACT_LENGTH, "t_length", text);
    length->min_length = 2;
    length->max_length = 8;
    add_rule(&f, CONTRACT_PATTERN, "t_pattern", text)->pattern = STR("^a\\d'$");
    struct contract_rule *allowed = add_rule(&f, CONTRACT_ALLOWED, "t_known", text);
    allowed->values = letters;
    allowed->value_count = 3;
    allowed = add_rule(&f, CONTRACT_ALLOWED, "n_known", number);
    allowed->values = numbers;
    allowed->value_count = 2;
    compile(&f);
    assert_str(predicate_text(&f, 0), "length(t) >= 2 AND length(t) <= 8");
    assert_str(predicate_text(&f, 1), "t RLIKE '^a\\\\d\\'$'");
    assert_str(predicate_text(&f, 2), "t IN ('A', 'it\\'s', '')");
    assert_str(predicate_text(&f, 3), "n IN (1, -2)");
    assert_str(f.plan->rules[0].reason, "wrong length t");
    assert_str(f.plan->rules[1].reason, "malformed t");
    assert_str(f.plan->rules[2].reason, "unknown t");
    arena_reset(&f.arena);
}

static void test_reasons_of_rules_without_predicate(void **state) {
    UNUSED(state);
    struct fixture f;
    setup(&f);
    size_t total = add_column(&f, "total", "decimal(18,2)", true);
    add_rule(&f, CONTRACT_REQUIRED, "total_required", total);
    add_rule(&f, CONTRACT_CAST, "total_cast", total);
    add_rule(&f, CONTRACT_SCALE, "total_scale", total);
    add_rule(&f, CONTRACT_REFERENCE, "total_reference", total)->reference_table = STR("silver.x");
    compile(&f);
    static const char *const reasons[] = {"missing total", "unparseable total", "inexact total", "unmatched total"};
    for (size_t i = 0; i < 4; i++) {
        assert_str(f.plan->rules[i].reason, reasons[i]);
        assert_null(f.plan->rules[i].predicate);
    }
    assert_str(f.plan->rules[3].reference_table, "silver.x");
    assert_int_equal(f.plan->constraint_count, 1);
    assert_str(f.plan->constraints[0].name, "id_not_empty");
    assert_str(f.plan->constraints[0].text, "id <> ''");
    arena_reset(&f.arena);
}

static struct expr *parsed(struct fixture *f, const char *text) {
    struct expr *e;
    assert_ok(expr_parse(str_of(text), &f->arena, &e, &f->err), &f->err);
    return e;
}

static void test_constraints_accept_what_the_rules_accept(void **state) {
    UNUSED(state);
    struct fixture f;
    setup(&f);
    size_t score = add_column(&f, "score", "int", false);
    add_rule(&f, CONTRACT_RANGE, "Score_Range", score)->minimum = STR("0");
    add_rule(&f, CONTRACT_ROW, "row_rule", SIZE_MAX)->predicate = parsed(&f, "score IS NULL OR id <> 'x'");
    struct contract_rule *warning = add_rule(&f, CONTRACT_RANGE, "score_high", score);
    warning->maximum = STR("90");
    warning->severity = CONTRACT_WARNING;
    struct contract_rule *kept_off = add_rule(&f, CONTRACT_ROW, "kept_off", SIZE_MAX);
    kept_off->predicate = parsed(&f, "score < 5");
    kept_off->is_constraint = false;
    compile(&f);
    assert_int_equal(f.plan->rule_count, 4);
    assert_str(f.plan->rules[1].reason, "failed row_rule");
    assert_int_equal(f.plan->constraint_count, 3);
    assert_str(f.plan->constraints[0].name, "id_not_empty");
    assert_str(f.plan->constraints[1].name, "score_range");
    assert_str(f.plan->constraints[1].text, "score IS NULL OR (score >= 0)");
    assert_str(f.plan->constraints[2].name, "row_rule");
    assert_str(f.plan->constraints[2].text, "score IS NULL OR id <> 'x'");
    arena_reset(&f.arena);
}

static void test_constraint_names_are_unique(void **state) {
    UNUSED(state);
    struct fixture f;
    setup(&f);
    add_rule(&f, CONTRACT_PATTERN, "ID_not_empty", 0)->pattern = STR("x");
    compile_fails(&f, "id_not_empty");
    assert_err_has(&f.err, "c.odcs.yaml:40:7");
    arena_reset(&f.arena);
}

static void test_rules_that_cannot_be_asked_are_refused(void **state) {
    UNUSED(state);
    struct fixture f;
    setup(&f);
    add_rule(&f, CONTRACT_ROW, "r", SIZE_MAX)->predicate = parsed(&f, "id = 'a' AND missing > 1");
    compile_fails(&f, "missing");
    assert_err_has(&f.err, "c.odcs.yaml:40:7: rule r");
    arena_reset(&f.arena);
    setup(&f);
    add_rule(&f, CONTRACT_ROW, "r", SIZE_MAX)->predicate = parsed(&f, "length(id)");
    compile_fails(&f, "rule r");
    arena_reset(&f.arena);
    setup(&f);
    add_rule(&f, CONTRACT_RANGE, "r", 0);
    compile_fails(&f, "says nothing");
    arena_reset(&f.arena);
    setup(&f);
    add_rule(&f, CONTRACT_ALLOWED, "r", 0);
    compile_fails(&f, "says nothing");
    arena_reset(&f.arena);
}

static void assert_order(const struct plan_order *order, const char *column, size_t index, bool is_ascending) {
    assert_str(order->column, column);
    assert_int_equal(order->index, index);
    assert_int_equal(order->is_ascending, is_ascending);
}

static void test_order_ends_with_file_and_line(void **state) {
    UNUSED(state);
    struct fixture f;
    setup(&f);
    add_column(&f, "changed", "timestamp", true);
    add_column(&f, "seq", "int", false);
    f.order[0] = (struct contract_order){.column = STR("changed")};
    f.order[1] = (struct contract_order){.column = STR("seq"), .is_ascending = true};
    f.order[2] = (struct contract_order){.column = STR("_source_file"), .is_ascending = true};
    f.contract.latest_by_count = 3;
    compile(&f);
    assert_int_equal(f.plan->order_count, 4);
    assert_int_equal(f.plan->version_count, 2);
    assert_order(&f.plan->order[0], "changed", 1, false);
    assert_order(&f.plan->order[1], "seq", 2, true);
    assert_order(&f.plan->order[2], "_source_file", SIZE_MAX, true);
    assert_order(&f.plan->order[3], "_source_line", SIZE_MAX, false);
    assert_str(plan_update_text(f.plan, &f.arena), "(source.changed > target.changed) OR "
                                                   "(source.changed = target.changed AND source.seq IS NOT NULL AND "
                                                   "(target.seq IS NULL OR source.seq < target.seq)) OR "
                                                   "(source.changed = target.changed AND source.seq <=> target.seq AND "
                                                   "(target._loaded_at IS NULL OR "
                                                   "source._loaded_at >= target._loaded_at))");
    arena_reset(&f.arena);
}

static void test_without_order_the_load_time_decides(void **state) {
    UNUSED(state);
    struct fixture f;
    setup(&f);
    compile(&f);
    assert_int_equal(f.plan->order_count, 2);
    assert_int_equal(f.plan->version_count, 0);
    assert_order(&f.plan->order[0], "_source_file", SIZE_MAX, false);
    assert_order(&f.plan->order[1], "_source_line", SIZE_MAX, false);
    assert_str(plan_update_text(f.plan, &f.arena),
               "(target._loaded_at IS NULL OR source._loaded_at >= target._loaded_at)");
    f.contract.update_when = parsed(&f, "TRUE");
    f.contract.update_when_text = STR("source.a >= target.a");
    compile(&f);
    assert_str(plan_update_text(f.plan, &f.arena), "source.a >= target.a");
    arena_reset(&f.arena);
}

static void test_orders_that_mean_two_things_are_refused(void **state) {
    UNUSED(state);
    struct fixture f;
    setup(&f);
    f.order[0] = (struct contract_order){.column = STR("_source_file")};
    f.order[1] = (struct contract_order){.column = STR("id")};
    f.contract.latest_by_count = 2;
    compile_fails(&f, "after a lineage column");
    f.order[0] = (struct contract_order){.column = STR("nowhere")};
    compile_fails(&f, "nowhere");
    arena_reset(&f.arena);
}

static void test_columns_and_sources(void **state) {
    UNUSED(state);
    struct fixture f;
    setup(&f);
    add_column(&f, "money", "decimal(18,2)", false);
    size_t exact = add_column(&f, "exact", "decimal(18,2)", false);
    f.columns[exact].is_scale_strict = true;
    f.columns[exact].source = STR("MONEY");
    size_t day = add_column(&f, "day", "date", false);
    f.columns[day].format = STR("dd.MM.yyyy");
    compile(&f);
    assert_int_equal(f.plan->source_column_count, 3);
    assert_str(f.plan->source_columns[1], "money");
    assert_str(f.plan->source_columns[2], "day");
    assert_int_equal(f.plan->columns[exact].source, 1);
    assert_int_equal(f.plan->columns[day].source, 2);
    assert_true(f.plan->columns[1].is_rounded);
    assert_false(f.plan->columns[exact].is_rounded);
    assert_false(f.plan->columns[day].is_rounded);
    assert_str(f.plan->columns[day].format, "dd.MM.yyyy");
    arena_reset(&f.arena);
}

static void test_reader_settings(void **state) {
    UNUSED(state);
    struct fixture f;
    setup(&f);
    add_column(&f, "na\"me", "string", false);
    f.contract.source.encoding = STR("utf-8");
    compile(&f);
    assert_str(f.plan->reader_settings,
               "{\"format\":\"csv\",\"header\":\"strict\",\"delimiter\":\",\",\"quote\":\"\\\"\",\"escape\":\"\\\"\","
               "\"multiLine\":false,\"encoding\":\"UTF-8\",\"columns\":[\"id\",\"na\\\"me\"]}");
    f.contract.source.is_multi_line = true;
    compile(&f);
    assert_has(f.plan->reader_settings, "\"multiLine\":true,\"maxRecordBytes\":1048576,");
    struct str markers[] = {STR("NA"), STR("")};
    f.contract.source.comment = STR("#");
    f.contract.source.skip_top = 3;
    f.contract.source.skip_bottom = 1;
    f.contract.source.null_markers = markers;
    f.contract.source.null_marker_count = 2;
    f.contract.source.decimal_separator = STR(","); /* bronze holds the same text */
    compile(&f);
    assert_has(f.plan->reader_settings, "\"encoding\":\"UTF-8\",\"comment\":\"#\",\"skipTop\":3,\"skipBottom\":1,"
                                        "\"nullMarkers\":[\"NA\",\"\"],\"columns\"");
    arena_reset(&f.arena);
}

TEST_MAIN(cmocka_unit_test(test_bounds_are_typed_by_the_column),
          cmocka_unit_test(test_bounds_that_are_no_value_are_refused), cmocka_unit_test(test_exclusive_bounds),
          cmocka_unit_test(test_length_pattern_allowed), cmocka_unit_test(test_reasons_of_rules_without_predicate),
          cmocka_unit_test(test_constraints_accept_what_the_rules_accept),
          cmocka_unit_test(test_constraint_names_are_unique),
          cmocka_unit_test(test_rules_that_cannot_be_asked_are_refused),
          cmocka_unit_test(test_order_ends_with_file_and_line),
          cmocka_unit_test(test_without_order_the_load_time_decides),
          cmocka_unit_test(test_orders_that_mean_two_things_are_refused), cmocka_unit_test(test_columns_and_sources),
          cmocka_unit_test(test_reader_settings))
