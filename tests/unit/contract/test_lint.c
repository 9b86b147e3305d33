/* Every kind of mistake: its code, and the caret under the right byte. The place is written into the case with a mark.
 */
#include "contract_support.h"

#define MARK "\xC2\xB6" /* ¶: where the caret belongs */

struct mistake {
    const char *from; /* in good_contract */
    const char *to;   /* what is put there, with the mark */
    const char *code;
};

static const struct mistake mistakes[] = {
    /* the file */
    {"apiVersion: v3.1.0", "apiVersion: ¶v2.2.2", "unknown-version"},
    {"apiVersion: v3.1.0", "apiVersion: ¶3.1.0", "unknown-version"},
    {"apiVersion: v3.1.0", "apiVersion: ¶v3.9.0", "unknown-version"},
    {"kind: DataContract", "kind: ¶Datacontract", "unknown-word"},
    {"version: 1.0.0", "version: ¶1.0", "odd-version"},
    {"status: active", "¶statsu: active\nstatus: active", "unknown-property"},
    {"status: active", "status: active\n¶quality: []", "unknown-property"},
    {"status: active", "status: active\n¶domain:", "empty-value"},
    {"status: active", "status: active\n¶context: for people", "newer-property"},
    {"status: active", "status: active\nprice: { priceAmount: ¶free }", "wrong-kind"},
    {"status: active", "status: active\ndescription: ¶Orders", "wrong-kind"},
    {"status: active", "status: active\nsupport: [¶{ url: x }]", "missing-property"},
    {"status: active", "status: active\nservers: [¶{ server: lake }]", "missing-property"},
    {"status: active", "status: active\nslaProperties: [¶{ property: latency }]", "missing-property"},
    {"status: active", "status: active\ncustomProperties: [{ ¶name: x, property: y, value: z }]", "unknown-property"},
    {"status: active", "status: active\ncustomProperties: ¶{ assayConsumers: [] }", "wrong-kind"},
    {"status: active", "status: active\ncustomProperties: [{ property: ¶assayGrain, value: { keys: [x] } }]",
     "misplaced-property"},
    {"status: active", "status: active\n¶status: draft", "bad-yaml"},
    {"team: { name: sales, members: [{ username: a@example.com, role: Owner }] }", "¶team: { description: us }",
     "no-owner"},
    {"team: { name: sales, ", "team: { name: sales, ¶lead: me, ", "unknown-property"},
    {"status: active",
     "status: active\nslaProperties: [{ property: errorRate, value: 1, unit: percent, element: ¶order }]",
     "unknown-element"},
    {"status: active", "status: active\nslaProperties: [{ property: errorRate, value: ¶9, unit: percent }]",
     "unused-setting"},
    {"id: silver-orders", "id: ¶42", "ambiguous-value"},
    {"id: silver-orders", "id: ¶no", "ambiguous-value"},
    /* the table */
    {"    physicalName: silver.orders", "    physicalName: ¶silver.or/ders", "bad-table-name"},
    {"    physicalName: silver.orders", "    physicalName: ¶a.b.c", "bad-table-name"},
    {"    physicalName: silver.orders", "    physicalName: ¶assay.orders", "reserved-name"},
    {"    physicalName: silver.orders", "    ¶physicalName: bronze.erp_orders_raw", "duplicate-table"},
    {"    physicalName: silver.orders", "    physicalName: silver.orders\n    physicalType: ¶topic", "not-a-table"},
    {"    physicalName: silver.orders", "    physicalName: silver.orders\n    ¶column: []", "unknown-property"},
    {"  - name: orders\n", "  - ¶id: orders\n", "missing-property"},
    /* assay's own properties */
    {"property: assayMerge", "property: ¶assayMerg", "unknown-property"},
    {"property: assayMerge", "property: ¶assaymerge", "unknown-property"},
    {"property: assayMerge", "property: ¶assayGrain", "duplicate-property"},
    {"property: assayMerge", "property: ¶assayScale", "misplaced-property"},
    {"strategy: upsert", "strategy: ¶append", "unknown-word"},
    {"strategy: upsert", "¶stratgey: upsert", "unknown-property"},
    {"strategy: upsert", "updateWhen: source.updated_at > ¶target.updated", "bad-expression"},
    {"strategy: upsert", "updateWhen: ¶updated_at > target.updated_at", "bad-expression"},
    {"strategy: upsert", "updateWhen: ¶source.updated_at >= target.updated_at", "replay-wins"},
    {"path: landing/erp/orders", "path: ¶../orders", "bad-path"},
    {"path: landing/erp/orders", "path: ¶/landing/orders", "bad-path"},
    {"path: landing/erp/orders", "path: ¶landing//orders", "bad-path"},
    {"path: landing/erp/orders", "path: ¶'${ROOT}/orders'", "unsupported"},
    {"path: landing/erp/orders", "path: landing/erp/orders, pattern: ¶a/*.csv", "bad-pattern"},
    {"value: { path: landing/erp/orders, format: csv }", "value: ¶{ format: csv }", "missing-property"},
    {"property: assaySource", "property: source", "missing-property"},
    {"format: csv", "format: ¶cvs", "unknown-word"},
    {"format: csv", "header: ¶byname", "unknown-word"},
    {"format: csv", "format: parquet, ¶multiLine: true", "unused-setting"},
    {"format: csv", "format: json, ¶delimiter: ';'", "unused-setting"},
    {"format: csv", "format: parquet, ¶header: none", "unsupported"},
    {"format: csv", "¶header: strict, format: json", "unused-setting"},
    {"format: csv", "delimiter: ¶''", "bad-character"},
    {"format: csv", "delimiter: ¶\"a\\nb\"", "bad-character"},
    {"format: csv", "¶delimiter: '|\"'", "bad-character"},
    {"format: csv", "quote: ¶»", "bad-character"},
    {"format: csv", "escape: ¶''", "bad-character"},
    {"format: csv", "comment: ¶''", "bad-character"},
    {"format: csv", "¶comment: ',x'", "bad-character"},
    {"format: csv", "¶comment: '\"'", "bad-character"},
    {"format: csv", "quote: '', ¶escape: \\", "unused-setting"},
    {"format: csv", "quote: '', ¶multiLine: true", "unused-setting"},
    {"format: csv", "skipTop: ¶-1", "out-of-range"},
    {"format: csv", "skipBottom: ¶1001", "out-of-range"},
    {"format: csv", "nullMarkers: ¶NA", "wrong-kind"},
    {"format: csv", "decimalSeparator: ¶',,'", "bad-character"},
    {"format: csv", "decimalSeparator: ¶e", "bad-character"},
    {"format: csv", "¶thousandsSeparator: .", "bad-character"},
    {"format: csv", "encoding: ¶latin-3", "unknown-encoding"},
    {"format: csv", "encoding: ¶ISO-2022-JP", "unknown-encoding"},
    {"format: csv", "delimiter: ¶\\t", "bad-character"},
    {"format: csv", "¶delimiter: '\"'", "bad-character"},
    {"format: csv", "multiLine: ¶yes", "wrong-kind"},
    {"format: csv", "maxRecordBytes: ¶0", "out-of-range"},
    {"format: csv", "encoding: ¶UTF-15", "unknown-encoding"},
    {"keys: [order_id]", "keys: [¶order]", "unknown-column"},
    {"keys: [order_id]", "keys: [order_id, ¶Order_ID]", "duplicate-key"},
    {"keys: [order_id]", "keys: ¶[ordered]", "grain-mismatch"},
    {"keys: [order_id]", "keys: ¶order_id", "wrong-kind"},
    {"column: updated_at", "column: ¶updated", "unknown-column"},
    {"column: updated_at", "column: ¶_loadedat", "unknown-column"},
    {"column: updated_at", "column: updated_at, direction: ¶down", "unknown-word"},
    {"[{ column: updated_at }]", "[{ column: updated_at }, { column: ¶updated_at }]", "duplicate-key"},
    {"maxRejectPercent: 5", "maxRejectPercent: ¶101", "out-of-range"},
    {"maxRejectPercent: 5", "maxRejectPercent: ¶'5'", "wrong-kind"},
    {"maxRejectPercent: 5", "¶maxRejectPercentage: 5", "unknown-property"},
    {"minRows: 1", "¶minRows: 9, maxRows: 3", "empty-range"},
    {"minRows: 1", "minRows: ¶some", "wrong-kind"},
    /* rules */
    {"shipped >= ordered", "¶shiped >= ordered", "bad-expression"},
    {"shipped >= ordered", "shipped >= ¶nosuch(ordered)", "bad-expression"},
    {"shipped >= ordered", "¶shipped", "bad-expression"},
    {"      - id: dates_in_order", "      - ¶name: dates in order", "no-id"},
    {"      - id: dates_in_order", "      - id: ¶currency_allowed", "duplicate-id"},
    {"      - id: dates_in_order", "      - id: ¶ordered_required", "duplicate-id"},
    {"      - id: dates_in_order", "      - id: ¶order_id_not_empty", "duplicate-id"},
    {"type: sql", "type: ¶spl", "unknown-word"},
    {"type: sql", "type: sql\n        severity: ¶warnning", "unknown-severity"},
    {"type: sql", "type: sql\n        dimension: ¶uq", "unknown-word"},
    {"type: sql", "type: sql\n        customProperties: [{ property: ¶assayConstrain, value: false }]",
     "unknown-property"},
    {"type: sql", "type: sql\n        customProperties: [{ property: assayConstraint, value: ¶no }]", "wrong-kind"},
    {"        mustBe: 0\n    prop", "        mustBe: 0\n        ¶mustNotBe: 1\n    prop", "two-operators"},
    {"metric: invalidValues", "metric: ¶invalidValue", "unknown-word"},
    {"metric: invalidValues", "¶metrics: invalidValues", "unknown-property"},
    {"            metric: invalidValues\n            arguments: { validValues: [AUD, NZD] }",
     "            type: custom\n            engine: assay\n            implementation: { rule: ¶curency = 'AUD' }",
     "bad-expression"},
    {"            metric: invalidValues\n            arguments: { validValues: [AUD, NZD] }",
     "            type: custom\n            engine: assay\n            ¶implementation: []", "missing-property"},
    {"            metric: invalidValues\n            arguments: { validValues: [AUD, NZD] }",
     "            metric: duplicateValues\n            arguments: { properties: [¶curency] }", "unknown-column"},
    {"[AUD, NZD]", "¶[]", "empty-range"},
    {"[AUD, NZD]", "¶[AUD, AUD]", "repeated-value"},
    {"[AUD, NZD]", "[AUD, ¶NO]", "ambiguous-value"},
    {"[AUD, NZD]", "[AUD, ¶007]", "ambiguous-value"},
    {"[AUD, NZD]", "[AUD, ¶2024-01-01]", "ambiguous-value"},
    {"[AUD, NZD]", "[AUD, ¶~]", "bad-value"},
    {"validValues: [AUD, NZD]", "pattern: ¶'^[A-Z'", "bad-pattern"},
    {"validValues: [AUD, NZD]", "validValues: ¶AUD", "wrong-kind"},
    {"        type: sql\n        query", "        ¶query", "wrong-type-of-rule"},
    {"type: sql", "type: custom\n        engine: soda\n        implementation: x", "wrong-type-of-rule"},
    {"type: sql\n        query", "type: sql\n        description", "missing-property"},
    {"            metric: invalidValues\n            arguments: { validValues: [AUD, NZD] }\n            mustBe",
     "            ¶mustBe", "missing-property"},
    {"apiVersion: v3.1.0", "apiVersion: ¶v3.1.x", "unknown-version"},
    /* columns */
    {"name: shipped", "name: ¶Ordered", "duplicate-column"},
    {"name: currency", "name: ¶cur rency", "bad-column-name"},
    {"name: currency", "name: ¶'a=b'", "bad-column-name"},
    {"name: currency", "name: ¶_Batch_Id", "reserved-name"},
    {"name: currency", "name: currency\n        physicalName: ¶cur", "unused-setting"},
    {"name: currency", "name: currency\n        required: ¶'true'", "wrong-kind"},
    {"name: currency", "name: currency\n        ¶requried: true", "unknown-property"},
    {"name: currency", "name: currency\n        ¶enum: [{ value: AUD }]", "newer-property"},
    {"name: currency", "name: currency\n        transformLogic: ¶concat(currency, total)", "bad-transform"},
    {"name: currency", "name: currency\n        transformLogic: ¶upper('x')", "bad-transform"},
    {"name: currency", "name: currency\n        transformLogic: ¶length(currency)", "bad-transform"},
    {"name: currency", "name: currency\n        transformLogic: trim(¶uper(currency))", "bad-expression"},
    {"name: currency", "name: currency\n        customProperties: [{ property: assayScale, value: ¶strict }]",
     "unused-setting"},
    {"name: currency", "name: currency\n        relationships: [¶{ type: foreignKey }]", "missing-property"},
    {"name: currency",
     "name: currency\n        relationships: [{ to: c.code, customProperties: [{ property: assayReference, value: ¶{ "
     "table: c } }] }]",
     "missing-property"},
    {"name: currency",
     "name: currency\n        relationships: [{ to: c.code, customProperties: [{ property: assayReference, value: { "
     "table: "
     "¶silver.orders, column: x } }] }]",
     "self-reference"},
    /* types */
    {"      - name: shipped\n        logicalType: date", "      - ¶name: shipped", "no-type"},
    {"      - name: shipped\n        logicalType: date", "      - name: shipped\n        logicalType: ¶dat",
     "unknown-type"},
    {"      - name: shipped\n        logicalType: date", "      - name: shipped\n        logicalType: ¶decimal",
     "unknown-type"},
    {"      - name: shipped\n        logicalType: date", "      - name: shipped\n        logicalType: ¶array",
     "unsupported"},
    {"physicalType: decimal(18,2)", "physicalType: ¶decimal(39,2)", "unknown-type"},
    {"physicalType: decimal(18,2)", "physicalType: ¶decimal(2,5)", "unknown-type"},
    {"physicalType: decimal(18,2)", "physicalType: ¶doubel", "unknown-type"},
    {"physicalType: decimal(18,2)", "physicalType: ¶date", "type-mismatch"},
    {"physicalType: decimal(18,2)", "physicalType: ¶decimal", "decimal-without-scale"},
    {"logicalType: number\n        physicalType: decimal(18,2)", "logicalType: ¶number", "no-physical-type"},
    /* options */
    {"{ minimum: 0, maximum: 1000 }", "¶{ minimum: 10, maximum: 9.5 }", "empty-range"},
    {"{ minimum: 0, maximum: 1000 }", "¶{ exclusiveMinimum: 1, maximum: 1.0 }", "empty-range"},
    {"{ minimum: 0, maximum: 1000 }", "{ minimum: ¶none }", "wrong-kind"},
    {"{ minimum: 0, maximum: 1000 }", "{ minimum: 0, ¶exclusiveMinimum: 1 }", "two-bounds"},
    {"{ minimum: 0, maximum: 1000 }", "{ ¶minimun: 0 }", "unknown-property"},
    {"{ minimum: 0, maximum: 1000 }", "{ ¶precision: 18 }", "unknown-property"},
    {"{ minimum: 0, maximum: 1000 }", "{ minimum: ¶1e3 }", "bad-value"},
    {"minimum: '2000-01-01'", "minimum: ¶'2000-02-30'", "bad-value"},
    {"minimum: '2000-01-01'", "¶minLength: 3", "unknown-property"},
    {"maxLength: 9", "¶minLength: 10, maxLength: 9", "empty-range"},
    {"maxLength: 9", "minLength: ¶x", "wrong-kind"},
    {"pattern: '^A[0-9]+$'", "pattern: ¶'^A[0-9+$'", "bad-pattern"},
    {"pattern: '^A[0-9]+$'", "pattern: ¶'A[0-9]'", "unanchored-pattern"},
    {"format: dd.MM.yyyy", "format: dd.MM.¶YYYY", "bad-format"},
    {"format: dd.MM.yyyy", "format: ¶EEE dd.MM.yyyy", "bad-format"},
    {"format: dd.MM.yyyy", "format: ¶ddd.MM.yyyy", "bad-format"},
    {"format: dd.MM.yyyy", "format: \"yyyy-MM-dd¶'T\"", "bad-format"},
    {"format: dd.MM.yyyy", "format: 'yyyy¶] MM'", "bad-format"},
    {"format: dd.MM.yyyy", "format: 'yyyy¶#MM'", "bad-format"},
    {"format: dd.MM.yyyy", "format: ¶yyyy-mm-dd", "odd-format"},
    {"format: dd.MM.yyyy", "format: ¶yyyy-MM-DD", "odd-format"},
    {"format: dd.MM.yyyy", "format: ¶yyyy-MM-dd hh:mm", "odd-format"},
    {"format: dd.MM.yyyy", "format: ¶''", "bad-format"},
};

