"""Random batches, replays and corrections through the program, each step compared with a model of checks, grain and merge in plain
Python. Every case runs twice: as small batches are loaded, and the way of large ones."""
import itertools
import random

import pytest

from project import Project

WAYS = {"small": {}, "large": {"ASSAY_TEST_SMALL_BATCH_ROWS": "0"}}
SOURCE = "erp/stock"
HEADER = "site,item,revision,price,note\n"
NEAR = "99.00"  # prices above it get a warning
CONTRACT = """\
apiVersion: v3.1.0
kind: DataContract
id: silver-stock
name: silver.stock
version: 1.0.0
status: active
team:
  name: stock
  members: [{ username: stock@example.com, role: Owner }]
schema:
  - name: stock
    physicalName: silver.stock
    physicalType: table
    logicalType: object
    dataGranularityDescription: One row per site and item, the highest revision.
    customProperties:
      - property: assaySource
        value: { path: landing/erp/stock, pattern: "*.csv", format: csv, header: strict }
      - property: assayBronze
        value: { table: bronze.stock_raw }
      - property: assayQuarantine
        value: { table: quarantine.stock, keepRawValues: true }
      - property: assayGrain
        value: { keys: [site, item], latestBy: [{ column: revision, direction: desc }] }
      - property: assayMerge
        value: { strategy: upsert }
      - property: assayBatch
        value: { maxRejectPercent: 100 }
    quality:
      - id: price_is_near
        type: sql
        query: SELECT COUNT(*) FROM {object} WHERE NOT (price <= 99)
        mustBe: 0
        severity: warning
    properties:
      - { name: site, logicalType: string, physicalType: string, required: true, transformLogic: trim(site) }
      - { name: item, logicalType: integer, physicalType: int, required: true }
      - { name: revision, logicalType: integer, physicalType: int }
      - name: price
        logicalType: number
        physicalType: decimal(8,2)
        required: true
        logicalTypeOptions: { minimum: 0 }
      - { name: note, logicalType: string, physicalType: string }
"""


# ---- the model ----


class Model:
    """silver: a dict from key to row; a row is (site, item, revision, cents, note, file, batch, load number)."""

    def __init__(self):
        self.silver, self.quarantine = {}, {}
        self.loads = {}  # batch: (files, number of the load)

    def run(self, batch, files):
        """What the run must report."""
        names = "landed accepted superseded quarantined inserted updated unchanged left_behind".split()
        count = dict.fromkeys(names, 0) | {"warned": 0, "rounded": 0}
        is_first = batch not in self.loads
        if is_first or self.loads[batch][0] != files:
            self.loads[batch] = (files, 1 + max((n for _, n in self.loads.values()), default=0))
        best, self.quarantine[batch] = {}, []
        for name in sorted(files):
            for number, line in enumerate(files[name]):
                row, reasons, is_rounded = check(line)
                count["landed"] += 1
                count["rounded"] += is_rounded
                if reasons:
                    count["quarantined"] += 1
                    self.quarantine[batch].append("; ".join(reasons))
                    continue
                count["warned"] += row[3] > 9900
                rank = (rank_of(row[2]), name, number)
                count["superseded"] += row[:2] in best
                if row[:2] not in best or rank > best[row[:2]][0]:
                    place = f"Files/landing/{SOURCE}/batch_id={batch}/{name}"
                    best[row[:2]] = (rank, row + (place, batch, self.loads[batch][1]))
        for key, (_, row) in best.items():
            count[self.merge(key, row)] += 1
        count["accepted"] = count["inserted"] + count["updated"] + count["unchanged"]
        delivered = {row[:5] for _, row in best.values()}
        if not is_first:
            count["left_behind"] = sum(row[6] == batch and row[:5] not in delivered for row in self.silver.values())
        return count

    def merge(self, key, row):
        old = self.silver.get(key)
        if old is None:
            self.silver[key] = row
            return "inserted"
        if (rank_of(row[2]), row[7]) < (rank_of(old[2]), old[7]):
            return "superseded"
        if row[:5] == old[:5]:
            return "unchanged"
        self.silver[key] = row
        return "updated"


def rank_of(revision):
    return (revision is not None, revision or 0)


def check(line):
    """(typed row or None, reasons, whether the price was rounded) of a line's texts; None is an empty field."""
    site, item, revision, price, note = line
    site = (site or "").strip(" ")
    reasons, cents, is_rounded = [], None, False
    if not site:
        reasons.append("missing site")
    if not item:
        reasons.append("missing item")
    elif not item.isdigit():
        reasons.append("unparseable item")
    if revision and not revision.isdigit():
        reasons.append("unparseable revision")
    if not price:
        reasons.append("missing price")
    elif price == "much":
        reasons.append("unparseable price")
    else:
        thousandths = round(float(price) * 1000)
        is_rounded = thousandths % 10 != 0
        cents = (abs(thousandths) + 5) // 10 * (1 if thousandths >= 0 else -1)
        if cents < 0:
            reasons.append("invalid price")
    row = None if reasons else (site, int(item), int(revision) if revision else None, cents, note)
    return row, reasons, is_rounded


