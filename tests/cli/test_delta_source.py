"""Batches that are Delta tables, as another team delivers or links them. Expected rows are what Spark wrote down beside its tables, or what
delta-rs and pyarrow read."""
import datetime
import decimal
import json
import os
import re
import shutil

import deltalake
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import project as projects

D = decimal.Decimal
TABLE, BRONZE, QUARANTINE = "silver.orders", "bronze.erp_orders_raw", "quarantine.orders"
SPARK = projects.DATA / "spark-tables"
AMOUNT = "      - {name: amount, logicalType: number, physicalType: 'decimal(10,2)', required: true}"


def contract(project, columns="", id_type="bigint", **source):
    settings = {"path": "landing/erp/orders", "format": "delta", **source}
    return project.contract(projects.contract_text("orders", settings, columns, id_type))


def folder(project, batch="b1"):
    path = project.lake / "Files" / "landing" / "erp" / "orders" / f"batch_id={batch}"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def run(project, batch="b1", code=0):
    return project.assay("run", TABLE, "--batch", batch, code=code)


def orders(*rows):
    """(id, amount, country)"""
    return pa.table({"id": pa.array([r[0] for r in rows], pa.int64()), "amount": pa.array([D(r[1]) if r[1] else None for r in rows], pa.decimal128(10, 2)),
                     "country": pa.array([r[2] for r in rows])})


def bronze(project, *names, batch="b1"):
    rows = [r for r in project.rows(BRONZE) if r["_batch_id"] == batch]
    return sorted((tuple(r[n] for n in names) for r in rows), key=repr)


def refused(project, *texts, batch="b1", gate="header"):
    before = project.version(BRONZE)
    done = run(project, batch, code=1)
    for text in ("no row of the batch was loaded", "\nnext: ", *texts):
        assert text in done.stderr + done.stdout, (text, done.stderr)
    assert project.version(BRONZE) == before
    assert project.assay("run", TABLE, "--batch", batch, "--json", code=1).json()["runs"][0]["gate"] == gate
    return done


def places(table, key):
    """(file, number of the row in it from 1) of each value of a column, from the data files that the table's log names"""
    found = {}
    for name in table.file_uris():
        path = name.removeprefix("file://")
        for n, value in enumerate(pq.ParquetFile(path).read(columns=[key]).column(key).to_pylist(), 1):
            found[value] = (os.path.relpath(path, table.table_uri.removeprefix("file://")), n)
    return found


def test_the_newest_version_lands_with_its_places(project):
    contract(project, AMOUNT)
    path = folder(project)
    deltalake.write_deltalake(path, orders((1, "1.50", "NO"), (2, "2", "DE"), (3, None, "NO")), partition_by=["country"])
    deltalake.write_deltalake(path, orders((4, "4.25", "DE")), mode="append")
    deltalake.DeltaTable(path).delete("id = 2")  # its file stays in the folder
    table = deltalake.DeltaTable(path)
    expected = [(r["id"], r["amount"], r["country"]) for r in table.to_pyarrow_table().to_pylist()]
    assert sorted(r[0] for r in expected) == [1, 3, 4]
    run(project)
    assert bronze(project, "id", "amount", "country") == sorted(expected, key=repr)
    where = {key: ("Files/landing/erp/orders/batch_id=b1/" + name, n) for key, (name, n) in places(table, "id").items()}
    assert {r["id"]: (r["_source_file"], r["_source_line"]) for r in project.rows(BRONZE)} == where
    assert all((project.lake / name).exists() for name, _ in where.values())
    assert "_corrupt_record" not in project.rows(BRONZE)[0]
    assert sorted((r["id"], r["amount"]) for r in project.rows(TABLE)) == [(1, D("1.50")), (4, D("4.25"))]
    (bad,) = project.rows(QUARANTINE)
    assert (bad["raw_id"], bad["raw_amount"], bad["_reject_reason"]) == ("3", None, "missing amount")
    assert (bad["_source_file"], bad["_source_line"]) == where[3]
    before = project.version(BRONZE)
    run(project)
    assert project.version(BRONZE) == before


def as_text(value):
    return None if value is None else str(value).lower() if isinstance(value, bool) else str(value)


@pytest.mark.parametrize("name", ["deletion-vectors", "partitioned", "column-mapping-upgraded", "checkpoint-v2", "checkpoint-multipart", "schema-evolution",
                                  "change-data-feed", "type-widening", "timestamp-ntz", "restored", "history"])
