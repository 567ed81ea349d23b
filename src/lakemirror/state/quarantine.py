"""The records of ops.quarantine, as an operator sees and settles them; no Spark."""

import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyiceberg.exceptions import CommitFailedException, NoSuchTableError
from pyiceberg.expressions import AlwaysTrue, BooleanExpression, In

from lakemirror.layers import layers_of_catalog
from lakemirror.state.ops_tables import LEFT_OUT, QUARANTINE

if TYPE_CHECKING:
    from pyiceberg.catalog import Catalog
    from pyiceberg.table import Table

OPEN = "open"
TRIES = 5


class QuarantineError(Exception):
    """What is asked for cannot be done."""


class AskedError(QuarantineError):
    """What is asked for is not there, or not said."""


@dataclass(frozen=True)
class Record:
    """A record that could not be used; the columns of ops.quarantine."""

    quarantine_id: str
    model: str
    reason: str
    _kfk_topic: str | None
    _kfk_partition: int | None
    _kfk_offset: int | None
    key: str | None
    value: str | None
    quarantined_at: datetime
    judged_by: str | None = None
    settled_at: datetime | None = None
    settled_as: str | None = None
    settled_reason: str | None = None

    @property
    def state(self) -> str:
        """``open``, ``taken in`` or ``left out``."""
        return self.settled_as or OPEN

    @property
    def place(self) -> str:
        """Topic, partition and offset; of a line that is no record, its file."""
        if self._kfk_topic is None:
            return self.key or ""
        return f"{self._kfk_topic} {self._kfk_partition}:{self._kfk_offset}"


@dataclass(frozen=True)
class Group:
    """Records of a model with one reason and in one state.

    Attributes:
        records: how many there are.
        since: when the first of them was quarantined.
    """

    model: str
    reason: str
    state: str
    records: int
    since: datetime


COLUMNS = tuple(column.name for column in fields(Record))


def records(catalog: "Catalog", model: str | None = None, ids: Sequence[str] = ()) -> list[Record]:
    """The records of the quarantine, the oldest first.

    Args:
        model: of this model only.
        ids: those whose ids begin so.

    Raises:
        AskedError: an id is no record's, or more than one's.
    """
    table = table_of(catalog)
    there = [] if table is None else read(table, AlwaysTrue())
    found = [record for record in there if model in (None, record.model)]
    for start in ids:
        same = [record for record in found if record.quarantine_id.startswith(start)]
        if len(same) != 1:
            raise AskedError(f"{len(same)} records of the quarantine have an id {start}...")
    chosen = [r for r in found if not ids or r.quarantine_id.startswith(tuple(ids))]
    return sorted(chosen, key=lambda record: (record.quarantined_at, record.place))


def groups(found: Sequence[Record]) -> list[Group]:
    """Records counted by model, reason and state; the open ones first."""
    counts = Counter((r.state != OPEN, r.model, r.reason, r.state) for r in found)
    since = {(r.model, r.reason, r.state): r.quarantined_at for r in reversed(found)}
    return [
        Group(model, reason, state, number, since[model, reason, state])
        for (_, model, reason, state), number in sorted(counts.items())
    ]


def retry(catalog: "Catalog", chosen: Sequence[Record]) -> int:
    """Open records that were left out, and let the next run of their models try all of them again,
    as it does by itself once a model, a setting or a schema has changed.

    Returns:
        How many will be tried.
    """
    tried = [r for r in chosen if r.state in (OPEN, LEFT_OUT)]
    nothing = dict.fromkeys(("judged_by", "settled_at", "settled_as", "settled_reason"))
    return change(catalog, tried, nothing)


def settle(catalog: "Catalog", chosen: Sequence[Record], reason: str) -> int:
    """Leave open records out for good, with a reason: no run tries them, and none warns of them.

    Returns:
        How many were open.

    Raises:
        AskedError: there is no reason.
    """
    if not reason.strip():
        raise AskedError("a record is left out with a reason: --reason is blank")
    left = [record for record in chosen if record.state == OPEN]
    said = {"settled_as": LEFT_OUT, "settled_reason": reason, "settled_at": datetime.now(UTC)}
    return change(catalog, left, said)


def name_in(catalog: "Catalog") -> str:
    """The table of the environment that has opened the catalog."""
    return f"{layers_of_catalog(catalog).ops}.{QUARANTINE.name}"


def table_of(catalog: "Catalog") -> "Table | None":
    """None where no run has made the table."""
    try:
        return catalog.load_table(name_in(catalog))
    except NoSuchTableError:
        return None


def read(table: "Table", condition: BooleanExpression) -> list[Record]:
    """The records of the table; one of an older lake has no settled ones."""
    rows = table.scan(row_filter=condition).to_arrow().to_pylist()
    return [Record(**{name: row.get(name) for name in COLUMNS}) for row in rows]


def change(catalog: "Catalog", chosen: Sequence[Record], values: dict[str, Any]) -> int:
    """Give records other values in one commit; what has changed meanwhile is read again.

    Raises:
        QuarantineError: the table lacks the columns, or others do not let up.
    """
    ids = [record.quarantine_id for record in chosen]
    for _ in range(TRIES if ids else 0):
        table = catalog.load_table(name_in(catalog))
        if {*COLUMNS} - {field.name for field in table.schema().fields}:
            raise QuarantineError(
                f"{name_in(catalog)} is of an older lakemirror: any run of dbt gives it its columns"
            )
        condition = In("quarantine_id", ids)  # type: ignore[misc,call-arg,arg-type]
        rows = [
            {name: getattr(record, name) for name in COLUMNS} | values
            for record in read(table, condition)
        ]
        schema = table.schema().as_arrow()
        try:
            with warnings.catch_warnings():  # it rewrites files where the table says deletes
                warnings.simplefilter("ignore")
                table.overwrite(pa.Table.from_pylist(rows, schema), condition)
            return len(rows)
        except CommitFailedException:
            continue
    if ids:
        raise QuarantineError(f"runs commit to {name_in(catalog)} all the time: try again")
    return 0
