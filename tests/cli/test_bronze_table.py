"""The bronze table: its properties, sizes of its files, compaction, columns that come, go and change; read back by delta-rs."""
import json
import threading

import deltalake
import pyarrow
import pytest

TABLE, BRONZE = "silver.items", "bronze.erp_items_raw"
CONTRACT = """
apiVersion: v3.1.0
kind: DataContract
id: items
version: 1.0.0
status: active
team: {{name: data, members: [{{username: a@example.com, role: Owner}}]}}
schema:
  - name: items
    physicalName: silver.items
    customProperties:
      - {{property: assaySource, value: {{path: landing/erp/items, format: csv, header: {header}}}}}
      - {{property: assayBronze, value: {bronze}}}
      - {{property: assayGrain, value: {{keys: [id]}}}}
    properties:
      - {{name: id, logicalType: string, physicalType: string, required: true{more}}}
{columns}
"""
OPTIMIZE, COMPACT, MIN_FILES = ("delta.autoOptimize.optimizeWrite", "delta.autoOptimize.autoCompact",
                                "spark.databricks.delta.autoCompact.minNumFiles")


def contract(project, names=("name",), header="strict", more="", **properties):
    columns = "\n".join(f"      - {{name: {name}, logicalType: string, physicalType: string}}" for name in names)
    bronze = json.dumps({"table": BRONZE, "properties": properties} if properties else {"table": BRONZE})
    return project.contract(CONTRACT.format(header=header, bronze=bronze, columns=columns, more=more))


def load(project, batch, files, code=0):
    project.batch("erp/items", batch, files)
    return project.assay("run", TABLE, "--batch", batch, code=code)


def table(project):
    return deltalake.DeltaTable(project.table(BRONZE))


def commits(project):
    """The actions of each version, oldest first."""
    logs = sorted((project.table(BRONZE) / "_delta_log").glob("*.json"))
    return [[json.loads(line) for line in log.read_text().splitlines()] for log in logs if log.stem.isdigit()]


def operations(project):
    return [next(a["commitInfo"] for a in actions if "commitInfo" in a)["operation"] for actions in commits(project)]


def ids(project):
    return sorted((row["_batch_id"], row["_source_line"], row["id"], row["name"]) for row in project.rows(BRONZE))


# ---- properties ----


def test_properties_of_a_new_table_and_of_one_that_people_changed(project):
    contract(project)
    load(project, "b1", {"a.csv": "id,name\n1,x\n"})
    assert table(project).metadata().configuration == {OPTIMIZE: "true", COMPACT: "true"}
    table(project).alter.set_table_properties({COMPACT: "false"}, raise_if_not_exists=False)
    load(project, "b2", {"a.csv": "id,name\n2,x\n"})
    assert table(project).metadata().configuration == {OPTIMIZE: "true", COMPACT: "false"}
    contract(project, **{COMPACT: "true"})
    load(project, "b3", {"a.csv": "id,name\n3,x\n"})
    assert table(project).metadata().configuration == {OPTIMIZE: "true", COMPACT: "true"}


def test_a_contract_may_say_no(project):
    contract(project, **{COMPACT: "false", MIN_FILES: "2"})
    for batch in "abcd":
        load(project, batch, {"a.csv": f"id,name\n{batch},x\n"})
    assert table(project).metadata().configuration[COMPACT] == "false"
    assert operations(project) == ["WRITE"] * 4 and len(table(project).file_uris()) == 4


# ---- sizes ----


def test_a_thousand_small_files(project):
    contract(project)
    files = {f"part-{i:04}.csv": "id,name\n" + "".join(f"{i}-{k},n{k}\n" for k in range(i % 7 + 1)) for i in range(1000)}
    load(project, "b1", files)
    expected = sorted((f"{i}-{k}", k + 2) for i in range(1000) for k in range(i % 7 + 1))
    assert sorted((row["id"], row["_source_line"]) for row in project.rows(BRONZE)) == expected
    assert len(table(project).file_uris()) == 1


def test_target_size_of_files(project):
    """A file is whole row groups, as many of about 122,880 rows as it takes to reach the target."""
    rows, group = 300000, 122880
    noise = "".join(f"{i},{hash((i, 1)) & 0xFFFFFFFFFFFFFFF:x}\n" for i in range(rows))
    contract(project, **{"delta.targetFileSize": "300k"})
    load(project, "b1", {"a.csv": "id,name\n" + noise})
    adds = [action["add"] for action in commits(project)[0] if "add" in action]
    counts = [json.loads(add["stats"])["numRecords"] for add in adds]
    assert sum(counts) == rows and len(adds) >= 2 and max(counts) < 2 * group
    contract(project, **{"delta.targetFileSize": "1g"})
    load(project, "b2", {"a.csv": "id,name\n" + noise})
    assert len(table(project).file_uris()) == len(adds) + 1


# ---- compaction ----


