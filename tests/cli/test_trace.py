"""trace leads from a row to the bytes it came from: offsets and texts are found here by reading the files themselves."""
import gzip
import hashlib
import os
import random
import re

import feed
import pytest

LANDING = f"Files/landing/{feed.SOURCE}"
LOOSE = feed.CONTRACT.read_text().replace("maxRejectPercent: 5", "maxRejectPercent: 100")
MULTI = LOOSE.replace("header: strict }", "header: strict, multiLine: true }")


def trace(project, table, where="true", *args, code=0):
    return project.assay("trace", table, "--where", where, "--json", "--limit", "0", *args, code=code).json()


def lines_of(content):
    """{line number: (offset, bytes)} of a file whose records are lines, however they end."""
    out, at = {}, 0
    for number, part in enumerate(re.findall(rb"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+\Z", content), 1):
        out[number] = (at, part.rstrip(b"\r\n"))
        at += len(part)
    return out


def content_of(project, key):
    data = (project.lake / key).read_bytes()
    return gzip.decompress(data) if key.endswith(".gz") else data


def check_line(project, line):
    """The place that was told holds the bytes that were told."""
    content = content_of(project, line["file"])
    offset, found = lines_of(content)[line["line"]]
    assert line["found"] and line["as_loaded"] is True and line["problem"] is None
    assert (line["offset"], line["bytes"]) == (offset, len(found))
    assert bytes.fromhex(line["hex"]) == found if "hex" in line else line["text"].encode() == found
    assert line["sha256"] == line["recorded_sha256"] == hashlib.sha256((project.lake / line["file"]).read_bytes()).hexdigest()
    return found


def test_every_row_of_every_table(project):
    """Two batches, several files, all line ends, a byte order mark, corrupt rows: each row leads to the line with its values."""
    project.contract(LOOSE)
    rng = random.Random(7)
    rows = [feed.order(f"K{rng.randrange(60):02d}", rng.randrange(60), amount=f"{rng.randrange(9999) / 100:.2f}") for _ in range(300)]
    rows[17], rows[100], rows[222] = feed.bad_order("K01"), "too,few\n", "\u00fc,\"q\"\"uote\",2026-03-01,1,1,new,2026-03-01T08:00:00Z\n"
    ends = ["\n", "\r\n", "\r"]
    files = {}
    for i in range(6):
        text = (feed.HEADER + "".join(rows[i * 50:(i + 1) * 50])).replace("\n", ends[i % 3])
        files[f"f{i}.csv"] = (b"\xef\xbb\xbf" if i == 4 else b"") + text.encode()
    project.batch(feed.SOURCE, "b1", {n: files[n] for n in ("f0.csv", "f1.csv", "f2.csv")})
    project.batch(feed.SOURCE, "b2", {n: files[n] for n in ("f3.csv", "f4.csv", "f5.csv")})
    project.assay("run", feed.TABLE)
    bronze = trace(project, feed.BRONZE)
    assert bronze["matched"] == 300 and len(bronze["rows"]) == 300
    expected = sorted((r["_source_file"], r["_source_line"]) for r in project.rows(feed.BRONZE))
    assert [(r["source"]["file"], r["source"]["line"]) for r in bronze["rows"]] == expected
    for row in bronze["rows"]:
        check_line(project, row["source"])
    quarantine = trace(project, feed.QUARANTINE)
    assert sorted(check_line(project, r["source"]) for r in quarantine["rows"]) == sorted(
        [rows[17].rstrip().encode(), b"too,few"])
    assert {r["reason"].split(";")[0] for r in quarantine["rows"]} == {"unparseable amount", "corrupt record"}
    silver = {r["order_id"]: r for r in project.rows(feed.TABLE)}
    traced = trace(project, feed.TABLE)
    assert [r["key"]["order_id"] for r in traced["rows"]] == sorted(silver)
    lost = 0
    for row in traced["rows"]:
        is_row = silver[row["key"]["order_id"]]
        fields = check_line(project, row["source"]).decode().split(",")
        assert fields[0] == is_row["order_id"] and fields[3] in (str(is_row["amount"]), "1")
        assert fields[6] == is_row["updated_at"].strftime("%Y-%m-%dT%H:%M:%SZ")
        assert (row["batch_id"], row["source"]["file"]) == (is_row["_batch_id"], is_row["_source_file"])
        assert row["equal"] and not row["loaded_again"]
        for line in row["lost"]:
            other = check_line(project, line).decode().split(",")
            assert other[0] == fields[0] and other[6] <= fields[6] and f"batch_id={row['batch_id']}/" in line["file"]
        in_batch = [k for k in project.rows(feed.BRONZE) if k["order_id"] == fields[0] and k["_batch_id"] == row["batch_id"]
                    and k["amount"] != "ten"]
        assert row["lost_count"] == len(in_batch) - 1
        lost += row["lost_count"]
    assert lost > 10


