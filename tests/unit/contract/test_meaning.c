/* What a good contract means: rules in order, severities, limits, defaults, what is not checked. Expectations are the
 * oracle README's. */
#include "contract_support.h"

static const struct contract_rule *rule_of(const struct contract *c, const char *id) {
    for (size_t i = 0; i < c->rule_count; i++)
        if (str_eq(c->rules[i].id, str_of(id))) return &c->rules[i];
    fail_msg("no rule %s", id);
    return NULL;
}

static const struct contract_column *column_of(const struct contract *c, const char *name) {
    for (size_t i = 0; i < c->column_count; i++)
        if (str_eq(c->columns[i].name, str_of(name))) return &c->columns[i];
    fail_msg("no column %s", name);
    return NULL;
}

/* The good contract with one edit; it must still be free of errors. */
static const struct contract *parse_edited(struct parsed *p, struct arena *arena, const char *from, const char *to) {
    parse_text(p, edit(arena, str_of(good_contract), from, to));
    if (p->diagnostics.error_count) print_mistakes(p);
    assert_int_equal(p->diagnostics.error_count, 0);
    assert_int_equal(p->count, 1);
    return &p->list[0];
}

static void test_identity(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    struct parsed p;
    const struct contract *c =
        parse_edited(&p, &arena, "status: active", "status: active\ndomain: sales\ndescription: { purpose: Orders. }");
    assert_str(c->id, "silver-orders");
    assert_str(c->version, "1.0.0");
    assert_str(c->api_version, "v3.1.0");
    assert_str(c->domain, "sales");
    assert_str(c->purpose, "Orders.");
    assert_str(c->owner, "sales");
    assert_str(c->owner_contact, "a@example.com");
    assert_str(c->table, "silver.orders");
    assert_str(c->path, "orders.odcs.yaml");
    assert_int_equal(c->hash.len, 64);
    arena_reset(&p.arena);
    arena_reset(&arena);
}

static void test_hash_is_of_the_bytes(void **state) {
    UNUSED(state);
    struct parsed a, b;
    struct arena arena = {0};
    parse_text(&a, str_of(good_contract));
    parse_text(&b, str_printf(&arena, "%s# a comment\n", good_contract));
    assert_false(str_eq(a.list[0].hash, b.list[0].hash));
    arena_reset(&a.arena);
    arena_reset(&b.arena);
    arena_reset(&arena);
}

static void test_rules_in_contract_order(void **state) {
    UNUSED(state);
    static const char *const expected[] = {
        "order_id_required",  "order_id_length",  "order_id_pattern",  "ordered_required", "ordered_cast",
        "ordered_range",      "shipped_cast",     "total_cast",        "total_scale",      "total_range",
        "currency_length",    "currency_pattern", "currency_allowed2", "currency_allowed", "currency_form",
        "currency_reference", "updated_at_cast",  "dates_in_order"};
    struct arena arena = {0};
    struct parsed p;
    struct str text = edit(&arena, str_of(good_contract), "maximum: 1000 }",
                           "maximum: 1000 }\n        customProperties: [{ property: assayScale, value: strict }]");
    text = edit(&arena, text, "      - name: currency\n        logicalType: string\n        quality:\n",
                "      - name: currency\n        logicalType: string\n"
                "        relationships: [{ to: c.code, customProperties: [{ property: assayReference, value: { table: "
                "silver.c, column: code, "
                "activeWhen: active } }] }]\n"
                "        logicalTypeOptions: { pattern: '^[A-Z]+$', minLength: 3 }\n"
                "        quality:\n"
                "          - { id: currency_allowed2, metric: invalidValues, arguments: { validValues: [AUD] }, "
                "mustBe: 0, severity: low }\n");
    text = edit(&arena, text, "[AUD, NZD] }\n            mustBe: 0\n",
                "[AUD, NZD] }\n            mustBe: 0\n          - id: currency_form\n            type: sql\n"
                "            query: select count ( * ) from ${table} where not(length(${column}) = 3);\n            "
                "mustBe: 0\n");
    parse_text(&p, text);
    assert_clean(&p, "all kinds of rules");
    const struct contract *c = &p.list[0];
    for (size_t i = 0; i < c->rule_count && i < sizeof expected / sizeof expected[0]; i++)
        assert_str(c->rules[i].id, expected[i]);
    assert_int_equal(c->rule_count, sizeof expected / sizeof expected[0]);
    assert_int_equal(rule_of(c, "dates_in_order")->column, SIZE_MAX);
    assert_int_equal(rule_of(c, "currency_form")->column, 4);
    assert_false(rule_of(c, "currency_reference")->is_constraint);
    assert_str(rule_of(c, "currency_reference")->reference_active_when, "active");
    assert_false(rule_of(c, "currency_allowed2")->is_constraint);
    assert_true(rule_of(c, "currency_allowed")->is_constraint);
    assert_int_equal(c->unchecked_count, 0);
    arena_reset(&p.arena);
    arena_reset(&arena);
}

