#!/usr/bin/env python3
"""Score CSV readers on the Pollock files, each file read with the dialect that its parameters declare:

    pollock.py PROGRAM DATA [--python PATH ...]

DATA has the benchmark's folders csv, clean and parameters (HPI Information Systems, MIT); they are not part of this repository.
Each reader gives rows of text; they are compared with the clean file by the benchmark's measures: 1 for a file that loads, and
precision, recall and F1 over the header's cells, the records and the cells of records, as multisets; NULL and '' are one value,
blanks around a value do not count. So the best score of a file is 10, and the table shows averages over all files. `invented` counts
cells in a reader's rows that are no piece of the file's text, `silent` files of which a reader gives fewer records than the clean one has,
without an error or a row that it calls broken.

Needs deltalake (.deps/venv has it). Peers run where a Python given by --python, or this one, can import them."""
import argparse
import collections
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile

CONTRACT = """apiVersion: v3.1.0
kind: DataContract
id: {name}
version: 1.0.0
status: active
team: {{name: bench, members: [{{username: bench@example.com, role: Owner}}]}}
schema:
  - name: {name}
    physicalName: silver.{name}
    customProperties:
      - {{property: assaySource, value: {source}}}
      - {{property: assayGrain, value: {{keys: [c1]}}}}
      - {{property: assayBatch, value: {{maxRejectPercent: 100}}}}
    properties:
{columns}
"""


def parameters(data, name):
    p = json.loads((data / "parameters" / f"{name}_parameters.json").read_text())
    quote = p["quotechar"] or '"'
    return {"delimiter": p["delimiter"] or ",", "quote": quote, "escape": p["escapechar"] or quote, "encoding": p["encoding"] or "ascii",
            "skip": p["preamble_lines"], "columns": p["n_columns"] or len(p["column_names"]) or 9, "end": p["row_delimiter"]}


def files_of(data):
    return sorted(path.name for path in (data / "csv").iterdir() if path.is_file())


# ---- readers: name -> (rows of text or None where it fails, whether it said that something is broken) ----

def read_assay(program, data):
    import deltalake

    with tempfile.TemporaryDirectory(prefix="assay-pollock-") as folder:
        root = pathlib.Path(folder)
        (root / "contracts").mkdir()
        (root / "assay.yaml").write_text("lake: ./lake\ncontracts: contracts/*.odcs.yaml\n")
        for i, name in enumerate(files_of(data)):
            p = parameters(data, name)
            source = {"path": f"landing/pollock/f{i}", "format": "csv", "header": "none", "delimiter": p["delimiter"], "quote": p["quote"],
                      "escape": p["escape"], "encoding": p["encoding"], "skipTop": p["skip"], "multiLine": True, "pattern": "*"}
            columns = "\n".join(f"      - {{name: c{k + 1}, logicalType: string, physicalType: string}}" for k in range(p["columns"]))
            (root / "contracts" / f"f{i}.odcs.yaml").write_text(CONTRACT.format(name=f"f{i}", source=json.dumps(source), columns=columns))
            batch = root / "lake" / "Files" / "landing" / "pollock" / f"f{i}" / "batch_id=b1"
            batch.mkdir(parents=True)
            (batch / "file.csv").write_bytes((data / "csv" / name).read_bytes())
        subprocess.run([program, "run"], cwd=root, capture_output=True, check=False)
        for i, name in enumerate(files_of(data)):
            table = root / "lake" / "Tables" / "bronze" / f"pollock_f{i}_raw"
            if not (table / "_delta_log").is_dir():
                yield name, None, True
                continue
            rows = sorted(deltalake.DeltaTable(str(table)).to_pyarrow_table().to_pylist(), key=lambda row: row["_source_line"])
            width = parameters(data, name)["columns"]
            yield name, [[row[f"c{k + 1}"] for k in range(width)] for row in rows], any(row["_corrupt_record"] is not None for row in rows)


def each(data, read):
    for name in files_of(data):
        try:
            rows = [list(row) for row in read(str(data / "csv" / name), parameters(data, name))]
        except Exception:  # whatever a reader throws is its answer
            yield name, None, True
            continue
        yield name, rows, False


def read_duckdb(data):
    import duckdb

    def read(path, p):
        return duckdb.sql("SELECT * FROM read_csv(?, header = false, all_varchar = true, delim = ?, quote = ?, escape = ?, skip = ?, "
                          "auto_detect = false, null_padding = true, strict_mode = false, columns = ?)",
                          params=[path, p["delimiter"], p["quote"], p["escape"], p["skip"],
                                  {f"c{k + 1}": "VARCHAR" for k in range(p["columns"])}]).fetchall()
    return each(data, read)


