"""Raw's own statement: records that are there land no more, and nothing is moved for it."""

import json
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from threading import Thread
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from dbt.adapters.lakemirror.session import SessionHandle
from lakemirror.landing import raw
from lakemirror.landing.files import with_source_time
from lakemirror.state import window
from support.lake import Lake
from support.recordings import demo_lines, read
from support.source_state import FIXTURES

NOW = datetime(2026, 1, 1, tzinfo=UTC)
TABLE = "shop__orders"
SLEEPS = "java_method('java.lang.Thread', 'sleep', 500L) = 'null'"


@pytest.fixture
def table(spark: SparkSession) -> SparkSession:
    """A session, in which the table is there and is empty."""
    raw.make_schema(spark)
    spark.sql(raw.create_sql("raw", TABLE, "shop.shop.orders"))
    return spark


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


def land(session: SparkSession, first: int, end: int, **more: Any) -> None:
    raw.append(session, TABLE, records(session, first, end), {0: (first, end - 1)}, **more)


def queries(session: SparkSession) -> dict[int, str]:
    """The last plan of each query that Spark still knows, by its number."""
    session._jsparkSession.sparkContext().listenerBus().waitUntilEmpty()  # knows what has ended
    found = session._jsparkSession.sharedState().statusStore().executionsList()
    known = [found.apply(place) for place in range(found.size())]
    return {query.executionId(): query.physicalPlanDescription() for query in known}


@pytest.fixture
def plans(table: SparkSession) -> Callable[[], list[str]]:
    """The plan of each query of the test that has written."""
    before = max(queries(table), default=-1)

    def made() -> list[str]:
        known = sorted(queries(table).items())
        return [plan for number, plan in known if number > before and "OverwriteBy" in plan]

    return made


@pytest.mark.parametrize("shuffles", [False, True])
def test_no_record_is_shuffled(
    lake: Lake, table: SparkSession, plans: Callable[[], list[str]], shuffles: bool
) -> None:
    """Whatever the table has already, each task writes what it has read, unless fewer files are
    worth it."""
    for first in (0, 1000, 1500):
        land(table, first, first + 1000, shuffles=shuffles)
    made = plans()
    assert [("Exchange hashpartitioning" in plan) for plan in made] == [shuffles] * 3
    assert ["Join" in plan for plan in made] == [False, True, True]
    assert offsets(lake) == [*range(2500)]


def marks(session: SparkSession) -> list[bool]:
    """Of each commit, whether it says that nothing is behind what it has landed."""
    commits = session.table(f"raw.{TABLE}.snapshots").orderBy("committed_at")
    return [window.LAST in row["summary"] for row in commits.collect()]


def test_what_cannot_be_there_is_not_looked_for(
    lake: Lake, table: SparkSession, plans: Callable[[], list[str]]
) -> None:
    """As the newest commit of landing says, which itself has looked, has found the table empty, or
    knows it from the one before; after a commit of another there is a look again."""

    def go_on(first: int, end: int, told: str) -> None:
        land(table, first, end, properties={window.OFFSETS: told})

    go_on(0, 5, '{"0": 5}')
    go_on(5, 10, '{"0": 10}')
    land(table, 12, 20)  # of another, which tells no ends
    go_on(10, 15, '{"0": 15}')
    go_on(15, 20, '{"0": 20}')
    go_on(20, 25, '{"0": 25}')
    go_on(20, 25, '{"0": 25}')  # it knew less than there is
    go_on(25, 25, '{"0": 20}')  # so did this
    go_on(20, 25, '{"0": 25, "1": 0}')
    go_on(25, 30, '{"0": 30, "1": 0}')
    joined = ["Join" in plan for plan in plans()]
    assert joined == [False, False, False, True, True, False, True, False, True, False]
    assert marks(table) == [True, True, False, False, True, True, True, False, True, True]
    assert offsets(lake) == [*range(30)]


def test_a_partition_that_nobody_names_may_be_anywhere(table: SparkSession) -> None:
    land(table, 0, 10)
    there = table.table(f"raw.{TABLE}")
    ends: list[dict[int, int]] = [{0: 10}, {0: 9}, {1: 10}, {0: 10, 1: 0}, {}]
    assert [there.where(raw.beyond(each)).count() for each in ends] == [0, 1, 10, 0, 10]


def slowly(session: SparkSession, **more: Any) -> Thread:
    """The landing of ten records, which has looked at the table and has yet to commit."""
    slow = records(session, 0, 10).coalesce(1).where(SLEEPS)  # another task has a core
    landing = Kept(target=lambda: raw.append(session, TABLE, slow, {0: (0, 9)}, **more))
    landing.start()
    while landing.is_alive() and not session.sparkContext.statusTracker().getActiveStageIds():
        time.sleep(0.1)
    time.sleep(1)
    return landing


