"""assay merges into tables that Spark made, each with a feature of its own; Spark and delta-rs read what came of it and agree with
the rows that are worked out here, and Spark goes on writing, and assay after it."""
import datetime
import decimal
import json
import shutil

import deltalake
import pytest

import peers
import project as projects

DATA = projects.DATA / "write-any"  # make_tables.py says what is in the tables
HEADER = "id,part,n,amount,day,ok,at\n"
ODD = "x y/z:\u00e9%41=[1]'{}"
VARIANTS = sorted(p.name for p in (DATA / "tables").iterdir())


@pytest.fixture(scope="module")
def lake(assay, tmp_path_factory):
    """A project with all the tables, and a delivery for each."""
    made = projects.Project(tmp_path_factory.mktemp("write-any") / "project", assay)
    text = (DATA / "things.odcs.yaml").read_text()
    for name in VARIANTS:
        made.contract(text.replace("things", name))
        made.batch(f"erp/{name}", "b1", {"f.csv": HEADER + delivery(1)})
        shutil.copytree(DATA / "tables" / name, made.table(f"silver.{name}"))
    return made


def delivery(batch):
    """b1 updates a1, brings an older a2 and new rows of other partitions, b2 updates two of them and moves one."""
    if batch == 1:
        return ("a1,p1,11,11.50,2026-03-01,true,2026-03-01T08:05:00Z\na2,p1,99,9.00,2026-03-01,false,2026-02-01T00:00:00Z\n"
                f"n1,{ODD},3,0.01,1600-01-01,false,2026-03-01T08:00:00.123456Z\nn2,,4,,,,2026-03-01T08:00:00Z\n")
    return f"n1,p2,33,0.10,2026-03-02,true,2026-03-01T09:00:00Z\ns1,p1,55,5.50,2026-03-05,,2026-03-01T09:00:00Z\n"


def row(key, part, n, amount, day, ok, at, batch):
    return {"id": key, "part": part, "n": n, "amount": amount and decimal.Decimal(amount), "day": day and datetime.date.fromisoformat(day),
            "ok": ok, "at": datetime.datetime.fromisoformat(at), "_batch_id": batch}


SEED = [("a1", "p1", 1, "1.00", "2026-03-01", True, "2026-03-01 08:00:00+00:00", "seed"),
        ("a2", "p1", 2, "2.00", "2026-03-01", False, "2026-03-01 08:00:00+00:00", "seed"),
        ("a3", "p2", 3, "3.00", "2026-03-02", None, "2026-03-01 08:00:00+00:00", "seed")]
AFTER_1 = [("a1", "p1", 11, "11.50", "2026-03-01", True, "2026-03-01 08:05:00+00:00", "b1"), SEED[1], SEED[2],
           ("n1", ODD, 3, "0.01", "1600-01-01", False, "2026-03-01 08:00:00.123456+00:00", "b1"),
           ("n2", None, 4, None, None, None, "2026-03-01 08:00:00+00:00", "b1")]
SPARK_ROW = ("s1", "p1", 5, "5.00", "2026-03-05", "true", "2026-03-01 08:00:00", "spark")
AFTER_2 = [AFTER_1[0], ("n1", "p2", 33, "0.10", "2026-03-02", True, "2026-03-01 09:00:00+00:00", "b2"), AFTER_1[4],
           ("s1", "p1", 55, "5.50", "2026-03-05", None, "2026-03-01 09:00:00+00:00", "b2")]


NAMES = ("id", "part", "n", "amount", "day", "ok", "at", "_batch_id")
RENAMED = ("mapped_name", "mapped_id")  # `ok` is a new column: NULL until a merge gives it a value
WITHOUT_A3 = ("mapped_name", "vectors")
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


def seen(rows, names=NAMES):
    """Columns of rows as a reader gives them, in order, as texts."""
    return sorted(json.dumps([row[name] for name in names]) for row in rows)


