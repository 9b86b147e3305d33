"""Makes tables/ in this folder: three rows in tables that Spark makes, each with some features; tests/interop/test_write_any.py has assay writes
to them. Run with the Python that has Spark: make_tables.py"""
import pathlib
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1] / "support"), str(HERE.parents[1] / "oracle")]
import peers  # noqa: E402

COLUMNS = ("id STRING, part STRING, n INT, amount DECIMAL(18,2), day DATE, ok BOOLEAN, at TIMESTAMP, "
           "_source_file STRING, _batch_id STRING, _loaded_at TIMESTAMP")
MAPPED = "'delta.columnMapping.mode' = '{}', 'delta.minReaderVersion' = '{}', 'delta.minWriterVersion' = '{}'"
FEED = "'delta.enableChangeDataFeed' = 'true'"
VECTORS = "'delta.enableDeletionVectors' = 'true'"
SEED = [("a1", "p1", 1, "1.00", "2026-03-01", True, "2026-03-01 08:00:00+00:00", "seed"),
        ("a2", "p1", 2, "2.00", "2026-03-01", False, "2026-03-01 08:00:00+00:00", "seed"),
        ("a3", "p2", 3, "3.00", "2026-03-02", None, "2026-03-01 08:00:00+00:00", "seed")]

# name: columns beside those of the contract, partition or cluster clause, table properties, statements after the first rows
VARIANTS = {
    "part_types": ("", "PARTITIONED BY (part, n, amount, day, ok, at)", FEED, []),
    "mapped_name": (", s STRUCT<a: INT, l: ARRAY<STRUCT<b: STRING>>>, m MAP<STRING, STRUCT<c: INT>>", "",
                    f"{FEED}, {VECTORS}, {MAPPED.format('name', 3, 7)}",
                    ["DELETE FROM {t} WHERE id = 'a3'", "UPDATE {t} SET s = named_struct('a', 1, 'l', array(named_struct('b', 'B'))), "
                     "m = map('k', named_struct('c', 7))", "ALTER TABLE {t} RENAME COLUMN s TO s_new",
                     "ALTER TABLE {t} RENAME COLUMN s_new.a TO a2", "ALTER TABLE {t} RENAME COLUMN ok TO ok2",
                     "ALTER TABLE {t} ADD COLUMN ok BOOLEAN"]),
    "mapped_id": ("", "PARTITIONED BY (part)", MAPPED.format("id", 2, 5),
                  ["ALTER TABLE {t} RENAME COLUMN ok TO ok2", "ALTER TABLE {t} ADD COLUMN ok BOOLEAN",
                   "ALTER TABLE {t} RENAME COLUMN part TO part2", "ALTER TABLE {t} RENAME COLUMN part2 TO part"]),
    "vectors": ("", "", VECTORS, ["DELETE FROM {t} WHERE id = 'a3'"]),
    "rules": (", note STRING DEFAULT 'none', score DECIMAL(9,3) DEFAULT 1.5, c CHAR(4), v VARCHAR(3), w INT NOT NULL DEFAULT 7", "",
              "'delta.feature.allowColumnDefaults' = 'supported'",
              ["ALTER TABLE {t} ADD CONSTRAINT positive CHECK (n > 0)", "UPDATE {t} SET note = 'seen', c = 'ab', v = 'xyz'"]),
    "clustered": (", local TIMESTAMP_NTZ", "CLUSTER BY (n)", "'delta.dataSkippingNumIndexedCols' = '3'",
                  ["UPDATE {t} SET local = TIMESTAMP_NTZ '2026-03-01 12:00:00.5'"]),
}


def quoted(value):
    return "'" + str(value).replace("\\", "\\\\").replace("'", "\\'") + "'"


def make(spark, table, variant):
    more, clause, properties, statements = VARIANTS[variant]
    spark.sql(f"CREATE TABLE {table} ({COLUMNS}{more}) USING delta {clause} TBLPROPERTIES ({properties})")
    lines = [f"SELECT /*+ COALESCE(1) */ {quoted(r[0])}, {quoted(r[1])}, {r[2]}, {r[3]}, DATE {quoted(r[4])}, "
             f"CAST({'NULL' if r[5] is None else r[5]} AS BOOLEAN), TIMESTAMP {quoted(r[6])}, 'x', {quoted(r[7])}, "
             f"TIMESTAMP '2026-03-01 00:00:00'" for r in SEED]
    names = "id, part, n, amount, day, ok, at, _source_file, _batch_id, _loaded_at"
    spark.sql(f"INSERT INTO {table} ({names}) SELECT /*+ COALESCE(1) */ * FROM ({' UNION ALL '.join(lines)})")
    for statement in statements:
        spark.sql(statement.format(t=table))


def main():
    with tempfile.TemporaryDirectory() as folder:
        spark = peers.start_spark(pathlib.Path(folder))
        for variant in sys.argv[1:] or VARIANTS:
            path = HERE / "tables" / variant
            shutil.rmtree(path, ignore_errors=True)
            make(spark, f"delta.`{path}`", variant)
            for crc in path.rglob(".*.crc"):
                crc.unlink()
            print(variant, flush=True)
        spark.stop()


main()