static void test_severities(void **state) {
    UNUSED(state);
    static const struct {
        const char *word;
        enum contract_severity severity;
    } cases[] = {{"info", CONTRACT_INFO},   {"warning", CONTRACT_WARNING}, {"warn", CONTRACT_WARNING},
                 {"low", CONTRACT_WARNING}, {"minor", CONTRACT_WARNING},   {"Trivial", CONTRACT_WARNING},
                 {"error", CONTRACT_ERROR}, {"critical", CONTRACT_ERROR},  {"anything", CONTRACT_ERROR}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct arena arena = {0};
        struct parsed p;
        const char *to = str_printf(&arena, "type: sql\n        severity: %s", cases[i].word).ptr;
        const struct contract_rule *rule = rule_of(parse_edited(&p, &arena, "type: sql", to), "dates_in_order");
        assert_int_equal(rule->severity, cases[i].severity);
        assert_int_equal(rule->is_constraint, cases[i].severity == CONTRACT_ERROR);
        arena_reset(&p.arena);
        arena_reset(&arena);
    }
}

static void test_constraint_can_be_taken_off(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    struct parsed p;
    const struct contract *c = parse_edited(
        &p, &arena, "type: sql", "type: sql\n        customProperties: [{ property: assayConstraint, value: false }]");
    assert_int_equal(rule_of(c, "dates_in_order")->severity, CONTRACT_ERROR);
    assert_false(rule_of(c, "dates_in_order")->is_constraint);
    arena_reset(&p.arena);
    arena_reset(&arena);
}

