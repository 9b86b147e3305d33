"""constraints show, add, drop: rows first, then one commit that delta-rs and Spark understand."""
import json

import deltalake
import pyarrow
import pytest

import feed


def write(project, rows, mode="append"):
    deltalake.write_deltalake(project.table("silver.t"), pyarrow.table(rows), mode=mode)


def configuration(project, name="silver.t"):
    return deltalake.DeltaTable(project.table(name)).metadata().configuration


def last_commit(project, name="silver.t"):
    path = max((project.table(name) / "_delta_log").glob("*.json"))
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture
def table(project):
    write(project, {"id": pyarrow.array(range(1, 31), pyarrow.int64()), "name": ["a"] * 28 + [None, ""]})
    return project


def test_added_after_every_row_was_seen(table):
    said = table.assay("constraints", "add", "Silver.T", "Positive", "id > 0").stdout
    assert "Positive stands on Silver.T, version 1" in said
    assert configuration(table) == {"delta.constraints.positive": "id > 0"}
    info, *others = last_commit(table)
    assert info["commitInfo"]["operation"] == "ADD CONSTRAINT"
    assert info["commitInfo"]["operationParameters"] == {"name": "positive", "expr": "id > 0"}
    assert sorted(key for action in others for key in action) == ["metaData", "protocol"]
    assert deltalake.DeltaTable(table.table("silver.t")).protocol().min_writer_version == 3
    with pytest.raises(Exception, match="(?i)constraint|invariant|check|invalid"):
        write(table, {"id": pyarrow.array([0], pyarrow.int64()), "name": ["x"]})
    write(table, {"id": pyarrow.array([31], pyarrow.int64()), "name": ["x"]})

    table.assay("constraints", "add", "silver.t", "positive", "(id) > 0")
    assert table.version("silver.t") == 2, "the same rule is no commit"
    said = table.assay("constraints", "add", "silver.t", "POSITIVE", "id > 1", code=2).stderr
    assert "with another text: id > 0" in said


def test_rows_that_break_it_are_shown(table):
    result = table.assay("constraints", "add", "silver.t", "named", "name <> ''", code=1)
    lines = result.stdout.splitlines()
    assert lines[0].split() == ["name", "id"], "the columns that the rule asks come first"
    assert sorted(line.split()[-1] for line in lines[2:4]) == ["29", "30"] and any(line.startswith("NULL") for line in lines)
    assert "silver/t version 0: 2 rows in the table break named" in result.stderr
    result = table.assay("constraints", "add", "silver.t", "small", "id < 5", code=1)
    assert "26 rows" in result.stderr and "the first 10 of 26 rows" in result.stdout
    assert "1 row in the table breaks" in table.assay("constraints", "add", "silver.t", "x", "id <> 7", code=1).stderr
    assert table.version("silver.t") == 0


@pytest.mark.parametrize("name, rule, said", [
    ("a", "id >", "column 5"), ("a", "idd > 0", "id"), ("a", "id + 1", "true or false"), ("a", "count(*) > 1", "aggregates"),
    ("a b", "id > 0", "no name"), ("", "id > 0", "no name"), ("__CHAR_VARCHAR_STRING_LENGTH_CHECK__", "id > 0", "no name"),
    ("a", "id > 0; DROP TABLE x", "end mark"),
])
def test_mistakes(table, name, rule, said):
    assert said in table.assay("constraints", "add", "silver.t", name, rule, code=2).stderr
    assert table.version("silver.t") == 0


def test_text_is_sparks(table):
    """The rule language reads '' as a quote; Spark 3.5 reads it as nothing."""
    table.assay("constraints", "add", "silver.t", "quote", "coalesce(name, '') <> 'it''s' AND id::string <> 'x'")
    assert configuration(table)["delta.constraints.quote"] == "coalesce(name, '') <> 'it\\'s' AND CAST(id AS STRING) <> 'x'"


def test_dropped(table):
    table.assay("constraints", "add", "silver.t", "positive", "id > 0")
    said = table.assay("constraints", "drop", "silver.t", "positiv", code=2).stderr
    assert "did you mean positive?" in said
    assert "no longer on silver.t, version 2" in table.assay("constraints", "drop", "silver.t", "POSITIVE").stdout
    assert configuration(table) == {}
    info = last_commit(table)[0]["commitInfo"]
    assert (info["operation"], info["operationParameters"]) == ("DROP CONSTRAINT",
                                                               {"name": "positive", "expr": "id > 0", "existed": "true"})
    assert deltalake.DeltaTable(table.table("silver.t")).protocol().min_writer_version == 3, "never lowered"
    write(table, {"id": pyarrow.array([0], pyarrow.int64()), "name": ["x"]})


