"""What each command does to a project: init, lint, land, run, bronze, silver, quarantine show."""
import json
import hashlib

import feed

REFUSED = feed.orders(feed.order("A"), feed.bad_order("X1"), feed.order("X2", day="2026-02-30"))


def test_from_init_to_a_first_table(project):
    for path in (project.root / "assay.yaml", *(project.root / "contracts").iterdir()):
        path.unlink()
    said = project.assay("init").stdout
    assert "contracts/silver.orders.odcs.yaml" in said and "next:" in said
    assert "0 errors, 0 warnings" in project.assay("lint").stdout
    assert "silver.orders" in project.assay("plan").stdout
    json.loads(project.assay("plan", "silver.orders", "--json").stdout)
    (project.root / "a.csv").write_text("id,status,amount,updated_at\n 1 ,NEW,1.005,2026-03-01T08:00:00Z\n2,lost,1,2026-03-01\n")
    project.assay("land", "silver.orders", "a.csv", "--batch", "b1")
    assert "the limit is 5 %" in project.assay("run", code=1).stderr
    (project.root / "a.csv").write_text("id,status,amount,updated_at\n 1 ,NEW,1.005,2026-03-01T08:00:00Z\n")
    project.assay("land", "silver.orders", "a.csv", "--batch", "b2")
    project.assay("run")
    [row] = project.rows("silver.orders")
    assert (row["id"], row["status"], str(row["amount"])) == ("1", "new", "1.01")


def test_init_changes_no_file(project):
    config = (project.root / "assay.yaml").read_text()
    project.assay("init", "silver.customers")
    before = (project.root / "contracts/silver.customers.odcs.yaml").read_text()
    said = project.assay("init", "silver.customers", code=3).stderr
    assert "silver.customers.odcs.yaml" in said
    assert (project.root / "contracts/silver.customers.odcs.yaml").read_text() == before
    assert (project.root / "assay.yaml").read_text() == config
    assert project.assay("init", "../x", code=2).stderr


def test_land_is_written_once(project):
    feed.feed(project, {})
    folder = project.lake / "Files/landing/erp/orders/batch_id=b1"
    a, b = feed.orders(feed.order("A")), feed.orders(feed.order("B"))
    (project.root / "a.csv").write_text(a)
    (project.root / "b.csv").write_text(b)
    said = project.assay("land", feed.TABLE, "a.csv", "b.csv", "--batch", "b1").stdout
    assert "next: assay run silver.orders --batch b1" in said
    manifest = json.loads((folder / "_manifest.json").read_text())
    assert [(f["name"], f["bytes"], f["sha256"]) for f in manifest["files"]] == [
        (name, len(text), hashlib.sha256(text.encode()).hexdigest()) for name, text in (("a.csv", a), ("b.csv", b))]

    said = project.assay("land", feed.TABLE, "a.csv", "b.csv", "--batch", "b1").stdout
    assert "same content" in said
    assert json.loads((folder / "_manifest.json").read_text()) == manifest

    (project.root / "b.csv").write_text(a)
    said = project.assay("land", feed.TABLE, "a.csv", "b.csv", "--batch", "b1", code=1).stderr
    for text in (a, b):
        assert hashlib.sha256(text.encode()).hexdigest() in said
    assert "--replace" in said
    assert (folder / "b.csv").read_text() == b

    project.assay("land", feed.TABLE, "b.csv", "--batch", "b1", "--replace")
    assert (folder / "b.csv").read_text() == a and not (folder / "a.csv").exists()
    [kept] = (folder / "_replaced").iterdir()
    assert (kept / "a.csv").read_text() == a and (kept / "b.csv").read_text() == b
    assert json.loads((kept / "_manifest.json").read_text()) == manifest
    assert sorted(p.name for p in folder.parent.iterdir()) == ["batch_id=b1"]


def test_land_refuses_what_a_run_would_not_read(project):
    feed.feed(project, {})
    (project.root / "sub").mkdir()
    for name in ("a.txt", "_a.csv", ".a.csv", "a.csv", "sub/a.csv"):
        (project.root / name).write_text(feed.orders(feed.order("A")))
    for names, says in ((["a.txt"], "*.csv"), (["_a.csv"], "start with _"), ([".a.csv"], "start with _"), (["a.csv", "sub/a.csv"], "two files"),
                        (["a.csv", "sub"], "two files")):
        assert says in project.assay("land", feed.TABLE, *names, "--batch", "b1", code=2).stderr
    assert "nothere.csv" in project.assay("land", feed.TABLE, "a.csv", "nothere.csv", "--batch", "b1", code=3).stderr
    assert not list(project.lake.rglob("*.csv"))


