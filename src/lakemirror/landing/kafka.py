"""Landing from Kafka: every record that a topic has when the run begins, in its raw table, once.

How far a topic is landed stands in the commits of its raw table, beside the records themselves:
there is no checkpoint that could be lost, or be ahead of the table.
"""

import json
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import reduce
from math import ceil
from typing import Any, TypeVar

from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from lakemirror.landing import raw
from lakemirror.landing.avro import Registry, decoder
from lakemirror.landing.broker import Broker, ForbiddenError, Place, Topic
from lakemirror.landing.erased import Erased, erased_columns
from lakemirror.landing.files import REPORT, topics_at_once, with_source_time
from lakemirror.landing.frames import frame_of
from lakemirror.landing.kafka_plan import (
    HIDDEN,
    OFFSETS,
    RETIRED,
    TOPIC_ID,
    Listing,
    Memory,
    Offsets,
    Range,
    Wanted,
    beginnings,
    gone_topics,
    is_news,
    memory_of,
    ranges_of,
    reported_offsets,
    slices,
    starting,
    subscribed,
    tell_new,
)
from lakemirror.landing.kafka_warnings import (
    compacted_warning,
    gone_warning,
    hanging_warning,
    hidden_line,
    move_warning,
    near_loss,
    retired_warning,
)
from lakemirror.landing.schema_history import has_schema, land_schemas
from lakemirror.landing.topics import (
    SIDE_TABLES,
    is_ambiguous,
    raw_tables,
    unsubscribed,
    unsubscribed_warning,
)
from lakemirror.notices import Warn, listener

TASK_RECORDS = 250_000
LOOKED_AT = 10  # offsets of a partition, where only values tell what a topic is
SECONDS_TO_TELL = 20  # what Spark has counted comes by its listeners
# bytes that are no UTF-8 are kept, as what no event looks like
TEXT = """
case
    when startswith({0}, x'00') then {1}
    when is_valid_utf8(cast({0} as string)) then cast({0} as string)
    else concat('{{"base64":"', base64({0}), '"}}')
end as {0}
"""
# what a schema registry's formats begin with
NO_REGISTRY = """
raise_error(concat(
    'topic ', topic, ', partition ', `partition`, ', offset ', `offset`, ': the {0} is Avro, or '
    'another format of a schema registry, and LAKEMIRROR_REGISTRY_URL names none'
))
"""
Say = Callable[[str], object]
Done = TypeVar("Done")


# Spark asks where a partition begins and ends behind each poll, and its answers wait behind a fetch
# for more: larger polls, and fetches that wait for nothing, take half of the time
POLLS = {"kafka.fetch.max.wait.ms": "10", "kafka.max.poll.records": "2000"}


@dataclass
class Landed:
    """What a run has done for a topic: its ranges, and what their records told, by partition."""

    ranges: Sequence[Range]
    records: Offsets
    newest: Offsets  # source times, in microseconds since 1970
    oldest: Offsets = field(default_factory=dict)  # Kafka's times, likewise, of what was awaited
    has_schemas: bool = False

    def add(self, told: Mapping[str, Any]) -> None:
        """What ``measures`` counted of a commit."""
        self.has_schemas |= told.get("schemas", 0) > 0
        for name, value in told.items():
            what, _, partition = name.partition("_")
            if what == "records":
                self.records[int(partition)] = self.records.get(int(partition), 0) + value
            if what == "newest" and value is not None:
                known = self.newest.get(int(partition), value)
                self.newest[int(partition)] = max(known, value)
            if what == "oldest" and value is not None:
                known = self.oldest.get(int(partition), value)
                self.oldest[int(partition)] = min(known, value)


