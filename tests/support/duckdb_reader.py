"""Print a Delta table as JSON, read by DuckDB's Delta extension: duckdb_reader.py FOLDER

Runs in .deps/venv-duckdb. Prints {"rows", "dates", "times"}: dates are days, timestamps microseconds since 1970 (peers.py makes
text of them), decimals text, binary hex."""
import decimal
import glob
import json
import sys

import duckdb
import duckdb_ext


EXACT = decimal.Context(prec=100)


def text_of(value):
    if isinstance(value, decimal.Decimal):
        return format(value.normalize(EXACT), "f")
    if isinstance(value, (bytes, bytearray)):
        return value.hex()
    raise TypeError(f"{type(value)} has no text here")


def main():
    extension = glob.glob(list(duckdb_ext.__path__)[0] + "/extensions/*/*/delta.duckdb_extension")[0]
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true", "autoinstall_known_extensions": "false"})
    connection.execute(f"LOAD '{extension}'")
    columns = connection.execute("DESCRIBE SELECT * FROM delta_scan(?)", [sys.argv[1]]).fetchall()
    dates = [name for name, kind, *_ in columns if kind == "DATE"]
    times = [name for name, kind, *_ in columns if kind.startswith("TIMESTAMP")]
    selected = []
    for name, *_ in columns:
        quoted = '"' + name.replace('"', '""') + '"'
        value = f"{quoted} - DATE '1970-01-01'" if name in dates else f"epoch_us({quoted})" if name in times else quoted
        selected.append(f"{value} AS {quoted}")
    rows = connection.execute(f"SELECT {', '.join(selected)} FROM delta_scan(?)", [sys.argv[1]]).fetchall()
    named = [dict(zip((name for name, *_ in columns), row)) for row in rows]
    json.dump({"rows": named, "dates": dates, "times": times}, sys.stdout, default=text_of)


if __name__ == "__main__":
    main()
