"""How far back a mirror remembers its deletes."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from lakemirror.state.window import PREFIX, Snapshot

PRUNED_UNTIL = PREFIX + "pruned-until"


@dataclass(frozen=True)
class Memory:
    """A mirror's remembered deletes at one moment.

    Args:
        deletes: what a query reads them from.
        prune: the commit of the tombstones that pruned the furthest.
        is_unwritten: whether there has been none at all.
    """

    deletes: str
    prune: Snapshot | None
    is_unwritten: bool = False

    @property
    def pruned_until(self) -> str | None:
        """The source time (UTC) before which deletes may be forgotten; none where none is."""
        return self.prune.summary[PRUNED_UNTIL] if self.prune else None

    def may_lack(self, changed_from: object) -> bool:
        """Whether a delete that outdates a change of this time may be forgotten."""
        return bool(
            changed_from and self.pruned_until and time(changed_from) < time(self.pruned_until)
        )


def furthest_prune(snapshots: Iterable[Snapshot]) -> Snapshot | None:
    """The commit with the newest horizon, wherever it is: what was forgotten stays forgotten."""
    return max(
        (snapshot for snapshot in snapshots if PRUNED_UNTIL in snapshot.summary),
        key=lambda snapshot: snapshot.summary[PRUNED_UNTIL],
        default=None,
    )


def horizon(newest_event: str, retention_days: int, known: str | None) -> str:
    """The source time before which a mirror's deletes may be forgotten; it never goes back.

    Args:
        newest_event: the mirror's newest source time, and no clock.
        known: the horizon so far.

    >>> horizon("2026-01-20 00:00:01", 7, None)
    '2026-01-13 00:00:01.000000'
    """
    until = time(newest_event) - timedelta(days=retention_days)
    return max(f"{until:%Y-%m-%d %H:%M:%S.%f}", known or "")


def time(text: object) -> datetime:
    """A time that means UTC, as a commit's summary or a query's result has it."""
    return datetime.fromisoformat(str(text)).replace(tzinfo=UTC)
