"""Checkpoints that assay writes, alone: the commits before them are taken away, so whoever reads the table reads the checkpoint."""
import feed
import peers
import project as projects
import pytest


@pytest.fixture(scope="module")
def table(assay, tmp_path_factory):
    """silver.orders of a few versions, its checkpoint, and no commit but the last; with the rows as they were before."""
    project = projects.Project(tmp_path_factory.mktemp("checkpoints") / "p", assay)
    for n in range(3):
        feed.feed(project, {f"b{n}": {"a.csv": feed.orders(*(feed.order(f"A{i}", n) for i in range(5)), feed.order(f"N{n}"))}})
        project.assay("run", feed.TABLE)
    folder = project.table(feed.TABLE)
    rows = peers.read_deltars(str(folder))
    project.assay("checkpoint", feed.TABLE)
    commits = sorted((folder / "_delta_log").glob("[0-9]*.json"))
    for path in commits[:-1]:
        path.unlink()
    return project, folder, rows


def test_deltars_and_duckdb_read_it(table):
    _, folder, rows = table
    assert len(rows) == 8
    assert peers.read_deltars(str(folder)) == rows
    assert peers.read_duckdb(str(folder)) == rows


def test_spark_reads_it_and_goes_on(table, spark):
    project, folder, rows = table
    assert peers.read_spark(spark, folder) == rows
    spark.sql(f"DELETE FROM delta.`{folder}` WHERE order_id = 'N0'")
    left = [row for row in rows if row["order_id"] != "N0"]
    assert peers.read_spark(spark, folder) == left
    project.assay("checkpoint", feed.TABLE)
    newest = sorted((folder / "_delta_log").glob("[0-9]*.json"))[-1]
    for path in (folder / "_delta_log").glob("[0-9]*.json"):
        if path != newest:
            path.unlink()
    spark.catalog.clearCache()
    assert peers.read_deltars(str(folder)) == left
