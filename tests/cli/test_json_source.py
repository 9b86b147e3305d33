"""JSON sources: lines, arrays and documents over lines; every decision that docs/contract.md states. Expected values are written out by
hand, or come from Python's json module with numbers kept as text."""
import gzip
import json
import random

import pytest

import project as projects

TABLE, BRONZE, QUARANTINE = "silver.clicks", "bronze.web_clicks_raw", "quarantine.clicks"
LINEAGE = {"_source_file", "_batch_id", "_loaded_at"}
NAME = "      - {name: name, logicalType: string, physicalType: string}"


def contract(project, columns=NAME, **source):
    settings = {"path": "landing/web/clicks", "format": "json", **source}
    return project.contract(projects.contract_text("clicks", settings, columns))


def load(project, content, batch="b1", code=0, env=None):
    files = content if isinstance(content, dict) else {"a.json": content}
    project.batch("web/clicks", batch, files)
    return project.assay("run", TABLE, "--batch", batch, code=code, env=env)


def bronze(project, batch="b1"):
    """(line, values that are not NULL) of each row in order."""
    rows = sorted((r for r in project.rows(BRONZE) if r["_batch_id"] == batch), key=lambda r: (r["_source_file"], r["_source_line"]))
    return [(r["_source_line"], {k: v for k, v in r.items() if k not in LINEAGE | {"_source_line"} and v is not None}) for r in rows]


def refused(project, content, *texts):
    before = project.version(BRONZE)
    done = load(project, content, batch="bad", code=1)
    for text in ("no row of the batch was loaded", "\nnext: ", *texts):
        assert text in done.stderr + done.stdout, text
    assert project.version(BRONZE) == before
    assert project.assay("run", TABLE, "--batch", "bad", "--json", code=1).json()["runs"][0]["gate"] == "file"


def test_values_are_kept_as_sent(project):
    contract(project)
    load(project, '{"id":1.10,"name":"caf\\u00e9 \\ud83d\\ude42\\n"}\n{"id":9007199254740993,"name":{"a": 1,  "b":[ 2.50 ]}}\n'
                  '{"name":true,"id":"x"}\n{"id":1e400,"name":null}\n{"id":-0}\n{"id":NaN,"name":""}\n')
    assert bronze(project) == [(1, {"id": "1.10", "name": "café 🙂\n"}), (2, {"id": "9007199254740993", "name": '{"a": 1,  "b":[ 2.50 ]}'}),
                               (3, {"id": "x", "name": "true"}), (4, {"id": "1e400"}), (5, {"id": "-0"}), (6, {"id": "NaN", "name": ""})]
    assert {r["id"] for r in project.rows(TABLE)} == {"1.10", "9007199254740993", "x", "1e400", "-0", "NaN"}


def test_a_corrupt_row_harms_no_neighbour(project):
    contract(project)
    bad = ['{"id":2,"name":"x"', '[1]', '"text"', '{"id":3} {"id":4}', "{'id':5,}", '{"id":6,"name":"tab\there"}', "oops"]
    load(project, '{"id":1}\r\n\r\n' + "".join(line + "\n" for line in bad) + " \t\n{\"id\":9}")
    rows = bronze(project)
    assert rows == [(1, {"id": "1"}), *((3 + i, {"_corrupt_record": line}) for i, line in enumerate(bad)), (11, {"id": "9"})]
    assert {r["_corrupt_record"] for r in project.rows(QUARANTINE)} == set(bad)
    assert {r["id"] for r in project.rows(TABLE)} == {"1", "9"}


def test_repeated_keys_are_corrupt_and_case_does_not_count(project):
    contract(project)
    load(project, '{"ID":1,"Name":"a"}\n{"id":2,"id":3,"name":"b"}\n{"id":4,"Id":4,"name":"c"}\n')
    assert bronze(project) == [(1, {"id": "1", "name": "a"}), (2, {"name": "b", "_corrupt_record": '{"id":2,"id":3,"name":"b"}'}),
                               (3, {"name": "c", "_corrupt_record": '{"id":4,"Id":4,"name":"c"}'})]


def test_new_keys_become_columns_of_bronze(project):
    import deltalake

    contract(project)
    load(project, '{"id":1,"zeta":1}\n{"id":2,"alpha":[2],"ZETA":3}\n')
    load(project, '{"id":3,"late":{"x":1},"alpha":4}\n', batch="b2")
    names = [f.name for f in deltalake.DeltaTable(project.table(BRONZE)).schema().fields]
    assert names == ["id", "name", "zeta", "alpha", "_corrupt_record", "_source_file", "_source_line", "_batch_id", "_loaded_at", "late"]
    assert bronze(project) == [(1, {"id": "1", "zeta": "1"}), (2, {"id": "2", "alpha": "[2]", "zeta": "3"})]
    assert bronze(project, "b2") == [(1, {"id": "3", "late": '{"x":1}', "alpha": "4"})]


