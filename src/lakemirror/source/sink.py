"""Raw tables that the Iceberg Kafka Connect sink has written, as records that landing would have.

The sink writes a record's value as columns, with KafkaMetadataTransform's beside them: the event's
text in ``value`` where StringConverter and HoistField have made that of it, and else a column for
each field of the event, with structs for its rows.
"""

import re
from collections.abc import Mapping

from lakemirror.landing.raw import EVENT, SOURCE_TIME
from lakemirror.source.evolution import quoted

WRITER = "iceberg_sink"  # what config.meta.written_by says
PLACE = "_kafka_metadata"  # KafkaMetadataTransform's field_name
PLACES = ("topic", "partition", "offset", "timestamp")
TIMES = re.compile(r"\b(timestamp|timestamp_ntz|date)\b")
DECIMAL = re.compile(r"\bdecimal\(\d+,\d+\)")
NAME = re.compile(r"([<,])([^<>,:()]+):")


class SinkError(ValueError):
    """A raw table that cannot be read; says what to set."""


def records_sql(table: str, types: Mapping[str, str], decimal_format: str | None) -> str:
    """A query with the columns of a raw table; ``key`` and ``_landed_at`` are null.

    Fields that are null are left out of ``value``, as one that the event did not have: the sink
    makes them the same. Numbers that are decimals become texts, since JSON's would be rounded.

    Args:
        table: the raw table, with the clause that says which records.
        types: Spark's types of its columns, as ``typeof`` writes them.
        decimal_format: the source's; None where its producer has no such setting.

    Raises:
        SinkError: no Kafka coordinates, or values that would be read wrongly.
    """
    nested = PLACE in types
    if not nested and f"{PLACE}_offset" not in types:
        raise SinkError(
            f"it has no {PLACE}_offset: let the sink's transforms have KafkaMetadataTransform"
        )
    separator = "." if nested else "_"
    topic, partition, offset, time = (f"{PLACE}{separator}{name}" for name in PLACES)
    if "value" in types:
        value = "value"
    else:
        fields = {name: kind for name, kind in types.items() if not name.startswith(PLACE)}
        rows = " ".join(fields.get(name, "") for name in ("before", "after"))
        if TIMES.search(NAME.sub(r"\1", rows)):
            raise SinkError("it has times of time.precision.mode=connect: send another mode")
        if DECIMAL.search(rows) and decimal_format not in (None, "numeric"):
            raise SinkError(
                "it has decimals: set decimal.format to numeric in config.meta.debezium"
            )
        columns = ", ".join(
            f"cast({quoted(name)} as {as_texts(kind)}) as {quoted(name)}"
            for name, kind in fields.items()
        )
        value = f"to_json(struct({columns}))"
    return f"""(
    select
        cast(null as string) as key,
        value,
        _kfk_topic,
        _kfk_partition,
        _kfk_offset,
        _kfk_timestamp,
        {SOURCE_TIME} as _src_ts,
        cast(null as timestamp) as _landed_at
    from (
        select
            *,
            from_json(value, '{EVENT}') as event
        from (
            select
                {value} as value,
                {topic} as _kfk_topic,
                cast({partition} as int) as _kfk_partition,
                {offset} as _kfk_offset,
                timestamp_millis({time}) as _kfk_timestamp
            from {table}
        )
    )
)"""


def as_texts(kind: str) -> str:
    """A type whose decimals are strings, with its fields' names quoted.

    Raises:
        SinkError: a field's name cannot be told from the rest of the type.
    """
    found = NAME.sub(lambda match: f"{match[1]}{quoted(match[2])}:", DECIMAL.sub("string", kind))
    if found.count(":") != len(NAME.findall(found)):
        raise SinkError(f"it has a field whose name has one of < > , : ( ): {kind}")
    return found
