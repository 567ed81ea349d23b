"""What a rewrite of files is told."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from lakemirror.runs.policies import Policy
from lakemirror.runs.warehouse import Table

TIMES = ("date", "timestamp", "timestamp_ntz")


@dataclass(frozen=True)
class Young:
    """Which rows are young.

    Attributes:
        column: of dates or times.
        since: they are from then on, as a literal of the column's type.
    """

    column: str
    since: str


@dataclass(frozen=True)
class Rewrite:
    """What the macro rewrite_data_files_sql is told.

    Attributes:
        policy: the table's.
        sort_by: the columns that files are sorted by; of none they are put together as they are.
        which: files are rewritten that are ``small``; ``deleted``: those too that have deleted
            rows; ``all``.
        commits: in so many at most.
        young: only small files that have such rows; None: all.
        branch: that it is done on; None: the table.
    """

    policy: Policy
    sort_by: Sequence[str]
    which: str
    commits: int = 1
    young: Young | None = None
    branch: str | None = None


def young_rows(policy: Policy, table: Table) -> Young | None:
    """Which rows a table's small files need to have; None where the policy has no such filter.

    Raises:
        ValueError: its column is none of dates or times.
    """
    if policy.compact_by is None or policy.compact_days is None:
        return None
    kinds = {c["name"].lower(): (c["name"], c["data_type"]) for c in table.columns}
    name, kind = kinds.get(policy.compact_by.lower(), (policy.compact_by, None))
    if kind not in TIMES:
        raise ValueError(f"compact_by: {name} is no column of dates or times of it")
    day = datetime.now(UTC).date() - timedelta(days=policy.compact_days)
    return Young(name, f"{kind} '{day}'" if kind == "date" else f"{kind} '{day} 00:00:00'")
