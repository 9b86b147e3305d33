/**
 * Reading a contract in a test: the mistakes by code and place.
 */
#ifndef TESTS_CONTRACT_SUPPORT_H
#define TESTS_CONTRACT_SUPPORT_H

#include "contract/contract.h"
#include "support/test.h"

/** A good contract of silver.orders: no mistake, no warning. Tests break it in one place. */
static const char good_contract[] = "apiVersion: v3.1.0\n"
                                    "kind: DataContract\n"
                                    "id: silver-orders\n"
                                    "version: 1.0.0\n"
                                    "status: active\n"
                                    "team: { name: sales, members: [{ username: a@example.com, role: Owner }] }\n"
                                    "schema:\n"
                                    "  - name: orders\n"
                                    "    physicalName: silver.orders\n"
                                    "    customProperties:\n"
                                    "      - property: assaySource\n"
                                    "        value: { path: landing/erp/orders, format: csv }\n"
                                    "      - property: assayGrain\n"
                                    "        value: { keys: [order_id], latestBy: [{ column: updated_at }] }\n"
                                    "      - property: assayMerge\n"
                                    "        value: { strategy: upsert }\n"
                                    "      - property: assayBatch\n"
                                    "        value: { maxRejectPercent: 5, minRows: 1 }\n"
                                    "    quality:\n"
                                    "      - id: dates_in_order\n"
                                    "        type: sql\n"
                                    "        query: SELECT COUNT(*) FROM {object} WHERE NOT (shipped >= ordered)\n"
                                    "        mustBe: 0\n"
                                    "    properties:\n"
                                    "      - name: order_id\n"
                                    "        logicalType: string\n"
                                    "        primaryKey: true\n"
                                    "        transformLogic: trim(order_id)\n"
                                    "        logicalTypeOptions: { pattern: '^A[0-9]+$', maxLength: 9 }\n"
                                    "      - name: ordered\n"
                                    "        logicalType: date\n"
                                    "        required: true\n"
                                    "        logicalTypeOptions: { format: dd.MM.yyyy, minimum: '2000-01-01' }\n"
                                    "      - name: shipped\n"
                                    "        logicalType: date\n"
                                    "      - name: total\n"
                                    "        logicalType: number\n"
                                    "        physicalType: decimal(18,2)\n"
                                    "        logicalTypeOptions: { minimum: 0, maximum: 1000 }\n"
                                    "      - name: currency\n"
                                    "        logicalType: string\n"
                                    "        quality:\n"
                                    "          - id: currency_allowed\n"
                                    "            metric: invalidValues\n"
                                    "            arguments: { validValues: [AUD, NZD] }\n"
                                    "            mustBe: 0\n"
                                    "      - name: updated_at\n"
                                    "        logicalType: timestamp\n";

struct parsed {
    struct arena arena;
    struct diagnostics diagnostics;
    struct contract *list;
    size_t count;
};

static inline void parse_text(struct parsed *p, struct str text) {
    *p = (struct parsed){0};
    assert_ok(contract_parse(text, STR("orders.odcs.yaml"), &p->arena, &p->list, &p->count, &p->diagnostics), NULL);
}

/** The text with the first `from` replaced by `to`; fails the test when `from` is not there. */
static inline struct str edit(struct arena *arena, struct str text, const char *from, const char *to) {
    size_t at = str_find(text, str_of(from));
    if (at == SIZE_MAX) fail_msg("no '%s' in the contract", from);
    size_t after = at + str_of(from).len;
    return str_printf(arena, "%.*s%s%.*s", (int)at, text.ptr, to, (int)(text.len - after), text.ptr + after);
}

static inline void print_mistakes(const struct parsed *p) {
    struct buf out = {0};
    diagnostics_print(&p->diagnostics, DIAGNOSTIC_NOTE, &out);
    print_error("%s", out.data ? out.data : "no mistakes\n");
    buf_free(&out);
}

static inline void assert_clean(const struct parsed *p, const char *what) {
    if (p->diagnostics.count == 0) return;
    print_error("%s:\n", what);
    print_mistakes(p);
    fail();
}

#endif
