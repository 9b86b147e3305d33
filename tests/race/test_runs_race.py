"""Writers at the same time: two runs of one batch, two batches of one table, a run beside delta-rs. The tables are right in the
end, or a run says that it lost (exit 6); no row is lost or doubled."""
import subprocess
import threading

import feed
import project as projects
import pytest

ROUNDS = [pytest.param(10, id="few"), pytest.param(100, id="many", marks=pytest.mark.soak)]
SIZE = 60

B1 = feed.orders(*(feed.order(f"A{i}", i % 60) for i in range(SIZE)), feed.bad_order("X1"))
B2 = feed.orders(*(feed.order(f"A{i}", 59, "20.00") for i in range(0, SIZE, 2)), *(feed.order(f"B{i}") for i in range(SIZE)),
                 feed.bad_order("X2"))


def start(project, *args):
    return subprocess.Popen([project.program, *args], cwd=project.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(process):
    """The exit code, which must be that of a run that did its job or lost a race."""
    out, err = process.communicate(timeout=60)
    assert process.returncode in (0, 6), f"exit {process.returncode}\n{out}{err}"
    if process.returncode == 6:
        assert err.startswith("assay: "), err
    return process.returncode


def alone(assay, folder, batches):
    """What the tables hold when the batches run one after another."""
    project = projects.Project(folder, assay)
    feed.feed(project, batches)
    project.assay("run", feed.TABLE)
    return project, feed.state(project)


def check(project, want):
    feed.check_files(project)
    got = feed.state(project)
    assert {t: got[t] for t in feed.TABLES if t != feed.RUNS} == {t: want[t] for t in feed.TABLES if t != feed.RUNS}
    feed.check_account(project)


@pytest.mark.parametrize("rounds", ROUNDS)
def test_two_runs_of_one_batch(assay, tmp_path, rounds):
    want = alone(assay, tmp_path / "alone", {"b1": {"a.csv": B1}})[1]
    for n in range(rounds):
        project = projects.Project(tmp_path / str(n), assay)
        feed.feed(project, {"b1": {"a.csv": B1}})
        both = [start(project, "run", feed.TABLE, "--batch", "b1") for _ in range(2)]
        assert 0 in [finish(p) for p in both], "both lost"
        check(project, want)


@pytest.mark.parametrize("is_old", [False, True], ids=["new", "old"])
@pytest.mark.parametrize("rounds", ROUNDS)
def test_two_batches_of_one_table(assay, tmp_path, rounds, is_old):
    """`old`: the tables are there already; else both runs want to make them. What the rows are does not depend on who is first."""
    b0 = {"b0": {"a.csv": feed.orders(feed.order("Z1"), feed.bad_order("X0"), *(feed.order(f"Y{i}") for i in range(40)))}}
    want = alone(assay, tmp_path / "alone", {**(b0 if is_old else {}), "b1": {"a.csv": B1}, "b2": {"a.csv": B2}})[1]
    for n in range(rounds):
        project = projects.Project(tmp_path / str(n), assay)
        feed.feed(project, b0 if is_old else {})
        project.assay("run", feed.TABLE)
        feed.feed(project, {"b1": {"a.csv": B1}, "b2": {"a.csv": B2}})
        both = [start(project, "run", feed.TABLE, "--batch", batch) for batch in ("b1", "b2")]
        for batch, process in zip(("b1", "b2"), both):
            if finish(process):
                project.assay("run", feed.TABLE, "--batch", batch)
        check(project, want)


@pytest.mark.parametrize("rounds", ROUNDS)
def test_a_run_beside_another_writer(assay, tmp_path, rounds):
    """delta-rs appends to silver, one row a commit, while runs merge into it."""
    import deltalake.exceptions
    import pyarrow

    project = alone(assay, tmp_path / "project", {"b0": {"a.csv": B1}})[0]
    path = project.table(feed.TABLE)
    template = deltalake.DeltaTable(path).to_pyarrow_table().slice(0, 1)
    stop, written, failed = threading.Event(), [], []

    def append():
        while not stop.is_set():
            key = f"R{len(written)}"
            row = template.set_column(0, template.schema.field(0), pyarrow.array([key], template.schema.field(0).type))
            try:
                deltalake.write_deltalake(path, row, mode="append")
                written.append(key)
            except deltalake.exceptions.CommitFailedError:
                continue  # delta-rs lost; it tries the same row again
            except Exception as error:  # a thread's failure is the test's
                failed.append(error)
                return

    writer = threading.Thread(target=append)
    writer.start()
    try:
        for n in range(rounds):
            feed.feed(project, {f"n{n}": {"a.csv": feed.orders(*(feed.order(f"A{i}", 59, f"{n}.00") for i in range(n % 7, SIZE, 7)),
                                                               feed.order(f"N{n}"))}})
            process = start(project, "run", feed.TABLE, "--batch", f"n{n}")
            if finish(process):
                project.assay("run", feed.TABLE, "--batch", f"n{n}", code=None)
    finally:
        stop.set()
        writer.join()
    assert not failed, failed[0]
    project.assay("run", feed.TABLE)
    feed.check_files(project)
    keys = sorted(row["order_id"] for row in project.rows(feed.TABLE))
    want = [f"A{i}" for i in range(SIZE)] + [f"N{n}" for n in range(rounds)] + written
    assert keys == sorted(want)
    assert written, "the other writer never came to write"
    last = {f"A{i}": f"{n}.00" for n in range(rounds) for i in range(n % 7, SIZE, 7)}
    got = {row["order_id"]: str(row["amount"]) for row in project.rows(feed.TABLE) if row["order_id"] in last}
    assert got == last
