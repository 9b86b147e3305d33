"""query: SQL over the lake's tables, at any version, in every format, and nothing else. Expected values are counted here, or read by
delta-rs."""
import csv
import datetime
import decimal
import io
import json
import os
import shutil
import signal
import subprocess
import time

import deltalake
import pyarrow
import pyarrow.parquet
import pytest

import project as projects

MARCH = int(datetime.datetime(2026, 3, 1, tzinfo=datetime.timezone.utc).timestamp())


def write(project, name, rows, mode="append", **options):
    deltalake.write_deltalake(project.table(name), pyarrow.table(rows), mode=mode, **options)


def query(project, sql, **options):
    """Rows as ndjson gives them."""
    return [json.loads(line) for line in project.assay("query", sql, "--format", "ndjson", **options).stdout.splitlines()]


@pytest.fixture(scope="module")
def lake(assay, tmp_path_factory):
    """bronze.orders of three versions, a day apart in their files' times: 1 row, 3 rows, 2 other rows; and silver.customers.
    No test changes them."""
    project = projects.Project(tmp_path_factory.mktemp("query") / "project", assay)
    write(project, "bronze.orders", {"id": pyarrow.array([1], pyarrow.int64()), "name": ["ä"]})
    write(project, "bronze.orders", {"id": pyarrow.array([2, 3], pyarrow.int64()), "name": ["b", None]})
    write(project, "bronze.orders", {"id": pyarrow.array([7, 8], pyarrow.int64()), "name": ["x", "y"]}, mode="overwrite")
    write(project, "silver.customers", {"id": pyarrow.array([1, 7], pyarrow.int64()), "city": ["Ulm", "Köln"]})
    for version in range(3):
        at = MARCH + version * 86400
        os.utime(project.table("bronze.orders") / "_delta_log" / f"{version:020}.json", (at, at))
    return project


def ids(project, table):
    return [row["id"] for row in query(project, f"SELECT id FROM {table} ORDER BY id")]


@pytest.mark.parametrize("table, expected", [
    ("bronze.orders", [7, 8]),
    ("BRONZE.Orders", [7, 8]),
    ('"bronze"."orders"', [7, 8]),
    ('"bronze.orders"', [7, 8]),
    ("bronze.orders@v0", [1]),
    ("bronze.orders@V1", [1, 2, 3]),
    ('bronze."orders"@v1', [1, 2, 3]),
    ('bronze."orders@v1"', [1, 2, 3]),
    ('"bronze.orders@v1"', [1, 2, 3]),
    ("bronze.orders@2026-03-01", [1]),
    ("bronze.orders@2026-03-01T23:59:59.999Z", [1]),
    ("bronze.orders@2026-03-02", [1, 2, 3]),
    ("bronze.orders@2026-03-02T00:00", [1, 2, 3]),
    ("bronze.orders@2026-03-02T01:00:00+02:00", [1]),
    ('"bronze.orders@2026-03-02 12:00"', [1, 2, 3]),
    ("bronze.orders@2026-03-03T00:00:00Z", [7, 8]),
    ("bronze.orders@2026-06-01", [7, 8]),
])
def test_states(lake, table, expected):
    assert ids(lake, table) == expected


def test_several_tables_and_states_at_once(lake):
    rows = query(lake, "SELECT o.id, old.name, c.city FROM bronze.orders@v2 o LEFT JOIN bronze.orders@v1 old USING (id) "
                 "JOIN silver.customers c ON c.id = o.id -- bronze.nothing@v9\n /* x@v1 */ WHERE '@v1' <> 'bronze.none@v1'")
    assert rows == [{"id": 7, "name": None, "city": "Köln"}]
    assert query(lake, "WITH a AS (SELECT * FROM bronze.orders@v0), b AS (TABLE a) SELECT count(*) n, (SELECT max(id) FROM "
                 "bronze.orders) m FROM b;") == [{"n": 1, "m": 8}]
    assert query(lake, "SELECT sum(x) s FROM range(4) r(x)") == [{"s": 6}]
    described = query(lake, "DESCRIBE silver.customers")
    assert [(row["column_name"], row["column_type"]) for row in described] == [("id", "BIGINT"), ("city", "VARCHAR")]


