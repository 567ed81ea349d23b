"""The page of a lake: one HTML file that needs nothing else, and its figures as JSON beside it."""

import json
import os
from calendar import monthrange
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import groupby
from pathlib import Path
from types import MappingProxyType
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined

from lakemirror.cli.errors import CallError
from lakemirror.cli.models import read_manifest
from lakemirror.cli.report import Day, Heard, Report, RunOf, Spent
from lakemirror.cli.status import Mirror
from lakemirror.cli.status_text import ago, spans
from lakemirror.cli.terminal import as_json

OUTCOMES = ("applied", "stale", "duplicate", "ignored", "quarantined")
WIDTH, HEIGHT, GAP = 300.0, 56.0, 2.0  # of a plot, in units of its own
BAR = 20.0  # the widest
UNKNOWN = "-"
NO_DOCS: Mapping[str, str] = MappingProxyType({})
UNITS = ("B", "kB", "MB", "GB", "TB", "PB")


@dataclass(frozen=True)
class Segment:
    """A piece of a bar: the class of its colour, and where it is."""

    name: str
    y: float
    height: float


@dataclass(frozen=True)
class Bar:
    """A bar of a plot, of pieces one on the other; ``title`` says it in words."""

    x: float
    width: float
    segments: Sequence[Segment]
    title: str


@dataclass(frozen=True)
class Month:
    """A month of a calendar: a place for each of its days, None where there is nothing to say."""

    name: str
    days: Sequence[Day | None]


def write(report: Report, output: Path, docs: Mapping[str, str] = NO_DOCS) -> Path:
    """Write the page, and its JSON beside it; each is there whole or as it was.

    Args:
        docs: where dbt's docs have each model.

    Returns:
        The file of JSON.

    Raises:
        CallError: the file has another ending, or cannot be written.
    """
    if output.suffix != ".html":
        raise CallError(f"{output} is no .html file")
    beside = output.with_suffix(".json")
    found = json.dumps(report.as_json(), indent=2, default=as_json, ensure_ascii=False)
    page = html(report, docs)
    write_whole(beside, found + "\n")
    write_whole(output, page)
    return beside


def write_whole(file: Path, text: str) -> None:
    """Write a file so that a reader has all of it, or what was there before.

    Raises:
        CallError: it cannot be written.
    """
    partial = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        partial.write_text(text, encoding="utf-8")
        partial.replace(file)
    except OSError as problem:
        partial.unlink(missing_ok=True)
        raise CallError(f"{file} cannot be written: {problem.strerror}") from None


def docs_of(folder: Path, environment: Mapping[str, str], output: Path) -> dict[str, str]:
    """Where dbt's docs have each model, seen from a page: none where dbt has not made them."""
    target = folder / environment.get("DBT_TARGET_PATH", "target")
    index = target / "index.html"
    if not index.is_file():
        return {}
    site = quote(Path(os.path.relpath(index, output.absolute().parent)).as_posix())
    nodes = read_manifest(target / "manifest.json").get("nodes", {})
    return {
        node["name"]: f"{site}#!/model/{quote(unique_id)}"
        for unique_id, node in nodes.items()
        if node.get("resource_type") == "model"
    }


