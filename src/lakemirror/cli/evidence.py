"""What the events of a source show: which connector sends them, and how it is set."""

import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow.compute as pc

from lakemirror.cli.errors import CommandError
from lakemirror.cli.records import Record, is_row, newest_batches, newest_records
from lakemirror.layers import RAW
from lakemirror.source import wire
from lakemirror.source.inference import Column, Evidence, Inference
from lakemirror.source.schemas import payload
from lakemirror.source.types import SETTINGS

HEAD = 200  # records that say what a table is
BATCH = 500
FIRST = 2_000  # records of each table that are looked at in any case
ROUND = 20_000  # records of a table that are read before others are looked at
ENOUGH = 1_000_000  # records with a value that told nothing, until somebody is asked
PAUSE = 5.0  # seconds between two lines of progress
Say = Callable[[str], object]


class EvidenceError(CommandError):
    """The events do not go together, or are none of Debezium's; says which."""


class ConnectorError(EvidenceError):
    """The events are another connector's than is given."""


@dataclass(frozen=True)
class Head:
    """What the newest records of a raw table say.

    Attributes:
        connector: which one sends them; None where no record says so.
        names: the database's own names of the table, from the outermost; empty where none are told.
        columns: of the rows.
        key: the names in the key of the last of them that has one.
        rows: how many records are rows without an envelope.
        records: how many records were looked at.
        deletes: how many of them are deletes.
        has_tombstones: whether any record of a table with deletes has no value.
    """

    connector: str | None
    names: tuple[str, ...]
    columns: frozenset[str]
    key: tuple[str, ...]
    rows: int
    records: int
    deletes: int = 0
    has_tombstones: bool = False


def head_of(table: Any) -> Head:
    """What a raw table's newest records say; nothing where others than landing have written it."""
    if not {"key", "value"} <= {column.name for column in table.schema().fields}:
        return Head(None, (), frozenset(), (), 0, 0)
    records = [
        Record(payload(row["key"] or ""), payload(row["value"]))
        for row in newest_records(table, HEAD)
        if row["value"] is not None
    ]
    changes = [record for record in records if record.is_change("crudt")]
    blocks = [record.part("source") for record in changes]
    names: tuple[Any, ...] = ()
    if blocks:
        block = blocks[0]
        found = (block.get("keyspace") or block.get("db"), block.get("schema"), block.get("table"))
        names = tuple(name for name in found if name)
    columns = frozenset(name for record in changes for name in record.part("after"))
    connector = next((record.connector for record in changes if record.connector), None)
    key = next((tuple(record.key) for record in reversed(changes) if record.key), ())
    deletes = sum(record.op == "d" for record in changes)
    has_tombstones = deletes > 0 and has_tombstone(table)
    rows = sum(map(is_row, records))
    return Head(connector, names, columns, key, rows, len(records), deletes, has_tombstones)


def has_tombstone(table: Any) -> bool:
    """Whether a record has no value; landing puts those into files of their own."""
    scan = table.scan(row_filter="value is null", selected_fields=("key",), limit=1)
    return bool(scan.to_arrow().num_rows)


def tombstones_of(source: str, heads: Mapping[str, Head]) -> str | None:
    """A line of what deletes tell of tombstones.on.delete; None where they tell nothing.

    Of two deletes one has its tombstone behind it, if there are any; that of the last may not have
    landed yet.
    """
    having = [(name, head) for name, head in sorted(heads.items()) if head.deletes]
    for name, head in having:
        if head.has_tombstones:
            return f"tombstones.on.delete=true: from {source}.{name}, which has tombstones"
    for name, head in having:
        if head.deletes > 1:
            return (
                f"tombstones.on.delete=false: from {source}.{name}, which has {head.deletes} "
                "deletes among its newest records, and no tombstone"
            )
    return None


