"""Raw tables: every Kafka record of a topic, once, whoever delivers it and how often."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from lakemirror import java
from lakemirror.landing.erased import Erased, without
from lakemirror.landing.topics import (
    TOPIC_PROPERTY,
    TopicError,
    held,
    misplaced,
    misplaced_warning,
    rivals_of,
    shared_tables,
)
from lakemirror.layers import layers_of_session
from lakemirror.notices import Warn
from lakemirror.state import window
from lakemirror.state.window import HEAD, Snapshot

Columns = Mapping[str, tuple[str, str]]  # type and comment by name
Offsets = Mapping[int, tuple[int, int]]  # by partition, the lowest and the highest

COLUMNS = {
    "key": ("string", "The key, the text on the topic."),
    "value": ("string", "The value, the text on the topic; null is a Kafka tombstone."),
    "_kfk_topic": ("string", "Kafka topic."),
    "_kfk_partition": ("int", "Kafka partition."),
    "_kfk_offset": ("bigint", "Kafka offset."),
    "_kfk_timestamp": ("timestamp", "Time of the record in Kafka."),
    "_src_ts": ("timestamp", "Time of the source transaction; null where the record has none."),
    "_landed_at": ("timestamp", "When the record was landed."),
}
PROPERTIES = {
    "format-version": "2",
    "write.merge.mode": "merge-on-read",
    "write.parquet.compression-codec": "zstd",
    "write.parquet.compression-level": "1",  # of JSON as small as Parquet's 3, and sooner
    # a quarter of a million events, compressed: tasks share a large file by its row groups, and
    # reading events is work for all cores
    "write.parquet.row-group-size-bytes": str(16 * 1024 * 1024),
    "write.metadata.delete-after-commit.enabled": "true",
    "write.metadata.previous-versions-max": "10",
    "commit.retry.num-retries": "20",
}
TIMES = "ts_ms: bigint, source: struct<ts_ms: bigint, ts_us: bigint>"
EVENT = f"struct<{TIMES}, payload: struct<{TIMES}>>"
# of ``event``, an EVENT: the source's time of a change, the connector's of a side topic's record
SOURCE_TIME = """timestamp_micros(nullif(coalesce(
    event.source.ts_us, try_multiply(event.source.ts_ms, 1000L),
    event.payload.source.ts_us, try_multiply(event.payload.source.ts_ms, 1000L),
    try_multiply(event.ts_ms, 1000L), try_multiply(event.payload.ts_ms, 1000L)
), 0L))"""
# the source's time in microseconds, as Debezium writes an event: the rows come before its source,
# and a text has no quote of its own, so that the last one which begins with a version is the
# event's. Null where it is not found, and a parser has to look
SOURCE_MICROS = """if(
    startswith(value, '{"before":') or contains(value, ',"payload":{"before":'),
    try_cast(substring_index(substring_index(substring_index(
        substring_index(value, ',"source":{"version":"', -1), '}', 1
    ), '"ts_us":', -1), ',', 1) as bigint),
    null
)"""
COMMIT_OPTION = "snapshot-property."
# of an overwrite: Iceberg refuses it where others have added rows that it would overwrite; of one
# that overwrites none, any rows
SERIALIZABLE = {"isolation-level": "serializable"}
# the second: that snapshot is no longer one that the table comes from
CONFLICTS = ("Found conflicting files", "Cannot determine history")
TRIES = 5
SAME_PLACE = "raw._kfk_partition = batch._kfk_partition and raw._kfk_offset = batch._kfk_offset"
# an error where a place has another record than the batch; one that was erased has nothing
SAME_RECORD = """if(
    (raw.key is null and raw.value is null)
        or (raw.key <=> batch.key and raw.value <=> batch.value),
    true,
    raise_error(concat('two records at (', raw._kfk_partition, ', ', raw._kfk_offset, ')'))
)"""
OTHER = re.compile(r"two records at \((\d+), (\d+)\)")
NONE_ERASED = Erased()


class RawConflictError(Exception):
    """An offset cannot be landed: it holds another record, or other writers do not let up."""


# which of the connector's own topics a value is of: see lakemirror.landing.topics
SIDE = """
case
    when get_json_object({0}, '$.status') in ('BEGIN', 'END')
        and contains({0}, '"event_count"')
        and get_json_object({0}, '$.source') is null
        then 'transaction'
    when get_json_object({0}, '$.tableChanges') is not null
        and get_json_object({0}, '$.source.connector') is not null
        then 'schema change'
