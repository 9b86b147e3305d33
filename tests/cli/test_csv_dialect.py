"""CSV files as sources send them: packed, in other encodings and dialects. What bronze holds is compared with what Python's own codecs,
gzip and plain splitting make of the same bytes."""
import decimal
import gzip
import json
import random

import pyarrow
import pytest

import project as projects

TABLE, BRONZE, QUARANTINE = "silver.items", "bronze.erp_items_raw", "quarantine.items"


def contract(project, **source):
    columns = """      - {name: name, logicalType: string, physicalType: string}
      - {name: amount, logicalType: number, physicalType: "decimal(18,4)"}"""
    settings = {"path": "landing/erp/items", "format": "csv", **source}
    return project.contract(projects.contract_text("items", settings, columns))


def load(project, files, code=0, batch="b1"):
    project.batch("erp/items", batch, files)
    return project.assay("run", TABLE, "--batch", batch, code=code)


def bronze(project):
    rows = sorted(project.rows(BRONZE), key=lambda row: (row["_source_file"], row["_source_line"]))
    return [(row["id"], row["name"], row["amount"]) for row in rows]


def sheet(count, names=("ab", "x y", "")):
    rows = [(f"i{i}", names[i % len(names)] or None, str(i)) for i in range(count)]
    return rows, "id,name,amount\n" + "".join(f"{a},{b or ''},{c}\n" for a, b, c in rows)


def zstd(data):
    return pyarrow.compress(data, codec="zstd", asbytes=True)


def test_packed_files(project):
    contract(project)
    rows, text = sheet(30000)
    half = len(text) // 2
    members = gzip.compress(text[:half].encode()) + gzip.compress(text[half:].encode()) + bytes(512)
    load(project, {"a.csv.gz": members})
    assert bronze(project) == rows
    load(project, {"a.csv.zst": zstd(text[:half].encode()) + zstd(text[half:].encode())}, batch="b2")
    assert sorted(bronze(project)) == sorted(rows + rows)
    lines = sorted(row["_source_line"] for row in project.rows(BRONZE) if row["_batch_id"] == "b2")
    assert lines == list(range(2, 30002))


