"""What another engine does to a table of assay's, times what assay does next: Spark and delta-rs by every action, assay by run,
constraints, restore, query and checkpoint, each pair on its own copy of the lake. Rows are worked out here from the orders that
were delivered; Spark, delta-rs and assay's query must all give them, and the same content in every column."""
import decimal
import hashlib
import json
import shutil

import deltalake
import pyarrow
import pytest

import feed
import peers
import project as projects

BASE = 1  # version after the two batches
FIRST = {f"A{n}": ("10.00", "new") for n in range(1, 7)}
SECOND = FIRST | {"A5": ("25.00", "paid"), "A6": ("26.00", "paid"), "N1": ("11.00", "new"), "N2": ("12.00", "new")}
ENGINES = ("spark", "deltars")
ACTIONS = ("read", "append", "merge", "optimize", "vacuum", "restore", "constraint", "delete", "update")
PAIRS = [(engine, action) for engine in ENGINES for action in ACTIONS] + [("spark", "vectors"), ("spark", "checkpoint")]

# VACUUM deletes at once; small data wants few tasks (VACUUM lists with thousands)
SETTINGS = {"spark.databricks.delta.retentionDurationCheck.enabled": "false", "spark.sql.shuffle.partitions": "1",
            "spark.sql.sources.parallelPartitionDiscovery.parallelism": "2"}


def line(key, minute, amount, status):
    return feed.order(key, minute, amount, status)


@pytest.fixture(scope="module")
def base(assay, tmp_path_factory):
    """silver.orders, version 0: A1 to A6; version 1: A5 and A6 newer, N1 and N2 new. And the batch b3, not yet loaded."""
    base = projects.Project(tmp_path_factory.mktemp("matrix") / "base", assay)
    first = [line(key, 0, *row) for key, row in FIRST.items()]
    second = [line(key, 10, *SECOND[key]) for key in ("A5", "A6", "N1", "N2")]
    third = [line("A1", 30, "77.00", "paid"), line("M1", 30, "78.00", "paid"), line("N3", 30, "13.00", "new")]
    feed.feed(base, {"b1": {"a.csv": feed.orders(*first)}, "b2": {"a.csv": feed.orders(*second)}, "b3": {"a.csv": feed.orders(*third)}})
    for batch in ("b1", "b2"):
        base.assay("run", feed.TABLE, "--batch", batch)
    assert base.version(feed.TABLE) == BASE
    return base


def copy(base, folder):
    shutil.copytree(base.root, folder)
    made = projects.Project.__new__(projects.Project)
    made.root, made.program, made.lake = folder, base.program, folder / "lake"
    return made