/* The case's text without its mark, and the line and column where the mark was. */
static struct str place_mark(struct arena *arena, const struct mistake *m, uint32_t *line, uint32_t *column) {
    struct str marked = edit(arena, str_of(good_contract), m->from, m->to);
    size_t at = str_find(marked, STR(MARK));
    *line = *column = 0;
    if (at == SIZE_MAX) return marked;
    *line = *column = 1;
    for (size_t i = 0; i < at; i++) {
        (*column)++;
        if (marked.ptr[i] == '\n') {
            (*line)++;
            *column = 1;
        }
    }
    return edit(arena, marked, MARK, "");
}

static bool has_mistake(const struct diagnostics *d, const char *code, uint32_t line, uint32_t column) {
    for (size_t i = 0; i < d->count; i++)
        if (str_eq(d->list[i].code, str_of(code)) &&
            (line == 0 || (d->list[i].line == line && d->list[i].column == column)))
            return true;
    return false;
}

static void test_good_contract_is_clean(void **state) {
    UNUSED(state);
    struct parsed p;
    parse_text(&p, str_of(good_contract));
    assert_clean(&p, "the good contract");
    assert_int_equal(p.count, 1);
    arena_reset(&p.arena);
}

static void test_every_mistake_has_code_and_place(void **state) {
    UNUSED(state);
    size_t failed = 0;
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        struct arena arena = {0};
        struct parsed p;
        uint32_t line, column;
        struct str text = place_mark(&arena, &mistakes[i], &line, &column);
        parse_text(&p, text);
        if (!has_mistake(&p.diagnostics, mistakes[i].code, line, column)) {
            print_error("case %zu: expected %s at %u:%u for '%s', got\n", i, mistakes[i].code, line, column,
                        mistakes[i].to);
            print_mistakes(&p);
            failed++;
        }
        arena_reset(&p.arena);
        arena_reset(&arena);
    }
    assert_int_equal(failed, 0);
}

