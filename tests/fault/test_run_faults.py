"""A run that is broken at any touch of the lake leaves tables that read as before or after, and the next run finishes the job.

The storage calls of an undisturbed run are counted; then the same run is broken at the n-th call, for each way to break (see
storage/storage.h). Soak takes every n for every way; otherwise the ways share the calls among them, so that each call is
broken in one way at least."""
import concurrent.futures
import os
import shutil

import feed
import project as projects
import pytest

WAYS = ["stop", "stop-after", "fail", "fail-after", "full"]
# What the program may end with. 0: the call was not needed, or the doubtful commit was found to have happened.
CODES = {"stop": {137}, "stop-after": {137}, "fail": {0, 3}, "fail-after": {0, 3, 5}, "full": {0, 3}}

B1 = {"a.csv": feed.orders(*(feed.order(f"A{i}", i) for i in range(40)), feed.bad_order("X1"), feed.order("A1", 50, "11.00")),
      "b.csv": feed.orders(*(feed.order(f"B{i}", i) for i in range(40)))}
B2 = {"a.csv": feed.orders(feed.order("A2", 55, "12.00"), feed.order("A3", 0, "9.00"), *(feed.order(f"C{i}", i) for i in range(50)),
                           feed.bad_order("X2"))}
B2_CORRECTED = {"a.csv": feed.orders(feed.order("A2", 56, "13.00"), *(feed.order(f"C{i}", i) for i in range(50)), feed.bad_order("X3"))}
B3_REFUSED = {"a.csv": feed.orders(feed.order("D1"), feed.bad_order("D2"))}


def clone(source, root):
    """The project with its lake as it is, file times too."""
    shutil.copytree(source.root, root, symlinks=True)
    copy = projects.Project.__new__(projects.Project)
    copy.root, copy.program, copy.lake = root, source.program, root / "lake"
    return copy


def objects(project):
    return [path for path in (project.lake / "Tables").rglob("*") if path.is_file()]


class Story:
    """A lake before a run, the states each table goes through in it, and the numbers of its storage calls and of those that
    write."""

    def __init__(self, before, batches, code):
        self.before, self.code = before, code
        now = clone(before, before.root.with_name("steps"))
        self.states = {table: [rows] for table, rows in feed.state(before).items()}
        for batch in batches:
            now.assay("run", feed.TABLE, "--batch", batch, code=None)
            for table, rows in feed.state(now).items():
                self.states[table].append(rows)
        whole = clone(before, before.root.with_name("whole"))
        count = whole.root / "count"
        whole.assay("run", feed.TABLE, code=code, env={"ASSAY_TEST_FAULT": "count", "ASSAY_TEST_FAULT_COUNT": str(count)})
        assert feed.state(whole) == self.after()
        self.calls = int(count.read_text())
        self.writes = len(objects(whole)) - len(objects(before))

    def after(self):
        return {table: states[-1] for table, states in self.states.items()}


@pytest.fixture(scope="module")
def first(assay, tmp_path_factory):
    """Two pending batches in an empty lake."""
    before = projects.Project(tmp_path_factory.mktemp("first") / "before", assay)
    feed.feed(before, {"b1": B1, "b2": B2})
    return Story(before, ["b1", "b2"], 0)


@pytest.fixture(scope="module")
def later(assay, tmp_path_factory):
    """A batch whose files changed, and one that is refused, in a lake that has tables."""
    before = projects.Project(tmp_path_factory.mktemp("later") / "before", assay)
    feed.feed(before, {"b1": B1, "b2": B2})
    before.assay("run", feed.TABLE)
    feed.feed(before, {"b2": B2_CORRECTED, "b3": B3_REFUSED})
    return Story(before, ["b2", "b3"], 1)


def check_steps(story, project, said):
    """Each table stands at one of its states, and none is ahead of the table that is written before it. Gives the state."""
    stands = []
    state = feed.state(project)
    for table, found in state.items():
        at = [i for i, rows in enumerate(story.states[table]) if rows == found]
        assert at, f"{said}: {table} is in between: {len(found)} rows"
        stands.append(at)
    limit = len(story.states[feed.BRONZE]) - 1
    for table, at in zip(feed.TABLES, stands):
        limit = max((i for i in at if i <= limit), default=None)
        assert limit is not None, f"{said}: {table} is ahead of the table before it"
    return state


def break_run(story, way, n, folder):
    said = f"{way}:{n}"
    project = clone(story.before, folder / f"{way}-{n}")
    broken = project.assay("run", feed.TABLE, code=None, env={"ASSAY_TEST_FAULT": f"{way}:{n}"})
    assert broken.code in CODES[way] | {story.code}, f"{said}: exit {broken.code}\n{broken.stderr}"
    if broken.code in (3, 5):
        assert broken.stderr.startswith("assay: "), f"{said}: {broken.stderr}"
    state = check_steps(story, project, said)
    feed.check_files(project)
    if broken.code == story.code:
        assert state == story.after(), said
    project.assay("run", feed.TABLE, code=None)
    assert feed.state(project) == story.after(), f"{said}: the next run does not finish the job"
    feed.check_files(project)
    feed.check_account(project)
    if n % 4 == 0:
        assert "nothing to do" in project.assay("run", feed.TABLE).stdout, said
    assert not (project.lake / ".assay-staging").exists(), f"{said}: staged files are left"
    shutil.rmtree(project.root)


def sweep(story, way, folder, is_whole=False):
    calls = range(1, (story.writes if way == "full" else story.calls) + 1)
    if not is_whole:
        calls = calls[::2] if way == "full" else calls[WAYS.index(way)::4]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for done in [pool.submit(break_run, story, way, n, folder) for n in calls]:
            done.result()


@pytest.mark.parametrize("way", WAYS)
def test_first_batches(first, way, tmp_path):
    sweep(first, way, tmp_path)


@pytest.mark.parametrize("way", WAYS)
def test_corrected_and_refused_batches(later, way, tmp_path):
    sweep(later, way, tmp_path)


@pytest.mark.soak
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["first", "later"])
def test_every_call(name, way, tmp_path, request):
    sweep(request.getfixturevalue(name), way, tmp_path, is_whole=True)


def test_a_fault_is_told_with_its_place_and_what_is_safe(first, tmp_path):
    project = clone(first.before, tmp_path / "told")
    said = project.assay("run", feed.TABLE, code=3, env={"ASSAY_TEST_FAULT": "full:1"}).stderr
    assert "no space left" in said and "Tables/bronze" in said
