"""Landing from Kafka: every record that a topic has when the run begins, in its raw table, once.

How far a topic is landed stands in the commits of its raw table, beside the records themselves:
there is no checkpoint that could be lost, or be ahead of the table.
"""

import json
import re
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import reduce
from math import ceil
from queue import SimpleQueue
from typing import Any
from weakref import WeakKeyDictionary

from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from lakemirror.landing import raw
from lakemirror.landing.avro import Registry, decoder
from lakemirror.landing.broker import Broker, ForbiddenError, KafkaError, Place, Topic
from lakemirror.landing.erased import Erased, erased_columns
from lakemirror.landing.files import REPORT, TOPICS_AT_ONCE, with_source_time
from lakemirror.landing.frames import frame_of
from lakemirror.landing.schema_history import has_schema, land_schemas
from lakemirror.landing.topics import (
    SIDE_TABLES,
    is_ambiguous,
    raw_tables,
    unsubscribed,
    unsubscribed_warning,
)
from lakemirror.notices import Warn, listener
from lakemirror.state import window

OFFSETS = window.OFFSETS
TOPIC_ID = window.PREFIX + "kafka-topic-id"
TASK_RECORDS = 250_000
NEAR = 0.5  # of the time that Kafka keeps a record: who waited longer was nearly lost
LOOKED_AT = 10  # offsets of a partition, where only values tell what a topic is
SECONDS_TO_TELL = 20  # what Spark has counted comes by its listeners
# a task sorts its records by hour and writes them: no shuffle
NO_SHUFFLE = {"spark.sql.iceberg.distribution-mode": "none"}
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
_sessions: WeakKeyDictionary[SparkSession, list[SparkSession]] = WeakKeyDictionary()
Say = Callable[[str], object]
Offsets = dict[int, int]  # by partition


# the records are there: Spark asks each partition for its end behind a fetch for more, which would
# keep the answer back for half a second
WITHOUT_WAITING = {"kafka.fetch.max.wait.ms": "10"}


@dataclass(frozen=True)
class Wanted:
    """What is to be landed, as the landing model is configured.

    Attributes:
        topics: a regular expression that the whole names of topics match.
        start: where the first landing of all begins: ``earliest``, ``latest``, a time (ISO 8601,
            UTC where it has no zone), or offsets by topic and partition (a partition that is not
            named begins at its earliest).
        commit_records: the most records of a topic that one commit takes.
        accept_loss: go on where Kafka has deleted records before they were landed.
        registry: of the schemas of Avro records.
    """

    topics: str
    start: str | Mapping[str, Mapping[str, int]]
    commit_records: int
    accept_loss: bool
    registry: Registry | None = None


@dataclass(frozen=True)
class Range:
    """Offsets of a partition: from ``start``, and ``end`` is the first that is left out."""

    partition: int
    start: int
    end: int


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


@dataclass(frozen=True)
class Listing:
    """Offsets of all partitions: the oldest record's, and the ends at two moments.

    What is below a first end (``proven``) could be seen before the topics and their second ends
    were asked for, and so could all that its connector has sent before it.
    """

    first: Mapping[Place, int]
    proven: Mapping[Place, int]
    ends: Mapping[Place, int]


