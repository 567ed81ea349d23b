"""A row of a mirror: what the mirror has, its history in raw, and what became of each record."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from pyiceberg.exceptions import NoSuchTableError
from pyiceberg.expressions import AlwaysTrue, And, BooleanExpression, EqualTo
from pyiceberg.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    FloatType,
    IntegerType,
    LongType,
    TimestampType,
    TimestamptzType,
)

from lakemirror.cli.changes import TOMBSTONE, Order, differences, in_order, operation, order_of
from lakemirror.cli.errors import RIGHT, WRONG, CallError, CommandError, hint
from lakemirror.cli.key_records import (
    PLACE,
    Record,
    Wanted,
    is_sink,
    newest_records,
    records_at,
)
from lakemirror.cli.models import KnownModel
from lakemirror.cli.source_tables import record_key
from lakemirror.cli.status import built
from lakemirror.source.schemas import payload
from lakemirror.state.commits import TOMBSTONES, history, ops_table, properties
from lakemirror.state.ops_tables import LEFT_OUT, QUARANTINE, TAKEN_IN
from lakemirror.state.quarantine import OPEN
from lakemirror.state.window import BOOKMARK

ORDER = ("_tx_epoch", "_tx_rank", "_tx_order")
LOG = "_tx_log"
SETTLED = ("settled_as", "settled_at", "settled_reason")


@dataclass(frozen=True)
class Change:
    """A record of the key.

    Attributes:
        order: its place at the source, as the source names it; None where nothing tells it.
        changed: by column, the value before and after.
        knows_before: whether anything tells what was before; if not, ``changed`` has all columns.
        outcome: what the mirror has made of it.
    """

    partition: int
    offset: int
    op: str
    order: str | None
    source_time: datetime | None
    changed: Mapping[str, tuple[Any, Any]]
    knows_before: bool
    outcome: str


@dataclass(frozen=True)
class Shown:
    """All that a lake has of a key.

    Attributes:
        row: the mirror's; None where it has none.
        tombstone: the newest delete that it remembers.
        history: the newest records of the key, in the order of their source.
        records: how many there are.
        quarantine: where records of the key could not be used, why, and whether they are open.
    """

    table: str
    raw: str
    key: Mapping[str, str]
    row: Mapping[str, Any] | None
    tombstone: Mapping[str, Any] | None
    history: Sequence[Change]
    records: int
    quarantine: Sequence[Mapping[str, Any]]
    verdict: str = field(default="")

    @property
    def code(self) -> int:
        """1 where nobody knows the key."""
        return RIGHT if self.row or self.tombstone or self.records else WRONG

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def show(catalog: Any, models: Mapping[str, KnownModel], name: str, key: str, last: int) -> Shown:
    """What a lake has of a key.

    Args:
        models: those of the project.
        name: of the mirror: its model or its table, with or without the layer.
        key: a value, or a JSON object of the key's columns.
        last: how many records are shown.

    Raises:
        CallError: no such mirror, or no such key.
    """
    model = mirror_named(catalog, models, name)
    raw, mirror = opened(catalog, model.raw), opened(catalog, model.table)
    if raw is None:
        raise CallError(f"{model.raw}, which {model.name} reads, is not there: nothing has landed")
    names = key_names(catalog, model, raw)
    given = key_values(key, names)
    row = newest(rows_of_key(mirror, given))
    tombstone = newest(rows_of_key(opened(catalog, model.table + TOMBSTONES), given))
    wanted = Wanted(names, [given, *encoded(raw, names, (row, tombstone))])
    records, count = newest_records(raw, wanted, last)
    quarantine = quarantined(catalog, model.name, wanted)
    found = in_order(records)
    outcomes = Outcomes(row, tombstone, quarantine, unmerged(mirror, raw, found))
    return Shown(
        table=model.table,
        raw=model.raw,
        key=given,
        row=row,
        tombstone=tombstone,
        history=changes(found, outcomes),
        records=count,
        quarantine=quarantine,
        verdict=verdict(model, mirror is not None, row, tombstone, count),
    )


def mirror_named(catalog: Any, models: Mapping[str, KnownModel], name: str) -> KnownModel:
    """The mirror that is meant.

    Raises:
        CallError: there is none.
    """
    known = {}
    for model in (*built(catalog, models.values()), *models.values()):
        if model.kind == "mirror":
            short = model.table.partition(".")[2]
            for one in (short, short.replace("__", ".", 1), model.table, model.name):
                known[one] = model
    if name not in known:
        raise CallError(f"no mirror {name} is in the project or the lake{hint(name, known)}")
    return known[name]


def opened(catalog: Any, table: str) -> Any:
    """A table; None where it is not there."""
    try:
        return catalog.load_table(table)
    except NoSuchTableError:
        return None


def key_names(catalog: Any, model: KnownModel, raw: Any) -> list[str]:
    """The columns of a mirror's key: as its tombstones have them, or, where it is not built, as the
    project says or the records do.

    Raises:
        CommandError: the project says another key than the tables have, or nothing tells one.
    """
    tombstones = opened(catalog, model.table + TOMBSTONES)
    if tombstones is None:
        names = [*model.key] or ([] if is_sink(raw) else record_key(raw))
        if not names:
            raise CommandError(
                f"{model.table} is not built yet, and no record of {model.raw} tells its key: "
                f"build it (dbt run --select {model.name}), or say its unique_key"
            )
        return names
    columns = [column.name for column in tombstones.schema().fields]
    names = columns[: columns.index(LOG if LOG in columns else ORDER[0])]
    if model.key and {*map(str.lower, model.key)} != {*map(str.lower, names)}:
        raise CommandError(
            f"{model.table} has the key ({', '.join(names)}), and the project says "
            f"({', '.join(model.key)}). Set unique_key back, or rebuild it: dbt run --select "
            f"{model.name} --full-refresh --vars '{{allow_full_refresh: true}}'"
        )
    return names


def key_values(key: str, names: Sequence[str]) -> dict[str, str]:
    """The values of a key's columns, as texts.

    Raises:
        CallError: other columns than the key's.

    >>> key_values("7", ["id"]), key_values('{"a": 1, "b": "x"}', ["a", "b"])
    ({'id': '7'}, {'a': '1', 'b': 'x'})
    """
    try:
        found = json.loads(key, parse_float=str)
    except ValueError:
        found = key
    if isinstance(found, dict):
        if {*found} != {*names}:
            raise CallError(
                f"the key has the columns {', '.join(names)}, and not {', '.join(found)}"
            )
        return {name: text_of(found[name]) for name in names}
    if len(names) > 1:
        example = json.dumps(dict.fromkeys(names, "..."))
        raise CallError(f"the key has several columns: give a JSON object, such as '{example}'")
    return {names[0]: found if isinstance(found, str) else key}


def text_of(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def rows_of_key(table: Any, key: Mapping[str, str]) -> list[dict[str, Any]]:
    """The rows of a key; none where there is no table.

    Raises:
        CallError: a value is none of its column.
    """
    if table is None:
        return []
    condition: BooleanExpression = AlwaysTrue()
    for name, text in key.items():
        kind = table.schema().find_field(name).field_type
        try:
            value = typed(text, kind)
        except (ValueError, KeyError, InvalidOperation):
            raise CallError(f"{text!r} is no value of the key column {name}, a {kind}") from None
        condition = And(condition, EqualTo(name, value))  # type: ignore[misc, call-arg, arg-type]
    return table.scan(condition).to_arrow().to_pylist()


def typed(text: str, kind: Any) -> Any:
    """A text as a value of an Iceberg type; bytes are ``0x`` and hex digits.

    Raises:
        ValueError, KeyError, InvalidOperation: it is none.
    """
    if isinstance(kind, IntegerType | LongType):
        return int(text)
    if isinstance(kind, DecimalType):
        number = Decimal(text)
        fitted = number.quantize(Decimal(1).scaleb(-kind.scale))
        if fitted != number:
            raise ValueError(text)
        return fitted
    if isinstance(kind, FloatType | DoubleType):
        return float(text)
    if isinstance(kind, BooleanType):
        return {"true": True, "false": False}[text.lower()]
    if isinstance(kind, DateType):
        return date.fromisoformat(text)
    if isinstance(kind, TimestampType):
        return datetime.fromisoformat(text)
    if isinstance(kind, TimestamptzType):
        time = datetime.fromisoformat(text)
        return time if time.tzinfo else time.replace(tzinfo=UTC)
    if isinstance(kind, BinaryType | FixedType):
        return bytes.fromhex(text.removeprefix("0x"))
    return text


def newest(rows: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """The row with the newest order."""
    return max(rows, key=lambda row: tuple(row.get(n) or 0 for n in ORDER), default=None)


def place_of(row: Mapping[str, Any]) -> tuple[int, int]:
    return row[PLACE[0]], row[PLACE[1]]


def encoded(
    raw: Any, names: Sequence[str], rows: Iterable[Mapping[str, Any] | None]
) -> list[dict[str, str]]:
    """The key as the records that these rows came from write it: a date may be a number there."""
    places = [place_of(row) for row in rows if row and row.get(PLACE[1]) is not None]
    made = []
    for record in records_at(raw, places):
        images = (payload(record.key or ""), *map(record.event.get, ("after", "before")))
        for image in images:
            if isinstance(image, dict) and {*names} <= image.keys():
                made.append({name: text_of(image[name]) for name in names})
    return made


def quarantined(catalog: Any, model: str, wanted: Wanted) -> list[dict[str, Any]]:
    """The records of a key in ops.quarantine, with their state; an older lake's are all open."""
    table = ops_table(catalog, QUARANTINE.name)
    if table is None:
        return []
    settled = {*SETTLED} & {*table.schema().column_names}
    names = (*PLACE, "key", "value", "reason", "quarantined_at", *sorted(settled))
    is_model = EqualTo("model", model)  # type: ignore[misc, call-arg, arg-type]
    scan = table.scan(is_model, selected_fields=names)
    found = []
    for batch in scan.to_arrow_batch_reader():
        for row in batch.to_pylist():
            key, value = (payload(row.pop(name) or "") for name in ("key", "value"))
            if wanted.is_key(key) or wanted.is_row(value):
                state, at, reason = (row.pop(name, None) for name in SETTLED)
                told = {"state": state or OPEN, "settled_at": at, "settled_reason": reason}
                found.append(row | told)
    return sorted(found, key=place_of)