@pytest.mark.parametrize("sql, said", [
    ("SELECT * FROM bronze.ordrs", "did you mean bronze.orders?"),
    ("SELECT * FROM orders", "write it as schema.table"),
    ("SELECT * FROM x.bronze.orders", "has two names"),
    ("SELECT nme FROM bronze.orders", "name"),
    ("SELECT * FROM bronze.orders WHERE", "syntax error"),
    ("SELECT * FROM bronze.orders@x7", "after `orders@` comes"),
    ("SELECT * FROM bronze.orders@v", "after `orders@` comes"),
    ("SELECT * FROM bronze.orders@v1x", "after `orders@` comes"),
    ("SELECT * FROM bronze.orders@2026-13-01", "is no moment"),
    ("SELECT * FROM bronze.orders@2999-01-01", "future"),
    ("SELECT * FROM bronze.orders AT (VERSION => 1)", "@v12"),
    ("SELECT CAST(name AS INT) FROM bronze.orders", "Conversion"),
    ("SELECT 1; SELECT 2", "found 2 statements"),
    ("", "empty"), (" ; ", "empty"), ("/* nothing */", "found"),
    ("SELECT 'a' || chr(1) FROM bronze.orders x@v1", "syntax error"),
])
def test_mistakes(lake, sql, said):
    assert said in lake.assay("query", sql, code=2).stderr


def test_states_that_are_not_there(lake):
    assert "no version 9; the newest is 2" in lake.assay("query", "FROM bronze.orders@v9", code=3).stderr
    said = lake.assay("query", "FROM bronze.orders@2026-02-28", code=3).stderr
    assert "the first version in the log is 0, of 2026-03-01 00:00:00" in said


@pytest.mark.parametrize("sql", [
    "COPY (SELECT 1) TO 'out.csv'", "ATTACH 'x.db'", "INSTALL httpfs", "LOAD delta", "SET threads = 1", "PRAGMA version", "RESET threads",
    "CREATE TABLE x AS SELECT 1", "CREATE VIEW bronze.orders AS SELECT 1", "DROP TABLE bronze.orders", "DELETE FROM bronze.orders",
    "INSERT INTO bronze.orders VALUES (1, 'a')", "UPDATE bronze.orders SET id = 0", "EXPORT DATABASE 'x'", "CALL pragma_version()",
    "EXPLAIN SELECT 1", "CHECKPOINT", "USE bronze", "BEGIN",
    "SELECT * FROM read_csv('{root}/secret.csv')", "SELECT * FROM read_text('{root}/secret.csv')", "SELECT * FROM read_blob('secret.csv')",
    "SELECT * FROM '{root}/secret.csv'", 'SELECT * FROM "{root}/secret.csv"', "SELECT * FROM '{lake}/Tables/bronze/orders/*.parquet'",
    "SELECT * FROM read_text('{lake}/Tables/bronze/orders/_delta_log/00000000000000000000.json')", "SELECT * FROM glob('*')",
    "SELECT * FROM parquet_scan('{lake}/x.parquet')", "SELECT * FROM duckdb_settings()", "SELECT * FROM information_schema.tables",
    "SELECT * FROM query('SELECT 1')", "SELECT * FROM query_table('x')", "SELECT * FROM sqlite_master", "SHOW TABLES",
    "SELECT (SELECT max(content) FROM read_text('{root}/secret.csv'))", "WITH a AS (FROM read_csv('{root}/secret.csv')) SELECT 1",
    "SELECT 1 WHERE EXISTS (FROM read_csv('{root}/secret.csv'))", "FROM bronze.orders UNION ALL FROM read_text('{root}/secret.csv')",
    "SELECT list_transform([1], x -> (SELECT count(*) FROM read_text('{root}/secret.csv')))",
    "SELECT * FROM bronze.orders JOIN read_csv('{root}/secret.csv') ON true", "SELECT * FROM (FROM '{root}/secret.csv') x",
])
def test_only_reads_the_lakes_tables(lake, sql):
    (lake.root / "secret.csv").write_text("a,b\nsecret,1\n")
    before = sorted(path for path in lake.root.rglob("*"))
    result = lake.assay("query", sql.format(root=lake.root, lake=lake.lake), code=2)
    assert "secret,1" not in result.stdout + result.stderr
    assert sorted(path for path in lake.root.rglob("*")) == before


