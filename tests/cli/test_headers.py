"""Headers of CSV files: compared, bound by name, or absent; every decision that docs/contract.md states. What bronze must hold is worked
out here with Python's csv module or written out by hand; the oracle's scenario header-by-name has Spark's own rows."""
import csv
import io
import json

import pytest

import project as projects

TABLE, BRONZE = "silver.items", "bronze.erp_items_raw"
LINEAGE = {"_corrupt_record", "_source_file", "_source_line", "_batch_id", "_loaded_at", "_corrupt_bytes"}


def contract(project, header, names=("name", "amount"), **source):
    columns = "\n".join(f"      - {{name: {name}, logicalType: string, physicalType: string}}" for name in names)
    settings = {"path": "landing/erp/items", "format": "csv", "header": header, **source}
    return project.contract(projects.contract_text("items", settings, columns))


def load(project, files, batch="b1", code=0):
    if not isinstance(files, dict):
        files = {"a.csv": files}
    project.batch("erp/items", batch, files)
    return project.assay("run", TABLE, "--batch", batch, code=code)


def bronze(project, batch=None):
    """Rows by file and line, without lineage and NULLs."""
    rows = sorted(project.rows(BRONZE), key=lambda row: (row["_batch_id"], row["_source_file"], row["_source_line"]))
    return [{k: v for k, v in row.items() if k not in LINEAGE and v is not None} for row in rows if batch in (None, row["_batch_id"])]


def refused(project, files, *texts):
    """The batch is refused for its header, and nothing of it is in bronze."""
    before = project.version(BRONZE)
    done = load(project, files, batch="bad", code=1)
    for text in ("no row of the batch was loaded", "\nnext: ", *texts):
        assert text in done.stderr + done.stdout, text
    assert project.version(BRONZE) == before
    run = project.assay("run", TABLE, "--batch", "bad", "--json", code=1).json()["runs"][0]
    assert run["gate"] == "header"


# ---- strict ----


def test_swapped_columns_are_shown_side_by_side(project):
    contract(project, "strict")
    refused(project, "id,amount,name\n1,2,x\n", "header column 2: expected `name`, found `amount` (3 columns expected, 3 found)",
            "the columns are all there, but `name` and `amount` changed places",
            "  column  expected   found\n", "       2  `name`     `amount`\n", "       3  `amount`   `name`\n", "header: byName")


def test_reordered_columns(project):
    contract(project, "strict", names=("a", "b", "c"))
    refused(project, "a,b,c,id\n", "the columns are all there in another order; 4 of 4 are not in their place",
            "       1  `id`       `a`\n", "       4  `c`        `id`\n")


@pytest.mark.parametrize("header, texts", [
    ("id,name", ["header column 3: expected `amount`, found nothing", "missing: `amount`"]),
    ("id,name,amount,", ["header column 4: expected nothing, found ``", "not in the contract: ``"]),
    ("id,name,name", ["expected `amount`, found `name`", "missing: `amount`", "there twice: `name`"]),
    ("id,name,total", ["missing: `amount`", "not in the contract: `total`"]),
    ("id, name,amount", ["expected `name`, found ` name`", "missing: `name`", "not in the contract: ` name`"]),
    ("", ["expected `id`, found nothing (3 columns expected, 0 found)"]),
])
def test_strict_says_what_differs(project, header, texts):
    contract(project, "strict")
    refused(project, header + "\n", *texts)


def test_names_are_the_same_whatever_case_quotes_and_mark(project):
    contract(project, "strict")
    load(project, {"a.csv": "\ufeff\"ID\",Name,\"AMOUNT\"\n1,x,2\n"})
    assert bronze(project) == [{"id": "1", "name": "x", "amount": "2"}]


