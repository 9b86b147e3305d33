"""Parquet sources: every type that Arrow writes, files whose schemas differ, and files that are not what they say. Expected values are
pyarrow's own."""
import datetime
import decimal
import json
import uuid

import deltalake
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import project as projects

D = decimal.Decimal
UTC = datetime.timezone.utc
TABLE, BRONZE, QUARANTINE = "silver.meters", "bronze.plant_meters_raw", "quarantine.meters"
LINEAGE = {"_source_file", "_source_line", "_batch_id", "_loaded_at"}


def contract(project, *columns, **source):
    """columns: (name, type) or (name, type, transformLogic)"""
    logical = {"string": "string", "date": "date", "boolean": "boolean", "binary": None}
    lines = []
    for name, kind, *clean in columns:
        word = logical.get(kind, "timestamp" if kind.startswith("timestamp") else "number")
        lines.append(f"      - {{name: {name}, physicalType: '{kind}'" + (f", logicalType: {word}" if word else "") +
                     (f", transformLogic: '{clean[0]}'" if clean else "") + "}")
    settings = {"path": "landing/plant/meters", "format": "parquet", **source}
    return project.contract(projects.contract_text("meters", settings, "\n".join(lines), "bigint"))


def load(project, files, batch="b1", code=0, **options):
    folder = project.lake / "Files" / "landing" / "plant" / "meters" / f"batch_id={batch}"
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in (files if isinstance(files, dict) else {"a.parquet": files}).items():
        if isinstance(content, bytes):
            (folder / name).write_bytes(content)
        else:
            pq.write_table(content, folder / name, **options)
    return project.assay("run", TABLE, "--batch", batch, code=code)


def refused(project, files, *texts, gate="header", **options):
    before = project.version(BRONZE)
    done = load(project, files, batch="bad", code=1, **options)
    for text in ("no row of the batch was loaded", "\nnext: ", *texts):
        assert text in done.stderr + done.stdout, text
    assert project.version(BRONZE) == before
    assert project.assay("run", TABLE, "--batch", "bad", "--json", code=1).json()["runs"][0]["gate"] == gate


def bronze(project, batch="b1"):
    table = deltalake.DeltaTable(project.table(BRONZE)).to_pyarrow_table()
    rows = sorted((r for r in table.to_pylist() if r["_batch_id"] == batch), key=lambda r: (r["_source_file"], r["_source_line"]))
    return [{k: v for k, v in r.items() if k not in LINEAGE} for r in rows]


def types(project, table=BRONZE):
    return {f.name: str(f.type).removeprefix('PrimitiveType("').removesuffix('")') if hasattr(f.type, "type") and f.type.type else f.type
            for f in deltalake.DeltaTable(project.table(table)).schema().fields}


FLAT = {
    "id": pa.array([1, 2, 3], pa.int64()),
    "i8": pa.array([-128, None, 127], pa.int8()), "i16": pa.array([-32768, None, 32767], pa.int16()),
    "i32": pa.array([-2**31, None, 2**31 - 1], pa.int32()), "i64": pa.array([-2**63, None, 2**63 - 1], pa.int64()),
    "u8": pa.array([0, None, 255], pa.uint8()), "u16": pa.array([0, None, 65535], pa.uint16()),
    "u32": pa.array([0, None, 2**32 - 1], pa.uint32()), "u64": pa.array([0, None, 2**64 - 1], pa.uint64()),
    "f16": pa.array([1.5, None, -0.25], pa.float32()).cast(pa.float16()), "f32": pa.array([1.5, None, 3.4028234663852886e38], pa.float32()),
    "f64": pa.array([0.1, None, float("inf")], pa.float64()), "yes": pa.array([True, None, False]),
    "d9": pa.array([D("1.50"), None, D("-9999999.99")], pa.decimal128(9, 2)), "d18": pa.array([D("0.1"), None, D("-1")], pa.decimal128(18, 9)),
    "d38": pa.array([D("9" * 38), None, D("-1")], pa.decimal128(38, 0)),
    "day": pa.array([datetime.date(1, 1, 1), None, datetime.date(9999, 12, 31)]), "day64": pa.array([datetime.date(1970, 1, 1), None, datetime.date(2024, 2, 29)], pa.date64()),
    "ms": pa.array([-1, None, 1], pa.timestamp("ms", "UTC")), "us": pa.array([-1, None, 2**52], pa.timestamp("us", "Europe/Oslo")),
    "text": pa.array(["é\0", None, ""]), "large": pa.array(["a", None, "b"], pa.large_string()), "dict": pa.array(["a", None, "a"]).dictionary_encode(),
    "bytes": pa.array([b"\xff\x00", None, b""]), "fixed": pa.array([b"abcd", None, b"\0\0\0\0"], pa.binary(4)),
    "list": pa.array([[1, None], None, []], pa.list_(pa.int32())), "lists": pa.array([[[1], []], None, [None]], pa.list_(pa.list_(pa.uint8()))),
    "map": pa.array([[("k", 1)], None, []], pa.map_(pa.string(), pa.int64())),
    "struct": pa.array([{"x": 1, "y": ["a"]}, None, {"x": None, "y": None}], pa.struct([("x", pa.int16()), ("y", pa.list_(pa.string()))])),
}
DELTA = {"id": "long", "i8": "byte", "i16": "short", "i32": "integer", "i64": "long", "u8": "short", "u16": "integer", "u32": "long",
         "u64": "decimal(20,0)", "f16": "float", "f32": "float", "f64": "double", "yes": "boolean", "d9": "decimal(9,2)", "d18": "decimal(18,9)",
         "d38": "decimal(38,0)", "day": "date", "day64": "date", "ms": "timestamp", "us": "timestamp", "text": "string", "large": "string",
         "dict": "string", "bytes": "binary", "fixed": "binary"}


