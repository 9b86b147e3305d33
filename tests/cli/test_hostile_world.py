"""A world that does not let us: files that may not be read, disks that may not be written or are full, odd paths."""
import ctypes
import os
import resource
import subprocess

import feed
import project as projects
import pytest

GOOD = feed.orders(*(feed.order(f"K{i}") for i in range(40)))
CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, PR_CAPBSET_DROP = 1, 2, 24


def run(project, *args, code, limit=None):
    """The program bound by the permissions of files, which root is not; `limit` bounds the size of the files it writes."""
    libc = ctypes.CDLL(None, use_errno=True)

    def prepare():
        if os.geteuid() == 0:
            for capability in (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH):
                if libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0):
                    os._exit(77)
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    done = subprocess.run([project.program, *args], cwd=project.root, capture_output=True, preexec_fn=prepare, timeout=120)
    if done.returncode == 77:
        pytest.skip("root may do anything here and cannot give it up")
    result = projects.Result(done.returncode, done.stdout, done.stderr)
    assert code is None or result.code == code, f"exit {result.code}\n{result.stdout}{result.stderr}"
    assert not projects.SANITIZER.search(result.stderr), result.stderr
    return result


def forbid(folder, is_read_only):
    """Take the right to write, or give it back, below a folder."""
    for path, folders, files in os.walk(folder):
        for name in files:
            os.chmod(os.path.join(path, name), 0o444 if is_read_only else 0o644)
        os.chmod(path, 0o555 if is_read_only else 0o755)


def test_unreadable_delivery(project):
    folder = feed.feed(project, {"b1": {"a.csv": GOOD}}) and project.lake / "Files/landing/erp/orders/batch_id=b1"
    os.chmod(folder / "a.csv", 0)
    said = run(project, "run", feed.TABLE, "--batch", "b1", code=3).stderr
    assert "a.csv" in said and "ermission denied" in said
    assert feed.state(project) == {table: [] for table in feed.TABLES}
    os.chmod(folder / "a.csv", 0o644)
    run(project, "run", feed.TABLE, code=0)
    assert len(project.rows(feed.TABLE)) == 40


def test_unreadable_batch_folder(project):
    feed.feed(project, {"b1": {"a.csv": GOOD}})
    folder = project.lake / "Files/landing/erp/orders/batch_id=b1"
    os.chmod(folder, 0)
    try:
        said = run(project, "run", feed.TABLE, code=3).stderr
    finally:
        os.chmod(folder, 0o755)
    assert "batch_id=b1" in said and "ermission denied" in said


def test_unreadable_file_to_land(project):
    feed.feed(project, {})
    (project.root / "a.csv").write_text(GOOD)
    os.chmod(project.root / "a.csv", 0)
    said = run(project, "land", feed.TABLE, "a.csv", "--batch", "b1", code=3).stderr
    assert "a.csv" in said and "ermission denied" in said
    assert not (project.lake / "Files/landing/erp/orders/batch_id=b1").exists()


def test_unreadable_contract(project):
    feed.feed(project, {})
    path = project.root / "contracts/silver.orders.odcs.yaml"
    os.chmod(path, 0)
    said = run(project, "run", feed.TABLE, code=3).stderr
    assert path.name in said and "ermission denied" in said


def test_read_only_lake(project):
    """Nothing is written, which is said; reading needs no right to write."""
    feed.feed(project, {"b1": {"a.csv": feed.orders(*(feed.order(f"K{i}") for i in range(40)), feed.bad_order("X"))}})
    run(project, "run", feed.TABLE, code=0)
    before = feed.state(project)
    feed.feed(project, {"b2": {"a.csv": GOOD}})
    forbid(project.lake, True)
    try:
        said = run(project, "run", feed.TABLE, code=3).stderr
        assert str(project.lake) in said and "ermission denied" in said
        said = run(project, "land", feed.TABLE, str(project.lake / "Files/landing/erp/orders/batch_id=b2/a.csv"), "--batch", "b3",
                   code=3).stderr
        assert str(project.lake) in said and "ermission denied" in said
        assert "unparseable amount" in run(project, "quarantine", "show", feed.TABLE, code=0).stdout
        run(project, "plan", feed.TABLE, code=0)
        run(project, "lint", code=0)
    finally:
        forbid(project.lake, False)
    assert feed.state(project) == before