def land_kafka(
    session: SparkSession,
    settings: Mapping[str, str],
    wanted: Wanted,
    reports: DataFrame | None,
    topic_sources: Mapping[str, str],
    say: Say,
    kept_in: str | None = None,
) -> DataFrame:
    """Land what the topics have now.

    When all topics are landed to their second ends, a heartbeat below its first one
    (``proven_offset``) proves what it follows: see Listing. Where a transaction is open, or a topic
    has gone that was landed, nothing more is proven than before. Topics that would share a raw
    table are left out with a warning.

    Args:
        settings: of Kafka's clients: see lakemirror.landing.broker.client_settings.
        reports: what earlier runs have returned; None when there was none.
        topic_sources: see lakemirror.landing.topics.raw_table.
        say: takes a line on the progress of a long run.
        kept_in: the table that ``reports`` are kept in. Topics that have not landed before are told
            there before any record of theirs lands: until the landing has ended, none is proven.

    Returns:
        A row per topic and partition with something new, of the columns REPORT.

    Raises:
        KafkaError: the broker gives no answer, no topic matches, or records are lost.
        RawConflictError: a topic was made anew, or other writers do not let up.
        TopicError: another run gives one raw table to another topic.
    """
    broker, warn = Broker(session, settings), listener()
    try:
        topics, listing = listed(broker, wanted)
        asked = [topic for topic in topics if is_ambiguous(topic.name, topic_sources)]
        sides = sides_of(session, settings, asked, listing, wanted.registry)
        tables = raw_tables([topic.name for topic in topics], topic_sources, sides)
        every = reported_offsets(reports)
        reported = {(t, p): told for (t, p, table), told in every.items() if tables.get(t) == table}
        left_out = unsubscribed(broker.topic_names(), tables)
        if left_out:
            warn(unsubscribed_warning(left_out, wanted.topics))
        now = raw.timestamp_now(session)
        raw.make_schema(session)
        there, schema = raw.tables_of(session), raw.schema_of(session)
        landed_tables = {topic: table for topic, _, table in every if table in there}
        gone = gone_topics(session, landed_tables, tables)
        if gone and wanted.accept_loss:
            for topic in gone:
                raw.set_property(session, landed_tables[topic], RETIRED, "true")
            warn(retired_warning(gone))
        elif gone:
            warn(gone_warning(gone, wanted.topics))
        if listing.hidden:
            landed_in = {topic: table for topic, table in tables.items() if table in there}
            warn_of_transactions(session, listing, landed_in, warn, say)
        if (gone and not wanted.accept_loss) or listing.hidden:
            before_now = {place: reported.get(place, (0, 0))[1] for place in listing.first}
            listing = replace(listing, proven=before_now)
        news = [
            topic
            for topic in topics
            if tables[topic.name] not in there
            or any(is_news(topic, partition, listing, reported) for partition in topic.partitions)
        ]

        names = {topic.name for topic in news}
        waiting = raw.waiting_topics(session, tables, names, topic_sources, sides, warn)
        due = [topic for topic in news if topic.name not in waiting]
        if kept_in:
            tell_new(session, kept_in, [t for t in due if t.name not in landed_tables], tables, now)
        erased = erased_columns(session)
        starts = listing.first
        if not every and wanted.start != "earliest":
            starts = begun(session, broker, due, tables, there, wanted, listing)

        def land(topic: Topic) -> Landed:
            table = tables[topic.name]
            if table not in there:
                session.sql(raw.create_sql(schema, table, topic.name))
            raw.claim(session, table, topic.name)
            memory = memory_of(session, table, topic)
            told = {p: told[0] for (t, p), told in reported.items() if t == topic.name}
            begins = beginnings(topic, memory, told, starts)
            ranges = list(ranges_of(topic, begins, listing, wanted.accept_loss, warn))
            if topic.name in landed_tables and table != landed_tables[topic.name]:
                former = f"{schema}.{landed_tables[topic.name]}"
                warn_of_move(topic, f"{schema}.{table}", former, ranges, memory, warn)
            of_table = erased.get(table, raw.NONE_ERASED)
            return land_topic(
                session, settings, topic, table, memory, ranges, wanted, now, say, of_table
            )

        landed = dict(zip(due, some_at_once(session, land, due), strict=True))
        keep_schemas(session, landed, tables, reported, topic_sources, now)
        own = {topic: done for topic, done in landed.items() if not is_side(tables[topic.name])}
        warn_of_cleanup(broker, landed, own, now, warn, say)
        left = broker.ends(topics)
    finally:
        broker.close()
    return report(session, landed, listing, left, reported, tables, now)


