"""Checks of a batch: metrics of ODCS quality with every operator, in rows and percent."""
import json

import pytest

HEAD = """\
apiVersion: v3.1.0
kind: DataContract
id: people
version: "1.0.0"
status: active
team: { name: crm, members: [{ username: crm@example.com, role: Owner }] }
schema:
  - name: people
    physicalName: silver.people
    customProperties:
      - { property: assaySource, value: { path: landing/crm/people, format: csv } }
      - { property: assayGrain, value: { keys: [id] } }
      - { property: assayBatch, value: { maxRejectPercent: 100 } }
"""
COLUMNS = """\
    properties:
      - { name: id, logicalType: integer, physicalType: int, primaryKey: true }
      - name: phone
        logicalType: string
"""
REST = """\
      - { name: email, logicalType: string }
      - name: age
        logicalType: integer
        physicalType: int
"""
# 8 rows can be read, the ninth is short: 2 without phone, one of "none"; 3 rows of one mail, one of NULL; ages: one is no number
ROWS = """\
id,phone,email,age
1,0101,a@example.com,20
2,,a@example.com,30
3,none,a@example.com,40
4,,b@example.com,50
5,0105,c@example.com,x
6,0106,,60
7,0107,d@example.com,
8,0108,e@example.com,130
9,short
"""


def contract(phone="", age="", table="", unique=False):
    def quality(items, indent):
        lines = [" " * indent + "quality:"] + [" " * indent + "  - " + item for item in items] if items else []
        return "".join(line + "\n" for line in lines)

    rest = REST.replace("email, logicalType: string", "email, logicalType: string, unique: true") if unique else REST
    return HEAD + quality(table, 4) + COLUMNS + quality(phone, 8) + rest + quality(age, 8)


def run(project, text, code=0):
    name = project.contract(text)
    project.batch("crm/people", "b1", {"p.csv": ROWS})
    result = project.assay("run", name, "--batch", "b1", "--json", code=code)
    return result, result.json()["runs"][0]


def one(result):
    (check,) = result["checks"]
    return check


# 2 of 8 rows have no phone: 25 percent
@pytest.mark.parametrize("bound, passes", [
    ("mustBe: 2", True), ("mustBe: 3", False), ("mustNotBe: 2", False), ("mustNotBe: 2.5", True),
    ("mustBeGreaterThan: 1", True), ("mustBeGreaterThan: 2", False), ("mustBeGreaterOrEqualTo: 2", True),
    ("mustBeGreaterOrEqualTo: 2.1", False), ("mustBeLessThan: 3", True), ("mustBeLessThan: 2", False),
    ("mustBeLessOrEqualTo: 2", True), ("mustBeLessOrEqualTo: 1", False),
    ("mustBeBetween: [2, 4]", True), ("mustBeBetween: [0, 2]", True), ("mustBeBetween: [3, 4]", False),
    ("mustNotBeBetween: [2, 4]", False), ("mustNotBeBetween: [3, 4]", True),
    ("mustBeLessOrEqualTo: 25, unit: percent", True), ("mustBeLessThan: 25, unit: percent", False),
    ("mustBeLessThan: 25.001, unit: percent", True), ("mustBe: 25.0, unit: percent", True),
    ("mustBeLessOrEqualTo: 24.999, unit: percent", False),
])
def test_operators(project, bound, passes):
    text = contract(phone=[f"{{ id: phones, metric: nullValues, {bound} }}"])
    result, done = run(project, text, code=0 if passes else 1)
    assert one(done) == {**one(done), "check": "phones", "rows": 2, "of": 8, "passed": passes}
    assert done["gate"] == (None if passes else "quality")
    assert (project.version("silver.people") is not None) == passes
    if not passes:
        line = next(i for i, l in enumerate(text.splitlines(), 1) if "phones" in l)
        assert f":{line})" in result.stderr and "check phones: " in result.stderr
        assert "assay quarantine show silver.people --batch b1" in result.stderr