def test_a_table_that_may_not_be_written(project):
    """Bronze is written, silver is not: the batch stays pending, and the next run ends the job."""
    feed.feed(project, {"b1": {"a.csv": GOOD}})
    run(project, "run", feed.TABLE, code=0)
    feed.feed(project, {"b2": {"a.csv": feed.orders(feed.order("Z"))}})
    forbid(project.table(feed.TABLE), True)
    try:
        said = run(project, "run", feed.TABLE, code=3).stderr
    finally:
        forbid(project.table(feed.TABLE), False)
    assert "Tables/silver/orders" in said and "ermission denied" in said
    assert len(project.rows(feed.BRONZE)) == 41 and len(project.rows(feed.TABLE)) == 40
    run(project, "run", feed.TABLE, code=0)
    assert len(project.rows(feed.TABLE)) == 41


@pytest.mark.parametrize("limit", [0, 1000, 4000, 16_000])
def test_full_disk(project, limit):
    """By a limit on the size of files. Tables stay whole; with room again the next run ends the job."""
    feed.feed(project, {"b1": {"a.csv": feed.orders(*(feed.order(f"K{i:06d}{i * 7919 % 99991}") for i in range(4000)))}})
    said = run(project, "run", feed.TABLE, code=3, limit=limit).stderr
    assert said.startswith("assay: ")
    assert "too large" in said or "no space" in said.lower(), said
    feed.check_files(project)
    assert not project.rows(feed.TABLE)
    run(project, "run", feed.TABLE, code=0)
    assert len(project.rows(feed.TABLE)) == len(project.rows(feed.BRONZE)) == 4000
    assert not (project.lake / ".assay-staging").exists()


def test_full_disk_while_landing(project):
    feed.feed(project, {})
    (project.root / "a.csv").write_text(GOOD)
    said = run(project, "land", feed.TABLE, "a.csv", "--batch", "b1", code=3, limit=1000).stderr
    assert "too large" in said
    assert not list(project.lake.rglob("*.csv"))
    run(project, "land", feed.TABLE, "a.csv", "--batch", "b1", code=0)


