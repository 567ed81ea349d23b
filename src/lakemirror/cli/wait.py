"""Wait for a day of a source: until it is complete, and until daily tables have it."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import partial
from typing import Any

from pyiceberg.exceptions import NoSuchTableError

from lakemirror.cli.errors import RIGHT, WRONG, CallError, hint
from lakemirror.cli.models import Project, source_of
from lakemirror.cli.status import (
    built,
    landed_tables,
    rows_of,
    watermark_sources,
    watermark_table,
)
from lakemirror.state.commits import days_of, ops_table
from lakemirror.state.days import end_of

LANDING = "landing"
HEARTBEATS = "heartbeats"


class WaitError(CallError):
    """Waiting would not help; says why."""


@dataclass(frozen=True)
class Day:
    """What is waited for.

    Attributes:
        ds: the day, UTC.
        daily: relations of the daily tables that are to have published it.
    """

    source: str
    ds: date
    daily: Sequence[str] = ()


def run(
    catalog: Any,
    project: Project,
    source: str,
    ds: date,
    tables: Sequence[str],
    timeout: timedelta,
    every: timedelta,
    say: Callable[[str], object],
) -> tuple[int, str]:
    """Wait for a day.

    Args:
        tables: daily tables of the source that are to have published it, as ``orders``.

    Returns:
        The exit code, and what to say: 0 when it is there, 1 when it has not come in time.

    Raises:
        WaitError: it never would come.
    """
    check_source(catalog, project, source)
    day = Day(source, ds, relations(catalog, project, source, tables))
    if not wait(partial(reasons, catalog, day), timeout, every, say):
        return WRONG, f"{source}: {ds} is not there after {timeout}."
    is_published = " and published" if tables else ""
    return RIGHT, f"{source}: {ds} is complete{is_published}{proof_of(catalog, source)}."


def check_source(catalog: Any, project: Project, source: str) -> None:
    """A source has to have a watermark, in the lake or in the project.

    Raises:
        WaitError: it has none.
    """
    heard = {*watermark_sources(catalog), *project.watermarks}
    if source in heard:
        return
    known = {*heard, *map(source_of, landed_tables(catalog)), *project.sources}
    if source not in known:
        raise WaitError(f"no source {source} is in the project or the lake{hint(source, known)}")
    raise WaitError(
        f"the source {source} has no watermark, and no day of it is ever complete. "
        f"`lakemirror generate --source {source}` writes one"
    )


def relations(catalog: Any, project: Project, source: str, tables: Sequence[str]) -> list[str]:
    """The daily tables of these names, which are there or which the project has.

    Raises:
        WaitError: some are neither.
    """
    models = [*project.models.values(), *built(catalog, project.models.values())]
    daily = [model for model in models if model.kind == "daily"]
    beginning = f"daily_{source}__"
    known = {m.name.removeprefix(beginning): m for m in daily if m.name.startswith(beginning)}
    problems = [f"{table}{hint(table, known)}" for table in tables if table not in known]
    if problems:
        raise WaitError(
            f"neither the project nor the lake has these daily tables of {source}: "
            f"{', '.join(problems)}"
        )
    return [known[table].table for table in tables]


def reasons(catalog: Any, day: Day) -> list[str]:
    """Why a day is not there yet, a line for each shard and table; none when it is.

    Raises:
        WaitError: the day was over before the source was heard.
    """
    source, end = day.source, end_of(day.ds)
    rows = rows_of(catalog, source)
    if not rows:
        return [f"{watermark_table(catalog, source)} is not there yet, or nothing was heard"]
    heard_from = min((row["heard_from"] for row in rows if row["heard_from"]), default=None)
    if heard_from and end <= heard_from:
        raise WaitError(f"{day.ds} will not come: {source} is heard from {heard_from:%F %T} on")
    behind = [
        lag(row)
        for row in sorted(rows, key=lambda row: str(row["shard"]))
        if row["complete_until"] is None or row["complete_until"] < end
    ]
    behind += left_behind(catalog, source) if behind else []
    return behind + [reason for name in day.daily if (reason := missing(catalog, name, day.ds))]


def proof_of(catalog: Any, source: str) -> str:
    """What to add to the news that a day of a source is complete."""
    return by_proof(rows_of(catalog, source))


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
    landing = ops_table(catalog, LANDING)
    if landing is None:
        return []
    names = ("topic", "partition", "to_offset", "end_offset", "landed_at")
    asked = f"end_offset is not null and raw_table like '{source}__%'"  # _ is itself there
    newest: dict[tuple[str, int], dict[str, Any]] = {}
    # a busy source has a million rows a day: a batch of them is held at once
    for batch in landing.scan(asked, selected_fields=names).to_arrow_batch_reader():
        for row in batch.to_pylist():
            known = newest.setdefault((row["topic"], row["partition"]), row)
            if known["landed_at"] < row["landed_at"]:
                newest[row["topic"], row["partition"]] = row
    return [
        f"{topic}, partition {partition}: {records} records have not landed"
        for (topic, partition), row in sorted(newest.items())
        if (records := row["end_offset"] - row["to_offset"] - 1)
    ]


def missing(catalog: Any, name: str, day: date) -> str | None:
    """Why a daily table does not have a day; None when it has."""
    try:
        table = catalog.load_table(name)
    except NoSuchTableError:
        return f"{name} is not there yet"
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