def connector_of(source: str, heads: Mapping[str, Head], given: str | None, raw: str = RAW) -> str:
    """Which connector sends the events of a source.

    Args:
        heads: by table.
        given: what the command or the project says.
        raw: the schema of the raw tables.

    Raises:
        EvidenceError: the events say two, or another one than is given, or none.
    """
    told = {name: head.connector for name, head in sorted(heads.items()) if head.connector}
    kinds = sorted({*told.values()})
    for kind in kinds:
        if kind not in SETTINGS:
            name = next(name for name, found in told.items() if found == kind)
            raise EvidenceError(
                f"the events of {raw}.{source}__{name} are of the connector {kind!r}, and there "
                f"are {', '.join(sorted(SETTINGS))}"
            )
    if len(kinds) > 1:
        places = [next(name for name, found in told.items() if found == kind) for kind in kinds[:2]]
        said = " and ".join(
            f"{raw}.{source}__{name} of {kind}" for name, kind in zip(places, kinds, strict=False)
        )
        raise EvidenceError(
            f"the source {source} has events of two connectors: {said}. Give one of their topics "
            "another source in the var topic_sources"
        )
    if given and kinds and kinds != [given]:
        raise ConnectorError(
            f"the connector is given as {given}, and the events of "
            f"{raw}.{source}__{next(iter(told))} are {kinds[0]}'s"
        )
    if not (kinds or given):
        raise EvidenceError(
            f"no event of the source {source} says which connector has sent it: give --connector, "
            f"one of {', '.join(sorted(SETTINGS))}"
        )
    return kinds[0] if kinds else str(given)


def refuse_rows(source: str, heads: Mapping[str, Head], raw: str = RAW) -> None:
    """Rows without an envelope cannot be mirrored.

    Raises:
        EvidenceError: a table has them; what mends it.
    """
    for name, head in sorted(heads.items()):
        if head.rows:
            raise EvidenceError(
                f"{head.rows} of the {head.records} newest records of {raw}.{source}__{name} are "
                "rows without Debezium's envelope: they have no operation and no order. Take "
                "ExtractNewRecordState out of the connector's transforms; the source of another "
                "producer is declared in YAML, without config.meta.debezium"
            )


class Reader:
    """The rows of one raw table's events, the newest ones first, read as far as they are asked."""

    def __init__(self, table: Any) -> None:
        self.batches = newest_batches(table, ("value",), BATCH)
        self.read = 0
        self.looked_at = 0
        self.is_ended = False

    def rows(
        self, count: int, columns: Iterable[Column] = ()
    ) -> Iterator[tuple[Mapping[str, Any], float | None, Mapping[str, Any] | None]]:
        """The next rows of at least ``count`` records, as Evidence.look takes them.

        Args:
            columns: only rows in which one of these is not null; empty for all.
        """
        wanted, end = pattern(columns), self.read + count
        while self.read < end:
            batch = next(self.batches, None)
            if batch is None:
                self.is_ended = True
                return
            self.read += batch.num_rows
            values = batch.column("value")
            if wanted:
                values = values.filter(pc.match_substring_regex(values, wanted))
            for value in values.to_pylist():
                event = wire.event_of(value) if value else {}
                row = event.get("after")
                if isinstance(row, dict):
                    self.looked_at += 1
                    before = (event.get("before") or {}) if event.get("op") == "u" else None
                    yield row, wire.time_of(event), before
        self.is_ended = self.looked_at > ENOUGH


def pattern(columns: Iterable[Column]) -> str:
    """A regular expression of JSON in which one of the columns is not null; empty for none."""
    names = [name for column in columns for name in (column.name, *column.spellings)]
    quoted = [re.escape(json.dumps(name, ensure_ascii=False)[1:-1]) for name in names]
    return rf'"(?:{"|".join(quoted)})"\s*:\s*[^n\s]' if quoted else ""


def look(tables: Mapping[str, Any], evidence: Evidence, say: Say) -> Inference:
    """What the newest records of each table tell, and as many more as it takes.

    Args:
        tables: raw tables, by the names that the columns of the evidence have.
        evidence: what is looked for; it has what was seen afterwards.
        say: takes a line of progress.
    """
    for name in evidence.tables():
        reader = Reader(tables[name])
        while reader.read < FIRST and not reader.is_ended:
            for seen in reader.rows(BATCH):
                evidence.look(name, *seen)
            if evidence.is_settled(name):
                break
    said = time.monotonic()
    readers: dict[str, Reader] = {}
    while True:
        wanting = evidence.wanting()
        readers = {name: readers.get(name) or Reader(tables[name]) for name in wanting}
        if all(reader.is_ended for reader in readers.values()):
            break
        for name, columns in wanting.items():
            for seen in readers[name].rows(ROUND, columns):
                evidence.look(name, *seen)
            if time.monotonic() - said > PAUSE:
                named = ", ".join(column.name for column in columns[:3])
                say(f"looking for values of {name}: {named}; {readers[name].read:,} records read\n")
                said = time.monotonic()
    return evidence.result()
