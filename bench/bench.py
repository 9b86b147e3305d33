#!/usr/bin/env python3
"""Time assay on the small job and on one large batch of orders: bench.py PROGRAM [--rows N] [--keep FOLDER]

Prints for every run of the program: wall and CPU seconds, peak memory, rows a second. Process start and fsyncs included. Needs
nothing but Python."""
import argparse
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

DATA = pathlib.Path(__file__).resolve().parents[1] / "tests" / "data" / "small-job"
STATUS = ("new", "paid", "shipped", "cancelled")


def make_project(root):
    (root / "contracts").mkdir(parents=True)
    (root / "lake" / "Files").mkdir(parents=True)
    (root / "assay.yaml").write_text("lake: ./lake\ncontracts: contracts/*.odcs.yaml\n")
    shutil.copy(DATA / "orders.odcs.yaml", root / "contracts" / "silver.orders.odcs.yaml")
    return root


def make_orders(folder, rows, seed):
    """One file of orders, in no order of keys: 1 row in 200 rejected, 1 in 100 a second version of another."""
    chance = random.Random(seed)
    folder.mkdir(parents=True)
    with open(folder / "orders.csv", "w", encoding="utf-8", newline="\n") as f:
        f.write("order_id,customer_id,order_date,amount,quantity,status,updated_at\n")
        for i in range(rows):
            key = chance.randrange(rows) if i % 100 == 0 else (i * 7919) % rows
            quantity = -1 if i % 200 == 7 else 1 + i % 9
            f.write(f"O{key:09d},C{i % 50021:06d},2026-11-{1 + i % 28:02d},{i * 37 % 90000 / 100:.2f},{quantity},"
                    f"{STATUS[i % 4]},2026-11-{1 + i % 28:02d} {i % 24:02d}:{i % 60:02d}:{i * 7 % 60:02d}\n")


def run(program, project, batch, rows):
    start = time.monotonic()
    child = subprocess.Popen([program, "run", "silver.orders", "--batch", batch, "--json"], cwd=project, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    wall = time.monotonic() - start
    if child.returncode != 0:
        sys.exit(f"bench: batch {batch} ended with exit code {child.returncode}")
    print(f"{batch:<12}{rows:>10}{wall:>10.2f}{used.ru_utime + used.ru_stime:>10.2f}{used.ru_maxrss // 1024:>10}{rows / wall:>12.0f}", flush=True)


def main():
    p = argparse.ArgumentParser(description="Time assay on the small job and on one large batch.")
    p.add_argument("program")
    p.add_argument("--rows", type=int, default=1_000_000, help="rows of the large batch (default 1000000)")
    p.add_argument("--keep", metavar="FOLDER", help="leave the projects there")
    a = p.parse_args()
    program = os.path.abspath(a.program)
    root = pathlib.Path(a.keep or tempfile.mkdtemp(prefix="assay-bench-"))
    try:
        print(f"{'batch':<12}{'rows':>10}{'wall s':>10}{'CPU s':>10}{'peak MB':>10}{'rows/s':>12}")
        small = make_project(root / "small")
        subprocess.run([sys.executable, DATA / "make_small_job.py"], cwd=small, check=True, stdout=subprocess.DEVNULL)
        shutil.move(small / "landing", small / "lake" / "Files")
        for batch, rows in (("b1", 2005), ("b2", 2010), ("b3", 2010)):
            run(program, small, batch, rows)
        large = make_project(root / "large")
        make_orders(large / "lake" / "Files" / "landing" / "erp" / "orders" / "batch_id=large", a.rows, 1)
        run(program, large, "large", a.rows)
    finally:
        if not a.keep:
            shutil.rmtree(root, ignore_errors=True)


if __name__ == "__main__":
    main()
