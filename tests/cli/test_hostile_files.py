"""Files that nobody would send on purpose: each is refused with a clear message, or costs exactly its own rows."""
import feed
import pytest

GOOD = "".join(feed.order(f"K{i}") for i in range(40))
NONE = {feed.BRONZE: 0, feed.QUARANTINE: 0, feed.TABLE: 0}


def run(project, content, code, *args, name="a.csv"):
    feed.feed(project, {"b1": {name: content}})
    done = project.assay("run", feed.TABLE, "--batch", "b1", *args, code=code)
    feed.check_files(project)
    feed.check_account(project)
    return done


def counts(project):
    return {table: len(project.rows(table)) for table in NONE}


REFUSED = {
    "empty": (b"", "found nothing"),
    "blank lines": (b"\n\n \n", "found nothing"),
    "header only": (feed.HEADER, "no rows"),
    "every byte": (bytes(range(256)) * 2000, "header column 1"),
    "program": (b"\x7fELF\x02\x01\x01\0\0\0\0\0" + bytes(range(256)) * 100, "header column 1"),
    "UTF-16": ((feed.HEADER + GOOD).encode("utf-16"), "the file is UTF-16LE (its byte order mark says so)"),
    "10,000 columns": (",".join(f"c{i}" for i in range(10_000)) + "\n", "10000 found"),
    "200,000 columns": (",".join(f"c{i}" for i in range(200_000)) + "\n", "columns"),
    "semicolons": ((feed.HEADER + GOOD).replace(",", ";"), "header column 1"),
    "one column too many": (feed.HEADER.replace("\n", ",extra\n") + GOOD, "header column 8"),
    "two columns swapped": (feed.HEADER.replace("amount,quantity", "quantity,amount") + GOOD, "header column 4"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_before_any_row_counts(project, name):
    content, says = REFUSED[name]
    done = run(project, content, 1)
    assert "b1" in done.stderr and says in done.stderr
    assert "next:" in done.stderr
    assert not any(c < " " and c != "\n" for c in done.stderr), "control characters reach the terminal"
    assert counts(project) == NONE


def test_one_bad_file_stops_its_batch_and_no_other(project):
    feed.feed(project, {"b1": {"a.csv": feed.HEADER + GOOD, "b.csv": ""}, "b2": {"a.csv": feed.HEADER + feed.order("Z")}})
    done = project.assay("run", feed.TABLE, code=1)
    assert "b.csv" in done.stderr
    assert [row["order_id"] for row in project.rows(feed.TABLE)] == ["Z"]


ROWS = {
    "10,000 columns": (",".join("1" * 10_000) + "\n", "corrupt record"),
    "only commas": ("," * 100 + "\n", "corrupt record"),
    "NUL in a number": ("N1,C1,2026-03-01,1\x000,1,new,2026-03-01T08:00:00Z\n", "unparseable amount"),
    "invalid UTF-8": (b"N1,C\xff\xfe,2026-03-01,10,1,new,2026-03-01T08:00:00Z\n", "corrupt record"),
    "unclosed quote": ('N1,"C1,2026-03-01,10,1,new,2026-03-01T08:00:00Z\n', "corrupt record"),
    "text after a quote": ('N1,"C1"x,2026-03-01,10,1,new,2026-03-01T08:00:00Z\n', None),
    "far date": ("N1,C1,99999999-01-01,10,1,new,2026-03-01T08:00:00Z\n", "unparseable order_date"),
    "huge number": ("N1,C1,2026-03-01," + "9" * 5000 + ",1,new,2026-03-01T08:00:00Z\n", "unparseable amount"),
    "infinite": ("N1,C1,2026-03-01,Infinity,1,new,2026-03-01T08:00:00Z\n", "unparseable amount"),
    "escape sequence": ("N1,C1,2026-03-01,10,1,\x1b[31mred\x1b[0m,2026-03-01T08:00:00Z\n", "unknown status"),
}


@pytest.mark.parametrize("name", ROWS)
def test_a_bad_row_costs_one_row(project, name):
    bad, reason = ROWS[name]
    bad = bad.encode() if isinstance(bad, str) else bad
    good = [feed.order(f"K{i}").encode() for i in range(40)]
    at = [0, 20, 40][list(ROWS).index(name) % 3]
    run(project, b"".join([feed.HEADER.encode(), *good[:at], bad, *good[at:]]), 0)
    assert {row["order_id"] for row in project.rows(feed.TABLE)} >= {f"K{i}" for i in range(40)}
    if reason is None:  # what the tokens are is Spark's business; the row must be somewhere
        assert len(project.rows(feed.TABLE)) + len(project.rows(feed.QUARANTINE)) == 41
        return
    [row] = project.rows(feed.QUARANTINE)
    assert reason in row["_reject_reason"] and row["_source_line"] == at + 2
    shown = project.assay("quarantine", "show", feed.TABLE).stdout
    assert reason in shown and "\x1b" not in shown and "\0" not in shown


@pytest.mark.parametrize("multi_line", [False, True], ids=["lines", "multiLine"])
@pytest.mark.parametrize("place", ["start", "end"])
def test_unclosed_quote_in_a_large_file_costs_its_line(project, multi_line, place):
    """Larger than a block of 1 MiB and than maxRecordBytes, so that blocks end inside of what the quote opens."""
    size = 80_000
    good = "".join(feed.order(f"K{i}") for i in range(size))
    bad = 'N1,"C1,2026-03-01,10,1,new,2026-03-01T08:00:00Z\n'
    feed.feed(project, {"b1": {"a.csv": feed.HEADER + (bad + good if place == "start" else good + bad)}})
    if multi_line:
        project.contract(feed.CONTRACT.read_text().replace("header: strict }", "header: strict, multiLine: true }"))
    got = project.assay("run", feed.TABLE, "--batch", "b1", "--json").json()["runs"][0]
    assert (got["landed"], got["accepted"], got["quarantined"]) == (size + 1, size, 1)
    [row] = project.rows(feed.QUARANTINE)
    assert row["_source_line"] == (2 if place == "start" else size + 2)
    assert row["_corrupt_record"] == bad.rstrip("\n")


@pytest.mark.soak
@pytest.mark.parametrize("place", ["row", "header", "field", "no line end"])
def test_a_line_of_200_megabytes(project, place):
    long = "x" * 200_000_000
    content, code = {
        "row": (feed.HEADER + feed.order("A") + long + "\n" + feed.order("B"), None),
        "header": (long + "\n" + feed.order("A"), 1),
        "field": (feed.HEADER + feed.order("A") + f'"{long}",C,2026-03-01,10,1,new,2026-03-01T08:00:00Z\n', None),
        "no line end": (long, 1),
    }[place]
    done = run(project, content, code)
    assert done.code in (0, 1, 3), done.stderr
    assert len(done.stderr) < 5000
    if done.code == 3:
        assert "memory" in done.stderr and "--memory" in done.stderr


def test_too_little_memory_is_told_with_what_helps(project):
    long = "x" * 60_000_000
    said = run(project, feed.HEADER + feed.order("A") + long + "\n", 3, "--memory", "64MB").stderr
    assert "emory" in said and "next: give it more memory (--memory SIZE)" in said
    assert "SET " not in said
