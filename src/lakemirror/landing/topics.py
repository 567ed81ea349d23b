"""Which raw table a Kafka topic lands in."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

TOPIC_PROPERTY = "lakemirror.topic"  # of a raw table
HEARTBEAT_PREFIX = "__debezium-heartbeat."
HEARTBEAT, TRANSACTION, SCHEMA_CHANGE = "heartbeat", "transaction", "schema change"
SIDE_TABLES = {
    HEARTBEAT: "connector_heartbeat",
    TRANSACTION: "connector_transaction",
    SCHEMA_CHANGE: "connector_schema_change",
}
OTHER = "other_source"  # what a message calls a source that somebody is to name
SHOWN = 3  # collisions that a message names
Sides = Mapping[str, str]  # by topic, which of SIDE_TABLES its values are


class TopicError(Exception):
    """A topic has no raw table of its own."""


def raw_table(topic: str, topic_sources: Mapping[str, str], side: str | None = None) -> str:
    """The raw table ``<source>__<table>`` of a Debezium topic, without its schema.

    ``topic_sources`` maps the beginning of a topic (whole dotted parts; the longest wins) to a
    source's name. Without an entry, a table's topic ``<prefix>.<database>.<table>`` belongs to the
    source ``<database>``, and the connector's own topics to the source ``<prefix>``. The whole
    topic of a table, of three parts or more, may be an entry: then its table is called by what
    follows the source's name, which lets a table's own name have a dot.

    Args:
        side: which of the connector's own topics it is, where its name may be a table's too: see
            is_ambiguous.

    >>> raw_table("shop.shop.orders", {})
    'shop__orders'
    >>> raw_table("vt.transaction", {"vt": "commerce"})
    'commerce__connector_transaction'
    >>> raw_table("p.shop.order.items", {"p.shop.order.items": "shop"})
    'shop__order_items'
    """
    return source_and_table(topic, topic_sources, side)[1]


def source_and_table(
    topic: str, topic_sources: Mapping[str, str], side: str | None = None
) -> tuple[str, str]:
    """The source that a topic belongs to, and its raw table: see raw_table."""
    if topic.startswith(HEARTBEAT_PREFIX):
        prefix = topic.removeprefix(HEARTBEAT_PREFIX)
        return _names(_declared(prefix, topic_sources) or prefix, SIDE_TABLES[HEARTBEAT])
    parts = topic.split(".")
    source = _declared(topic, topic_sources)
    if side == SCHEMA_CHANGE or len(parts) == 1 or (len(parts) == 2 and topic in topic_sources):
        return _names(source or topic, SIDE_TABLES[SCHEMA_CHANGE])
    if side == TRANSACTION or (len(parts) == 2 and _is_named_so(parts)):
        return _names(source or parts[-2], SIDE_TABLES[TRANSACTION])
    if source and topic in topic_sources:
        return _names(source, _own_name(parts, source))
    return _names(source or parts[-2], parts[-1])


def is_ambiguous(topic: str, topic_sources: Mapping[str, str]) -> bool:
    """Whether a topic's values have to tell whether it is a table's or the connector's own.

    A ``topic.prefix`` may have dots: ``eu.west.transaction`` is a table of the database ``west``,
    or the transactions of the connector ``eu.west``.
    """
    parts = topic.split(".")
    is_heartbeat = topic.startswith(HEARTBEAT_PREFIX)
    return not is_heartbeat and len(parts) > 2 and (topic in topic_sources or _is_named_so(parts))


def raw_tables(
    topics: Iterable[str], topic_sources: Mapping[str, str], sides: Sides | None = None
) -> dict[str, str]:
    """The raw table of each topic; several may have one: see rivals_of."""
    known = sides or {}
    return {topic: raw_table(topic, topic_sources, known.get(topic)) for topic in sorted(topics)}


def rivals_of(tables: Mapping[str, str], owners: Mapping[str, str]) -> list[tuple[str, ...]]:
    """The topics that would share raw tables: those of each table, its owner first.

    Args:
        tables: by topic.
        owners: by table, the topic that has it already.
    """
    wanted: defaultdict[str, list[str]] = defaultdict(list)
    for topic, table in [*((topic, table) for table, topic in owners.items()), *tables.items()]:
        if topic not in wanted[table]:
            wanted[table].append(topic)
    return [tuple(topics) for topics in wanted.values() if len(topics) > 1]


def held(
    rivals: Iterable[Sequence[str]], tables: Mapping[str, str], owners: Mapping[str, str]
) -> set[str]:
    """The topics that are not landed because of such as would share raw tables.

    These are they, without a table's owner; of a connector whose schema changes land, all its
    topics, since those say which columns the raw table has.
    """
    topics = {t for group in rivals for t in group if owners.get(tables.get(t, "")) != t}
    changes = [t for t in tables if tables[t].endswith(f"__{SIDE_TABLES[SCHEMA_CHANGE]}")]
    prefixes = {p for p in changes for t in topics if _is_of(t, p)}
    own = {t for t in tables for p in prefixes if _is_of(t.removeprefix(HEARTBEAT_PREFIX), p)}
    return (topics | own) & tables.keys()


def _is_of(topic: str, prefix: str) -> bool:
    return topic == prefix or topic.startswith(f"{prefix}.")


def shared_tables(
    rivals: Sequence[Sequence[str]],
    waiting: Collection[str],
    topic_sources: Mapping[str, str],
    sides: Sides | None = None,
    schema: str = "raw",
) -> str:
    """What to say of topics that would share raw tables, with entries that part them.

    Args:
        rivals: those of each table, of which the first keeps it.
        waiting: all topics that are not landed because of them.
        schema: raw's.
    """
    known = sides or {}
    named = [
        f"the topics {' and '.join(group)} would both land in "
        f"{schema}.{raw_table(group[-1], topic_sources, known.get(group[-1]))}"
        for group in rivals[:SHOWN]
    ]
    more = f", and {len(rivals) - SHOWN} more likewise" if len(rivals) > SHOWN else ""
    found, left = parting(rivals, topic_sources, known)
    remedies = []
    if found:
        entries = ", ".join(f"{beginning}: {source}" for beginning, source in found.items())
        remedies.append(
            "give one of them another source in the var topic_sources of dbt_project.yml, for "
            f"example {{{entries}}}"
        )
    if left:
        remedies.append(
            f"no entry of topic_sources tells {', '.join(left)} apart: leave it out of the topics "
            "that are landed, or give it another name at the connector"
        )
    return (
        f"{'; '.join(named)}{more}: {'; '.join(remedies)}. Until then {some(sorted(waiting))} are "
        "not landed, and the files that have them are landed again."
    )


def some(names: Sequence[str]) -> str:
    """The first names of many.

    >>> some(["a", "b"])
    'a, b'
    """
    more = f" and {len(names) - 10} more" if len(names) > 10 else ""
    return f"{', '.join(names[:10])}{more}"


def parting(
    groups: Iterable[Sequence[str]], topic_sources: Mapping[str, str], sides: Sides
) -> tuple[dict[str, str], list[str]]:
    """Entries of topic_sources with which topics have raw tables of their own.

    Returns:
        (the entries, those topics that no entry gives a table of its own).
    """
    entries: dict[str, str] = {}
    left: list[str] = []
    for group in groups:
        placed: list[str] = []
        for topic in group:
            entry = _entry(topic, placed, {**topic_sources, **entries}, sides)
            if entry is None:
                left.append(topic)
            else:
                entries |= entry
                placed.append(topic)
    return entries, left


def _entry(
    topic: str, placed: Sequence[str], sources: Mapping[str, str], sides: Sides
) -> dict[str, str] | None:
    """What gives a topic another table than some have; empty where it has one, None if nothing."""
    taken = [raw_table(other, sources, sides.get(other)) for other in placed]
    if raw_table(topic, sources, sides.get(topic)) not in taken:
        return {}
    kind = _kind(topic, sources, sides)
    for beginning in _beginnings(topic, sides):
        for name in (OTHER if n == 1 else f"{OTHER}_{n}" for n in range(1, len(placed) + 2)):
            entry = {beginning: name}
            tables = raw_tables([*placed, topic], {**sources, **entry}, sides)
            is_kind = _kind(topic, {**sources, **entry}, sides) == kind
            if is_kind and taken == [tables[p] for p in placed] and tables[topic] not in taken:
                return entry
    return None


def _kind(topic: str, sources: Mapping[str, str], sides: Sides) -> str | None:
    table = raw_table(topic, sources, sides.get(topic)).partition("__")[2]
    return table if table in SIDE_TABLES.values() else None


def _beginnings(topic: str, sides: Sides) -> Iterator[str]:
    """What may be an entry for a topic: its connector or database, then the topic alone."""
    if topic.startswith(HEARTBEAT_PREFIX):
        yield topic.removeprefix(HEARTBEAT_PREFIX)
        return
    beginning = topic.rpartition(".")[0]
    if beginning and sides.get(topic) != SCHEMA_CHANGE:
        yield beginning
    yield topic


def unsubscribed(names: Collection[str], subscribed: Collection[str]) -> list[str]:
    """Topics of schema changes that are there and not landed, while topics of their tables are.

    >>> unsubscribed(["shop", "shop.shop.orders", "crm"], ["shop.shop.orders"])
    ['shop']
    """
    parts = [t.split(".") for t in subscribed if not t.startswith(HEARTBEAT_PREFIX)]
    prefixes = {".".join(p[:length]) for p in parts for length in range(1, len(p) - 1)}
    return sorted(prefixes & {*names} - {*subscribed})


def unsubscribed_warning(found: Sequence[str], pattern: str) -> str:
    """What is said of them, with a pattern that matches them too.

    >>> unsubscribed_warning(["shop"], "shop[.].*").partition("too: ")[2]
    "'shop[.].*|shop' matches it."
    """
    wanted = "|".join([pattern, *map(re.escape, found)])
    return (
        f"LAKEMIRROR_TOPICS is {pattern!r}, and does not match {some(found)}, which has the schema "
        "changes of tables that are landed: MariaDB's and MySQL's columns are not known without. "
        f"Land it too: {wanted!r} matches it."
    )


def misplaced(topics: Iterable[str], topic_sources: Mapping[str, str]) -> dict[str, str]:
    """Topics that may be of a table whose name has a dot, with the source of their neighbours.

    >>> misplaced(["p.shop.orders", "p.shop.order.items", "eu.west.shop.orders"], {})
    {'p.shop.order.items': 'shop'}
    """
    every = {topic for topic in topics if not topic.startswith(HEARTBEAT_PREFIX)}
    undeclared = {t: t.split(".") for t in sorted(every) if _declared(t, topic_sources) is None}
    tables = {tuple(p[:2]) for p in undeclared.values() if len(p) == 3 and not _is_named_so(p)}
    return {
        topic: parts[1]
        for topic, parts in undeclared.items()
        if len(parts) > 3 and not _is_named_so(parts) and tuple(parts[:2]) in tables
    }


def misplaced_warning(found: Mapping[str, str]) -> str:
    """What is said of them.

    >>> misplaced_warning({"p.shop.order.items": "shop"})[:70]
    'the topic p.shop.order.items lands as items of the source order, not o'
    """
    topic, source = next(iter(found.items()))
    own, table = topic.split(".")[-2:]
    entries = ", ".join(f"{topic}: {source}" for topic, source in found.items())
    more = f" (and {len(found) - 1} more likewise)" if len(found) > 1 else ""
    return (
        f"the topic {topic} lands as {table} of the source {own}, not of {source} as those beside "
        f"it{more}. Where the table's own name has a dot, the var topic_sources says so: "
        f"{{{entries}}}; then land files again with dbt run --select landing --full-refresh."
    )


def _is_named_so(parts: Sequence[str]) -> bool:
    """Whether a topic is called as those of a connector's transactions."""
    return parts[-1] == TRANSACTION


def _declared(topic: str, topic_sources: Mapping[str, str]) -> str | None:
    parts = topic.split(".")
    beginnings = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next((topic_sources[start] for start in beginnings if start in topic_sources), None)


def _own_name(parts: Sequence[str], source: str) -> str:
    """A table's name in its whole topic: what follows the source's name, or else the last part."""
    between = [harmless(part) for part in parts[1:-1]]
    is_named = harmless(source) in between
    return ".".join(parts[2 + between.index(harmless(source)) :]) if is_named else parts[-1]


def _names(source: str, table: str) -> tuple[str, str]:
    source, table = harmless(source), harmless(table)
    return source, f"{source}__{table}"


def harmless(part: str) -> str:
    """A part of a topic as it is in a table's name.

    >>> harmless("My-Shop")
    'my_shop'
    """
    return re.sub(r"[^a-z0-9_]", "_", part.lower())