@pytest.mark.parametrize("pack", [gzip.compress, zstd], ids=["gzip", "zstd"])
def test_damaged_packed_files_load_nothing(project, pack):
    contract(project)
    chance = random.Random(7)
    text = "id,name,amount\n" + "".join(f"i{i},{chance.random()},{i}\n" for i in range(20000))
    whole, name = pack(text.encode()), "a.csv.gz" if pack is gzip.compress else "a.csv.zst"
    for cut in (len(whole) - 1, len(whole) - 9, len(whole) // 2, 30):
        done = load(project, {name: whole[:cut]}, code=3, batch=f"cut{cut}")
        assert f"is damaged at byte {cut} of {cut}: it is cut off" in done.stderr and name in done.stderr
    if pack is gzip.compress:  # this zstd writer adds no checksum
        flipped = bytearray(whole)
        flipped[len(whole) // 2] ^= 0x55
        assert "nothing of the batch was loaded" in load(project, {name: bytes(flipped)}, code=3, batch="flipped").stderr
    assert "damaged" in load(project, {name: whole + b"id,name"}, code=3, batch="more").stderr
    assert project.rows(BRONZE) == []
    load(project, {name: whole}, batch="whole")
    assert len(project.rows(BRONZE)) == 20000


def test_the_same_file_packed_and_not(project):
    contract(project)
    _, text = sheet(3)
    done = load(project, {"a.csv": text, "a.csv.gz": gzip.compress(text.encode())}, code=1)
    assert "would land twice" in done.stderr and project.rows(BRONZE) == []


ENCODINGS = {"UTF-16": ("utf-16", "dänü¦x日"), "UTF-16LE": ("utf-16-le", "dä😀"), "UTF-16BE": ("utf-16-be", "dä😀"),
             "UTF-32": ("utf-32", "dä😀"), "latin1": ("latin-1", "dä\xa0é"), "cp1252": ("cp1252", "d€–ž"),
             "ISO-8859-15": ("iso8859-15", "€šŽ"), "windows-1251": ("cp1251", "приветЁ"), "KOI8-R": ("koi8-r", "привет"),
             "IBM850": ("cp850", "äöß"), "macintosh": ("mac-roman", "äöß∑"), "Shift_JIS": ("cp932", "表能ソ日本"),
             "EUC-JP": ("euc-jp", "日本語"), "GB18030": ("gb18030", "中文€😀"), "GBK": ("gbk", "中文"), "Big5": ("big5", "中文"),
             "EUC-KR": ("cp949", "한국어똠"), "utf8": ("utf-8-sig", "dä😀")}


@pytest.mark.parametrize("name", ENCODINGS)
def test_encodings(project, name):
    codec, text = ENCODINGS[name]
    contract(project, encoding=name)
    rows, csv = sheet(9000, [text, "plain", f"{text}{text}"])
    load(project, {"a.csv": csv.encode(codec), "b.csv.gz": gzip.compress(csv.replace("\n", "\r\n").encode(codec))})
    assert bronze(project) == rows + rows
    assert not any(row["_corrupt_record"] for row in project.rows(BRONZE))


BAD = {"UTF-16LE": ("utf-16-le", b"\x00\xd8"), "UTF-16BE": ("utf-16-be", b"\xdc\x00"), "cp1252": ("cp1252", b"\x81"),
       "Shift_JIS": ("cp932", b"\xff"), "US-ASCII": ("ascii", b"\xe9"), "UTF-8": ("utf-8", b"\xc3"), "GB18030": ("gb18030", b"\xff"),
       "EUC-JP": ("euc-jp", b"\xff"), "UTF-32LE": ("utf-32-le", b"\x00\x00\x11\x00")}


@pytest.mark.parametrize("name", BAD)
def test_invalid_bytes_keep_the_record_exactly(project, name):
    codec, bad = BAD[name]
    contract(project, encoding=name)
    chance, good, corrupt, data = random.Random(3), [], {}, "id,name,amount\n".encode(codec)
    for line in range(2, 3000):
        fields = [f"i{line}".encode(codec), b"name".replace(b"name", "name".encode(codec)), "1".encode(codec)]
        if chance.random() < 0.2:
            fields[1] += bad
            corrupt[line] = ",".encode(codec).join(fields)
        else:
            good.append(line)
        data += ",".encode(codec).join(fields) + "\n".encode(codec)
    load(project, {"a.csv": data})
    rows = {row["_source_line"]: row for row in project.rows(BRONZE)}
    assert sorted(rows) == list(range(2, 3000))
    shown = "".join(f"\\x{byte:02x}" for byte in bad)
    for line, original in corrupt.items():
        row = rows[line]
        assert row["_corrupt_bytes"] == original and row["_corrupt_record"] == f"i{line},name{shown},1"
        assert (row["id"], row["name"], row["amount"]) == (f"i{line}", None, "1")
    assert all(rows[line]["_corrupt_record"] is None and rows[line]["name"] == "name" for line in good)
    reason = json.loads(project.assay("quarantine", "show", TABLE, "--json", "--limit", "1").stdout)["corrupt_reason"]
    assert "in field 2 (name), is not valid" in reason


@pytest.mark.parametrize("delimiter", [";", "\t", "|", "||", "¦", "::=", " | "])
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_delimiters_and_line_ends(project, delimiter, ending):
    contract(project, delimiter=delimiter)
    rows = [(f"i{i}", "a" if i % 2 else f'x{delimiter}"y', str(i)) for i in range(500)]
    quoted = lambda v: '"' + v.replace('"', '""') + '"' if '"' in v else v
    lines = [("id", "name", "amount")] + [tuple(map(quoted, row)) for row in rows]
    load(project, {"a.csv": ending.join(delimiter.join(line) for line in lines).encode()})
    assert bronze(project) == rows


def test_lines_around_comments_and_null_markers(project):
    contract(project, skipTop=3, skipBottom=2, comment="//", nullMarkers=["NA", "-"], quote="'")
    text = ("Report of items\n\n'open banner\nid,name,amount\n// one\ni1,NA,1\ni2,'NA','-'\n  \ni3,NAN,2\n//,,\n\ni4,'a,b',3\n"
            "total,,6\n\nend of report\n \n")
    load(project, {"a.csv": text})
    assert bronze(project) == [("i1", None, "1"), ("i2", None, None), ("i3", "NAN", "2"), ("i4", "a,b", "3")]
    assert sorted(row["_source_line"] for row in project.rows(BRONZE)) == [6, 7, 9, 12]
    contract(project, skipTop=3, skipBottom=2, comment="//", quote="'")  # a setting that changes bronze loads the batch again
    project.assay("run", TABLE)
    assert bronze(project)[:2] == [("i1", "NA", "1"), ("i2", "NA", "-")]


def test_values_that_are_never_quoted(project):
    contract(project, quote="", delimiter="\t")
    load(project, {"a.csv": 'id\tname\tamount\ni1\t"a\t1\n"i2"\tb"\t2\n'})
    assert bronze(project) == [("i1", '"a', "1"), ('"i2"', 'b"', "2")]


def test_zero_filled_end_is_a_corrupt_row(project):
    contract(project)
    rows, text = sheet(5)
    load(project, {"a.csv": text.encode() + bytes(4096)})
    corrupt = [row for row in project.rows(BRONZE) if row["_corrupt_record"]]
    assert len(project.rows(BRONZE)) == 6 and corrupt[0]["_source_line"] == 7
    shown = json.loads(project.assay("quarantine", "show", TABLE, "--json").stdout)
    assert shown["corrupt_reason"] == "4096 zero bytes and nothing else: the file was not written here"


NUMBERS = {  # as a German sheet writes them -> the value, by arithmetic; None: unparseable
    "1,5": "1.5", "1.234,50": "1234.5", "1234,50": "1234.5", "-12.345.678,9": "-12345678.9", "0,0001": "0.0001", "7": "7",
    "+1.000": "1000", ",5": "0.5", "5,": "5", "1,5e3": "1500", " 2,5 ": "2.5", "1.5": None, "1.23,4": None, "12.34.567": None,
    "1,0,0": None, "1.0000": None, ".123": None, "1,2.345": None, "1..234": None, "x": None, "1.234.567,8": "1234567.8"}


def test_numbers_as_the_source_writes_them(project):
    contract(project, delimiter=";", decimalSeparator=",", thousandsSeparator=".")
    texts = list(NUMBERS)
    load(project, {"a.csv": "id;name;amount\n" + "".join(f"i{i};;{text}\n" for i, text in enumerate(texts))})
    found = {row["id"]: row["amount"] for row in project.rows(TABLE)}
    assert found == {f"i{i}": decimal.Decimal(NUMBERS[t]).quantize(decimal.Decimal("0.0001")) for i, t in enumerate(texts) if NUMBERS[t]}
    reasons = {row["raw_amount"]: row["_reject_reason"] for row in project.rows(QUARANTINE)}
    assert reasons == {text: "unparseable amount" for text in texts if not NUMBERS[text]}
    assert [row[2] for row in bronze(project)] == texts
