"""What a merge does to the table's files, columns and constraints; each case as small batches are loaded, and the way of large
ones."""
import deltalake
import pyarrow
import pyarrow.compute
import pytest

import feed

WAYS = {"small": {}, "large": {"ASSAY_TEST_SMALL_BATCH_ROWS": "0"}}


@pytest.fixture(params=WAYS)
def way(request):
    return WAYS[request.param]


def land(project, **batches):
    feed.feed(project, {batch: {"part-1.csv": feed.orders(*lines)} for batch, lines in batches.items()})


def run(project, way, *batches, code=0):
    """The report of the last batch."""
    for batch in batches:
        result = project.assay("run", feed.TABLE, "--batch", batch, "--json", env=way, code=code)
    return result.json()["runs"][0]


def table(project):
    return deltalake.DeltaTable(project.table(feed.TABLE))


def files(project):
    """{first key: path} of the table's data files."""
    actions = table(project).get_add_actions(flatten=True)
    return dict(zip(actions["min.order_id"].to_pylist(), actions["path"].to_pylist()))


def silver(project):
    return {row["order_id"]: row for row in project.rows(feed.TABLE)}


def three_files(project, way):
    """A table of three files with keys A1-A3, M1-M3, Z1-Z3 at minute 5."""
    land(project, **{f"b{n}": [feed.order(f"{k}{i}", 5) for i in (1, 2, 3)] for n, k in enumerate("AMZ", 1)})
    run(project, way, "b1", "b2", "b3")
    assert sorted(files(project)) == ["A1", "M1", "Z1"]


def test_only_the_file_of_the_updated_row_is_rewritten(project, way):
    three_files(project, way)
    before = files(project)
    land(project, b4=[feed.order("A1", 4), feed.order("M2", 6, amount="11.00"), feed.order("Z3", 5)])
    report = run(project, way, "b4")
    assert (report["updated"], report["unchanged"], report["superseded"], report["inserted"]) == (1, 1, 1, 0)
    after = files(project)
    assert after["A1"] == before["A1"] and after["Z1"] == before["Z1"] and after["M1"] != before["M1"]
    rows = silver(project)
    assert len(rows) == 9
    assert str(rows["M2"]["amount"]) == "11.00" and rows["M2"]["_batch_id"] == "b4"
    assert rows["M1"]["_batch_id"] == "b2" and rows["A1"]["_batch_id"] == "b1" and rows["Z3"]["_batch_id"] == "b3"


def test_new_rows_touch_no_file(project, way):
    three_files(project, way)
    before = files(project)
    land(project, b4=[feed.order("A1", 5), feed.order("B1", 1), feed.order("Y1", 1)])
    report = run(project, way, "b4")
    assert (report["unchanged"], report["inserted"]) == (1, 2)
    after = files(project)
    assert {k: after[k] for k in before} == before and sorted(set(after) - set(before)) == ["B1"]


def test_a_batch_that_changes_nothing_makes_no_commit(project, way):
    three_files(project, way)
    version, before = project.version(feed.TABLE), files(project)
    land(project, b4=[feed.order("A1", 4, amount="1.00"), feed.order("M1", 5)])
    report = run(project, way, "b4")
    assert (report["superseded"], report["unchanged"]) == (1, 1)
    assert project.version(feed.TABLE) == version and files(project) == before


def test_columns_of_others_keep_their_values(project, way):
    land(project, b1=[feed.order(k, 1) for k in ("A1", "A2", "A3")])
    run(project, way, "b1")
    table(project).alter.add_columns([deltalake.Field("remark", deltalake.schema.PrimitiveType("string"))])
    table(project).update(updates={"remark": "'seen ' || order_id"}, predicate="order_id <> 'A3'")
    land(project, b2=[feed.order("A1", 2, amount="2.00"), feed.order("A4", 2)])
    report = run(project, way, "b2")
    assert (report["updated"], report["inserted"]) == (1, 1)
    assert {k: r["remark"] for k, r in silver(project).items()} == {"A1": "seen A1", "A2": "seen A2", "A3": None, "A4": None}
    assert str(silver(project)["A1"]["amount"]) == "2.00"
    land(project, b3=[feed.order("A5", 3)])  # nothing meets: the incoming rows go in as they are
    run(project, way, "b3")
    assert silver(project)["A5"]["remark"] is None and len(silver(project)) == 5