# without a phone, or "none"; a number out of the list or unparseable; rows that repeat a mail (NULL repeats nothing): 3 - 1
@pytest.mark.parametrize("where, item, rows, of", [
    ("phone", "metric: missingValues, arguments: { missingValues: [none, ''] }, mustBeLessThan: 9", 3, 8),
    ("phone", "metric: invalidValues, arguments: { pattern: '^01' }, mustBeLessThan: 9", 1, 8),
    ("age", "metric: invalidValues, arguments: { validValues: [20, 30, 40, 50, 60] }, mustBeLessThan: 9", 2, 8),
    ("table", "metric: duplicateValues, arguments: { properties: [email] }, mustBeLessThan: 9", 2, 7),
    ("table", "metric: duplicateValues, arguments: { properties: [email, phone] }, mustBeLessThan: 9", 0, 7),
    ("table", "metric: rowCount, mustBeBetween: [9, 9]", 9, 9),
    ("table", "type: sql, query: 'SELECT COUNT(*) FROM {object} WHERE age > 50 OR phone IS NULL', mustBeLessThan: 9", 4, 8),
    ("age", "type: sql, query: 'SELECT COUNT(*) FROM {object} WHERE NOT ({property} < 100)', unit: percent, mustBeLessThan: 13", 1, 8),
])
def test_metrics(project, where, item, rows, of):
    result, done = run(project, contract(**{where: [f"{{ id: asked, {item} }}"]}))
    assert one(done) == {**one(done), "rows": rows, "of": of, "passed": True}


def test_warning_lets_the_batch_through(project):
    result, done = run(project, contract(phone=["{ id: phones, metric: nullValues, mustBeLessThan: 2, severity: warning }"]))
    assert one(done)["passed"] is False and done["gate"] is None
    text = project.assay("run", "silver.people", "--batch", "b1").stdout
    assert "check       phones: rows without phone: 2, where the contract has less than 2" in text


def test_unique_is_asked_of_the_batch(project):
    result, done = run(project, contract(unique=True), code=1)
    assert done["gate"] == "quality" and one(done)["check"] == "email_unique" and one(done)["rows"] == 2


def test_a_value_must_be_there(project):
    """nullValues and missingValues of nothing: rows are rejected, and the table holds other writers to it."""
    import deltalake

    item = "{ id: phone_given, metric: missingValues, arguments: { missingValues: [none] }, mustBe: 0 }"
    result, done = run(project, contract(phone=[item]))
    assert done["checks"] == []
    assert {r["reason"]: r["rows"] for r in done["reasons"]} == {
        "missing phone": 3, "corrupt record": 1, "unparseable age": 1}
    assert sorted(r["id"] for r in project.rows("silver.people")) == [1, 6, 7, 8]
    table = deltalake.DeltaTable(project.table("silver.people"))
    assert table.metadata().configuration["delta.constraints.phone_given"] == "phone IS NOT NULL AND NOT phone IN ('none')"


@pytest.mark.parametrize("item, message", [
    ("metric: nullValues, mustBe: many", "is compared with a number"),
    ("metric: nullValues, mustBeBetween: [5, 1]", "ends before it begins"),
    ("metric: nullValues, mustBeBetween: 5", "a lower and an upper end"),
    ("metric: nullValues, mustBeLessThan: 5, unit: per cent", "unit cannot be 'per cent'"),
    ("type: sql, query: 'SELECT COUNT(*) FROM {object} WHERE agee > 1', mustBeLessThan: 5", "agee"),
])
def test_mistakes(project, item, message):
    project.contract(contract(phone=[f"{{ id: asked, {item} }}"]))
    assert message in project.assay("lint", code=2).stdout