def spark_action(spark, path, action):
    """Returns the rows the table should have afterwards."""
    table = f"delta.`{path}`"
    columns = spark.read.format("delta").load(str(path)).columns

    def m1(source):
        new = {"order_id": "'M1'", "amount": "CAST(50 AS DECIMAL(18,2))", "status": "'paid'"}
        return f"SELECT {', '.join(f'{new[c]} AS {c}' if c in new else c for c in columns)} FROM {source} WHERE order_id = 'A1'"

    if action == "read":
        assert len(spark.sql(f"SELECT * FROM {table}").collect()) == len(SECOND)
        return SECOND
    if action == "append":
        spark.sql(f"INSERT INTO {table} {m1(table)}")
        return SECOND | {"M1": ("50.00", "paid")}
    if action == "merge":
        spark.sql(f"MERGE INTO {table} t USING ({m1(table)} UNION ALL SELECT * FROM {table} WHERE order_id IN ('A2', 'N1')) s "
                  "ON t.order_id = s.order_id WHEN MATCHED AND t.order_id = 'N1' THEN DELETE "
                  "WHEN MATCHED THEN UPDATE SET status = 'paid' WHEN NOT MATCHED THEN INSERT *")
        return {k: v for k, v in SECOND.items() if k != "N1"} | {"M1": ("50.00", "paid"), "A2": ("10.00", "paid")}
    if action == "optimize":
        spark.sql(f"OPTIMIZE {table} ZORDER BY (order_id)")
        return SECOND
    if action == "vacuum":
        spark.sql(f"VACUUM {table} RETAIN 0 HOURS")
        return SECOND
    if action == "restore":
        spark.sql(f"RESTORE {table} TO VERSION AS OF 0")
        return FIRST
    if action == "constraint":
        spark.sql(f"ALTER TABLE {table} ADD CONSTRAINT below CHECK (amount < 1000 AND status IS NOT NULL)")
        return SECOND
    if action == "vectors":
        spark.sql(f"ALTER TABLE {table} SET TBLPROPERTIES (delta.enableDeletionVectors = true)")
    if action == "checkpoint":
        spark._jvm.io.delta.tables.DeltaTable.forPath(spark._jsparkSession, str(path)).deltaLog().checkpoint()
        return SECOND
    if action == "update":
        spark.sql(f"UPDATE {table} SET status = 'paid', amount = amount + 1 WHERE order_id IN ('A2', 'N2')")
        return SECOND | {"A2": ("11.00", "paid"), "N2": ("13.00", "paid")}
    spark.sql(f"DELETE FROM {table} WHERE order_id IN ('A2', 'N1')")
    return {k: v for k, v in SECOND.items() if k not in ("A2", "N1")}


def deltars_action(_, path, action):
    table = deltalake.DeltaTable(path)
    rows = table.to_pyarrow_table()
    one = rows.filter(pyarrow.compute.equal(rows["order_id"], "A1"))
    new = {"order_id": ["M1"], "amount": [decimal.Decimal("50.00")], "status": ["paid"]}
    for name, value in new.items():
        at = one.column_names.index(name)
        one = one.set_column(at, one.schema.field(name), pyarrow.array(value, one.schema.field(name).type))
    if action == "read":
        assert rows.num_rows == len(SECOND)
        return SECOND
    if action == "append":
        deltalake.write_deltalake(table, one, mode="append")
        return SECOND | {"M1": ("50.00", "paid")}
    if action == "merge":
        two = rows.filter(pyarrow.compute.is_in(rows["order_id"], pyarrow.array(["A2", "N1"])))
        merge = table.merge(pyarrow.concat_tables([one, two]), "t.order_id = s.order_id", "s", "t")
        merge = merge.when_matched_delete("t.order_id = 'N1'").when_matched_update({"status": "'paid'"})
        merge.when_not_matched_insert_all().execute()
        return {k: v for k, v in SECOND.items() if k != "N1"} | {"M1": ("50.00", "paid"), "A2": ("10.00", "paid")}
    if action == "optimize":
        table.optimize.z_order(["order_id"])
    if action == "vacuum":
        table.vacuum(retention_hours=0, dry_run=False, enforce_retention_duration=False)
    if action == "restore":
        table.restore(0)
        return FIRST
    if action == "constraint":
        table.alter.add_constraint({"below": "amount < 1000 AND status IS NOT NULL"})
    if action == "update":
        table.update(predicate="order_id IN ('A2', 'N2')", updates={"status": "'paid'", "amount": "amount + 1"})
        return SECOND | {"A2": ("11.00", "paid"), "N2": ("13.00", "paid")}
    if action == "delete":
        table.delete("order_id IN ('A2', 'N1')")
        return {k: v for k, v in SECOND.items() if k not in ("A2", "N1")}
    return SECOND


@pytest.fixture(scope="module", params=PAIRS, ids=lambda pair: "-".join(pair))
def done(request, base, spark, tmp_path_factory):
    """The lake after an engine's action, and the rows that are in the table then."""
    engine, action = request.param
    for name, value in SETTINGS.items():
        spark.conf.set(name, value)
    made = copy(base, tmp_path_factory.mktemp("done") / "p")
    rows = {"spark": spark_action, "deltars": deltars_action}[engine](spark, made.table(feed.TABLE), action)
    check(made, spark, rows, action)
    return made, rows, action


