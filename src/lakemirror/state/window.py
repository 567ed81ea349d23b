"""Which snapshots of a raw table a consumer has yet to read, and whether it may read them."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

PREFIX = "lakemirror."
HEAD = "current-snapshot-id"  # Iceberg's, of a table
BOOKMARK = PREFIX + "raw-snapshot-id"
NEWEST_EVENT = PREFIX + "max-src-ts"
TAKEN_IN = PREFIX + "taken-in"  # how many records of the quarantine
REPAIRED = PREFIX + "repaired"  # how many rows
RESYNC = PREFIX + "resync"  # the order of the snapshot that rows were removed by, as JSON
SET_BACK = PREFIX + "rolled-back-to"  # of the commit that sets a table back: the snapshot
FOREIGN = PREFIX + "foreign-commits"  # those of others, as JSON, until the table is made anew
DAY = PREFIX + "ds"
MAINTAINS = PREFIX + "maintains"  # of a commit that only carries on: the run's commit that it is of
OFFSETS = PREFIX + "kafka-offsets"  # of raw's: by partition, the offset that landing goes on from
# beside them: no record of the table is at these offsets, or behind them; of this commit's moment
LAST = PREFIX + "kafka-offsets-are-last"
ERASED = PREFIX + "erasure"  # of the commits of an erasure: its id
# of raw that has dropped hours: the source time from which on it has all records
RETAINED = PREFIX + "retained-from"
DROPPED_BY = PREFIX + "dropped-by"  # of a commit that follows one of metadata alone: that one
# what commits carry and tables are like; a package that knows less must not go on with a table
LAYOUT_PROPERTY, LAYOUT = PREFIX + "layout", 2
BASE_TAG = "lakemirror_base_"
Query = Callable[[str], Iterable[Sequence[Any]]]  # the rows of a statement
CHANGING_FILES = ("deleted-data-files", "added-delete-files", "removed-delete-files")


class WindowError(Exception):
    """The changes since the bookmark cannot be read without a loss; says how to repair it."""


@dataclass(frozen=True)
class Snapshot:
    """A snapshot of an Iceberg table; ``summary`` holds its operation's counts and properties."""

    id: int
    parent: int | None
    operation: str
    summary: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_marked(self) -> bool:
        """Whether it says anything of lakemirror's."""
        return any(name.startswith(PREFIX) for name in self.summary)

    @property
    def added_records(self) -> int:
        return int(self.summary.get("added-records", 0))

    @property
    def added_bytes(self) -> int:
        return int(self.summary.get("added-files-size", 0))

    @property
    def total_bytes(self) -> int:
        """Those of all files of the table."""
        return int(self.summary.get("total-files-size", 0))

    @property
    def only_adds(self) -> bool:
        """True when no row that was there before is changed or gone, but for those that were
        erased: these are read as such anyway."""
        if self.operation in ("append", "replace") or ERASED in self.summary:
            return True
        return not any(int(self.summary.get(count, 0)) for count in CHANGING_FILES)


@dataclass(frozen=True)
class Window:
    """The snapshots after ``start`` (None: from the beginning) up to and with ``end``.

    ``records`` and ``bytes`` are those of the files that the window adds.
    """

    start: int | None
    end: int
    records: int
    bytes: int = 0

    @property
    def is_empty(self) -> bool:
        """Whether raw has nothing new: a run may still have quarantined records to try again."""
        return self.start == self.end

    @property
    def clause(self) -> str:
        """What follows the raw table's name in a query that reads this window."""
        if self.start is None:
            return f"version as of {self.end}"
        return f"with ('start-snapshot-id' = '{self.start}', 'end-snapshot-id' = '{self.end}')"


def head_of(table: str, query: Query) -> int | None:
    """The main branch's newest snapshot of an Iceberg table; None where it has had none.

    Raises:
        WindowError: the table is not of Iceberg.
    """
    [(_, text)] = query(f"show tblproperties {table} ('{HEAD}')")
    return head_in(text, table)


def head_in(text: str, table: Any) -> int | None:
    """What a table's property HEAD says: see head_of."""
    if text == "none":
        return None
    if not text.isdecimal():
        raise WindowError(f"{table} is not an Iceberg table.")
    return int(text)


