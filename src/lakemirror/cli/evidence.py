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
        tombstones: how many records without a value there are beside them.
    """

    connector: str | None
    names: tuple[str, ...]
    columns: frozenset[str]
    key: tuple[str, ...]
    rows: int
    records: int
    deletes: int = 0
    tombstones: int = 0


def head_of(table: Any) -> Head:
    """What a raw table's newest records say; nothing where others than landing have written it."""
    if not {"key", "value"} <= {column.name for column in table.schema().fields}:
        return Head(None, (), frozenset(), (), 0, 0)
    newest = newest_records(table, HEAD)
    records = [
        Record(payload(row["key"] or ""), payload(row["value"]))
        for row in newest
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
    rows, tombstones = sum(map(is_row, records)), len(newest) - len(records)
    return Head(connector, names, columns, key, rows, len(records), deletes, tombstones)


def tombstones_of(source: str, heads: Mapping[str, Head]) -> str | None:
    """A line of what deletes tell of tombstones.on.delete; None where there are none."""
    having = [(name, head) for name, head in sorted(heads.items()) if head.deletes]
    for name, head in having:
        if head.tombstones:
            return f"tombstones.on.delete=true: from {source}.{name}, {head.tombstones} tombstones"
    for name, head in having:
        return f"tombstones.on.delete=false: from {source}.{name}, {head.deletes} deletes without"
    return None


def connector_of(source: str, heads: Mapping[str, Head], given: str | None) -> str:
    """Which connector sends the events of a source.

    Args:
        heads: by table.
        given: what the command or the project says.

    Raises:
        EvidenceError: the events say two, or another one than is given, or none.
    """
    told = {name: head.connector for name, head in sorted(heads.items()) if head.connector}
    kinds = sorted({*told.values()})
    for kind in kinds:
        if kind not in SETTINGS:
            name = next(name for name, found in told.items() if found == kind)
            raise EvidenceError(
                f"the events of raw.{source}__{name} are of the connector {kind!r}, and there are "
                f"{', '.join(sorted(SETTINGS))}"
            )
    if len(kinds) > 1:
        places = [next(name for name, found in told.items() if found == kind) for kind in kinds[:2]]
        said = " and ".join(
            f"raw.{source}__{name} of {kind}" for name, kind in zip(places, kinds, strict=False)
        )
        raise EvidenceError(
            f"the source {source} has events of two connectors: {said}. Give one of their topics "
            "another source in the var topic_sources"
        )
    if given and kinds and kinds != [given]:
        raise EvidenceError(
            f"the connector is given as {given}, and the events of raw.{source}__{next(iter(told))}"
            f" are {kinds[0]}'s"
        )
    if not (kinds or given):
        raise EvidenceError(
            f"no event of the source {source} says which connector has sent it: give --connector, "
            f"one of {', '.join(sorted(SETTINGS))}"
        )
    return kinds[0] if kinds else str(given)


def refuse_rows(source: str, heads: Mapping[str, Head]) -> None:
    """Rows without an envelope cannot be mirrored.

    Raises:
        EvidenceError: a table has them; what mends it.
    """
    for name, head in sorted(heads.items()):
        if head.rows:
            raise EvidenceError(
                f"{head.rows} of the {head.records} newest records of raw.{source}__{name} are "
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
    ) -> Iterator[tuple[Mapping[str, Any], float | None]]:
        """The next rows of at least ``count`` records, with the source's time in seconds.

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
                    yield row, wire.time_of(event)
        self.is_ended = self.looked_at > ENOUGH


def pattern(columns: Iterable[Column]) -> str:
    """A regular expression of JSON in which one of the columns is not null; empty for none."""
    names = [name for column in columns for name in (column.name, *column.spellings)]
    quoted = [re.escape(json.dumps(name, ensure_ascii=False)[1:-1]) for name in names]
    return rf'"(?:{"|".join(quoted)})"\s*:\s*[^n\s]' if quoted else ""


def look(tables: Mapping[str, Any], evidence: Evidence, say: Say, is_quick: bool) -> Inference:
    """What the newest records of each table tell, and as many more as it takes.

    Args:
        tables: raw tables, by the names that the columns of the evidence have.
        evidence: what is looked for; it has what was seen afterwards.
        say: takes a line of progress.
        is_quick: whether the newest records have to do.
    """
    for name in evidence.tables():
        reader = Reader(tables[name])
        while reader.read < FIRST and not reader.is_ended:
            for row, at in reader.rows(BATCH):
                evidence.look(name, row, at)
            if not evidence.unsettled(name):
                break
    said = time.monotonic()
    readers: dict[str, Reader] = {}
    while not is_quick:
        wanting = evidence.wanting()
        readers = {name: readers.get(name) or Reader(tables[name]) for name in wanting}
        if all(reader.is_ended for reader in readers.values()):
            break
        for name, columns in wanting.items():
            for row, at in readers[name].rows(ROUND, columns):
                evidence.look(name, row, at)
            if time.monotonic() - said > PAUSE:
                named = ", ".join(column.name for column in columns[:3])
                say(f"looking for values of {name}: {named}; {readers[name].read:,} records read\n")
                said = time.monotonic()
    return evidence.result()