def plain(value):
    """A row as pyarrow gives it, made comparable: instants in UTC, maps as lists of pairs."""
    if isinstance(value, datetime.datetime) and value.tzinfo:
        return value.astimezone(UTC)
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return value


@pytest.mark.parametrize("options", [{}, {"version": "1.0", "use_dictionary": False, "compression": "none"},
                                     {"data_page_version": "2.0", "compression": "zstd"}, {"compression": "gzip", "store_decimal_as_integer": True},
                                     {"compression": "lz4", "row_group_size": 1}, {"compression": "brotli", "write_statistics": False}])
def test_every_type_lands_as_it_is(project, options):
    contract(project)
    flat = {k: v for k, v in FLAT.items() if k != "u32" or options.get("version") != "1.0"}
    table = pa.table(flat)
    load(project, table, **options)
    expected = [plain(row) for row in table.to_pylist()]
    assert [plain(row) for row in bronze(project)] == expected
    found = json.loads(deltalake.DeltaTable(project.table(BRONZE)).schema().to_json())["fields"]
    assert {f["name"]: f["type"] for f in found if f["name"] in flat and isinstance(f["type"], str)} == {k: v for k, v in DELTA.items() if k in flat}
    rows = sorted(project.rows(BRONZE), key=lambda r: r["_source_line"])
    assert [(r["_source_line"], r["_source_file"], r["_batch_id"]) for r in rows] == [
        (n, "Files/landing/plant/meters/batch_id=b1/a.parquet", "b1") for n in (1, 2, 3)]
    assert "_corrupt_record" not in rows[0]
    assert sorted(r["id"] for r in project.rows(TABLE)) == [1, 2, 3]


def test_wall_times_uuids_json_and_int96(project):
    contract(project)
    ids = [uuid.UUID(int=i * 7**40 % 2**128) for i in (1, 2)]
    moments = [datetime.datetime(1969, 12, 31, 23, 59, 59, 999999), datetime.datetime(2024, 2, 29, 1, 2, 3, 4)]
    columns = {"id": pa.array([1, 2]), "wall": pa.array(moments, pa.timestamp("us")), "ns": pa.array(moments, pa.timestamp("ns")),
               "no": pa.array([None, None], pa.null())}
    load(project, pa.table(columns))
    assert bronze(project) == [{"id": i + 1, "wall": m, "ns": m} for i, m in enumerate(moments)]
    load(project, pa.table({"id": pa.array([3]), "old": pa.array([moments[0]], pa.timestamp("us"))}), batch="b2", use_deprecated_int96_timestamps=True)
    assert bronze(project, "b2") == [{"id": 3, "wall": None, "ns": None, "old": moments[0].replace(tzinfo=UTC)}]
    if hasattr(pa, "uuid"):
        load(project, pa.table({"id": pa.array([4, 5]), "key": pa.array([i.bytes for i in ids], pa.uuid())}), batch="b3")
        assert [r["key"] for r in bronze(project, "b3")] == [str(i) for i in ids]


@pytest.mark.parametrize("kind, values, text", [
    (pa.time32("ms"), [datetime.time(1, 2)], "times of day"), (pa.time64("us"), [datetime.time(1, 2)], "times of day"),
    (pa.decimal256(39, 2), [D("1.50")], "more than 38 digits"), (pa.timestamp("ns", "UTC"), [1000], "nanoseconds with a zone"),
    (pa.list_(pa.time32("s")), [[datetime.time(1)]], "times of day"), (pa.list_(pa.timestamp("ns")), [[1000]], "TIMESTAMP_NS")])
def test_what_no_table_has_is_refused_by_name(project, kind, values, text):
    contract(project)
    refused(project, pa.table({"id": pa.array([1]), "bad": pa.array(values, kind)}), "a.parquet", "`bad`", text)