def test_full_standard_output(project):
    feed.feed(project, {})
    with open("/dev/full", "w") as full:
        done = subprocess.run([project.program, "plan"], cwd=project.root, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 3
    assert "standard output" in done.stderr and "No space left" in done.stderr


@pytest.mark.parametrize("batch", ["../x", "..", ".", "", "a/b", "a b", "b1'", "b\u00fc", "*", "b1\n", "x" * 300])
def test_batch_ids_that_are_none(project, batch):
    feed.feed(project, {"b1": {"a.csv": GOOD}})
    (project.root / "a.csv").write_text(GOOD)
    for args in (["run", feed.TABLE], ["land", feed.TABLE, "a.csv"], ["silver", feed.TABLE]):
        said = project.assay(*args, "--batch", batch, code=2).stderr
        assert "batch" in said and "next:" in said
    assert feed.state(project) == {table: [] for table in feed.TABLES}
    assert sorted(p.name for p in (project.lake / "Files/landing/erp/orders").iterdir()) == ["batch_id=b1"]
    assert not (project.lake / "Files/landing/erp/x").exists()


@pytest.mark.parametrize("name", ["a lake", "l\u00fcke", "[x]*'", 'q"uote', "#{}$&;", "\u6e56", "..lake"])
def test_lake_paths(project, name):
    """Not asked for `%20`, which delta-rs takes for a blank."""
    (project.root / "assay.yaml").write_text("lake: '%s'\ncontracts: contracts/*.odcs.yaml\n" % name.replace("'", "''"))
    project.lake = project.lake.rename(project.root / name)
    feed.feed(project, {})
    for batch in ("b1", "b2"):
        (project.root / "a [1]*.csv").write_text(feed.orders(*(feed.order(f"{batch}{i}") for i in range(40)), feed.bad_order("X"),
                                                             feed.order("K", amount="1.00" if batch == "b1" else "2.00")))
        project.assay("land", feed.TABLE, "a [1]*.csv", "--batch", batch)
        project.assay("run", feed.TABLE)
    feed.check_files(project)
    assert len(project.rows(feed.TABLE)) == 81
    assert "a [1]*.csv:42" in project.assay("quarantine", "show", feed.TABLE).stdout
    assert sorted(p.name for p in project.root.iterdir()) == sorted(["a [1]*.csv", "assay.yaml", "contracts", name])


def test_landing_folder_of_another_team(project, tmp_path):
    """The landing folder is a link to a place outside of the lake: it is read, never written."""
    feed.feed(project, {"b1": {"a.csv": GOOD}})
    (project.lake / "Files/landing/erp").rename(tmp_path / "elsewhere")
    (project.lake / "Files/landing/erp").symlink_to(tmp_path / "elsewhere")
    project.assay("run", feed.TABLE)
    (project.root / "b.csv").write_text(feed.orders(feed.order("Z")))
    said = project.assay("land", feed.TABLE, "b.csv", "--batch", "b2", code=3).stderr
    assert "Files/landing/erp" in said and str(tmp_path / "elsewhere") in said
    assert len(project.rows(feed.TABLE)) == 40
    assert [str(p.relative_to(tmp_path / "elsewhere")) for p in sorted((tmp_path / "elsewhere").rglob("*"))] == [
        "orders", "orders/batch_id=b1", "orders/batch_id=b1/a.csv"]


def test_file_that_is_a_link_to_nothing(project):
    folder = project.lake / "Files/landing/erp/orders/batch_id=b1"
    feed.feed(project, {"b1": {"a.csv": GOOD}})
    (folder / "b.csv").symlink_to("/nowhere/b.csv")
    project.assay("run", feed.TABLE, "--batch", "b1", code=None)
    assert len(project.rows(feed.TABLE)) in (0, 40)


def test_file_in_place_of_the_lake(project):
    feed.feed(project, {})
    project.lake.rmdir()
    project.lake.write_text("no folder")
    said = project.assay("run", feed.TABLE, code=2).stderr
    assert str(project.lake) in said and "folder" in said


def test_absent_lake(project):
    feed.feed(project, {})
    project.lake.rmdir()
    said = project.assay("run", feed.TABLE, code=3).stderr
    assert str(project.lake) in said


def test_file_in_place_of_a_table(project):
    feed.feed(project, {"b1": {"a.csv": GOOD}})
    project.table(feed.TABLE).parent.mkdir(parents=True)
    project.table(feed.TABLE).write_text("no table")
    said = project.assay("run", feed.TABLE, code=3).stderr
    assert "Tables/silver/orders" in said


def test_damaged_log(project):
    feed.feed(project, {"b1": {"a.csv": GOOD}})
    project.assay("run", feed.TABLE)
    log = project.table(feed.TABLE) / "_delta_log" / f"{0:020d}.json"
    log.write_bytes(log.read_bytes()[:300])
    feed.feed(project, {"b2": {"a.csv": feed.orders(feed.order("Z"))}})
    said = project.assay("run", feed.TABLE, code=3).stderr
    assert log.name in said


def test_lost_data_file(project):
    feed.feed(project, {"b1": {"a.csv": GOOD}})
    project.assay("run", feed.TABLE)
    [data] = project.table(feed.TABLE).glob("*.parquet")
    data.unlink()
    feed.feed(project, {"b2": {"a.csv": feed.orders(feed.order("K1", 5))}})
    said = project.assay("run", feed.TABLE, code=3).stderr
    assert data.name in said