def read_polars(data):
    import polars

    def read(path, p):
        return polars.read_csv(path, has_header=False, infer_schema=False, separator=p["delimiter"], quote_char=p["quote"], skip_rows=p["skip"],
                               encoding="utf8-lossy", truncate_ragged_lines=True,
                               schema={f"c{k + 1}": polars.String for k in range(p["columns"])}).rows()
    return each(data, read)


def read_pandas(data):
    import pandas

    def read(path, p):
        same = p["escape"] == p["quote"]
        return pandas.read_csv(path, header=None, dtype=str, keep_default_na=False, sep=p["delimiter"], quotechar=p["quote"], doublequote=same,
                               escapechar=None if same else p["escape"], skiprows=p["skip"], names=range(p["columns"]),
                               index_col=False).values.tolist()
    return each(data, read)


def read_spark(data):
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", False).getOrCreate()
    spark.sparkContext.setLogLevel("OFF")

    def read(path, p):
        schema = ", ".join(f"c{k + 1} string" for k in range(p["columns"]))
        lines = spark.read.schema(schema).option("sep", p["delimiter"]).option("quote", p["quote"]).option("escape", p["escape"])
        return [[value for value in row] for row in lines.option("multiLine", True).csv(path).collect()][p["skip"]:]
    return each(data, read)


PEERS = {"duckdb": read_duckdb, "polars": read_polars, "pandas": read_pandas, "spark": read_spark}

# ---- measures ----


def plain(value):
    return "" if value is None or value != value else str(value).strip()


def ratios(found, wanted):
    """Precision, recall and F1 of one multiset against another."""
    found, wanted = collections.Counter(found), collections.Counter(wanted)
    hits = sum((found & wanted).values())
    if not found and not wanted:
        return 1.0, 1.0, 1.0
    precision = hits / sum(found.values()) if found else 0.0
    recall = hits / sum(wanted.values()) if wanted else 0.0
    return precision, recall, 2 * precision * recall / (precision + recall) if hits else 0.0


def clean_rows(data, name):
    with open(data / "clean" / name, newline="", encoding="utf-8") as f:
        return [[plain(value) for value in row] for row in csv.reader(f)]


def score(data, name, rows, said):
    """[loads, 9 ratios], invented cells, whether records are missing without a word."""
    wanted = clean_rows(data, name)
    if rows is None:
        return [0.0] * 10, 0, False
    rows = [[plain(value) for value in row] for row in rows]
    text = (data / "csv" / name).read_bytes().decode("latin-1")
    p = parameters(data, name)
    source = text.replace(p["escape"] + p["quote"], p["quote"]) if p["escape"] else text
    invented = sum(1 for row in rows for value in row if value and value not in text and value not in source)
    parts = [1.0]
    for find in (lambda t: t[0] if t else [], lambda t: [tuple(row) for row in t[1:]], lambda t: [value for row in t[1:] for value in row]):
        parts += ratios(find(rows), find(wanted))
    return parts, invented, len(rows) < len(wanted) and not said


def table_line(name, results):
    count = len(results)
    totals = [sum(parts[i] for parts, _, _ in results) / count for i in range(10)]
    print(f"{name:<10}{count:>7}{sum(totals):>9.3f}{totals[0]:>9.3f}{totals[3]:>9.3f}{totals[6]:>9.3f}{totals[9]:>9.3f}"
          f"{sum(r[1] for r in results):>10}{sum(r[2] for r in results):>8}", flush=True)


def main():
    p = argparse.ArgumentParser(description="Score CSV readers on the Pollock files.")
    p.add_argument("program")
    p.add_argument("data", type=pathlib.Path)
    p.add_argument("--python", action="append", default=[], help="a Python that has some of the peers; may be repeated")
    p.add_argument("--peer", help=argparse.SUPPRESS)
    a = p.parse_args()
    if a.peer:
        for answer in PEERS[a.peer](a.data):
            print(json.dumps(answer))
        return
    if not (a.data / "csv").is_dir():
        sys.exit(f"bench: {a.data} has no Pollock files (folders csv, clean, parameters)")
    print(f"{'reader':<10}{'files':>7}{'score':>9}{'loads':>9}{'header':>9}{'records':>9}{'cells':>9}{'invented':>10}{'silent':>8}")
    table_line("assay", [score(a.data, *answer) for answer in read_assay(os.path.abspath(a.program), a.data)])
    for peer in PEERS:
        for python in [sys.executable, *a.python]:
            if subprocess.run([python, "-c", f"import {'pyspark' if peer == 'spark' else peer}"], capture_output=True, check=False).returncode:
                continue
            done = subprocess.run([python, __file__, a.program, str(a.data), "--peer", peer], capture_output=True, text=True, check=False)
            answers = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]
            if answers:
                table_line(peer, [score(a.data, *answer) for answer in answers])
                break
        else:
            print(f"{peer:<10} not installed")


if __name__ == "__main__":
    main()
