"""restore: the plan, the commit, what is refused. Rows are read by delta-rs; sums are worked out here."""
import json
import os
import shutil

import deltalake
import pyarrow
import pytest

import feed
import project as projects


def write(project, name, ids, mode="append"):
    deltalake.write_deltalake(project.table(name), pyarrow.table({"id": pyarrow.array(ids, pyarrow.int64())}), mode=mode)


def ids(project, name="silver.t"):
    return sorted(row["id"] for row in project.rows(name))


def last_commit(project, name):
    path = max((project.table(name) / "_delta_log").glob("*.json"))
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture
def lake(project):
    """silver.t: {1}, {1,2,3}, then {9} in their place."""
    write(project, "silver.t", [1])
    write(project, "silver.t", [2, 3])
    write(project, "silver.t", [9], mode="overwrite")
    return project


def test_plan_first(lake):
    for options in ([], ["--dry-run"]):
        said = lake.assay("restore", "silver.t", "--version", "1", *options).stdout
        assert "brings back  2 files, 3 rows" in said and "takes out    1 file, 1 row" in said
        assert "undoes 2" in said and "undoes 1 " not in said and "--yes" in said
        assert lake.version("silver.t") == 2
    assert "say the opposite" in lake.assay("restore", "silver.t", "--version", "1", "--yes", "--dry-run", code=2).stderr


def test_restored_and_back_again(lake):
    said = lake.assay("restore", "Silver.T", "--version", "1", "--yes").stdout
    assert "restored as version 3" in said and "--version 2" in said
    assert ids(lake) == [1, 2, 3]
    actions = last_commit(lake, "silver.t")
    info = actions[0]["commitInfo"]
    assert info["operation"] == "RESTORE" and info["operationParameters"] == {"version": 1, "timestamp": None} and info["readVersion"] == 2
    metrics = {name: int(value) for name, value in info["operationMetrics"].items()}
    sizes = [action["add"]["size"] for action in actions if "add" in action]
    removed = [action["remove"]["size"] for action in actions if "remove" in action]
    assert metrics == {"tableSizeAfterRestore": sum(sizes), "numOfFilesAfterRestore": 2, "numRemovedFiles": 1, "numRestoredFiles": 2,
                       "removedFilesSize": sum(removed), "restoredFilesSize": sum(sizes)}
    assert all(action["add"]["dataChange"] and action["add"]["stats"] for action in actions if "add" in action)
    assert all(action["remove"]["dataChange"] for action in actions if "remove" in action)
    assert len(actions) == 4, "the metadata is the same"

    lake.assay("restore", "silver.t", "--version", "2", "--yes")
    assert ids(lake) == [9]
    said = lake.assay("restore", "silver.t", "--version", "4", "--yes").stdout
    assert "nothing to do" in said and "nothing was written" in said
    assert lake.version("silver.t") == 4


def test_by_moment(lake):
    for version, at in enumerate((1772323200, 1772409600, 1772496000)):  # 2026-03-01, -02, -03 00:00 UTC
        os.utime(lake.table("silver.t") / "_delta_log" / f"{version:020}.json", (at, at))
    assert "to version 1 of 2026-03-02 00:00:00" in lake.assay("restore", "silver.t", "--timestamp", "2026-03-02 23:59:59.999").stdout
    assert "to version 0 of" in lake.assay("restore", "silver.t", "--timestamp", "2026-03-02T01:30:00+02:00").stdout
    assert "nothing is kept" in lake.assay("restore", "silver.t", "--timestamp", "2026-02-28", code=3).stderr
    assert "future" in lake.assay("restore", "silver.t", "--timestamp", "2999-01-01", code=2).stderr
    assert "is no moment" in lake.assay("restore", "silver.t", "--timestamp", "yesterday", code=2).stderr
    lake.assay("restore", "silver.t", "--timestamp", "2026-03-02", "--yes")
    assert ids(lake) == [1, 2, 3]
    assert last_commit(lake, "silver.t")[0]["commitInfo"]["operationParameters"] == {"version": None, "timestamp": "2026-03-02"}


def test_times_are_made_to_rise(lake):
    """Files copied without their times, or in another order: a later commit is never earlier (Spark's monotonised times)."""
    for version, at in enumerate((1772409600, 1772323200, 1772409600)):
        os.utime(lake.table("silver.t") / "_delta_log" / f"{version:020}.json", (at, at))
    times = [entry["timestamp"] for entry in lake.assay("history", "silver.t", "--json").json()]
    assert times == ["2026-03-02T00:00:00.002Z", "2026-03-02T00:00:00.001Z", "2026-03-02T00:00:00.000Z"]
    assert "to version 0 of" in lake.assay("restore", "silver.t", "--timestamp", "2026-03-02").stdout
    assert "to version 1 of" in lake.assay("restore", "silver.t", "--timestamp", "2026-03-02 00:00:00.001999").stdout


def test_which_state(lake):
    assert "--version N or --timestamp T" in lake.assay("restore", "silver.t", code=2).stderr
    assert "one of them" in lake.assay("restore", "silver.t", "--version", "1", "--timestamp", "2026-03-01", code=2).stderr
    assert "is no version" in lake.assay("restore", "silver.t", "--version", "-1", code=2).stderr
    assert "the newest is 2" in lake.assay("restore", "silver.t", "--version", "7", code=3).stderr
    assert "did you mean silver.t?" in lake.assay("restore", "silver.s", "--version", "1", code=2).stderr