def test_tables_of_spark(project, name):
    rows = json.loads((SPARK / name / "expected.json").read_text())["rows"]
    names = [n for n in rows[0] if not any(isinstance(r[n], (dict, list)) for r in rows)]
    contract(project, header="byName")
    shutil.copytree(SPARK / name / "table", folder(project))
    project.assay("run", TABLE, "--batch", "b1", code=None)  # silver wants keys, which is another matter
    found = [[as_text(r[n]) for n in names] for r in project.rows(BRONZE)]
    # Spark's texts of timestamps have no zone; delta-rs gives datetimes
    expected = [[as_text(r[n]) for n in names] for r in rows]
    assert sorted(map(repr, ([v and v.removesuffix("+00:00") for v in r] for r in found))) == sorted(map(repr, expected))


def test_a_second_batch_and_a_changed_one(project):
    contract(project, AMOUNT)
    deltalake.write_deltalake(folder(project), orders((1, "1", "NO"), (2, "2", "DE")))
    deltalake.write_deltalake(folder(project, "b2"), orders((2, "2.50", "DE"), (3, "3", "NO")))
    run(project, "b1")
    run(project, "b2")
    assert bronze(project, "id", batch="b1") == [(1,), (2,)] and bronze(project, "id", batch="b2") == [(2,), (3,)]
    amounts = {r["id"]: r["amount"] for r in project.rows(TABLE)}
    assert amounts == {1: D("1"), 2: D("2.50"), 3: D("3")}
    project.assay("landing", "verify", TABLE)
    deltalake.write_deltalake(folder(project, "b2"), orders((4, "4", "NO")), mode="append")
    done = project.assay("landing", "verify", TABLE, code=None)
    assert "_delta_log/00000000000000000001.json" in done.stdout + done.stderr
    run(project, "b2")
    assert bronze(project, "id", batch="b2") == [(2,), (3,), (4,)] and bronze(project, "id", batch="b1") == [(1,), (2,)]
    assert sorted(r["id"] for r in project.rows(TABLE)) == [1, 2, 3, 4]


def test_vacuum_is_a_change_of_files_and_not_of_rows(project):
    contract(project, AMOUNT)
    path = folder(project)
    deltalake.write_deltalake(path, orders((1, "1", "NO"), (2, "2", "DE")))
    deltalake.DeltaTable(path).delete("id = 2")
    run(project)
    before = project.version(TABLE)
    (gone,) = deltalake.DeltaTable(path).vacuum(retention_hours=0, enforce_retention_duration=False, dry_run=False)
    assert gone in project.assay("landing", "verify", TABLE, code=1).stdout
    run(project)
    assert bronze(project, "id") == [(1,)] and project.version(TABLE) == before
    project.assay("landing", "verify", TABLE)


