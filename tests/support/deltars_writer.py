"""delta-rs as one of many writers, as delta_writer.c is: deltars_writer.py TABLE NAME COMMITS SEED. It appends, updates and deletes;
what succeeded is said on one line of JSON each. A commit that delta-rs could not make is tried again.

It does not compact: the compaction of delta-rs 1.6 commits over a change of its own input files by somebody else, which doubles
their rows (its remove of a file that was gone already is in the log, readVersion and all)."""
import json
import random
import re
import sys
import time

import deltalake
import deltalake.exceptions
import pyarrow

IDS_OF_WRITER = 1000000
COUNTS = "num_updated_rows", "num_deleted_rows"  # of what is not committed when there is none of it


def committed(call):
    """What delta-rs says of its commit, None if it lost to another writer, which is no failure."""
    try:
        return call() or {}
    except deltalake.exceptions.CommitFailedError:
        return None
    except deltalake.exceptions.DeltaError as error:
        if re.search(r"[Cc]onflict|concurrent|Transaction failed|already exists", str(error)):
            return None
        raise


def main():
    table, name, commits, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    number = int(re.search(r"\d+", name)[0])
    chance = random.Random(seed * 7919 + number)
    next_id = number * IDS_OF_WRITER
    done = 0
    while done < commits:
        tag = f"{name}-{done}"
        properties = deltalake.CommitProperties(custom_metadata={"userMetadata": tag}, max_commit_retries=0)
        op, ids = chance.choice(["append", "append", "raise", "raise", "delete"]), []
        loaded = deltalake.DeltaTable(table)
        there = sorted(loaded.to_pyarrow_table(columns=["id"])["id"].to_pylist())
        if op in ("raise", "delete"):
            if not there:
                continue
            ids = [chance.choice(there)]  # one: it may be gone by the time delta-rs looks, and then nothing is done
        if op == "append":
            ids = list(range(next_id, next_id + chance.randint(1, 3)))
            rows = pyarrow.table({"id": pyarrow.array(ids, pyarrow.int64()), "owner": [name] * len(ids),
                                  "value": pyarrow.array([0] * len(ids), pyarrow.int64())})
            done_what = committed(lambda: deltalake.write_deltalake(loaded, rows, mode="append", commit_properties=properties))
        elif op == "raise":
            done_what = committed(lambda: loaded.update(updates={"value": "value + 1"}, predicate=f"id = {ids[0]}",
                                                        commit_properties=properties))
        else:
            done_what = committed(lambda: loaded.delete(f"id = {ids[0]}", commit_properties=properties))
        if done_what is None or any(done_what.get(count) == 0 for count in COUNTS):
            time.sleep(chance.random() * 0.05)
            continue
        print(json.dumps({"tag": tag, "op": op, "ids": ids}), flush=True)
        if op == "append":
            next_id += len(ids)
        done += 1


main()