def listed(broker: Broker, wanted: Wanted) -> tuple[list[Topic], Listing]:
    """The topics, and the offsets of all their partitions."""
    before = subscribed(broker, wanted)
    proven, written = broker.ends(before), broker.written(before)
    topics = subscribed(broker, wanted)  # a table's first event makes its topic
    first, ends = broker.first(topics), broker.ends(topics)
    return topics, Listing(first, {p: proven.get(p, 0) for p in first}, written, ends)


def report(
    session: SparkSession,
    landed: Mapping[Topic, Landed],
    listing: Listing,
    left: Mapping[Place, int],
    reported: Mapping[Place, tuple[int, int]],
    tables: Mapping[str, str],
    now: datetime,
) -> DataFrame:
    """A row per topic and partition with something new, of the columns REPORT.

    Args:
        left: where the partitions end when all has landed.
    """
    rows = [
        (None, None, None, topic.name, part.partition, part.start, part.end - 1)
        + (done.records.get(part.partition, 0),) * 2
        + (0, listing.proven[topic.name, part.partition] - 1, left[topic.name, part.partition])
        + (done.newest.get(part.partition), tables[topic.name], now)
        for topic, done in landed.items()
        for part in done.ranges
        if is_news(topic, part.partition, listing, reported)
    ]
    numbers = REPORT.replace("newest_src_ts timestamp", "newest_src_ts bigint")
    micros = F.timestamp_micros("newest_src_ts")
    return frame_of(session, rows, numbers).withColumn("newest_src_ts", micros)


def sides_of(
    session: SparkSession,
    settings: Mapping[str, str],
    topics: Iterable[Topic],
    listing: Listing,
    registry: Registry | None,
) -> dict[str, str]:
    """The topics that are the connector's own, by their oldest records: see raw.sides_of.

    Args:
        topics: those whose names may be tables' too.
    """
    found: dict[str, str] = {}
    now = raw.timestamp_now(session)
    for topic in topics:
        places = [(topic.name, partition) for partition in topic.partitions]
        ends = {
            place: min(listing.ends[place], listing.first[place] + LOOKED_AT) for place in places
        }
        part = [
            Range(p[1], listing.first[p], ends[p]) for p in places if listing.first[p] < ends[p]
        ]
        if part:
            records = read(session, settings, topic.name, part, now, registry)
            found |= raw.sides_of(records, [topic.name])
    return found


def warn_of_transactions(
    session: SparkSession, listing: Listing, tables: Mapping[str, str], warn: Warn, say: Say
) -> None:
    """Say that transactions are open. One that a landing has met before at the same offset, as the
    raw table's properties tell, may hang: that is a warning.

    Args:
        tables: the raw table of each topic that has one.
    """
    for topic in sorted({topic for topic, _ in listing.hidden} & tables.keys()):
        told = raw.property_of(session, tables[topic], HIDDEN)
        known = json.loads(told or "{}")
        found = {str(part): listing.ends[t, part] for t, part in listing.hidden if t == topic}
        for part, offset in found.items():
            line = hidden_line(topic, int(part), offset, listing.written[topic, int(part)] - 1)
            if known.get(part) == offset:
                warn(hanging_warning(line))
            else:
                say(line)
        if found != known:
            raw.set_property(session, tables[topic], HIDDEN, json.dumps(found))


def begun(
    session: SparkSession,
    broker: Broker,
    due: Sequence[Topic],
    tables: Mapping[str, str],
    there: Collection[str],
    wanted: Wanted,
    listing: Listing,
) -> Mapping[Place, int]:
    """Where topics begin that the first landing of all does not take from their first record. It is
    committed for all of them before any record lands: a landing that dies goes on from there. Where
    a table knows already, this is not the first landing, and what is new begins at its first
    record."""
    if any(
        tables[topic.name] in there and memory_of(session, tables[topic.name], topic).offsets
        for topic in due
    ):
        return listing.first
    starts = starting(broker, due, wanted, listing)

    def begin(topic: Topic) -> None:
        table = tables[topic.name]
        session.sql(raw.create_sql(raw.schema_of(session), table, topic.name))
        raw.claim(session, table, topic.name)
        reached = {partition: starts[topic.name, partition] for partition in topic.partitions}
        begin_table(session, table, topic, reached)

    list(some_at_once(session, begin, due))
    return starts


