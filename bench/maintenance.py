"""Merge small batches into two mirrors by turns: one is maintained, the other is not.

python -m bench.maintenance            10 merges into 20,000 rows, on the console
python -m bench.maintenance full       100 merges of 0.1 % into 2 million, for bench/results

The maintained one lets snapshots go as soon as nobody needs them: what takes days in a lake is
measured in minutes. Its last read is compared with that of a copy that was freshly written. And a
table of others is ordered by what readers ask by: what they open of it before and after.
"""

import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any

from dbt.cli.main import dbtRunner

from bench.data import Case, batch_sql, create_raw_sql
from bench.report import publish
from bench.size import size_of
from bench.systems import PROJECT
from bench.worker import open_session
from lakemirror.lake import pyiceberg_catalog

SMOKE, FULL = Case(20_000, 200, rounds=10), Case(2_000_000, 2_000, rounds=100, memory="3g")
EVERY = 5  # merges between two calls of maintenance
AT_BOTH_ENDS = 10  # merges that are compared; of a few, half of them
READS = 5
POLICY = "maintenance={'readers': '0s', 'snapshot_age': '0s'}"
READ_BY = "customer_id"  # what readers ask by
ORDERED = {"sort_by": [READ_BY], "target_file_mb": 4}
MODES = ("merge-on-read", "copy-on-write")
Times = dict[str, list[float]]


class Project:
    """Two mirrors of one raw table: mirror.kept is maintained, mirror.left is not."""

    def __init__(self, folder: Path, mode: str) -> None:
        self.folder = folder / "project"
        shutil.copytree(PROJECT, self.folder)
        shutil.rmtree(self.folder / "models/mirror")
        (self.folder / "models/mirror").mkdir()
        for name in ("daily_rows", "stg_events", "watermark_bench", "consistent_cut"):
            (self.folder / f"models/{name}.sql").unlink()
        for name in ("kept", "left"):
            config = f"unique_key='id', buckets=4, merge_mode='{mode}', {POLICY}"
            text = f"{{{{ config({config}) }}}}\nselect * from {{{{ ref('stg_rows') }}}}\n"
            (self.folder / f"models/mirror/mirror_{name}.sql").write_text(text, "utf-8")

    def dbt(self, *arguments: str) -> Any:
        places = ["--project-dir", str(self.folder), "--profiles-dir", str(self.folder)]
        places += ["--log-path", str(self.folder / "logs"), "--quiet"]
        result = dbtRunner().invoke([*arguments, *places])
        if not result.success:
            raise RuntimeError(result.exception or [r.message for r in result.result])
        return result.result

    def merge(self, name: str) -> float:
        """Seconds of the model alone."""
        model = f"mirror_{name}"
        [said] = [r for r in self.dbt("run", "--select", model) if r.node.name == model]
        return float(said.execution_time)

    def maintain(self, table: str = "mirror_kept", **variables: Any) -> float:
        begin = time.monotonic()
        given = json.dumps({"select": [table]})
        asked = ["--args", given, "--vars", json.dumps(variables)]
        self.dbt("run-operation", "maintain", *asked)
        return time.monotonic() - begin


def read(spark: Any, table: str) -> float:
    """The median of some reads of all of a table, in seconds."""
    times = []
    for _ in range(READS):
        begin = time.monotonic()
        spark.sql(f"select sum(quantity), max(xxhash64(id, note)) from {table}").collect()
        times.append(time.monotonic() - begin)
    return median(times[1:])