VALUES = """SELECT 1e16::DOUBLE a, 0.001::DOUBLE b, 1e-4::DOUBLE c, 12345678.5::DOUBLE d, 100::DOUBLE e, 'NaN'::DOUBLE f, -0.5::FLOAT g,
 12.50::DECIMAL(5, 2) h, TIMESTAMPTZ '2026-01-02 03:04:05.500+00' i, DATE '2026-01-02' j, true k, NULL l, '' m, 'a,"b"' n, [1, 2] o,
 {'x': 1.5::DOUBLE} p, TIME '12:30:00' q, 9223372036854775807::HUGEINT * 2 r, 123456.789::DOUBLE s, 0::DOUBLE t"""
# as Spark's CAST(x AS STRING) gives them (Java's Double.toString)
AS_SPARK = ["1.0E16", "0.001", "1.0E-4", "1.23456785E7", "100.0", "NaN", "-0.5", "12.50", "2026-01-02 03:04:05.5", "2026-01-02", "true", "",
            "", 'a,"b"', "[1,2]", '{"x":1.5}', "12:30:00", "18446744073709551614", "123456.789", "0.0"]


def test_values_are_spelled_as_spark_does(project):
    text = project.assay("query", VALUES, "--format", "csv").stdout
    header, row = csv.reader(io.StringIO(text))
    assert header == list("abcdefghijklmnopqrst")
    assert row == AS_SPARK
    assert ',,"","a,""b""",' in text, "NULL is nothing, '' is in quotes"
    table = project.assay("query", VALUES).stdout.splitlines()
    assert table[2].split()[0] == "1.0E16" and "NULL" in table[2] and table[3] == "1 row"
    row = query(project, VALUES)[0]
    assert row["h"] == 12.5 and row["l"] is None and row["m"] == "" and row["o"] == [1, 2] and row["p"] == {"x": 1.5}
    assert row["f"] == "NaN" and row["k"] is True and row["r"] == 18446744073709551614


def test_a_table_lines_up(project):
    text = project.assay("query", "SELECT * FROM (VALUES ('日本', 1), ('e\u0301', 22), ('a\nb\x1b[0m', NULL), (repeat('x', 200), 3)) "
                         "v(name, n)").stdout
    lines = text.splitlines()
    expected = [("name", 4, "n"), ("日本", 4, "1"), ("e\u0301", 1, "22"), ("a\\x0ab\\x1b[0m", 13, "NULL"), ("x" * 59 + "…", 60, "3")]
    assert [lines[0]] + lines[2:6] == [name + " " * (60 - width) + "  " + number.rjust(4) for name, width, number in expected]
    assert lines[6] == "4 rows"


def test_limits_of_rows(project):
    text = project.assay("query", "SELECT x FROM range(250) r(x) ORDER BY x").stdout
    assert len(text.splitlines()) == 2 + 100 + 1 and "--limit 0" in text
    assert len(project.assay("query", "SELECT x FROM range(250) r(x)", "--limit", "0").stdout.splitlines()) == 253
    assert len(project.assay("query", "SELECT x FROM range(250) r(x)", "--format", "csv").stdout.splitlines()) == 251
    assert project.assay("query", "SELECT x FROM range(9) r(x)", "--format", "csv", "--limit", "2").stdout == "x\n0\n1\n"
    assert "no rows" not in project.assay("query", "SELECT 1 x WHERE false").stdout
    assert project.assay("query", "SELECT 1 x WHERE false", "--format", "csv").stdout == "x\n"


