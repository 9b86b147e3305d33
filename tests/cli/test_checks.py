"""Checks of a batch: metrics of ODCS quality with every operator, in rows and percent."""
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
    assert "check       phones: 2 rows without phone, where the contract has less than 2" in text


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
