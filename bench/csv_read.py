#!/usr/bin/env python3
"""How fast CSV comes into bronze, beside DuckDB's read_csv(all_varchar) into Parquet, in one run.

    bench/csv_read.py PROGRAM [--rows 10000000] [--duckdb PYTHON] [--work FOLDER] [CASE ...]

PROGRAM is a release build; PYTHON has the duckdb module. Both read the same file and write zstd Parquet; assay also checks the
header, numbers the lines, keeps broken rows and commits to a Delta table. DuckDB gets ignore_errors for the broken case, or it
would stop. Each is run twice in turn and the better time counts; rows that came out are counted and shown.
"""
import argparse
import gzip
import json
import pathlib
import random
import resource
import shutil
import subprocess
import sys
import time

ASSAY_YAML = "lake: ./lake\ncontracts: contracts/*.odcs.yaml\n"
CONTRACT = """\
apiVersion: v3.1.0
kind: DataContract
id: bench
version: "1.0.0"
status: active
team: {{ name: bench }}
schema:
  - name: rows
    physicalName: silver.rows
    customProperties:
      - {{ property: assaySource, value: {{ path: landing/bench/rows, format: csv }} }}
      - {{ property: assayGrain, value: {{ keys: [c0] }} }}
    properties:
{columns}
"""


def values(case, rng, i):
    """The fields of row i as they stand in the file."""
    if case == "text":
        return [str(i), '"' + "lorem ipsum dolor sit amet " * rng.randrange(20, 60) + '"']
    fields = [str(i), f"K{rng.randrange(10**6):06d}", f"{rng.random() * 1000:.2f}", "2026-03-%02d" % (i % 28 + 1), "new",
              str(rng.randrange(1000)), "AUD", f"name {rng.randrange(10**5)}", "2026-03-01T08:00:00Z", ""]
    if case == "quoted":
        fields = [f'"{f}"' if rng.random() < 0.3 else f for f in fields]
    if case == "wide":
        fields = fields * 4
        fields[0] = str(i)
    if case == "broken" and rng.random() < 0.01:
        fields = fields[:rng.randrange(1, 9)]
    return fields


def write(path, case, rows):
    """The file; a block of rows is made once and written again and again with other numbers in front."""
    rng, block = random.Random(7), 50000
    tails = [",".join(values(case, rng, i)[1:]) for i in range(min(block, rows))]
    width = {"text": 2, "wide": 40}.get(case, 10)
    opened = gzip.open(path, "wt", compresslevel=6) if path.suffix == ".gz" else open(path, "w")
    with opened as out:
        out.write(",".join(f"c{k}" for k in range(width)) + "\n")
        for start in range(0, rows, block):
            n = min(block, rows - start)
            out.write("".join(f"{start + i},{tails[i]}\n" if tails[i] else f"{start + i}\n" for i in range(n)))
    return width


def timed(words, cwd):
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run([str(w) for w in words], cwd=cwd, capture_output=True, text=True)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"{words}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


DUCKDB = """
import duckdb, sys
source, target, broken = sys.argv[1:4]
extra = ", ignore_errors = true" if broken == "1" else ""
c = duckdb.connect()
c.execute("SET enable_progress_bar = false")
c.execute(f"COPY (SELECT * FROM read_csv('{source}', all_varchar = true, header = true, delim = ',', quote = '\\"'{extra})) "
          f"TO '{target}' (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1)")
print(c.execute(f"SELECT count(*) FROM '{target}'").fetchone()[0])
"""


def run_case(case, args):
    work = args.work / case
    shutil.rmtree(work, ignore_errors=True)
    folder = work / "lake" / "Files" / "landing" / "bench" / "rows" / "batch_id=b1"
    folder.mkdir(parents=True)
    (work / "contracts").mkdir()
    rows = args.rows // {"text": 20, "wide": 4}.get(case, 1)
    source = folder / ("rows.csv.gz" if case == "gzip" else "rows.csv")
    width = write(source, case, rows)
    columns = "\n".join(f"      - {{ name: c{k}, logicalType: string }}" for k in range(width))
    (work / "assay.yaml").write_text(ASSAY_YAML)
    (work / "contracts" / "silver.rows.odcs.yaml").write_text(CONTRACT.format(columns=columns))
    best = {}
    for _ in range(2):
        shutil.rmtree(work / "lake" / "Tables", ignore_errors=True)
        wall, cpu, out = timed([args.program, "bronze", "silver.rows", "--json"], work)
        kept = json.loads(out)["runs"][0]["landed"] if "landed" in json.loads(out)["runs"][0] else rows
        best["assay"] = min(best.get("assay", (9e9,)), (wall, cpu, kept))
        wall, cpu, out = timed([args.duckdb, "-c", DUCKDB, source, work / "duckdb.parquet", int(case == "broken")], work)
        best["duckdb"] = min(best.get("duckdb", (9e9,)), (wall, cpu, int(out)))
    a, d = best["assay"], best["duckdb"]
    size = source.stat().st_size / 1e6
    print(f"{case:8} {rows:>9} rows {size:7.0f} MB   assay {a[0]:6.2f} s {a[1]:6.2f} core-s {a[2]:>9} rows   "
          f"duckdb {d[0]:6.2f} s {d[1]:6.2f} core-s {d[2]:>9} rows   ratio {a[0] / d[0]:.2f}", flush=True)
    shutil.rmtree(work)


def main():
    cases = ["clean", "quoted", "broken", "wide", "text", "gzip"]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=lambda p: pathlib.Path(p).absolute())
    parser.add_argument("cases", nargs="*", default=cases)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--duckdb", default=".deps/venv-duckdb/bin/python", type=lambda p: pathlib.Path(p).absolute())
    parser.add_argument("--work", default="build/bench/csv_read", type=lambda p: pathlib.Path(p).absolute())
    args = parser.parse_args()
    for case in args.cases:
        run_case(case, args)


if __name__ == "__main__":
    main()
