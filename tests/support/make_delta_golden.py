"""Writes tests/data/delta-golden.json: what Spark reads from every table of delta-golden, for tests/interop/test_delta_golden.py.

    .deps/venv/bin/python -B tests/support/make_delta_golden.py [TABLE...]     # only these anew

For each table: version, schema, partition columns, properties, protocol and number of files of Spark's snapshot; the number of
its rows and the hash of delta_golden.rows_of over them. Where Spark fails there is `error` with the exception instead. Tables
that bring expected rows are still compared with those. Compacted commits are taken away first: the protocol has one action for
each file in them, those of compacted-log-files-table hold every action from the newest to the oldest, which misleads Spark.
"""
import json
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "oracle"))
import delta_golden
import peers

SETTINGS = {
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED",
    "spark.sql.parquet.int96RebaseModeInWrite": "CORRECTED",
}


def snapshot_of(spark, folder):
    log = spark._jvm.org.apache.spark.sql.delta.DeltaLog.forTable(spark._jsparkSession, str(folder))
    snapshot = log.unsafeVolatileSnapshot()
    metadata = json.loads(snapshot.metadata().json())["metaData"]
    return {
        "version": snapshot.version(),
        "schema": json.loads(metadata["schemaString"]),
        "partitionColumns": metadata["partitionColumns"],
        "properties": metadata["configuration"],
        "protocol": json.loads(snapshot.protocol().json())["protocol"],
        "files": snapshot.numOfFiles(),
    }


def rows_of(spark, folder, target):
    table = spark.read.format("delta").load(str(folder))
    void = [name for name, kind in table.dtypes if kind == "void"]
    for name in void:
        table = table.withColumn(name, table[f"`{name}`"].cast("int"))
    table.write.parquet(str(target))
    rows = delta_golden.rows_of(sorted(target.glob("*.parquet")))
    return {"rows": len(rows), "sha256": delta_golden.hash_of(rows)}


def main():
    source = delta_golden.find()
    if not source:
        sys.exit("delta-golden is not found; set ASSAY_GOLDEN")
    names = sys.argv[1:]
    result = json.loads(delta_golden.FILE.read_text()) if names else {}
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        tables = delta_golden.unpack(source, folder / "tables")
        spark = peers.start_spark(folder)
        for name, value in SETTINGS.items():
            spark.conf.set(name, value)
        for number, (name, (table, _)) in enumerate(sorted(tables.items())):
            if names and name not in names:
                continue
            for compacted in table.glob("_delta_log/*.compacted.json"):
                compacted.unlink()
            result[name] = {}
            try:
                result[name].update(snapshot_of(spark, table))
                result[name].update(rows_of(spark, table, folder / f"rows-{number}"))
            except Exception as error:  # whatever Spark has to say
                result[name]["error"] = str(getattr(error, "java_exception", error)).split(": ")[0].split("\n")[0]
            print(name, result[name].get("rows"), result[name].get("error"), flush=True)
        spark.stop()
    delta_golden.FILE.write_text(
        "{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in result.items()) + "\n}\n")


if __name__ == "__main__":
    main()