def test_a_key_that_no_column_can_have(project):
    contract(project)
    load(project, '{"id":1,"order total":5}\n{"id":2,"":1}\n{"id":3,"_batch_id":"b9"}\n{"id":4}\n')
    assert [(line, row["id"], "_corrupt_record" in row) for line, row in bronze(project)] == [(1, "1", True), (2, "2", True), (3, "3", True),
                                                                                                (4, "4", False)]


def test_bytes_and_halves_that_no_text_can_hold(project):
    contract(project)
    load(project, b'\xef\xbb\xbf{"id":1,"name":"Orl\xe9ans"}\n{"id":2,"name":"\\ud83d"}\n{"id":3,"name":["\\ud83d"]}\n')
    assert bronze(project) == [(1, {"id": "1", "_corrupt_record": '{"id":1,"name":"Orl\\xe9ans"}', "_corrupt_bytes": b'{"id":1,"name":"Orl\xe9ans"}'}),
                               (2, {"id": "2", "_corrupt_record": '{"id":2,"name":"\\ud83d"}'}), (3, {"id": "3", "name": '["\\ud83d"]'})]


def test_why_a_row_is_corrupt(project):
    contract(project)
    load(project, b'{"id":1,"id":2}\n{"id":3,"ID":4}\n{"id":5,"a b":1}\n{"id":"\\ud83d"}\n{"id":6,"name":"\xff"}\n{"id":7}x\n{"id":8\n[1]\n{"id":09}\n')
    shown = project.assay("quarantine", "show", TABLE).stdout
    for text in ("the key `id` is there twice", "the key `ID` is there twice", "the key `a b` has a blank in it", "half of a surrogate pair",
                 "byte 17, 0xff, is not valid UTF-8", "text behind the object at byte 9", "an object that does not end at byte 8", "no object at byte 1",
                 "a number with a zero in front at byte 8"):
        assert text in shown, text


def test_other_encodings_and_packed_files(project):
    contract(project, encoding="UTF-16")
    load(project, {"a.json": '{"id":1,"name":"é"}\n{"id":2}\n'.encode("utf-16")})
    assert bronze(project) == [(1, {"id": "1", "name": "é"}), (2, {"id": "2"})]
    contract(project)
    load(project, {"a.json.gz": gzip.compress(b'{"id":3}\n{"id":4')}, batch="b2")
    assert bronze(project, "b2") == [(1, {"id": "3"}), (2, {"_corrupt_record": '{"id":4'})]


@pytest.mark.parametrize("content", ['[{"id":1},{"id":2}]', '[\n {"id":1},\n {"id":2}\n]\n', '{"id":1}{"id":2}', '{\n "id": 1\n}\n{\n "id": 2\n}\n',
                                     '[{"id":1}]\n[{"id":2}]', '{"id":1}\n{"id":2}\n'])
def test_documents(project, content):
    contract(project, multiLine=True)
    load(project, content)
    assert bronze(project) == [(1, {"id": "1"}), (2, {"id": "2"})]


def test_no_record_no_row(project):
    contract(project, multiLine=True)
    for batch, content in (("b1", ""), ("b2", " \n\n"), ("b3", "[]")):
        assert "the batch has no rows" in load(project, content, batch=batch, code=1).stderr
    assert project.rows(BRONZE) == []


def test_a_wrong_document_is_one_corrupt_row(project):
    contract(project, multiLine=True)
    load(project, '[{"id":1},\n {"id":2,\n  "name": oops},\n 7, "x", null, [{"id":8}],\n {"id":3}]')
    assert bronze(project) == [(1, {"id": "1"}), (2, {"_corrupt_record": '{"id":2,\n  "name": oops}'}), (3, {"_corrupt_record": "7"}),
                               (4, {"_corrupt_record": '"x"'}), (5, {"_corrupt_record": "null"}), (6, {"_corrupt_record": '[{"id":8}]'}), (7, {"id": "3"})]


def test_what_does_not_end_is_refused(project):
    contract(project, multiLine=True, maxRecordBytes=40)
    load(project, '{"id":1}')
    refused(project, '[{"id":1},\n{"id":2}', "from byte 19 on (record 3)")
    refused(project, '[{"id":1},\n{"id":2,"name":"', "(record 2)")
    refused(project, '{"id":1}]', "(record 2)")
    refused(project, '{"id":1}\n{"id":2,\n"name":"' + "x" * 40 + '"}', "more than 40 bytes")
    load(project, '{"id":1,"name":"' + "x" * 100 + '"}', batch="b2")  # on one line any length
    assert len(bronze(project, "b2")[0][1]["name"]) == 100