@pytest.mark.parametrize("header", ["strict", "byName"])
def test_a_header_once_more_stays_a_row_and_is_told(project, header):
    """Spark takes the first line of a file and no other; a row that only looks like it is a row."""
    contract(project, header)
    parts = "id,name,amount\n1,x,2\nid,name,amount\nID,name,amount\n3,y,4\n"
    done = load(project, {"a.csv": parts, "b.csv": "id,name,amount\n5,z,6\n"})
    assert [row["id"] for row in bronze(project)] == ["1", "id", "ID", "3", "5"]
    assert "1 row is the header of its file once more" in done.stdout
    run = project.assay("run", TABLE, "--batch", "b1", "--json").json()["runs"][0]
    assert run["landed"] == 5


# ---- byName ----


def test_each_file_is_bound_on_its_own(project):
    contract(project, "byName")
    files = {"a.csv": "amount,id,name\n1,a,x\n", "b.csv": "NAME,ID\ny,b\n", "c.csv": "id,name,amount,colour\nc,z,3,red\n",
             "d.csv": "Colour,size,id\nblue,9,d\n"}
    load(project, files)
    expected = []
    for name in sorted(files):
        for row in csv.DictReader(io.StringIO(files[name])):
            expected.append({key.lower(): value for key, value in row.items()})
    assert bronze(project) == expected
    columns = list(project.rows(BRONZE)[0])
    assert columns == ["id", "name", "amount", "colour", "size", "_corrupt_record", "_source_file", "_source_line", "_batch_id",
                       "_loaded_at"]
    assert {row["id"]: (row["name"], row["amount"]) for row in project.rows(TABLE)} == {
        "a": ("x", "1"), "b": ("y", None), "c": ("z", "3"), "d": (None, None)}


def test_a_column_comes_and_goes(project):
    contract(project, "byName")
    load(project, "id,name,amount,colour\n1,x,2,red\n", "b1")
    load(project, "id,name,amount\n2,y,3\n", "b2")
    load(project, "id,name,amount,COLOUR,size\n3,z,4,blue,9\n", "b3")
    assert bronze(project) == [
        {"id": "1", "name": "x", "amount": "2", "colour": "red"}, {"id": "2", "name": "y", "amount": "3"},
        {"id": "3", "name": "z", "amount": "4", "colour": "blue", "size": "9"}]


def test_names_differ_by_case_of_other_alphabets(project):
    """One column for `Größe` and `GRÖßE`: readers of Delta lower names before they compare them."""
    contract(project, "byName")
    load(project, "id,Gr\u00f6\u00dfe,\u00c4rger\n1,a,b\n", "b1")
    load(project, "id,GR\u00d6\u00dfE,\u00e4rger\n2,c,d\n", "b2")
    assert bronze(project) == [{"id": "1", "Gr\u00f6\u00dfe": "a", "\u00c4rger": "b"}, {"id": "2", "Gr\u00f6\u00dfe": "c", "\u00c4rger": "d"}]


def test_corrupt_rows_by_the_files_own_number_of_fields(project):
    contract(project, "byName")
    load(project, {"a.csv": "id,name\n1,x\n2\n3,y,z\n", "b.csv": "amount,colour,name,id\n1,red,x,4\n1,red,x\n"})
    rows = sorted(project.rows(BRONZE), key=lambda row: (row["_source_file"], row["_source_line"]))
    assert [row["_corrupt_record"] for row in rows] == [None, "2", "3,y,z", None, "1,red,x"]
    assert [(row["id"], row["name"], row["amount"], row["colour"]) for row in rows] == [
        ("1", "x", None, None), ("2", None, None, None), ("3", "y", None, None), ("4", "x", "1", "red"), (None, "x", "1", "red")]
    shown = project.assay("quarantine", "show", TABLE, "--batch", "b1").stdout
    assert "1 field, where the header of its file has another number" in shown
    assert "3 fields, where the header of its file has another number" in shown and "it reads well" not in shown


