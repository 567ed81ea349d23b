"""Build a mirror and a day with one core, two, and a cluster of two workers: the same plans, and no
task that has all of the work.

python -m bench.scale             200,000 rows, on the console
python -m bench.scale full        2 million rows, for bench/results/scale.md

All three have one catalog on PostgreSQL and one S3, of this machine: what differs is Spark's
master. A line of Debezium's JSON is about 850 bytes; each delete has its tombstone.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from stack.cluster import Cluster
from stack.services import free_port

from bench.data import EVENTS, RAW, Case, add_batch, create_log, state, time_of, wanted_state
from bench.report import run_on, write_page
from bench.stages import Statement, between, heavy, logging_in, read_statements

SMALL = Case(200_000, 100_000, rounds=2, last_keys=2_000, is_json=True, deleting=3)
FULL = replace(SMALL, rows=2_000_000, keys=600_000)
FIRST, DAY = "first load", "a day"
# the batch that each step merges: the second one is older than the third, and comes after it
STEPS = {
    FIRST: 0,
    "a batch that follows": 2,
    "a late batch": 1,
    "a batch of deletes": 3,
    "a small batch": 4,
    DAY: None,
}
SMALL_STEP = "a small batch"  # which one task folds: a shuffle would cost more than its work
ENGINES = ("local[1]", "local[2]", "cluster")
# the part of what a stage reads that one of two or three tasks may read, and one of more: half of a
# batch of deletes are Kafka's tombstones
FEW, SPREAD = 0.7, 0.4
# a small case has as many tasks as a large one, each with less
SPLIT = 1024 * 1024
DIVIDED = {"spark.sql.adaptive.coalescePartitions.minPartitionSize": "64k"}


@dataclass(frozen=True)
class Step:
    """What an engine has done for a step.

    Attributes:
        seconds: that dbt says the model took.
        statements: those that have read a part of the step's rows.
    """

    seconds: float
    statements: list[Statement]

    @property
    def shuffled(self) -> int:
        return sum(stage.shuffled for each in self.statements for stage in each.stages)


Measured = dict[str, dict[str, Step]]  # by engine and step


def measure(cluster: Cluster, case: Case, folder: Path) -> Measured:
    """Each step by each engine, each with a database, a warehouse and a process of its own.

    Raises:
        RuntimeError: a mirror has not the right rows.
    """
    found = {}
    for number, engine in enumerate(ENGINES):
        own = folder / str(number)
        own.mkdir(parents=True)
        master = cluster.master.address if engine == "cluster" else engine
        named = cluster.environment("jdbc") | cluster.make_catalog(f"scale_{number}")
        named |= {"LAKEMIRROR_SPARK_MASTER": master}
        command = [sys.executable, "-m", "bench.scale", "work", json.dumps(asdict(case)), str(own)]
        with (own / "worker.log").open("w") as log:
            ran = subprocess.run(command, env=os.environ | named, stdout=log, stderr=log)
        if ran.returncode:
            raise RuntimeError(f"{engine}: {(own / 'worker.log').read_text()[-2000:]}")
        found[engine] = steps_of(own, case)
        told = {name: round(step.seconds, 1) for name, step in found[engine].items()}
        print(f"{engine}: {told}", file=sys.stderr, flush=True)
    return found


def steps_of(folder: Path, case: Case) -> dict[str, Step]:
    """What a process has done, by its own notes and Spark's event log."""
    notes = json.loads((folder / "steps.json").read_text())
    statements, found = read_statements(folder), {}
    for name, note in notes.items():
        within = between(statements, note["begin"], note["end"])
        found[name] = Step(note["seconds"], heavy(within, rows_of(name, case) // 4))
    return found


def rows_of(step: str, case: Case) -> int:
    """How many rows a step is about."""
    batch = STEPS[step]
    return int(case.keys_of(batch) * case.events) if batch else case.rows


def problems(found: Measured) -> list[str]:
    """What is not the same with each engine, and which stages one task does alone."""
    said = []
    for step in STEPS:
        plans = {
            engine: [s.plan for s in steps[step].statements] for engine, steps in found.items()
        }
        known = plans[ENGINES[0]]
        if not known:
            said.append(f"{step}: no statement has read its rows")
        for engine, others in plans.items():
            if others != known:
                which = differing(known, others)
                said.append(f"{step}: {engine} has other plans than {ENGINES[0]}: {which}")
        for engine in ENGINES[1:]:
            if step != SMALL_STEP:
                said += [f"{step}: {engine}: {text}" for text in alone(found[engine][step])]
        if step != SMALL_STEP and len(executors(found["cluster"][step])) < 2:
            said.append(f"{step}: one of the cluster's workers has done it alone")
    return said


def differing(known: Sequence[tuple[str, ...]], others: Sequence[tuple[str, ...]]) -> str:
    """The first plan that is another one."""
    for one, other in zip(known, others, strict=False):
        if one != other:
            return "\n".join([*one, "<>", *other])
    return f"{len(known)} statements, and {len(others)}"


def alone(step: Step) -> list[str]:
    """The stages of which one task reads almost all."""
    most = max((each.rows for each in step.statements), default=0)
    return [
        f"one of {len(stage.rows)} tasks has {stage.largest:.0%} of what a stage reads, "
        f"{sum(stage.rows):,} rows: {' '.join(statement.plan[:3])}"
        for statement in step.statements
        for stage in statement.stages
        if sum(stage.rows) >= most / 4 and stage.largest > (FEW if len(stage.rows) < 4 else SPREAD)
    ]


def executors(step: Step) -> set[str]:
    return {name for each in step.statements for s in each.stages for name in s.executors}


# -- a process of its own --------------------------------------------------------------------------


def work(case: Case, folder: Path) -> None:
    """Make the log batch by batch, and merge it, with the catalog and master of the environment."""
    from bench.session import session_of
    from bench.systems import DbtModel, Decoded
    from dbt.adapters.lakemirror.connections import LakemirrorCredentials

    os.environ["DBT_TARGET"] = "cluster"
    is_small = case.rows < FULL.rows
    if is_small:
        os.environ["BENCH_SPLIT"] = str(SPLIT)
    given = {"uri": "CATALOG_URI", "warehouse": "WAREHOUSE"}
    given |= {"jdbc.user": "CATALOG_USER", "jdbc.password": "CATALOG_PASSWORD"}
    catalog = {key: os.environ[f"LAKEMIRROR_{name}"] for key, name in given.items()}
    credentials = LakemirrorCredentials(
        schema="bench",
        catalog={"type": "jdbc", **catalog},
        jars=["org.postgresql:postgresql:42.7.8"],
        server_side_parameters={
            "spark.master": os.environ["LAKEMIRROR_SPARK_MASTER"],
            "spark.executor.memory": "1g",
            **logging_in(folder),
            **(DIVIDED if is_small else {}),
        },
    )
    spark = session_of(credentials, credentials.jvm_conf(), "1g", folder)
    tables = create_log(spark, case)
    # a batch is many files, as from Kafka's partitions, or files that many tasks can read
    spread = "'write.distribution-mode' = 'none', 'write.parquet.row-group-size-bytes' = '1048576'"
    for table in tables:
        spark.sql(f"alter table {table} set tblproperties ({spread})")
    system, notes = Decoded(spark, case, folder), {}
    for step, batch in STEPS.items():
        if batch is not None:
            add_batch(spark, case, batch)
            spark.sql(tombstones_sql(batch))
        begin = time.time()
        if batch is None:
            DbtModel.dbt(system, "run", "watermark_bench")
            seconds = system.dbt("run", "daily_events", ds="2026-01-01").execution_time
        else:
            seconds = system.merge(batch)
        notes[step] = {"begin": begin, "end": time.time(), "seconds": seconds}
    wanted, found = wanted_state(spark, case), state(spark, system.live)
    if found != wanted:
        sys.exit(f"the mirror has {found}, and should have {wanted}")
    spark.stop()
    (folder / "steps.json").write_text(json.dumps(notes))


def tombstones_sql(batch: int) -> str:
    """Append what Debezium sends after each delete of a batch: the key, and no value."""
    return f"""
        insert into {EVENTS}
        select
            to_json(named_struct('id', id)), cast(null as string), 'bench.bench.rows',
            _kfk_partition, _kfk_offset + 500000000, _src_ts, _src_ts, _src_ts
        from {RAW}
        where _src_ts = {time_of(batch)} and op = 'd'
    """


# -- the page --------------------------------------------------------------------------------------


def table(found: Measured) -> list[str]:
    """The report's lines."""
    lines = [
        f"| | {' | '.join(f'{e}, s' for e in ENGINES)} | two cores | the cluster | Statements "
        "| Tasks of the largest stage | Its largest task | Shuffled MB |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for step in STEPS:
        one, two, cluster = (found[engine][step] for engine in ENGINES)
        stages = [stage for each in cluster.statements for stage in each.stages]
        largest = max(stages, key=lambda stage: sum(stage.rows))
        lines.append(
            f"| {step} | {one.seconds:.1f} | {two.seconds:.1f} | {cluster.seconds:.1f} "
            f"| {one.seconds / two.seconds:.2f} | {one.seconds / cluster.seconds:.2f} "
            f"| {len(cluster.statements)} | {len(largest.rows)} | {largest.largest:.0%} "
            f"| {cluster.shuffled / 1e6:.0f} |"
        )
    return lines


def main() -> None:
    if sys.argv[1:2] == ["work"]:
        work(Case(**json.loads(sys.argv[2])), Path(sys.argv[3]))
        return
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("plan", nargs="?", choices=["smoke", "full"], default="smoke")
    full, begin = parser.parse_args().plan == "full", time.monotonic()
    case = FULL if full else SMALL
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)  # PostgreSQL has a user of its own
        cluster = Cluster(Path(folder) / "cluster", free_port(Cluster.PORTS))
        try:
            cluster.up(with_rest=False)
            found = measure(cluster, case, Path(folder) / "engines")
        finally:
            for service in cluster.services:
                service.stop()
    lines, wrong = table(found), problems(found)
    print("\n".join([*lines, *wrong]))
    if wrong:
        sys.exit(1)
    if full:
        told = run_on("make bench-scale", time.monotonic() - begin)
        write_page(
            "scale", ["# One core, two, and a cluster", "", told, "", case.name + ".", "", *lines]
        )


if __name__ == "__main__":
    main()
