"""One system and one case in a process of its own; it obeys the lines on its standard input.

A line is `ready`, `merge` and a batch, `idle` and a batch that has been merged, or `state` (of the
table); the answer is a line of JSON.
"""

import json
import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench.data import Case, state
from bench.session import open_session
from bench.stages import between, logging_in, read_statements, table_of
from bench.systems import SYSTEMS, DbtModel, System
from lakemirror.comet import CometError, comet_conf
from lakemirror.lake import CATALOG

OFF_HEAP = {"spark.memory.offHeap.size": "1g"}


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
    before, since = stages(system.spark), time.time()
    seconds = system.merge(batch)
    after = stages(system.spark)
    moved = {name: after[name] - before[name] for name in before}
    scanned = read(system) if system.is_merge else 0
    return {"seconds": seconds, "read": scanned, **moved, **system.added(since)}


def read(system: System) -> float:
    """Seconds of a query that reads all live rows of the table."""
    begin = time.monotonic()
    system.spark.sql(f"select sum(quantity), max(xxhash64(id, note)) from {system.live}").collect()
    return time.monotonic() - begin


def land(spark: Any, files: dict[str, str]) -> None:
    """Let the lake have the log as it is in these files of metadata, by table."""
    for table, file in files.items():
        spark.sql(f"drop table if exists {table}")
        spark.sql(f"call {CATALOG}.system.register_table('{table}', '{file}')")


def settings_of(kind: type[System]) -> dict[str, str]:
    """Spark's settings of a system; where Comet cannot start, the process ends with the sentence
    that the report has in place of the times."""
    try:
        return {**kind.conf, **(comet_conf(OFF_HEAP) if kind.is_accelerated else {})}
    except CometError as error:
        sys.exit(str(error))


def write_profile(lake: Path, began: Mapping[int, float]) -> None:
    """What each merge has asked of Spark, by its event log: profile.md of the lake.

    Args:
        began: when the merge of each batch did, in seconds since 1970.
    """
    statements, lines = read_statements(lake), []
    ends = [*list(began.values())[1:], time.time()]
    for (batch, begin), end in zip(began.items(), ends, strict=True):
        lines += [f"### Batch {batch}", "", *table_of(between(statements, begin, end)), ""]
    (lake / "profile.md").write_text("\n".join(lines))


def main() -> None:
    name, text, given, folder, *profiled = sys.argv[1:]
    lake = Path(folder)
    lake.mkdir(parents=True)
    os.environ["LAKEMIRROR_LAKE"] = str(lake)
    log = json.loads(Path(given).read_text())
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what dbt prints is no answer
    case, kind = Case(**json.loads(text)), SYSTEMS[name]
    settings = settings_of(kind)
    if profiled:
        settings |= logging_in(lake)
    spark = open_session(lake, case.memory, kind.jars, kind.extension, settings)
    spark.sql("create namespace raw")
    began = {}
    system = kind(spark, case, lake)
    for line in sys.stdin:
        command, *batch = line.split()
        answer: dict[str, Any]
        if command == "ready":
            answer = {}
        elif command == "state":
            answer = state(spark, system.live) if system.is_merge else {"is_right": True}
        elif command == "idle":
            assert isinstance(system, DbtModel)
            answer = {"seconds": system.idle(int(batch[0]))}
        else:
            land(spark, log["batches"][int(batch[0])])
            began[int(batch[0])] = time.time()
            answer = merge(system, int(batch[0]))
        answers.write(json.dumps(answer) + "\n")
    if profiled:
        spark.stop()
        write_profile(lake, began)


if __name__ == "__main__":
    main()
