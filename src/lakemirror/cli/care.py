"""The commands that care for tables: what has become of them, and the way back."""

import os
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from lakemirror.cli.errors import RIGHT
from lakemirror.cli.lakes import open_lake
from lakemirror.cli.models import read_project
from lakemirror.cli.terminal import Json, duration, flag, print_json, print_part, write_lines
from lakemirror.cli.terminal import budget as size_or_time

Mirror = Annotated[str, typer.Argument(metavar="MODEL", help="The model of the mirror.")]
Apply = Annotated[bool, flag("--apply", "Do it; without it, only say what would change.")]


def show_history(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="A model, or a table such as raw.shop__orders.")
    ],
    limit: Annotated[
        int, typer.Option(min=1, max=100_000, metavar="N", help="Show so many, the newest.")
    ] = 20,
    as_json: Json = False,
) -> int:
    """Show the commits of a table, the newest last: what each has read, added and removed, and who
    made it.

    It reads metadata only. Maintenance, and commits of others than lakemirror, are named as such.
    """
    from lakemirror.cli import history

    folder = Path.cwd()
    models = read_project(folder, os.environ).models
    found = history.commits_of(open_lake(folder, os.environ), models, model)
    shown = found[-limit:]
    if as_json:
        print_json([commit.as_json() for commit in shown])
        return RIGHT
    print_part(history.part(shown))
    write_lines(history.notes(shown, found))
    return RIGHT


def operate(name: str, model: str, **arguments: Any) -> int:
    from lakemirror.cli.operations import check_mirror, run_operation

    check_mirror(read_project(Path.cwd(), os.environ).models, model)
    return run_operation(name, {"model": model, **arguments})


def roll_back(
    model: Mirror,
    to: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="SNAPSHOT|TIME|TAG",
            help="A snapshot, a tag, or a time (UTC): the newest merge from until then.",
        ),
    ],
    apply: Apply = False,
) -> int:
    """Set a mirror back with its tombstones, and hold it: its runs leave it alone until release.

    Without --apply it says what would change. It is done by dbt and Spark.
    """
    return operate("rollback", model, to=to, apply=apply)


def undo(model: Mirror, apply: Apply = False) -> int:
    """Take back the newest merge of a mirror, as rollback does.

    Where others have committed since that merge, theirs are taken back, and not the merge.
    """
    return operate("undo", model, apply=apply)


def release(model: Mirror) -> int:
    """Let a mirror that a rollback holds go on, from its own bookmark."""
    return operate("release", model)


def maintain(
    select: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MODEL...", help="Care for the tables of these models, or of these names."
        ),
    ] = None,
    dry_run: Annotated[bool, flag("--dry-run", "Only say what each table needs.")] = False,
    budget: Annotated[
        Any,
        typer.Option(
            parser=size_or_time,
            metavar="TIME|SIZE",
            help="After so long, no other action begins; or none that reads and writes more bytes.",
        ),
    ] = None,
    every: Annotated[
        Any,
        typer.Option(parser=duration, metavar="TIME", help="Do it again and again, that often."),
    ] = None,
    until_done: Annotated[
        bool, flag("--until-done", "Try again what had to wait for a run, until nothing has.")
    ] = False,
) -> int:
    """Care for the tables of the lake: compact files, let old snapshots go, remove orphans.

    What each table needs is planned by its figures and its policy, the most urgent first, and kept
    in ops.maintenance. No row changes but that raw loses hours which its retention says and nobody
    reads any more. It is done by dbt and Spark, and may run beside merges. A TIME is a number and
    s, m, h or d, a SIZE one and B, kB, MB, GB or TB. It ends with 1 where an action has failed; one
    that waits for a run is no failure.
    """
    from lakemirror.cli.operations import check_model, run_operation

    for name in select or ():
        check_model(Path.cwd(), name)
    is_size = isinstance(budget, int)
    arguments = {
        "select": select or None,
        "dry_run": dry_run,
        "budget": max(1, round(budget.total_seconds())) if budget and not is_size else None,
        "budget_bytes": budget if is_size else None,
        "until_done": until_done,
    }
    while True:
        started = time.monotonic()
        code = run_operation("maintain", arguments)
        if every is None:
            return code
        time.sleep(max(0.0, every.total_seconds() - (time.monotonic() - started)))
