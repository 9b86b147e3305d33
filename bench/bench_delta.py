#!/usr/bin/env python3
"""Time to open Delta tables with long logs, and peak memory: bench_delta.py PROGRAM [--commits N...] [--files N] [--keep FOLDER]

Tables of N commits of one small file each, without and with a checkpoint at the end, and one of many files with 100 columns and the
statistics of 32, without and with a checkpoint. assay opens them for `assay detail` (process start included); delta-rs, where Python
has it, opens the same tables (its imports not counted as time). No data file exists: nothing but the log is read."""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

DELTARS = """
import resource, sys, time
import deltalake
start = time.monotonic()
table = deltalake.DeltaTable(sys.argv[1])
count = len(table.file_uris())
print(f"{time.monotonic() - start:.3f} {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} {count}")
"""


def schema(columns):
    fields = [{"name": f"c{i}", "type": "long", "nullable": True, "metadata": {}} for i in range(columns)]
    return json.dumps({"type": "struct", "fields": fields}, separators=(",", ":"))


def first_lines(columns):
    return [{"commitInfo": {"timestamp": 1700000000000, "operation": "CREATE TABLE"}},
            {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}},
            {"metaData": {"id": "00000000-0000-4000-8000-000000000000", "format": {"provider": "parquet", "options": {}},
                          "schemaString": schema(columns), "partitionColumns": [], "configuration": {}, "createdTime": 1}}]


def add(number, columns):
    low, high = {f"c{i}": number + i for i in range(columns)}, {f"c{i}": number + 1000 + i for i in range(columns)}
    stats = {"numRecords": 1000, "minValues": low, "maxValues": high, "nullCount": dict.fromkeys(low, 0)}
    return {"add": {"path": f"part-{number:05d}-5f4a3c2e-0000-4000-8000-{number:012d}-c000.snappy.parquet", "partitionValues": {},
                    "size": 10000 + number, "modificationTime": 1700000000000, "dataChange": True,
                    "stats": json.dumps(stats, separators=(",", ":"))}}


def put(log, version, lines):
    (log / f"{version:020d}.json").write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))


def make_project(root):
    (root / "contracts").mkdir(parents=True)
    (root / "assay.yaml").write_text("lake: ./lake\ncontracts: contracts/*.odcs.yaml\n")
    return root / "lake" / "Tables" / "bench"


def make_commits(table, commits):
    log = table / "_delta_log"
    log.mkdir(parents=True)
    put(log, 0, first_lines(3))
    for version in range(1, commits):
        put(log, version, [{"commitInfo": {"timestamp": 1700000000000 + version, "operation": "WRITE"}}, add(version, 3)])


def make_files(table, files):
    log = table / "_delta_log"
    log.mkdir(parents=True)
    put(log, 0, first_lines(100))
    for version, first in enumerate(range(0, files, 100000), 1):
        put(log, version, [add(number, 32) for number in range(first, min(first + 100000, files))])


def apart(calls):
    """In a process of its own: what this one has in memory would count as the peak of those it starts."""
    child = os.fork()
    if child == 0:
        for call, *arguments in calls:
            call(*arguments)
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        sys.exit("bench: the tables could not be made")


def timed(command, cwd=None):
    """Wall seconds and peak MiB of a process."""
    start = time.monotonic()
    child = subprocess.Popen(command, cwd=cwd, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"bench: {' '.join(map(str, command))} ended with exit code {child.returncode}")
    return time.monotonic() - start, used.ru_maxrss // 1024


def has_deltars():
    return subprocess.run([sys.executable, "-c", "import deltalake"], capture_output=True).returncode == 0


def compare(program, root, name, what):
    ours = min(timed([program, "detail", f"bench.{name}"], cwd=root) for _ in range(3))
    line = f"{what:<44}{ours[0]:>9.2f}{ours[1]:>9}"
    if has_deltars():
        runs = [subprocess.run([sys.executable, "-c", DELTARS, root / "lake" / "Tables" / "bench" / name], check=True,
                               capture_output=True, text=True).stdout.split() for _ in range(3)]
        seconds, mib, _ = min(runs, key=lambda run: float(run[0]))
        line += f"{float(seconds):>9.2f}{mib:>9}"
    print(line, flush=True)


def main():
    p = argparse.ArgumentParser(description="Time to open Delta tables with long logs.")
    p.add_argument("program")
    p.add_argument("--commits", type=int, nargs="*", default=[1000, 20000, 100000])
    p.add_argument("--files", type=int, default=300000)
    p.add_argument("--keep", metavar="FOLDER", help="leave the tables there")
    a = p.parse_args()
    program = os.path.abspath(a.program)
    root = pathlib.Path(a.keep or tempfile.mkdtemp(prefix="assay-bench-"))
    try:
        tables = make_project(root)
        apart([(make_commits, tables / f"commits{n}", n) for n in a.commits] +
              ([(make_files, tables / f"files{a.files}", a.files)] if a.files else []))
        print(f"{'':<44}{'assay s':>9}{'MiB':>9}{'delta-rs':>9}{'MiB':>9}")
        names = [(f"commits{n}", f"{n} commits") for n in a.commits] + ([(f"files{a.files}", f"{a.files} files")] if a.files else [])
        for name, what in names:
            compare(program, root, name, what)
            seconds, mib = timed([program, "checkpoint", f"bench.{name}"], cwd=root)
            compare(program, root, name, f"{what}, checkpoint ({seconds:.2f} s, {mib} MiB)")
    finally:
        if not a.keep:
            shutil.rmtree(root)


main()
