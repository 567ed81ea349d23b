"""The records of one key in a raw table, without Spark: by the record's key, or by its row.

Landing's tables are read in two steps: the column of keys alone, batch by batch, and then the
values of what was found.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from functools import reduce
from heapq import nlargest
from json import dumps
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyiceberg.io.pyarrow import ArrowScan

from lakemirror.cli.errors import CommandError
from lakemirror.source.schemas import payload
from lakemirror.source.sink import PLACE as SINK

PLACE = ("_kfk_partition", "_kfk_offset")
TIME = "_src_ts"
ROWS = 10_000  # of a batch
PLAIN = re.compile(r"[A-Za-z0-9_:-]+")  # a text that JSON writes in one way
NEVER = datetime(1, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Wanted:
    """A key, by the values that its columns may have in records.

    Attributes:
        names: the columns.
        values: texts by name: as the mirror has them, and as the records encode them.
    """

    names: Sequence[str]
    values: Sequence[Mapping[str, str]]

    def is_key(self, fields: Mapping[str, Any]) -> bool:
        """Whether these fields of a record are the key."""
        there = {name.lower(): value for name, value in fields.items()}
        return any(
            all(n.lower() in there and same(there[n.lower()], given[n]) for n in self.names)
            for given in self.values
        )

    def is_row(self, event: Mapping[str, Any]) -> bool:
        """Whether an event is about the row of this key."""
        images = (event.get(side) for side in ("before", "after"))
        return any(self.is_key(image) for image in images if isinstance(image, dict))

    def told(self, keys: pa.Array) -> pa.Array:
        """Which of the keys' texts name all the columns."""
        named = [pc.match_substring(keys, dumps(n), ignore_case=True) for n in self.names]
        return pc.fill_null(reduce(pc.and_, named), False)

    def possible(self, texts: pa.Array) -> pa.Array:
        """Which texts may have the key's values: of one that JSON writes in several ways, all."""
        of_any = []
        for given in self.values:
            needles = [given[name] for name in self.names if PLAIN.fullmatch(given[name])]
            found = [pc.match_substring(texts, needle) for needle in needles]
            of_any.append(reduce(pc.and_, found) if found else pc.is_valid(texts))
        return pc.fill_null(reduce(pc.or_, of_any), False)


def same(value: Any, text: str) -> bool:
    """Whether a value of JSON is what a text says.

    >>> same(7, "7"), same("007", "7"), same(1.5, "1.50"), same(None, "null")
    (True, False, True, False)
    """
    if isinstance(value, str):
        return value == text
    if isinstance(value, bool):
        return text.lower() == str(value).lower()
    if isinstance(value, int | float):
        try:
            return Decimal(str(value)) == Decimal(text)
        except InvalidOperation:
            return False
    return value is not None and dumps(value, separators=(",", ":")) == text


@dataclass(frozen=True)
class Record:
    """A Kafka record, as it has landed.

    Attributes:
        value: its text, or what Iceberg's sink has made columns of; None for a Kafka tombstone.
        time: the source's, UTC.
    """

    partition: int
    offset: int
    key: str | None
    value: Any = field(repr=False)
    time: datetime | None

    @property
    def place(self) -> tuple[int, int]:
        return self.partition, self.offset

    @property
    def event(self) -> Mapping[str, Any]:
        """Debezium's event; empty where there is none."""
        if isinstance(self.value, dict):
            return self.value
        return payload(self.value) if self.value else {}


def newest_records(table: Any, wanted: Wanted, last: int) -> tuple[list[Record], int]:
    """The newest records of a key by source time and offset, and how many there are of it."""
    if is_sink(table):
        found = [record for record in sink_records(table) if wanted.is_row(record.event)]
        return nlargest(last, found, lambda record: (record.time or NEVER, record.offset)), len(
            found
        )
    places = list(places_of(table, wanted))
    newest = nlargest(last, places, lambda place: (place[2] or NEVER, place[1]))
    return records_at(table, [place[:2] for place in newest]), len(places)


def is_sink(table: Any) -> bool:
    """Whether Iceberg's sink has written a raw table, and not landing.

    Raises:
        CommandError: neither has.
    """
    names = [column.name for column in table.schema().fields]
    if {*PLACE, "key", "value"} <= {*names}:
        return False
    if not any(name.startswith(SINK) for name in names):
        raise CommandError(f"{'.'.join(table.name())} has no columns of a raw table")
    return True