def html(report: Report, docs: Mapping[str, str] = NO_DOCS) -> str:
    """The page; all that comes from data is escaped."""
    environment = Environment(
        loader=PackageLoader("lakemirror.cli", "pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "ago": lambda seconds: ago(seconds) or UNKNOWN,
        "size": size,
        "number": number,
        "time": time,
        "spans": spans,
        "tenths": lambda seconds: UNKNOWN if seconds is None else f"{seconds:,.1f}",
    }
    template = environment.get_template("report.html")
    return template.render(
        report=report,
        status=report.status,
        light=report.light,
        docs=docs,
        outcomes=OUTCOMES,
        run_bars=run_bars,
        lag_bars=lag_bars,
        day_bars=day_bars,
        months=months,
        audited=audited,
        plot={"width": WIDTH, "height": HEIGHT},
    )


def run_bars(runs: Sequence[RunOf]) -> list[Bar]:
    """What the runs of a mirror have read, a bar each.

    A failed run is a bar of full height.
    """
    most = max((run.read for run in runs), default=0) or 1
    return [
        Bar(x, width, failed() if run.status == "error" else stacked(run, most), told(run))
        for run, (x, width) in zip(runs, places(len(runs)), strict=True)
    ]


def lag_bars(watermarks: Sequence[Heard]) -> list[Bar]:
    """How far behind a source was at each watermark; one that nobody knows is of full height."""
    most = max((each.lag_seconds or 0 for each in watermarks), default=0) or 1
    return [
        Bar(
            *(x, width),
            failed() if each.lag_seconds is None else [on_ground("lag", each.lag_seconds / most)],
            f"{time(each.at)}: complete until {time(each.complete_until)}",
        )
        for each, (x, width) in zip(watermarks, places(len(watermarks)), strict=True)
    ]


def day_bars(spent: Sequence[Spent]) -> list[Bar]:
    """How long a mirror's runs took, a bar a day."""
    most = max((day.seconds for day in spent), default=0) or 1
    return [
        Bar(x, width, [on_ground("seconds", day.seconds / most)], f"{day.ds}: {cost(day)}")
        for day, (x, width) in zip(spent, places(len(spent)), strict=True)
    ]


def places(count: int) -> Iterator[tuple[float, float]]:
    """Where bars begin, and how wide they are; the newest is at the right."""
    step = min(WIDTH / max(count, 1), BAR)
    for n in range(count):
        yield round(WIDTH - (count - n) * step, 2), round(max(step - GAP, 1), 2)


def failed() -> list[Segment]:
    return [Segment("failed", 0, HEIGHT)]


def on_ground(name: str, share: float) -> Segment:
    """A piece from the ground up; the smallest share is seen."""
    height = max(round(share * HEIGHT, 2), 1.0)
    return Segment(name, round(HEIGHT - height, 2), height)


def stacked(run: RunOf, most: int) -> list[Segment]:
    """The outcomes of a run's events, one on the other."""
    found: list[Segment] = []
    ground = HEIGHT
    for name in OUTCOMES:
        events = getattr(run, name)
        if events:
            height = round(events / most * HEIGHT, 2)
            ground -= height
            found.append(Segment(name, round(ground, 2), height))
    return found


def told(run: RunOf) -> str:
    """A run in words."""
    counts = ", ".join(f"{getattr(run, name):,} {name}" for name in OUTCOMES if getattr(run, name))
    what = "failed" if run.status == "error" else counts or "nothing read"
    return f"{time(run.started_at)}: {what}; {cost(run)}"


def cost(what: RunOf | Spent) -> str:
    """How long something took, in words."""
    cores = "" if what.core_seconds is None else f", {what.core_seconds:,.1f} core seconds"
    return f"{what.seconds:,.1f} s{cores}"


def months(days: Sequence[Day]) -> list[Month]:
    """Days as months, the newest first."""
    found = []
    for (year, month), group in groupby(days, key=lambda day: (day.ds.year, day.ds.month)):
        by_day = {day.ds.day: day for day in group}
        last = monthrange(year, month)[1]
        name = f"{date(year, month, 1):%b %Y}"
        found.append(Month(name, [by_day.get(n) for n in range(1, last + 1)]))
    return found[::-1]


def audited(mirror: Mirror) -> tuple[str, str]:
    """How much of a mirror its audits cover, and since when or of what, in words."""
    proof = mirror.audit
    if mirror.kind != "mirror":
        return UNKNOWN, "a log is not audited"
    if proof.last_audited_at is None:
        return "never", "audited against the log"
    if proof.covered_since:
        return "all keys", f"audited since {time(proof.covered_since)}"
    parts = f"{proof.parts_covered} of {proof.parts} parts" if proof.parts else "some keys"
    return parts, "audited against the log"


def number(value: int | None) -> str:
    """A number with its thousands apart."""
    return UNKNOWN if value is None else f"{value:,}"


def size(count: float) -> str:
    """Bytes in a unit that leaves few digits.

    >>> size(0), size(999), size(1_500_000)
    ('0 B', '999 B', '1.5 MB')
    """
    unit = 0
    while count >= 1000 and unit < len(UNITS) - 1:
        count, unit = count / 1000, unit + 1
    return f"{count:.1f} {UNITS[unit]}" if unit else f"{count:.0f} B"


def time(at: datetime | None) -> str:
    """A time to the minute, UTC."""
    return f"{at:%F %H:%M}" if at else UNKNOWN
