"""The quarantine as a workplace: list, export, redrive, and what is masked of personal columns."""
import csv
import io
import json
import shutil

import feed
import pytest

# quarantine may hold up to all rows here: what is asked is what becomes of rejected rows, not when a batch is refused
FREE = feed.CONTRACT.read_text(encoding="utf-8").replace("maxRejectPercent: 5", "maxRejectPercent: 100")

REQUIRED = ["order_date", "amount", "quantity", "status", "updated_at"]  # those that short,row does not reach


def personal(text, column, word="PII"):
    head, tail = text.split(f"name: {column}\n", 1)
    return f"{head}name: {column}\n        classification: {word}\n{tail}"


def start(project, batches, contract=FREE):
    feed.feed(project, batches)
    project.contract(contract)
    project.assay("run", feed.TABLE)


BATCHES = {
    "b1": {"a.csv": feed.orders(feed.order("A1"), feed.bad_order("X1"), "short,row\n"),
           "b.csv": feed.orders(feed.order("", 1, "ten"))},
    "b2": {"a.csv": feed.orders(feed.order("A2"), feed.bad_order("X2"))},
}


def objects(text):
    return [json.loads(line) for line in text.splitlines()]


def test_list(project):
    start(project, BATCHES)
    batches = objects(project.assay("quarantine", "list", "--json").stdout)
    assert [(b["table"], b["batch"], b["rows"], b["corrupt"], b["files"]) for b in batches] == [
        (feed.TABLE, "b1", 3, 1, 2), (feed.TABLE, "b2", 1, 0, 1)]
    reasons = objects(project.assay("quarantine", "list", feed.TABLE, "--by", "reason", "--json").stdout)
    # a corrupt row is checked like any other: what it does not have is missing, too
    assert {(r["reason"], r["rule"], r["column"], r["rows"], r["batches"], r["files"]) for r in reasons} == {
        ("unparseable amount", "amount_cast", "amount", 3, 2, 3), ("corrupt record", "corrupt_record", None, 1, 1, 1),
        ("missing order_id", "order_id_required", "order_id", 1, 1, 1),
        *((f"missing {name}", f"{name}_required", name, 1, 1, 1) for name in REQUIRED)}
    assert [r["rows"] for r in reasons] == sorted((r["rows"] for r in reasons), reverse=True)
    columns = objects(project.assay("quarantine", "list", feed.TABLE, "--by", "column", "--json").stdout)
    assert sorted((c["column"] or "", c["rows"]) for c in columns) == sorted(
        [("", 1), ("amount", 4), ("order_id", 1), *((name, 1) for name in REQUIRED if name != "amount")])
    text = project.assay("quarantine", "list", feed.TABLE, "--by", "column").stdout
    assert "(row)" in text and "amount" in text
    assert "write batch, reason or column" in project.assay("quarantine", "list", "--by", "day", code=2).stderr


def test_list_of_nothing(project):
    start(project, {"b1": {"a.csv": feed.orders(feed.order("A1"))}})
    assert project.assay("quarantine", "list").stdout == "no row is in quarantine\n"
    assert project.assay("quarantine", "list", "--json").stdout == ""


