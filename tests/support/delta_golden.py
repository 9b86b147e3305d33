"""Delta tables of other writers (delta-golden): where they are, unpacked, and rows in one form whoever read them.

They are not part of this repository. ASSAY_GOLDEN names their folder, else it is ../shared/data/delta-golden beside the project.
A table is named by its place there, without `.tar.zst` and without the folder `delta` in it: `golden_data/checkpoint`,
`data/partition_cm/id`, `golden_data/hive/deltatbl-partitioned`.
"""
import datetime
import decimal
import hashlib
import json
import os
import pathlib
import shutil
import subprocess

import pyarrow
import pyarrow.compute
import pyarrow.parquet

PROJECT = pathlib.Path(__file__).resolve().parents[2]
FILE = PROJECT / "tests" / "data" / "delta-golden.json"
EPOCH = datetime.date(1970, 1, 1)


def find():
    """The folder of the goldens, or None."""
    named = os.environ.get("ASSAY_GOLDEN")
    folder = pathlib.Path(named) if named else PROJECT.parent / "shared" / "data" / "delta-golden"
    return folder if (folder / "golden_data").is_dir() else None


def unpack(source, target):
    """Every table below `target`: {name: (folder of the table, folder of its expected rows or None)}."""
    tables = {}
    for group in ("golden_data", "data"):
        for entry in sorted((source / group).iterdir()):
            if entry.name.endswith(".tar.zst"):
                (target / group).mkdir(parents=True, exist_ok=True)
                subprocess.run(["tar", "--zstd", "-xf", entry, "-C", target / group], check=True)
            elif entry.is_dir():
                shutil.copytree(entry, target / group / entry.name)
    subprocess.run(["chmod", "-R", "u+w", target], check=True)
    for group in ("golden_data", "data"):
        for entry in sorted((target / group).iterdir()):
            expected = entry / "expected"
            for log in sorted(entry.rglob("_delta_log")):
                parts = [part for part in log.parent.relative_to(target).parts if part != "delta"]
                tables["/".join(parts)] = (log.parent, expected if expected.is_dir() else None)
            if not list(entry.rglob("_delta_log")):
                tables[f"{group}/{entry.name}"] = (entry / "delta", None)
    return tables


def plain(value):
    """As JSON can hold it, exactly. Pairs of a map in order of their keys."""
    if isinstance(value, float):
        return value.hex() if value == value else "NaN"
    if isinstance(value, decimal.Decimal):
        return f"decimal {value}"
    if isinstance(value, bytes):
        return f"hex {value.hex()}"
    if isinstance(value, dict):
        return {name: plain(member) for name, member in value.items()}
    if isinstance(value, tuple):
        return [plain(member) for member in value]
    if isinstance(value, list):
        items = [plain(member) for member in value]
        is_map = items and all(isinstance(member, tuple) for member in value)
        return sorted(items, key=json.dumps) if is_map else items
    return value


def with_numbers(kind):
    """The type with dates as days, times as microseconds: Python has no year 10000."""
    types = pyarrow.types
    if types.is_date(kind):
        return pyarrow.int32()
    if types.is_timestamp(kind):
        return pyarrow.int64()
    if types.is_struct(kind):
        return pyarrow.struct([(field.name, with_numbers(field.type)) for field in kind])
    if types.is_map(kind):
        return pyarrow.map_(with_numbers(kind.key_type), with_numbers(kind.item_type))
    if types.is_list(kind):
        return pyarrow.list_(with_numbers(kind.value_type))
    if types.is_null(kind):
        return pyarrow.int32()
    return kind


def numbers_of(array):
    """The array in the type of with_numbers; a cast of nested types changes their members only by reinterpreting them."""
    kind = array.type
    types = pyarrow.types
    if types.is_date(kind):
        return array.cast(pyarrow.int32())
    if types.is_timestamp(kind):
        return array.cast(pyarrow.timestamp("us", kind.tz)).cast(pyarrow.int64())
    if types.is_struct(kind):
        members = [numbers_of(pyarrow.compute.struct_field(array, i)) for i in range(kind.num_fields)]
        fields = [pyarrow.field(kind.field(i).name, members[i].type) for i in range(kind.num_fields)]
        return pyarrow.StructArray.from_arrays(members, fields=fields, mask=array.is_null())
    if types.is_null(kind):
        return array.cast(pyarrow.int32())
    return array


def leaf(value, kind):
    """A Python value with dates and times as numbers."""
    types = pyarrow.types
    if value is None:
        return None
    if types.is_struct(kind):
        return {field.name: leaf(value[field.name], field.type) for field in kind}
    if types.is_map(kind):
        return [(leaf(k, kind.key_type), leaf(v, kind.item_type)) for k, v in value]
    if types.is_list(kind):
        return [leaf(item, kind.value_type) for item in value]
    if isinstance(value, datetime.datetime):
        naive = value.replace(tzinfo=None) - datetime.datetime(1970, 1, 1)
        return (naive.days * 86400 + naive.seconds) * 1000000 + naive.microseconds
    if isinstance(value, datetime.date):
        return (value - EPOCH).days
    return value


def rows_of(files):
    """Sorted rows of Parquet files, each one as JSON text; nothing for no files."""
    rows = []
    for file in files:
        table = pyarrow.parquet.ParquetFile(file, coerce_int96_timestamp_unit="us").read()
        columns = []
        for field, column in zip(table.schema, table.columns):
            nested = pyarrow.types.is_nested(field.type)
            values = (column if nested else pyarrow.chunked_array([numbers_of(c) for c in column.chunks] or
                                                                  [pyarrow.array([], with_numbers(field.type))]))
            columns.append([plain(leaf(value, field.type)) for value in values.to_pylist()])
        rows += [json.dumps(dict(zip(table.column_names, row)), ensure_ascii=False) for row in zip(*columns)]
    return sorted(rows)


def is_same(files, expected):
    """Whether two lists of Parquet files hold the same rows, in any order."""
    if sum(pyarrow.parquet.ParquetFile(file).metadata.num_rows for file in expected) < 50000:
        return rows_of(files) == rows_of(expected)
    tables = [pyarrow.concat_tables(map(pyarrow.parquet.read_table, part)) for part in (files, expected)]
    first, second = (table.sort_by([(name, "ascending") for name in table.column_names]) for table in tables)
    return first.equals(second)


def hash_of(rows):
    return hashlib.sha256("\n".join(rows).encode()).hexdigest()
