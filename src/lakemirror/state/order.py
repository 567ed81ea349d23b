"""Logs, epochs and the floor: what a mirror must know of the order beside its rows.

A log is what a source counts its changes in: a Vitess shard, a MySQL server's binlog. A mirror
keeps the epochs that it has seen, and its floor: the newest TRUNCATE, in the summary of its own
commits.
"""

import json
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

EPOCHS = "lakemirror.epochs"
FLOOR = "lakemirror.floor"
END = "lakemirror.end"
ORDER = ("_tx_epoch", "_tx_rank", "_tx_order")
TOLERANCE = timedelta(seconds=5)  # commit stamps have whole seconds, and may go back by one or two


class EpochError(Exception):
    """Changes are ordered wrong: an epoch went back, or two logs share one; says how to repair."""


def key_range(log: str | None) -> tuple[str, str]:
    """The first key of a Vitess shard ``first-last`` and the first after it, in hex digits.

    Any other log, and one that is not known, holds every key.

    >>> key_range("40-80") < key_range("80-")
    True
    """
    first, _, last = log.lower().partition("-") if log and "-" in log else ("", "", "")
    return first.ljust(32, "0"), (last or "g").ljust(32, "0")


def same_lineage(left: str | None, right: str | None) -> bool:
    """True when the two logs' ranges of keys overlap: only then do their orders compare."""
    (left_first, left_last), (right_first, right_last) = key_range(left), key_range(right)
    return left == right or (left_first < right_last and right_first < left_last)


def advance_epochs(
    known: Mapping[str, Mapping[str, str]], batch: Iterable[Mapping[str, Any]]
) -> dict[str, dict[str, str]]:
    """The epochs of each log with the newest source time of each: those known and a batch's.

    Args:
        known: time by epoch by log, as a mirror's commit keeps it.

    Raises:
        EpochError: see check_epochs (case 7, F10).
    """
    found = {log: dict(times) for log, times in known.items()}
    for row in batch:
        for log, epoch, time in (
            (row["_tx_log"], row["_tx_epoch"], row["last_src_ts"]),
            (row["_latest_log"], row["_latest_epoch"], row["latest_src_ts"]),
        ):
            if log is not None and time is not None:
                times = found.setdefault(log, {})
                times[str(epoch)] = max(times.get(str(epoch), ""), time)
    check_epochs(found)
    return found


def check_epochs(epochs: Mapping[str, Mapping[str, str]]) -> None:
    """Along a lineage time and epochs must go the same way.

    Raises:
        EpochError: a log goes on at a lower epoch than before, or two logs that hold the same keys
            have one epoch: their ranks do not compare.
    """
    seen = [
        (log, int(epoch), datetime.fromisoformat(time))
        for log, times in sorted(epochs.items())
        for epoch, time in sorted(times.items())
    ]
    for log, epoch, time in seen:
        for other, other_epoch, other_time in seen:
            if not same_lineage(log, other):
                continue
            if epoch < other_epoch and time > other_time + TOLERANCE:
                raise EpochError(
                    f"log {log} has epoch {epoch} at {time}, after log {other} had epoch "
                    f"{other_epoch} at {other_time}"
                )
            if epoch == other_epoch and log < other:
                raise EpochError(
                    f"the logs {log} (until {time}) and {other} (until {other_time}) hold the same "
                    f"keys, and both have epoch {epoch}"
                )


def newest_floor(
    known: Mapping[str, Any] | None, batch: Iterable[Mapping[str, Any]]
) -> dict[str, Any] | None:
    """The order of the newest TRUNCATE, of the one known and a batch's (cases 33, 34).

    Args:
        batch: rows of the macro batch_logs_sql, as all that is called so here.
    """
    orders = [tuple(int(known[name]) for name in ORDER)] if known else []
    orders += [
        (int(row["_tx_epoch"]), int(row["truncate_rank"]), int(row["last_order"]))
        for row in batch
        if row["truncate_rank"] is not None
    ]
    return dict(zip(ORDER, max(orders), strict=True)) if orders else None


def start_of(batch: Iterable[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Where a batch's changes begin, by the order and by time; None where one has no time."""
    changes = [row for row in batch if row["truncate_rank"] is None]
    if not changes or any(int(row["untimed"]) for row in changes):
        return None
    first = min((int(row["_tx_epoch"]), int(row["first_rank"])) for row in changes)
    return place(*first, min(str(row["first_src_ts"]) for row in changes))


def end_of(known: Mapping[str, Any], batch: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The highest order, and the newest time, of those known and of all of a batch's events; empty
    where there is none.
    """
    ends = [(known["_tx_epoch"], known["_tx_rank"], known["_src_ts"])] if known else []
    ends += [
        (int(row["_tx_last_epoch"]), int(row["last_rank"]), str(row["latest_src_ts"] or ""))
        for row in batch
        if row["truncate_rank"] is None
    ]
    return place(*max(end[:2] for end in ends), max(end[2] for end in ends)) if ends else {}


def place(epoch: int, rank: int, src_ts: str) -> dict[str, Any]:
    return {"_tx_epoch": epoch, "_tx_rank": rank, "_src_ts": src_ts}


def follows(
    batch: Iterable[Mapping[str, Any]],
    end: Mapping[str, Any] | None,
    floor: Mapping[str, Any] | None,
) -> bool:
    """Whether a batch has changes alone, each newer than all that a mirror has and remembers.

    Args:
        end: where what the mirror has merged ends; None where that is not known, and empty where
            there is nothing.
        floor: the newest TRUNCATE that it has merged.
    """
    rows = list(batch)
    start = start_of(rows)
    if start is None or end is None or any(row["truncate_rank"] is not None for row in rows):
        return False
    first = (start["_tx_epoch"], start["_tx_rank"])
    is_newer = not end or (
        first > (end["_tx_epoch"], end["_tx_rank"]) and start["_src_ts"] > end["_src_ts"]
    )
    return is_newer and (not floor or first > (floor["_tx_epoch"], floor["_tx_rank"]))


def kept(summary: Mapping[str, str] | None, name: str, default: Any) -> Any:
    """What a commit's summary keeps under ``name``."""
    text = (summary or {}).get(name)
    return json.loads(text) if text else default
