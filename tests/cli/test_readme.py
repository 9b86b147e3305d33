"""What README and docs show is so: the walk runs as written and prints what is printed there, every command has the options
shown, the whole contract is in order, links lead somewhere, and lists of names are complete."""
import os
import re
import subprocess

import pytest

import project as projects

ROOT = projects.ROOT
README = ROOT / "README.md"
CONTRACT = ROOT / "docs" / "contract.md"
PAGES = [README, ROOT / "HACKING.md", ROOT / "ARCHITECTURE.md", *sorted((ROOT / "docs").glob("*.md"))]
TEXTS = [*PAGES, ROOT / "examples" / "demo.sh"]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
DURATION = re.compile(r"\b\d+\.\d+ s\b")


def section(path, title):
    return re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", path.read_text(encoding="utf-8"), re.M | re.S)[1]


def steps(text):
    """(command, what it prints) of each console block, (script, None) of each sh block."""
    for kind, block in FENCE.findall(text):
        if kind == "sh":
            yield block, None
        elif kind == "console":
            for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
                command, _, output = part.partition("\n")
                yield command, output


def test_the_walk_runs_as_written(assay, tmp_path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "walk").mkdir()
    (tmp_path / "bin" / "assay").symlink_to(assay)
    env = {**os.environ, "PATH": f"{tmp_path}/bin:{os.environ['PATH']}"}
    walk = list(steps(section(README, "A first table")))
    assert len(walk) > 5
    for command, expected in walk:
        done = subprocess.run(["sh", "-euc", command], cwd=tmp_path / "walk", env=env, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=120)
        assert done.returncode == 0, f"{command}\n{done.stdout}"
        if expected is not None:
            assert DURATION.sub("_ s", done.stdout) == DURATION.sub("_ s", expected), command


def shown_commands():
    """Every `assay ...` of an inline code, of a line in a code block, and of the demo: (file, words)."""
    for path in TEXTS:
        text = path.read_text(encoding="utf-8")
        found = re.findall(r"`(assay [a-z][^`\n]*)`", text) + re.findall(r"^(?: {4}|\$ |\s*run )(assay [a-z].*)$", text, re.M)
        for command in found:
            yield path.name, command.split("#")[0].split()


def test_every_command_shown_exists_with_its_options(assay):
    overview = subprocess.run([assay, "help"], capture_output=True, text=True, check=True).stdout
    names = [line[2:20].strip() for line in overview.splitlines() if re.match(r"  [a-z]", line)]
    shown = list(shown_commands())
    assert len(shown) > 20
    helps = {}
    for place, words in shown:
        name = " ".join(words[1:3]) if " ".join(words[1:3]) in names else words[1]
        assert name in names, f"{place}: {' '.join(words)}"
        if name not in helps:
            helps[name] = subprocess.run([assay, "help", *name.split()], capture_output=True, text=True, check=True).stdout
        for option in re.findall(r"--[a-z-]+", " ".join(words)):
            assert re.search(rf"^  {option}\b", helps[name], re.M), f"{place}: {' '.join(words)}"
    listed = section(README, "Commands")
    assert [name for name in names if f"assay {name}" not in listed and name not in ("completion", "help", "version")] == []


def test_the_whole_contract_is_in_order(assay, tmp_path):
    (tmp_path / "c.odcs.yaml").write_text(FENCE.findall(section(CONTRACT, "A whole contract"))[0][1], encoding="utf-8")
    done = subprocess.run([assay, "lint", "c.odcs.yaml"], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "1 contract file: 0 errors, 0 warnings\n")


@pytest.mark.parametrize("path", PAGES, ids=lambda p: p.name)
def test_links_lead_somewhere(path):
    text = FENCE.sub("", path.read_text(encoding="utf-8"))
    for target in re.findall(r"\]\(([^)]+)\)", text):
        if target.startswith("https://"):
            continue
        name, _, anchor = target.partition("#")
        other = path.parent / name if name else path
        assert other.exists(), target
        if anchor:
            titles = re.findall(r"^#+ (.*)$", FENCE.sub("", other.read_text(encoding="utf-8")), re.M)
            assert anchor in [re.sub(r"[^\w -]", "", t).lower().replace(" ", "-") for t in titles], target


@pytest.mark.parametrize("source, pattern", [
    ("src/contract/shape_assay.c", r'\{"(\w+)", &'),
    ("src/expr/function.c", r'^    \{"(\w+)", \d'),
], ids=["properties", "functions"])
def test_the_contract_page_names_everything(source, pattern):
    names = set(re.findall(pattern, (ROOT / source).read_text(), re.M))
    page = CONTRACT.read_text(encoding="utf-8")
    assert len(names) > 20
    assert [n for n in sorted(names) if not re.search(rf"\b{n}\b|assay{n[0].upper()}{n[1:]}\b", page)] == []


def test_exit_codes_are_those_of_the_code():
    in_code = {int(n) for n in re.findall(r'^    X\(ASSAY_\w+, "[^"]+", (\d+)\)', (ROOT / "include/assay/error.h").read_text(), re.M)}
    in_readme = {int(n) for cell in re.findall(r"^\| ([\d, ]+) \|", section(README, "Commands"), re.M) for n in cell.split(",")}
    breaking = {4}  # of commands that compare contracts, not built yet
    assert in_readme == in_code - breaking
