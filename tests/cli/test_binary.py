"""Binary columns: the bytes of the text in UTF-8, as Spark's CAST(text AS BINARY) has them; also as a key."""
import pytest

CONTRACT = """\
apiVersion: v3.1.0
kind: DataContract
id: blobs
version: "1.0.0"
status: active
team: { name: crm, members: [{ username: crm@example.com, role: Owner }] }
schema:
  - name: blobs
    physicalName: silver.blobs
    customProperties:
      - { property: assaySource, value: { path: landing/crm/blobs, format: csv } }
      - { property: assayGrain, value: { keys: [key] } }
      - { property: assayBatch, value: { maxRejectPercent: 100 } }
    properties:
      - { name: key, logicalType: string, physicalType: binary }
      - { name: value, logicalType: string, physicalType: binary }
"""


@pytest.mark.parametrize("small", ["65536", "0"])
def test_bytes_in_and_merged(project, small):
    env = {"ASSAY_TEST_SMALL_BATCH_ROWS": small}
    name = project.contract(CONTRACT)
    project.batch("crm/blobs", "b1", {"b.csv": 'key,value\né€,a\n,b\nx y,\n"",b\nz,c\nz,d\n'})
    done = project.assay("run", name, "--json", env=env).json()["runs"][0]
    assert (done["accepted"], done["superseded"], done["quarantined"]) == (3, 1, 2)
    assert done["reasons"] == [{"rule": "key_required", "reason": "missing key", "rows": 2}]
    rows = {r["key"]: r["value"] for r in project.rows(name)}
    assert rows == {"é€".encode(): b"a", b"x y": None, b"z": b"d"}
    project.batch("crm/blobs", "b2", {"b.csv": "key,value\né€,ü\nnew,n\n"})
    done = project.assay("run", name, "--json", env=env).json()["runs"][0]
    assert (done["inserted"], done["updated"], done["unchanged"]) == (1, 1, 0)
    rows = {r["key"]: r["value"] for r in project.rows(name)}
    assert rows == {"é€".encode(): "ü".encode(), b"x y": None, b"z": b"d", b"new": b"n"}


def test_text_rules_are_refused(project):
    text = CONTRACT + "        logicalTypeOptions: { minLength: 2, pattern: '^a' }\n"
    text = text.replace("- { name: value, logicalType: string, physicalType: binary }\n",
                        "- name: value\n        logicalType: string\n        physicalType: binary\n")
    project.contract(text)
    said = project.assay("lint", code=2).stdout
    assert "minLength is asked of text, and the column is binary" in said and "pattern is asked of text" in said
