"""raw.schema_history: each version of each source table's schema, and where it was first seen."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from lakemirror.landing import raw
from lakemirror.landing.frames import frame_of
from lakemirror.source.schemas import HISTORY, Schema, changed_schemas, connect_schema, payload

SEEN = (
    "struct<src_ts: timestamp, topic: string, `partition`: int, `offset`: bigint, "
    "server_id: bigint, file: string, pos: bigint>"
)
COLUMN = (
    "struct<name: string, data_type: string, connect: string, nullable: boolean, "
    "`default`: string, generated: boolean, comment: string>"
)
COLUMNS = {
    "source": ("string", "The source that the table belongs to."),
    "raw_table": ("string", "The table that its records land in, in the schema raw."),
    "table_name": ("array<string>", "The names that the database itself has for the table."),
    "origin": ("string", "What told it: schema_change, connect_schema or vitess_ddl."),
    "schema_hash": ("string", "Of the names, the columns, the key and the comments."),
    "columns": (f"array<{COLUMN}>", "Its columns in their order; connect is the Connect schema."),
    "key": ("array<string>", "The key columns in their order; empty where there is none."),
    "comment": ("string", "The comment of the table at the source."),
    "note": ("string", "What there is to know of a version without columns."),
    "first_seen": (SEEN, "The first record with this version, by the time of the source."),
    "last_seen": (SEEN, "The last one: the version that was seen last is the newest."),
    "_landed_at": ("timestamp", "When the version was landed first."),
    "renamed": ("map<string, string>", "Columns that the statement renamed: now, and before."),
    "former_name": ("array<string>", "The names that the statement took from the table."),
}
LATER = ("renamed", "former_name")  # which a lake from before does not have
FRAME = ", ".join(f"`{name}` {kind}" for name, (kind, _) in COLUMNS.items())
PLACE = ("_src_ts", "_kfk_topic", "_kfk_partition", "_kfk_offset")
# in whole seconds, as MySQL gives them: within one, the offset decides
STATEMENT = ("date_trunc('second', _src_ts)", *PLACE[1:])
IDENTITY = ("raw_table", "origin", "schema_hash")
VALUE_BEGINS, PAYLOAD = '{"schema":', ',"payload":'

Binlog = tuple[int | None, str | None, int | None]
Seen = tuple[datetime | None, str, int, int, int | None, str | None, int | None]
NOWHERE: Binlog = (None, None, None)
Versions = dict[tuple[str, str, str], dict[str, Any]]


def has_schema() -> Any:
    """Whether a record brings its Connect schema: an expression over raw's columns."""
    return F.coalesce(F.col("value").startswith(VALUE_BEGINS), F.lit(False))


def create_sql(schema: str) -> str:
    """DDL of the history of a schema raw."""
    return raw.table_sql(
        schema,
        HISTORY,
        COLUMNS,
        "comment 'Each version of the schemas of the tables at the sources, once.'",
        raw.PROPERTIES | {"write.merge.mode": "copy-on-write"},
    )


def land_schemas(
    session: SparkSession,
    records: DataFrame,
    change_topics: Collection[str],
    described_topics: Collection[str],
    topic_sources: Mapping[str, str],
    now: datetime,
) -> None:
    """Keep the schemas that records tell; one that is there already moves its last_seen at most.

    Args:
        records: the columns of raw.COLUMNS.
        change_topics: those of schema changes.
        described_topics: those with records that bring their Connect schemas.
    """
    versions: Versions = {}
    for place, value in changes(records, change_topics):
        for schema in told(changed_schemas, value, topic_sources):
            add(versions, schema, place, place, now)
    for first, last, *texts in connect_schemas(records, described_topics):
        for schema in told(connect_schema, first[1], *texts, topic_sources):
            add(versions, schema, first, last, now)
    new = unknown(session, versions)
    if new:
        merge(session, new)


def told(read: Callable[..., Iterator[Schema]], *arguments: Any) -> list[Schema]:
    """The schemas that a record tells: none where it is no event of Debezium's."""
    try:
        return list(read(*arguments))
    except (AttributeError, KeyError, TypeError, ValueError):
        return []


def changes(records: DataFrame, topics: Collection[str]) -> Iterable[tuple[Seen, str]]:
    """The records of schema-change topics: where each is, also in a binlog, and its value."""
    if not topics:
        return
    found = records.where(F.col("_kfk_topic").isin([*topics]) & F.col("value").isNotNull())
    for row in found.selectExpr(*STATEMENT, "value").collect():
        *place, value = row
        yield (*seen(place), *binlog_place(value)), value


def seen(place: Sequence[Any]) -> tuple[Any, ...]:
    """A place that Spark gives, of which the source's time is the first field."""
    time, *rest = place
    return (raw.utc(time) if time else None, *rest)


