"""What a landing from Kafka is to read: what topics have, what is landed of them, and what is left.

How far a topic is landed stands in the commits of its raw table, beside the records themselves.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from lakemirror.landing import raw
from lakemirror.landing.avro import Registry
from lakemirror.landing.broker import Broker, KafkaError, Place, Topic
from lakemirror.landing.files import REPORT
from lakemirror.landing.frames import frame_of
from lakemirror.notices import Warn
from lakemirror.state import window
from lakemirror.state.window import Snapshot

OFFSETS = window.OFFSETS
TOPIC_ID = window.PREFIX + "kafka-topic-id"
NO_ID = "AAAAAAAAAAAAAAAAAAAAAA"  # of a broker that gives topics none (Kafka's Uuid.ZERO_UUID)
RETIRED = window.PREFIX + "retired"  # of a raw table whose topic is gone for good, and that is said
# of a raw table: by partition, the offset from which an open transaction hid records
HIDDEN = window.PREFIX + "hidden-from"
Offsets = dict[int, int]  # by partition


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


@dataclass(frozen=True)
class Memory:
    """What the commits of a raw table say of its landing.

    Attributes:
        offsets: by partition, the offset that follows what is landed.
        head: the newest of them; None where there is none.
        checks: whether there may be other records at offsets that are to land: others have landed
            in it since, or nobody can tell a topic that was made anew.
    """

    offsets: Offsets
    head: int | None
    checks: bool


@dataclass(frozen=True)
class Listing:
    """Offsets of all partitions: the oldest record's, and the ends at two moments.

    What is below a first end (``proven``) could be seen before the topics and their second ends
    were asked for, and so could all that its connector has sent before it: if the second ends have
    reached all that was ``written`` then, transactions that were open included, which Kafka shows
    partition by partition.
    """

    first: Mapping[Place, int]
    proven: Mapping[Place, int]
    written: Mapping[Place, int]
    ends: Mapping[Place, int]

    @property
    def hidden(self) -> list[Place]:
        """The partitions of which an open transaction hides what a heartbeat may follow."""
        return [place for place in self.ends if self.ends[place] < self.written.get(place, 0)]


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


def reported_offsets(reports: DataFrame | None) -> dict[tuple[str, int, str], tuple[int, int]]:
    """By topic, partition and raw table, how far runs that have ended were: the offsets that follow
    what is landed, and proven. A topic that was made anew has another table."""
    if reports is None:
        return {}
    rows = (
        reports.where("file is null and from_offset is not null")
        .groupBy("topic", "partition", "raw_table")
        .agg(F.max("to_offset") + 1, F.max("proven_offset") + 1)
        .collect()
    )
    return {(topic, part, table): (landed, proven) for topic, part, table, landed, proven in rows}


def tell_new(
    session: SparkSession,
    kept_in: str,
    topics: Iterable[Topic],
    tables: Mapping[str, str],
    now: datetime,
) -> None:
    """Report that topics begin to land, of which nothing is proven."""
    nothing = (None, -1, 0, 0, 0, -1, None, None)
    rows = [
        (None, None, None, topic.name, partition, *nothing, tables[topic.name], now)
        for topic in topics
        for partition in topic.partitions
    ]
    if rows:
        frame_of(session, rows, REPORT).writeTo(kept_in).append()


def gone_topics(
    session: SparkSession, landed_tables: Mapping[str, str], tables: Mapping[str, str]
) -> list[str]:
    """The topics that have landed, and that the broker does not list as what is subscribed to; but
    for those of which it was said that they are gone for good.

    Args:
        landed_tables: the raw table of each topic that runs have reported.
        tables: those of the topics that are there.
    """
    return [
        topic
        for topic in sorted(landed_tables.keys() - tables.keys())
        if raw.property_of(session, landed_tables[topic], RETIRED) is None
    ]


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


def memory_of(session: SparkSession, table: str, topic: Topic) -> Memory:
    """How far a topic is landed in its raw table: see remembered."""
    commits = window.lineage(*raw.history_of(session, table))
    return remembered(commits, topic, f"{raw.schema_of(session)}.{table}")


def remembered(commits: Sequence[Snapshot], topic: Topic, where: str) -> Memory:
    """How far a topic is landed, as the newest commit of landing says.

    A table that has records of other writers only, or whose commits of landing have expired, tells
    no offsets: what is there is not added again, wherever the topic is read from.

    Args:
        commits: those that the raw table comes from, newest first.
        where: the raw table.

    Raises:
        RawConflictError: the commit is of another topic of this name.
    """
    head = commits[0].id if commits else None
    newest = next((c for c in commits if c.operation == "append"), None)
    checks = topic.id == NO_ID or (newest is not None and window.is_others(newest))
    commit = next((c.summary for c in commits if OFFSETS in c.summary), None)
    if commit is None:
        return Memory({}, head, checks)
    if commit[TOPIC_ID] != topic.id and NO_ID not in (commit[TOPIC_ID], topic.id):
        raise raw.RawConflictError(
            f"{where} has the records of a topic {topic.name} that was deleted and made anew. Give "
            "the new one a source of its own in the var topic_sources."
        )
    return Memory(window.offsets_in(commit[OFFSETS]), head, checks)


def beginnings(
    topic: Topic, memory: Memory, reported: Offsets, starts: Mapping[Place, int]
) -> Offsets:
    """Where each partition is gone on from: what the table says of it, or a report on it; one that
    has come to a topic that has landed begins at 0, and any other where the first landing does. A
    table without a commit was made anew, whatever is reported."""
    known = memory.offsets
    told = {p: end for p, end in reported.items() if memory.head is not None or not end}
    return {
        partition: known.get(
            partition,
            told.get(partition, 0 if known or told else starts[topic.name, partition]),
        )
        for partition in topic.partitions
    }


def ranges_of(
    topic: Topic,
    begins: Offsets,
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
        start, first, end = begins[partition], listing.first[place], listing.ends[place]
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
