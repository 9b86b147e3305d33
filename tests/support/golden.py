"""Tests without Python.

cli/<name>.sh           run by `sh -eu` in an empty folder, the program first on PATH; passes when it exits 0
golden/<case>/cmd       run by `sh` in a copy of golden/<case>/in/ (if there is one); what it prints and its exit code must be
    expect/stdout       as here, after the folder's path, ids, times and durations are replaced (see normalise);
    expect/stderr       a file that is not there means: nothing
    expect/exit         a number; not there: 0
                        `pytest --update golden` writes expect/ anew
"""
import difflib
import os
import re
import shutil
import subprocess
import tempfile

import pytest

import project

NORMAL = [
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"), "<uuid>"),
    (re.compile(r"\b20(?:2[6-9]|[3-9]\d)-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?Z?"), "<time>"),
    (re.compile(r"\b\d+(?:\.\d+)? (?:ms|s)\b"), "<duration>"),
]


def normalise(text, folder):
    text = text.replace(folder, "<folder>")
    for pattern, name in NORMAL:
        text = pattern.sub(name, text)
    return text


def run(command, folder):
    program = project.find_program()
    env = {**os.environ, "ASSAY": str(program), "PATH": f"{program.parent}:{os.environ['PATH']}", "TZ": "UTC", "NO_COLOR": "1"}
    done = subprocess.run(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=240)
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


class Failure(Exception):
    pass


class Case(pytest.Item):
    def repr_failure(self, excinfo, style=None):
        return str(excinfo.value) if isinstance(excinfo.value, Failure) else super().repr_failure(excinfo)

    def reportinfo(self):
        return self.path, None, self.name

    def check_sanitizer(self, stderr):
        if project.SANITIZER.search(stderr):
            raise Failure(stderr)


class ShellFile(pytest.File):
    def collect(self):
        yield ShellCase.from_parent(self, name=self.path.stem)


class ShellCase(Case):
    def runtest(self):
        with tempfile.TemporaryDirectory(prefix="assay-") as folder:
            code, stdout, stderr = run(["sh", "-eu", self.path], folder)
        self.check_sanitizer(stderr)
        if code != 0:
            raise Failure(f"exit {code}\n{stdout}\n{stderr}")


class GoldenFile(pytest.File):
    def collect(self):
        yield GoldenCase.from_parent(self, name=self.path.parent.name)


class GoldenCase(Case):
    def runtest(self):
        case = self.path.parent
        with tempfile.TemporaryDirectory(prefix="assay-") as folder:
            if (case / "in").is_dir():
                shutil.copytree(case / "in", folder, dirs_exist_ok=True)
            code, stdout, stderr = run(["sh", self.path], folder)
        self.check_sanitizer(stderr)
        got = {"stdout": normalise(stdout, folder), "stderr": normalise(stderr, folder), "exit": f"{code}\n" if code else ""}
        if self.config.getoption("--update"):
            self.update(case / "expect", got)
            return
        wrong = []
        for name, text in got.items():
            path = case / "expect" / name
            want = path.read_text(encoding="utf-8") if path.exists() else ""
            if text != want:
                wrong += difflib.unified_diff(want.splitlines(), text.splitlines(), f"expected {name}", f"got {name}", lineterm="")
        if wrong:
            raise Failure("\n".join(wrong))

    @staticmethod
    def update(expect, got):
        shutil.rmtree(expect, ignore_errors=True)
        expect.mkdir()
        for name, text in got.items():
            if text:
                (expect / name).write_text(text, encoding="utf-8")
