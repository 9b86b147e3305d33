"""A scratch project to run assay in: assay.yaml, contracts/, lake/."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data"
SANITIZER = re.compile(r"ERROR: \w+Sanitizer|runtime error:|WARNING: ThreadSanitizer")


def find_program():
    if "ASSAY" in os.environ:
        program = pathlib.Path(os.environ["ASSAY"]).absolute()
    else:
        built = [p for preset in ("dev", "release", "asan") if (p := ROOT / "build" / preset / "assay").exists()]
        program = max(built, key=lambda p: p.stat().st_mtime, default=ROOT / "build" / "dev" / "assay")
    assert os.access(program, os.X_OK), f"no program {program}: build it first, or set ASSAY"
    return program


def contract_text(table, source, columns, id_type="string", **assay):
    """A contract of silver.<table>, keyed by its required column `id`: assaySource, the lines of the other columns, and
    assay's other properties of the table. Any share of rows may be rejected."""
    properties = {"source": source, "grain": {"keys": ["id"]}, "batch": {"maxRejectPercent": 100}, **assay}
    custom = "\n".join(f"      - {{property: assay{name[0].upper()}{name[1:]}, value: {json.dumps(value)}}}"
                       for name, value in properties.items())
    logical = "string" if id_type == "string" else "integer"
    return f"""
apiVersion: v3.1.0
kind: DataContract
id: {table}
version: 1.0.0
status: active
team: {{name: data, members: [{{username: a@example.com, role: Owner}}]}}
schema:
  - name: {table}
    physicalName: silver.{table}
    customProperties:
{custom}
    properties:
      - {{name: id, logicalType: {logical}, physicalType: {id_type}, required: true}}
{columns}
"""


class Result:
    """What a run of the program gave: code, stdout, stderr as text, out and err as bytes, json() of stdout."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err
        self.stdout, self.stderr = out.decode("utf-8", "replace"), err.decode("utf-8", "replace")

    def json(self):
        return json.loads(self.stdout)


class Project:
    def __init__(self, root, program):
        self.root, self.program = pathlib.Path(root), program
        self.lake = self.root / "lake"
        (self.root / "contracts").mkdir(parents=True)
        self.lake.mkdir()
        (self.root / "assay.yaml").write_text("lake: ./lake\ncontracts: contracts/*.odcs.yaml\n")

    def contract(self, contract):
        """Put a contract, a text or the path of a file, under the name of its table; returns that name."""
        text = contract.read_text(encoding="utf-8") if isinstance(contract, pathlib.Path) else contract
        name = re.search(r"^\s*physicalName: (silver\.\S+)", text, re.M)[1]
        (self.root / "contracts" / f"{name}.odcs.yaml").write_text(text, encoding="utf-8")
        return name

    def batch(self, entity, batch, files):
        """Put files, {name: text or bytes}, into a batch folder of `<source>/<entity>` as another tool would."""
        folder = self.lake / "Files" / "landing" / entity / f"batch_id={batch}"
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
        return folder

    def small_job(self):
        """The small job: contract of silver.orders and its three batches; see data/small-job/README.md."""
        subprocess.run([sys.executable, DATA / "small-job" / "make_small_job.py"], cwd=self.root, check=True, stdout=subprocess.DEVNULL)
        (self.lake / "Files").mkdir(exist_ok=True)
        shutil.move(self.root / "landing", self.lake / "Files")
        return self.contract(DATA / "small-job" / "orders.odcs.yaml")

    def assay(self, *args, code=0, stdin=None, env=None, timeout=120, cwd=None):
        """Run the program in the project's folder. Fails when it ends otherwise than with `code` (None: any) or a sanitizer
        speaks."""
        done = subprocess.run([self.program, *map(str, args)], cwd=cwd or self.root, input=stdin or b"", capture_output=True,
                              env={**os.environ, **(env or {})}, timeout=timeout)
        result = Result(done.returncode, done.stdout, done.stderr)
        said = f"assay {' '.join(map(str, args))}\n{result.stdout[-4000:]}\n{result.stderr[-8000:]}"
        assert not SANITIZER.search(result.stderr), said
        assert code is None or result.code == code, f"exit {result.code}, expected {code}: {said}"
        return result

    def table(self, name):
        """The folder of a table."""
        return self.lake / "Tables" / pathlib.Path(*name.split("."))

    def rows(self, name):
        """The rows of a table as delta-rs reads them, as dicts of Python values; [] if there is no table."""
        import deltalake

        if not list(self.table(name).glob("_delta_log/[0-9]*")):
            return []
        return deltalake.DeltaTable(self.table(name)).to_pyarrow_table().to_pylist()

    def version(self, name):
        """The version of a table, None if there is none."""
        import deltalake

        if not list(self.table(name).glob("_delta_log/[0-9]*")):
            return None
        return deltalake.DeltaTable(self.table(name)).version()
