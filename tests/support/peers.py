"""The other engines that read and write our tables: Spark, delta-rs, DuckDB. Each read_* gives a list of dicts in one encoding,
sorted, so that the results of two engines are compared with ==. Dates and timestamps (UTC) are text, far ones too; decimals are
text without trailing zeros (DuckDB drops some), binary is hex."""
import decimal
import json
import os
import pathlib
import subprocess

from check_assay import date_text, timestamp_text

EXACT = decimal.Context(prec=100)
DEPS = pathlib.Path(__file__).resolve().parents[2] / ".deps"


def encode(value):
    if isinstance(value, decimal.Decimal):
        return format(value.normalize(EXACT), "f")
    if isinstance(value, (bytes, bytearray)):
        return value.hex()
    if hasattr(value, "asDict"):
        return encode(value.asDict())
    if isinstance(value, dict):
        return {k: encode(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [encode(v) for v in value]
    return value


def in_order(rows, dates, times):
    """Encoded and sorted; `dates` and `times` are the columns that hold days and microseconds since 1970."""
    rows = [encode(row) for row in rows]
    for row in rows:
        for names, text in ((dates, date_text), (times, timestamp_text)):
            for name in names:
                row[name] = None if row[name] is None else text(row[name])
    return sorted(rows, key=lambda row: json.dumps(row, sort_keys=True))


def read_deltars(path):
    import deltalake
    import pyarrow

    table = deltalake.DeltaTable(path).to_pyarrow_table()
    dates = [f.name for f in table.schema if pyarrow.types.is_date(f.type)]
    times = [f.name for f in table.schema if pyarrow.types.is_timestamp(f.type)]
    for name in dates + times:
        at = table.column_names.index(name)
        column = table.column(name)
        numbers = column.cast(pyarrow.int32()) if name in dates else column.cast(pyarrow.int64())
        assert name in dates or column.type.unit == "us", column.type
        table = table.set_column(at, name, numbers)
    return in_order(table.to_pylist(), dates, times)


def read_spark(spark, path):
    from pyspark.sql import functions

    table = spark.read.format("delta").load(str(path))
    dates = [name for name, kind in table.dtypes if kind == "date"]
    times = [name for name, kind in table.dtypes if kind.startswith("timestamp")]
    for name in dates:
        table = table.withColumn(name, functions.expr(f"unix_date(`{name}`)"))
    for name in times:
        table = table.withColumn(name, functions.expr(f"unix_micros(CAST(`{name}` AS TIMESTAMP))"))
    return in_order(table.collect(), dates, times)


def read_duckdb(path):
    """By DuckDB's own Delta reader, in its own Python environment."""
    script = pathlib.Path(__file__).with_name("duckdb_reader.py")
    done = subprocess.run([DEPS / "venv-duckdb" / "bin" / "python", "-B", script, path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    got = json.loads(done.stdout)
    return in_order(got["rows"], got["dates"], got["times"])


def start_spark(folder):
    """A small Spark with Delta that writes nothing outside of `folder`."""
    import pyspark.sql

    if (DEPS / "java-home").exists():
        os.environ["JAVA_HOME"] = (DEPS / "java-home").read_text().strip()
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    options = {
        "spark.driver.memory": "2g",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.extraJavaOptions": f"-Dderby.system.home={folder} -Duser.timezone=UTC",
        "spark.ui.enabled": "false",
        "spark.jars": ",".join(map(str, sorted((DEPS / "jars").glob("*.jar")))),
        "spark.local.dir": str(folder / "local"),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "2",
        "spark.databricks.delta.snapshotPartitions": "2",
        # small data: compiling code costs more than it gains
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    }
    builder = pyspark.sql.SparkSession.builder.master("local[2]").appName("assay-tests")
    for name, value in options.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session