def begin_table(session: SparkSession, table: str, topic: Topic, reached: Offsets) -> None:
    """Commit how far a topic is landed, without a record."""
    told = {OFFSETS: json.dumps(reached), TOPIC_ID: topic.id}
    raw.append(session, table, none_of(session, table), {}, told)


def none_of(session: SparkSession, table: str) -> DataFrame:
    """No record of a raw table."""
    return session.table(raw.name_of(session, table)).limit(0)


def warn_of_move(
    topic: Topic, table: str, former: str, ranges: Sequence[Range], memory: Memory, warn: Warn
) -> None:
    """Say that the table which a topic lands in from now on does not have all of it."""
    known = memory.offsets
    lacking = [part for part in ranges if part.start and part.partition not in known]
    if lacking:
        part = lacking[0]
        warn(move_warning(topic.name, table, former, part.partition, part.start))


def is_side(table: str) -> bool:
    """Whether a raw table is one of the connector's own topics."""
    return table.endswith(tuple(f"__{side}" for side in SIDE_TABLES.values()))


def land_topic(
    session: SparkSession,
    settings: Mapping[str, str],
    topic: Topic,
    table: str,
    memory: Memory,
    ranges: Sequence[Range],
    wanted: Wanted,
    now: datetime,
    say: Say,
    erased: Erased,
) -> Landed:
    """Append a topic's ranges to its raw table; each commit says how far it is landed by it."""
    done, known = Landed(ranges, {}, {}), memory.offsets
    reached = {**known, **{part.partition: part.start for part in ranges}}
    parts = list(slices(ranges, wanted.commit_records))
    is_begun = any(reached.values()) if not known else reached != known
    if is_begun:
        parts.insert(0, [])  # where it begins is told before there is any record
    since = memory.head
    for number, part in enumerate(parts):
        if number:
            since = raw.commit_of(session, table, OFFSETS, json.dumps(reached)).id
        reached |= {p.partition: p.end for p in part}
        records, told = none_of(session, table), Observation()
        if part:
            found = read(session, settings, topic.name, part, now, wanted.registry)
            records = found.observe(told, *measures(part))
        raw.append(
            session,
            table,
            records,
            offsets_of(part),
            {OFFSETS: json.dumps(reached), TOPIC_ID: topic.id},
            erased,
            checks=memory.checks and not erased.names,
            shuffles=False,  # a task sorts its records by hour and writes them
            since=since,
        )
        done.add(measured(session, table, part, told) if part else {})
        if len(parts) > 1:
            say(f"{topic.name}: {number + 1} of {len(parts)} commits")
    # what is there when the first landing begins has waited for none
    done.oldest = {place: time for place, time in done.oldest.items() if place in known}
    return done


def measured(
    session: SparkSession, table: str, part: Sequence[Range], told: Observation
) -> Mapping[str, Any]:
    """What was counted while records were written.

    Spark tells nothing where its plan came to have no records in it; then the table is asked.
    """
    found: list[Mapping[str, Any]] = []
    waiting = threading.Thread(target=lambda: found.append(told.get), daemon=True)
    waiting.start()
    waiting.join(SECONDS_TO_TELL)
    if found and found[0]:
        return found[0]
    landed = session.table(raw.name_of(session, table)).where(raw.any_of(offsets_of(part)))
    row = landed.agg(*measures(part)).first()
    assert row is not None
    return row.asDict()


def offsets_of(part: Iterable[Range]) -> raw.Offsets:
    """The lowest and the highest offset of each partition's range."""
    return {p.partition: (p.start, p.end - 1) for p in part}


def measures(part: Sequence[Range]) -> Iterator[Any]:
    """What is counted while records are written."""
    yield F.count_if(has_schema()).alias("schemas")
    for p in part:
        is_here = F.col("_kfk_partition") == p.partition
        yield F.count_if(is_here).alias(f"records_{p.partition}")
        newest = F.max(F.when(is_here, F.unix_micros("_src_ts")))
        yield newest.alias(f"newest_{p.partition}")
        oldest = F.min(F.when(is_here, F.unix_micros("_kfk_timestamp")))
        yield oldest.alias(f"oldest_{p.partition}")


