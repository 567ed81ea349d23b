"""Which part of a mirror's keys is audited next, and what the audits of a lake have found."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from pyiceberg.exceptions import NoSuchTableError
from pyiceberg.expressions import EqualTo

from lakemirror.layers import layers_of_catalog
from lakemirror.state.ops_tables import AUDIT_FINDINGS, AUDITS

if TYPE_CHECKING:
    from pyiceberg.catalog import Catalog

# what an audit was of, where that was not a mirror and the log: the source's database, what the
# connector says of transactions, of which raw tables are audited, and a branch of a mirror that is
# not published
SOURCE, TRANSACTIONS, BRANCH = "source", "transactions", "branch"


@dataclass(frozen=True)
class Coverage:
    """An audit that was done: which part of how many, and when (UTC), as a text."""

    part: int
    parts: int
    audited_at: str


@dataclass(frozen=True)
class Audited:
    """An audit of a mirror; the columns of ops.audits.

    Attributes:
        bookmark: the snapshot of raw that the mirror had merged.
        snapshot: that of the mirror.
        part: which of ``parts`` of the keys was compared, from 0; None where it was some keys.
        keys: how many were compared; None where nothing could be judged.
        findings: how many differences; a row that is lost or added is one.
        unjudged: keys that could not be judged.
        notes: why.
        against: what was compared: SOURCE, TRANSACTIONS, BRANCH; None for a mirror and the log.
    """

    audit_id: str
    model: str
    audited_at: datetime
    bookmark: int | None
    snapshot: int | None
    part: int | None
    parts: int | None
    keys: int | None
    findings: int
    unjudged: int
    notes: str | None
    seconds: float
    against: str | None = None

    @property
    def is_of_source(self) -> bool:
        """Whether the mirror was compared with the living source, and not with the log."""
        return self.against == SOURCE

    @property
    def proves_nothing(self) -> bool:
        """Whether there was something to judge, and nothing of it could be judged."""
        return self.keys is None and (self.is_of_source or self.snapshot is not None)

    @property
    def is_of_transactions(self) -> bool:
        """Whether a raw table was compared with what its connector has counted."""
        return self.against == TRANSACTIONS

    @property
    def is_of_branch(self) -> bool:
        """Whether it was about what a run had written, before anybody could read that."""
        return self.against == BRANCH


@dataclass(frozen=True)
class Finding:
    """A difference between a mirror and the log; the columns of ops.audit_findings.

    Attributes:
        kind: ``lost``, ``added``, ``changed`` or ``doubled``.
        unique_key: JSON.
        source_order: epoch, rank and order, with commas.
        column_name: None of a whole row, whose values are JSON then.
    """

    audit_id: str
    model: str
    kind: str
    unique_key: str
    source_order: str
    column_name: str | None
    in_mirror: str | None
    by_log: str | None


def next_part(known: Sequence[Coverage], parts: int) -> int:
    """The part that was audited the longest ago, or never.

    >>> first = Coverage(0, 2, "2026-01-01 00:00:00")
    >>> next_part([], 2), next_part([first], 2), next_part([first], 3)
    (0, 1, 0)
    """
    of_part = {part: [""] for part in range(parts)}
    for each in known:
        if each.parts == parts:
            of_part[each.part].append(each.audited_at)
    return min(of_part, key=lambda part: max(of_part[part]))


def audits(catalog: "Catalog", audit_id: str) -> list[Audited]:
    """The audits of an id, in the order in which they were done; none where there is no such."""
    rows = sorted(rows_of(catalog, AUDITS.name, audit_id), key=lambda row: row["audited_at"])
    return [Audited(**row) for row in rows]


def findings(catalog: "Catalog", audit_id: str) -> list[Finding]:
    """What the audits of an id have found, by model and key."""
    found = [Finding(**row) for row in rows_of(catalog, AUDIT_FINDINGS.name, audit_id)]
    return sorted(found, key=lambda each: (each.model, each.unique_key, each.column_name or ""))


def all_audits(catalog: "Catalog") -> list[Audited]:
    """All audits of a lake."""
    return [Audited(**row) for row in rows_of(catalog, AUDITS.name)]


def all_findings(catalog: "Catalog") -> list[Finding]:
    """What all audits of a lake have found, as far as it is kept."""
    return [Finding(**row) for row in rows_of(catalog, AUDIT_FINDINGS.name)]


def rows_of(catalog: "Catalog", name: str, audit_id: str | None = None) -> Iterable[dict[str, Any]]:
    """The rows of a table of audits; those of an id, where one is given."""
    try:
        table = catalog.load_table(f"{layers_of_catalog(catalog).ops}.{name}")
    except NoSuchTableError:
        return []
    if audit_id is None:
        return table.scan().to_arrow().to_pylist()
    is_asked = EqualTo("audit_id", audit_id)  # type: ignore[misc, call-arg, arg-type]
    return table.scan(is_asked).to_arrow().to_pylist()