def test_a_key_that_the_table_holds_twice_is_refused(project, way):
    land(project, b1=[feed.order("A1", 1), feed.order("A2", 1)], b2=[feed.order("A1", 2)], b3=[feed.order("A2", 2)])
    run(project, way, "b1")
    twin = table(project).to_pyarrow_table(filters=[("order_id", "=", "A1")])
    deltalake.write_deltalake(project.table(feed.TABLE), twin, mode="append")
    version = project.version(feed.TABLE)
    report = run(project, way, "b2", code=1)
    assert "1 keys of the batch meet 2 rows" in report["message"]
    assert project.version(feed.TABLE) == version
    assert run(project, way, "b3")["updated"] == 1  # other keys are not harmed


def test_a_constraint_of_others_is_kept(project, way):
    land(project, b1=[feed.order("A1", 1)], b2=[feed.order("A2", 2), feed.order("A3", 2, status="paid")], b3=[feed.order("A4", 3)])
    run(project, way, "b1")
    table(project).alter.add_constraint({"not_paid": "status <> 'paid'"})
    version, before = project.version(feed.TABLE), files(project)
    report = run(project, way, "b2", code=1)
    assert "not_paid" in report["message"]
    assert project.version(feed.TABLE) == version and files(project) == before
    assert run(project, way, "b3")["inserted"] == 1
    assert "delta.constraints.not_paid" in table(project).metadata().configuration


def gain_rule(project, maximum):
    text = feed.CONTRACT.read_text()
    assert text.count("{ minimum: 0 }") == 1
    project.contract(text.replace("{ minimum: 0 }", f"{{ minimum: 0, maximum: {maximum} }}"))


def test_a_contract_gains_a_rule_only_when_old_rows_keep_it(project, way):
    land(project, b1=[feed.order("A1", 1, amount="50.00")], b2=[feed.order("A2", 2, amount="5.00")])
    run(project, way, "b1")
    version, before = project.version(feed.TABLE), table(project).metadata().configuration
    gain_rule(project, 49)
    report = run(project, way, "b2", code=1)
    assert "1 rows that are in the table break the contract's rule" in report["message"]
    assert project.version(feed.TABLE) == version and table(project).metadata().configuration == before
    gain_rule(project, 51)
    assert run(project, way, "b2")["inserted"] == 1
    gained = {k: v for k, v in table(project).metadata().configuration.items() if before.get(k) != v}
    assert len(gained) == 1 and "51" in gained.popitem()[1]


def test_a_batch_refused_for_the_tables_state_is_pending_until_that_is_mended(project):
    land(project, b1=[feed.order("A1", 1, amount="50.00")], b2=[feed.order("A2", 2, amount="5.00")])
    project.assay("run", feed.TABLE, "--batch", "b1")
    gain_rule(project, 49)
    for _ in range(2):
        report = project.assay("run", feed.TABLE, "--json", code=1).json()["runs"]
        assert [(r["batch_id"], r["status"], r["gate"]) for r in report] == [("b2", "refused", None)]
    table(project).delete("amount > 49")
    report = project.assay("run", feed.TABLE, "--json").json()["runs"]
    assert [(r["batch_id"], r["inserted"]) for r in report] == [("b2", 1)]
    assert project.assay("run", feed.TABLE, "--json").json()["runs"] == []


def measures(project, batch, lines):
    text = feed.CONTRACT.read_text()
    old = text[text.index("      - id: order_id_prop"):text.index("      - id: customer_id_prop")]
    new = "      - { name: order_id, logicalType: number, physicalType: double, required: true }\n"
    assert "unique: true" in old
    project.contract(text.replace(old, new))
    project.batch(feed.SOURCE, batch, {"part-1.csv": feed.orders(*lines)})


def test_keys_of_floating_point_are_equal_as_in_spark(project, way):
    """NaN is one key, and both zeros are one."""
    measures(project, "b1", [feed.order(k, m) for m, k in enumerate(["NaN", "0.0", "NaN", "-0.0", "1.5"])])
    report = run(project, way, "b1")
    assert (report["inserted"], report["superseded"]) == (3, 2)
    measures(project, "b2", [feed.order(k, 9, amount="2.00") for k in ("NaN", "0", "15e-1")])
    report = run(project, way, "b2")
    assert (report["updated"], report["inserted"]) == (3, 0)
    assert sorted(str(r["amount"]) for r in project.rows(feed.TABLE)) == ["2.00"] * 3


@pytest.mark.parametrize("there, comes", [("0.0", "-0.0"), ("-0.0", "0.0")])
def test_a_zero_meets_the_other_zero_of_a_file_with_more_rows(project, way, there, comes):
    """A filter that the engine pushes into the file must not tell the zeros apart."""
    measures(project, "b1", [feed.order(k, 1) for k in (there, "5.5", "-3.0")])
    run(project, way, "b1")
    measures(project, "b2", [feed.order(comes, 9, amount="2.00")])
    report = run(project, way, "b2")
    assert (report["updated"], report["inserted"]) == (1, 0)
    assert len(project.rows(feed.TABLE)) == 3