def land_kafka(
    session: SparkSession,
    settings: Mapping[str, str],
    wanted: Wanted,
    reports: DataFrame | None,
    topic_sources: Mapping[str, str],
    say: Say,
) -> DataFrame:
    """Land what the topics have now.

    When all topics are landed to their second ends, a heartbeat below its first one
    (``proven_offset``) proves what it follows: see Listing. Topics that would share a raw table
    are left out with a warning.

    Args:
        settings: of Kafka's clients: see lakemirror.landing.broker.client_settings.
        reports: what earlier runs have returned; None when there was none.
        topic_sources: see lakemirror.landing.topics.raw_table.
        say: takes a line on the progress of a long run.

    Returns:
        A row per topic and partition with something new, of the columns REPORT.

    Raises:
        KafkaError: the broker gives no answer, no topic matches, or records are lost.
        RawConflictError: a topic was made anew, or other writers do not let up.
        TopicError: another run gives one raw table to another topic.
    """
    broker, warn = Broker(session, settings), listener()
    try:
        proven = broker.ends(subscribed(broker, wanted))
        topics = subscribed(broker, wanted)  # a table's first event makes its topic
        first = broker.first(topics)
        listing = Listing(
            first, {place: proven.get(place, 0) for place in first}, broker.ends(topics)
        )
        asked = [topic for topic in topics if is_ambiguous(topic.name, topic_sources)]
        sides = sides_of(session, settings, asked, listing, wanted.registry)
        tables = raw_tables([topic.name for topic in topics], topic_sources, sides)
        reported = reported_offsets(reports)
        starts = first if reported else starting(broker, topics, wanted, listing)
        left_out = unsubscribed(broker.topic_names(), tables)
        if left_out:
            warn(unsubscribed_warning(left_out, wanted.topics))
        now = raw.timestamp_now(session)
        raw.make_schema(session)
        there, schema = raw.tables_of(session), raw.schema_of(session)
        news = [
            topic
            for topic in topics
            if tables[topic.name] not in there
            or any(is_news(topic, partition, listing, reported) for partition in topic.partitions)
        ]

        names = {topic.name for topic in news}
        waiting = raw.waiting_topics(session, tables, names, topic_sources, sides, warn)
        due = [topic for topic in news if topic.name not in waiting]
        erased = erased_columns(session)

        def land(worker: SparkSession, topic: Topic) -> Landed:
            table = tables[topic.name]
            session.sql(raw.create_sql(schema, table, topic.name))
            raw.claim(session, table, topic.name)
            known = landed_offsets(worker, table, topic)
            ranges = list(ranges_of(topic, known, starts, listing, wanted.accept_loss, warn))
            of_table = erased.get(table, raw.NONE_ERASED)
            return land_topic(
                worker, settings, topic, table, known, ranges, wanted, now, say, of_table
            )

        landed = dict(zip(due, in_turns(session, land, due), strict=True))
        keep_schemas(session, landed, tables, reported, topic_sources, now)
        warn_of_retention(broker, landed, now, warn, say)
        left = broker.ends(topics)
    finally:
        broker.close()
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


def subscribed(broker: Broker, wanted: Wanted) -> list[Topic]:
    return broker.topics(matching(broker.topic_names(), wanted.topics, broker.servers))


def matching(names: Sequence[str], pattern: str, servers: str) -> list[str]:
    """The topics whose whole names match.

    Raises:
        KafkaError: none does: a typing error would else be a lake that is late without saying so.
    """
    try:
        wanted = re.compile(pattern)
    except re.error as error:
        raise KafkaError(f"LAKEMIRROR_TOPICS is no regular expression: {error}") from None
    found = [name for name in names if wanted.fullmatch(name)]
    if not pattern or not found:
        raise KafkaError(
            f"LAKEMIRROR_TOPICS is {pattern!r}, and no topic of {servers} has such a name; "
            f"there are: {', '.join(names) or 'none'}"
        )
    return found


def reported_offsets(reports: DataFrame | None) -> dict[Place, tuple[int, int]]:
    """How far runs that have ended were: the offsets that follow what is landed, and proven."""
    if reports is None:
        return {}
    rows = (
        reports.where("file is null")
        .groupBy("topic", "partition")
        .agg(F.max("to_offset") + 1, F.max("proven_offset") + 1)
        .collect()
    )
    return {(topic, partition): (landed, proven) for topic, partition, landed, proven in rows}


def is_news(
    topic: Topic, partition: int, listing: Listing, reported: Mapping[Place, tuple[int, int]]
) -> bool:
    """Whether no run has reported what a partition has; also where its end went back."""
    place = topic.name, partition
    return reported.get(place) != (listing.ends[place], listing.proven[place])