def unmerged(mirror: Any, raw: Any, records: Sequence[Record]) -> set[tuple[int, int]]:
    """The places of records that have landed since the mirror's bookmark."""
    commits = history(mirror) if mirror is not None else []
    marks = [properties(c)[BOOKMARK] for c in commits if BOOKMARK in properties(c)]
    places = {record.place for record in records}
    if not marks:
        return places
    if is_sink(raw) or raw.snapshot_by_id(int(marks[0])) is None:
        return set()
    return places - {record.place for record in records_at(raw, places, int(marks[0]))}


@dataclass(frozen=True)
class Outcomes:
    """What a mirror has made of records."""

    row: Mapping[str, Any] | None
    tombstone: Mapping[str, Any] | None
    quarantine: Sequence[Mapping[str, Any]]
    unmerged: set[tuple[int, int]]

    def of(self, record: Record) -> str:
        apart = {place_of(row): row for row in self.quarantine if row["state"] != TAKEN_IN}
        if record.place in apart:
            kept = apart[record.place]
            if kept["state"] == LEFT_OUT:
                return f"{LEFT_OUT}: {kept['settled_reason']}"
            return f"in quarantine: {kept['reason']}"
        if record.place in self.unmerged:
            return "not merged yet"
        if self.row and place_of(self.row) == record.place:
            return "is the row"
        if self.tombstone and place_of(self.tombstone) == record.place:
            return "is the delete that is remembered"
        return "ignored" if operation(record) == TOMBSTONE else "is older"