def test_nothing_pending(project):
    feed.feed(project, {})
    assert "nothing to do" in project.assay("run").stdout
    assert project.assay("run", "--json").json() == {"runs": []}
    feed.feed(project, {"b1": {"a.csv": feed.orders(feed.order("A"))}})
    project.assay("run")
    assert "nothing to do" in project.assay("run").stdout


def test_batches_that_are_not_there(project):
    feed.feed(project, {"b1": {"a.txt": "x"}})
    said = project.assay("run", feed.TABLE, "--batch", "b2", code=3).stderr
    assert "batch_id=b2" in said and "assay land silver.orders" in said
    said = project.assay("run", feed.TABLE, "--batch", "b1", code=3).stderr
    assert "*.csv" in said
    assert "assay run" in project.assay("silver", feed.TABLE, "--batch", "b1", code=3).stderr


def test_run_json_is_one_object(project):
    feed.feed(project, {"b1": {"a.csv": feed.orders(*(feed.order(f"K{i}") for i in range(40)), feed.order("K1", 9),
                                                    feed.order("R", 9, "1.005"), feed.bad_order("X"))},
                        "b2": {"a.csv": REFUSED}, "b3": {"a.csv": "nonsense\n"}})
    done = project.assay("run", "--json", code=1)
    assert done.stdout.count("\n") == 1
    runs = {run["batch_id"]: run for run in done.json()["runs"]}
    assert list(runs) == ["b1", "b2", "b3"]
    b1 = runs["b1"]
    assert set(b1) == {"table", "batch_id", "run_id", "status", "gate", "where", "message", "contract_version", "landed", "corrupt",
                       "accepted", "superseded", "quarantined", "inserted", "updated", "unchanged", "left_behind", "reasons",
                       "warnings", "checks", "rounded", "files", "versions", "started_at", "ended_at", "seconds"}
    assert (b1["status"], b1["gate"], b1["landed"], b1["accepted"], b1["superseded"], b1["quarantined"]) == ("done", None, 43, 41, 1, 1)
    assert (b1["inserted"], b1["updated"], b1["unchanged"], b1["left_behind"], b1["corrupt"]) == (41, 0, 0, 0, 0)
    assert b1["reasons"] == [{"rule": "amount_cast", "reason": "unparseable amount", "rows": 1}]
    assert b1["rounded"] == {"amount": 1}
    assert b1["versions"] == {feed.BRONZE: 0, feed.QUARANTINE: 0, feed.TABLE: 0}
    assert [f["name"] for f in b1["files"]] == ["a.csv"] and len(b1["files"][0]["sha256"]) == 64
    assert (b1["where"], b1["message"]) == (None, None)
    assert (runs["b2"]["status"], runs["b2"]["gate"], runs["b2"]["quarantined"]) == ("refused", "reject_ratio", 2)
    assert "inserted" not in runs["b2"] and "the limit is 5 %" in runs["b2"]["message"]
    assert (runs["b3"]["status"], runs["b3"]["gate"]) == ("refused", "header")
    assert "landed" not in runs["b3"]
    assert [r["status"] for r in sorted(project.rows(feed.RUNS), key=lambda r: r["batch_id"])] == ["done", "refused", "refused"]


def test_a_refused_batch_has_its_evidence(project):
    feed.feed(project, {"b1": {"a.csv": REFUSED}, "b2": {"a.csv": feed.orders(feed.order("B"))}})
    done = project.assay("run", code=1)
    assert "batch b1  REFUSED" in done.stdout and "batch b2  done" in done.stdout
    assert "assay quarantine show silver.orders --batch b1" in done.stderr
    assert "silver.orders.odcs.yaml:" in done.stderr  # the place of the limit
    assert [row["order_id"] for row in project.rows(feed.TABLE)] == ["B"]
    shown = project.assay("quarantine", "show", feed.TABLE, "--batch", "b1").stdout
    assert "a.csv:3  batch b1" in shown and "unparseable amount" in shown and '"ten"' in shown
    assert "a.csv:4  batch b1" in shown and "unparseable order_date" in shown and '"2026-02-30"' in shown
    assert "2 rows shown" in shown
    assert "nothing to do" in project.assay("run").stdout  # refused, and neither files nor contract changed
    project.contract(feed.CONTRACT.read_text().replace("maxRejectPercent: 5", "maxRejectPercent: 70"))
    project.assay("run")
    assert sorted(row["order_id"] for row in project.rows(feed.TABLE)) == ["A", "B"]