def starting(
    broker: Broker, topics: Collection[Topic], wanted: Wanted, listing: Listing
) -> Mapping[Place, int]:
    """Where the first landing of all begins; no later than where the partitions end.

    Raises:
        KafkaError: nobody can tell from the configuration.
    """
    start = wanted.start
    if start == "earliest":
        return listing.first
    if start == "latest":
        return listing.ends
    if isinstance(start, Mapping):
        found = {(t, int(p)): int(offset) for t, at in start.items() for p, offset in at.items()}
    else:
        try:
            time = datetime.fromisoformat(str(start))
        except ValueError:
            raise KafkaError(
                f"the var landing_start is {start!r}: it can be earliest, latest, a time such as "
                "2026-01-31T00:00:00, or offsets such as {shop.shop.orders: {'0': 17}}"
            ) from None
        found = broker.since(topics, time if time.tzinfo else time.replace(tzinfo=UTC))
    return {
        place: min(max(first, found.get(place, 0)), listing.ends[place])
        for place, first in listing.first.items()
    }


def landed_offsets(session: SparkSession, table: str, topic: Topic) -> Offsets:
    """By partition, the offset that follows what is landed, as the newest commit of landing says.

    A table that has records of other writers only, or whose commits of landing have expired, tells
    nothing: then the topic is read from its first record, and what is there is not added again.

    Raises:
        RawConflictError: the commit is of another topic of this name.
    """
    name = raw.name_of(session, table)
    history = window.history_of(name, lambda query: session.sql(query).collect())
    own = (s.summary for s in window.lineage(*history))
    commit = next((summary for summary in own if OFFSETS in summary), None)
    if commit is None:
        return {}
    if commit[TOPIC_ID] != topic.id:
        raise raw.RawConflictError(
            f"{raw.schema_of(session)}.{table} has the records of a topic {topic.name} that was "
            "deleted and made anew. Give the new one a source of its own in the var topic_sources."
        )
    return {int(partition): offset for partition, offset in json.loads(commit[OFFSETS]).items()}


def ranges_of(
    topic: Topic,
    known: Offsets,
    starts: Mapping[Place, int],
    listing: Listing,
    accept_loss: bool,
    warn: Warn,
) -> Iterator[Range]:
    """What is to be read of each partition, also where that is nothing.

    Raises:
        KafkaError: records were deleted before they were landed.
        RawConflictError: a partition ends before what was landed of it.
    """
    for partition in topic.partitions:
        place = topic.name, partition
        start, first, end = (
            known.get(partition, starts[place]),
            listing.first[place],
            listing.ends[place],
        )
        if end < start:
            raise raw.RawConflictError(
                f"{topic.name}: partition {partition} ends at offset {end}, and is landed up to "
                f"{start}: Kafka has lost records, or the topic was made anew. Give it a source "
                "of its own in the var topic_sources."
            )
        if start < first:
            lost = (
                f"{topic.name}: of partition {partition} the records {start} to {first - 1} were "
                "deleted from Kafka before they were landed"
            )
            if not accept_loss:
                raise KafkaError(
                    f"{lost}. Land the rest with --vars '{{accept_loss: true}}', then repair the "
                    "mirrors: a new snapshot at the connector, and a resync (docs/semantics.md)."
                )
            warn(f"{lost}; they are left out.")
            start = first
        yield Range(partition, start, end)


def slices(ranges: Sequence[Range], most: int) -> Iterator[list[Range]]:
    """The ranges in their order, in slices of at most so many records each."""
    taken: list[Range] = []
    room = most
    for part in ranges:
        start = part.start
        while start < part.end:
            end = min(part.end, start + room)
            taken.append(Range(part.partition, start, end))
            room -= end - start
            start = end
            if not room:
                yield taken
                taken, room = [], most
    if taken:
        yield taken


