"""A lake's status as text: a table each of sources, mirrors, their events, and days."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass
from datetime import date
from typing import Any

from rich.text import Text

from lakemirror.cli.errors import some
from lakemirror.cli.status import Daily, Mirror, Run, Status

UNITS = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))
SOURCES = ("source", "raw tables", "complete until", "lag", "proof", "open quarantine")
MIRRORS = ("table", "rows", "newest source time", "lag", "last run", "seconds", "open quarantine")
EVENTS = ("table", "read", "= applied", "+ stale", "+ duplicate", "+ ignored", "+ quarantined")
OTHER = "+ other"
UNREAD = "cannot be read"
DAYS = ("daily table", "published", "missing")


@dataclass(frozen=True)
class Part:
    """A header with its rows; what to say where there are none."""

    header: Sequence[str]
    rows: Sequence[Sequence[Any]]
    without: str


def parts(found: Status) -> Iterator[Part]:
    """The tables of a status."""
    yield Part(
        SOURCES,
        [
            (
                *(s.source, s.raw_tables, s.complete_until or "unknown", ago(s.lag_seconds)),
                *(s.proof or warned(UNREAD if s.problem else "no watermark"),),
                *(count(s.open_quarantine),),
            )
            for s in found.sources
        ],
        "No source yet: `dbt run --select landing` lands one.",
    )
    yield Part(
        MIRRORS,
        [
            (
                *(m.table, warned(UNREAD) if m.problem else m.rows),
                *(m.newest_source_time, ago(m.lag_seconds)),
                *(began(m.last_run), seconds(m.last_run), count(m.open_quarantine)),
            )
            for m in found.mirrors
        ],
        "No mirror yet: `lakemirror generate` writes their models, and `dbt build` builds them.",
    )
    read = [mirror for mirror in found.mirrors if not mirror.problem]
    if read:
        yield events(read)
    yield Part(
        DAYS,
        [
            (d.table, warned(UNREAD) if d.problem else spans(d.published), lacking(d))
            for d in found.daily
        ],
        "No daily table yet: `lakemirror generate` writes their models, and `dbt build` builds "
        "them.",
    )


def events(mirrors: Sequence[Mirror]) -> Part:
    """What has become of the events; what nothing here counts has a column of its own."""
    has_other = any(mirror.events.other for mirror in mirrors)
    header = (*EVENTS, OTHER) if has_other else EVENTS
    rows = [(m.table, *astuple(m.events))[: len(header)] for m in mirrors]
    return Part(header, rows, "")


def notes(found: Status) -> Iterator[str]:
    """What the tables have no place for."""
    yield from (f"{problem}." for problem in found.problems)
    if found.not_built:
        yield f"Not built yet: {some(found.not_built)}."
    if found.not_mirrored and found.mirrors:
        yield (
            f"Without a mirror or a log: {some(found.not_mirrored)}. `lakemirror generate` writes "
            "it, or says why not."
        )
    shown = {mirror.model for mirror in found.mirrors}
    others = [f"{model} {count}" for model, count in found.quarantine.items() if model not in shown]
    if others:
        yield f"The quarantine also has records of: {', '.join(others)}."
    for mirror in found.mirrors:
        if mirror.counted_since:
            yield (
                f"The events of {mirror.table} are counted from {mirror.counted_since:%F %T} on: "
                "older commits have expired."
            )
    yield found.light.sentence


def ago(lag: float | None) -> str | None:
    """Seconds in the two largest units that they have.

    >>> ago(90_061)
    '1 d 1 h'
    >>> ago(59.9)
    '59 s'
    """
    if lag is None:
        return None
    left = max(0, int(lag))
    found: list[str] = []
    for size, unit in UNITS:
        if left >= size or (size == 1 and not found):
            found.append(f"{left // size} {unit}")
            left %= size
    return " ".join(found[:2])


def began(run: Run | None) -> Text | None:
    if run is None:
        return None
    text = Text(f"{run.started_at:%F %T}")
    return text if run.status == "success" else text.append(f" {run.status}", "bold red")


def seconds(run: Run | None) -> Text | None:
    return Text(f"{run.seconds:.1f}", justify="right") if run else None


def count(number: int) -> Text:
    return Text(str(number), "bold yellow" if number else "", justify="right")


def warned(text: str) -> Text:
    return Text(text, "bold yellow")


def lacking(days: Daily) -> Text:
    """The days that are missing, and those that are late."""
    late = f"late: {spans(days.late)}" if days.late else ""
    return warned(", ".join(filter(None, (spans(days.missing), late))))


def spans(days: Iterable[tuple[date, date]]) -> str:
    """Ranges of days.

    >>> spans([(date(2026, 1, 1), date(2026, 1, 3)), (date(2026, 1, 5), date(2026, 1, 5))])
    '2026-01-01..2026-01-03, 2026-01-05'
    """
    return ", ".join(f"{a}" if a == b else f"{a}..{b}" for a, b in days)