def test_the_advice_for_nanoseconds_with_a_zone_holds(project, tmp_path):
    contract(project, ("at", "timestamp"))
    at = pa.table({"id": pa.array([1]), "at": pa.array([1000], pa.timestamp("ns", "UTC"))})
    refused(project, at, "`at`", "coerce_timestamps='us'")
    load(project, at, coerce_timestamps="us")
    assert bronze(project) == [{"id": 1, "at": datetime.datetime(1970, 1, 1, 0, 0, 0, 1, UTC)}]
    with pytest.raises(pa.ArrowInvalid, match="would lose data"):
        pq.write_table(pa.table({"at": pa.array([1001], pa.timestamp("ns", "UTC"))}), tmp_path / "x.parquet", coerce_timestamps="us")


def test_nanoseconds_are_never_cut(project):
    contract(project)
    refused(project, pa.table({"id": pa.array([1, 2]), "at": pa.array([1000, -1001], pa.timestamp("ns"))}), "`at`", "first in row 2", gate="file")


@pytest.mark.parametrize("name", ["order total", "a;b", "", "_batch_id", "ID"])
def test_names_that_no_column_can_have(project, name):
    contract(project)
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["id", name])
    refused(project, table, "a.parquet", f"column `{name}`")


def test_files_whose_schemas_differ(project):
    contract(project, ("name", "string"), ("size", "double"))
    load(project, {"a.parquet": pa.table({"id": pa.array([1], pa.int16()), "name": ["x"]}),
                   "b.parquet": pa.table({"Size": pa.array([2], pa.int32()), "id": pa.array([2**40], pa.int64()), "NAME": pa.array([None], pa.null())}),
                   "c.parquet": pa.table({"id": pa.array([3], pa.uint8()), "size": pa.array([0.5], pa.float64()), "more": pa.array([D("1.5")], pa.decimal128(3, 1))}),
                   "d.parquet": pa.table({"id": pa.array([4], pa.uint8()), "more": pa.array([7], pa.int8())})})
    assert bronze(project) == [{"id": 1, "name": "x", "size": None, "more": None}, {"id": 2**40, "name": None, "size": 2.0, "more": None},
                               {"id": 3, "name": None, "size": 0.5, "more": D("1.5")}, {"id": 4, "name": None, "size": None, "more": D("7.0")}]
    load(project, pa.table({"id": pa.array([9], pa.int8()), "name": ["y"], "size": pa.array([1.5], pa.float32())}), batch="b2")
    assert bronze(project, "b2") == [{"id": 9, "name": "y", "size": 1.5, "more": None}]
    assert {r["id"]: (r["name"], r["size"]) for r in project.rows(TABLE)} == {1: ("x", None), 2**40: (None, 2.0), 3: (None, 0.5), 4: (None, None), 9: ("y", 1.5)}


def test_types_that_no_type_holds(project):
    contract(project)
    refused(project, {"a.parquet": pa.table({"id": pa.array([1]), "x": ["a"]}), "b.parquet": pa.table({"id": pa.array([2]), "x": pa.array([1])})},
            "b.parquet", "`x`", '"long" here and "string" in', "a.parquet")
    load(project, pa.table({"id": pa.array([1], pa.int32())}))
    before = project.version(BRONZE)
    done = load(project, pa.table({"id": pa.array([1], pa.int64())}), batch="b2", code=1)
    assert 'column id is "integer" in the bronze table and "long" in the files' in done.stderr
    assert project.version(BRONZE) == before


def test_a_column_of_the_contract_that_no_file_has(project):
    contract(project, ("name", "string"), ("size", "int"))
    refused(project, pa.table({"id": pa.array([1]), "nam": ["x"], "size": pa.array([1], pa.int32())}), "`name`", "found: id, nam, size", "byName")
    contract(project, ("name", "string"), ("size", "int"), header="byName")
    load(project, pa.table({"id": pa.array([1])}))
    assert [(r["id"], r["name"], r["size"]) for r in project.rows(TABLE)] == [(1, None, None)]
    load(project, pa.table({"id": pa.array([2]), "size": pa.array([5], pa.int16()), "name": ["x"]}), batch="b2")
    assert sorted((r["id"], r["name"], r["size"]) for r in project.rows(TABLE) if r["id"] == 2) == [(2, "x", 5)]