def land_topic(
    session: SparkSession,
    settings: Mapping[str, str],
    topic: Topic,
    table: str,
    known: Offsets,
    ranges: Sequence[Range],
    wanted: Wanted,
    now: datetime,
    say: Say,
    erased: Erased,
) -> Landed:
    """Append a topic's ranges to its raw table; each commit says how far it is landed by it."""
    done = Landed(ranges, {}, {})
    reached = {**{part.partition: part.start for part in ranges}, **known}
    parts = list(slices(ranges, wanted.commit_records))
    if not known and any(reached.values()):
        parts.insert(0, [])  # where it begins is told before there is any record
    for number, part in enumerate(parts):
        reached |= {p.partition: p.end for p in part}
        records, told = session.table(raw.name_of(session, table)).limit(0), Observation()
        if part:
            found = read(session, settings, topic.name, part, now, wanted.registry)
            records = found.observe(told, *measures(part))
        raw.append(
            session,
            table,
            records,
            (min((p.start for p in part), default=0), max((p.end for p in part), default=0) - 1),
            {OFFSETS: json.dumps(reached), TOPIC_ID: topic.id},
            erased,
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
    landed = session.table(raw.name_of(session, table)).where(inside(part))
    row = landed.agg(*measures(part)).first()
    assert row is not None
    return row.asDict()


def inside(part: Iterable[Range]) -> str:
    """A condition that the offsets of ranges meet."""
    return " or ".join(
        f"(_kfk_partition = {p.partition} and _kfk_offset >= {p.start} and _kfk_offset < {p.end})"
        for p in part
    )


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
        .options(**WITHOUT_WAITING)
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


def warn_of_retention(
    broker: Broker, landed: Mapping[Topic, Landed], now: datetime, warn: Warn, say: Say
) -> None:
    """Say where records have waited for this landing so long that Kafka might have deleted them."""
    waited = {
        topic: now - datetime.fromtimestamp(min(done.oldest.values()) / 1e6, UTC)
        for topic, done in landed.items()
        if done.oldest
    }
    if not waited:
        return
    try:
        kept = broker.retention([*waited])
    except ForbiddenError as problem:
        say(f"For how long Kafka keeps records is not known. {problem}")
        return
    line = near_loss({topic.name: time for topic, time in waited.items()}, kept)
    if line:
        warn(line)


def near_loss(waited: Mapping[str, timedelta], kept: Mapping[str, timedelta]) -> str | None:
    """What is said of the topic whose records were the nearest to be lost, and of how many others.

    Args:
        waited: for how long the oldest record of each topic had waited for a landing.
        kept: for how long the topics keep a record; those that keep each are not there.

    >>> near_loss({"a": timedelta(days=3), "b": timedelta(days=9)}, {"a": timedelta(days=7)})
    >>> print(near_loss({"a": timedelta(days=4)}, {"a": timedelta(days=7)})[:57])
    a: records had waited 4.0 of the 7.0 days for which Kafka
    """
    near = {t: time / kept[t] for t, time in waited.items() if t in kept and time > NEAR * kept[t]}
    if not near:
        return None
    topic = max(near, key=lambda name: near[name])
    others = f", and so had those of {len(near) - 1} more topics" if len(near) > 1 else ""
    days = (f"{time / timedelta(days=1):.1f}" for time in (waited[topic], kept[topic]))
    return (
        f"{topic}: records had waited {' of the '.join(days)} days for which Kafka keeps them "
        f"(retention.ms){others}. Land more often, or let Kafka keep them longer: what is deleted "
        "before it has landed is lost."
    )


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
        parts = inside(replace(p, start=since[p.partition]) for p in news)
        records.append(session.table(raw.name_of(session, table)).where(parts).select(*raw.COLUMNS))
    if records:
        every = reduce(DataFrame.union, records)
        land_schemas(session, every, changes, described, topic_sources, now)


def in_turns(
    session: SparkSession, land: Callable[[SparkSession, Topic], Landed], topics: Iterable[Topic]
) -> Iterator[Landed]:
    """Run ``land`` for each topic, some at once, each in a session whose settings are its own."""
    workers: SimpleQueue[SparkSession] = SimpleQueue()
    for worker in sessions_of(session):
        workers.put(worker)

    def run(topic: Topic) -> Landed:
        worker = workers.get()
        try:
            return land(worker, topic)
        finally:
            workers.put(worker)

    with ThreadPoolExecutor(TOPICS_AT_ONCE) as pool:
        yield from pool.map(run, topics)


def sessions_of(session: SparkSession) -> list[SparkSession]:
    """Sessions with the settings of another; they are kept, since each holds an open catalog."""
    found = _sessions.setdefault(session, [])
    while len(found) < TOPICS_AT_ONCE:
        found.append(session.newSession())
    wanted = {**session.conf.getAll, **NO_SHUFFLE}
    for worker in found:
        there = worker.conf.getAll
        for name, value in wanted.items():
            if there.get(name) != value:
                worker.conf.set(name, value)
    return found
