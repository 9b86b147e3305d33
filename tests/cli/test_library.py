"""A program on the installed library: examples/library/run.c, compiled as its comment says, does what `assay run` does."""
import json
import pathlib
import re
import shlex
import subprocess

import pytest

import project as projects
from test_install import installed  # noqa: F401 (a fixture)

SOURCE = projects.ROOT / "examples" / "library" / "run.c"


@pytest.fixture(scope="module")
def program(assay, installed, tmp_path_factory):  # noqa: F811
    if re.search(r"ASSAY_SANITIZE:\w+=.", (assay.parent / "CMakeCache.txt").read_text()):
        pytest.skip("a sanitized library needs a sanitized program")
    env = {"PKG_CONFIG_PATH": str(installed / "lib" / "pkgconfig"), "PATH": "/usr/bin:/bin"}
    package = subprocess.run(["pkg-config", "--cflags", "--libs", "assay"], env=env, capture_output=True, text=True, check=True)
    path = tmp_path_factory.mktemp("library") / "run"
    words = shlex.split(package.stdout)
    strict = ["-std=c17", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
    subprocess.run(["cc", *strict, SOURCE, "-o", path, *words, f"-Wl,-rpath,{installed}/lib"], check=True)
    return path


def run(program, *args, cwd="/"):
    return subprocess.run([program, *map(str, args)], cwd=cwd, capture_output=True, text=True, timeout=120)


def test_runs_pending_batches(program, project):
    project.small_job()
    done = run(program, project.root)
    assert done.returncode == 0, done.stderr
    results = json.loads(done.stdout)["runs"]
    assert [(r["table"], r["status"]) for r in results] == [("silver.orders", "done")] * 3
    for r in results:
        assert r["landed"] == r["accepted"] + r["superseded"] + r["quarantined"]
    assert json.loads(run(program, project.root).stdout) == {"runs": []}
    again = json.loads(run(program, project.root, "silver.orders", results[0]["batch_id"]).stdout)["runs"]
    assert [r["landed"] for r in again] == [results[0]["landed"]]


def test_tells_a_refused_batch_in_both_ways(program, project):
    table = project.contract(projects.DATA / "small-job" / "orders.odcs.yaml")
    header = "order_id,customer_id,order_date,amount,quantity,status,updated_at\n"
    project.batch("erp/orders", "bad", {"a.csv": header + "A1,C1,2026-03-01,ten,1,new,2026-03-01T08:00:00Z\n"})
    done = run(program, project.root, table, "bad")
    assert done.returncode == 1
    result = json.loads(done.stdout)["runs"][0]
    assert (result["status"], result["gate"]) == ("refused", "reject_ratio")
    assert result["message"] in done.stderr


def test_lists_mistakes_and_touches_nothing(program, project):
    project.contract((projects.DATA / "small-job" / "orders.odcs.yaml").read_text().replace("logicalType", "logicalTyp", 1))
    done = run(program, project.root)
    assert done.returncode == 2
    found = json.loads(done.stdout)
    assert found["errors"] == len([d for d in found["diagnostics"] if d["severity"] == "error"]) > 0
    assert any("logicalType" in d["help"] for d in found["diagnostics"])
    assert not list(project.lake.iterdir())


def test_names_what_is_not_there(program, project, tmp_path):
    project.contract(projects.DATA / "small-job" / "orders.odcs.yaml")
    for args, code, words in [((tmp_path / "nowhere",), 3, "nowhere"), ((project.root, "silver.order"), 2, "silver.orders"),
                              ((project.root, "silver.orders", "b9"), 3, "b9"), ((project.root, "silver.orders", "../x"), 2, "../x"),
                              ((), 2, "usage")]:
        done = run(program, *args)
        assert (done.returncode, words in done.stderr) == (code, True), (args, done.stderr)
