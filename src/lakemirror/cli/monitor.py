"""The commands that watch a lake: what it is like in a terminal, on a page, and for Prometheus."""

import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lakemirror.cli.errors import RIGHT
from lakemirror.cli.lakes import open_lake
from lakemirror.cli.models import read_project
from lakemirror.cli.terminal import Json, flag, print_json, print_parts, write_lines

if TYPE_CHECKING:
    from lakemirror.cli.status import Status

Labels = Mapping[str, str]
Value = float | int | None
COLOURS = ("red", "yellow", "green", "grey")


def show_status(
    as_json: Json = False,
    prometheus: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write it as a text file of Prometheus's, too."),
    ] = None,
) -> int:
    """Show how far the lake is: its sources, its mirrors and what they have read, and its days.

    A lag is the time from a source's newest change to now. Events that were read are the sum of
    those that were applied, stale, duplicate, ignored and quarantined. The last line says whether
    the lake is right.

    It ends with 1 where that is red: a table cannot be read, or differs from the log or from its
    source, the last run of a model has failed or was skipped, or a day is missing.
    """
    from lakemirror.cli import page, status, status_text

    folder = Path.cwd()
    catalog = open_lake(folder, os.environ)
    found = status.status(catalog, read_project(folder, os.environ).models, datetime.now(UTC))
    if prometheus:
        page.write_whole(prometheus, exposition(found))
    if as_json:
        print_json(found.as_json())
        return found.code
    print_parts(status_text.parts(found))
    write_lines(status_text.notes(found))
    return found.code


def write_report(
    output: Annotated[
        Path, typer.Option(metavar="FILE.html", help="Where the page goes; its JSON is beside it.")
    ] = Path("report.html"),
    examples: Annotated[
        bool,
        flag("--examples", "Show some keys and values of what is held; they may be personal data."),
    ] = False,
) -> int:
    """Write a page of the lake: one HTML file that asks no network, and its figures as JSON.

    It says in one sentence whether the lake is right, and shows sources, mirrors, their runs and
    audits, days, the quarantine and conflicts. It ends with 0 when the page is written, whatever it
    says: `lakemirror status` has an exit code for monitors.
    """
    from lakemirror.cli import page, report

    folder = Path.cwd()
    models = read_project(folder, os.environ).models
    found = report.report(open_lake(folder, os.environ), models, datetime.now(UTC), examples)
    beside = page.write(found, output, page.docs_of(folder, os.environ, output))
    write_lines([found.light.sentence, f"Written: {output} and {beside}."])
    return RIGHT


def exposition(status: "Status") -> str:
    """A status in Prometheus's text format: a gauge each, with seconds since 1970 as times."""
    return "".join(
        f"{line}\n"
        for name, about, samples in gauges(status)
        for line in gauge(name, about, samples)
    )


def gauge(name: str, about: str, samples: Sequence[tuple[Labels, Value]]) -> Iterator[str]:
    """The lines of a gauge; a sample whose value nobody knows is left out."""
    known = [(labels, value) for labels, value in samples if value is not None]
    if known:
        yield f"# HELP lakemirror_{name} {about}"
        yield f"# TYPE lakemirror_{name} gauge"
    for labels, value in known:
        pairs = ",".join(f'{key}="{escaped(text)}"' for key, text in labels.items())
        yield f"lakemirror_{name}{{{pairs}}} {value}" if pairs else f"lakemirror_{name} {value}"


def escaped(text: str) -> str:
    r"""A label's value as the format has it.

    >>> print(escaped('a"b\\c'))
    a\"b\\c
    """
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def gauges(status: "Status") -> Iterator[tuple[str, str, Sequence[tuple[Labels, Value]]]]:
    """What Prometheus is told: name, what it is, and its samples."""
    light = status.light.colour
    yield (
        *("light", "1 for the colour of the lake."),
        [({"colour": colour}, int(colour == light)) for colour in COLOURS],
    )
    yield "checked_timestamp_seconds", "When this was read.", [({}, seconds(status.at))]
    sources = [({"source": source.source}, source) for source in status.sources]
    yield (
        *("source_complete_until_timestamp_seconds", "All changes from before have landed."),
        [(labels, seconds(source.complete_until)) for labels, source in sources],
    )
    mirrors = [({"table": mirror.table}, mirror) for mirror in status.mirrors]
    yield "rows", "Rows of a mirror or a log.", [(labels, m.rows) for labels, m in mirrors]
    yield (
        *("newest_change_timestamp_seconds", "The newest source time of a mirror or a log."),
        [(labels, seconds(mirror.newest_source_time)) for labels, mirror in mirrors],
    )
    yield (
        *("events", "What has become of events, by the commits that have not expired."),
        [
            ({**labels, "outcome": name}, getattr(mirror.events, name))
            for labels, mirror in mirrors
            for name in ("applied", "stale", "duplicate", "ignored", "quarantined")
        ],
    )
    runs = [(labels, mirror.last_run) for labels, mirror in mirrors]
    yield (
        *("last_run_timestamp_seconds", "When the last run began that did something or failed."),
        [(labels, seconds(run.started_at) if run else None) for labels, run in runs],
    )
    yield (
        *("last_run_failed", "1 where the last run has failed."),
        [(labels, int(run.has_failed) if run else None) for labels, run in runs],
    )
    yield (
        *("audit_open_findings", "Differences from the log and from the source that stand."),
        [(labels, mirror.audit.open_findings) for labels, mirror in mirrors],
    )
    yield (
        *("audit_covered_since_timestamp_seconds", "Each key was audited since."),
        [(labels, seconds(mirror.audit.covered_since)) for labels, mirror in mirrors],
    )
    yield (
        *("held", "1 where a rollback holds a mirror."),
        [(labels, int(mirror.held is not None)) for labels, mirror in mirrors],
    )
    yield (
        *("waiting_since_timestamp_seconds", "When the oldest records landed that are not read."),
        [(labels, seconds(mirror.waiting_since)) for labels, mirror in mirrors],
    )
    yield (
        *("unreadable", "1 where a table cannot be read."),
        [(labels, int(mirror.problem is not None)) for labels, mirror in mirrors],
    )
    yield (
        *("days", "Days of a daily table by their state."),
        [
            ({"table": daily.table, "state": state}, sum((b - a).days + 1 for a, b in ranges))
            for daily in status.daily
            for state, ranges in (
                ("published", daily.published),
                ("missing", daily.missing),
                ("late", daily.late),
            )
        ],
    )
    for name, about, counts in (
        ("open_quarantine", "Open records of the quarantine.", status.quarantine),
        ("new_order_conflicts", "Order conflicts of the last seven days.", status.conflicts),
        ("unlanded_transactions", "Transactions of which changes are lacking.", status.unlanded),
    ):
        yield name, about, [({"model": model}, count) for model, count in counts.items()]


def seconds(at: datetime | None) -> float | None:
    """A time in seconds since 1970."""
    return at.timestamp() if at else None
