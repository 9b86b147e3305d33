"""assay checkpoint, and what other engines make of checkpoints that assay writes."""
import hashlib
import json
import pathlib
import urllib.parse

import feed
import project as projects
import pytest

SPARK_TABLES = pathlib.Path(__file__).resolve().parents[1] / "data" / "spark-tables"


def checksum(hint):
    """The protocol's "JSON checksum", of any document."""
    leaves = []

    def quote(text):
        return '"' + urllib.parse.quote(text, safe="-._~") + '"'

    def walk(node, path):
        if isinstance(node, dict):
            for key, value in node.items():
                walk(value, path + [quote(key)])
        elif isinstance(node, list):
            for at, value in enumerate(node):
                walk(value, path + [str(at)])
        else:
            leaves.append("+".join(path) + "=" + (quote(node) if isinstance(node, str) else json.dumps(node)))

    walk({k: v for k, v in hint.items() if k != "checksum"}, [])
    return hashlib.md5(",".join(sorted(leaves)).encode()).hexdigest()


@pytest.fixture
def table(assay, tmp_path):
    """A project with a silver table of a few versions, and its folder."""
    project = projects.Project(tmp_path / "p", assay)
    for n in range(4):
        feed.feed(project, {f"b{n}": {"a.csv": feed.orders(*(feed.order(f"A{i}", n) for i in range(5)), feed.order(f"N{n}"))}})
        project.assay("run", feed.TABLE)
    return project, pathlib.Path(project.table(feed.TABLE))


def test_the_checksum_is_that_of_spark():
    for path in SPARK_TABLES.glob("*/table/_delta_log/_last_checkpoint"):
        hint = json.loads(path.read_text())
        assert checksum(hint) == hint["checksum"], path


def test_checkpoint(table):
    project, folder = table
    rows = project.rows(feed.TABLE)
    newest = max(int(p.stem) for p in (folder / "_delta_log").glob("*.json"))
    done = json.loads(project.assay("checkpoint", feed.TABLE, "--format", "json").stdout)
    assert (done["table"], done["version"], done["written"], done["log_files_removed"]) == (feed.TABLE, newest, True, 0)
    hint = json.loads((folder / "_delta_log" / "_last_checkpoint").read_text())
    assert hint["version"] == newest and hint["numOfAddFiles"] == done["files"] and hint["sizeInBytes"] == done["bytes"]
    assert checksum(hint) == hint["checksum"]
    again = project.assay("checkpoint", feed.TABLE).stdout
    assert again.startswith(f"{feed.TABLE}: there was already a checkpoint of version {newest}: "), again
    for path in (folder / "_delta_log").glob("*.json"):
        path.unlink()
    assert project.rows(feed.TABLE) == rows
    import peers
    assert len(peers.read_deltars(str(folder))) == len(rows)
    feed.feed(project, {"b9": {"a.csv": feed.orders(feed.order("A1", 59, "99.00"))}})
    project.assay("run", feed.TABLE)
    assert [str(r["amount"]) for r in project.rows(feed.TABLE) if r["order_id"] == "A1"] == ["99.00"]


def test_no_table(table):
    project, _ = table
    done = project.assay("checkpoint", "silver.nothing", code=2)
    assert "silver.nothing" in done.stderr


def test_a_hint_that_lies_does_no_harm(table):
    """delta-rs believes a hint, so the next checkpoint has to put it right."""
    project, folder = table
    query = ["query", f"SELECT * FROM {feed.TABLE} ORDER BY order_id", "--format", "ndjson"]
    rows = project.assay(*query).stdout
    hint = folder / "_delta_log" / "_last_checkpoint"
    for n, text in enumerate(("", "{", '{"version":999,"size":1}', '{"version":-1}', "\0" * 100)):
        hint.write_text(text)
        assert project.assay(*query).stdout == rows
        feed.feed(project, {f"h{n}": {"a.csv": feed.orders(feed.order(f"H{n}"))}})
        project.assay("run", feed.TABLE)
        project.assay("checkpoint", feed.TABLE)
        assert json.loads(hint.read_text())["version"] == project.version(feed.TABLE)
        rows = project.assay(*query).stdout