FORMATS = [  # value, format, fits: addresses and names by the RFCs' own examples
    ("a.b@example.com", "email", True), ("a@b", "email", False), ("a b@example.com", "email", False), ("@example.com", "email", False),
    ("123e4567-e89b-12d3-a456-426614174000", "uuid", True), ("123E4567-E89B-12D3-A456-426614174000", "uuid", True),
    ("123e4567e89b12d3a456426614174000", "uuid", False), ("g23e4567-e89b-12d3-a456-426614174000", "uuid", False),
    ("https://example.com/a?b=c#d", "uri", True), ("urn:isbn:0451450523", "uri", True), ("//example.com", "uri", False),
    ("example.com", "hostname", True), ("xn--bcher-kva.example", "hostname", True), ("-a.example", "hostname", False),
    ("a" * 64 + ".example", "hostname", False), ("a..b", "hostname", False),
    ("192.0.2.255", "ipv4", True), ("192.0.2.256", "ipv4", False), ("192.0.2", "ipv4", False), ("192.0.2.1.", "ipv4", False),
    ("01.2.3.4", "ipv4", False), ("192.0.2.1.5", "ipv4", False),
]
FORMAT_COLUMNS = "".join(
    f"      - {{ name: {f}, logicalType: string, logicalTypeOptions: {{ format: {f} }} }}\n" for f in ("email", "uuid", "uri", "hostname", "ipv4"))


def test_formats_and_multiples(project):
    columns = ["email", "uuid", "uri", "hostname", "ipv4"]
    text = HEAD + "    properties:\n      - { name: id, logicalType: integer, physicalType: int, primaryKey: true }\n" + FORMAT_COLUMNS + """\
      - { name: pack, logicalType: integer, physicalType: int, logicalTypeOptions: { multipleOf: 6 } }
      - { name: price, logicalType: number, physicalType: "decimal(9,2)", logicalTypeOptions: { multipleOf: 0.05 } }
"""
    name = project.contract(text)
    rows = [["", *("" for _ in columns), "", ""] for _ in FORMATS]
    for row, (value, form, _) in zip(rows, FORMATS):
        row[1 + columns.index(form)] = value
    rows += [["", "", "", "", "", "", "12", ""], ["", "", "", "", "", "", "-6", ""], ["", "", "", "", "", "", "7", ""],
             ["", "", "", "", "", "", "", "1.15"], ["", "", "", "", "", "", "", "1.16"]]
    fits = [fit for _, _, fit in FORMATS] + [True, True, False, True, False]
    for i, row in enumerate(rows):
        row[0] = str(i)
    lines = [",".join(["id", *columns, "pack", "price"])] + [",".join(row) for row in rows]
    project.batch("crm/people", "b1", {"p.csv": "\n".join(lines) + "\n"})
    done = project.assay("run", name, "--batch", "b1", "--json").json()["runs"][0]
    assert sorted(r["id"] for r in project.rows(name)) == [i for i, fit in enumerate(fits) if fit]
    reasons = {r["rule"]: r["rows"] for r in done["reasons"]}
    assert reasons == {**{f"{f}_format": sum(1 for _, g, fit in FORMATS if g == f and not fit) for f in columns},
                       "pack_multiple": 1, "price_multiple": 1}


# ---- gates over history and time, per rule; a person lets a batch through ----

def small(rows, start=0, phone="01"):
    return "id,phone,email,age\n" + "".join(f"{start + i},{phone},m{start + i}@example.com,20\n" for i in range(rows))


def with_batch(more, text=None):
    return (text or contract()).replace("{ maxRejectPercent: 100 }", f"{{ maxRejectPercent: 100, {more} }}")


def load(project, name, batch, content, *more, code=0):
    project.batch("crm/people", batch, {"p.csv": content})
    result = project.assay("run", name, "--batch", batch, "--json", *more, code=code)
    return result, result.json()["runs"][0]


def test_volume_against_the_last_good_batches(project):
    name = project.contract(with_batch("volume: { lastBatches: 4, minPercent: 50, maxPercent: 200 }"))
    for i, rows in enumerate([10, 20, 30]):  # nothing to compare with before there are three
        _, done = load(project, name, f"b{i}", small(rows, 100 * i))
        assert one(done)["passed"] and not one(done)["measured"]
    # the average is 20: 9 are 45 percent, 41 are 205 percent, both ends of the range belong to it
    for batch, rows, percent in (("low", 9, "45 %"), ("high", 41, "205 %")):
        result, done = load(project, name, batch, small(rows, 1000), code=1)
        assert done["gate"] == "volume" and percent in done["message"] and "last 4 good batches" in done["message"]
    _, done = load(project, name, "least", small(10, 2000))
    assert one(done) == {**one(done), "passed": True, "rows": 30, "of": 60}
    # refused batches did not count; now 20, 30, 10 and 10 before it: the fifth back is out
    _, done = load(project, name, "last", small(35, 3000))
    assert one(done)["of"] == 10 + 30 + 20 + 10 and one(done)["rows"] == 35 * 4


