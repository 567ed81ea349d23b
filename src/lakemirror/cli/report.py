"""What the page of a lake shows: its status, and the history behind it, read without Spark."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from lakemirror.cli.light import Light
from lakemirror.cli.models import WATERMARK, KnownModel
from lakemirror.cli.status import (
    Daily,
    Mirror,
    Source,
    Status,
    complete_until,
    is_open,
    lag,
    status,
)
from lakemirror.state.commits import history, ops_table, properties
from lakemirror.state.days import ONE_DAY
from lakemirror.state.ops_tables import COUNTED

RUNS_SHOWN, DAYS_OF_RUNS, DAYS_SHOWN, EXAMPLES = 30, 14, 184, 3
HELD = ("model", "reason", "quarantined_at")
PUBLISHED, RESTATED, LATE, MISSING = "published", "restated", "late", "missing"


@dataclass(frozen=True)
class Heard:
    """What a source's watermark was when a run of dbt had asked for it.

    Attributes:
        at: UTC.
        lag_seconds: from then back to ``complete_until``; None where a shard was never heard.
    """

    at: datetime
    complete_until: datetime | None
    lag_seconds: float | None


@dataclass(frozen=True)
class SourceFacts:
    """A source with its newest watermarks, oldest first, as far as they have not expired."""

    source: Source
    watermarks: Sequence[Heard]


@dataclass(frozen=True)
class RunOf:
    """A run of a model; the columns of ops.runs that the page shows. Counts are of events.

    Attributes:
        core_seconds: how long Spark's tasks kept cores; None where nobody has counted.
    """

    started_at: datetime
    status: str
    seconds: float
    core_seconds: float | None
    read: int
    applied: int
    stale: int
    duplicate: int
    ignored: int
    quarantined: int


@dataclass(frozen=True)
class Spent:
    """How long the runs of a model took on a day (UTC) together.

    Attributes:
        seconds: by the clock.
        core_seconds: how long Spark's tasks kept cores, in the runs that tell it; None in none.
    """

    ds: date
    seconds: float
    core_seconds: float | None


@dataclass(frozen=True)
class Size:
    """What a table takes, by its metadata.

    Attributes:
        bytes_live: of the files that make the table what it is.
        bytes_historical: of those that only older snapshots need, until these expire.
        last_maintenance: the newest rewrite of its files (UTC); None where none is known.
    """

    bytes_live: int
    bytes_historical: int
    data_files: int
    delete_files: int
    snapshots: int
    last_maintenance: datetime | None


@dataclass(frozen=True)
class MirrorFacts:
    """A mirror or a log with what the page adds.

    Attributes:
        size: None where the table cannot be read.
        runs: the newest, oldest first.
        seconds_by_day: of the last days on which it ran, oldest first.
    """

    mirror: Mirror
    size: Size | None
    runs: Sequence[RunOf]
    seconds_by_day: Sequence[Spent]


@dataclass(frozen=True)
class Day:
    """A day of a daily table.

    Attributes:
        state: ``published``, ``restated``, ``late`` or ``missing``.
        late_events: changes that came after it was published.
    """

    ds: date
    state: str
    late_events: int


@dataclass(frozen=True)
class DailyFacts:
    """A daily table with its newest days, oldest first."""

    daily: Daily
    days: Sequence[Day]


@dataclass(frozen=True)
class Held:
    """Open records of ops.quarantine of one model and reason, or conflicts of a model.

    Attributes:
        examples: some of them as they are, where they were asked for: they may be personal data.
    """

    model: str
    reason: str
    records: int
    oldest: datetime
    newest: datetime
    examples: Sequence[str] = ()


@dataclass(frozen=True)
class Report:
    """All that the page shows."""

    status: Status
    sources: Sequence[SourceFacts]
    mirrors: Sequence[MirrorFacts]
    daily: Sequence[DailyFacts]
    quarantine: Sequence[Held]
    conflicts: Sequence[Held]

    @property
    def light(self) -> Light:
        return self.status.light

    def as_json(self) -> dict[str, Any]:
        """The page as JSON; what a mirror and a daily table have is in one object each."""
        found = self.status.as_json()
        found["sources"] = [flat(asdict(facts), "source") for facts in self.sources]
        found["mirrors"] = [flat(asdict(facts), "mirror") for facts in self.mirrors]
        found["daily"] = [flat(asdict(facts), "daily") for facts in self.daily]
        found["quarantine"] = [asdict(held) for held in self.quarantine]
        found["conflicts"] = [asdict(held) for held in self.conflicts]
        return found


def flat(facts: dict[str, Any], name: str) -> dict[str, Any]:
    return {**facts.pop(name), **facts}


def report(
    catalog: Any, models: Mapping[str, KnownModel], now: datetime, has_examples: bool
) -> Report:
    """What is known of a lake.

    Args:
        catalog: of the lake (pyiceberg).
        models: those of the project.
        now: UTC.
        has_examples: whether keys and values of what is held are read.
    """
    found = status(catalog, models, now)
    runs = runs_of(catalog, now)
    late = late_events(catalog)
    maintained = maintenance(catalog)
    return Report(
        status=found,
        sources=[SourceFacts(each, heard(catalog, each)) for each in found.sources],
        mirrors=[
            MirrorFacts(
                mirror,
                None if mirror.problem else size_of(catalog, mirror.table, maintained),
                runs[mirror.model][-RUNS_SHOWN:],
                spent(runs[mirror.model]),
            )
            for mirror in found.mirrors
        ],
        daily=[DailyFacts(daily, days(daily, late[daily.model])) for daily in found.daily],
        quarantine=held(catalog, has_examples),
        conflicts=conflicts(catalog, has_examples),
    )


def rows(
    catalog: Any,
    name: str,
    columns: Sequence[str],
    condition: Callable[[Any], str] = lambda table: "true",
) -> list[Any]:
    """Rows of a table of ops, with those of these columns that it has; none where it is not.

    Args:
        condition: which rows, by the table.
    """
    table = ops_table(catalog, name)
    if table is None:
        return []
    there = [column for column in columns if column in table.schema().column_names]
    return table.scan(condition(table), selected_fields=tuple(there)).to_arrow().to_pylist()


def heard(catalog: Any, source: Source) -> list[Heard]:
    """The newest watermarks of a source, oldest first: its table is small, and made anew by each
    run; a snapshot each."""
    table = None if source.problem else ops_table(catalog, f"{WATERMARK}{source.source}")
    if table is None:
        return []
    newest = sorted(table.metadata.snapshots, key=lambda snapshot: snapshot.timestamp_ms)
    found = []
    for snapshot in newest[-RUNS_SHOWN:]:
        at = datetime.fromtimestamp(snapshot.timestamp_ms / 1000, UTC)
        scan = table.scan(snapshot_id=snapshot.snapshot_id, selected_fields=("complete_until",))
        until = complete_until(scan.to_arrow().to_pylist())
        found.append(Heard(at, until, lag(until, at)))
    return found


def runs_of(catalog: Any, now: datetime) -> dict[str, list[RunOf]]:
    """The runs of the last days by model, oldest first."""
    condition = f"started_at >= '{now - timedelta(days=90):%FT%T+00:00}'"
    columns = ("model", "started_at", "status", "seconds", "core_seconds", *COUNTED)
    found: dict[str, list[RunOf]] = defaultdict(list)
    recent = rows(catalog, "runs", columns, lambda table: condition)
    for row in sorted(recent, key=lambda row: row["started_at"]):
        counts = {name: row[name] or 0 for name in COUNTED}
        cores = row.get("core_seconds")  # a table of an older lake may lack it
        run = RunOf(row["started_at"], row["status"], row["seconds"] or 0.0, cores, **counts)
        found[row["model"]].append(run)
    return found


def spent(runs: Iterable[RunOf]) -> list[Spent]:
    """How long runs took, by the day on which they began.

    >>> spent([])
    []
    """
    by_day: dict[date, list[RunOf]] = defaultdict(list)
    for run in runs:
        by_day[run.started_at.date()].append(run)
    found = []
    for day in sorted(by_day)[-DAYS_OF_RUNS:]:
        cores = [run.core_seconds for run in by_day[day] if run.core_seconds is not None]
        seconds = sum(run.seconds for run in by_day[day])
        found.append(Spent(day, round(seconds, 3), round(sum(cores), 3) if cores else None))
    return found


def size_of(catalog: Any, name: str, maintained: Mapping[str, datetime]) -> Size:
    """What a table takes."""
    table = catalog.load_table(name)
    commits = history(table)
    said = properties(commits[0]) if commits else {}
    kept = [commit for commit in commits if commit.parent_snapshot_id is not None]
    known = {commit.snapshot_id for commit in commits}
    removed = (
        int(properties(commit).get("removed-files-size", 0))
        for commit in kept
        if commit.parent_snapshot_id in known
    )
    rewrites = [
        datetime.fromtimestamp(commit.timestamp_ms / 1000, UTC)
        for commit in commits
        if commit.summary and commit.summary.operation.value == "replace"
    ]
    times = [*rewrites, *([maintained[name]] if name in maintained else [])]
    return Size(
        bytes_live=int(said.get("total-files-size", 0)),
        bytes_historical=sum(removed),
        data_files=int(said.get("total-data-files", 0)),
        delete_files=int(said.get("total-delete-files", 0)),
        snapshots=len(table.metadata.snapshots),
        last_maintenance=max(times, default=None),
    )


def maintenance(catalog: Any) -> dict[str, datetime]:
    """When each table was last cared for, by ops.maintenance; nothing where it is not there."""
    found: dict[str, datetime] = {}
    for row in rows(catalog, "maintenance", ("table_name", "started_at", "status")):
        if row["status"] == "done":
            newest = found.get(row["table_name"], row["started_at"])
            found[row["table_name"]] = max(newest, row["started_at"])
    return found


def late_events(catalog: Any) -> dict[str, dict[date, tuple[int, bool]]]:
    """By model and day, how many changes came late, and whether the day was written again."""
    found: dict[str, dict[date, tuple[int, bool]]] = defaultdict(dict)
    for row in rows(catalog, "late_events", ("model", "ds", "events", "decision")):
        events, is_restated = found[row["model"]].get(row["ds"], (0, False))
        is_restated = is_restated or row["decision"] == RESTATED
        found[row["model"]][row["ds"]] = (events + (row["events"] or 0), is_restated)
    return found


def days(daily: Daily, late: Mapping[date, tuple[int, bool]]) -> list[Day]:
    """The newest days of a daily table, oldest first."""
    found: dict[date, Day] = {}
    for state, ranges in (
        (PUBLISHED, daily.published),
        (MISSING, daily.missing),
        (LATE, daily.late),
    ):
        for day in days_in(ranges):
            events, is_restated = late.get(day, (0, False))
            is_restated = is_restated and state == PUBLISHED
            found[day] = Day(day, RESTATED if is_restated else state, events)
    return [found[day] for day in sorted(found)[-DAYS_SHOWN:]]


def days_in(ranges: Iterable[tuple[date, date]]) -> Iterator[date]:
    """Each day of ranges."""
    for first, last in ranges:
        yield from (first + n * ONE_DAY for n in range((last - first).days + 1))


def held(catalog: Any, has_examples: bool) -> list[Held]:
    """The open records of the quarantine, by model and reason."""
    columns = (*HELD, *(("key", "value") if has_examples else ()))
    found = rows(catalog, "quarantine", columns, is_open)

    def example(row: Mapping[str, Any]) -> str:
        return f"{row['key']} {row['value']}"[:500]

    return grouped(found, "reason", "quarantined_at", example if has_examples else None)


def conflicts(catalog: Any, has_examples: bool) -> list[Held]:
    """The order conflicts, by model."""
    columns = ("model", "found_at", *(("unique_key",) if has_examples else ()))
    found = [
        {**row, "reason": "two changes at one place of the source's order"}
        for row in rows(catalog, "order_conflicts", columns)
    ]
    example = (lambda row: str(row["unique_key"])[:500]) if has_examples else None
    return grouped(found, "reason", "found_at", example)


def grouped(
    found: Iterable[Mapping[str, Any]],
    reason: str,
    time: str,
    example: Callable[[Mapping[str, Any]], str] | None,
) -> list[Held]:
    """Rows by their model and reason, the most first."""
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = defaultdict(list)
    for row in found:
        groups[row["model"], row[reason] or ""].append(row)
    made = [
        Held(
            *(model, why, len(group)),
            oldest=min(row[time] for row in group),
            newest=max(row[time] for row in group),
            examples=[example(row) for row in group[:EXAMPLES]] if example else [],
        )
        for (model, why), group in groups.items()
    ]
    return sorted(made, key=lambda each: (-each.records, each.model, each.reason))