def test_quarantine_show(project):
    feed.feed(project, {"b1": {"a.csv": REFUSED, "c.csv": feed.orders('A7,"C\n')}, "b2": {"a.csv": feed.orders(feed.bad_order("X9"))}})
    assert project.assay("quarantine", "show", feed.TABLE).stdout == "0 rows shown\n"
    project.assay("run", code=1)
    rows = [json.loads(line) for line in project.assay("quarantine", "show", feed.TABLE, "--json").stdout.splitlines()]
    assert [(r["batch_id"], r["source_file"].rpartition("/")[2], r["source_line"]) for r in rows] == [
        ("b1", "a.csv", 3), ("b1", "a.csv", 4), ("b1", "c.csv", 2), ("b2", "a.csv", 2)]
    assert rows[0]["reason"] == "unparseable amount" and rows[0]["corrupt_record"] is None
    assert rows[0]["raw"] == {"order_id": "X1", "customer_id": "CX1", "order_date": "2026-03-01", "amount": "ten", "quantity": "1",
                              "status": "new", "updated_at": "2026-03-01T08:00:00Z"}
    assert rows[2]["corrupt_record"] == 'A7,"C' and rows[2]["raw"]["amount"] is None
    only = project.assay("quarantine", "show", feed.TABLE, "--batch", "b2", "--json").stdout.splitlines()
    assert [json.loads(line) for line in only] == rows[3:]
    shown = project.assay("quarantine", "show", feed.TABLE, "--limit", "1").stdout
    assert "1 row shown; there may be more" in shown
    unknown = project.assay("quarantine", "show", feed.TABLE, "--batch", "b7", code=2).stderr
    assert "b7" in unknown and "b1" in unknown  # nothing of that name was landed, and one like it was


def test_quarantine_of_an_older_contract_keeps_its_names(project):
    """The table has no raw value of a column that came later; the others stand under their own names."""
    feed.feed(project, {"b1": {"a.csv": REFUSED}})
    project.assay("run", code=1)
    text = feed.CONTRACT.read_text()
    column = "      - { name: region, logicalType: string, physicalType: string }\n"
    at = text.index("      - id: amount_prop")
    project.contract(text[:at] + column + text[at:])
    rows = [json.loads(line) for line in project.assay("quarantine", "show", feed.TABLE, "--json").stdout.splitlines()]
    assert [(r["raw"]["region"], r["raw"]["amount"], r["raw"]["quantity"]) for r in rows] == [(None, "ten", "1"), (None, "10.00", "1")]


def test_a_corrected_batch_tells_both_hashes(project):
    first, second = feed.orders(feed.order("A"), feed.order("B")), feed.orders(feed.order("A", amount="11.00"))
    feed.feed(project, {"b1": {"a.csv": first}})
    project.assay("run")
    feed.feed(project, {"b1": {"a.csv": second}})
    said = project.assay("run").stdout
    for text in (first, second):
        assert hashlib.sha256(text.encode()).hexdigest() in said
    assert "left behind 1 row" in said
    assert sorted((row["order_id"], str(row["amount"])) for row in project.rows(feed.TABLE)) == [("A", "11.00"), ("B", "10.00")]
    assert [row["order_id"] for row in project.rows(feed.BRONZE)] == ["A"]


def test_an_unchanged_batch_stays_in_bronze(project):
    feed.feed(project, {"b1": {"a.csv": feed.orders(feed.order("A"))}})
    project.assay("run")
    before = project.rows(feed.BRONZE)
    said = project.assay("run", feed.TABLE, "--batch", "b1").stdout
    assert "bronze stays as it is" in said and "1 unchanged" in said
    assert project.rows(feed.BRONZE) == before
    assert project.version(feed.BRONZE) == project.version(feed.TABLE) == 0


def test_stages_one_by_one(project):
    feed.feed(project, {"b1": {"a.csv": feed.orders(feed.order("A"))}})
    project.assay("bronze", feed.TABLE)
    assert (project.version(feed.BRONZE), project.version(feed.TABLE), project.version(feed.RUNS)) == (0, None, None)
    project.assay("silver", feed.TABLE, "--batch", "b1")
    assert (project.version(feed.BRONZE), project.version(feed.TABLE), project.version(feed.RUNS)) == (0, 0, 0)