def test_freshness_of_a_column(project):
    text = """\
apiVersion: v3.2.0
kind: DataContract
id: people
version: "1.0.0"
status: active
team: { name: crm, members: [{ username: crm@example.com, role: Owner }] }
slaProperties:
  - { property: freshness, value: 2, unit: d, element: people.seen, customProperties: [{ property: onBreach, vendor: assay, value: stopBatch }] }
  - { property: freshness, value: 36, unit: hours, element: people.born }
schema:
  - name: people
    physicalName: silver.people
    customProperties:
      - { property: source, vendor: assay, value: { path: landing/crm/people, format: csv } }
      - { property: grain, vendor: assay, value: { keys: [id] } }
    properties:
      - { name: id, logicalType: integer, physicalType: int }
      - { name: seen, logicalType: timestamp, physicalType: timestamp }
      - { name: born, logicalType: date, physicalType: date }
"""
    name = project.contract(text)
    project.batch("crm/people", "b1", {"p.csv": "id,seen,born\n1,2026-03-01 12:00:00,2026-02-28\n2,2026-03-02 12:00:00,2026-03-01\n"})

    def at(moment, code=0):  # 2026-03-04T12:00:00Z is 1772625600
        env = {"ASSAY_TEST_NOW": str((1772625600 + moment) * 1000000)}
        return project.assay("run", name, "--batch", "b1", "--json", code=code, env=env).json()["runs"][0]

    done = at(0)  # two days to the second; the day of the date ended 84 hours ago... 2026-03-02T00:00 to 03-04T12:00 is 60 h
    assert {c["check"]: (c["rows"], c["passed"]) for c in done["checks"]} == {
        "seen_freshness": (172800, True), "born_freshness": (216000, False)}
    done = at(1, code=1)
    assert done["gate"] == "freshness" and "at most 2 d" in done["message"] and "age of the newest seen" in done["message"]


def test_limit_of_one_rule(project):
    item = ("{ id: short_phone, metric: invalidValues, arguments: { pattern: '^01' }, mustBe: 0, "
            "customProperties: [{ property: assayMaxRejectPercent, value: 10 }] }")
    name = project.contract(contract(phone=[item]))
    _, done = load(project, name, "b1", small(9) + small(1, 9, "x").split("\n", 1)[1])  # 1 of 10 passes
    assert one(done) == {**one(done), "check": "short_phone_limit", "rows": 1, "of": 10, "passed": True}
    _, done = load(project, name, "b2", small(8) + small(1, 9, "x").split("\n", 1)[1], code=1)  # 1 of 9 does not
    assert done["gate"] == "rule_limit" and "rows rejected by short_phone: 11.11 % (1 of 9)" in done["message"]


def test_a_person_lets_a_batch_through_once(project):
    name = project.contract(contract().replace("maxRejectPercent: 100", "maxRejectPercent: 5"))
    project.batch("crm/people", "b1", {"p.csv": ROWS})
    assert project.assay("run", name, "--batch", "b1", "--json", code=1).json()["runs"][0]["gate"] == "reject_ratio"
    for words in (["--accept-batch", "x"], ["--batch", "b1", "--accept-batch", " "]):
        assert "accept-batch" in project.assay("run", name, *words, code=2).stderr
    assert "accept-batch" in project.assay("run", "--batch", "b1", "--accept-batch", "x", code=2).stderr
    text = project.assay("run", name, "--batch", "b1", "--accept-batch", "agreed with CRM").stdout
    assert "let through reject_ratio: 2 of 9 rows rejected" in text and "because: agreed with CRM" in text
    assert len(project.rows(name)) == 7 and len(project.rows("quarantine.people")) == 2
    (refused, done) = sorted(project.rows("assay.runs"), key=lambda r: r["ended_at"])
    assert (refused["status"], refused["accepted_because"]) == ("refused", None)
    assert (done["status"], done["gate"], done["accepted_because"]) == ("done", None, "agreed with CRM")
    assert done["overruled"].startswith("reject_ratio: 2 of 9")
    # once: without the word the same batch is refused again
    assert project.assay("run", name, "--batch", "b1", "--json", code=1).json()["runs"][0]["gate"] == "reject_ratio"


