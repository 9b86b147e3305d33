"""Landing that is broken at any touch of the lake leaves the whole batch or none of it; of a batch that is being replaced the
old one or the new one is there at any time, and the old files are never lost. Landing again ends the job."""
import shutil

import feed
import project as projects
import pytest

WAYS = ["stop", "stop-after", "fail", "fail-after", "full"]
OLD = {"a.csv": feed.orders(feed.order("A")), "b.csv": feed.orders(feed.order("B"))}
NEW = {"b.csv": feed.orders(feed.order("B", amount="11.00")), "c.csv": feed.orders(feed.order("C"))}


def land(project, files, *args, **how):
    for name, text in files.items():
        (project.root / name).write_text(text)
    return project.assay("land", feed.TABLE, *files, "--batch", "b1", *args, **how)


def data(folder):
    """The data files and the manifest's names; None if there is no such folder."""
    if not folder.is_dir():
        return None
    assert (folder / "_manifest.json").exists()
    return {path.name: path.read_text() for path in folder.iterdir() if path.name[0] not in "_."}


def everything(project):
    return sorted(path.read_text() for path in project.lake.rglob("*.csv"))


@pytest.mark.parametrize("is_replaced", [False, True], ids=["new", "replaced"])
@pytest.mark.parametrize("way", WAYS)
def test_landing(assay, tmp_path, way, is_replaced):
    def begin(name):
        project = projects.Project(tmp_path / name, assay)
        feed.feed(project, {})
        if is_replaced:
            land(project, OLD)
        return project, project.lake / "Files/landing/erp/orders/batch_id=b1"

    project, folder = begin("whole")
    land(project, NEW, "--replace", env={"ASSAY_TEST_FAULT": "count", "ASSAY_TEST_FAULT_COUNT": str(tmp_path / "count")})
    assert data(folder) == NEW
    for n in range(1, int((tmp_path / "count").read_text()) + 1):
        project, folder = begin(f"{n}")
        broken = land(project, NEW, "--replace", code=None, env={"ASSAY_TEST_FAULT": f"{way}:{n}"})
        assert broken.code in ({137} if way.startswith("stop") else {0, 3}), broken.stderr
        assert data(folder) in ([NEW] if broken.code == 0 else [OLD, NEW] if is_replaced else [NEW, None]), f"{way}:{n}"
        if is_replaced:
            assert set(OLD.values()) <= set(everything(project)), f"{way}:{n}: replaced files are lost"
        [batch] = project.assay("landing", "list", "--json").json()["tables"][0]["batches"] or [{"files": []}]
        assert [f["name"] for f in batch["files"]] == sorted(data(folder) or {})
        land(project, NEW, "--replace")
        assert data(folder) == NEW
        assert set(OLD.values()) <= set(everything(project)) or not is_replaced
        assert not (project.lake / ".assay-staging").exists()
        shutil.rmtree(project.root)