def test_export_has_the_sources_names_and_values(project):
    start(project, BATCHES)
    file = project.root / "out.csv"
    said = project.assay("quarantine", "export", feed.TABLE, "-o", file).stdout
    assert said == f"4 rows written to {file}\n"
    text = file.read_text()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert list(rows[0]) == ["_batch_id", "_source_file", "_source_line", "_reject_reason", "_corrupt_record",
                             "_corrupt_reason", *feed.HEADER.strip().split(",")]
    folder = "Files/landing/erp/orders/batch_id="
    assert [(r["_batch_id"], r["_source_file"], r["_source_line"], r["amount"]) for r in rows] == [
        ("b1", folder + "b1/a.csv", "3", "ten"), ("b1", folder + "b1/a.csv", "4", ""),
        ("b1", folder + "b1/b.csv", "2", "ten"), ("b2", folder + "b2/a.csv", "3", "ten")]
    assert rows[1]["_corrupt_record"] == "short,row" and "too few fields" in rows[1]["_corrupt_reason"]
    assert rows[2]["_reject_reason"] == "missing order_id; unparseable amount"
    out = objects(project.assay("quarantine", "export", feed.TABLE, "--format", "ndjson", "--batch", "b1").stdout)
    assert [(r["_source_line"], r["order_id"], r["_corrupt_record"]) for r in out] == [
        (3, "X1", None), (4, "short", "short,row"), (2, None, None)]
    assert {k: v for k, v in out[0].items() if k[0] != "_"} == dict(
        zip(feed.HEADER.strip().split(","), feed.bad_order("X1").strip().split(",")))
    only = project.assay("quarantine", "export", feed.TABLE, "--reason", "missing order_id").stdout.splitlines()
    assert len(only) == 2
    assert len(project.assay("quarantine", "export", feed.TABLE, "--rule", "amount_cast").stdout.splitlines()) == 4
    assert "--by reason" in project.assay("quarantine", "export", feed.TABLE, "--rule", "amuont", code=2).stderr
    assert "no batch b9" in project.assay("quarantine", "export", feed.TABLE, "--batch", "b9", code=2).stderr


def test_personal_columns_are_masked(project):
    start(project, BATCHES, personal(FREE, "amount", "personal data"))
    for command in (["show", feed.TABLE], ["show", feed.TABLE, "--json"], ["export", feed.TABLE],
                    ["export", feed.TABLE, "--format", "ndjson"]):
        masked = project.assay("quarantine", *command).stdout
        shown = project.assay("quarantine", *command, "--unmask").stdout
        assert "***" in masked and "***" not in shown
        assert "short,row" not in masked and "short,row" in shown
        assert '"ten"' not in masked and ",ten," not in masked and ("ten" in shown)
        assert "X1" in masked, "only that column"
        assert "short" not in masked, "nobody knows which column a broken row has where"
    where = ["trace", feed.TABLE, "--where", "order_id = 'A1'"]
    assert "10.00" not in project.assay(*where).stdout and "***" in project.assay(*where).stdout
    assert "10.00" in project.assay(*where, "--unmask").stdout


@pytest.mark.parametrize("word, is_masked", [("pii", True), ("Confidential", True), ("highly-restricted", True),
                                             ("public", False), ("internal", False), ("impersonal", False)])
def test_which_classifications_are_personal(project, word, is_masked):
    start(project, {"b1": {"a.csv": feed.orders(feed.bad_order("X1"))}}, personal(FREE, "amount", word))
    assert ('"***"' in project.assay("quarantine", "show", feed.TABLE).stdout) == is_masked


# ---- redrive ----

LOOSE = FREE.replace("minimum: 0 }", "minimum: -5 }").replace("version: 1.0.0", "version: 1.1.0")
REDRIVEN = "quarantine.orders_redriven"
# -9 stays rejected. K is newer in b2; of T and U, equal in time, the later line wins.
REJECTED = {
    "b1": {"a.csv": feed.orders(feed.order("A"), feed.order("N", 1, "-3.00"), feed.order("K", 1, "-4.00"), feed.bad_order("X"),
                                feed.order("L", 0, "-9.00"))},
    "b2": {"a.csv": feed.orders(feed.order("K", 9, "20.00"), feed.order("T", 3, "-1.00"), feed.order("T", 3, "7.00"),
                                feed.order("U", 3, "7.00"), feed.order("U", 3, "-1.00"))},
}
BEFORE = {"A": ("10.00", "b1"), "K": ("20.00", "b2"), "T": ("7.00", "b2"), "U": ("7.00", "b2")}
AFTER = {"A": ("10.00", "b1"), "N": ("-3.00", "b1"), "K": ("20.00", "b2"), "T": ("7.00", "b2"), "U": ("-1.00", "b2")}
REASONS = {("b1", 5): "unparseable amount", ("b1", 6): "invalid amount"}
FATES = {("b1", 3): "accepted", ("b1", 4): "superseded", ("b1", 5): "quarantined", ("b1", 6): "quarantined",
         ("b2", 3): "superseded", ("b2", 6): "accepted"}


