"""A table that was set back: what says so, and what a mirror is held by until it goes on."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime

from lakemirror.state import window
from lakemirror.state.window import PREFIX, Snapshot

# of the commit that sets a table back: to which snapshot, and from which
TO, FROM = window.SET_BACK, PREFIX + "rolled-back-from"
PART = PREFIX + "part"  # of a commit that a run's own one follows
TOMBSTONES = PREFIX + "tombstones-snapshot-id"  # of an own commit: those that belong to it
HELD = PREFIX + "held"  # of a mirror's table, while its runs leave it alone
HELD_TAG = "lakemirror_held_"  # of raw: what a held mirror goes on from
BEFORE_TAG = "lakemirror_before_rollback_"  # of what was taken back


class TargetError(Exception):
    """A table cannot be set back so; says why."""


@dataclass(frozen=True)
class Hold:
    """Why the runs of a mirror leave it alone: the value of the property HELD.

    Attributes:
        to: the snapshot that the mirror is set back to.
        tombstones: that of its tombstones; None where they stay as they are.
        before: the mirror's newest snapshot before.
        is_done: whether both tables are there.
    """

    to: int
    tombstones: int | None
    before: int
    is_done: bool = False

    @classmethod
    def of(cls, properties: Mapping[str, str]) -> "Hold | None":
        """That of a table's properties; None where it is not held."""
        text = properties.get(HELD)
        return cls(**json.loads(text)) if text else None

    def as_property(self) -> str:
        return json.dumps(asdict(self), sort_keys=True)


def target(
    wanted: str,
    snapshots: Sequence[Snapshot],
    head: int,
    refs: Mapping[str, int],
    committed_at: Callable[[int], datetime],
) -> Snapshot:
    """The snapshot that a table is to be set back to.

    Args:
        wanted: a snapshot's id, a tag's name, or a time (UTC): then it is the newest own commit
            from until then.
        snapshots: all of the table.
        committed_at: when a snapshot was committed (UTC).

    Raises:
        TargetError: there is none, or it is no state that a run has left.
    """
    by_id = {snapshot.id: snapshot for snapshot in snapshots}
    if wanted in refs:
        return checked(refs[wanted], by_id, head, snapshots)
    if wanted.isdecimal():
        return checked(int(wanted), by_id, head, snapshots)
    time = time_of(wanted)
    lineage = window.lineage(snapshots, head)
    found = [s for s in lineage if window.BOOKMARK in s.summary and committed_at(s.id) <= time]
    if not found:
        raise TargetError(f"no merge of the table is there from until {wanted}: it has expired")
    return found[0]


def time_of(wanted: str) -> datetime:
    """A time that means UTC where it does not say its zone.

    Raises:
        TargetError: it is none.
    """
    try:
        found = datetime.fromisoformat(wanted)
    except ValueError:
        raise TargetError(
            f"{wanted} is neither a snapshot, nor a tag of the table, nor a time such as "
            "2026-01-31T12:00:00"
        ) from None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def checked(
    number: int, by_id: Mapping[int, Snapshot], head: int, snapshots: Sequence[Snapshot]
) -> Snapshot:
    """A snapshot, if its rows are what a run has left: an own commit, or maintenance behind one.

    Raises:
        TargetError: they are not, or it has expired.
    """
    if number not in by_id:
        raise TargetError(f"the table has no snapshot {number}: it has expired, or never was")
    found = by_id[number]
    lineage = window.lineage(snapshots, number)
    own = window.newest_own_commit(lineage)
    if own is None:
        raise TargetError(f"the snapshot {number} is from before all merges that are known")
    since = lineage[: lineage.index(own)]
    for snapshot in since:
        if snapshot.operation != "replace" and FROM not in snapshot.summary:
            kind = "part of a run" if PART in snapshot.summary else "of others"
            raise TargetError(
                f"the snapshot {number} has a commit that is {kind} ({snapshot.operation} "
                f"{snapshot.id}) since the merge {own.id}. --to {own.id} is that merge"
            )
    return found


def previous_commit(snapshots: Sequence[Snapshot], head: int) -> Snapshot:
    """The own commit before the newest, or the newest where others have committed since: what undo
    goes back to.

    Raises:
        TargetError: there is none.
    """
    lineage = window.lineage(snapshots, head)
    newest = window.newest_own_commit(lineage)
    if newest and window.foreign_commits(lineage):
        return newest
    own = [
        snapshot
        for snapshot in lineage
        if window.BOOKMARK in snapshot.summary
        and newest
        and window.run_commit_id(snapshot) != window.run_commit_id(newest)
    ]
    if not own:
        raise TargetError("there is no merge before the newest one: it has expired, or never was")
    return own[0]


def tombstones_of(lineage: Sequence[Snapshot]) -> int | None:
    """The snapshot of the tombstones that belongs to a state of their mirror; None where its commit
    is of a version that does not say so: newer ones hold nothing back that is right.

    Args:
        lineage: the state's, newest first.
    """
    own = window.newest_own_commit(lineage)
    found = own.summary.get(TOMBSTONES) if own else None
    return int(found) if found else None