def test_a_row_of_another_writer_without_load_time_is_updated_at_its_version(project, way):
    land(project, b1=[feed.order("A1", 5)], b2=[feed.order("A2", 5, amount="2.00")], b3=[feed.order("A2", 4, amount="3.00")])
    run(project, way, "b1")
    row = table(project).to_pyarrow_table()
    names = ["order_id", "_loaded_at", "_batch_id", "_source_file"]
    values = [pyarrow.array([v], row.schema.field(n).type) for n, v in zip(names, ["A2", None, None, None])]
    for name, value in zip(names, values):
        row = row.set_column(row.schema.get_field_index(name), row.schema.field(name), value)
    deltalake.write_deltalake(project.table(feed.TABLE), row, mode="append")
    assert run(project, way, "b2")["updated"] == 1
    assert run(project, way, "b3")["superseded"] == 1
    assert str(silver(project)["A2"]["amount"]) == "2.00"


ODD_NAMES = ["_r0", "_rejected", "_repeated", "_c1", "_f0", "_n1", "n", "f", "r", "newer", "is_updated", "rowid", "h", "select", "t", "i",
             'a"b', "a'b", "a%zu", "Gr\u00f6\u00dfe", "source.n", "raw_n"]


def test_columns_of_any_name(project, way):
    """Names that the SQL between bronze and silver might use itself, or that need quotes."""
    text = feed.CONTRACT.read_text()
    start, end = text.index("    quality:\n      - id: orders_grain_unique"), text.index("slaProperties:")
    quoted = ['"' + name.replace('"', '\\"') + '"' for name in ODD_NAMES]
    columns = "".join(f"      - {{ name: {q}, logicalType: string, physicalType: string }}\n" for q in quoted[1:])
    key = f"      - {{ name: {quoted[0]}, logicalType: string, physicalType: string, required: true }}\n"
    text = text[:start] + "    properties:\n" + key + columns + text[end:]
    project.contract(text.replace("order_id", "_r0").replace("updated_at", "newer"))
    header = ",".join('"' + name.replace('"', '""') + '"' for name in ODD_NAMES) + "\n"
    newer = ODD_NAMES.index("newer")

    def line(key, version):
        return ",".join([key] + [str(version) if i == newer else f"{i}.{version}" for i in range(1, len(ODD_NAMES))]) + "\n"

    lines = {"b1": [line("K1", 1), line("K2", 1), line("K2", 2)], "b2": [line("K1", 2), line("K3", 1), line("", 1)]}
    for batch in lines:
        project.batch(feed.SOURCE, batch, {"part-1.csv": header + "".join(lines[batch])})
    assert run(project, way, "b1")["superseded"] == 1
    project.assay("run", feed.TABLE, "--batch", "b2", env=way, code=1)  # one in three is above the limit of rejects
    project.batch(feed.SOURCE, "b2", {"part-1.csv": header + "".join(lines["b2"][:2])})
    report = run(project, way, "b2")
    assert (report["updated"], report["inserted"]) == (1, 1)
    found = {row["_r0"]: ",".join(row[name] for name in ODD_NAMES) + "\n" for row in project.rows(feed.TABLE)}
    assert found == {"K1": line("K1", 2), "K2": line("K2", 2), "K3": line("K3", 1)}


def test_a_batch_above_the_small_ones(project):
    """200,000 rows in two files: every tenth key twice, every fiftieth row broken, all of it known beforehand."""
    def lines(first, minute):
        return [feed.order(f"K{n:06d}", minute, amount="x" if n % 50 == 7 else "1.00") for n in range(first, first + 100000)]

    again = 90000
    project.contract(feed.CONTRACT)
    project.batch(feed.SOURCE, "b1", {"a.csv": feed.orders(*lines(0, 1)), "b.csv": feed.orders(*lines(again, 2))})
    report = run(project, {}, "b1")
    broken = sum(n % 50 == 7 for n in range(100000))
    assert report["landed"] == 200000 and report["quarantined"] == 2 * broken
    twice = sum(n % 50 != 7 for n in range(again, 100000))
    assert report["superseded"] == twice and report["inserted"] == 200000 - 2 * broken - twice
    keys = table(project).to_pyarrow_table(columns=["order_id", "_source_file"])
    assert len(set(keys["order_id"].to_pylist())) == keys.num_rows == report["inserted"]
    from_second = pyarrow.compute.ends_with(keys["_source_file"], "b.csv").to_pylist().count(True)
    assert from_second == 100000 - broken  # the later row of each repeated key
    assert run(project, {}, "b1")["unchanged"] == report["inserted"]