def test_files(lake):
    said = lake.assay("query", "SELECT id, sum(id) OVER () s, 1.5::DOUBLE d FROM bronze.orders ORDER BY id DESC", "--format", "parquet", "-o",
                      "out.parquet").stdout
    assert said == "2 rows written to out.parquet\n"
    table = pyarrow.parquet.read_table(lake.root / "out.parquet")
    assert table.to_pylist() == [{"id": 8, "s": decimal.Decimal(15), "d": 1.5}, {"id": 7, "s": decimal.Decimal(15), "d": 1.5}]
    lake.assay("query", "SELECT id FROM bronze.orders ORDER BY id", "--format", "csv", "--output", "out.csv")
    assert (lake.root / "out.csv").read_text() == "id\n7\n8\n"
    assert "-o FILE" in lake.assay("query", "SELECT 1", "--format", "parquet", code=2).stderr
    assert "table, csv, ndjson or parquet" in lake.assay("query", "SELECT 1", "--format", "xml", code=2).stderr
    assert "nowhere" in lake.assay("query", "SELECT 1", "-o", "nowhere/x.csv", code=3).stderr

    # a query that fails half-way leaves the older result
    lake.assay("query", "SELECT CASE WHEN x > 100000 THEN CAST('a' AS INT) ELSE x END FROM range(200000) r(x)", "--format", "csv", "-o",
               "out.csv", code=2)
    assert (lake.root / "out.csv").read_text() == "id\n7\n8\n"
    assert sorted(path.name for path in lake.root.iterdir() if path.name.startswith("out")) == ["out.csv", "out.parquet"]


def test_a_gone_file_is_named(lake, project):
    table = project.table("bronze.orders")
    shutil.copytree(lake.table("bronze.orders"), table)
    [file] = deltalake.DeltaTable(table).file_uris()
    os.unlink(file)
    said = project.assay("query", "SELECT count(*), max(name) FROM bronze.orders", code=3).stderr
    assert "Tables/bronze/orders version 2" in said and os.path.basename(file) in said and "assay restore" in said
    assert ids(project, "bronze.orders@v1") == [1, 2, 3]


def test_streams_and_stops(project):
    """More rows than memory would hold as text; Ctrl-C ends it."""
    running = subprocess.Popen([project.program, "query", "SELECT x, repeat('y', 1000) FROM range(100000000) r(x)", "--format", "csv",
                                "--memory", "256MB"], cwd=project.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    for _ in range(2000):
        assert running.stdout.read(100000)
    with open(f"/proc/{running.pid}/status", encoding="ascii") as status:
        [peak] = [int(line.split()[1]) for line in status if line.startswith("VmHWM")]
    if "asan" not in str(project.program):
        assert peak < 400_000, f"{peak} kB after 200 MB of rows"
    running.stdout.close()
    assert running.wait(20) == 0, "a closed pipe is no error"

    running = subprocess.Popen([project.program, "query", "SELECT count(*) FROM range(1000000000) a, range(100000) b"], cwd=project.root,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(1)
    running.send_signal(signal.SIGINT)
    assert running.wait(20) == 130


def test_a_with_out_of_its_scope_is_no_file(project):
    """Landed files lie in the lake too, and may hold what a table masks."""
    path = project.batch("erp/orders", "b1", {"a.csv": "secret\nhidden\n"}) / "a.csv"
    said = project.assay("query", f'SELECT * FROM (WITH "{path}" AS (SELECT 1) SELECT * FROM "{path}") a, "{path}" b', code=2)
    assert "WITH cannot give the name" in said.stderr and "hidden" not in said.stdout + said.stderr
    said = project.assay("query", "SELECT * FROM (WITH c AS (SELECT 1) SELECT * FROM c) a, c", code=2)
    assert "c does not exist" in said.stderr