def test_fifty_small_files_become_one(project):
    contract(project, names=("name",))
    for i in range(50):
        load(project, f"b{i:02}", {"a.csv": f"id,name\n{i},first\n{i + 1000},second\n"})
        if i < 49:
            assert len(table(project).file_uris()) == i + 1
    assert operations(project) == ["WRITE"] * 50 + ["OPTIMIZE"]
    assert len(table(project).file_uris()) == 1
    assert ids(project) == sorted((f"b{i:02}", line, str(i + 1000 * (line - 2)), "first" if line == 2 else "second")
                                  for i in range(50) for line in (2, 3))
    actions = commits(project)[-1]
    info = next(a["commitInfo"] for a in actions if "commitInfo" in a)
    assert info["operationParameters"] == {"predicate": "[]", "zOrderBy": "[]", "clusterBy": "[]", "auto": True}
    assert info["operationMetrics"]["numRemovedFiles"] == "50" and info["operationMetrics"]["numAddedFiles"] == "1"
    assert info["isolationLevel"] == "SnapshotIsolation"
    changes = [a.get("add") or a.get("remove") for a in actions if "add" in a or "remove" in a]
    assert len(changes) == 51 and not any(change["dataChange"] for change in changes)
    assert not any("txn" in a or "metaData" in a for a in actions)
    # a batch that lies in the common file is known to be loaded, and can be replaced alone
    assert "unchanged since" in load(project, "b07", {"a.csv": "id,name\n7,first\n1007,second\n"}).stdout
    load(project, "b07", {"a.csv": "id,name\n7,other\n"})
    assert [row for row in ids(project) if row[0] == "b07"] == [("b07", 2, "7", "other")]
    assert len(ids(project)) == 99


def test_batches_loaded_while_another_compacts(project):
    """Two writers of one table, each of which compacts: every row is there once."""
    contract(project, **{MIN_FILES: "2"})
    load(project, "b0", {"a.csv": "id,name\n0,x\n"})
    for i in range(1, 13):
        project.batch("erp/items", f"b{i}", {"a.csv": f"id,name\n{i},x\n"})

    def run(numbers):
        for i in numbers:
            done = project.assay("bronze", TABLE, "--batch", f"b{i}", code=None)
            assert done.code in (0, 6), done.stderr

    threads = [threading.Thread(target=run, args=(range(first, 13, 2),)) for first in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    run(range(1, 13))
    assert sorted(int(row["id"]) for row in project.rows(BRONZE)) == list(range(13))
    assert "OPTIMIZE" in operations(project)


# ---- columns ----


@pytest.mark.parametrize("header", ["strict", "byName"])
def test_bronze_grows_with_the_contract(project, header):
    contract(project, header=header)
    load(project, "b1", {"a.csv": "id,name\n1,x\n"})
    contract(project, names=("name", "colour"), header=header)
    load(project, "b2", {"a.csv": "id,name,colour\n2,y,red\n"}, code=None)
    rows = {row["id"]: (row["_batch_id"], row["name"], row["colour"]) for row in project.rows(BRONZE)}
    assert rows == {"1": ("b1", "x", None), "2": ("b2", "y", "red")}
    assert [field.name for field in table(project).schema().fields][-1] == "colour"


def test_a_column_of_another_type_is_refused_with_both_types(project):
    contract(project)
    load(project, "b1", {"a.csv": "id,name\n1,x\n"})
    number = pyarrow.table({"amount": pyarrow.array([1], pyarrow.int64()), "id": ["9"]})
    deltalake.write_deltalake(project.table(BRONZE), number, mode="append", schema_mode="merge")
    before = project.version(BRONZE)
    contract(project, names=("name", "amount"))
    done = load(project, "b2", {"a.csv": "id,name,amount\n2,y,3\n"}, code=2)
    assert 'column amount is "long" in the bronze table, where assay keeps a string' in done.stderr
    assert project.version(BRONZE) == before


def test_partitioning_is_not_done_and_said_why(project):
    contract(project, more=", partitioned: true, partitionKeyPosition: 1")
    said = project.assay("lint", code=None)
    assert "partitioned by id: tables are made without partitions, as a batch is files of its own" in said.stdout
    load(project, "b1", {"a.csv": "id,name\n1,x\n"})
    assert table(project).metadata().partition_columns == []


# ---- batches that change ----


def test_a_batch_that_changed_after_its_load_is_loaded_again(project):
    import hashlib

    contract(project)
    old, new, more = "id,name\n1,x\n", "id,name\n1,y\n2,z\n", "id,name\n3,w\n"
    project.batch("erp/items", "b1", {"a.csv": old})
    project.assay("run", TABLE)
    assert "batch b1" not in project.assay("run", TABLE).stdout
    project.batch("erp/items", "b1", {"a.csv": new, "b.csv": more})
    said = project.assay("run", TABLE).stdout
    for text in (old, new, more):
        assert hashlib.sha256(text.encode()).hexdigest() in said
    assert "b.csv: not there -> " in said
    assert [(row[2], row[3]) for row in ids(project)] == [("1", "y"), ("3", "w"), ("2", "z")]