def snapshots_with(head: int | None, table: str, query: Query) -> list[Snapshot]:
    """All snapshots of a table, whose newest was ``head`` before.

    Raises:
        WindowError: ``head`` is not among them.
    """
    if head is None:
        return []
    snapshots = [
        Snapshot(int(number), None if parent is None else int(parent), operation, json.loads(text))
        for number, parent, operation, text in query(
            f"select snapshot_id, parent_id, operation, to_json(summary) from {table}.snapshots"
        )
    ]
    if head not in {snapshot.id for snapshot in snapshots}:
        raise WindowError(f"{table} was changed while it was read. Run again.")
    return snapshots


def history_of(table: str, query: Query) -> tuple[list[Snapshot], int | None]:
    """All snapshots of a table, and its head. What is read later has what was read before: it."""
    head = head_of(table, query)
    return snapshots_with(head, table, query), head


def lineage(snapshots: Sequence[Snapshot], head: int | None) -> list[Snapshot]:
    """The ancestors of ``head``, newest first and itself included.

    It follows the parents and no clock: commit times may repeat or go back.
    """
    return list(_ancestors({snapshot.id: snapshot for snapshot in snapshots}, head))


def _ancestors(by_id: Mapping[int, Snapshot], head: int | None) -> Iterator[Snapshot]:
    while head is not None and head in by_id:
        yield by_id[head]
        head = by_id[head].parent


def newest_own_commit(ancestors: Sequence[Snapshot]) -> Snapshot | None:
    """The newest commit that carries a bookmark; maintenance commits carry none (case 82)."""
    return next((snapshot for snapshot in ancestors if BOOKMARK in snapshot.summary), None)


def landed(ancestors: Sequence[Snapshot]) -> dict[str, str]:
    """What the newest commit of landing in raw says, which the next landing goes on from; without
    the prefix of its names. LAST is left out: others may have landed since."""
    for snapshot in ancestors:
        if OFFSETS in snapshot.summary:
            said = {n: v for n, v in snapshot.summary.items() if n != LAST}
            return {n.removeprefix(PREFIX): v for n, v in said.items() if n.startswith(PREFIX)}
    return {}


def known_ends(commits: Sequence[Snapshot]) -> dict[int, int] | None:
    """By partition, the offset from which on a raw table has no record, and none of partitions
    that are not named; None where the commits do not say so.

    Args:
        commits: those that the table comes from, newest first.
    """
    newest = next((c.summary for c in commits if OFFSETS in c.summary or is_others(c)), {})
    return offsets_in(newest[OFFSETS]) if LAST in newest else None


def offsets_in(text: str) -> dict[int, int]:
    """What OFFSETS says."""
    return {int(partition): offset for partition, offset in json.loads(text).items()}


def is_others(commit: Snapshot) -> bool:
    """Whether a commit of raw is neither of a landing from Kafka, nor of what writes or drops
    records that are there."""
    return commit.operation not in ("replace", "delete") and not commit.is_marked


def run_commit_id(commit: Snapshot) -> int:
    """The run's commit that an own commit is, or carries on behind maintenance."""
    return int(commit.summary.get(MAINTAINS, commit.id))


def foreign_commits(ancestors: Sequence[Snapshot]) -> list[Snapshot]:
    """What others have committed since the newest own commit: neither ours, nor maintenance that
    writes the same rows again (G3), or lets whole files go: hours of raw, days."""
    since = [*takewhile(lambda snapshot: BOOKMARK not in snapshot.summary, ancestors)]
    dropped = dropped_by(since)
    return [
        snapshot
        for snapshot in since
        if snapshot.operation != "replace"
        and str(snapshot.id) not in dropped
        and not snapshot.is_marked
    ]


def dropped_by(ancestors: Iterable[Snapshot]) -> set[str]:
    """The commits that have dropped hours of raw, or days, as those say that follow them."""
    return {s.summary[DROPPED_BY] for s in ancestors if DROPPED_BY in s.summary}


