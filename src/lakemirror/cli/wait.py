"""Wait for a day of a source: until it is complete, and until daily tables have it."""

import argparse
import re
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

from pyiceberg.exceptions import NoSuchTableError

from lakemirror.state.days import end_of
from lakemirror.state.summary import days_of

WATERMARKS, LANDING = "ops.watermarks", "ops.landing"
HEARTBEATS = "heartbeats"
UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


class WaitError(Exception):
    """Waiting would not help; says why."""


def duration(text: str) -> timedelta:
    """A duration of one unit.

    Raises:
        argparse.ArgumentTypeError: it is none.

    >>> duration("90s") == duration("1.5m")
    True
    """
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([smhd])", text)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no duration such as 90s, 15m, 2h or 1d")
    return timedelta(**{UNITS[found[2]]: float(found[1])})


def reasons(catalog: Any, source: str, day: date, tables: Sequence[str]) -> list[str]:
    """Why a day is not there yet, a line for each shard and table; none when it is.

    Args:
        tables: daily tables that are to have published it, as ``orders``.

    Raises:
        WaitError: ops.watermarks does not know the source, or the day was over before it.
    """
    try:
        watermarks = catalog.load_table(WATERMARKS)
    except NoSuchTableError:
        return [f"{WATERMARKS} is not there yet"]
    rows = rows_of(watermarks, source)
    if not rows:
        raise WaitError(f"{WATERMARKS} has no row for the source {source}")
    heard_from = min((row["heard_from"] for row in rows if row["heard_from"]), default=None)
    if heard_from and end_of(day) <= heard_from:
        raise WaitError(f"{day} will not come: {source} is heard from {heard_from:%F %T} on")
    behind = [
        lag(row)
        for row in sorted(rows, key=lambda row: str(row["shard"]))
        if row["complete_until"] is None or row["complete_until"] < end_of(day)
    ]
    names = (f"daily.{source}__{table}" for table in tables)
    behind += left_behind(catalog, source) if behind else []
    return behind + [reason for name in names if (reason := missing(catalog, name, day))]


def rows_of(watermarks: Any, source: str) -> list[dict[str, Any]]:
    every = watermarks.scan().to_arrow().to_pylist()
    return [row for row in every if row["source_name"] == source]


def proof_of(catalog: Any, source: str) -> str:
    """What to add to the news that a day of a source is complete."""
    return by_proof(rows_of(catalog.load_table(WATERMARKS), source))


def lag(row: dict[str, Any]) -> str:
    """How far a shard's heartbeats prove it complete."""
    name = f"shard {row['shard']}" if row["shard"] else "the source"
    until, by = row["complete_until"], by_proof([row])
    return f"{name} is complete until {until:%F %T}{by}" if until else f"{name} was never heard"


def by_proof(rows: Iterable[dict[str, Any]]) -> str:
    """What says how far a source is, where it is weaker than heartbeats."""
    found = {row["proof"] for row in rows} - {HEARTBEATS}
    return f" (by {', '.join(sorted(found))}, not by {HEARTBEATS})" if found else ""


def left_behind(catalog: Any, source: str) -> list[str]:
    """The partitions of a source's topics that had more records when the last landing ended."""
    try:
        landing = catalog.load_table(LANDING)
    except NoSuchTableError:
        return []
    names = ("raw_table", "topic", "partition", "to_offset", "end_offset", "landed_at")
    found = landing.scan(row_filter="end_offset is not null", selected_fields=names).to_arrow()
    newest = {
        (row["topic"], row["partition"]): row["end_offset"] - row["to_offset"] - 1
        for row in sorted(found.to_pylist(), key=lambda row: row["landed_at"])
        if row["raw_table"].startswith(f"{source}__")
    }
    return [
        f"{topic}, partition {partition}: {records} records have not landed"
        for (topic, partition), records in sorted(newest.items())
        if records
    ]


def missing(catalog: Any, name: str, day: date) -> str | None:
    """Why a daily table does not have a day; None when it has."""
    try:
        table = catalog.load_table(name)
    except NoSuchTableError:
        return f"there is no table {name}"
    return None if day.isoformat() in days_of(table) else f"{name} has not published {day}"


def wait(
    find: Callable[[], list[str]],
    timeout: timedelta,
    every: timedelta,
    say: Callable[[str], object],
) -> bool:
    """Ask ``find`` for reasons to wait until there is none, and say them whenever they change.

    Returns:
        Whether the last answer had no reason; False when the time is over.
    """
    end = time.monotonic() + timeout.total_seconds()
    said: list[str] | None = None
    while found := find():
        if found != said:
            now = datetime.now(UTC).replace(tzinfo=None, microsecond=0)
            say("".join(f"{now} waiting: {reason}\n" for reason in found))
            said = found
        left = end - time.monotonic()
        if left <= 0:
            return False
        time.sleep(min(every.total_seconds(), left))
    return True