def content(rows):
    """A hash of what every reader writes the same way, as texts: one for the same rows, whoever read them."""
    columns = [c for c in sorted(rows[0]) if c not in ("order_date", "updated_at", "_loaded_at")]
    texts = sorted(json.dumps([row[c] for c in columns]) for row in rows)
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()


def check(lake, spark, rows, action):
    """Spark, delta-rs and assay read `rows`, and the same of every column."""
    path = lake.table(feed.TABLE)
    seen = peers.read_spark(spark, path)
    key = {row["order_id"]: (f"{decimal.Decimal(row['amount']):.2f}", row["status"]) for row in seen}
    assert key == rows and len(seen) == len(rows)
    if action != "vectors":  # delta-rs does not read them
        assert peers.read_deltars(str(path)) == seen
    sql = f"SELECT * REPLACE (CAST(amount AS VARCHAR) AS amount) FROM {feed.TABLE}"
    ours = [json.loads(text) for text in lake.assay("query", sql, "--format", "ndjson").stdout.splitlines()]
    for row in ours:
        row["amount"] = peers.encode(decimal.Decimal(row["amount"]))
    assert len(ours) == len(seen) and content(ours) == content(seen)


def test_assay_goes_on(done, spark, tmp_path):
    """Every next action, each on its own copy."""
    made, rows, action = done
    for following in (next_run, next_constraints, next_restore, next_query, next_checkpoint):
        lake = copy(made, tmp_path / following.__name__)
        expected = following(lake, rows, action)
        if following is not next_query:  # which changes nothing that Spark has not read already
            check(lake, spark, expected, action)


def next_run(lake, rows, action):
    report = lake.assay("run", feed.TABLE, "--batch", "b3", "--json").json()["runs"][0]
    # a row of another engine has A1's time, so b3 is newer than every row
    assert (report["inserted"], report["updated"]) == ((1, 2) if "M1" in rows else (2, 1)), report
    again = lake.assay("run", feed.TABLE, "--batch", "b3", "--json").json()["runs"]
    assert not any(run.get("inserted") or run.get("updated") for run in again)
    return rows | {"A1": ("77.00", "paid"), "M1": ("78.00", "paid"), "N3": ("13.00", "new")}


def next_constraints(lake, rows, action):
    said = lake.assay("constraints", "add", feed.TABLE, "small", "amount < 20", code=None)
    assert (said.code == 0) == all(decimal.Decimal(amount) < 20 for amount, _ in rows.values())
    lake.assay("constraints", "add", feed.TABLE, "low", "amount < 500")
    names = lake.assay("constraints", "show", feed.TABLE).stdout
    assert "low" in names and ("below" in names) == (action == "constraint")
    lake.assay("constraints", "drop", feed.TABLE, "low")
    return rows


def next_restore(lake, rows, action):
    done = lake.assay("restore", feed.TABLE, "--version", "0", "--yes", code=None)
    if action == "vacuum":  # files of version 0 are gone
        assert done.code != 0 and ".parquet" in done.stderr
        return rows
    assert done.code == 0, done.stderr
    return FIRST


def next_query(lake, rows, action):
    older = lake.assay("query", f"SELECT count(*) n FROM {feed.TABLE}@v{BASE}", "--format", "csv").stdout
    assert older.splitlines() == ["n", str(len(SECOND))]
    return rows


def next_checkpoint(lake, rows, action):
    """Every commit before the checkpoint is taken away: who reads the table afterwards reads the checkpoint."""
    lake.assay("checkpoint", feed.TABLE)
    for commit in sorted((lake.table(feed.TABLE) / "_delta_log").glob("[0-9]*.json"))[:-1]:
        commit.unlink()
    return rows
