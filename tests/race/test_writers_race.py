"""Many writers of one table at once, appending, merging, deleting and rewriting files: every commit that reported success stands,
once, nothing else does, and the rows are those that the commits make one after another.

Spark is not among them: on a local disk its own LogStore puts a version by "is it there? then rename", which is safe only between
the threads of one JVM. What assay and Spark do after each other is in tests/interop."""
import collections
import json
import pathlib
import subprocess
import sys

import pytest

SUPPORT = pathlib.Path(__file__).resolve().parents[1] / "support"
SEEDS = [pytest.param(4, 25, 1, id="few"),
         *(pytest.param(8, 200, seed, id=f"many-{seed}", marks=pytest.mark.soak) for seed in (1, 2, 3))]


def start(*command):
    return subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def reported(writers, timeout):
    """What the writers say that they committed, in any order."""
    said = []
    for name, writer in writers.items():
        out, err = writer.communicate(timeout=timeout)
        assert writer.returncode == 0, f"{name}: exit {writer.returncode}\n{err}"
        said += [json.loads(line) for line in out.splitlines()]
    return said


def versions_of(table):
    """{tag: version} of the commits in the log, which has every version up to its newest."""
    found = {}
    paths = sorted((table / "_delta_log").glob("[0-9]*.json"))
    assert [int(path.stem) for path in paths] == list(range(len(paths)))
    for path in paths:
        infos = [action["commitInfo"] for action in map(json.loads, path.read_text().splitlines()) if "commitInfo" in action]
        tag = infos[0].get("userMetadata")
        assert tag not in found, f"{tag} stands twice: {found.get(tag)} and {path.name}"
        if tag:
            found[tag] = int(path.stem)
    return found


def rows_after(commits):
    """{id: value} when the commits are made one after another; each must find the rows it changed."""
    values = {}
    for commit in commits:
        for key in commit["ids"]:
            if commit["op"] == "append":
                assert key not in values, f"{commit} appends what is there"
                values[key] = 0
            else:
                assert key in values, f"{commit} changes a row that is not there: it did not see who was before it"
                if commit["op"] == "raise":
                    values[key] += 1
                else:
                    del values[key]
    return values


def check(table, said):
    versions = versions_of(table)
    assert sorted(versions) == sorted(c["tag"] for c in said), "what stands is not what was reported"
    for commit in said:
        assert commit.get("version", versions[commit["tag"]]) == versions[commit["tag"]], commit
    want = rows_after(sorted(said, key=lambda c: versions[c["tag"]]))
    import deltalake

    got = deltalake.DeltaTable(str(table)).to_pyarrow_table().to_pylist()
    twice = [key for key, count in collections.Counter(row["id"] for row in got).items() if count > 1]
    assert not twice, f"rows doubled: {twice}"
    assert {row["id"]: row["value"] for row in got} == want


@pytest.fixture
def lake(tmp_path, assay):
    program = pathlib.Path(assay).parent / "tests" / "delta_writer"
    folder = tmp_path / "lake"
    folder.mkdir()
    made = start(program, folder, "Tables/t", "create")
    assert made.wait(60) == 0, made.stderr.read()
    return program, folder, folder / "Tables" / "t"


@pytest.mark.parametrize("writers, commits, seed", SEEDS)
def test_writers(lake, writers, commits, seed):
    program, folder, table = lake
    names = [f"w{n}" for n in range(writers)]
    said = reported({name: start(program, folder, "Tables/t", name, commits, seed) for name in names}, 3600)
    assert len(said) == writers * commits
    assert {c["op"] for c in said} == {"append", "raise", "delete", "rewrite"}
    check(table, said)
    assert list((table / "_delta_log").glob("*.checkpoint.parquet")), "no checkpoint was written on the way"


@pytest.mark.parametrize("writers, commits, seed", SEEDS)
def test_writers_beside_deltars(lake, writers, commits, seed):
    program, folder, table = lake
    ours = {f"w{n}": start(program, folder, "Tables/t", f"w{n}", commits, seed) for n in range(writers // 2)}
    theirs = {f"r{n}": start(sys.executable, "-B", SUPPORT / "deltars_writer.py", table, f"r{n}", commits, seed)
              for n in range(writers // 2, writers)}
    said = reported({**ours, **theirs}, 3600)
    assert len(said) == writers * commits
    check(table, said)
