"""Row rules that need more of the engine than their columns do."""

CONTRACT = """\
apiVersion: v3.1.0
kind: DataContract
id: parts
version: "1.0.0"
status: active
team: { name: stock, members: [{ username: stock@example.com, role: Owner }] }
schema:
  - name: parts
    physicalName: silver.parts
    customProperties:
      - { property: assaySource, value: { path: landing/erp/parts, format: csv } }
      - { property: assayGrain, value: { keys: [part] } }
      - { property: assayBatch, value: { maxRejectPercent: 100 } }
    quality:
      - id: price_in_text
        type: sql
        query: SELECT COUNT(*) FROM {object} WHERE NOT (CAST(price AS DECIMAL(6,2)) >= 1.50)
        mustBe: 0
      - id: share_rounded
        type: sql
        query: SELECT COUNT(*) FROM {object} WHERE NOT (round(share, 2) < 1)
        mustBe: 0
    properties:
      - { name: part, logicalType: string, primaryKey: true }
      - { name: price, logicalType: string }
      - { name: share, logicalType: number, physicalType: double }
      - name: code
        logicalType: string
        quality:
          - id: code_is_a_number
            type: sql
            query: SELECT COUNT(*) FROM {object} WHERE NOT (CAST(code AS INT) > 0)
            mustBe: 0
"""


def test_casts_inside_rules(project):
    name = project.contract(CONTRACT)
    rows = ["a,1.50,0.994,7", "b,1.494,0.1,7", "c,1.495,0.995,7", "d,,0.1,7", "e,2,0.1,0", "f,2,0.1,"]
    project.batch("erp/parts", "b1", {"p.csv": "part,price,share,code\n" + "\n".join(rows) + "\n"})
    done = project.assay("run", name, "--batch", "b1", "--json").json()["runs"][0]
    # half up: 1.495 is 1.50; 0.995 is 1.0 (as a double's text); NULL is not TRUE; a column's own rule passes an absent value
    assert {r["rule"]: r["rows"] for r in done["reasons"]} == {"price_in_text": 2, "share_rounded": 1, "code_is_a_number": 1}
    assert sorted(r["part"] for r in project.rows(name)) == ["a", "f"]
