"""One system and one case in a process of its own; it obeys the lines on its standard input.

A line is `merge` and a batch, `idle` and a batch that has been merged, `state` (of the table) or
`wanted` (of the log); the answer is a line of JSON.
"""

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from bench.data import (
    Case,
    batch_sql,
    create_events_sql,
    create_raw_sql,
    events_sql,
    newest_sql,
    state_sql,
)
from bench.systems import ADDED, SYSTEMS, DbtModel, System


def open_session(lake: Path, memory: str, system: type[System]) -> Any:
    """A Spark session on a lake of its own, alike for all systems but for what one needs."""
    from dbt.adapters.lakemirror.session import SessionHandle
    from lakemirror.jars import class_path
    from lakemirror.lake import spark_conf

    own = spark_conf(lake)
    path, extensions = "spark.driver.extraClassPath", "spark.sql.extensions"
    if system.jars:
        own[path] += ":" + class_path(system.jars)
        own[extensions] += "," + system.extension
    conf = {
        **own,
        **system.conf,
        "spark.sql.parquet.compression.codec": "zstd",
        "spark.master": "local[2]",
        "spark.driver.memory": memory,
        "spark.sql.shuffle.partitions": "8",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.ansi.enabled": "true",
        "spark.log.level": "ERROR",
    }
    return SessionHandle(str(lake.resolve()), conf, {}, lake / "spark.log").session


def stages(spark: Any) -> dict[str, int]:
    """What Spark has read, shuffled, spilled and written so far, in bytes."""
    store = spark.sparkContext._jsc.sc().statusStore()
    fields = ("inputBytes", "shuffleWriteBytes", "diskBytesSpilled", "outputBytes")
    totals = dict.fromkeys(fields, 0)
    for stage in _stage_list(spark, store):
        for field in fields:
            totals[field] += getattr(stage, field)()
    return totals


def _stage_list(spark: Any, store: Any) -> Any:
    jvm = spark._jvm
    converters = jvm.scala.jdk.javaapi.CollectionConverters
    doubles = spark.sparkContext._gateway.new_array(jvm.double, 0)
    statuses = jvm.java.util.ArrayList()
    return converters.asJava(store.stageList(statuses, False, False, doubles, statuses))


def merge(system: System, batch: int) -> dict[str, Any]:
    before = stages(system.spark)
    seconds = system.merge(batch)
    after = stages(system.spark)
    moved = {name: after[name] - before[name] for name in before}
    if not system.is_merge:
        return {"seconds": seconds, "read": 0, **moved, **dict.fromkeys(ADDED, 0)}
    return {"seconds": seconds, "read": read(system), **moved, **system.added()}


def read(system: System) -> float:
    """Seconds of a query that reads all live rows of the table."""
    begin = time.monotonic()
    system.spark.sql(f"select sum(quantity), max(xxhash64(id, note)) from {system.live}").collect()
    return time.monotonic() - begin


def state(system: System, relation: str) -> dict[str, Any]:
    """How many rows there are, and their hash."""
    rows, digest = system.spark.sql(state_sql(relation)).first()
    return {"rows": rows, "hash": str(digest)}


def main() -> None:
    name, text, folder = sys.argv[1:]
    lake = Path(folder)
    lake.mkdir(parents=True)
    os.environ["LAKEMIRROR_LAKE"] = str(lake)
    case = Case(**json.loads(text))
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what dbt prints is no answer
    spark = open_session(lake, case.memory, SYSTEMS[name])
    spark.sql("create namespace raw")
    spark.sql(create_raw_sql(case))
    system = SYSTEMS[name](spark, case, lake)
    if system.sends_events:
        spark.sql(create_events_sql())
    for line in sys.stdin:
        command, *batch = line.split()
        answer: dict[str, Any]
        if command == "state":
            answer = state(system, system.live) if system.is_merge else {"is_right": True}
        elif command == "wanted":
            answer = state(system, f"({newest_sql(case)}) where op <> 'd'")
        elif command == "idle":
            assert isinstance(system, DbtModel)
            answer = {"seconds": system.idle(int(batch[0]))}
        else:
            spark.sql(batch_sql(case, int(batch[0])))
            if system.sends_events:
                spark.sql(events_sql(int(batch[0])))
            answer = merge(system, int(batch[0]))
        answers.write(json.dumps(answer) + "\n")


if __name__ == "__main__":
    main()