end
"""
BODY = "coalesce(get_json_object(value, '$.payload'), value)"


def sides_of(records: DataFrame, topics: Collection[str]) -> dict[str, str]:
    """The topics that are the connector's own, by what their values say.

    Args:
        records: the columns ``_kfk_topic`` and ``value``.
        topics: those to look at, whose names may be tables' too.
    """
    if not topics:
        return {}
    found = records.where(F.col("_kfk_topic").isin([*topics]))
    told = found.groupBy("_kfk_topic").agg(F.max(F.expr(SIDE.format(BODY))).alias("side"))
    return {row["_kfk_topic"]: row["side"] for row in told.collect() if row["side"]}


def schema_of(session: SparkSession) -> str:
    """The schema raw of the session's environment."""
    return layers_of_session(session).raw


def name_of(session: SparkSession, table: str) -> str:
    """A raw table as a statement names it."""
    return f"{schema_of(session)}.`{table}`"


def tables_of(session: SparkSession) -> set[str]:
    """The tables of the schema raw."""
    return {
        row["tableName"] for row in session.sql(f"show tables in {schema_of(session)}").collect()
    }


def create_sql(schema: str, table: str, topic: str | None = None) -> str:
    """DDL of a raw table; there may be one already. A topic that is not known yet claims it."""
    return table_sql(
        schema,
        table,
        COLUMNS,
        "partitioned by (hours(_src_ts)) comment 'The records of one topic, each once.'",
        {**PROPERTIES, **({TOPIC_PROPERTY: topic} if topic else {})},
    )


def table_sql(
    schema: str, table: str, columns: Columns, clauses: str, properties: Mapping[str, str]
) -> str:
    """DDL of a table in a schema raw, which is left as it is where it is there already."""
    described = (f"`{name}` {kind} comment '{text}'" for name, (kind, text) in columns.items())
    given = (f"'{key}' = '{value}'" for key, value in properties.items())
    return (
        f"create table if not exists {schema}.`{table}` ({', '.join(described)}) using iceberg "
        f"{clauses} tblproperties ({', '.join(given)})"
    )


def make_schema(session: SparkSession) -> None:
    """Make the schema raw where it is not there; another run may do so at the same moment."""
    schema = schema_of(session)
    try:
        session.sql(f"create namespace if not exists {schema}")
    except Exception:
        if schema not in {row[0] for row in session.sql("show namespaces").collect()}:
            raise


def claim(session: SparkSession, table: str, topic: str) -> None:
    """A raw table takes one topic: its first.

    Raises:
        TopicError: another run has just given the table to another topic.
    """
    found = owner_of(session, table)
    if found is None:
        set_property(session, table, TOPIC_PROPERTY, topic)
    elif found != topic:
        raise TopicError(
            f"{schema_of(session)}.{table} is {found}'s, and {topic} would land in it too. Run it "
            "again"
        )


def waiting_topics(
    session: SparkSession,
    tables: Mapping[str, str],
    news: Collection[str],
    topic_sources: Mapping[str, str],
    sides: Mapping[str, str],
    warn: Warn,
) -> set[str]:
    """The topics that cannot land, because some would share a raw table; says which, and of those
    that may have landed elsewhere than was meant.

    Args:
        tables: the raw table of each topic.
        news: the topics that have something new.
        sides: see sides_of.
    """
    owners = owners_of(session, {tables[topic] for topic in news} & tables_of(session))
    rivals = rivals_of(tables, owners)
    waiting = held(rivals, tables, owners)
    if rivals:
        warn(shared_tables(rivals, waiting, topic_sources, sides, schema_of(session)))
    strays = misplaced(tables, topic_sources)
    if strays:
        warn(misplaced_warning(strays))
    return waiting