# ---- feeds ----


def random_line(rng, revision):
    """One in eight is broken somewhere."""
    line = [rng.choice(["N", "S", " N ", "\u00fcber"]), str(rng.randrange(6)), revision,
            rng.choice(["1.00", "7.25", "98.994", "99.005", "120.00"]), rng.choice([None, "a", "b"])]
    if rng.random() < 0.125:
        at, text = rng.choice([(0, "  "), (0, None), (1, None), (1, "six"), (2, "x"), (3, None), (3, "much"), (3, "-1.00")])
        line[at] = text
    return tuple(line)


def random_files(rng, revisions):
    """One or two files; `revisions` is asked for each line's revision."""
    return {f"{name}.csv": [random_line(rng, revisions()) for _ in range(rng.randrange(1, 14))] for name in rng.choice(["a", "ab"])}


def text_of(lines):
    return HEADER + "".join(",".join(field or "" for field in line) + "\n" for line in lines)


def land(project, batch, files):
    folder = project.lake / "Files" / "landing" / SOURCE / f"batch_id={batch}"
    for old in folder.glob("*.csv"):
        old.unlink()
    project.batch(SOURCE, batch, {name: text_of(lines) for name, lines in files.items()})


# ---- what the program did ----


def run(project, batch, env):
    """The counts that a run reports, under the model's names."""
    (report,) = project.assay("run", "silver.stock", "--batch", batch, "--json", env=env).json()["runs"]
    names = "landed accepted superseded quarantined inserted updated unchanged left_behind".split()
    return {name: report[name] for name in names} | {
        "warned": sum(w["rows"] for w in report["warnings"]),
        "rounded": report["rounded"].get("price", 0),
    }


def silver(project):
    values = ["site", "item", "revision", "price", "note", "_source_file", "_batch_id"]
    return sorted((tuple(int(r[v] * 100) if v == "price" else r[v] for v in values) for r in project.rows("silver.stock")), key=repr)


def quarantine(project):
    found = {}
    for row in project.rows("quarantine.stock"):
        found.setdefault(row["_batch_id"], []).append(row["_reject_reason"])
    return {batch: sorted(reasons) for batch, reasons in found.items()}


def step(project, model, batch, files, env):
    """Run a batch and compare everything with the model."""
    before = project.version("silver.stock")
    want = model.run(batch, files)
    got = run(project, batch, env)
    assert got == want, (batch, files)
    assert silver(project) == sorted((row[:7] for row in model.silver.values()), key=repr), (batch, files)
    assert quarantine(project) == {b: sorted(reasons) for b, reasons in model.quarantine.items() if reasons}
    if before is not None:
        is_changed = want["inserted"] + want["updated"] > 0
        assert project.version("silver.stock") == before + is_changed, "a commit just when a row changes"


# ---- the tests ----


@pytest.fixture(params=WAYS)
def way(request):
    return WAYS[request.param]


def random_story(project, way, seed, steps):
    """New batches, replays and corrections in any order; revisions often tie."""
    rng = random.Random(seed)
    model, landed = Model(), {}
    project.contract(CONTRACT)
    for _ in range(steps):
        what = rng.random()
        if not landed or what < 0.45:
            batch = f"b{len(landed)}"
        else:
            batch = rng.choice(sorted(landed))
        if batch not in landed or what > 0.75:
            landed[batch] = random_files(rng, lambda: rng.choice([None, "1", "2", "3"]))
            land(project, batch, landed[batch])
        step(project, model, batch, landed[batch], way)


def test_a_random_story(project, way):
    random_story(project, way, seed=1, steps=10)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 140))
def test_many_random_stories(project, way, seed):
    random_story(project, way, seed, steps=25)


def test_the_order_of_batches_does_not_matter(assay, tmp_path, way):
    """Three batches with no revision twice, in every order (half of them each way), and a replay of the first at the end."""
    rng = random.Random(7)
    numbers = [str(n) for n in range(200)]
    rng.shuffle(numbers)
    batches = {b: random_files(rng, numbers.pop) for b in ("b1", "b2", "b3")}
    ends = []
    orders = list(itertools.permutations(batches))
    for number, order in enumerate(orders[:3] if way else orders[3:]):
        project = Project(tmp_path / str(number), assay)
        project.contract(CONTRACT)
        for batch in batches:
            land(project, batch, batches[batch])
        for batch in order + order[:1]:
            run(project, batch, way)
        ends.append((silver(project), quarantine(project)))
    assert ends[0][0]
    assert all(end == ends[0] for end in ends[1:])