def put_constraint(project, name, text):
    """As another writer would: into the last metadata, in a commit of its own."""
    log = project.table("silver.t") / "_delta_log"
    actions = [json.loads(line) for path in sorted(log.glob("*.json")) for line in path.read_text().splitlines()]
    [*_, metadata] = [action for action in actions if "metaData" in action]
    metadata["metaData"]["configuration"][f"delta.constraints.{name}"] = text
    (log / f"{len(list(log.glob('*.json'))):020}.json").write_text(json.dumps(metadata) + "\n")


def test_a_text_outside_of_the_language(table):
    put_constraint(table, "odd", "aggregate(array(id), 0, (a, x) -> a + x) > 0")
    said = table.assay("constraints", "add", "silver.t", "positive", "id > 0", code=3).stderr
    assert "odd" in said and "aggregate(array(id)" in said and "silver/t version 1" in said
    shown = table.assay("constraints", "show", "silver.t").stdout
    assert "assay constraints drop silver.t odd" in shown and "cannot ask" in shown
    assert "only reads it" in table.assay("detail", "silver.t").stdout
    assert table.assay("query", "SELECT count(*) n FROM silver.t", "--format", "csv").stdout == "n\n30\n", "it is still read"
    table.assay("constraints", "drop", "silver.t", "odd")
    table.assay("constraints", "add", "silver.t", "positive", "id > 0")


@pytest.mark.parametrize("rule", ["id > 0", "id IN (1, 2) OR id > 2", "name LIKE 'a%' OR name = '' OR name IS NULL", "id BETWEEN 1 AND 30",
                                  "CAST(id AS STRING) <> ''", "NOT (id = 99)"])
def test_constraints_of_deltars_are_read(table, rule):
    """Whatever text delta-rs stores for a rule, assay asks it and goes on writing."""
    deltalake.DeltaTable(table.table("silver.t")).alter.add_constraint({"theirs": rule})
    [text] = configuration(table).values()
    result = table.assay("constraints", "add", "silver.t", "ours", "id < 1000", code=None)
    if "arrow_cast" in text:
        assert result.code == 3 and text in result.stderr
    else:
        assert result.code == 0, f"{text}: {result.stderr}"
    shown = {rule["name"]: rule for rule in table.assay("constraints", "show", "silver.t", "--json").json()["constraints"]}
    assert shown["theirs"]["table"] == text


def test_beside_the_contract(project):
    feed.feed(project, {"b1": {"a.csv": feed.orders(feed.order("A"))}})
    project.assay("run")
    shown = project.assay("constraints", "show", feed.TABLE, "--format", "json").json()
    assert shown["contract"].endswith("silver.orders.odcs.yaml") and shown["version"] == 0
    assert {rule["where"] for rule in shown["constraints"]} == {"both"}
    assert sum(rule["kind"] == "notNull" for rule in shown["constraints"]) == 7

    # a rule leaves the contract, one changes, one comes
    path = project.root / "contracts/silver.orders.odcs.yaml"
    names = {rule["name"] for rule in shown["constraints"]}
    assert "quantity_range" in names
    project.assay("constraints", "add", feed.TABLE, "extra", "amount < 1000000")
    project.assay("constraints", "drop", feed.TABLE, "quantity_range")
    project.assay("constraints", "drop", feed.TABLE, "amount_range")
    project.assay("constraints", "add", feed.TABLE, "amount_range", "amount >= -5")
    where = {rule["name"]: rule["where"] for rule in project.assay("constraints", "show", feed.TABLE, "--json").json()["constraints"]}
    assert (where["extra"], where["quantity_range"], where["amount_range"]) == ("table", "contract", "different")
    text = project.assay("constraints", "show", feed.TABLE).stdout
    assert f"assay constraints drop {feed.TABLE} extra" in text
    assert "quantity_range: the next run puts it on the table" in text and "amount_range: the next run puts the contract's text" in text
    project.batch(feed.SOURCE, "b2", {"a.csv": feed.orders(feed.order("B"))})
    project.assay("run")
    where = {rule["name"]: rule["where"] for rule in project.assay("constraints", "show", feed.TABLE, "--json").json()["constraints"]}
    assert where == {name: "table" if name == "extra" else "both" for name in names | {"extra"}}

    path.unlink()
    said = project.assay("constraints", "show", feed.TABLE).stdout
    assert "contract" in said and "quantity_range" in said
