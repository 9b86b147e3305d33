"""Ctrl-C and SIGTERM end a run before a commit; what is committed is whole, and the next run ends the job."""
import signal
import subprocess
import time

import feed
import pytest

SIZE = 80_000


def wait_for(project, pattern, process):
    """Until something in the lake matches, or the process ends."""
    end = time.monotonic() + 60
    while not next(project.lake.glob(pattern), None) and process.poll() is None:
        assert time.monotonic() < end, f"{pattern} never came"
        time.sleep(0.001)


def count(project, table):
    import deltalake

    return deltalake.DeltaTable(project.table(table)).to_pyarrow_table().num_rows


@pytest.mark.parametrize("when, tables, number, code", [
    pytest.param(".assay-staging/*/*", [], signal.SIGINT, 130, id="in bronze by SIGINT"),
    pytest.param("Tables/bronze/*/_delta_log/*0.json", [feed.BRONZE], signal.SIGTERM, 143, id="in silver by SIGTERM")])
def test_signal_in_a_run(project, when, tables, number, code):
    feed.feed(project, {"b1": {"a.csv": feed.orders(*(feed.order(f"K{i}") for i in range(SIZE)))}})
    run = subprocess.Popen([project.program, "run"], cwd=project.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for(project, when, run)
    run.send_signal(number)
    out, err = run.communicate(timeout=60)
    assert run.returncode == code, out + err
    assert "stopped by a signal before the commit to " in err and "next: assay run silver.orders --batch b1" in err
    assert [table for table in feed.TABLES if project.table(table).exists()] == tables
    for table in tables:
        assert count(project, table) == SIZE
    assert not (project.lake / ".assay-staging").exists()
    project.assay("run")
    assert count(project, feed.TABLE) == count(project, feed.BRONZE) == SIZE


def test_signal_between_batches(project):
    """What is done stays done; the rest is pending."""
    feed.feed(project, {f"b{i:02d}": {"a.csv": feed.orders(feed.order(f"K{i}"))} for i in range(20)})
    run = subprocess.Popen([project.program, "run"], cwd=project.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for(project, "Tables/assay/runs/_delta_log/*2.json", run)
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=60)
    assert run.returncode == 130, out + err
    assert err.startswith("assay: ")
    feed.check_files(project)
    assert 3 <= len(project.rows(feed.TABLE)) < 20
    project.assay("run")
    assert len(project.rows(feed.TABLE)) == 20
    assert len(project.rows(feed.RUNS)) == 20


def test_killed_at_any_time(project):
    """kill -9 at eight moments, each time going on where the last run ended."""
    feed.feed(project, {f"b{i}": {"a.csv": feed.orders(*(feed.order(f"K{k}", i) for k in range(4000)), feed.bad_order("X"))}
                        for i in range(4)})
    for moment in range(8):
        run = subprocess.Popen([project.program, "run"], cwd=project.root, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            run.wait(timeout=0.05 + 0.07 * moment)
        except subprocess.TimeoutExpired:
            run.kill()
            run.wait()
        feed.check_files(project)
        assert len(project.rows(feed.TABLE)) in (0, 4000)
        assert len(project.rows(feed.BRONZE)) % 4001 == 0
    project.assay("run")
    assert len(project.rows(feed.TABLE)) == 4000 and len(project.rows(feed.BRONZE)) == 4 * 4001
    assert {row["updated_at"].minute for row in project.rows(feed.TABLE)} == {3}
    feed.check_account(project)
    assert not (project.lake / ".assay-staging").exists()