/* Apart from what follows from it (a lost column, a lost grain), a mistake is reported once and nothing else is. */
static void test_one_slip_is_one_mistake(void **state) {
    UNUSED(state);
    static const struct mistake single[] = {
        {"format: csv", "format: cvs", "unknown-word"},
        {"maxRejectPercent: 5", "maxRejectPercent: 101", "out-of-range"},
        {"shipped >= ordered", "shiped >= ordered", "bad-expression"},
        {"format: dd.MM.yyyy", "format: dd.MM.YYYY", "bad-format"},
    };
    for (size_t i = 0; i < sizeof single / sizeof single[0]; i++) {
        struct arena arena = {0};
        struct parsed p;
        parse_text(&p, edit(&arena, str_of(good_contract), single[i].from, single[i].to));
        if (p.diagnostics.count != 1) print_mistakes(&p);
        assert_int_equal(p.diagnostics.count, 1);
        assert_str(p.diagnostics.list[0].code, single[i].code);
        arena_reset(&p.arena);
        arena_reset(&arena);
    }
}

static void test_hints_name_the_nearest(void **state) {
    UNUSED(state);
    static const struct {
        const char *from, *to, *help;
    } cases[] = {
        {"status: active", "status: active\nservres: []", "did you mean 'servers'?"},
        {"property: assayMerge", "property: assayMegre", "did you mean 'assayMerge'?"},
        {"keys: [order_id]", "keys: [oder_id]", "did you mean 'order_id'?"},
        {"logicalType: timestamp", "logicalType: timestmap", "did you mean 'timestamp'?"},
        {"format: csv", "format: cvs", "did you mean 'csv'?"},
        {"logicalType: timestamp", "logicalType: bigint", "write logicalType: integer and physicalType: bigint"},
        {"format: dd.MM.yyyy", "format: dd.MM.YYYY", "Y is the year of the week: write yyyy"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct arena arena = {0};
        struct parsed p;
        parse_text(&p, edit(&arena, str_of(good_contract), cases[i].from, cases[i].to));
        assert_true(p.diagnostics.count > 0);
        assert_str(p.diagnostics.list[0].help, cases[i].help);
        arena_reset(&p.arena);
        arena_reset(&arena);
    }
}

static void test_all_mistakes_come_in_one_go(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    struct parsed p;
    struct str text = str_of(good_contract);
    text = edit(&arena, text, "kind: DataContract", "kind: Contract");
    text = edit(&arena, text, "format: csv", "format: cvs");
    text = edit(&arena, text, "maxRejectPercent: 5", "maxRejectPercent: -1");
    text = edit(&arena, text, "format: dd.MM.yyyy", "format: qq");
    text = edit(&arena, text, "column: updated_at", "column: upated_at");
    text = edit(&arena, text, "shipped >= ordered", "shipped >>= ordered");
    parse_text(&p, text);
    if (p.diagnostics.error_count != 6) print_mistakes(&p);
    assert_int_equal(p.diagnostics.error_count, 6);
    arena_reset(&p.arena);
    arena_reset(&arena);
}

TEST_MAIN(cmocka_unit_test(test_good_contract_is_clean), cmocka_unit_test(test_every_mistake_has_code_and_place),
          cmocka_unit_test(test_one_slip_is_one_mistake), cmocka_unit_test(test_hints_name_the_nearest),
          cmocka_unit_test(test_all_mistakes_come_in_one_go))