@pytest.mark.parametrize("header, texts", [
    ("id,name,amount,Name", ["header columns 2 and 4 have the same name, `name` and `Name` (case does not count)"]),
    ("id,x,x", ["header columns 2 and 3 have the same name, `x`"]),
    ("id,,name", ["header column 2: the name `` is empty"]),
    ("id,name,", ["header column 3: the name `` is empty"]),
    ("id, name", ["header column 2: the name ` name` has a blank in it"]),
    ("id,a;b", ["header column 2: the name `a;b` has one of ,;{}()= in it"]),
    ("id,_batch_id", ["header column 2: the name `_batch_id` is a column that assay adds itself"]),
    ("id,_CORRUPT_RECORD", ["is a column that assay adds itself"]),
    ("1,2026-01-01", ["none of the contract's columns is in the header: expected `id`, `name`, `amount`; found `1`, `2026-01-01`",
                      "say header: none"]),
    ("id;name;amount", ['with the delimiter ";" it has 3 columns']),
    ("", ["the file has no header"]),
])
def test_by_name_refuses_what_would_be_a_guess(project, header, texts):
    contract(project, "byName")
    refused(project, {"a.csv": "id,name,amount\n1,x,2\n", "b.csv": header + "\n"}, *texts)


def test_columns_that_assay_uses_inside(project):
    names = ("file_index", "file_row_number", "filename", "c0")
    for header in ("strict", "byName"):
        contract(project, header, names=names)
        for batch in ("b1", "b2", "b1"):
            load(project, "id," + ",".join(names) + f"\n{batch},1,2,3,4\n", f"{header}-{batch}")
        rows = [row for row in bronze(project) if row]
        assert all(row == {"id": row["id"], **dict(zip(names, "1234"))} for row in rows)
    assert len(rows) == 4
    contract(project, "strict", names=("_assay_file", "_Assay_Row"))
    said = project.assay("lint", code=2).stdout
    assert "'_assay_file' is a column that assay adds itself" in said and "'_Assay_Row' is" in said


# ---- none ----


def test_without_a_header_fields_are_bound_by_position(project):
    contract(project, "none")
    load(project, {"a.csv": "\ufeff\n1,x,2\n3,y,4\n", "b.csv": "5,z,6\n7\n", "empty.csv": ""})
    assert bronze(project) == [{"id": "1", "name": "x", "amount": "2"}, {"id": "3", "name": "y", "amount": "4"},
                               {"id": "5", "name": "z", "amount": "6"}, {"id": "7"}]
    lines = sorted((row["_source_file"][-5:], row["_source_line"]) for row in project.rows(BRONZE))
    assert lines == [("a.csv", 2), ("a.csv", 3), ("b.csv", 1), ("b.csv", 2)]


@pytest.mark.parametrize("text, texts", [
    ("1,x\n2,y,3\n", ["the first record has 2 fields, where the contract reads 3 columns by position"]),
    ("1,x,2,3\n", ["the first record has 4 fields"]),
    ("ID,Amount,name\n1,x,2\n", ["the first record is a header, where the contract says there is none: `ID`, `Amount`, `name`"]),
    ("1;x;2\n", ['the first record has 1 field,', 'with the delimiter ";"']),
])
def test_none_refuses(project, text, texts):
    contract(project, "none")
    refused(project, {"a.csv": "1,x,2\n", "b.csv": text}, *texts)


# ---- the contract changes ----


@pytest.mark.parametrize("header", ["strict", "byName"])
def test_a_contract_that_gains_a_column_leaves_loaded_batches_alone(project, header):
    contract(project, header)
    load(project, "id,name,amount\n1,x,2\n", "b1")
    contract(project, header, names=("name", "amount", "colour"))
    project.batch("erp/items", "b2", {"a.csv": "id,name,amount,colour\n2,y,3,red\n"})
    done = project.assay("run", TABLE, code=None)
    assert "batch b2" in done.stdout and "batch b1" not in done.stdout
    assert bronze(project) == [{"id": "1", "name": "x", "amount": "2"}, {"id": "2", "name": "y", "amount": "3", "colour": "red"}]
