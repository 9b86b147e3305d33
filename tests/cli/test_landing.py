"""Landing from files, folders and standard input; landing list and verify beside hashes that are computed here; links; files that
no run reads."""
import hashlib
import os
import re
import shlex
import shutil
import subprocess
import threading

import feed
import pytest
from test_hostile_world import forbid, run

A, B, C = (feed.orders(feed.order(key)) for key in "ABC")
LANDING = f"Files/landing/{feed.SOURCE}"


def sha(content):
    return hashlib.sha256(content if isinstance(content, bytes) else content.encode()).hexdigest()


def put(folder, files):
    """Write files; returns the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def batches(project, what="list", code=0, **how):
    """The batches by id as `landing list` or `landing verify` tells of them."""
    [table] = project.assay("landing", what, feed.TABLE, "--format", "json", code=code, **how).json()["tables"]
    assert table["table"] == feed.TABLE and table["source"] == LANDING
    return {batch["batch_id"]: batch for batch in table["batches"]}


def states(project, what="list", code=0):
    return {i: b["state"] for i, b in batches(project, what, code).items()}


def changes(batch):
    return [(c["name"], c["change"], c["old_sha256"], c["new_sha256"]) for c in batch["changes"]]


def tree(folder):
    """Everything below a folder, with times and contents."""
    return {str(p): (p.lstat().st_mtime_ns, p.read_bytes() if p.is_file() else None) for p in sorted(folder.rglob("*"))}


# ---- what is landed ----

def test_a_folder(project):
    feed.feed(project, {})
    put(project.root / "d", {"b.csv": B, "a.csv": A, "notes.txt": "x", "_SUCCESS": "", ".a.csv.crc": "x", "_old/c.csv": C})
    said = project.assay("land", feed.TABLE, "d", "--batch", "b1").stdout
    folder = project.lake / LANDING / "batch_id=b1"
    assert {p.name: p.read_text() for p in folder.iterdir() if p.name != "_manifest.json"} == {"a.csv": A, "b.csv": B}
    assert f"landed 2 files, {len(A) + len(B)} bytes" in said
    assert re.findall(r"left out.*: (\S+)", said) == ["d/.a.csv.crc", "d/_SUCCESS", "d/_old", "d/notes.txt"]
    project.assay("land", feed.TABLE, "d/", "--batch", "b1")  # the same again
    assert [p.name for p in sorted(folder.iterdir())] == ["_manifest.json", "a.csv", "b.csv"]


def test_a_folder_with_a_folder_is_refused(project):
    feed.feed(project, {})
    put(project.root / "d", {"a.csv": A, "part/b.csv": B})
    said = project.assay("land", feed.TABLE, "d", "--batch", "b1", code=2).stderr
    assert "d/part" in said and "next:" in said
    put(project.root / "none", {"a.txt": A, "b.txt": A})
    assert "none of the 2 names" in project.assay("land", feed.TABLE, "none", "--batch", "b1", code=2).stderr
    put(project.root / "e", {"a.csv": B})
    said = project.assay("land", feed.TABLE, "d/a.csv", "e", "--batch", "b1", code=2).stderr
    assert "two files are named a.csv" in said and "d/a.csv" in said and "e/a.csv" in said
    assert not list(project.lake.rglob("*.csv"))


def test_standard_input(project):
    feed.feed(project, {})
    text = feed.orders(*(feed.order(f"K{i:05d}") for i in range(40_000)))
    assert len(text) > 2 << 20
    put(project.root, {"a.csv": A})
    project.assay("land", feed.TABLE, "-", "a.csv", "--name", "in.csv", "--batch", "b1", stdin=text.encode())
    folder = project.lake / LANDING / "batch_id=b1"
    assert (folder / "in.csv").read_text() == text and (folder / "a.csv").read_text() == A
    assert changes(batches(project, "verify")["b1"]) == []
    assert batches(project)["b1"]["bytes"] == len(text) + len(A)
    for args, says in ((["-"], "--name"), (["-", "--name", "x.txt"], "*.csv"), (["-", "--name", "d/x.csv"], "path"),
                       (["-", "-", "--name", "x.csv"], "two files"), (["a.csv", "--name", "x.csv"], "standard input"),
                       (["-", "--name", "_x.csv"], "start with _")):
        assert says in project.assay("land", feed.TABLE, *args, "--batch", "b2", stdin=b"x", code=2).stderr, args
    assert not (project.lake / LANDING / "batch_id=b2").exists()


def test_what_is_no_file(project):
    feed.feed(project, {})
    os.mkfifo(project.root / "pipe.csv")
    assert "neither a file nor a folder" in project.assay("land", feed.TABLE, "pipe.csv", "--batch", "b1", code=2).stderr
    (project.root / "link.csv").symlink_to("/nowhere")
    project.assay("land", feed.TABLE, "link.csv", "--batch", "b1", code=3)
    assert not list(project.lake.rglob("*.csv"))


@pytest.mark.parametrize("name", ["a\nb.csv", "'; rm -rf \"$HOME\" #.csv", "\u00fc\u6e56 \u202e.csv", "x" * 251 + ".csv", "%41 [1]*?.csv", "-x.csv"],
                         ids=["newline", "quotes", "unicode", "255 bytes", "patterns", "dash"])
def test_hostile_names(project, name):
    feed.feed(project, {})
    put(project.root / "d", {name: A})
    project.assay("land", feed.TABLE, "d", "--batch", "b1")
    assert states(project, "verify") == {"b1": "new"}
    project.assay("run", feed.TABLE)
    [batch] = batches(project, "verify").values()
    assert batch["state"] == "loaded" and [f["name"] for f in batch["files"]] == [name]
    (project.lake / LANDING / "batch_id=b1" / name).write_text(B)
    [batch] = batches(project, "verify", code=1).values()
    assert changes(batch) == [(name, "changed", sha(A), sha(B))]
    shown = project.assay("landing", "verify", feed.TABLE, code=1)
    assert shown.stdout.count("\n") == 4 and sha(A) in shown.stdout
    assert sha(A) in project.assay("run", feed.TABLE).stdout
    [row] = project.assay("trace", feed.TABLE, "--where", "order_id = 'B'", "--json").json()["rows"]
    assert row["source"]["file"] == f"{LANDING}/batch_id=b1/{name}" and row["source"]["text"] == B.splitlines()[1]


@pytest.mark.parametrize("name", [b"a\\b.csv", b"a\xff.csv"])
def test_names_that_no_lake_holds(project, name):
    feed.feed(project, {})
    (project.root / "d").mkdir()
    with open(os.path.join(os.fsencode(project.root), b"d", name), "w") as f:
        f.write(A)
    said = project.assay("land", feed.TABLE, "d", "--batch", "b1", code=2).stderr
    assert "d/a" in said and ("backslash" in said or "UTF-8" in said)
    feed.feed(project, {"b2": {"a.csv": A}})
    shutil.copy(os.path.join(os.fsencode(project.root), b"d", name), os.fsencode(project.lake / LANDING / "batch_id=b2"))
    found = batches(project, "verify", code=1)["b2"]
    assert found["wrong"] and found["error"]


def test_a_file_that_grows_while_it_is_copied(project):
    feed.feed(project, {})
    path = project.root / "a.csv"
    path.write_text(feed.HEADER + feed.order("K") * 200_000)
    is_done = threading.Event()

    def grow():
        with open(path, "a") as f:
            while not is_done.is_set():
                f.write(feed.order("L"))
                f.flush()

    writer = threading.Thread(target=grow)
    writer.start()
    try:
        for i in range(20):  # on a busy machine the file may stand still while it is copied
            done = project.assay("land", feed.TABLE, "a.csv", "--batch", f"b{i}", code=None)
            if done.code:
                break
    finally:
        is_done.set()
        writer.join()
    assert done.code == 3 and "changed while it was copied" in done.stderr
    assert not list(project.lake.rglob(f"batch_id=b{i}/*.csv"))
    project.assay("land", feed.TABLE, "a.csv", "--batch", f"b{i}")


# ---- states ----

def test_states(project):
    feed.feed(project, {})
    for batch, text in (("b1", A), ("b2", feed.orders(*(feed.bad_order(f"X{i}") for i in range(9)))), ("b3", C)):
        put(project.root / batch, {"a.csv": text})
        project.assay("land", feed.TABLE, batch, "--batch", batch)
    assert states(project, "verify") == {"b1": "new", "b2": "new", "b3": "new"}
    project.assay("run", feed.TABLE, "--batch", "b1")
    project.assay("run", feed.TABLE, "--batch", "b2", code=1)
    found = batches(project, "verify")
    assert {i: (b["state"], b["pending"], b["wrong"]) for i, b in found.items()} == {
        "b1": ("loaded", False, False), "b2": ("refused", False, False), "b3": ("new", True, False)}
    assert found["b2"]["gate"] == "reject_ratio"
    assert [(f["name"], f["bytes"], f["sha256"]) for f in found["b1"]["files"]] == [("a.csv", len(A), sha(A))]
    shown = project.assay("landing", "list").stdout
    assert re.findall(r"^  (b\d)  (\w+)", shown, re.M) == [("b1", "loaded"), ("b2", "refused"), ("b3", "new")]


def test_an_edit_in_place_is_an_alarm(project):
    feed.feed(project, {"b1": {"a.csv": A, "b.csv": B}})
    project.assay("run", feed.TABLE)
    assert states(project, "verify") == {"b1": "loaded"}
    path = project.lake / LANDING / "batch_id=b1/a.csv"
    was = path.stat()
    path.write_text(C)
    assert changes(batches(project)["b1"]) == [("a.csv", "changed", sha(A), sha(C))]
    os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns))  # same size, same time: only the bytes tell
    assert len(A) == len(C) and states(project) == {"b1": "loaded"}
    found = batches(project, "verify", code=1)["b1"]
    assert found["state"] == "changed" and found["wrong"]
    assert changes(found) == [("a.csv", "changed", sha(A), sha(C))]
    done = project.assay("landing", "verify", feed.TABLE, code=1)
    assert f"a.csv: {sha(A)} -> {sha(C)}" in done.stdout
    assert "1 of 1 batches is not what was loaded" in done.stderr and "assay run silver.orders --batch b1" in done.stderr
    said = project.assay("run", feed.TABLE, "--batch", "b1")
    assert f"a.csv: {sha(A)} -> {sha(C)}" in said.stdout
    assert states(project, "verify") == {"b1": "loaded"}
    assert sorted(row["order_id"] for row in project.rows(feed.BRONZE)) == ["B", "C"]


def test_a_batch_that_grows_shrinks_and_goes(project):
    """What `run` makes of it is in the design's Corrections: the batch's rows are replaced, both hashes are told."""
    feed.feed(project, {"b1": {"a.csv": A}})
    project.assay("run", feed.TABLE)
    folder = project.lake / LANDING / "batch_id=b1"
    put(folder, {"b.csv": B})
    assert changes(batches(project, "verify", code=1)["b1"]) == [("b.csv", "later", None, sha(B))]
    said = project.assay("run", feed.TABLE)
    assert f"b.csv: not there -> {sha(B)}" in said.stdout
    assert sorted(row["order_id"] for row in project.rows(feed.BRONZE)) == ["A", "B"]
    (folder / "a.csv").unlink()
    assert changes(batches(project, "verify", code=1)["b1"]) == [("a.csv", "missing", sha(A), None)]
    [run] = project.assay("run", feed.TABLE, "--json").json()["runs"]
    assert run["changes"] == [{"name": "a.csv", "old_sha256": sha(A), "new_sha256": None}]
    assert [row["order_id"] for row in project.rows(feed.BRONZE)] == ["B"]
    assert states(project, "verify") == {"b1": "loaded"}
    shutil.rmtree(folder)
    found = batches(project, "verify", code=1)["b1"]
    assert found["state"] == "missing" and found["wrong"]
    assert changes(found) == [("b.csv", "missing", sha(B), None)]
    put(project.root, {"b.csv": B})
    project.assay("land", feed.TABLE, "b.csv", "--batch", "b1", "--replace")
    assert states(project, "verify") == {"b1": "loaded"}


def test_landed_again(project):
    """A correction by `land --replace` is to be loaded, and nothing is wrong; its manifest is checked from then on."""
    feed.feed(project, {})
    put(project.root, {"a.csv": A})
    project.assay("land", feed.TABLE, "a.csv", "--batch", "b1")
    project.assay("run", feed.TABLE)
    put(project.root, {"a.csv": B})
    project.assay("land", feed.TABLE, "a.csv", "--batch", "b1", code=1)
    project.assay("land", feed.TABLE, "a.csv", "--batch", "b1", "--replace")
    found = batches(project, "verify")["b1"]
    assert (found["state"], found["landed_again"], found["wrong"], found["pending"]) == ("changed", True, False, True)
    assert changes(found) == [("a.csv", "changed", sha(A), sha(B))]
    (project.lake / LANDING / "batch_id=b1/a.csv").write_text(C)
    found = batches(project, "verify", code=1)["b1"]
    assert (found["landed_again"], found["wrong"]) == (False, True)
    project.assay("land", feed.TABLE, "a.csv", "--batch", "b1", "--replace")
    project.assay("run", feed.TABLE)
    assert states(project, "verify") == {"b1": "loaded"}


def test_replaced_batches_lie_side_by_side(project):
    feed.feed(project, {})
    for text in (A, B, C, A):
        put(project.root, {"a.csv": text})
        project.assay("land", feed.TABLE, "a.csv", "--batch", "b1", "--replace")
    kept = sorted((project.lake / LANDING / "batch_id=b1/_replaced").iterdir())
    assert [(p / "a.csv").read_text() for p in kept] == [A, B, C]
    assert not [p for k in kept for p in k.iterdir() if p.is_dir()]


def test_a_change_before_the_first_load(project):
    """The manifest says what landed."""
    feed.feed(project, {})
    put(project.root, {"a.csv": A, "b.csv": B})
    project.assay("land", feed.TABLE, "a.csv", "b.csv", "--batch", "b1")
    folder = project.lake / LANDING / "batch_id=b1"
    (folder / "a.csv").write_text(C)
    (folder / "b.csv").rename(folder / "c.csv")
    found = batches(project, "verify", code=1)["b1"]
    assert found["state"] == "new" and found["wrong"]
    assert changes(found) == [("a.csv", "changed", sha(A), sha(C)), ("b.csv", "missing", sha(B), None), ("c.csv", "later", None, sha(B))]
    assert changes(batches(project)["b1"]) == changes(found)
    put(project.root, {"a.csv": C, "c.csv": B})
    said = project.assay("land", feed.TABLE, "a.csv", "c.csv", "--batch", "b1").stdout  # the same as there
    assert "nothing was written" in said
    project.assay("land", feed.TABLE, "a.csv", "c.csv", "--batch", "b1", "--replace")  # makes the manifest true
    assert states(project, "verify") == {"b1": "new"} and not batches(project)["b1"]["wrong"]


@pytest.mark.parametrize("manifest", ["", "{", "[]", '{"landed_at": "2026-01-01T00:00:00Z", "files": 5}', '{"files": [{"name": 5}]}', "null"])
def test_manifests_that_are_none(project, manifest):
    feed.feed(project, {"b1": {"a.csv": A, "_manifest.json": manifest}})
    batches(project, "list")
    batches(project, "verify", code=None)
    project.assay("run", feed.TABLE)
    assert states(project, "verify") == {"b1": "loaded"}


def test_an_unreadable_file_does_not_hide_the_others(project):
    feed.feed(project, {"b1": {"a.csv": A}, "b2": {"a.csv": B}})
    project.assay("run", feed.TABLE)
    path = project.lake / LANDING / "batch_id=b1/a.csv"
    os.chmod(path, 0)
    done = run(project, "landing", "verify", feed.TABLE, "--json", code=1)
    found = {b["batch_id"]: b for b in done.json()["tables"][0]["batches"]}
    assert "ermission denied" in found["b1"]["error"] and found["b1"]["wrong"] and not found["b2"]["wrong"]
    assert found["b2"]["files"][0]["sha256"] == sha(B)
    os.chmod(path, 0o644)


def test_no_batch_at_all(project):
    feed.feed(project, {})
    assert "no batch" in project.assay("landing", "verify").stdout
    assert batches(project) == {}
    assert "text or json" in project.assay("landing", "list", "--format", "xml", code=2).stderr


def test_read_only_lake(project):
    feed.feed(project, {"b1": {"a.csv": A}, "b2": {"a.csv": B}})
    project.assay("run", feed.TABLE, "--batch", "b1")
    before = tree(project.lake)
    forbid(project.lake, True)
    try:
        assert "b1  loaded" in run(project, "landing", "list", code=0).stdout
        assert "b2  new" in run(project, "landing", "verify", code=0).stdout
        assert A.splitlines()[1] in run(project, "trace", feed.TABLE, "--where", "order_id = 'A'", code=0).stdout
    finally:
        forbid(project.lake, False)
    assert tree(project.lake) == before


# ---- storage of others ----

@pytest.mark.parametrize("level", ["Files/landing/erp", LANDING, f"{LANDING}/batch_id=b1"])
def test_storage_behind_a_link_is_read_and_never_written(project, tmp_path, level):
    feed.feed(project, {"b1": {"a.csv": A}})
    (project.lake / level).rename(tmp_path / "theirs")
    (project.lake / level).symlink_to(tmp_path / "theirs")
    before = tree(tmp_path / "theirs")
    put(project.root, {"a.csv": B})
    said = project.assay("land", feed.TABLE, "a.csv", "--batch", "b1", "--replace", code=3).stderr
    assert f"{level}: is a link to {tmp_path / 'theirs'}" in said and "next:" in said
    project.assay("run", feed.TABLE)
    assert states(project, "verify") == {"b1": "loaded"}
    [row] = project.assay("trace", feed.TABLE, "--where", "order_id = 'A'", "--json").json()["rows"]
    assert row["source"]["text"] == A.splitlines()[1]
    assert tree(tmp_path / "theirs") == before
    assert [row["order_id"] for row in project.rows(feed.TABLE)] == ["A"]


def test_a_link_to_nothing_is_no_smaller_delivery(project):
    feed.feed(project, {})
    folder = put(project.lake / LANDING / "batch_id=b1", {"a.csv": A})
    (folder / "b.csv").symlink_to("/nowhere/b.csv")
    done = project.assay("run", feed.TABLE, code=3)
    assert "b.csv: cannot read: No such file" in done.stderr
    assert project.version(feed.TABLE) is None
    (folder / "b.csv").unlink()
    (folder / "b.csv").symlink_to(put(project.root / "theirs", {"b.csv": B}) / "b.csv")
    project.assay("run", feed.TABLE)
    assert {row["order_id"] for row in project.rows(feed.TABLE)} == {"A", "B"}


# ---- files that no run reads ----

def test_dates_without_a_batch_are_refused_with_commands_that_work(project):
    feed.feed(project, {"b1": {"a.csv": A}})
    source = project.lake / LANDING
    put(source, {"2026-04-01/a.csv": B, "year=2026/month=04/day=02/c.csv": C, "lost one's.csv": feed.orders(feed.order("D")),
                 "README.txt": "no data", "_old/x.csv": "no data"})
    done = project.assay("run", feed.TABLE, code=1)
    assert [row["order_id"] for row in project.rows(feed.TABLE)] == ["A"]  # the others go on
    assert "3 files are in no batch folder" in done.stderr and "README" not in done.stderr and "_old" not in done.stderr
    assert f"{LANDING}/batch_id=<ID>/, without levels for dates" in done.stderr
    [run] = project.assay("run", feed.TABLE, "--json", code=1).json()["runs"]
    assert (run["batch_id"], run["status"], run["gate"]) == (None, "refused", "landing")
    listed = project.assay("landing", "verify", "--json", code=1).json()["tables"][0]["strays"]
    assert {(s["folder"][len(LANDING):], *s["files"]) for s in listed} == {
        ("/2026-04-01", "a.csv"), ("/year=2026/month=04/day=02", "c.csv"), ("", "lost one's.csv")}
    commands = re.findall(r"^next: assay (land .*)$", done.stderr, re.M)
    assert len(commands) == 3
    for command in commands:
        words = shlex.split(command.replace("--batch ID", "--batch lost"))
        project.assay(*words)
    for name in ("2026-04-01", "year=2026", "lost one's.csv"):
        (shutil.rmtree if (source / name).is_dir() else os.unlink)(source / name)
    project.assay("run", feed.TABLE)
    assert states(project, "verify") == {i: "loaded" for i in ("b1", "2026-04-01", "2026-04-02", "lost")}
    assert sorted(row["order_id"] for row in project.rows(feed.TABLE)) == ["A", "B", "C", "D"]


def test_a_batch_of_which_nothing_is_read(project):
    feed.feed(project, {"b1": {"a.CSV": A}, "b2": {"a.csv": B}, "b3": {"_SUCCESS": ""}})
    put(project.lake / LANDING / "batch_id=b1", {"part/a.csv": A})
    done = project.assay("run", feed.TABLE, code=1)
    assert "batch b1: none of its 2 files matches the contract's pattern *.csv" in done.stderr
    assert [row["order_id"] for row in project.rows(feed.TABLE)] == ["B"]
    found = batches(project, "verify", code=1)
    assert found["b1"]["wrong"] and found["b1"]["left_out"] == ["a.CSV", "part/a.csv"]
    assert not found["b3"]["wrong"] and found["b3"]["files"] == []


def test_what_a_run_leaves_out_is_told(project):
    feed.feed(project, {"b1": {"a.csv": A, "b.csv._COPYING_": B, "notes.txt": "x", "_SUCCESS": ""}})
    put(project.lake / LANDING / "batch_id=b1", {"part/c.csv": C})
    said = project.assay("run", feed.TABLE).stdout
    assert "left out    4: _SUCCESS, b.csv._COPYING_, notes.txt, part/c.csv" in said
    [run] = project.assay("run", feed.TABLE, "--batch", "b1", "--json").json()["runs"]
    assert run["left_out"] == ["_SUCCESS", "b.csv._COPYING_", "notes.txt", "part/c.csv"]


def test_another_entity_below_is_none_of_ours(project):
    feed.feed(project, {"b1": {"a.csv": A}})
    project.batch(f"{feed.SOURCE}/lines", "b1", {"x.csv": B})
    project.assay("run", feed.TABLE)
    assert states(project, "verify") == {"b1": "loaded"}


def test_what_a_cut_short_landing_left_is_told(project):
    feed.feed(project, {"b1": {"a.csv": A}})
    put(project.lake / LANDING / "_landing-1234", {"a.csv": A})
    project.assay("run", feed.TABLE)
    assert "cut short: Files/landing/erp/orders/_landing-1234" in project.assay("landing", "verify").stdout


def test_the_shell_takes_what_completion_says(project):
    script = project.assay("completion", "bash").stdout
    ask = 'COMP_WORDS=(assay landing v); COMP_CWORD=2; _assay; printf "%s\\n" "${COMPREPLY[@]}"'
    done = subprocess.run(["bash", "-c", script + ask], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["verify"]
