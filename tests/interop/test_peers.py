"""Spark, delta-rs and DuckDB read what assay wrote and agree on every value; Spark and delta-rs write to it, under its
constraints, and assay carries on."""
import datetime

import deltalake
import pyarrow
import pytest

import peers
import project as projects

TABLES = ("bronze.erp_orders_raw", "silver.orders", "quarantine.orders")


@pytest.fixture(scope="module")
def job(assay, tmp_path_factory):
    """The small job with batches b1 and b2 run; every test takes the tables as it finds them."""
    job = projects.Project(tmp_path_factory.mktemp("interop") / "project", assay)
    job.name = job.small_job()
    for batch in ("b1", "b2"):
        job.assay("run", job.name, "--batch", batch)
    return job


def good_row(order_id):
    """A row of silver.orders that keeps all its rules, as an Arrow table of the silver schema's types."""
    at = datetime.datetime(2026, 11, 20, 8, 0, tzinfo=datetime.timezone.utc)
    values = {
        "order_id": order_id,
        "customer_id": "C0001",
        "order_date": datetime.date(2026, 11, 20),
        "amount": "10.50",
        "quantity": 2,
        "status": "paid",
        "updated_at": at,
        "_source_file": "elsewhere",
        "_batch_id": "other",
        "_loaded_at": at,
    }
    types = {"order_date": pyarrow.date32(), "amount": pyarrow.decimal128(18, 2), "quantity": pyarrow.int32()}
    times = {n: pyarrow.timestamp("us", "UTC") for n in ("updated_at", "_loaded_at")}
    arrays = {n: pyarrow.array([v]).cast({**types, **times}.get(n, pyarrow.string())) for n, v in values.items()}
    return pyarrow.table(arrays)


def count(job):
    return len(peers.read_deltars(job.table("silver.orders")))


@pytest.mark.parametrize("table", TABLES)
def test_readers_agree(job, spark, table):
    rows = peers.read_deltars(job.table(table))
    assert rows
    assert peers.read_spark(spark, job.table(table)) == rows
    assert peers.read_duckdb(job.table(table)) == rows


def test_deltars_appends_under_the_constraints(job):
    path, before = job.table("silver.orders"), count(job)
    deltalake.write_deltalake(path, good_row("R000001"), mode="append")
    assert count(job) == before + 1

    bad = good_row("R000002").to_pydict() | {"quantity": [0]}
    with pytest.raises(Exception, match="(?i)constraint|invariant|check"):
        deltalake.write_deltalake(path, pyarrow.table(bad, schema=good_row("R000002").schema), mode="append")
    assert count(job) == before + 1


def test_spark_appends_under_the_constraints(job, spark):
    path, before = job.table("silver.orders"), count(job)
    columns = good_row("S000001").column_names

    def insert(order_id, **changes):
        spark.read.format("delta").load(str(path)).limit(1).createOrReplaceTempView("one")
        changed = {"order_id": f"'{order_id}'", "_batch_id": "'other'", **changes}
        select = ", ".join(f"{changed[n]} AS {n}" if n in changed else n for n in columns)
        spark.sql(f"INSERT INTO delta.`{path}` SELECT {select} FROM one")

    insert("S000001", quantity=2)
    assert count(job) == before + 1
    with pytest.raises(Exception, match="(?i)DELTA_VIOLATE_CONSTRAINT|CHECK constraint"):
        insert("S000002", quantity=0)
    with pytest.raises(Exception, match="(?i)DELTA_NOT_NULL|NOT NULL|not_null"):
        insert("S000003", order_date="CAST(NULL AS DATE)")
    assert count(job) == before + 1


def test_assay_carries_on_after_their_commits(job, spark):
    path, before = job.table("silver.orders"), count(job)
    deltalake.write_deltalake(path, good_row("R000009"), mode="append")
    spark.sql(f"DELETE FROM delta.`{path}` WHERE order_id = 'R000009'")
    job.assay("run", job.name, "--batch", "b3")
    rows = peers.read_deltars(path)
    assert len(rows) == before + 1871
    assert peers.read_spark(spark, path) == rows
    assert peers.read_duckdb(path) == rows
