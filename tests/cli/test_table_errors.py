"""What users are told when a table is not what its log says, or not assay's to write: table, version, what, what next."""
import json
import os

import deltalake
import pyarrow
import pytest

import feed


@pytest.fixture
def job(project):
    """b1 is loaded and has a rejected row; b2 waits and meets a key of b1."""
    feed.feed(project, {"b1": {"a.csv": feed.orders(feed.bad_order("X"), *[feed.order(f"A{i}") for i in range(40)])}})
    project.assay("run")
    project.batch(feed.SOURCE, "b2", {"a.csv": feed.orders(feed.order("A1", minute=1))})
    return project


def remove_files(project, table):
    files = deltalake.DeltaTable(project.table(table)).file_uris()
    for file in files:
        os.unlink(file)
    return os.path.basename(files[0])


@pytest.mark.parametrize("table, args", [
    (feed.TABLE, ["run"]),
    (feed.TABLE, ["query", f"SELECT max(amount) FROM {feed.TABLE}"]),
    (feed.TABLE, ["constraints", "add", feed.TABLE, "small", "amount < 100"]),
    (feed.BRONZE, ["run", feed.TABLE, "--batch", "b1"]),
    (feed.QUARANTINE, ["quarantine", "show", feed.TABLE]),
    (feed.RUNS, ["run"]),
])
def test_a_gone_data_file(job, table, args):
    file = remove_files(job, table)
    said = job.assay(*args, code=3).stderr
    assert f"Tables/{table.replace('.', '/')} version 0" in said and file in said
    assert "backup" in said and "assay restore" in said and "pattern" not in said


def test_a_damaged_data_file(job):
    [file] = deltalake.DeltaTable(job.table(feed.TABLE)).file_uris()
    with open(file, "r+b") as out:
        out.truncate(100)
    said = job.assay("run", code=3).stderr
    assert "Tables/silver/orders version 0: a data file of this version cannot be read" in said and os.path.basename(file) in said


def change_metadata(project, name, change):
    """As another writer would, in a commit of its own."""
    log = project.table(name) / "_delta_log"
    actions = [json.loads(line) for path in sorted(log.glob("*.json")) for line in path.read_text().splitlines()]
    [*_, metadata] = [action for action in actions if "metaData" in action]
    [*_, protocol] = [action for action in actions if "protocol" in action]
    change(metadata["metaData"], protocol["protocol"])
    (log / f"{len(list(log.glob('*.json'))):020}.json").write_text("".join(json.dumps(action) + "\n" for action in (metadata, protocol)))


def test_a_constraint_of_others(job):
    def change(metadata, protocol):
        metadata["configuration"]["delta.constraints.odd"] = "size(array(order_id)) > 0"

    change_metadata(job, feed.TABLE, change)
    before = job.rows(feed.TABLE)
    said = job.assay("run", code=3).stderr
    assert "Tables/silver/orders version 1" in said and "'odd' (size(array(order_id)) > 0)" in said and "assay constraints show" in said
    assert job.rows(feed.TABLE) == before
    job.assay("constraints", "drop", feed.TABLE, "odd")
    job.assay("run")


def test_a_column_or_a_text(job):
    """Spark reads "status" in a constraint as a text, delta-rs as the column; assay does not choose."""
    def change(metadata, protocol):
        metadata["configuration"]["delta.constraints.two"] = "\"Status\" <> 'gone'"

    change_metadata(job, feed.TABLE, change)
    said = job.assay("run", code=3).stderr
    assert 'has "status"' in said and "delta-rs" in said and "assay constraints drop" in said


def test_a_feature_that_is_not_known(job):
    def change(metadata, protocol):
        protocol.update(minReaderVersion=1, minWriterVersion=7, writerFeatures=["hexagons", "checkConstraints", "invariants"])

    change_metadata(job, feed.TABLE, change)
    said = job.assay("run", code=3).stderr
    assert "Tables/silver/orders version 1" in said and "hexagons" in said and "next:" in said
    assert job.assay("query", f"SELECT count(*) n FROM {feed.TABLE}", "--format", "csv").stdout == "n\n40\n", "it is still read"


def test_an_unknown_batch(job):
    said = job.assay("quarantine", "show", feed.TABLE, "--batch", "b3", code=2).stderr
    assert "no batch b3 is landed" in said and "did you mean b" in said and "assay landing list silver.orders" in said
    assert job.assay("quarantine", "show", feed.TABLE, "--batch", "b2").stdout == "0 rows shown\n", "landed, not run yet"
    assert "1 row shown" in job.assay("quarantine", "show", feed.TABLE, "--batch", "b1").stdout


def test_a_lake_that_is_not_named(project):
    (project.root / "assay.yaml").write_text("contracts: contracts/*.odcs.yaml\n")
    for args in (["history", "silver.t"], ["query", "SELECT 1"]):
        assert "lake: ./lake" in project.assay(*args, code=2).stderr


def test_contracts_with_mistakes_do_not_matter(project):
    deltalake.write_deltalake(project.table("silver.t"), pyarrow.table({"id": [1]}))
    (project.root / "contracts/silver.t.odcs.yaml").write_text("nonsense: true\n")
    assert project.assay("query", "SELECT id FROM silver.t", "--format", "csv").stdout == "id\n1\n"
    assert "assay lint" in project.assay("constraints", "show", "silver.t").stdout