static void test_limits(void **state) {
    UNUSED(state);
    static const struct {
        const char *from, *to, *sla;
        int64_t scaled;
        int scale;
        bool is_default;
    } cases[] = {
        {"maxRejectPercent: 5, ", "maxRejectPercent: 0.5, ", "", 5, 1, false},
        {"maxRejectPercent: 5, ", "maxRejectPercent: 100, ", "", 100, 0, false},
        {"maxRejectPercent: 5, ", "", "", 5, 0, true},
        {"maxRejectPercent: 5, ", "", "{ property: errorRate, value: 2.25, unit: percent }", 225, 2, false},
        {"maxRejectPercent: 5, ", "", "{ property: errorRate, value: 3, unit: percent, element: orders }", 3, 0, false},
        {"maxRejectPercent: 5, ", "", "{ property: errorRate, value: 3, unit: percent, element: silver.orders }", 3, 0,
         false},
        {"maxRejectPercent: 5, ", "", "{ property: errorRate, value: 3, unit: rows }", 5, 0, true},
        {"maxRejectPercent: 5, ", "maxRejectPercent: 7, ", "{ property: errorRate, value: 7, unit: percent }", 7, 0,
         false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct arena arena = {0};
        struct parsed p;
        struct str text = edit(&arena, str_of(good_contract), cases[i].from, cases[i].to);
        parse_text(&p, str_printf(&arena, "%.*sslaProperties: [%s]\n", STR_ARG(text), cases[i].sla));
        assert_clean(&p, cases[i].sla);
        assert_int_equal(p.list[0].limit_scaled, cases[i].scaled);
        assert_int_equal(p.list[0].limit_scale, cases[i].scale);
        assert_int_equal(p.list[0].limit_place.line == 0, cases[i].is_default);
        assert_int_equal(p.list[0].min_rows, 1);
        assert_int_equal(p.list[0].max_rows, -1);
        arena_reset(&p.arena);
        arena_reset(&arena);
    }
}

static void test_source_defaults(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    struct parsed p;
    const struct contract *c =
        parse_edited(&p, &arena, "path: landing/erp/orders, format: csv", "path: landing/erp/sales-orders/");
    assert_str(c->source.path, "landing/erp/sales-orders");
    assert_str(c->source.pattern, "*.csv");
    assert_str(c->source.delimiter, ",");
    assert_str(c->source.quote, "\"");
    assert_str(c->source.escape, "\"");
    assert_str(c->source.encoding, "UTF-8");
    assert_int_equal(c->source.format, CONTRACT_CSV);
    assert_int_equal(c->source.header, CONTRACT_HEADER_STRICT);
    assert_int_equal(c->source.max_record_bytes, 1048576);
    assert_false(c->source.is_multi_line);
    assert_str(c->bronze_table, "bronze.erp_sales_orders_raw");
    assert_str(c->quarantine_table, "quarantine.orders");
    arena_reset(&p.arena);
    c = parse_edited(
        &p, &arena, "format: csv",
        "format: csv, header: byName, delimiter: ;, quote: '''', escape: \\, multiLine: true, maxRecordBytes: 99");
    assert_int_equal(c->source.header, CONTRACT_HEADER_BY_NAME);
    assert_str(c->source.delimiter, ";");
    assert_str(c->source.quote, "'");
    assert_str(c->source.escape, "\\");
    assert_true(c->source.is_multi_line);
    assert_int_equal(c->source.max_record_bytes, 99);
    assert_false(c->source.skip_top || c->source.skip_bottom || c->source.comment.len || c->source.null_marker_count);
    arena_reset(&p.arena);
    c = parse_edited(
        &p, &arena, "format: csv",
        "format: csv, delimiter: ¦, quote: '''', comment: '#', skipTop: 3, skipBottom: 1, nullMarkers: [NA, "
        "'-', ''], encoding: Latin1, decimalSeparator: ',', thousandsSeparator: .");
    assert_str(c->source.delimiter, "¦");
    assert_str(c->source.escape, "'"); /* the quote, where nothing is said */
    assert_str(c->source.comment, "#");
    assert_int_equal(c->source.skip_top, 3);
    assert_int_equal(c->source.skip_bottom, 1);
    assert_int_equal(c->source.null_marker_count, 3);
    assert_str(c->source.null_markers[1], "-");
    assert_str(c->source.null_markers[2], "");
    assert_str(c->source.encoding, "ISO-8859-1");
    assert_str(c->source.decimal_separator, ",");
    assert_str(c->source.thousands_separator, ".");
    arena_reset(&p.arena);
    arena_reset(&arena);
}

static void test_types(void **state) {
    UNUSED(state);
    static const struct {
        const char *to;
        struct type type;
    } cases[] = {
        {"logicalType: integer", {TYPE_BIGINT, 0, 0}},
        {"logicalType: integer\n        logicalTypeOptions: { format: i32 }", {TYPE_INT, 0, 0}},
        {"logicalType: integer\n        physicalType: smallint", {TYPE_SMALLINT, 0, 0}},
        {"logicalType: number\n        logicalTypeOptions: { format: f64 }", {TYPE_DOUBLE, 0, 0}},
        {"logicalType: number", {TYPE_DECIMAL, 38, 18}},
        {"logicalType: number\n        physicalType: DECIMAL( 6 , 2 )", {TYPE_DECIMAL, 6, 2}},
        {"logicalType: string\n        physicalType: varchar(20)", {TYPE_STRING, 0, 0}},
        {"logicalType: boolean", {TYPE_BOOLEAN, 0, 0}},
        {"logicalType: timestamp\n        physicalType: timestamp_ntz", {TYPE_TIMESTAMP_NTZ, 0, 0}},
        {"physicalType: float", {TYPE_FLOAT, 0, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct arena arena = {0};
        struct parsed p;
        const char *to =
            str_printf(&arena, "      - name: extra\n        %s\n      - name: updated_at", cases[i].to).ptr;
        const struct contract *c = parse_edited(&p, &arena, "      - name: updated_at", to);
        assert_true(type_eq(column_of(c, "extra")->type, cases[i].type));
        arena_reset(&p.arena);
        arena_reset(&arena);
    }
}

static void test_clean_and_source(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    struct parsed p;
    const struct contract *c = parse_edited(&p, &arena, "name: shipped",
                                            "name: shipped\n        transformLogic: nullif(trim(ship_day), 'NA')");
    assert_str(column_of(c, "shipped")->source, "ship_day");
    assert_non_null(column_of(c, "shipped")->clean);
    assert_str(column_of(c, "order_id")->source, "order_id");
    assert_null(column_of(c, "currency")->clean);
    arena_reset(&p.arena);
    c = parse_edited(&p, &arena, "name: shipped", "name: shipped\n        transformLogic: ship_day");
    assert_str(column_of(c, "shipped")->source, "ship_day");
    assert_null(column_of(c, "shipped")->clean);
    arena_reset(&p.arena);
    arena_reset(&arena);
}

static void test_grain_from_primary_key_positions(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    struct parsed p;
    struct str text = edit(&arena, str_of(good_contract), "keys: [order_id], ", "");
    text = edit(&arena, text, "primaryKey: true", "primaryKey: true\n        primaryKeyPosition: 2");
    text =
        edit(&arena, text, "name: currency", "name: currency\n        primaryKey: true\n        primaryKeyPosition: 1");
    parse_text(&p, text);
    assert_clean(&p, "primary keys");
    const struct contract *c = &p.list[0];
    assert_int_equal(c->key_count, 2);
    assert_str(c->columns[c->keys[0]].name, "currency");
    assert_str(c->columns[c->keys[1]].name, "order_id");
    assert_true(column_of(c, "currency")->is_required);
    assert_int_equal(rule_of(c, "currency_required")->kind, CONTRACT_REQUIRED);
    arena_reset(&p.arena);
    arena_reset(&arena);
}

static void test_latest_by(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    struct parsed p;
    const struct contract *c = parse_edited(
        &p, &arena, "[{ column: updated_at }]",
        "[{ column: Updated_At, direction: desc }, { column: total, direction: asc }, { column: _source_file }]");
    assert_int_equal(c->latest_by_count, 3);
    assert_str(c->latest_by[0].column, "updated_at");
    assert_false(c->latest_by[0].is_ascending);
    assert_true(c->latest_by[1].is_ascending);
    assert_str(c->latest_by[2].column, "_source_file");
    arena_reset(&p.arena);
    arena_reset(&arena);
}

static void test_update_when(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    struct parsed p;
    const struct contract *c =
        parse_edited(&p, &arena, "strategy: upsert",
                     "updateWhen: \"Source.updated_at > target.`updated_at` AND source.currency <> 'source.x'\"");
    assert_non_null(c->update_when);
    struct str *names;
    size_t count;
    expr_columns(c->update_when, &p.arena, &names, &count);
    assert_int_equal(count, 3);
    assert_str(names[0], "source.updated_at");
    assert_str(names[1], "target.updated_at");
    assert_str(names[2], "source.currency");
    arena_reset(&p.arena);
    arena_reset(&arena);
}

static bool is_unchecked(const struct contract *c, const char *phrase) {
    for (size_t i = 0; i < c->unchecked_count; i++)
        if (str_find(c->unchecked[i], str_of(phrase)) != SIZE_MAX) return true;
    return false;
}

static void test_checks_of_a_batch(void **state) {
    UNUSED(state);
    static const struct {
        const char *from, *to, *id, *low, *high;
        enum contract_metric metric;
        enum contract_operator op;
        size_t columns;
        bool is_percent;
    } cases[] = {
        {"    quality:\n", "    quality:\n      - { id: q, metric: rowCount, mustBeBetween: [10, 1000] }\n", "q", "10",
         "1000", CONTRACT_ROW_COUNT, CONTRACT_BETWEEN, 0, false},
        {"    quality:\n",
         "    quality:\n      - { id: q, metric: duplicateValues, arguments: { properties: [total, currency] }, "
         "mustBe: 0 }\n",
         "q", "0", "", CONTRACT_DUPLICATE_VALUES, CONTRACT_EQUAL, 2, false},
        {"mustBe: 0\n    prop", "mustBeLessThan: 0.5\n        unit: percent\n    prop", "dates_in_order", "0.5", "",
         CONTRACT_MATCHING_ROWS, CONTRACT_LESS, 0, true},
        {"name: currency\n", "name: currency\n        unique: true\n", "currency_unique", "0", "",
         CONTRACT_DUPLICATE_VALUES, CONTRACT_EQUAL, 1, false},
        {"[AUD, NZD] }\n            mustBe: 0", "[AUD, NZD] }\n            mustNotBe: 5", "currency_allowed", "5", "",
         CONTRACT_INVALID_VALUES, CONTRACT_NOT_EQUAL, 1, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct arena arena = {0};
        struct parsed p;
        const struct contract *c = parse_edited(&p, &arena, cases[i].from, cases[i].to);
        assert_int_equal(c->unchecked_count, 0);
        assert_int_equal(c->check_count, 1);
        const struct contract_check *check = &c->checks[0];
        assert_str(check->id, cases[i].id);
        assert_str(check->low, cases[i].low);
        assert_str(check->high, cases[i].high);
        assert_int_equal(check->metric, cases[i].metric);
        assert_int_equal(check->op, cases[i].op);
        assert_int_equal(check->column_count, cases[i].columns);
        assert_int_equal(check->is_percent, cases[i].is_percent);
        arena_reset(&p.arena);
        arena_reset(&arena);
    }
}

static void test_nothing_is_silently_unchecked(void **state) {
    UNUSED(state);
    static const struct {
        const char *from, *to, *phrase;
    } cases[] = {
        {"    quality:\n", "    quality:\n      - { id: q, type: text, description: be good }\n",
         "line 20: quality q: text"},
        {"    quality:\n", "    quality:\n      - { id: q, type: sql, query: SELECT 1, mustBe: 1 }\n",
         "line 20: quality q: sql over the table"},
        {"    quality:\n", "    quality:\n      - { id: q, type: custom, engine: soda, implementation: x }\n",
         "line 20: quality q: custom"},
        {"name: currency\n", "name: currency\n        partitioned: true\n",
         "line 41: partitioned by currency: tables are made without partitions, as a batch is files of its own and "
         "statistics rule out the others"},
        {"name: currency\n", "name: currency\n        relationships: [{ to: c.code }]\n",
         "relationship of currency to c.code"},
        {"name: currency\n", "name: currency\n        logicalTypeOptions: { format: password }\n",
         "line 41: format password of currency"},
        {"logicalType: timestamp\n",
         "logicalType: timestamp\n        logicalTypeOptions: { defaultTimezone: Asia/Tokyo }\n",
         "defaultTimezone Asia/Tokyo"},
        {"status: active",
         "status: active\nslaProperties: [{ property: freshness, value: 1, unit: d, element: orders.total }]",
         "line 6: service level freshness"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct arena arena = {0};
        struct parsed p;
        const struct contract *c = parse_edited(&p, &arena, cases[i].from, cases[i].to);
        if (!is_unchecked(c, cases[i].phrase)) {
            for (size_t k = 0; k < c->unchecked_count; k++) print_error("%.*s\n", STR_ARG(c->unchecked[k]));
            fail_msg("'%s' is not named", cases[i].phrase);
        }
        assert_int_equal(c->unchecked_count, 1);
        arena_reset(&p.arena);
        arena_reset(&arena);
    }
}

static void test_guaranteed_is_not_unchecked(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    struct parsed p;
    struct str text = edit(
        &arena, str_of(good_contract), "    quality:\n",
        "    quality:\n      - { id: a, metric: duplicateValues, arguments: { properties: [ORDER_ID] }, mustBe: 0 }\n"
        "      - { id: b, metric: rowCount, mustBeGreaterThan: 0 }\n");
    text = edit(&arena, text, "primaryKey: true",
                "primaryKey: true\n        unique: true\n        quality: [{ id: n, metric: nullValues, mustBe: 0 }]");
    parse_text(&p, text);
    assert_clean(&p, "guaranteed rules");
    assert_int_equal(p.list[0].unchecked_count, 0);
    arena_reset(&p.arena);
    arena_reset(&arena);
}

/* v3.2: a vendor beside the name, values of their own; v3.0: exclusive bounds that are flags, the team as a list. */
static void test_other_versions(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    struct parsed p;
    struct str text = edit(&arena, str_of(good_contract), "v3.1.0", "v3.2.0");
    text = edit(&arena, text, "status: active\n", "");
    text = edit(&arena, text, "property: assayGrain", "property: grain\n        vendor: assay");
    text = edit(&arena, text, "id: currency_allowed", "id: currency_list");
    text = edit(&arena, text, "name: currency", "name: currency\n        enum: [{ value: AUD }, { value: NZD }]");
    parse_text(&p, text);
    assert_clean(&p, "v3.2");
    assert_int_equal(p.list[0].latest_by_count, 1);
    assert_int_equal(rule_of(&p.list[0], "currency_allowed")->value_count, 2);
    arena_reset(&p.arena);

    text = edit(&arena, str_of(good_contract), "v3.1.0", "v3.0.2");
    text = edit(&arena, text, "team: { name: sales, members: [{ username: a@example.com, role: Owner }] }",
                "team: [{ username: ann, role: owner }]");
    text = edit(&arena, text, "minimum: 0, maximum: 1000",
                "minimum: 0, exclusiveMinimum: true, maximum: 1000, exclusiveMaximum: false");
    parse_text(&p, text);
    if (p.diagnostics.error_count) print_mistakes(&p);
    assert_int_equal(p.diagnostics.error_count, 0);
    assert_str(p.list[0].owner, "ann");
    assert_true(rule_of(&p.list[0], "total_range")->is_minimum_exclusive);
    assert_false(rule_of(&p.list[0], "total_range")->is_maximum_exclusive);
    arena_reset(&p.arena);
    arena_reset(&arena);
}

static void test_foreign_properties_are_left_alone(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    struct parsed p;
    struct str text = edit(&arena, str_of(good_contract), "v3.1.0", "v3.2.0");
    text = edit(&arena, text, "      - property: assayMerge\n        value: { strategy: upsert }",
                "      - { property: grain, vendor: acme, value: { any: thing } }\n"
                "      - { property: assayGrain, vendor: acme, value: 1 }\n"
                "      - { property: business-key, value: [a, b] }");
    parse_text(&p, text);
    assert_clean(&p, "properties of others");
    arena_reset(&p.arena);
    arena_reset(&arena);
}

static void test_several_tables(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    struct parsed p;
    struct str all = str_of(good_contract);
    struct str table = str_sub(all, str_find(all, STR("  - name: orders")), all.len);
    struct str second =
        edit(&arena, edit(&arena, table, "name: orders", "name: lines"), "silver.orders", "silver.lines");
    parse_text(&p, str_printf(&arena, "%.*s%.*s", STR_ARG(all), STR_ARG(second)));
    assert_clean(&p, "two tables");
    assert_int_equal(p.count, 2);
    assert_str(p.list[1].table, "silver.lines");
    assert_int_equal(p.list[1].rule_count, p.list[0].rule_count);
    arena_reset(&p.arena);
    parse_text(&p, str_printf(&arena, "%.*s%.*s", STR_ARG(all), STR_ARG(table)));
    assert_int_equal(p.diagnostics.error_count, 1);
    assert_str(p.diagnostics.list[0].code, "duplicate-table");
    arena_reset(&p.arena);
    arena_reset(&arena);
}

TEST_MAIN(cmocka_unit_test(test_identity), cmocka_unit_test(test_hash_is_of_the_bytes),
          cmocka_unit_test(test_rules_in_contract_order), cmocka_unit_test(test_severities),
          cmocka_unit_test(test_constraint_can_be_taken_off), cmocka_unit_test(test_limits),
          cmocka_unit_test(test_source_defaults), cmocka_unit_test(test_types), cmocka_unit_test(test_clean_and_source),
          cmocka_unit_test(test_grain_from_primary_key_positions), cmocka_unit_test(test_latest_by),
          cmocka_unit_test(test_update_when), cmocka_unit_test(test_checks_of_a_batch),
          cmocka_unit_test(test_nothing_is_silently_unchecked), cmocka_unit_test(test_guaranteed_is_not_unchecked),
          cmocka_unit_test(test_other_versions), cmocka_unit_test(test_foreign_properties_are_left_alone),
          cmocka_unit_test(test_several_tables))
