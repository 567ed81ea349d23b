"""Which raw table a Kafka topic lands in."""

import re
from collections.abc import Iterable, Mapping

TOPIC_PROPERTY = "lakemirror.topic"  # of a raw table
HEARTBEAT_PREFIX = "__debezium-heartbeat."
SIDE_TABLES = {
    "heartbeat": "connector_heartbeat",
    "transaction": "connector_transaction",
    "schema change": "connector_schema_change",
}


class TopicError(Exception):
    """A topic has no raw table of its own."""


def raw_table(topic: str, topic_sources: Mapping[str, str]) -> str:
    """The raw table ``<source>__<table>`` of a Debezium topic, without its schema.

    ``topic_sources`` maps the beginning of a topic (whole dotted parts; the longest wins) to a
    source's name. Without an entry, a table's topic ``<prefix>.<database>.<table>`` belongs to the
    source ``<database>``, and the connector's own topics to the source ``<prefix>``.

    >>> raw_table("shop.shop.orders", {})
    'shop__orders'
    >>> raw_table("vt.transaction", {"vt": "commerce"})
    'commerce__connector_transaction'
    """
    return source_and_table(topic, topic_sources)[1]


def source_and_table(topic: str, topic_sources: Mapping[str, str]) -> tuple[str, str]:
    """The source that a topic belongs to, and its raw table."""
    if topic.startswith(HEARTBEAT_PREFIX):
        prefix = topic.removeprefix(HEARTBEAT_PREFIX)
        return _names(_declared(prefix, topic_sources) or prefix, SIDE_TABLES["heartbeat"])
    parts = topic.split(".")
    source = _declared(topic, topic_sources)
    if (source is not None and topic in topic_sources) or len(parts) == 1:
        return _names(source or topic, SIDE_TABLES["schema change"])
    if parts[-1] == "transaction" and (len(parts) == 2 or ".".join(parts[:-1]) in topic_sources):
        return _names(source or parts[0], SIDE_TABLES["transaction"])
    return _names(source or parts[-2], parts[-1])


def raw_tables(topics: Iterable[str], topic_sources: Mapping[str, str]) -> dict[str, str]:
    """The raw table of each topic.

    Raises:
        TopicError: two topics would share a table.
    """
    tables: dict[str, str] = {}
    for topic in sorted(topics):
        table = raw_table(topic, topic_sources)
        if table in tables:
            raise TopicError(shared_table(table, tables[table], topic))
        tables[table] = topic
    return {topic: table for table, topic in tables.items()}


def shared_table(table: str, first: str, second: str) -> str:
    """What to say when two topics have one raw table."""
    beginning = second.rpartition(".")[0] or second  # a whole topic is a schema change topic
    return (
        f"the topics {first} and {second} would both land in raw.{table}: give one of them "
        f"another source in the var topic_sources, for example {{{beginning}: other_source}}"
    )


def _declared(topic: str, topic_sources: Mapping[str, str]) -> str | None:
    parts = topic.split(".")
    beginnings = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next((topic_sources[start] for start in beginnings if start in topic_sources), None)


def _names(source: str, table: str) -> tuple[str, str]:
    source, table = (re.sub(r"[^a-z0-9_]", "_", part.lower()) for part in (source, table))
    return source, f"{source}__{table}"