def silver(project):
    rows = project.rows(feed.TABLE)
    found = {row["order_id"]: (str(row["amount"]), row["_batch_id"]) for row in rows}
    assert len(found) == len(rows)
    return found


def quarantine(project):
    rows = project.rows(feed.QUARANTINE)
    found = {(row["_batch_id"], row["_source_line"]): row["_reject_reason"] for row in rows}
    assert len(found) == len(rows)
    return found


def fates(project):
    rows = project.rows(REDRIVEN)
    found = {(row["_batch_id"], row["_source_line"]): row["_fate"] for row in rows}
    assert len(found) == len(rows)
    return found


def last_records(project):
    found = {}
    for row in sorted(project.rows(feed.RUNS), key=lambda r: r["ended_at"]):
        found[row["batch_id"]] = row
    return found


def check_end(project):
    assert silver(project) == AFTER
    assert quarantine(project) == REASONS
    assert fates(project) == FATES
    for batch, record in last_records(project).items():
        assert record["status"] == "done" and record["contract_version"] == "1.1.0"
        assert record["landed"] == record["accepted"] + record["superseded"] + record["quarantined"] == 5
        assert record["quarantined"] == sum(1 for b, _ in REASONS if b == batch)


def test_redrive_after_a_rule_was_loosened(project):
    start(project, REJECTED)
    assert silver(project) == BEFORE and len(quarantine(project)) == 6
    loaded = {row["order_id"]: row["_loaded_at"] for row in project.rows(feed.BRONZE)}
    project.contract(LOOSE)
    done = project.assay("quarantine", "redrive", feed.TABLE).stdout
    assert "redriven    4 = 1 accepted + 1 superseded + 2 quarantined again" in done
    assert "redriven    2 = 1 accepted + 1 superseded + 0 quarantined again" in done
    check_end(project)
    assert {r["order_id"]: r["_loaded_at"] for r in project.rows(feed.TABLE)}["N"] == loaded["N"], "its own place"
    [row] = [r for r in project.rows(REDRIVEN) if r["_source_line"] == 6 and r["_batch_id"] == "b1"]
    assert (row["_reject_reason"], row["_fate_reason"], row["_contract_version"]) == ("invalid amount",) * 2 + ("1.1.0",)
    version = project.version(feed.TABLE)
    project.assay("quarantine", "redrive", feed.TABLE)  # once more: only what is still rejected is asked again
    check_end(project)
    assert project.version(feed.TABLE) == version
    assert project.assay("run", feed.TABLE).stdout == "nothing to do: no batch is pending\n"
    for batch in REJECTED:
        project.assay("run", feed.TABLE, "--batch", batch)
    check_end(project)


def test_redrive_of_one_batch(project):
    start(project, REJECTED)
    project.contract(LOOSE)
    [run] = project.assay("quarantine", "redrive", feed.TABLE, "--batch", "b2", "--json").json()["runs"]
    assert run["batch_id"] == "b2" and run["redriven"] == {"accepted": 1, "superseded": 1, "quarantined": 0, "gone": 0}
    assert silver(project) == {**BEFORE, "U": ("-1.00", "b2")}
    assert {b for b, _ in quarantine(project)} == {"b1"}
    assert "no row is in quarantine" in project.assay("quarantine", "redrive", feed.TABLE, "--batch", "b2").stdout
    assert "did you mean b1" in project.assay("quarantine", "redrive", feed.TABLE, "--batch", "b11", code=2).stderr