def owners_of(session: SparkSession, tables: Collection[str]) -> dict[str, str]:
    """By raw table, the topic that has it."""
    found = {table: owner_of(session, table) for table in sorted(tables)}
    return {table: topic for table, topic in found.items() if topic}


def owner_of(session: SparkSession, table: str) -> str | None:
    return property_of(session, table, TOPIC_PROPERTY)


def property_of(session: SparkSession, table: str, name: str) -> str | None:
    found = java.metadata(session, name_of(session, table))
    if found is not None:
        return found.properties.get(name)
    properties = session.sql(f"show tblproperties {name_of(session, table)}").collect()
    return {row["key"]: row["value"] for row in properties}.get(name)


def set_property(session: SparkSession, table: str, name: str, value: str) -> None:
    clause = f"set tblproperties ('{name}' = '{value}')"
    session.sql(f"alter table {name_of(session, table)} {clause}")


def append(
    session: SparkSession,
    table: str,
    records: DataFrame,
    offsets: Offsets,
    properties: Mapping[str, str] | None = None,
    erased: Erased = NONE_ERASED,
    checks: bool = False,
    shuffles: bool = True,
    since: int | None = None,
) -> None:
    """Append the records whose (partition, offset) the table lacks, in one commit.

    Iceberg makes the commit only if nobody has added rows since the snapshot that was looked at.
    What is there is taken out by a join, unless the commits say that there is nothing of it: see
    window.known_ends. A commit that says where landing goes on from (window.OFFSETS) says the same
    where it is so (window.LAST).

    Args:
        records: the columns of COLUMNS, each (partition, offset) once.
        offsets: by partition, the lowest and the highest offset in ``records``.
        properties: what the summary of the commit is to say, by names in lower case.
        erased: what does not land.
        checks: compare the records whose offsets are there with these, but those that were erased.
        shuffles: bring the records of an hour together first, for fewer files.
        since: the snapshot from which it is known where the records begin.

    Raises:
        RawConflictError: other writers do not let up, an offset is there with another record, or
            the table was set back to before ``since``.
    """
    name, said = name_of(session, table), properties or {}
    kept = without(records.select(*COLUMNS), erased.kept_out)
    options = {COMMIT_OPTION + key: value for key, value in said.items()}
    options |= {} if shuffles else {"distribution-mode": "none"}
    ends = window.offsets_in(said[window.OFFSETS]) if window.OFFSETS in said else None

    def add() -> None:
        commits = window.lineage(*history_of(session, table))
        if since not in {None, *(commit.id for commit in commits)}:
            raise set_back(session, table)
        new, seen, is_last = kept, {}, ends is not None
        if commits:
            seen = {"validate-from-snapshot-id": str(commits[0].id)}
            there = session.read.option("versionAsOf", str(commits[0].id)).table(name)
            known = window.known_ends(commits)
            if known is None or any(known.get(p, 0) > first for p, (first, _) in offsets.items()):
                found = there.where(any_of(offsets)).alias("raw")
                same = f"{SAME_PLACE} and {SAME_RECORD}" if checks else SAME_PLACE
                new = kept.alias("batch").join(found, F.expr(same), "left_anti")
            is_last = ends is not None and (
                (known is not None and all(ends.get(p, 0) >= end for p, end in known.items()))
                or there.where(beyond(ends)).isEmpty()
            )
        mark = {COMMIT_OPTION + window.LAST: "true"} if is_last else {}
        writer = new.writeTo(name).options(**options, **mark, **seen, **SERIALIZABLE)
        writer.overwrite(F.lit(False))

    until_alone(session, table, add)


def any_of(offsets: Offsets) -> str:
    """A condition that offsets of partitions meet."""
    found = [
        f"(_kfk_partition = {partition} and _kfk_offset between {lowest} and {highest})"
        for partition, (lowest, highest) in offsets.items()
    ]
    return " or ".join(found) or "false"


