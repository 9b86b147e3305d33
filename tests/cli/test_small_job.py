"""The small job gives exactly the counts of data/small-job/README.md, and replaying a batch changes nothing."""
COUNTS = {
    "b1": {"landed": 2005, "quarantined": 30, "superseded": 5, "inserted": 1970, "updated": 0},
    "b2": {"landed": 2010, "quarantined": 30, "superseded": 10, "inserted": 1873, "updated": 97},
    "b3": {"landed": 2010, "quarantined": 30, "superseded": 10, "inserted": 1871, "updated": 99},
}


def counts_of(value, name):
    """The first object with this key, wherever it is."""
    if isinstance(value, dict):
        if name in value:
            return value
        value = list(value.values())
    found = (counts_of(v, name) for v in value) if isinstance(value, list) else ()
    return next((f for f in found if f), None)


def run(project, name, batch):
    return counts_of(project.assay("run", name, "--batch", batch, "--json").json(), "landed")


def test_small_job_counts(project):
    name = project.small_job()
    for batch, want in COUNTS.items():
        got = run(project, name, batch)
        assert {k: got[k] for k in want} == want
        assert got["accepted"] == got["landed"] - got["superseded"] - got["quarantined"]
    assert len(project.rows("silver.orders")) == 5714
    assert len(project.rows("quarantine.orders")) == 90


def test_small_job_replay_writes_no_row(project):
    name = project.small_job()
    run(project, name, "b1")
    run(project, name, "b2")
    before = sorted(project.rows("silver.orders"), key=str)
    version = project.version("silver.orders")
    run(project, name, "b1")
    assert sorted(project.rows("silver.orders"), key=str) == before
    assert project.version("silver.orders") == version
    assert len(project.rows("quarantine.orders")) == 60