def test_redrive_of_a_refused_batch_brings_in_all_of_it(project):
    feed.feed(project, {"b1": REJECTED["b1"]})
    strict = FREE.replace("maxRejectPercent: 100", "maxRejectPercent: 50")
    project.contract(strict)
    project.assay("run", feed.TABLE, code=1)  # 4 of 5 are rejected
    assert silver(project) == {}
    project.assay("quarantine", "redrive", feed.TABLE, code=1)  # nothing changed
    assert silver(project) == {} and len(quarantine(project)) == 4
    assert set(fates(project).values()) == {None}
    project.contract(LOOSE.replace("maxRejectPercent: 100", "maxRejectPercent: 50"))
    project.assay("quarantine", "redrive", feed.TABLE)
    assert silver(project) == {"A": ("10.00", "b1"), "N": ("-3.00", "b1"), "K": ("-4.00", "b1")}
    assert fates(project) == {**{k: v for k, v in FATES.items() if k[0] == "b1"}, ("b1", 4): "accepted"}


def test_redrive_of_a_batch_that_bronze_lost(project):
    import deltalake

    start(project, {"b1": REJECTED["b1"]})
    deltalake.DeltaTable(project.table(feed.BRONZE)).delete("_batch_id = 'b1'")
    said = project.assay("quarantine", "redrive", feed.TABLE, code=3).stderr
    assert "holds no row of batch b1" in said and "assay run silver.orders --batch b1" in said
    assert len(quarantine(project)) == 4


def test_large_batches_go_the_same_way(project):
    start(project, REJECTED)
    project.contract(LOOSE)
    project.assay("quarantine", "redrive", feed.TABLE, env={"ASSAY_TEST_SMALL_BATCH_ROWS": "0"})
    check_end(project)


def test_nothing_to_redrive(project):
    start(project, {"b1": {"a.csv": feed.orders(feed.order("A1"))}})
    assert project.assay("quarantine", "redrive", feed.TABLE).stdout == "nothing to do: no row is in quarantine\n"
    assert project.version(REDRIVEN) is None


WAYS = {"stop": {137}, "stop-after": {137}, "fail": {0, 3}, "fail-after": {0, 3, 5}}


@pytest.mark.parametrize("is_whole", [False, pytest.param(True, marks=[pytest.mark.soak, pytest.mark.timeout(7200)])],
                         ids=["some", "all"])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("end", [["quarantine", "redrive", feed.TABLE], ["run", feed.TABLE]], ids=["redrive", "run"])
def test_interrupted_at_storage_calls(project, tmp_path, way, end, is_whole):
    """Whatever call breaks, the same command again ends the job; once the record says that it began, so does a bare run."""
    start(project, REJECTED)
    project.contract(LOOSE)
    whole = shutil.copytree(project.lake, tmp_path / "lake")
    count = tmp_path / "count"
    project.assay("quarantine", "redrive", feed.TABLE,
                  env={"ASSAY_TEST_FAULT": "count", "ASSAY_TEST_FAULT_COUNT": str(count)})
    calls, ended = int(count.read_text()), 0
    first = 1 + 2 * list(WAYS).index(way) + (end[0] == "run")
    for n in range(1 if is_whole else first, calls + 1, 1 if is_whole else 3 * 2 * len(WAYS)):
        shutil.rmtree(project.lake)
        shutil.copytree(whole, project.lake)
        broken = project.assay("quarantine", "redrive", feed.TABLE, code=None, env={"ASSAY_TEST_FAULT": f"{way}:{n}"})
        assert broken.code in WAYS[way], f"{way}:{n}: {broken.stderr}"
        found = silver(project)
        for key, row in found.items():
            assert row in (BEFORE.get(key), AFTER.get(key)), f"{way}:{n}"
        assert set(BEFORE) <= set(found), f"{way}:{n}"
        held = {(row["_batch_id"], row["_source_line"]) for row in project.rows(feed.QUARANTINE)}
        noted = {place for place, fate in fates(project).items() if fate is None}
        assert held | noted | set(fates(project)) == set(FATES), f"{way}:{n}: a row is nowhere"
        project.assay(*end)
        if end[0] == "run":  # a batch that did not begin is left for the redrive
            assert not any(r["status"] == "started" for r in last_records(project).values()), f"{way}:{n}"
            project.assay("quarantine", "redrive", feed.TABLE)
        check_end(project)
        feed.check_files(project)
        ended += 1
    assert ended >= 3