def beyond(ends: Mapping[int, int]) -> str:
    """A condition that all offsets of Kafka's meet, but those before the partitions' ends."""
    known = ", ".join(str(partition) for partition in (-1, *ends))  # -1 is none of Kafka's
    at_ends = (f"(_kfk_partition = {p} and _kfk_offset >= {end})" for p, end in ends.items())
    return " or ".join([f"_kfk_partition not in ({known})", *at_ends])


def history_of(session: SparkSession, table: str) -> tuple[Sequence[Snapshot], int | None]:
    """All snapshots of a raw table, and its head."""
    name = name_of(session, table)
    found = java.metadata(session, name)
    if found is None:
        return window.history_of(name, lambda query: session.sql(query).collect())
    return found.snapshots, window.head_in(found.properties[HEAD], name)


def commit_of(session: SparkSession, table: str, name: str, value: str) -> Snapshot:
    """The newest commit that a table comes from and that says something.

    Raises:
        RawConflictError: there is none: the table was set back.
    """
    for commit in window.lineage(*history_of(session, table)):
        if commit.summary.get(name) == value:
            return commit
    raise set_back(session, table)


def set_back(session: SparkSession, table: str) -> RawConflictError:
    """The error where a table no longer has what a landing knew it to have."""
    where = f"{schema_of(session)}.{table}"
    return RawConflictError(f"{where} was set back while it landed. Run it again.")


def until_alone(session: SparkSession, table: str, act: Callable[[], object]) -> None:
    """Run what commits to a table; once more where another writer has added to it meanwhile.

    Raises:
        RawConflictError: other writers do not let up.
    """
    for _ in range(TRIES):
        try:
            act()
            return
        except Exception as error:
            other = OTHER.search(str(error))
            if other:
                raise RawConflictError(
                    clash(f"{schema_of(session)}.{table}", int(other[1]), int(other[2]))
                ) from None
            if not any(conflict in str(error) for conflict in CONFLICTS):
                raise
    name = f"{schema_of(session)}.{table}"
    raise RawConflictError(f"{name}: another writer landed the same rows {TRIES} times")


def missing(
    session: SparkSession,
    table: str,
    records: DataFrame,
    offsets: Offsets,
    erased: Erased = NONE_ERASED,
) -> dict[tuple[str, int], int]:
    """The number of records whose (partition, offset) the table lacks, by file and partition.

    Args:
        erased: what records do not differ by.

    Raises:
        RawConflictError: an offset is there with another record.
    """
    there = session.table(name_of(session, table)).where(any_of(offsets))
    records, there = (without(each, erased.names, False) for each in (records, there))
    is_new = F.expr("raw._kfk_offset is null")
    clashes = F.expr(
        "raw._kfk_offset is not null and not (batch.key <=> raw.key and batch.value <=> raw.value) "
        "and not (raw.key is null and raw.value is null)"  # which was erased
    )
    counts = (
        records.alias("batch")
        .join(there.alias("raw"), F.expr(SAME_PLACE), "left")
        .groupBy("file", "batch._kfk_partition")
        .agg(F.count_if(is_new), F.min(F.when(clashes, F.col("batch._kfk_offset"))))
        .collect()
    )
    for _, partition, _, offset in counts:
        if offset is not None:
            raise RawConflictError(clash(f"{schema_of(session)}.{table}", partition, offset))
    return {(file, partition): rows for file, partition, rows, _ in counts if rows}


def clash(where: str, partition: int, offset: int) -> str:
    """What to say when two different records claim one place."""
    return (
        f"{where}: partition {partition} offset {offset} has two different records. A topic that "
        "was deleted and made anew starts its offsets again: give it a source of its own in the "
        "var topic_sources."
    )


def timestamp_now(session: SparkSession) -> datetime:
    """Spark's clock, so that all times in the lake are one clock's."""
    row = session.sql("select current_timestamp()").first()
    assert row is not None
    return utc(row[0])


def utc(time: datetime) -> datetime:
    """A timestamp with its zone, as which it goes back to Spark: PySpark gives it in this machine's
    zone without saying so, where an hour comes twice a year.
    """
    return time.astimezone(UTC)