def test_for_people(project):
    project.contract(LOOSE)
    first, second, bad = feed.order("A", 1), feed.order("A", 2), feed.bad_order("A")
    project.batch(feed.SOURCE, "b1", {"a.csv": feed.orders(first, bad, second)})
    project.assay("run", feed.TABLE)
    at = len(feed.HEADER)
    said = project.assay("trace", feed.TABLE, "--where", "order_id = 'A'").stdout.splitlines()
    assert said[0].startswith('order_id = "A"  batch b1, loaded 20')
    assert said[1:] == [
        f"  {LANDING}/batch_id=b1/a.csv:4, byte {at + len(first) + len(bad)}, {len(second) - 1} bytes", f"    {second.rstrip()}",
        f"  lost to it: {LANDING}/batch_id=b1/a.csv:2, byte {at}, {len(first) - 1} bytes", f"    {first.rstrip()}", "1 row shown"]
    said = project.assay("trace", "quarantine.orders", "--where", "_source_line = 3").stdout.splitlines()
    assert said == ["batch b1", "  unparseable amount", f"  {LANDING}/batch_id=b1/a.csv:3, byte {at + len(first)}, {len(bad) - 1} bytes",
                    f"    {bad.rstrip()}", "1 row shown"]


def test_more_rows_than_are_shown(project):
    project.contract(LOOSE)
    project.batch(feed.SOURCE, "b1", {"a.csv": feed.orders(*(feed.order(f"K{i:02d}") for i in range(50)), *[feed.order("K00")] * 20)})
    project.assay("run", feed.TABLE)
    assert project.assay("trace", feed.TABLE, "--where", "true").stdout.endswith("20 rows shown of 50; --limit 0 shows all\n")
    assert project.assay("trace", feed.TABLE, "--where", "true", "--limit", "3").stdout.endswith("3 rows shown of 50; --limit 0 shows all\n")
    assert project.assay("trace", feed.TABLE, "--where", "order_id = 'none'").stdout == "0 rows shown\n"
    [row] = trace(project, feed.TABLE, "order_id = 'K00'")["rows"]
    assert (row["lost_count"], len(row["lost"]), row["source"]["line"]) == (20, 10, 71)
    assert "and 10 more of the batch lost to it" in project.assay("trace", feed.TABLE, "--where", "order_id = 'K00'").stdout


@pytest.mark.parametrize("where, keys", [
    ("amount = 12.50", ["B"]), ("amount > 10 AND status = 'new'", ["B"]), ("order_date = DATE '2026-03-02'", ["C"]),
    ("updated_at >= TIMESTAMP '2026-03-01 08:05:00'", ["C"]), ("ORDER_ID = 'A' OR order_id IN ('C')", ["A", "C"]),
    ("order_id = 'it''s'", []), ("order_id LIKE 'A%'", ["A"]), ("_batch_id = 'b1'", ["A", "B", "C"])])
def test_conditions(project, where, keys):
    feed.feed(project, {"b1": {"a.csv": feed.orders(feed.order("A"), feed.order("B", amount="12.50"), feed.order("C", 5, day="2026-03-02"))}})
    project.assay("run", feed.TABLE)
    assert [r["key"]["order_id"] for r in trace(project, feed.TABLE, where)["rows"]] == keys


@pytest.mark.parametrize("where, says", [("order_id = A7", "single quotes"), ("order = 'A'", "there is no column"), ("amount", "--where"),
                                         ("true; DROP TABLE x", "--where"), ("1=1) UNION SELECT (1", "--where"), ("order_id =", "--where")])
def test_conditions_that_are_none(project, where, says):
    feed.feed(project, {"b1": {"a.csv": feed.orders(feed.order("A"))}})
    project.assay("run", feed.TABLE)
    assert says in project.assay("trace", feed.TABLE, "--where", where, code=2).stderr