def foreign_changes(ancestors: Sequence[Snapshot], until: int | None) -> list[Snapshot]:
    """What others have added to a mirror's tombstones, or taken from them, since a snapshot (G3).

    Args:
        until: the snapshot; None where no commit tells it, and only what was taken is known to be
            of others.
    """
    since = takewhile(lambda snapshot: snapshot.id != until, ancestors)
    return [
        snapshot
        for snapshot in since
        if not snapshot.is_marked
        and (not snapshot.only_adds or (until is not None and snapshot.operation == "append"))
    ]


def outdated(ancestors: Sequence[Snapshot], kept: Iterable[int]) -> set[int]:
    """The commits of a mirror that were not right: a later one has taken in records which lay in
    the quarantine, or has repaired rows, or has set the table back.

    Args:
        ancestors: of the table's head, newest first, as far as they have not expired.
        kept: commits that tags keep; one that is no ancestor any more may be any of them.
    """
    found, is_mended, is_set_back = set[int](), False, False
    for snapshot in ancestors:
        if is_mended:
            found.add(snapshot.id)
        is_mended = is_mended or not snapshot.summary.keys().isdisjoint((TAKEN_IN, REPAIRED))
        is_set_back = is_set_back or SET_BACK in snapshot.summary
    others = {*kept} - {snapshot.id for snapshot in ancestors}
    return found | others if is_mended or is_set_back else found


def is_resynced(ancestors: Sequence[Snapshot], since: int) -> bool:
    """Whether a resync of a mirror has removed rows since one of its commits, or may have.

    Args:
        ancestors: of the table's head, newest first, as far as they have not expired.
        since: the commit; where it is no ancestor any more, nobody knows.
    """
    later = [*takewhile(lambda snapshot: snapshot.id != since, ancestors)]
    return len(later) == len(ancestors) or any(RESYNC in each.summary for each in later)


def newest_commit_before(
    midnight: str, snapshots: Sequence[Snapshot], head: int | None, kept: Iterable[int]
) -> Snapshot | None:
    """The newest commit with a bookmark all whose events lie before ``midnight``.

    Args:
        midnight: as ``2026-01-31 00:00:00``, which is how a commit tells its newest event.
        kept: snapshots that were ancestors of ``head`` before others in between expired.
    """
    tagged = {*kept}
    found = [*lineage(snapshots, head), *(s for s in snapshots if s.id in tagged)]
    own = [
        snapshot
        for snapshot in found
        if BOOKMARK in snapshot.summary and snapshot.summary.get(NEWEST_EVENT, midnight) < midnight
    ]
    return max(own, key=lambda snapshot: snapshot.summary[NEWEST_EVENT], default=None)


def next_window(
    raw: str, snapshots: Sequence[Snapshot], head: int | None, start: int | None
) -> Window | None:
    """The window from the bookmark ``start`` to the raw table's newest snapshot ``head``.

    Returns:
        None when nothing has been added since.

    Raises:
        WindowError: the window would lose rows in silence (cases 78-80; F26, F27, F29).
    """
    ancestors = lineage(snapshots, head)
    if not ancestors:
        return None
    end = ancestors[0].id
    if start is None:
        # the state as of `end` is read, so nothing can be skipped
        totals = (
            ancestors[0].summary.get(f"total-{what}", 0) for what in ("records", "files-size")
        )
        return Window(None, end, *map(int, totals))
    ids = [snapshot.id for snapshot in ancestors]
    if start not in ids:
        raise WindowError(_lost_start(raw, start, any(start == other.id for other in snapshots)))
    inside = ancestors[: ids.index(start)]
    dropped = dropped_by(inside)  # what all have read
    for snapshot in inside:
        if not snapshot.only_adds and str(snapshot.id) not in dropped:
            raise WindowError(
                f"{raw} was changed by the {snapshot.operation} snapshot {snapshot.id}, and an "
                "incremental read would skip it in silence."
            )
    added = [s for s in inside if s.operation != "replace" and ERASED not in s.summary]
    records, size = sum(s.added_records for s in added), sum(s.added_bytes for s in added)
    return Window(start, end, records, size) if records else None


def _lost_start(raw: str, start: int, exists: bool) -> str:
    if exists:
        return f"{raw} was rolled back: its snapshot {start}, the bookmark, is not in its history."
    return f"{raw} has no snapshot {start}, the bookmark: it has expired, or the table is another."
