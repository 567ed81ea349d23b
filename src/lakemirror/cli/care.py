"""The commands that care for tables: what has become of them, and the way back."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from lakemirror.cli.errors import RIGHT
from lakemirror.cli.lakes import open_lake
from lakemirror.cli.models import read_project
from lakemirror.cli.terminal import flag, print_json, print_table

Json = Annotated[bool, flag("--json", "Print it as JSON, for programs.")]


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
    shown = history.newest(found, limit)
    if as_json:
        print_json([commit.as_json() for commit in shown])
        return RIGHT
    for part in history.parts(shown):
        if part.rows:
            print_table(part.header, part.rows)
        else:
            sys.stdout.write(f"{part.without}\n")
    sys.stdout.writelines(f"{line}\n" for line in history.notes(shown, found))
    return RIGHT
