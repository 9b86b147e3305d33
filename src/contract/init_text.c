/*
 * The first contract of a new project: small enough to read in a minute, complete enough to run. It is in v3.1, which
 * every reader of the standard takes. It shows one of each that a team needs first: grain, types, a bound, allowed
 * values, a rule over the row, a limit, an owner.
 */
#include "contract/contract.h"

static const char identity[] =
    "# A data contract (Open Data Contract Standard): what a row is, what it must hold, and what happens if not.\n"
    "# assay lint checks it, assay plan shows what assay makes of it, assay run loads batches by it.\n"
    "apiVersion: v3.1.0\n"
    "kind: DataContract\n"
    "id: %.*s-%.*s\n"
    "name: %.*s.%.*s\n"
    "version: 1.0.0\n"
    "status: draft\n"
    "description:\n"
    "  purpose: One row per id, the latest version.\n"
    "team:\n"
    "  name: my-team                   # who answers when a batch is refused\n"
    "  members:\n"
    "    - username: my-team@example.com\n"
    "      role: Owner\n";

static const char table_part[] =
    "schema:\n"
    "  - name: %.*s\n"
    "    physicalName: %.*s.%.*s\n"
    "    physicalType: table\n"
    "    dataGranularityDescription: One row per id, the latest by updated_at.\n"
    "    customProperties:\n"
    "      - property: assaySource          # batches land in Files/landing/my_source/%.*s/batch_id=<id>/\n"
    "        value: { path: landing/my_source/%.*s, pattern: \"*.csv\", format: csv, header: strict }\n"
    "      - property: assayGrain           # one row per key; of several the latest is kept\n"
    "        value: { keys: [id], latestBy: [{ column: updated_at, direction: desc }] }\n"
    "      - property: assayBatch           # more rejected rows than this refuse the batch\n"
    "        value: { maxRejectPercent: 5, minRows: 1 }\n";

static const char columns_part[] =
    "    properties:                        # in the order of the files' header\n"
    "      - name: id\n"
    "        logicalType: string\n"
    "        physicalType: string\n"
    "        primaryKey: true\n"
    "        primaryKeyPosition: 1\n"
    "        required: true\n"
    "        transformLogic: trim(id)       # cleaned before it is checked\n"
    "      - name: status\n"
    "        logicalType: string\n"
    "        physicalType: string\n"
    "        transformLogic: lower(trim(status))\n"
    "        quality:\n"
    "          - id: status_allowed\n"
    "            metric: invalidValues\n"
    "            arguments: { validValues: [new, paid, shipped] }\n"
    "            mustBe: 0\n"
    "            severity: error            # error rejects the row; warning keeps and counts it\n"
    "      - name: amount\n"
    "        logicalType: number\n"
    "        physicalType: decimal(18,2)\n"
    "        required: true\n"
    "        logicalTypeOptions: { minimum: 0 }\n"
    "      - name: updated_at\n"
    "        logicalType: timestamp\n"
    "        physicalType: timestamp\n"
    "        required: true\n"
    "    quality:\n"
    "      - id: amount_review              # a rule over the row: it must be true\n"
    "        type: sql\n"
    "        query: SELECT COUNT(*) FROM {object} WHERE NOT (amount <= 50000)\n"
    "        mustBe: 0\n"
    "        severity: warning\n";

static const char project_part[] =
    "# The project: which lake, which contracts. assay finds this file upwards from the current folder.\n"
    "lake: ./lake\n"
    "contracts: contracts/*.odcs.yaml\n";

void contract_init_text(struct str table, struct buf *contract, struct buf *project) {
    struct str schema, name = str_split(table, '.', &schema);
    buf_printf(contract, identity, STR_ARG(schema), STR_ARG(name), STR_ARG(schema), STR_ARG(name));
    buf_printf(contract, table_part, STR_ARG(name), STR_ARG(schema), STR_ARG(name), STR_ARG(name), STR_ARG(name));
    buf_addz(contract, columns_part);
    buf_addz(project, project_part);
}
