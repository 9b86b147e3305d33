"""What `make install` puts into a folder runs from anywhere, and programs can be built on the library."""
import re
import shutil
import subprocess

import pytest

SOURCE = """
#include <assay/error.h>
#include <string.h>
int main(void) { return strcmp(assay_code_name(ASSAY_CONFLICT), "conflict"); }
"""


@pytest.fixture(scope="module")
def installed(assay, tmp_path_factory):
    prefix = tmp_path_factory.mktemp("install")
    subprocess.run(["cmake", "--install", assay.parent, "--prefix", prefix], check=True, stdout=subprocess.DEVNULL)
    return prefix


def test_installed_program_runs_from_anywhere(installed, tmp_path):
    moved = shutil.copytree(installed, tmp_path / "a place with \u00fc", symlinks=True)
    done = subprocess.run([moved / "bin" / "assay", "--version"], cwd="/", env={}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("assay ")
    libraries = subprocess.run(["ldd", moved / "bin" / "assay"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"libduckdb\.so => (\S.*) \(", libraries)
    assert (moved / "lib" / "libduckdb.so").samefile(found[1])


@pytest.mark.parametrize("kind", ["shared", "static"])
def test_programs_are_built_on_the_library(assay, installed, tmp_path, kind):
    if re.search(r"ASSAY_SANITIZE:\w+=.", (assay.parent / "CMakeCache.txt").read_text()):
        pytest.skip("a sanitized library needs a sanitized program")
    (tmp_path / "main.c").write_text(SOURCE)
    package = ["pkg-config", "--cflags", "--libs", "assay"] + (["--static"] if kind == "static" else [])
    env = {"PKG_CONFIG_PATH": str(installed / "lib" / "pkgconfig"), "PATH": "/usr/bin:/bin"}
    words = subprocess.run(package, env=env, capture_output=True, text=True, check=True).stdout.split()
    if kind == "static":
        words = [str(installed / "lib" / "libassay.a") if w == "-lassay" else w for w in words]
    subprocess.run(["cc", "main.c", "-o", "main", *words, f"-Wl,-rpath,{installed}/lib"], cwd=tmp_path, check=True)
    assert subprocess.run([tmp_path / "main"]).returncode == 0