def test_a_data_file_edited_in_place_is_an_alarm(project):
    contract(project, AMOUNT)
    path = folder(project)
    deltalake.write_deltalake(path, orders((1, "1", "NO")))
    run(project)
    (data,) = path.glob("*.parquet")
    content = bytearray(data.read_bytes())
    content[len(content) // 2] ^= 1
    data.write_bytes(content)
    done = project.assay("landing", "verify", TABLE, code=1)
    assert data.name in done.stdout


def test_a_link_to_a_table_of_another_team(project, tmp_path):
    contract(project, AMOUNT)
    theirs = tmp_path / "their lake" / "orders"
    deltalake.write_deltalake(theirs, orders((1, "1", "NO"), (2, "2", "DE")), partition_by=["country"])
    before = sorted((p.relative_to(theirs), p.stat().st_mtime_ns) for p in theirs.rglob("*"))
    folder(project).symlink_to(theirs)
    run(project)
    assert bronze(project, "id", "country") == [(1, "NO"), (2, "DE")]
    project.assay("landing", "list", TABLE)
    project.assay("landing", "verify", TABLE)
    assert sorted((p.relative_to(theirs), p.stat().st_mtime_ns) for p in theirs.rglob("*")) == before


@pytest.mark.parametrize("level", ["Files", "Files/landing/erp", "Files/landing/erp/orders/batch_id=b1"])
@pytest.mark.parametrize("kind", ["delta", "parquet"])
def test_any_folder_on_the_way_may_be_a_link(project, tmp_path, level, kind):
    contract(project, AMOUNT, format=kind)
    if kind == "delta":
        deltalake.write_deltalake(folder(project), orders((1, "1", "NO")))
    else:
        folder(project).mkdir()
        pq.write_table(orders((1, "1", "NO")), folder(project) / "a.parquet")
    (project.lake / level).rename(tmp_path / "theirs")
    (project.lake / level).symlink_to(tmp_path / "theirs")
    run(project)
    assert bronze(project, "id", "country") == [(1, "NO")]


def test_a_partition_column_may_begin_with_an_underscore(project):
    contract(project, AMOUNT)
    deltalake.write_deltalake(folder(project), orders((1, "1", "NO"), (2, "2", None)).rename_columns(["id", "amount", "_country"]), partition_by=["_country"])
    assert {p.name for p in folder(project).glob("_country=*")} == {"_country=NO", "_country=__HIVE_DEFAULT_PARTITION__"}
    run(project)
    assert bronze(project, "id", "_country") == [(1, "NO"), (2, None)]


def test_what_no_reader_needs_may_change(project):
    """Change data, checksums and hints are no part of a version."""
    contract(project, AMOUNT)
    path = folder(project)
    deltalake.write_deltalake(path, orders((1, "1", "NO")))
    run(project)
    before = project.version(BRONZE)
    (path / "_change_data").mkdir()
    for name in ("_change_data/cdc-1.parquet", "_delta_log/00000000000000000000.crc", "_delta_log/_last_checkpoint", ".hidden"):
        (path / name).write_bytes(b"x")
    project.assay("landing", "verify", TABLE)
    run(project)
    assert project.version(BRONZE) == before


def test_land_takes_the_whole_folder_of_a_table(project, tmp_path):
    contract(project, AMOUNT)
    theirs = tmp_path / "orders"
    deltalake.write_deltalake(theirs, orders((1, "1", "NO"), (2, "2", "DE")), partition_by=["country"])
    project.assay("land", TABLE, theirs, "--batch", "b1")
    copied = {p.relative_to(folder(project)): p.read_bytes() for p in folder(project).rglob("*") if p.is_file() and p.name != "_manifest.json"}
    assert copied == {p.relative_to(theirs): p.read_bytes() for p in theirs.rglob("*") if p.is_file()}
    run(project)
    assert bronze(project, "id", "country") == [(1, "NO"), (2, "DE")]
    project.assay("landing", "verify", TABLE)
    assert "same" in project.assay("land", TABLE, theirs, "--batch", "b1").stdout
    deltalake.write_deltalake(theirs, orders((3, "3", "NO")), mode="append")
    assert "other content" in project.assay("land", TABLE, theirs, "--batch", "b1", code=1).stderr
    project.assay("land", TABLE, theirs, "--batch", "b1", "--replace")
    run(project)
    assert bronze(project, "id") == [(1,), (2,), (3,)]
    plain = tmp_path / "plain"
    plain.mkdir()
    pq.write_table(orders((9, "9", "NO")), plain / "a.parquet")
    for what in (plain, plain / "a.parquet"):
        assert "_delta_log" in project.assay("land", TABLE, what, "--batch", "b9", code=None).stderr
    assert not folder(project, "b9").exists()


def test_tables_that_cannot_be_read_are_refused(project):
    contract(project, AMOUNT)

    def bad(change, *texts, rows=((1, "1", "NO"),), gate="header"):
        path = folder(project, "bad")
        shutil.rmtree(path, ignore_errors=True)
        deltalake.write_deltalake(path, orders(*rows))
        (data,) = path.glob("*.parquet")
        change(path, path / "_delta_log" / f"{0:020}.json", data)
        refused(project, *texts, batch="bad", gate=gate)

    bad(lambda path, log, data: log.write_bytes(log.read_bytes()[:-20]), "Delta table cannot be read", f"{0:020}.json")
    bad(lambda path, log, data: log.write_bytes(b""), "Delta table cannot be read")
    bad(lambda path, log, data: log.rename(log.with_name(f"{1:020}.json")), "Delta table cannot be read")
    bad(lambda path, log, data: log.rename(log.with_name("x.json")), "no version of a Delta table")
    bad(lambda path, log, data: data.unlink(), "not among the batch's files", "next: deliver the table's folder again")
    bad(lambda path, log, data: data.write_bytes(data.read_bytes()[:-1]), "bytes, and the file there has")
    bad(lambda path, log, data: log.write_text(log.read_text().replace(data.name, "/etc/" + data.name)), "/etc/part-")
    bad(lambda path, log, data: log.write_text(log.read_text().replace(data.name, "../" + data.name)), "..")
    bad(lambda path, log, data: log.write_text(re.sub('"minReaderVersion":1', '"minReaderVersion":3,"readerFeatures":["teleport"]',
                                                      log.read_text()).replace('"minWriterVersion":2', '"minWriterVersion":7,"writerFeatures":["teleport"]')), "teleport")
    bad(lambda path, log, data: data.write_bytes(b"PAR1" + bytes(data.stat().st_size - 8) + b"PAR1"), "damaged", ".parquet", gate="file")
    bad(lambda path, log, data: log.write_text(log.read_text().replace('amount', 'amounts')), "lacks the column `amount`", "found: id, amounts, country")
    shutil.rmtree(folder(project, "bad"))
    deltalake.write_deltalake(folder(project, "bad"), orders((1, "1", "NO")).append_column("_batch_id", [["x"]]))
    refused(project, "`_batch_id`", batch="bad")
    shutil.rmtree(folder(project, "bad"))
    shutil.copytree(SPARK / "column-mapping" / "table", folder(project, "bad"))
    refused(project, "`second, with comma`", batch="bad")
    assert project.version(BRONZE) is None


def test_a_folder_without_a_log_is_no_batch_of_delta(project):
    contract(project, AMOUNT)
    folder(project).mkdir()
    pq.write_table(orders((1, "1", "NO")), folder(project) / "a.parquet")
    done = run(project, code=None)
    assert done.code and "holds no Delta table, no _delta_log" in done.stderr
    done = project.assay("run", TABLE, code=None)
    assert done.code and "holds no Delta table, no _delta_log" in done.stderr


def test_parquet_contracts_refuse_a_delta_table(project, tmp_path):
    """Read as plain files it would give deleted rows too."""
    contract(project, AMOUNT, format="parquet")
    path = folder(project)
    deltalake.write_deltalake(path, orders((1, "1", "NO"), (2, "2", "NO")))
    deltalake.DeltaTable(path).delete("id = 2")
    refused(project, "the batch's folder is a Delta table", "format: delta")
    done = project.assay("land", TABLE, path, "--batch", "b2", code=None)
    assert done.code and "the folder is a Delta table" in done.stderr and not folder(project, "b2").exists()


def test_parquet_folders_with_partitions_are_told(project):
    """Sub-folders of plain Parquet are not read: alone they refuse the batch, beside other files they are named."""
    contract(project, AMOUNT, format="parquet")
    (folder(project) / "country=NO").mkdir(parents=True)
    pq.write_table(orders((1, "1", "NO")), folder(project) / "country=NO" / "a.parquet")
    done = run(project, code=None)
    assert done.code and "matches the contract's pattern *.parquet" in done.stderr
    assert "country=NO/a.parquet" in project.assay("run", TABLE, code=1).stderr
    pq.write_table(orders((2, "2", "NO")), folder(project) / "b.parquet")
    done = project.assay("run", TABLE, "--batch", "b1", "--json")
    assert done.json()["runs"][0]["left_out"] == ["country=NO/a.parquet"]
    assert bronze(project, "id") == [(2,)]
    assert "country=NO/a.parquet" in project.assay("landing", "list", TABLE).stdout


def test_lint_and_plan_know_the_word(project):
    contract(project, AMOUNT)
    assert "unused-setting" not in project.assay("lint").stdout
    printed = project.assay("plan", TABLE).stdout
    assert re.search(r"format +delta", printed)
    assert "Files/landing/erp/orders/batch_id=<id>/, a Delta table" in printed
    assert project.assay("plan", TABLE, "--json").json()["source"]["format"] == "delta"
    contract(project, AMOUNT, pattern="*.x", delimiter=";")
    told = project.assay("lint", code=None)
    assert "'pattern' says nothing about a Delta table" in told.stdout + told.stderr
    assert "'delimiter' says nothing about a Delta table" in told.stdout + told.stderr
    contract(project, AMOUNT, header="none")
    told = project.assay("lint", code=2)
    assert "a Delta table's columns have names" in told.stdout + told.stderr


def test_types_and_absent_columns(project):
    at = datetime.datetime(2024, 2, 29, 23, 59, 59, 500000, datetime.timezone.utc)
    contract(project, "      - {name: at, logicalType: timestamp, physicalType: timestamp}\n      - {name: note, logicalType: string, physicalType: string}",
             header="byName")
    table = pa.table({"id": pa.array([1], pa.int32()), "at": pa.array([at], pa.timestamp("us", "UTC")), "wall": pa.array([at.replace(tzinfo=None)], pa.timestamp("us")),
                      "tags": pa.array([["a", None]], pa.list_(pa.string())), "who": pa.array([{"x": 1}], pa.struct([("x", pa.int64())])), "raw": pa.array([b"\xff"])})
    deltalake.write_deltalake(folder(project), table)
    run(project)
    (row,) = project.rows(BRONZE)
    expected = deltalake.DeltaTable(folder(project)).to_pyarrow_table().to_pylist()[0]
    assert {k: row[k] for k in expected} == expected and row["note"] is None
    (row,) = project.rows(TABLE)
    assert (row["id"], row["at"], row["note"]) == (1, at, None)


def test_an_empty_table_has_no_rows(project):
    contract(project, AMOUNT)
    deltalake.write_deltalake(folder(project), orders((1, "1", "NO")))
    deltalake.DeltaTable(folder(project)).delete()
    assert "the batch has no rows" in run(project, code=1).stderr


def test_trace_names_the_data_file(project):
    contract(project, AMOUNT)
    deltalake.write_deltalake(folder(project), orders((1, "1", "NO")), partition_by=["country"])
    run(project)
    done = project.assay("trace", TABLE, "--where", "id = 1")
    assert "batch_id=b1/country=NO/" in done.stdout and "no longer" not in done.stdout
