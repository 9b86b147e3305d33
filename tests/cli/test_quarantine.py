"""The quarantine as a workplace: list, export, redrive, and what is masked of personal columns."""
import csv
import io
import json

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
