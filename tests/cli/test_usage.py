"""The command line itself: help, hints for slips, completion, closed pipes."""
import re
import shutil
import subprocess

import feed
import pytest

COMMANDS = ["init", "lint", "plan", "land", "landing list", "landing verify", "run", "bronze", "silver", "quarantine show",
            "quarantine list", "quarantine export", "quarantine redrive",
            "runs list", "runs show", "thresholds", "trace", "query", "history", "detail", "constraints show", "constraints add", "constraints drop", "restore", "checkpoint",
            "completion", "help", "version"]


def test_overview_names_every_command(project):
    overview = project.assay("--help").stdout
    assert overview == project.assay("help").stdout == project.assay("-h").stdout == project.assay().stdout
    assert re.findall(r"^  ([a-z]+(?: [a-z]+)?)  +\S", overview, re.M) == COMMANDS
    assert all(len(line) <= 120 for line in overview.splitlines())


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command(project, command):
    text = project.assay("help", *command.split()).stdout
    assert text.startswith(f"assay {command} - ")
    assert f"usage: assay {command}" in text
    assert all(len(line) <= 120 for line in text.splitlines())
    if command not in ("help", "version"):
        assert project.assay(*command.split(), "--help").stdout == text


def test_version_is_one_line(project):
    said = project.assay("--version").stdout
    assert re.fullmatch(r"assay \d+\.\d+\.\d+\S*\n", said)
    assert project.assay("version").stdout == said


SLIPS = {
    "rum": "did you mean `run`",
    "qarantine show": "did you mean `quarantine show`",
    "frobnicate": "next: assay help",
    "quarantine": "assay quarantine show",
    "run --jason": "did you mean --json",
    "run --frobnicate": "assay help run",
    "run --batch": "--batch ID",
    "run --json=yes": "takes no value",
    "run --json --json": "given twice",
    "run --threads 0": "1 to 1024",
    "run --threads many": "1 to 1024",
    "run --memory lots": "512MB",
    "run a b": "too many arguments",
    "land silver.orders": "an argument is missing",
    "land silver.orders a.csv": "--batch ID",
    "silver silver.orders": "--batch ID",
    "quarantine show": "an argument is missing",
    "quarantine show silver.orders --limit -1": "no number of rows",
    "completion tcsh": "bash, zsh and fish",
    "help frobnicate": "no command `frobnicate`",
    "run silver.order": "did you mean silver.orders",
    "plan orders": "silver.orders",
}


@pytest.mark.parametrize("line", SLIPS)
def test_slips_are_named_with_what_was_meant(project, line):
    feed.feed(project, {})
    done = project.assay(*line.split(), code=2)
    assert SLIPS[line] in done.stderr and done.stderr.startswith("assay: ")
    assert not done.stdout


def test_no_project(project, tmp_path):
    (tmp_path / "empty").mkdir()
    for command in ("run", "plan", "lint"):
        said = project.assay(command, code=3, cwd=tmp_path / "empty").stderr
        assert "assay.yaml" in said and "assay init" in said


def test_project_is_found_upwards(project):
    feed.feed(project, {"b1": {"a.csv": feed.orders(feed.order("K"))}})
    (project.root / "some" / "where").mkdir(parents=True)
    project.assay("run", cwd=project.root / "some" / "where")
    assert len(project.rows(feed.TABLE)) == 1


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_parse(project, shell):
    script = project.assay("completion", shell).stdout
    if not shutil.which(shell):
        pytest.skip(f"no {shell} here")
    subprocess.run([shell, "--no-execute" if shell == "fish" else "-n"], input=script, text=True, check=True)


@pytest.mark.parametrize("words, want", [("assay quar", ["quarantine"]), ("assay run --js", ["--json"]),
                                         ("assay quarantine s", ["show"]), ("assay land --re", ["--replace"])])
def test_completion_completes(project, words, want):
    script = project.assay("completion", "bash").stdout
    ask = f'COMP_WORDS=({words}); COMP_CWORD={len(words.split()) - 1}; _assay; printf "%s\\n" "${{COMPREPLY[@]}}"'
    done = subprocess.run(["bash", "-c", script + ask], capture_output=True, text=True, check=True)
    assert done.stdout.split() == want


def test_closed_pipe_ends_showing(project):
    """`assay quarantine show ... | head -1`: no complaint, no rows for nobody."""
    feed.feed(project, {"b1": {"a.csv": feed.orders(*(feed.bad_order(f"X{i}") for i in range(20_000)))}})
    project.assay("run", code=1)
    show = subprocess.Popen([project.program, "quarantine", "show", feed.TABLE, "--limit", "0"], cwd=project.root,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert b"a.csv:2" in show.stdout.readline()
    show.stdout.close()
    assert show.stderr.read() == b""
    assert show.wait() == 0


def test_closed_pipe_does_not_stop_a_run(project):
    feed.feed(project, {b: {"a.csv": feed.orders(feed.order(b))} for b in ("b1", "b2")})
    run = subprocess.Popen([project.program, "run"], cwd=project.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    run.stdout.close()
    assert run.stderr.read() == b""
    assert run.wait() == 0
    assert len(project.rows(feed.TABLE)) == 2


def test_temporary_folders_are_removed(project, tmp_path):
    feed.feed(project, {"b1": {"a.csv": feed.orders(feed.order("K"), feed.bad_order("X"))}})
    project.contract(feed.CONTRACT.read_text().replace("maxRejectPercent: 5", "maxRejectPercent: 50"))
    (tmp_path / "tmp").mkdir()
    env = {"TMPDIR": str(tmp_path / "tmp")}
    project.assay("run", env=env)
    assert "1 row shown" in project.assay("quarantine", "show", feed.TABLE, env=env).stdout
    assert not list((tmp_path / "tmp").iterdir())
    assert not (project.lake / ".assay-staging").exists()