def measure(case: Case, mode: str) -> list[str]:
    """A row for each mirror."""
    merges: Times = {"kept": [], "left": []}
    ratios: Times = {"kept": [], "left": []}
    cared: list[float] = []
    with tempfile.TemporaryDirectory() as name:
        lake = Path(name) / "lake"
        os.environ["LAKEMIRROR_LAKE"] = str(lake)
        spark = open_session(lake, case.memory)
        spark.sql("create namespace raw")
        spark.sql(create_raw_sql(case))
        project = Project(Path(name), mode)
        for batch in range(case.rounds + 1):
            spark.sql(batch_sql(case, batch))
            for mirror in merges:
                seconds = project.merge(mirror)
                if batch:
                    merges[mirror].append(seconds)
            if batch and batch % EVERY == 0:
                cared.append(project.maintain())
            catalog = pyiceberg_catalog(lake)
            for mirror, found in ratios.items():
                found.append(size_of(catalog.load_table(f"mirror.{mirror}")).ratio)
            print(f"{mode}: {batch}: {ratios['kept'][-1]:.2f}", file=sys.stderr, flush=True)
        spark.sql("create table mirror.fresh using iceberg as select * from mirror.kept")
        fresh = read(spark, "mirror.fresh")
        reads = {mirror: read(spark, f"mirror.{mirror}") / fresh for mirror in merges}
        files = {
            mirror: spark.sql(f"select 1 from mirror.{mirror}.files").count() for mirror in merges
        }
    share = {"kept": sum(cared) / sum(merges["kept"]), "left": 0.0}
    after = range(EVERY, case.rounds + 1, EVERY)  # the merges that maintenance has followed
    ever = {mirror: max(found[EVERY:]) for mirror, found in ratios.items()}
    worst = {"kept": max(ratios["kept"][n] for n in after), "left": ever["left"]}
    return [
        f"| {mode} | {'yes' if mirror == 'kept' else 'no'} | {worst[mirror]:.2f} "
        f"| {ever[mirror]:.2f} | {files[mirror]} "
        f"| {reads[mirror]:.2f} | {ends(merges[mirror]):.2f} | {share[mirror]:.2f} |"
        for mirror in merges
    ]


def queries(spark: Any) -> dict[str, str]:
    """What readers ask for, as conditions."""
    query = f"select approx_percentile({READ_BY}, array(0.5, 0.51)) from others.rows"
    [(bounds,)] = spark.sql(query).collect()
    return {
        "one customer": f"{READ_BY} = {bounds[0]}",
        "a hundredth of the customers": f"{READ_BY} >= {bounds[0]} and {READ_BY} < {bounds[1]}",
    }


def shares(lake: Path, asked: Mapping[str, str]) -> list[float]:
    """The bytes of the files that each query opens, of all of the table."""
    table = pyiceberg_catalog(lake).load_table("others.rows")

    def size(condition: str | None) -> int:
        scan = table.scan(row_filter=condition) if condition else table.scan()
        return sum(task.file.file_size_in_bytes for task in scan.plan_files())

    return [size(condition) / size(None) for condition in asked.values()]


def ordered(case: Case) -> list[str]:
    """What is read of a table of others before and after it is ordered, a row for each query."""
    with tempfile.TemporaryDirectory() as name:
        lake = Path(name) / "lake"
        os.environ["LAKEMIRROR_LAKE"] = str(lake)
        spark = open_session(lake, case.memory)
        for schema in ("raw", "others"):
            spark.sql(f"create namespace {schema}")
        spark.sql(create_raw_sql(case))
        spark.sql(batch_sql(case, 0))
        spark.sql(
            "create table others.rows using iceberg tblproperties "
            f"('write.target-file-size-bytes' = '{4 << 20}') as select * from raw.rows"
        )
        asked = queries(spark)
        before = shares(lake, asked)
        project = Project(Path(name), MODES[0])
        project.maintain("others.rows", maintenance_tables={"others.*": ORDERED})
        after = shares(lake, asked)
    rows = zip(asked, before, after, strict=True)
    return [f"| {query} | {was:.2f} | {now:.2f} |" for query, was, now in rows]


def apart(act: Callable[..., list[str]], *arguments: Any) -> list[str]:
    """What a process of its own returns: a JVM has one lake."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(act, *arguments).result()


def ends(seconds: Sequence[float]) -> float:
    """The median of the last merges, of that of the first ones."""
    count = min(AT_BOTH_ENDS, len(seconds) // 2)
    return median(seconds[-count:]) / median(seconds[:count])


def run(full: bool) -> list[str]:
    """The report's lines."""
    case = FULL if full else SMOKE
    return [
        f"{case.rounds} merges of {case.keys:,} keys into {case.rows:,} rows, maintenance after "
        f"each {EVERY}. Sizes are the table's bytes on disk over the live ones, at their worst: "
        "after maintenance, and at any time since it first ran.",
        "",
        "| Mode | Maintained | Size | Ever | Files | Read, of a fresh copy "
        "| Last merges, of the first | Seconds of maintenance, of merging |",
        "|---|---|---|---|---|---|---|---|",
        *(line for mode in MODES for line in apart(measure, case, mode)),
        "",
        f"A table whose files are ordered by {READ_BY} (of 4 MB each): the files that a "
        "query opens, of the table's bytes.",
        "",
        "| Query | Before | After |",
        "|---|---|---|",
        *apart(ordered, case),
    ]


def main() -> None:
    command = "python -m bench.maintenance full"
    publish(__doc__, "maintenance", "What maintenance keeps", command, run)


if __name__ == "__main__":
    main()
