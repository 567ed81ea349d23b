"""``lakemirror quarantine``: what could not be used, and what becomes of it."""

import os
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lakemirror.cli.errors import MISCALLED, RIGHT, CallError, CommandError, hint
from lakemirror.cli.lakes import open_lake, readable
from lakemirror.cli.models import read_project
from lakemirror.cli.options import of_project
from lakemirror.cli.terminal import Json, flag, flowing, print_json, print_table

if TYPE_CHECKING:
    from lakemirror.state.quarantine import Record

ABOUT = """
    Show the records that could not be used, try them again, or leave them out.

    A record is open until a run takes it in, which it does by itself once a model, a setting or a
    schema has changed so that it can, or until you leave it out with a reason.
"""
LANDING = "landing"  # the model whose lines that are no records are in the quarantine
KINDS = ("mirror", "log")
SHORT = 12  # characters of an id that a list shows, and that a command takes
app = typer.Typer(
    help=flowing(ABOUT),
    invoke_without_command=True,
    context_settings={"help_option_names": ["--help", "-h"]},
)
Model = Annotated[str | None, typer.Option("--model", metavar="NAME", help="Only of this model.")]
All = Annotated[bool, flag("--all", "Also what was taken in, or left out.")]
Ids = Annotated[
    list[str] | None, typer.Argument(metavar="ID...", help="Records, by how their ids begin.")
]
EXAMPLES = "Examples:\n  {}"


@app.callback()
def without_a_command(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit(MISCALLED)


@contextmanager
def told() -> Iterator[None]:
    """Say a problem as the other commands do."""
    from lakemirror.state.quarantine import AskedError, QuarantineError

    try:
        with readable("The lake"):
            yield
    except AskedError as problem:
        raise CallError(str(problem)) from problem
    except QuarantineError as problem:
        raise CommandError(str(problem)) from problem


def found(model: str | None, ids: Sequence[str] = (), only_open: bool = True) -> "list[Record]":
    """The records of a call.

    Raises:
        CallError: neither the quarantine nor the project has the model.
    """
    from lakemirror.state import quarantine

    with told():
        catalog = open_lake(Path.cwd(), os.environ)
        if model:
            check_model(model, {record.model for record in quarantine.records(catalog)})
        there = quarantine.records(catalog, model, ids)
    return [r for r in there if r.state == quarantine.OPEN or not only_open]


def check_model(model: str, quarantined: Collection[str]) -> None:
    """A model is one of the project, or one that has records in the quarantine.

    Raises:
        CallError: it is neither.
    """
    models = read_project(Path.cwd(), os.environ).models.values()
    known = {*quarantined, LANDING, *(m.name for m in models if m.kind in KINDS)}
    if model not in known:
        raise CallError(f"no model {model} puts records into the quarantine{hint(model, known)}")


def described(record: "Record") -> dict[str, Any]:
    return asdict(record) | {"state": record.state}


@app.command(
    "list", epilog=EXAMPLES.format("lakemirror quarantine list --model mirror_shop__orders")
)
@of_project
def list_records(model: Model = None, everything: All = False, as_json: Json = False) -> int:
    """Count the open records by model and reason."""
    from lakemirror.state import quarantine

    groups = quarantine.groups(found(model, only_open=not everything))
    if as_json:
        print_json([asdict(group) for group in groups])
    elif groups:
        header = ("model", "state", "records", "since", "reason")
        print_table(header, [(g.model, g.state, g.records, g.since, g.reason) for g in groups])
    else:
        sys.stdout.write("No record is open.\n")
    return RIGHT


@app.command("show", epilog=EXAMPLES.format("lakemirror quarantine show 3fa9 --json"))
@of_project
def show_records(
    ids: Ids = None,
    model: Model = None,
    everything: All = False,
    limit: Annotated[int, typer.Option(min=1, help="At most so many.")] = 20,
    as_json: Json = False,
) -> int:
    """Show records as they are on the topic: why they cannot be used, and their key and value."""
    there = found(model, ids or (), only_open=not (everything or ids))
    if as_json:
        print_json([described(record) for record in there[:limit]])
        return RIGHT
    for record in there[:limit]:
        lines = [
            f"{record.quarantine_id[:SHORT]} {record.model} {record.place}",
            f"  {record.state}: {record.settled_reason or record.reason}",
            f"  key   {record.key}",
            f"  value {record.value}",
        ]
        sys.stdout.writelines(f"{line}\n" for line in lines)
    if not there:
        sys.stdout.write(f"No record is {'there' if everything else 'open'}.\n")
    if len(there) > limit:
        sys.stdout.write(f"{len(there) - limit} more: --limit shows them.\n")
    return RIGHT


def chosen(ids: Sequence[str] | None, model: str | None) -> "list[Record]":
    """The records that a command changes.

    Raises:
        CallError: none is named.
    """
    if not ids and not model:
        raise CallError("Which records? Name their ids, or --model for all of a model")
    return found(model, ids or (), only_open=False)


@app.command(
    "retry", epilog=EXAMPLES.format("lakemirror quarantine retry --model log_shop__visits")
)
@of_project
def retry_records(ids: Ids = None, model: Model = None) -> int:
    """Let the next run try records again, also those that were left out."""
    from lakemirror.state import quarantine

    with told():
        tried = quarantine.retry(open_lake(Path.cwd(), os.environ), chosen(ids, model))
    sys.stdout.write(f"{tried} will be tried by the next run of dbt.\n")
    return RIGHT


@app.command(
    "settle",
    epilog=EXAMPLES.format("lakemirror quarantine settle 3fa9 --reason 'a test of the till'"),
)
@of_project
def settle_records(
    reason: Annotated[str, typer.Option(metavar="TEXT", help="Why they are left out.")],
    ids: Ids = None,
    model: Model = None,
) -> int:
    """Leave open records out for good: no run tries them again, and none warns of them."""
    from lakemirror.state import quarantine

    with told():
        left = quarantine.settle(open_lake(Path.cwd(), os.environ), chosen(ids, model), reason)
    sys.stdout.write(f"{left} are left out.\n")
    return RIGHT