def binlog_place(event: str) -> Binlog:
    """The server, the file and the position of a statement; none of another event.

    A snapshot's statement has no server: its id is 0.
    """
    source = payload(event).get("source")
    place = source if isinstance(source, dict) else {}
    server, file, position = (place.get(name) for name in ("server_id", "file", "pos"))
    is_server = isinstance(server, int) and 0 < server < 2**32
    is_place = isinstance(file, str) and isinstance(position, int) and 0 <= position < 2**32
    return (server if is_server else None, file, position) if is_place else NOWHERE


def connect_schemas(records: DataFrame, topics: Collection[str]) -> list[tuple[Any, ...]]:
    """Each pair of Connect schemas of a topic once.

    A TRUNCATE has no key, whatever the table has: it does not count.

    Returns:
        (first seen, last seen, schema of the value, schema of the key, source block).
    """
    if not topics:
        return []
    place = F.struct(*map(F.expr, PLACE))
    found = (
        records.where(F.col("_kfk_topic").isin([*topics]) & has_schema())
        .where('not (key is null and contains(value, \'"op":"t"\'))')
        .withColumn("place", place)
        .groupBy("_kfk_topic", _schema_text("value"), _schema_text("key"))
        .agg(
            F.min("place").alias("first"),
            F.max("place").alias("last"),
            F.get_json_object(F.min_by("value", "place"), "$.payload.source").alias("block"),
        )
        .where("block is not null")
    )
    return [
        (
            (*seen(row["first"]), *NOWHERE),
            (*seen(row["last"]), *NOWHERE),
            row["value_schema"],
            row["key_schema"],
            row["block"],
        )
        for row in found.collect()
    ]


def _schema_text(column: str) -> Any:
    begin = len(VALUE_BEGINS) + 1
    return F.expr(
        f"if(startswith({column}, '{VALUE_BEGINS}'), "
        f"substr({column}, {begin}, locate('{PAYLOAD}', {column}) - {begin}), null)"
    ).alias(f"{column}_schema")


def add(versions: Versions, schema: Schema, first: Seen, last: Seen, now: datetime) -> None:
    """Add a version that was seen from ``first`` to ``last``."""
    row = versions.setdefault(
        (schema.raw_table, schema.origin, schema.hash),
        {
            **asdict(schema),
            "schema_hash": schema.hash,
            "first_seen": first,
            "last_seen": last,
            "_landed_at": now,
        },
    )
    row["first_seen"] = min(row["first_seen"], first, key=in_order)
    row["last_seen"] = max(row["last_seen"], last, key=in_order)


def in_order(place: Seen) -> tuple[Any, ...]:
    """Places compare by the source's time, then by offset; no time comes first."""
    time, *rest = place[:4]
    return time is not None, time, *rest


def unknown(session: SparkSession, versions: Versions) -> list[dict[str, Any]]:
    """The versions that the history lacks, or that were seen before or after what it has."""
    if not versions:
        return []
    session.sql(create_sql(raw.schema_of(session)))
    add_later_columns(session)
    tables = sorted({raw_table for raw_table, _, _ in versions})
    there = session.table(raw.name_of(session, HISTORY)).where(F.col("raw_table").isin(tables))
    known = {
        tuple(row)[:3]: (seen(row["first_seen"]), seen(row["last_seen"]))
        for row in there.select(*IDENTITY, "first_seen", "last_seen").collect()
    }
    return [
        row
        for identity, row in versions.items()
        if identity not in known
        or in_order(row["first_seen"]) < in_order(known[identity][0])
        or in_order(row["last_seen"]) > in_order(known[identity][1])
    ]


def add_later_columns(session: SparkSession) -> None:
    """Give a table from before the columns that came later; another run may do so meanwhile."""
    history = raw.name_of(session, HISTORY)
    for name in LATER:
        kind, comment = COLUMNS[name]
        try:
            if name not in session.table(history).columns:
                session.sql(f"alter table {history} add column {name} {kind} comment '{comment}'")
        except Exception:
            if name not in session.table(history).columns:
                raise


def as_sent(value: Any, kind: str) -> Any:
    """A value as Arrow takes it: an array is no tuple."""
    return list(value) if kind.startswith("array") and value is not None else value


def merge(session: SparkSession, rows: list[dict[str, Any]]) -> None:
    """Add versions, and where known ones were seen: in one commit, whoever else does the same."""
    batch = [tuple(as_sent(row[name], kind) for name, (kind, _) in COLUMNS.items()) for row in rows]
    frame_of(session, batch, FRAME).createOrReplaceTempView("landing_schemas")
    identity = " and ".join(f"old.{name} = new.{name}" for name in IDENTITY)
    statement = (
        f"merge into {raw.name_of(session, HISTORY)} as old using landing_schemas as new "
        f"on {identity} "
        "when matched then update set "
        "old.first_seen = if(new.first_seen < old.first_seen, new.first_seen, old.first_seen), "
        "old.last_seen = if(new.last_seen > old.last_seen, new.last_seen, old.last_seen) "
        "when not matched then insert *"
    )
    raw.until_alone(session, HISTORY, lambda: session.sql(statement))