def other_contract(table, quarantine):
    text = feed.CONTRACT.read_text().replace("physicalName: silver.orders", f"physicalName: {table}")
    return text.replace("id: silver-orders", f"id: {table}").replace("table: quarantine.orders", f"table: {quarantine}")


def test_contracts_that_share_a_bronze_table(project):
    feed.feed(project, {"b1": {"a.csv": feed.orders(feed.order("A"), feed.order("B"))}})
    project.contract(other_contract("silver.orders_again", "quarantine.orders_again"))
    said = project.assay("run").stdout
    assert "silver.orders  batch b1  done" in said and "silver.orders_again  batch b1  done" in said
    assert project.version(feed.BRONZE) == 0
    assert len(project.rows(feed.BRONZE)) == len(project.rows("silver.orders_again")) == 2
    assert "nothing to do" in project.assay("run").stdout


CUSTOMERS = """apiVersion: v3.1.0
kind: DataContract
id: customers
version: 1.0.0
status: active
schema:
  - name: customers
    physicalName: silver.zz_customers
    customProperties:
      - { property: assaySource, value: { path: landing/erp/customers, pattern: "*.csv", format: csv, header: strict } }
      - { property: assayGrain, value: { keys: [id], latestBy: [{ column: id, direction: desc }] } }
    properties:
      - { name: id, logicalType: string, physicalType: string, required: true, primaryKey: true, primaryKeyPosition: 1 }
"""


def test_reference_tables_come_first(project):
    text = feed.CONTRACT.read_text()
    at = text.index("      - id: order_date_prop")
    reference = """        relationships:
          - to: zz_customers.id
            customProperties:
              - { property: assayReference, value: { table: silver.zz_customers, column: id } }
"""
    feed.feed(project, {"b1": {"a.csv": feed.orders(*(feed.order(f"K{i}") for i in range(40)), feed.order("NOBODY"))}})
    project.contract(text[:at] + reference + text[at:])
    project.contract(CUSTOMERS)
    project.batch("erp/customers", "c1", {"a.csv": "id\n" + "".join(f"CK{i}\n" for i in range(40))})
    runs = project.assay("run", "--json").json()["runs"]
    assert [run["table"] for run in runs] == ["silver.zz_customers", "silver.orders"]
    assert (runs[1]["accepted"], runs[1]["quarantined"]) == (40, 1)
    [row] = project.rows(feed.QUARANTINE)
    assert row["raw_order_id"] == "NOBODY" and "customer_id" in row["_reject_reason"]


def test_lint_names_places_and_ends_with_2(project):
    project.contract(feed.CONTRACT.read_text().replace("assayGrain", "assayGrian"))
    done = project.assay("lint", code=2)
    assert "silver.orders.odcs.yaml:" in done.stdout and "assayGrain" in done.stdout and "^" in done.stdout
    done = project.assay("run", code=2)
    assert "silver.orders.odcs.yaml:" in done.stderr and "nothing was read or written" in done.stderr
    assert not (project.lake / "Tables").exists()


def test_two_contracts_that_would_replace_rows_of_each_other_are_mistakes(project):
    """Each replaces a batch by its id, so b1 of one would take b1 of the other out of a table that both write."""
    feed.feed(project, {"b1": {"a.csv": feed.orders(feed.order("A"))}})
    other = feed.CONTRACT.read_text().replace("silver.orders", "silver.more").replace("name: orders", "name: more")
    elsewhere = other.replace("landing/erp/orders", "landing/old/erp/orders")
    own_quarantine = other.replace("quarantine.orders", "quarantine.more")
    project.contract(elsewhere.replace("quarantine.orders", "quarantine.more"))
    said = project.assay("lint", code=2).stdout
    assert "bronze table bronze.erp_orders_raw is the bronze table of" in said and "[table-shared]" in said
    assert "1 mistake in the contracts" in project.assay("run", feed.TABLE, code=2).stderr
    project.contract(other)
    said = project.assay("lint", code=2).stdout
    assert "quarantine table quarantine.orders is the quarantine table of" in said
    project.contract(own_quarantine)
    project.assay("lint")
    assert [run["landed"] for run in project.assay("run", "--json").json()["runs"]] == [1, 1]
    assert len(project.rows(feed.BRONZE)) == 1