def test_lines_are_told_from_documents(project):
    contract(project)
    load(project, '{"id":1}\n')
    refused(project, '[{"id":1},{"id":2}]\n', "a.json", "begins with an array", "multiLine: true")
    refused(project, {"a.json": '{"id":1}\n', "b.json": '\n{\n "id": 1\n}\n'}, "b.json", "goes on over lines", "multiLine: true")


def test_nested_fields_by_path(project):
    contract(project, columns="""      - {name: city, logicalType: string, physicalType: string, transformLogic: "upper(trim(get_json_object(address, '$.city')))"}
      - {name: zip, logicalType: integer, physicalType: int, transformLogic: "get_json_object(address, '$.zip')"}
      - {name: sku, logicalType: string, physicalType: string, transformLogic: "get_json_object(items, '$[0].sku')"}
      - {name: price, logicalType: number, physicalType: "decimal(20,3)", transformLogic: "get_json_object(items, '$[0].price')"}""")
    load(project, '{"id":1,"address":{"city":" oslo ","zip":150},"items":[{"sku":"A","price":12345678901234567.125},{"sku":"B"}]}\n'
                  '{"id":2,"address":null,"items":[]}\n{"id":3,"address":{"zip":"x"}}\n{"id":4,"address":"{\\"city\\":\\"bergen\\"}"}\n')
    assert bronze(project)[0][1]["address"] == '{"city":" oslo ","zip":150}'
    rows = {r["id"]: (r["city"], r["zip"], r["sku"], str(r["price"])) for r in project.rows(TABLE)}
    assert rows == {"1": ("OSLO", 150, "A", "12345678901234567.125"), "2": (None, None, None, "None"), "4": ("BERGEN", None, None, "None")}
    rejected = project.rows(QUARANTINE)
    assert [(r["raw_id"], r["_reject_reason"], r["raw_zip"]) for r in rejected] == [("3", "unparseable zip", '{"zip":"x"}')]


def test_the_same_files_are_not_loaded_twice(project):
    contract(project)
    load(project, '{"id":1,"extra":2}\n')
    before = project.version(BRONZE)
    load(project, '{"id":1,"extra":2}\n')
    assert project.version(BRONZE) == before
    contract(project, multiLine=True)
    load(project, '{"id":1,"extra":2}\n')
    assert project.version(BRONZE) == before + 1


class Exact(str):
    """A number as it stood in the text."""


def random_object(rng, i):
    value = lambda: rng.choice([i, "é" * rng.randint(0, 40), None, True, -1.5e-3, [1, {"a": "b"}], {"k": [None]}, "\U0001F642\t\"\\"])  # noqa: E731
    keys = rng.sample(["name", "size", "tags", "meta", "Größe"], rng.randint(0, 5))
    return {"id": i, **{key: value() for key in keys}}


@pytest.mark.parametrize("is_multi_line", [False, True])
def test_against_pythons_reader(project, is_multi_line):
    """Many rows, read by several threads; what Python reads and assay keeps is the same, row by row."""
    rng = random.Random(11)
    objects = [random_object(rng, i) for i in range(20000)]
    texts = [json.dumps(o, ensure_ascii=rng.random() < 0.5, indent=1 if is_multi_line and rng.random() < 0.2 else None) for o in objects]
    content = "[" + ",\n".join(texts) + "]" if is_multi_line else "\n".join(texts)
    contract(project, multiLine=is_multi_line)
    load(project, content)

    def kept(text):
        decoded = json.loads(text, parse_float=Exact, parse_int=Exact)
        raw = {}
        for key, value in decoded.items():
            if value is None:
                continue
            raw[key] = str(value) if isinstance(value, str) else "true" if value is True else "nested"
        return raw

    for (line, row), number, text in zip(bronze(project), range(1, len(texts) + 1), texts, strict=True):
        assert line == number
        expected = kept(text)
        assert row.keys() == expected.keys()
        for key, value in expected.items():
            if value == "nested":
                assert json.loads(row[key]) == json.loads(text)[key] and row[key] in text
            else:
                assert row[key] == value


@pytest.mark.parametrize("lines", [1, 50000], ids=["one-object", "many-objects"])
def test_keys_that_are_values_end_at_the_limit_at_once(project, lines):
    contract(project)
    keys = [f'"k{i}":1' for i in range(150_000)]
    each = len(keys) // lines
    content = "".join("{" + ",".join([f'"id":{i}', *keys[i * each:(i + 1) * each]]) + "}\n" for i in range(lines))
    done = load(project, content, code=3)  # comparing each key with all before it takes longer than the test waits
    assert "more than 20000 different keys" in done.stderr and "\nnext: " in done.stderr
    assert project.version(BRONZE) is None


def test_the_same_file_packed_and_not_is_refused(project):
    contract(project)
    text = '{"id":1}\n'
    done = load(project, {"a.json": text, "a.json.gz": gzip.compress(text.encode())}, code=1)
    assert "its rows would land twice" in done.stderr and "`a.json`" in done.stderr
    assert project.version(BRONZE) is None