def test_casts_of_typed_columns(project):
    contract(project, ("small", "tinyint"), ("amount", "decimal(10,2)"), ("text", "string", "upper(trim(text))"), ("number", "string"), ("day", "date"),
             ("at", "timestamp"), ("ratio", "decimal(6,3)"), ("whole", "int"), ("flag", "string"), ("raw", "binary"))
    at = datetime.datetime(2024, 2, 29, 23, 59, 59, 500000, UTC)
    table = pa.table({"id": pa.array([1, 2, 3], pa.int32()), "small": pa.array([127, 128, None]), "amount": pa.array([D("1.005"), D("2"), None], pa.decimal128(12, 3)),
                      "text": [" a ", "b", None], "number": pa.array([7, -8, None], pa.int32()), "day": pa.array([at, None, None], pa.timestamp("us", "UTC")),
                      "at": pa.array([at.date(), None, None]), "ratio": pa.array([2.0005, 1e300, None]), "whole": pa.array([D("12"), D("-3"), None], pa.decimal128(5, 0)),
                      "flag": pa.array([True, False, None]), "raw": pa.array([b"\xff", None, None])})
    load(project, table)
    rows = {r["id"]: r for r in project.rows(TABLE)}
    one = {k: v for k, v in rows[1].items() if k not in LINEAGE}
    assert one == {"id": 1, "small": 127, "amount": D("1.01"), "text": "A", "number": "7", "day": at.date(), "at": datetime.datetime(2024, 2, 29, tzinfo=UTC),
                   "ratio": D("2.001"), "whole": 12, "flag": "true", "raw": b"\xff"}
    assert all(v is None for k, v in rows[3].items() if k not in LINEAGE | {"id"})
    (bad,) = project.rows(QUARANTINE)
    assert bad["_reject_reason"] == "unparseable small; unparseable ratio"
    assert (bad["raw_id"], bad["raw_small"], bad["raw_amount"], bad["raw_number"], bad["raw_flag"], bad["_source_line"]) == ("2", "128", "2.000", "-8", "false", 2)


@pytest.mark.parametrize("kind, values, target", [
    (pa.float64(), [1.5], "int"), (pa.float64(), [1.5], "string"), (pa.float64(), [1.5], "float"), (pa.bool_(), [True], "int"), (pa.int32(), [1], "boolean"),
    (pa.int64(), [1], "timestamp"), (pa.decimal128(5, 2), [D("1.50")], "int"), (pa.binary(), [b"a"], "string"), (pa.list_(pa.int32()), [[1]], "string")])
def test_casts_that_would_change_values_are_refused(project, kind, values, target):
    contract(project, ("x", target))
    done = load(project, pa.table({"id": pa.array([1]), "x": pa.array(values, kind)}), code=1)
    assert "column x is" in done.stderr and f"does not become {target}" in done.stderr
    assert project.version(BRONZE) == 0 and project.version(TABLE) is None
    assert project.assay("run", TABLE, "--batch", "b1", "--json", code=1).json()["runs"][0]["gate"] == "column_type"


def parquet_bytes(**options):
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"id": pa.array(range(20000)), "text": [f"text {i * 7919 % 20000}" for i in range(20000)]}), sink, **options)
    return sink.getvalue().to_pybytes()


def test_files_that_are_not_what_they_say(project):
    contract(project)
    good = parquet_bytes(compression="zstd")
    refused(project, b"id,name\n1,x\n", "a.parquet", "no Parquet")
    refused(project, b"", "a.parquet", "no Parquet")
    refused(project, good[:-100], "a.parquet", "cut off")
    refused(project, good[:-4] + b"PARE", "a.parquet", "encrypted")
    footer = len(good) - 8 - int.from_bytes(good[-8:-4], "little")
    refused(project, good[:footer] + bytes(100) + good[footer + 100:], "a.parquet", "damaged")
    half = len(good) // 4
    refused(project, {"a.parquet": good, "b.parquet": good[:half] + bytes(2000) + good[half + 2000:]}, "b.parquet", "damaged", gate="file")
    load(project, good)
    assert len(bronze(project)) == 20000


def test_an_empty_file_has_no_rows(project):
    contract(project)
    done = load(project, pa.table({"id": pa.array([], pa.int64())}), code=1)
    assert "the batch has no rows" in done.stderr


def test_the_same_files_are_not_loaded_twice(project):
    contract(project)
    table = pa.table({"id": pa.array([1]), "x": pa.array([1.5])})
    load(project, table)
    before = project.version(BRONZE)
    project.assay("run", TABLE, "--batch", "b1")
    assert project.version(BRONZE) == before
    load(project, pa.table({"id": pa.array([2]), "x": pa.array([2.5])}))
    assert bronze(project) == [{"id": 2, "x": 2.5}]


def test_trace_gives_the_row_in_place_of_a_line(project):
    contract(project)
    load(project, pa.table({"id": [10, 20, 30]}))
    said = project.assay("trace", TABLE, "--where", "id = 20").stdout
    assert "a.parquet:2\n" in said and "has no lines of text" in said and "cannot be read" not in said