def places_of(table: Any, wanted: Wanted) -> Iterator[tuple[int, int, datetime | None]]:
    """Partition, offset and source time of each record of a key, file by file."""
    columns = (*PLACE, TIME)
    for task in table.scan().plan_files():
        needs_rows = False
        for batch in batches(table, task, ("key", *columns)):
            told = wanted.told(batch["key"])
            needs_rows |= not pc.all(told).as_py()
            possible = batch.filter(pc.and_(told, wanted.possible(batch["key"])))
            for row in possible.to_pylist():
                if wanted.is_key(payload(row["key"])):
                    yield tuple(row[name] for name in columns)  # type: ignore[misc]
        if needs_rows:
            yield from places_by_row(table, task, wanted)


def places_by_row(
    table: Any, task: Any, wanted: Wanted
) -> Iterator[tuple[int, int, datetime | None]]:
    """The same, of the records whose keys do not name the columns."""
    columns = (*PLACE, TIME)
    for batch in batches(table, task, ("key", "value", *columns)):
        untold = pc.invert(wanted.told(batch["key"]))
        possible = batch.filter(pc.and_(untold, wanted.possible(batch["value"])))
        for row in possible.to_pylist():
            if wanted.is_row(payload(row["value"])):
                yield tuple(row[name] for name in columns)  # type: ignore[misc]


def batches(table: Any, task: Any, columns: Collection[str]) -> Iterator[pa.RecordBatch]:
    """A data file's rows, some at a time; one of which rows are deleted is read at once."""
    if task.delete_files:
        scan = table.scan(selected_fields=tuple(columns))
        arrow = ArrowScan(table.metadata, table.io, scan.projection(), scan.row_filter)
        yield from arrow.to_record_batches([task])
        return
    with table.io.new_input(task.file.file_path).open() as stream:
        file = pq.ParquetFile(stream)
        yield from file.iter_batches(batch_size=ROWS, columns=[*columns])


def records_at(
    table: Any, places: Collection[tuple[int, int]], snapshot: int | None = None
) -> list[Record]:
    """The records at these partitions and offsets, as of a snapshot or as they are now."""
    if not places:
        return []
    if is_sink(table):
        return [record for record in sink_records(table) if record.place in places]
    scan = table.scan(
        place_filter(places),
        selected_fields=("key", "value", *PLACE, TIME),
        snapshot_id=snapshot,
    )
    return [
        Record(row[PLACE[0]], row[PLACE[1]], row["key"], row["value"], row[TIME])
        for row in scan.to_arrow().to_pylist()
    ]


def place_filter(places: Iterable[tuple[int, int]]) -> str:
    """What keeps the records at these places: ranges too, by which files are left out.

    >>> place_filter([(0, 7)])
    '(_kfk_partition = 0 and _kfk_offset >= 7 and _kfk_offset <= 7 and _kfk_offset in (7))'
    """
    offsets: dict[int, list[int]] = {}
    for number, offset in places:
        offsets.setdefault(number, []).append(offset)
    partition, name = PLACE
    return " or ".join(
        f"({partition} = {number} and {name} >= {min(found)} and {name} <= {max(found)} "
        f"and {name} in ({', '.join(map(str, found))}))"
        for number, found in offsets.items()
    )


def sink_records(table: Any) -> Iterator[Record]:
    """The records of a table that Iceberg's sink has written."""
    columns = [column.name for column in table.schema().fields]
    for task in table.scan().plan_files():
        for batch in batches(table, task, columns):
            for row in batch.to_pylist():
                yield sink_record(row)


def sink_record(row: Mapping[str, Any]) -> Record:
    """A row of the sink's as a record: its key is not there."""
    nested = row.get(SINK)
    place = nested or {name: row[f"{SINK}_{name}"] for name in ("partition", "offset")}
    event = {name: value for name, value in row.items() if not name.startswith(SINK)}
    value = event.get("value", event)
    record = Record(int(place["partition"]), int(place["offset"]), None, value, None)
    millis = (record.event.get("source") or {}).get("ts_ms")
    return replace(record, time=datetime.fromtimestamp(millis / 1000, UTC)) if millis else record
