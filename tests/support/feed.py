"""A small feed of orders for the contract of data/small-job, and how the tables of a lake are compared: by rows, load times
aside."""
import collections
import json
import urllib.parse

import project as projects

CONTRACT = projects.DATA / "small-job" / "orders.odcs.yaml"
HEADER = "order_id,customer_id,order_date,amount,quantity,status,updated_at\n"
SOURCE = "erp/orders"
TABLE, BRONZE, QUARANTINE, RUNS = "silver.orders", "bronze.erp_orders_raw", "quarantine.orders", "assay.runs"
TABLES = [BRONZE, QUARANTINE, TABLE, RUNS]  # in the order in which a run commits to them
VOLATILE = {"_loaded_at", "_quarantined_at"}
RECORD = ["table_name", "batch_id", "status", "gate", "landed", "corrupt", "accepted", "superseded", "quarantined"]


def order(key, minute=0, amount="10.00", status="new", day="2026-03-01"):
    return f"{key},C{key},{day},{amount},1,{status},2026-03-01T08:{minute:02d}:00Z\n"


def bad_order(key):
    return order(key, amount="ten")


def orders(*lines):
    return HEADER + "".join(lines)


def feed(project, batches):
    """Land {batch: {file: text}} and the contract."""
    project.contract(CONTRACT)
    for batch, files in batches.items():
        project.batch(SOURCE, batch, files)
    return TABLE


def rows(project, table):
    """Rows as sorted texts; of assay.runs only what a rerun gives again, once a batch and status."""
    found = project.rows(table)
    if table == RUNS:
        return sorted({json.dumps([row[name] for name in RECORD]) for row in found})
    return sorted(json.dumps({k: v for k, v in row.items() if k not in VOLATILE}, default=str, sort_keys=True) for row in found)


def state(project):
    return {table: rows(project, table) for table in TABLES}


def check_files(project):
    """Every file that a table refers to is there and has the size that its log says."""
    import deltalake

    for table in TABLES:
        folder = project.table(table)
        if not list(folder.glob("_delta_log/[0-9]*")):  # no version yet
            continue
        actions = deltalake.DeltaTable(folder).get_add_actions(flatten=True)
        for path, size in zip(actions["path"].to_pylist(), actions["size_bytes"].to_pylist()):
            assert (folder / urllib.parse.unquote(path)).stat().st_size == size, f"{table}: {path}"


def check_account(project):
    """Every landed row is somewhere, once, in each table and in the records."""
    quarantined = collections.Counter(row["_batch_id"] for row in project.rows(QUARANTINE))
    for record in project.rows(RUNS):
        if record["accepted"] is not None:
            assert record["landed"] == record["accepted"] + record["superseded"] + record["quarantined"], record
        if record["status"] == "done":
            assert quarantined[record["batch_id"]] == record["quarantined"], record
    keys = [row["order_id"] for row in project.rows(TABLE)]
    assert len(keys) == len(set(keys))
