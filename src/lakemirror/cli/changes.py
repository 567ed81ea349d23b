"""What Debezium's events say, one after the other: their order at the source, and what changed."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from lakemirror.cli.key_records import NEVER, Record
from lakemirror.source.types import PLACEHOLDER, SETTINGS
from lakemirror.source.unavailable import all_forms

TOMBSTONE = "tombstone"  # of Kafka's, the operation of a record without a value
UNSENT = frozenset(all_forms(SETTINGS["postgresql"][PLACEHOLDER][0]))


@dataclass(frozen=True)
class Order:
    """A change's place at its source, as the macros tx_rank give it.

    Attributes:
        log: what the numbers count in; orders of two logs do not compare.
        text: as the source names it.
    """

    log: str
    numbers: tuple[int, ...]
    text: str


def order_of(event: Mapping[str, Any]) -> Order | None:
    """An event's order, where its envelope tells one."""
    source = event.get("source")
    if not isinstance(source, dict):
        return None
    connector = source.get("connector")
    try:
        if connector in ("mariadb", "mysql"):
            return binlog_order(event, source)
        if connector == "postgresql":
            return postgresql_order(event, source)
        return vitess_order(event, source) if connector == "vitess" else None
    except (KeyError, TypeError, ValueError):
        return None


def binlog_order(event: Mapping[str, Any], source: Mapping[str, Any]) -> Order | None:
    number = re.search(r"([0-9]{1,9})[^0-9]*$", source["file"])
    if number is None:
        return None
    row = -1 if event["op"] == "r" else 2 * source["row"] + (event["op"] != "d")
    text = f"{source['file']}:{source['pos']}:{source['row']}"
    return Order(str(source.get("server_id") or ""), (int(number[1]), source["pos"], row), text)


def postgresql_order(event: Mapping[str, Any], source: Mapping[str, Any]) -> Order:
    commit, lsn = json.loads(source["sequence"])
    own = -1 if event["op"] == "r" else int(lsn)
    return Order("", (int(commit or lsn), own), f"{commit or lsn}:{lsn}")


def vitess_order(event: Mapping[str, Any], source: Mapping[str, Any]) -> Order:
    shard, transaction = source["shard"], event["transaction"]
    [gtid] = [part["gtid"] for part in json.loads(source["vgtid"]) if part["shard"] == shard]
    epoch, rank = int(transaction["transaction_epoch"]), gtid_count(gtid)
    row = int(transaction["total_order"])
    text = f"{shard} {epoch}:{rank}:{row}"
    return Order(shard, (epoch, rank, -1 if source.get("ts_ms") == 0 else row), text)


def gtid_count(gtid: str) -> int:
    """How many transactions a GTID set has.

    >>> gtid_count("MySQL56/3c7d8c32:1-7000:7002-7006")
    7005
    """
    parts = [part.split("-") for part in re.findall(r":([0-9]+(?:-[0-9]+)?)", gtid)]
    return sum(int(part[-1]) - int(part[0]) + 1 for part in parts)


def in_order(records: Iterable[Record]) -> list[Record]:
    """Records as their source changed the row: by their orders, where these compare.

    A record without an order, such as a Kafka tombstone, stays behind the one before it. Where two
    logs tell of the row, or the first record has no order, source times and offsets decide.
    """
    found = sorted(records, key=lambda record: record.place)
    orders = filled([order_of(record.event) for record in found])
    logs = {order and (order.log, len(order.numbers)) for order in orders}
    if None in logs or len(logs) > 1:
        times = filled([record.time for record in found])
        keyed = [(time or NEVER, record.place) for time, record in zip(times, found, strict=True)]
    else:
        keyed = [(order.numbers, record.place) for order, record in zip(orders, found, strict=True)]
    return [record for _, record in sorted(zip(keyed, found, strict=True), key=lambda p: p[0])]


def filled(values: Iterable[Any]) -> list[Any]:
    """Values, with the one before in the place of one that is None.

    >>> filled([None, 1, None])
    [None, 1, 1]
    """
    made: list[Any] = []
    for value in values:
        made.append(made[-1] if value is None and made else value)
    return made


def operation(record: Record) -> str:
    return TOMBSTONE if record.value is None else str(record.event.get("op", ""))


@dataclass(frozen=True)
class Difference:
    """What a record changes.

    Attributes:
        columns: those that it changes, each with its value before and after.
        knows_before: whether anything tells what was before; if not, these are all columns.
    """

    columns: Mapping[str, tuple[Any, Any]]
    knows_before: bool


def differences(records: Iterable[Record]) -> list[Difference]:
    """By record of a history, what it changes.

    Before is what the event says, and else what the record before it has left.
    """
    found = []
    known: Mapping[str, Any] | None = None
    for record in records:
        before, after = (record.event.get(side) for side in ("before", "after"))
        old = before if isinstance(before, dict) else known
        new = after if isinstance(after, dict) else {}
        columns = {
            name: (old.get(name) if old else None, value)
            for name, value in new.items()
            if is_sent(value) and (old is None or name not in old or old[name] != value)
        }
        found.append(Difference(columns, old is not None))
        if record.value is not None:
            known = {**(old or {}), **new} if new else None
    return found


def is_sent(value: Any) -> bool:
    """Whether a value is one, and not what PostgreSQL's connector sends in place of one."""
    text = value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))
    return text not in UNSENT