def test_slips(project):
    feed.feed(project, {})
    for args, code, says in (([feed.TABLE], 2, "--where"), ([feed.TABLE, "--where", "true", "--limit", "x"], 2, "no number"),
                             (["silver.order", "--where", "true"], 2, "did you mean silver.orders"),
                             ([feed.TABLE, "--where", "true", "--format", "csv"], 2, "text or json"),
                             ([feed.TABLE, "--where", "true"], 3, "silver/orders")):
        assert says in project.assay("trace", *args, code=code).stderr, args


# ---- files that are not what they were ----

def test_a_file_that_changed_or_went(project):
    feed.feed(project, {"b1": {"a.csv": feed.orders(feed.order("A"), feed.order("B")), "b.csv": feed.orders(feed.order("C"))}})
    project.assay("run", feed.TABLE)
    folder = project.lake / LANDING / "batch_id=b1"
    was = hashlib.sha256((folder / "a.csv").read_bytes()).hexdigest()
    (folder / "a.csv").write_text(feed.orders(feed.order("X")))
    now = hashlib.sha256((folder / "a.csv").read_bytes()).hexdigest()
    (folder / "b.csv").unlink()
    a, b, c = (row["source"] for row in trace(project, feed.TABLE)["rows"])
    assert (a["found"], a["text"], a["as_loaded"]) == (True, feed.order("X").rstrip(), False)
    assert (a["recorded_sha256"], a["sha256"]) == (was, now)
    assert (b["found"], b["as_loaded"]) == (False, False)
    assert (c["found"], c["sha256"], c["as_loaded"]) == (False, None, None) and "b.csv" in c["problem"]
    said = project.assay("trace", feed.TABLE, "--where", "true").stdout
    assert said.count(f"THE FILE CHANGED since it was loaded, and so may what stands there: sha256 {was}, now {now}") == 2
    assert "no record begins on this line now" in said
    assert re.search(r"not shown: .*/batch_id=b1/b\.csv: cannot look at: No such file or directory\n", said)


def test_a_batch_that_was_loaded_again(project):
    a, b, c = (feed.order(key) for key in "ABC")
    feed.feed(project, {"b1": {"a.csv": feed.orders(a, b)}})
    project.assay("run", feed.TABLE)
    feed.feed(project, {"b1": {"a.csv": feed.orders(c, a)}})
    project.assay("run", feed.TABLE)
    a, b, c = trace(project, feed.TABLE)["rows"]
    assert check_line(project, a["source"]) and (a["source"]["line"], a["loaded_again"], a["equal"]) == (3, True, True)
    assert (b["source"], b["equal"], b["lost"]) == (None, None, [])  # left behind by the correction
    assert (c["source"]["line"], c["loaded_again"]) == (2, False)
    said = project.assay("trace", feed.TABLE, "--where", "order_id < 'C'").stdout
    assert "no row of the batch in bronze has this key now" in said
    assert "the batch was loaded again since the row came to silver" in said


def test_a_contract_that_gained_a_column(project):
    """Bronze does not have it yet; the rows that were loaded before are traced all the same."""
    feed.feed(project, {"b1": {"a.csv": feed.orders(feed.order("A"))}})
    project.assay("run", feed.TABLE)
    project.contract(feed.CONTRACT.read_text().replace("    properties:\n", "    properties:\n      - { name: extra, logicalType: string, physicalType: string }\n", 1))
    assert check_line(project, trace(project, feed.BRONZE)["rows"][0]["source"]) == feed.order("A").rstrip().encode()
    [row] = trace(project, feed.TABLE)["rows"]
    assert check_line(project, row["source"]) == feed.order("A").rstrip().encode() and row["equal"]


def test_a_batch_that_no_run_recorded(project):
    """Bronze alone: the manifest knows the hash; without one nobody does."""
    feed.feed(project, {"b2": {"a.csv": feed.orders(feed.order("B"))}})
    (project.root / "a.csv").write_text(feed.orders(feed.order("A")))
    project.assay("land", feed.TABLE, "a.csv", "--batch", "b1")
    project.assay("bronze", feed.TABLE)
    a, b = (row["source"] for row in trace(project, feed.BRONZE)["rows"])
    assert check_line(project, a) == feed.order("A").rstrip().encode()
    assert (b["found"], b["recorded_sha256"], b["as_loaded"]) == (True, None, None)
    assert "is not known" in project.assay("trace", feed.BRONZE, "--where", "order_id = 'B'").stdout


