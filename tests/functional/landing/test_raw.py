"""Raw's own statement: records that are there land no more, and nothing is moved for it."""

import json
import time
from datetime import UTC, datetime
from threading import Thread
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from dbt.adapters.lakemirror.session import SessionHandle
from lakemirror.landing import raw
from lakemirror.landing.files import with_source_time
from support.lake import Lake
from support.recordings import demo_lines, read
from support.source_state import FIXTURES

NOW = datetime(2026, 1, 1, tzinfo=UTC)
TABLE = "shop__orders"
SLEEPS = "java_method('java.lang.Thread', 'sleep', 1000L) = 'null'"


class Heard:
    """A session, and the statements that it was given."""

    def __init__(self, session: SparkSession) -> None:
        self.session, self.statements = session, list[str]()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.session, name)

    def sql(self, text: str) -> DataFrame:
        if text.startswith("merge"):
            self.statements.append(text)
        return self.session.sql(text)


@pytest.fixture
def heard(spark: SparkSession) -> Heard:
    spark.conf.set("spark.sql.iceberg.distribution-mode", "none")
    raw.make_schema(spark)
    spark.sql(raw.create_sql("raw", TABLE, "shop.shop.orders"))
    return Heard(spark)


def records(session: Any, first: int, end: int, value: str = "concat('v', id)") -> DataFrame:
    """Records of partition 0."""
    found = session.range(first, end).selectExpr(
        "concat('k', id) as key",
        f"{value} as value",
        "'shop.shop.orders' as _kfk_topic",
        "0 as _kfk_partition",
        "id as _kfk_offset",
        "timestamp_seconds(id) as _kfk_timestamp",
    )
    return with_source_time(found, NOW)


def offsets(lake: Lake) -> list[int]:
    rows = lake.catalog.load_table(f"raw.{TABLE}").scan(selected_fields=("_kfk_offset",))
    return sorted(rows.to_arrow()["_kfk_offset"].to_pylist())


def test_no_record_is_shuffled(lake: Lake, heard: Heard) -> None:
    """Whatever the table has already: each task writes what it has read."""
    for first in (0, 1000):
        raw.append(heard, TABLE, records(heard, first, first + 1000), (first, first + 999))
    records(heard, 2000, 3000).select(*raw.COLUMNS).createOrReplaceTempView(f"landing_{TABLE}")
    row = heard.session.sql(f"explain {heard.statements[-1]}").first()
    assert row is not None
    assert "Exchange hashpartitioning" not in row[0]
    assert "SortMergeJoin" not in row[0]
    assert offsets(lake) == [*range(2000)]


def test_both_readings_are_of_one_snapshot(heard: Heard) -> None:
    """F32: one load gives both the table; what came between two loads would be there twice."""
    raw.append(heard, TABLE, records(heard, 0, 10), (0, 9))
    records(heard, 5, 15).select(*raw.COLUMNS).createOrReplaceTempView(f"landing_{TABLE}")
    spark = heard.session
    state = spark._jsparkSession.sessionState()
    unrun = spark._jvm.org.apache.spark.sql.execution.CommandExecutionMode.SKIP()
    statement = state.sqlParser().parsePlan(heard.statements[-1])
    leaves = state.executePlan(statement, unrun).analyzed().collectLeaves()
    found = [leaves.apply(n) for n in range(leaves.size())]
    tables = [leaf.table() for leaf in found if leaf.nodeName() == "DataSourceV2Relation"]
    names = [table.getClass().getSimpleName() for table in tables]
    assert names == ["RowLevelOperationTable", "SparkTable"]
    assert tables[0].table().table().equals(tables[1].table())  # which is whether it is the object


def test_another_commits_the_same_records_meanwhile(lake: Lake, heard: Heard) -> None:
    """F32: after this statement has begun, and before it commits: it is run again."""
    other = SessionHandle(str(lake.folder.resolve()), lake.spark_conf(), {}, lake.folder / "log")
    slow = records(heard, 0, 10).coalesce(1).where(SLEEPS)  # another task has a core
    landing = Thread(target=lambda: raw.append(heard, TABLE, slow, (0, 9)))
    landing.start()
    while not heard.session.sparkContext.statusTracker().getActiveStageIds():
        time.sleep(0.1)
    time.sleep(1)
    raw.append(other.session, TABLE, records(other.session, 5, 15), (5, 14))
    landing.join()
    other.close()
    assert offsets(lake) == [*range(15)]
    assert len(heard.statements) == 2


@pytest.mark.parametrize("value", ["concat('v', id)", "'other'"])
def test_what_is_there_is_compared(lake: Lake, heard: Heard, value: str) -> None:
    """F02: the same record once, another one is refused, and nothing of its batch lands."""
    raw.append(heard, TABLE, records(heard, 0, 10), (0, 9))
    batch = records(heard, 5, 15, value)
    if value == "'other'":
        with pytest.raises(raw.RawConflictError, match="partition 0 offset 5"):
            raw.append(heard, TABLE, batch, (5, 14), checks=True)
        assert offsets(lake) == [*range(10)]
    else:
        raw.append(heard, TABLE, batch, (5, 14), checks=True)
        assert offsets(lake) == [*range(15)]


def test_the_time_without_a_parser(heard: Heard) -> None:
    """Of each recorded event it is the parser's or is not found; and it is found of nearly all."""
    lines = [line for file in sorted(FIXTURES.glob("*/*.jsonl.gz")) for line in read(file)]
    lines += [line for source in ("shop", "commerce") for line in demo_lines(source)]
    texts = [json.loads(line).get("value") for line in lines]
    values = [(text,) for text in texts if text and '"before":' in text]
    events = heard.session.createDataFrame(values, "value string")
    times = events.select(
        F.expr(raw.SOURCE_MICROS).alias("micros"), F.from_json("value", raw.EVENT).alias("event")
    ).selectExpr(
        "micros is not null as is_found",
        f"timestamp_micros(nullif(micros, 0L)) <=> {raw.SOURCE_TIME} as is_same",
    )
    counts = {(row[0], row[1]): row[2] for row in times.groupBy(1, 2).count().collect()}
    assert (True, False) not in counts
    assert counts[True, True] > 0.99 * len(values)
