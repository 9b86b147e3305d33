"""history and detail: against what Spark said of its own tables (expected.json), and what the log holds."""
import json
import os
import shutil

import deltalake
import pyarrow
import pytest

import feed
import project as projects

SPARK_TABLES = projects.DATA / "spark-tables"
TABLES = sorted(path.name for path in SPARK_TABLES.iterdir() if (path / "expected.json").exists())


def take(project, name):
    project.table("silver.t").parent.mkdir(parents=True, exist_ok=True)
    shutil.copytree(SPARK_TABLES / name / "table", project.table("silver.t"))
    return json.loads((SPARK_TABLES / name / "expected.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", TABLES)
def test_agrees_with_spark(project, name):
    expected = take(project, name)
    history = project.assay("history", "silver.t", "--json", "--limit", "0").json()
    assert [(e["version"], e["operation"]) for e in history[::-1]] == [(e["version"], e["operation"]) for e in expected["history"]]
    detail = project.assay("detail", "silver.t", "--json").json()
    assert detail["numFiles"] == expected["numFiles"] and detail["version"] == expected["version"]
    assert detail["properties"] == expected["properties"]
    assert detail["partitionColumns"] == expected["partitionColumns"] and detail["clusteringColumns"] == expected["clusteringColumns"]
    protocol = expected["protocol"]
    assert (detail["minReaderVersion"], detail["minWriterVersion"]) == (protocol["minReaderVersion"], protocol["minWriterVersion"])
    assert detail["tableFeatures"] == sorted(protocol["tableFeatures"])
    assert detail["numRows"] in (expected["numRows"], None)
    if name == "deletion-vectors":
        assert detail["numDeletionVectors"] > 0 and detail["numRows"] == expected["numRows"]


def test_history_of_runs(project):
    feed.feed(project, {"b1": {"a.csv": feed.orders(feed.order("A"), feed.order("B"))}})
    project.assay("run")
    project.batch(feed.SOURCE, "b2", {"a.csv": feed.orders(feed.order("B", minute=1), feed.order("C"))})
    project.assay("run")
    newest, oldest = project.assay("history", "SILVER.orders").stdout.splitlines()[2:]
    assert newest.split()[0] == "1" and "1 inserted, 1 updated" in newest and " b2 " in newest and " silver-orders 1.0.0 " in newest
    assert oldest.split()[0] == "0" and "2 inserted" in oldest and " b1 " in oldest
    assert len(project.assay("history", "silver.orders", "--limit", "1").stdout.splitlines()) == 3
    [entry] = project.assay("history", "silver.orders", "--limit", "1", "--format", "json").json()
    assert json.loads(entry["userMetadata"])["batch_id"] == "b2"
    assert entry["readVersion"] == 0 and entry["isBlindAppend"] is False and entry["operationMetrics"]["numTargetRowsUpdated"] == "1"
    own = deltalake.DeltaTable(project.table("silver.orders")).history()
    assert [e["operation"] for e in own] == ["MERGE", "MERGE"]


def test_history_of_a_table_that_cannot_be_read(project):
    deltalake.write_deltalake(project.table("silver.t"), pyarrow.table({"id": [1]}))
    first = project.table("silver.t") / "_delta_log" / f"{0:020}.json"
    text = first.read_text().replace('"minReaderVersion":1,"minWriterVersion":2',
                                     '"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["hexagons"],"writerFeatures":["hexagons"]')
    first.write_text(text)
    os.utime(first, (1772323200, 1772323200))
    said = project.assay("detail", "silver.t", code=3).stderr
    assert "hexagons" in said and "Tables/silver/t" in said
    assert "hexagons" in project.assay("query", "FROM silver.t", code=3).stderr
    [entry] = project.assay("history", "silver.t", "--json").json()
    assert (entry["version"], entry["timestamp"], entry["operation"]) == (0, "2026-03-01T00:00:00.000Z", "WRITE")


def test_commits_that_say_little(project):
    """commitInfo is free: absent, or with things of any kind."""
    deltalake.write_deltalake(project.table("silver.t"), pyarrow.table({"id": [1]}))
    log = project.table("silver.t") / "_delta_log"
    lines = [json.loads(line) for line in (log / f"{0:020}.json").read_text().splitlines()]
    bare = [line for line in lines if "commitInfo" not in line]
    (log / f"{0:020}.json").write_text("".join(json.dumps(line) + "\n" for line in bare))
    odd = {"commitInfo": {"timestamp": "soon", "operation": 7, "operationParameters": [1], "readVersion": "x", "userMetadata": {"a": 1},
                          "operationMetrics": {"numOutputRows": "\x1b[31m"}}}
    (log / f"{1:020}.json").write_text(json.dumps(odd) + "\n")
    said = project.assay("history", "silver.t").stdout
    assert "\x1b" not in said and len(said.splitlines()) == 4
    newest, oldest = project.assay("history", "silver.t", "--json").json()
    assert newest["operationParameters"] == [1] and newest["userMetadata"] == '{"a":1}' and newest["readVersion"] is None
    assert oldest["operation"] is None and oldest["timestamp"].endswith("Z")


def test_in_commit_timestamps(project):
    take(project, "in-commit-timestamps")
    log = project.table("silver.t") / "_delta_log"
    written = {}
    for path in sorted(log.glob("*.json")):
        os.utime(path, (1, 1))
        written[int(path.stem)] = json.loads(path.read_text().splitlines()[0])["commitInfo"].get("inCommitTimestamp")
    history = {e["version"]: e["timestamp"] for e in project.assay("history", "silver.t", "--json").json()}
    newest = max(written)
    assert written[newest] and written[newest - 1], "the table has them"
    for version in (newest, newest - 1):
        assert projects_time(written[version]) == history[version]
    said = project.assay("restore", "silver.t", "--timestamp", history[newest - 1]).stdout
    assert f"to version {newest - 1} of" in said


def projects_time(milliseconds):
    import datetime

    at = datetime.datetime.fromtimestamp(milliseconds // 1000, datetime.timezone.utc)
    return at.strftime("%Y-%m-%dT%H:%M:%S") + f".{milliseconds % 1000:03}Z"


def test_detail_counts(project):
    """25 MB is the border of a small file; rows and bytes are those of the log."""
    for ids in ([1, 2], [3]):
        deltalake.write_deltalake(project.table("silver.t"), pyarrow.table({"id": pyarrow.array(ids, pyarrow.int64())}), mode="append",
                                  description="Numbers.")
    first = project.table("silver.t") / "_delta_log" / f"{0:020}.json"
    lines = [json.loads(line) for line in first.read_text().splitlines()]
    [size] = [line["add"]["size"] for line in lines if "add" in line]
    for line in lines:
        if "add" in line:
            line["add"]["size"] = 25_000_000
    first.write_text("".join(json.dumps(line) + "\n" for line in lines))
    detail = project.assay("detail", "silver.t", "--json").json()
    assert detail["numFiles"] == 2 and detail["numRows"] == 3 and detail["numSmallFiles"] == 1 and detail["checkpointVersion"] is None
    assert detail["sizeInBytes"] == 25_000_000 + detail["smallFilesSizeInBytes"] and abs(detail["smallFilesSizeInBytes"] - size) < 200
    table = deltalake.DeltaTable(project.table("silver.t"))
    assert detail["id"] == str(table.metadata().id) and detail["description"] == "Numbers." and detail["onlyReadBecause"] is None
    assert detail["location"] == str(project.table("silver.t"))
    table.create_checkpoint()
    detail = project.assay("detail", "silver.t", "--format", "json").json()
    assert detail["checkpointVersion"] == 1 and detail["checkpointTime"].startswith("20")
    text = project.assay("detail", "silver.t").stdout
    assert "1 small (below 25 MB)" in text and "version 1, " in text and "0 commits after it" in text