def read(
    session: SparkSession,
    settings: Mapping[str, str],
    topic: str,
    part: Sequence[Range],
    now: datetime,
    registry: Registry | None,
) -> DataFrame:
    """Records of a topic, of the columns raw.COLUMNS."""
    offsets = {
        which: json.dumps({topic: {str(p.partition): getattr(p, which) for p in part}})
        for which in ("start", "end")
    }
    records = (
        session.read.format("kafka")
        .options(**POLLS)
        .options(**{f"kafka.{name}": value for name, value in settings.items()})
        .options(**{"kafka.isolation.level": "read_committed"})
        .option("assign", json.dumps({topic: [p.partition for p in part]}))
        .option("startingOffsets", offsets["start"])
        .option("endingOffsets", offsets["end"])
        .option("maxRecordsPerPartition", str(TASK_RECORDS))
        .load()
        # a few records of many partitions are one file
        .coalesce(ceil(sum(p.end - p.start for p in part) / TASK_RECORDS))
    )
    binary = {name: NO_REGISTRY.format(name) for name in ("key", "value")}
    if registry:
        decode = decoder(registry)
        for name in binary:
            avro = F.when(F.expr(f"startswith({name}, x'00')"), F.col(name))
            records = records.withColumn(f"avro_{name}", decode(avro))
            binary[name] = f"avro_{name}"
    texts = records.selectExpr(
        *(TEXT.format(name, text) for name, text in binary.items()),
        "topic as _kfk_topic",
        "`partition` as _kfk_partition",
        "`offset` as _kfk_offset",
        "`timestamp` as _kfk_timestamp",
    )
    return with_source_time(texts, now).select(*raw.COLUMNS)


def warn_of_cleanup(
    broker: Broker,
    landed: Mapping[Topic, Landed],
    own: Collection[Topic],
    now: datetime,
    warn: Warn,
    say: Say,
) -> None:
    """Say where Kafka deletes what is yet to land: records that have waited for this landing nearly
    as long as it keeps them, and topics that are compacted.

    Args:
        own: the topics of the source's own tables.
    """
    waited = {
        topic: now - datetime.fromtimestamp(min(done.oldest.values()) / 1e6, UTC)
        for topic, done in landed.items()
        if done.oldest
    }
    if not waited:
        return
    try:
        cleanup = broker.cleanup([*waited])
    except ForbiddenError as problem:
        say(f"For how long Kafka keeps records is not known. {problem}")
        return
    line = near_loss({topic.name: time for topic, time in waited.items()}, cleanup.kept)
    if line:
        warn(line)
    compacted = sorted(topic.name for topic in own if topic.name in cleanup.compacted)
    if compacted:
        warn(compacted_warning(compacted))


def keep_schemas(
    session: SparkSession,
    landed: Mapping[Topic, Landed],
    tables: Mapping[str, str],
    reported: Mapping[Place, tuple[int, int]],
    topic_sources: Mapping[str, str],
    now: datetime,
) -> None:
    """Keep the schemas that records tell: of this run, and of one that died before it did so.

    They are read from the raw tables, from the last offset that a run has reported on.
    """
    changes: set[str] = set()
    described: set[str] = set()
    records: list[DataFrame] = []
    for topic, done in landed.items():
        table = tables[topic.name]
        since = {
            p.partition: min(p.start, reported.get((topic.name, p.partition), (0, 0))[0])
            for p in done.ranges
        }
        news = [p for p in done.ranges if since[p.partition] < p.end]
        is_change = table.endswith(f"__{SIDE_TABLES['schema change']}")
        has_died = any(since[p.partition] < p.start for p in news)
        if not news or not (is_change or done.has_schemas or has_died):
            continue
        (changes if is_change else described).add(topic.name)
        parts = raw.any_of(offsets_of(replace(p, start=since[p.partition]) for p in news))
        records.append(session.table(raw.name_of(session, table)).where(parts).select(*raw.COLUMNS))
    if records:
        every = reduce(DataFrame.union, records)
        land_schemas(session, every, changes, described, topic_sources, now)


def some_at_once(
    session: SparkSession, land: Callable[[Topic], Done], topics: Iterable[Topic]
) -> Iterator[Done]:
    """Run ``land`` for each topic, some at once."""
    with ThreadPoolExecutor(topics_at_once(session)) as pool:
        yield from pool.map(land, topics)