def test_source_files_of_other_writers(project):
    """A lineage that leads out of the lake, or nowhere, is told and not followed."""
    import deltalake

    feed.feed(project, {"b1": {"a.csv": feed.orders(feed.order("A"))}})
    project.assay("run", feed.TABLE)
    table = deltalake.DeltaTable(project.table(feed.BRONZE)).to_pyarrow_table()
    for key in ("../../../../etc/passwd", "/etc/passwd", "Files/none.csv", "", None):
        other = table.set_column(table.schema.get_field_index("_source_file"), "_source_file", [[key]])
        deltalake.write_deltalake(project.table(feed.BRONZE), other, mode="append")
    found = trace(project, feed.BRONZE)["rows"]
    assert len(found) == 6 and sum(r["source"] is not None and r["source"]["found"] for r in found) == 1
    assert "root:" not in str(found)
    project.assay("trace", feed.BRONZE, "--where", "true")


# ---- how files are written ----

def test_records_over_several_lines(project):
    project.contract(MULTI)
    long = feed.order("B").replace("CB", '"C\n1\r\n\r2"')
    content = feed.orders(feed.order("A"), long, feed.order("C"), '"open,quote\n', feed.order("D"))
    project.batch(feed.SOURCE, "b1", {"a.csv": content})
    project.assay("run", feed.TABLE)
    [b] = trace(project, feed.TABLE, "order_id = 'B'")["rows"]
    assert b["source"]["text"] == long[:-1] and b["source"]["offset"] == content.index(long) and b["source"]["line"] == 3
    [d] = trace(project, feed.TABLE, "order_id = 'D'")["rows"]
    assert d["source"]["offset"] == content.index(feed.order("D")) and d["source"]["text"] == feed.order("D")[:-1]
    [bad] = trace(project, feed.QUARANTINE)["rows"]
    assert bad["source"]["text"] == '"open,quote' and bad["source"]["offset"] == content.index('"open')


def test_bytes_that_are_not_text(project):
    project.contract(LOOSE)
    line = b"A,\xff\x00\x01,2026-03-01,1,1,new,2026-03-01T08:00:00Z"
    project.batch(feed.SOURCE, "b1", {"a.csv": feed.HEADER.encode() + line + b"\n" + feed.order("B").encode()})
    project.assay("run", feed.TABLE)
    [row] = trace(project, feed.QUARANTINE)["rows"]
    assert check_line(project, row["source"]) == line and "\\xff" in row["source"]["text"]
    assert "\x01" not in project.assay("trace", feed.QUARANTINE, "--where", "true").stdout


def test_compressed_files(project):
    project.contract(LOOSE.replace(', pattern: "*.csv"', ""))
    rows = [feed.order(f"K{i:06d}") for i in range(60_000)]
    project.batch(feed.SOURCE, "b1", {"a.csv.gz": gzip.compress(feed.orders(*rows).encode())})
    project.assay("run", feed.TABLE)
    for key in ("K000000", "K031234", "K059999"):
        [row] = trace(project, feed.TABLE, f"order_id = '{key}'")["rows"]
        assert check_line(project, row["source"]).startswith(key.encode()) and row["source"]["unpacked"]
    assert "of what it unpacks to" in project.assay("trace", feed.TABLE, "--where", "order_id = 'K000007'").stdout


def test_other_encodings(project):
    project.contract(LOOSE.replace("header: strict }", "header: strict, encoding: windows-1252 }"))
    line = "A,\u20ac \u00fc,2026-03-01,1,1,new,2026-03-01T08:00:00Z"
    project.batch(feed.SOURCE, "b1", {"a.csv": (feed.orders(feed.order("B"), line + "\n")).encode("cp1252")})
    project.assay("run", feed.TABLE)
    [row] = trace(project, feed.TABLE, "order_id = 'A'")["rows"]
    assert row["source"]["text"] == line and check_line(project, row["source"]) == line.encode("cp1252")


def test_places_in_a_large_file(project):
    """Beyond the blocks in which files are read, in any order."""
    rng = random.Random(3)
    rows = [feed.order(f"K{i:06d}", amount=str(rng.randrange(10 ** rng.randrange(1, 9)))) for i in range(150_000)]
    feed.feed(project, {"b1": {"a.csv": feed.orders(*rows)}})
    assert os.path.getsize(project.lake / LANDING / "batch_id=b1/a.csv") > 6 << 20
    project.assay("run", feed.TABLE)
    picked = sorted(rng.sample(range(150_000), 40))
    found = trace(project, feed.TABLE, "order_id IN (%s)" % ", ".join(f"'K{i:06d}'" for i in picked))["rows"]
    assert [check_line(project, r["source"]).decode() for r in found] == [rows[i].rstrip() for i in picked]