def test_rule_results_are_kept(project):
    items = ["{ id: phones, metric: nullValues, mustBeLessThan: 9 }"]
    result, done = run(project, contract(phone=items))
    rows = {r["rule"]: r for r in project.rows("assay.rule_results")}
    assert set(rows) == {"corrupt_record", "id_required", "id_cast", "age_cast", "phones"}
    assert (rows["age_cast"]["rows"], rows["age_cast"]["of_rows"], rows["age_cast"]["passed"]) == (1, 9, None)
    assert (rows["id_cast"]["rows"], rows["corrupt_record"]["rows"]) == (0, 1)
    assert (rows["phones"]["kind"], rows["phones"]["rows"], rows["phones"]["of_rows"], rows["phones"]["passed"]) == ("check", 2, 8, True)
    assert {r["run_id"] for r in rows.values()} == {done["run_id"]}
    listed = project.assay("runs", "list", "--json").stdout.splitlines()
    assert len(listed) == 1 and done["run_id"] in listed[0]
    shown = project.assay("runs", "show", done["run_id"][:8]).stdout
    assert "age_cast" in shown and "accepted               7" in shown
    assert "no run `zz` is recorded" in project.assay("runs", "show", "zz", code=2).stderr


def test_thresholds_are_proposed_from_good_batches(project):
    name = project.contract(contract().replace("maxRejectPercent: 100", "maxRejectPercent: 30"))
    assert "at least 5 are needed" in project.assay("thresholds").stdout
    # rejected of 100: 0, 1, 2, 3, 10 percent; a batch of 50 percent is refused, one is let through: both are left out
    for i, bad in enumerate([0, 1, 2, 3, 10]):
        rows = small(100 - bad, 1000 * i) + "".join(f"x{k},1,,\n" for k in range(bad))
        load(project, name, f"b{i}", rows)
    half = small(10, 9000) + "x,1,,\n" * 10
    load(project, name, "refused", half, code=1)
    load(project, name, "odd", half.replace("90", "91"), "--accept-batch", "known")
    said = project.assay("thresholds", name, "--json").json()
    # 95th percentile of 0 1 2 3 10, interpolated: 3 + 0.8 * 7 = 8.6; twice that is 17.2, raised to 20
    assert said == {"table": name, "limit": 30, "proposed": 20, "batches": 5, "refused": 1, "overruled": 1,
                    "median": 2, "p95": 8.6, "highest": 10}
    text = project.assay("thresholds", name).stdout
    assert "limit now 30 %, proposed 20 %" in text and "twice the 95th percentile is 17.2 %" in text
    assert "most often  16 id_cast" in text and "maxRejectPercent: 20" in text


def test_runs_as_json_keep_texts_as_they_are(project):
    """A batch id of digits stays a text; counts are numbers; what is not there is null."""
    name = project.contract(contract())
    project.batch("crm/people", "007", {"p.csv": ROWS})
    project.assay("run", name)
    (listed,) = map(json.loads, project.assay("runs", "list", "--json").stdout.splitlines())
    assert (listed["batch"], listed["landed"], listed["accepted"], listed["gate"]) == ("007", 9, 7, None)
    run, *rules = map(json.loads, project.assay("runs", "show", listed["run"], "--json").stdout.splitlines())
    assert (run["batch_id"], run["landed"], run["contract_version"]) == ("007", 9, "1.0.0")
    assert {r["rule"]: r["rows"] for r in rules} == {"corrupt_record": 1, "age_cast": 1, "id_cast": 0, "id_required": 0}