def test_gone_files_are_named(lake):
    table = deltalake.DeltaTable(lake.table("silver.t"))
    table.load_as_version(1)
    gone = sorted(table.file_uris())
    for path in gone:
        os.unlink(path)
    for options in ([], ["--yes"]):
        said = lake.assay("restore", "silver.t", "--version", "1", *options, code=3)
        for path in gone:
            assert os.path.basename(path) in said.stdout and os.path.basename(path) in said.stderr
        assert "2 of the 2 files" in said.stderr and "VACUUM" in said.stderr
    assert lake.version("silver.t") == 2 and ids(lake) == [9]


def test_append_only(lake):
    table = deltalake.DeltaTable(lake.table("silver.t"))
    table.alter.set_table_properties({"delta.appendOnly": "true"})
    said = lake.assay("restore", "silver.t", "--version", "1", "--yes", code=3).stderr
    assert "append-only" in said and "silver/t version 3" in said
    assert ids(lake) == [9]


def test_columns_and_constraints_come_back(project):
    """A run's table: the rule that was added since goes, the rows of then come back, and runs go on."""
    feed.feed(project, {"b1": {"a.csv": feed.orders(feed.order("A"), feed.order("B"))}})
    project.assay("run")
    project.assay("constraints", "add", feed.TABLE, "small", "amount < 1000")
    project.batch(feed.SOURCE, "b2", {"a.csv": feed.orders(feed.order("C"))})
    project.assay("run")
    assert sorted(row["order_id"] for row in project.rows(feed.TABLE)) == ["A", "B", "C"]
    said = project.assay("restore", feed.TABLE, "--version", "0", "--yes").stdout
    assert "columns, properties or constraints" in said
    assert sorted(row["order_id"] for row in project.rows(feed.TABLE)) == ["A", "B"]
    table = deltalake.DeltaTable(project.table(feed.TABLE))
    assert "delta.constraints.small" not in table.metadata().configuration and table.protocol().min_writer_version == 3
    project.batch(feed.SOURCE, "b3", {"a.csv": feed.orders(feed.order("D"))})
    project.assay("run")
    project.assay("run", feed.TABLE, "--batch", "b2")
    assert sorted(row["order_id"] for row in project.rows(feed.TABLE)) == ["A", "B", "C", "D"]
    feed.check_files(project)


@pytest.mark.parametrize("name", ["restored", "schema-evolution", "deletion-vectors", "partitioned"])
def test_tables_of_spark(project, name):
    """An old version of a table that Spark made, restored, has the rows of that version."""
    table = project.table("silver.t")
    table.parent.mkdir(parents=True)
    shutil.copytree(projects.DATA / "spark-tables" / name / "table", table)
    version = project.version("silver.t") - 1
    project.assay("restore", "silver.t", "--version", version, "--yes")
    then = f"silver.t@v{version}"
    differ = project.assay("query", f"SELECT (SELECT count(*) FROM {then}) n, (SELECT count(*) FROM (FROM silver.t EXCEPT ALL FROM {then})) a, "
                           f"(SELECT count(*) FROM (FROM {then} EXCEPT ALL FROM silver.t)) b", "--format", "ndjson").json()
    assert differ["n"] > 0 and (differ["a"], differ["b"]) == (0, 0)


def live(table, newest):
    """The adds of a version, by path and vector."""
    found = {}
    for version in range(newest + 1):
        lines = [json.loads(line) for line in (table / "_delta_log" / f"{version:020}.json").read_text().splitlines()]
        for kind in ("remove", "add"):
            for action in (line[kind] for line in lines if kind in line):
                found.pop(action["path"], None)
                if kind == "add":
                    found[action["path"]] = action
    return list(found.values())


def test_gone_vectors(project):
    """VACUUM takes a vector that no newer version has and leaves its Parquet file: the rows of then cannot be told any more."""
    table = project.table("silver.t")
    table.parent.mkdir(parents=True)
    shutil.copytree(projects.DATA / "spark-tables" / "deletion-vectors" / "table", table)
    newest = max(int(path.stem) for path in (table / "_delta_log").glob("*.json"))
    rows = json.loads(project.assay("query", f"SELECT count(*) n FROM silver.t@v{newest}", "--format", "ndjson").stdout)
    assert rows["n"] > 0
    # the next version has no rows, so every file of this one is to be brought back
    with (table / "_delta_log" / f"{newest + 1:020}.json").open("w") as log:
        for line in live(table, newest):
            log.write(json.dumps({"remove": {"path": line["path"], "dataChange": True, "deletionTimestamp": 1,
                                             **({"deletionVector": line["deletionVector"]} if "deletionVector" in line else {})}}) + "\n")
    assert any("deletionVector" in line for line in live(table, newest))
    kept = shutil.copytree(table, project.root / "kept")
    for path in table.glob("deletion_vector_*.bin"):
        path.unlink()
    for options in ([], ["--yes"]):
        said = project.assay("restore", "silver.t", "--version", newest, *options, code=None)
        assert said.code != 0 and "deletion vector is gone" in said.stderr, said.stderr
    assert not (table / "_delta_log" / f"{newest + 2:020}.json").exists()
    for path in kept.glob("deletion_vector_*.bin"):
        shutil.copy(path, table)
    project.assay("restore", "silver.t", "--version", newest, "--yes")
    assert json.loads(project.assay("query", "SELECT count(*) n FROM silver.t", "--format", "ndjson").stdout) == rows
