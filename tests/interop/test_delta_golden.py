"""Delta tables of other writers (delta-golden): each reads with exactly the rows, schema and properties that Spark reads or
that it brings along itself, or is refused by the name of what is missing or not known."""
import json
import pathlib
import subprocess

import pytest

import delta_golden

SPARK = json.loads(delta_golden.FILE.read_text())

# What the error must say. Files that are named were never there: these are logs made for tests of logs.
REFUSED = {
    "data/300k-add-files-100-col-partitioned": "part_0/file_0.parquet",
    "data/app-txn-with-last-updated": "part-00001-2e4c9beb-884e-4749-aaee-02a1a4f05750-c000.snappy.parquet",
    "data/crc-malformed": "there is no Delta table here",
    "data/table-with-geo": "'geospatial'",
    "data/unshredded-variant": "'variantType-preview'",
    "data/with_checkpoint_no_last_checkpoint": "part-00000-70b1dcdf-0236-4f63-a072-124cdbafd8a0-c000.snappy.parquet",
    "golden_data/checkpoint": "/delta/15",
    "golden_data/data-reader-absolute-paths-escaped-chars": "has an empty, '.' or '..' part",
    "golden_data/delete-re-add-same-file-different-transactions": "/delta/bar",
    "golden_data/deltalog-commit-info": "metaData has no 'schemaString'",
    "golden_data/deltalog-invalid-protocol-version": "reader version 99",
    "golden_data/deltalog-state-reconstruction-from-checkpoint-missing-metadata": "has no metaData action",
    "golden_data/deltalog-state-reconstruction-from-checkpoint-missing-protocol": "has no",
    "golden_data/deltalog-state-reconstruction-without-metadata": "has no metaData action",
    "golden_data/deltalog-state-reconstruction-without-protocol": "has no protocol action",
    "golden_data/log-replay-special-characters-b": "/delta/special p@#h",
    "golden_data/no-delta-log-folder": "there is no Delta table here",
    "golden_data/update-deleted-directory": "metaData",
    "golden_data/versions-not-contiguous": "00000000000000000001.json",
}

# Tables that Spark 3.5 and delta-rs do not read, or not as the log has them: the rows of their Parquet files, seen through the log.
WIDENED = (
    ("byte_long", 1, 9223372036854775807),
    ("int_long", 2, 9223372036854775807),
    ("float_double", (3.4000000953674316).hex(), (1.234567890123).hex()),  # 3.4 as a float
    ("byte_double", (5.0).hex(), (1.234567890123).hex()),
    ("short_double", (6.0).hex(), (1.234567890123).hex()),
    ("int_double", (7.0).hex(), (1.234567890123).hex()),
    ("decimal_decimal_same_scale", "decimal 123.45", "decimal 12345678901234.56"),
    ("decimal_decimal_greater_scale", "decimal 67.89000", "decimal 12345678901.23456"),
    ("byte_decimal", "decimal 1.0", "decimal 123.4"),
    ("short_decimal", "decimal 2.0", "decimal 12345.6"),
    ("int_decimal", "decimal 3.0", "decimal 1234567890.1"),
    ("long_decimal", "decimal 4.0", "decimal 123456789012345678.9"),
    ("date_timestamp_ntz", 19975 * 86400 * 10**6, 19975 * 86400 * 10**6 + 45296123456),  # 2024-09-09, and 12:34:56.123456
)
BY_HAND = {
    "data/cdf-column-mapping-name-mode-3-7": [
        {"id": 2, "name": "Bob", "value": (250.0).hex()},
        {"id": 3, "name": "Charlie", "value": (300.0).hex()},
        {"id": 4, "name": "David", "value": (400.0).hex()},
    ],
    # 1971-07-22T03:06:40Z
    "data/timestamp-partitioned-table": [{"id": 1, "x": (0.5).hex(), "s": "", "time": 49000000 * 10**6}],
    # Spark leaves a void column out of what it reads; the schema has it
    "data/void-column": [{"id": id, "void_col": None} for id in (1, 2, 3)],
    "data/type-widening": [{name: old for name, old, _ in WIDENED}, {name: new for name, _, new in WIDENED}],
}

# Their expected rows are of a session in Los Angeles, in whose zone the partition values were written. Spark in UTC is ours.
OTHER_ZONE = {"golden_data/data-reader-partition-values"}


@pytest.fixture(scope="module")
def goldens(tmp_path_factory):
    source = delta_golden.find()
    if not source:
        pytest.skip("delta-golden is not found; ASSAY_GOLDEN names its folder")
    return delta_golden.unpack(source, tmp_path_factory.mktemp("golden"))


def read(assay, folder, out):
    """What delta_read says of a table, its error, and the files with its rows."""
    reader = pathlib.Path(assay).resolve().parent / "tests" / "delta_read"
    done = subprocess.run([reader, folder.parent, folder.name, out / "rows"], capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout or "null"), done.stderr, sorted(out.glob("*.parquet"))


def test_every_table_is_known(goldens):
    assert set(goldens) == set(SPARK)


@pytest.mark.parametrize("name", sorted(SPARK))
def test_golden(assay, goldens, name, tmp_path):
    folder, expected = goldens[name]
    found, error, files = read(assay, folder, tmp_path)
    if name in REFUSED:
        assert found is None and REFUSED[name] in error
        assert "sha256" not in SPARK[name], "Spark reads it"
        return
    assert found, error
    for key in ("version", "schema", "partitionColumns", "properties", "protocol", "files"):
        if key in SPARK[name]:
            assert found[key] == SPARK[name][key], key
    assert found["counted"] in (-1, found["rows"]), "numRecords and the vectors' cardinalities say how many rows there are"
    if expected and name not in OTHER_ZONE:
        assert delta_golden.is_same(files, sorted(expected.glob("*.parquet")))
        return
    rows = delta_golden.rows_of(files)
    if name in BY_HAND:
        assert rows == sorted(json.dumps(row) for row in BY_HAND[name])
    else:
        assert len(rows) == SPARK[name]["rows"]
        assert delta_golden.hash_of(rows) == SPARK[name]["sha256"], rows[:3]
