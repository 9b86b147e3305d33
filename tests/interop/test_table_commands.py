"""What assay's commands do to a table, Spark understands, and says the same of it: constraints, restore, detail, history."""
import json
import shutil

import pytest

import feed
import peers
import project as projects


@pytest.fixture(scope="module")
def lake(assay, tmp_path_factory):
    """silver.orders with versions 0 (A, B), 1 (A, B, C and a newer B) and 2 (a constraint of assay's)."""
    lake = projects.Project(tmp_path_factory.mktemp("commands") / "project", assay)
    feed.feed(lake, {"b1": {"a.csv": feed.orders(feed.order("A"), feed.order("B"))}})
    lake.assay("run")
    lake.batch(feed.SOURCE, "b2", {"a.csv": feed.orders(feed.order("B", minute=1, amount="20.00"), feed.order("C"))})
    lake.assay("run")
    lake.assay("constraints", "add", feed.TABLE, "below_100", "amount < 100")
    return lake


def test_spark_says_the_same_of_a_table(lake, spark):
    path = lake.table(feed.TABLE)
    [theirs] = [row.asDict() for row in spark.sql(f"DESCRIBE DETAIL delta.`{path}`").collect()]
    ours = lake.assay("detail", feed.TABLE, "--json").json()
    for name in ("format", "id", "description", "partitionColumns", "clusteringColumns", "numFiles", "sizeInBytes", "properties",
                 "minReaderVersion", "minWriterVersion"):
        assert ours[name] == theirs[name], name
    assert ours["tableFeatures"] == sorted(theirs["tableFeatures"]) and theirs["location"].endswith(ours["location"])
    for name in ("createdAt", "lastModified"):
        assert ours[name] == theirs[name].strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z", name

    theirs = [row.asDict() for row in spark.sql(f"DESCRIBE HISTORY delta.`{path}`").collect()]
    ours = lake.assay("history", feed.TABLE, "--json").json()
    assert [entry["version"] for entry in ours] == [2, 1, 0]
    for mine, other in zip(ours, theirs, strict=True):
        for name in ("version", "operation", "operationMetrics", "readVersion", "isolationLevel", "isBlindAppend", "userMetadata"):
            assert (mine[name] or None) == (other[name] or None), name
        assert mine["timestamp"] == other["timestamp"].strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"
        assert set(mine["operationParameters"]) == set(other["operationParameters"])


def test_spark_keeps_a_constraint_that_assay_added(lake, spark):
    path = lake.table(feed.TABLE)
    columns = "order_id, customer_id, order_date, amount * 9 AS amount, quantity, status, updated_at, _source_file, _batch_id, _loaded_at"
    with pytest.raises(Exception, match="(?s)DELTA_VIOLATE_CONSTRAINT.*below_100"):
        spark.sql(f"INSERT INTO delta.`{path}` SELECT {columns} FROM delta.`{path}`")


def test_both_restore_the_same(lake, spark, tmp_path):
    """The same table, restored by Spark and by assay: rows, properties and the log's actions."""
    ours, theirs = lake.table("silver.ours"), tmp_path / "theirs"
    shutil.copytree(lake.table(feed.TABLE), ours)
    shutil.copytree(lake.table(feed.TABLE), theirs)
    lake.assay("restore", "silver.ours", "--version", "0", "--yes")
    spark.sql(f"RESTORE delta.`{theirs}` TO VERSION AS OF 0")
    rows = peers.read_deltars(ours)
    assert sorted(row["order_id"] for row in rows) == ["A", "B"] and rows == peers.read_deltars(theirs)

    def commit(path):
        lines = [json.loads(line) for line in (path / "_delta_log" / f"{3:020}.json").read_text().splitlines()]
        actions = {kind: [line[kind] for line in lines if kind in line] for kind in ("commitInfo", "metaData", "add", "remove")}
        [info] = actions["commitInfo"]
        return (info["operation"], info["operationParameters"], info["operationMetrics"], info["isBlindAppend"], actions["metaData"],
                sorted((add["path"], add["size"], add["dataChange"], add["stats"]) for add in actions["add"]),
                sorted((remove["path"], remove["dataChange"], remove["size"]) for remove in actions["remove"]))

    assert commit(ours) == commit(theirs)
    lake.assay("restore", "silver.ours", "--version", "2", "--yes")
    assert peers.read_spark(spark, ours) == peers.read_deltars(lake.table(feed.TABLE)), "and back again"