def expected(rows, variant):
    dicts = [row(*values) for values in rows if variant not in WITHOUT_A3 or values[0] != "a3"]
    for r in dicts:
        r["day"] = r["day"] and (r["day"] - EPOCH.date()).days
        r["at"] = (r["at"] - EPOCH) // datetime.timedelta(microseconds=1)
        if variant in RENAMED and r["_batch_id"] == "seed":
            r["ok"] = None
    return seen(peers.in_order(dicts, ["day"], ["at"]))


def check_readers(spark, path, rows, variant):
    assert seen(peers.read_spark(spark, path)) == expected(rows, variant)
    if variant not in RENAMED + ("vectors",):  # what delta-rs does not read
        assert seen(peers.read_deltars(path)) == expected(rows, variant)


def changes(spark, path, version):
    reader = spark.read.format("delta").option("readChangeFeed", "true").option("startingVersion", version)
    return sorted((r["_change_type"], r["id"], r["n"]) for r in reader.option("endingVersion", version).load(str(path)).collect())


def run(project, variant, batch):
    return project.assay("run", f"silver.{variant}", "--batch", batch, "--json").json()["runs"][0]


def check_more(spark, path, variant):
    """What only one of the tables has."""
    rows = {r["id"]: r for r in spark.read.format("delta").load(str(path)).collect()}
    if variant in ("part_types", "mapped_name"):
        version = deltalake.DeltaTable(path).version() if variant == "part_types" else max(
            int(p.stem) for p in (path / "_delta_log").glob("*.json"))
        assert changes(spark, path, version) == [("insert", "n1", 3), ("insert", "n2", 4), ("update_postimage", "a1", 11),
                                                 ("update_preimage", "a1", 1)]
    if variant == "mapped_name":
        assert rows["a1"]["s_new"].asDict(True) == {"a2": 1, "l": [{"b": "B"}]} and rows["n1"]["s_new"] is None
        assert rows["a1"]["m"]["k"]["c"] == 7 and rows["a2"]["ok2"] is False and rows["a1"]["ok2"] is True
    if variant == "rules":
        assert [rows["n1"][name] for name in ("note", "score", "c", "v", "w")] == ["none", decimal.Decimal("1.500"), None, None, 7]
        assert [rows["a1"][name] for name in ("note", "score", "c", "v", "w")] == ["seen", decimal.Decimal("1.500"), "ab  ", "xyz", 7]
    if variant == "clustered":
        assert rows["a1"]["local"] == datetime.datetime(2026, 3, 1, 12, 0, 0, 500000) and rows["n1"]["local"] is None
        assert spark.sql(f"DESCRIBE DETAIL delta.`{path}`").collect()[0]["clusteringColumns"] == ["n"]


@pytest.mark.parametrize("variant", VARIANTS)
def test_merge_into_what_spark_made(lake, spark, variant):
    path = lake.table(f"silver.{variant}")
    report = run(lake, variant, "b1")
    assert (report["inserted"], report["updated"], report["superseded"]) == (2, 1, 1), report
    # Spark 3.5 reads a table with column defaults, its own too, by path only after it has read it by SQL
    spark.sql(f"SELECT * FROM delta.`{path}`").collect()
    check_readers(spark, path, AFTER_1, variant)
    check_more(spark, path, variant)

    values = ", ".join("NULL" if v is None else repr(v) for v in SPARK_ROW)
    names = ", ".join(NAMES)
    spark.sql(f"INSERT INTO delta.`{path}` ({names}) SELECT s1.* FROM VALUES ({values}) s1({names})")
    spark.sql(f"DELETE FROM delta.`{path}` WHERE id IN ('a2', 'a3')")
    lake.batch(f"erp/{variant}", "b2", {"f.csv": HEADER + delivery(2)})
    report = run(lake, variant, "b2")
    assert (report["inserted"], report["updated"]) == (0, 2), report
    check_readers(spark, path, AFTER_2, variant)