def changes(records: Sequence[Record], outcomes: Outcomes) -> list[Change]:
    """The records of a history; one of the same order as the one before it came again."""
    made: list[Change] = []
    before: Order | None = None
    for record, difference in zip(records, differences(records), strict=True):
        order, outcome = order_of(record.event), outcomes.of(record)
        if order and order == before and outcome == "is older":
            outcome = "came again"
        before = order or before
        made.append(
            Change(
                partition=record.partition,
                offset=record.offset,
                op=operation(record),
                order=order.text if order else None,
                source_time=record.time,
                changed=difference.columns,
                knows_before=difference.knows_before,
                outcome=outcome,
            )
        )
    return made


def verdict(
    model: KnownModel,
    is_built: bool,
    row: Mapping[str, Any] | None,
    tombstone: Mapping[str, Any] | None,
    records: int,
) -> str:
    """What the mirror makes of it, in a sentence."""
    if not is_built:
        return f"{model.table} is not built yet: dbt run --select {model.name}."
    if row and row.get("_is_deleted"):
        return f"{model.table} keeps the row as a deleted one."
    if row:
        return f"{model.table} has the row."
    if tombstone:
        return f"{model.table} has no such row: it was deleted, and the delete is remembered."
    if records:
        return f"{model.table} has no such row, and remembers no delete of it."
    return f"Neither {model.table} nor {model.raw} has this key."
