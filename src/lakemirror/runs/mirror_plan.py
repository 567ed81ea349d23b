"""What a run of a mirror knows and decides of its batch, before anything is written."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lakemirror.runs.warehouse import Column, names_of
from lakemirror.source.evolution import Evolution
from lakemirror.state.technical import payload

SOFT_COLUMNS: tuple[Column, ...] = (
    {"name": "_is_deleted", "data_type": "boolean"},
    {"name": "_deleted_at", "data_type": "timestamp"},
)


@dataclass(frozen=True)
class Shape:
    """What rows of a batch and of its mirror have, which always goes together.

    Attributes:
        key: the key columns.
        columns: all columns of the table but those that soft deletes add.
        filled: those that are filled one by one, since a change may not have sent them.
        deletes: ``hard`` or ``soft``.
    """

    key: Sequence[str]
    columns: Sequence[str]
    filled: Sequence[str]
    deletes: str

    @property
    def merged(self) -> list[str]:
        """All columns of the table."""
        return [*self.columns, *names_of(soft_columns(self.deletes))]


@dataclass(frozen=True)
class Plan:
    """What the mirror and its tombstones need for a batch, decided before anything is written.

    Attributes:
        shape: the columns of the batch's rows.
        mirror: what its table needs.
        tombstones: what theirs needs.
        has_new_key: the deletes are remembered by another key, and are read again.
        defaults: expressions by the column.
        returned: the columns that came back.
        late: those that the source has added with a default.
        incomparable: columns whose values two rows at one place may differ in.
    """

    shape: Shape
    mirror: Evolution
    tombstones: Evolution
    has_new_key: bool
    defaults: dict[str, str]
    returned: list[dict[str, Any]]
    late: list[dict[str, Any]]
    incomparable: frozenset[str]


@dataclass(frozen=True)
class Known:
    """What a batch is compared with.

    Attributes:
        rows: the mirror's rows, as a relation or a query in parentheses; None where there is none.
        deletes: the remembered deletes, likewise.
        columns: name and expression of the rows' columns, once the batch's updates have run.
    """

    rows: str | None
    deletes: str
    columns: Sequence[dict[str, str]] = ()


@dataclass(frozen=True)
class Place:
    """Where a batch is in the source's order.

    Attributes:
        start: where its changes begin; None where they must be compared with everything.
        follows: whether each is newer than all that the mirror has and remembers.
        end: where what is merged ends after it; None where that is not known.
        epochs: those of each log after it.
        floor: the newest TRUNCATE after it.
        known_floor: the newest before it.
    """

    start: dict[str, Any] | None
    follows: bool
    end: dict[str, Any] | None
    epochs: dict[str, Any]
    floor: dict[str, Any] | None
    known_floor: dict[str, Any] | None

    @property
    def new_floor(self) -> dict[str, Any] | None:
        """The TRUNCATE of this batch, if the mirror has not merged it."""
        return self.floor if self.floor != self.known_floor else None


def soft_columns(deletes: str) -> Sequence[Column]:
    """The columns that a mirror has beside its query's."""
    return SOFT_COLUMNS if deletes == "soft" else ()


def unsent_columns(names: Sequence[str], key: Sequence[str]) -> list[str]:
    """The columns that a mirror fills one by one; none where its query has no ``_unsent``."""
    if "_unsent" not in names:
        return []
    return [name for name in payload(names) if name not in key]