class Kept(Thread):
    """A thread that keeps what its target has raised."""

    error: Exception | None = None

    def run(self) -> None:
        try:
            super().run()
        except Exception as error:
            self.error = error


@pytest.fixture
def other(lake: Lake) -> Iterator[SparkSession]:
    handle = SessionHandle(str(lake.folder.resolve()), lake.spark_conf(), {}, lake.folder / "log")
    yield handle.session
    handle.close()


@pytest.mark.parametrize("there", [0, 5])
def test_another_commits_the_same_records_meanwhile(
    lake: Lake, table: SparkSession, other: SparkSession, there: int
) -> None:
    """F32: after this landing has looked, and before it commits: it looks again. Also where the
    table was empty."""
    if there:
        land(table, 0, there)
    landing = slowly(table)
    land(other, 5, 15)
    landing.join()
    assert offsets(lake) == [*range(15)]


def test_maintenance_meanwhile_is_no_other(
    lake: Lake, table: SparkSession, other: SparkSession, plans: Callable[[], list[str]]
) -> None:
    """F36: files that are written again have nothing new, and nothing is read twice for them."""
    for first in (20, 30):
        land(table, first, first + 10)
    landing = slowly(table)
    other.sql(
        f"call system.rewrite_data_files(table => 'raw.{TABLE}', "
        "options => map('rewrite-all', 'true'))"
    )
    landing.join()
    assert len(plans()) == 3
    assert offsets(lake) == [*range(10), *range(20, 40)]


def test_a_table_that_is_set_back_meanwhile(
    lake: Lake, table: SparkSession, other: SparkSession
) -> None:
    """What was known of it does not hold: what is to land begins elsewhere now."""
    for first in (20, 30):
        land(table, first, first + 10)
    former, head = lake.snapshots(f"raw.{TABLE}")
    landing = slowly(table, since=head)
    other.sql(f"call system.rollback_to_snapshot('raw.{TABLE}', {former})")
    landing.join()
    assert isinstance(landing.error, raw.RawConflictError)
    assert "was set back" in str(landing.error)
    assert offsets(lake) == [*range(20, 30)]


def test_what_a_commit_says(lake: Lake, table: SparkSession) -> None:
    """It is an append, which readers of changes read; also where there is nothing to add."""
    land(table, 0, 10, properties={"lakemirror.kafka-offsets": '{"0": 10}'})
    raw.append(table, TABLE, table.table(f"raw.{TABLE}").limit(0), {}, {"lakemirror.x": "y"})
    first, second = table.table(f"raw.{TABLE}.snapshots").orderBy("committed_at").collect()
    assert first["operation"] == "append"
    assert first["summary"]["lakemirror.kafka-offsets"] == '{"0": 10}'
    assert second["summary"]["lakemirror.x"] == "y"


@pytest.mark.parametrize("value", ["concat('v', id)", "'other'"])
def test_what_is_there_is_compared(lake: Lake, table: SparkSession, value: str) -> None:
    """F02: the same record once, another one is refused, and nothing of its batch lands."""
    land(table, 0, 10)
    batch = records(table, 5, 15, value)
    if value == "'other'":
        with pytest.raises(raw.RawConflictError, match="partition 0 offset 5"):
            raw.append(table, TABLE, batch, {0: (5, 14)}, checks=True)
        assert offsets(lake) == [*range(10)]
    else:
        raw.append(table, TABLE, batch, {0: (5, 14)}, checks=True)
        assert offsets(lake) == [*range(15)]


def test_the_time_without_a_parser(spark: SparkSession) -> None:
    """Of each recorded event it is the parser's or is not found; and it is found of nearly all."""
    lines = [line for file in sorted(FIXTURES.glob("*/*.jsonl.gz")) for line in read(file)]
    lines += [line for source in ("shop", "commerce") for line in demo_lines(source)]
    texts = [json.loads(line).get("value") for line in lines]
    values = [(text,) for text in texts if text and '"before":' in text]
    events = spark.createDataFrame(values, "value string")
    times = events.select(
        F.expr(raw.SOURCE_MICROS).alias("micros"), F.from_json("value", raw.EVENT).alias("event")
    ).selectExpr(
        "micros is not null as is_found",
        f"timestamp_micros(nullif(micros, 0L)) <=> {raw.SOURCE_TIME} as is_same",
    )
    counts = {(row[0], row[1]): row[2] for row in times.groupBy(1, 2).count().collect()}
    assert (True, False) not in counts
    assert counts[True, True] > 0.99 * len(values)
