"""The erasure of rows from all that stems from their source table, and its proof."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from lakemirror.cli.errors import RIGHT, WRONG, CallError, CommandError
from lakemirror.cli.lakes import one_line, open_lake
from lakemirror.cli.models import KnownModel, read_project
from lakemirror.cli.options import environment
from lakemirror.cli.terminal import Json, flag, print_json, print_part, write_lines
from lakemirror.state.erasures import KEYS, TOLD, Erasure, Place

SHOWN = 50  # files in which something is left


@dataclass(frozen=True)
class Asked:
    """What is to be erased.

    Attributes:
        keys: JSON of keys, or values.
        where: a condition on the mirror's columns.
        column: of all rows.
        canaries: texts that the proof looks for beside the keys.
    """

    model: str
    keys: Sequence[str]
    where: str | None
    column: str | None
    canaries: Sequence[str]
    by: str | None
    reason: str | None


def erase(
    model: Annotated[
        str | None, typer.Argument(metavar="MODEL", help="The model of the mirror.")
    ] = None,
    key: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY...", help="A value, or a JSON object of the key's columns."),
    ] = None,
    where: Annotated[
        str | None,
        typer.Option(metavar="SQL", help="Erase the keys of the mirror's rows that it holds for."),
    ] = None,
    column: Annotated[
        str | None, typer.Option(metavar="NAME", help="Erase a column of all rows.")
    ] = None,
    verify: Annotated[
        str | None, typer.Option(metavar="ID", help="Look again for what this erasure has erased.")
    ] = None,
    canary: Annotated[
        list[str] | None,
        typer.Option(metavar="TEXT...", help="A value of the rows that must be found nowhere."),
    ] = None,
    by: Annotated[
        str | None, typer.Option(metavar="WHO", help="Who asks for it; it is kept.")
    ] = None,
    reason: Annotated[
        str | None, typer.Option(metavar="TEXT", help="What for: a ticket, no name; it is kept.")
    ] = None,
    apply: Annotated[
        bool, flag("--apply", "Do it; without it, only say where the rows are.")
    ] = False,
    as_json: Json = False,
) -> int:
    """Erase rows, or a column of all rows, from a mirror and from all that stems from its source
    table: raw, quarantine, days, copies, older snapshots and the files of all of them.

    Without --apply it shows every place. It cannot be undone. At its end every file that is left is
    decoded, and searched for the keys, the column's values and the canaries; --verify does that
    again, of rows with --key or --canary, since nothing personal is kept. It ends with 1 where
    something is found.
    """
    keys, canaries = key or [], canary or []
    if verify:
        return prove_again(verify, keys, canaries, as_json)
    if not model or [bool(keys), bool(where), bool(column)].count(True) != 1:
        raise CallError("give a mirror, and its rows by --key or by --where, or a --column")
    asked = Asked(model, keys, where, column, canaries, by, reason)
    return run(asked, apply, as_json)


def run(asked: Asked, apply: bool, as_json: bool) -> int:
    """Show where the rows are, erase them, and prove that they are gone.

    Raises:
        CallError: there is no project, no lake, no such mirror, or no such key.
        CommandError: dbt has failed, or what would be lost is to be read first.
    """
    from lakemirror.cli.audit import mirror_of
    from lakemirror.cli.show import key_names, key_values, rows_of_key

    folder = Path.cwd()
    catalog = open_lake(folder, os.environ)
    models = read_project(folder, os.environ).models
    name = mirror_of(asked.model, models)
    known = {each.name: each for each in models.values()}[name]
    names = key_names(catalog, known, catalog.load_table(known.raw))
    keys = [key_values(each, names) for each in asked.keys]
    if catalog.table_exists(known.table):
        table = catalog.load_table(known.table)
        for each in keys:
            rows_of_key(table, each)  # a value of a wrong type is told before Spark starts
    handed: dict[str, Any] = {"where": asked.where} if asked.where else {"keys": keys}
    what = None
    if asked.column:
        handed, what = {}, {"column": asked.column}
    arguments = {"model": name, "by": asked.by, "reason": asked.reason, "apply": apply}
    with environment({KEYS: json.dumps(handed)}):
        told = operate(folder, arguments | {"what": what})
        keys = json.loads(os.environ[KEYS]).get("found", keys)
    places = [Place(**each) for each in told["places"]]
    if not apply:
        show_plan(places, told, as_json)
        return RIGHT
    return prove(catalog, told["erasure_id"], names, keys, asked.canaries, as_json)


def operate(folder: Path, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Run the operation, and hear what it tells.

    Raises:
        CallError: there is no project.
        CommandError: it has failed.
    """
    from lakemirror.cli.operations import invoke

    if not (folder / "dbt_project.yml").is_file():
        raise CallError(f"There is no dbt project in {folder}: run it in the project's folder")
    told: dict[str, Any] = {}
    said: list[str] = []

    def hear(event: Any) -> None:
        text = event.info.msg
        if TOLD in text:
            told.update(json.loads(text.partition(TOLD)[2]))
        elif event.info.level == "error":
            said.append(text)

    result = invoke("erase", arguments, "--log-level", "none", "--quiet", hear=hear)
    if not result.success:
        why = said[:1] or [str(result.exception)]
        raise CommandError(one_line(why[0]))
    return told


def show_plan(places: Sequence[Place], told: Mapping[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(told)
        return
    print_part(part(places))
    if told.get("columns"):
        write_lines(["", f"The column is called {', '.join(told['columns'])}.", *COLUMN])
    if told.get("goes_on"):
        write_lines([f"The erasure {told['goes_on']} has begun: --apply goes on with it."])
    write_lines(["", *OUTSIDE, "Nothing was changed: --apply does it, and cannot be undone."])


COLUMN = (
    "From then on no model reads it, and landing takes it out of what comes. Say ignored_columns",
    "in the source's YAML, and let the connector leave it out (column.exclude.list).",
)
OUTSIDE = (
    "Not reached, and yours to see to: Kafka's topics and recorded files, the source database,",
    "backups, tables that others build from mirrors (marts: build them again), dbt's own logs,",
    "and caches of other engines.",
)


def part(places: Sequence[Place]) -> Any:
    """The places, a row each."""
    from lakemirror.cli.status_text import Part

    header = ("place", "table", "name", "rows", "what is done")
    rows = [(place.kind, place.table, place.name, place.rows, place.done) for place in places]
    return Part(header, rows, "Nothing of the keys is anywhere.")


# -- the proof -------------------------------------------------------------------------------


def prove_again(
    erasure_id: str, keys: Sequence[str], canaries: Sequence[str], as_json: bool
) -> int:
    """The proof of an erasure on what is there now.

    Raises:
        CallError: there is no such erasure, or nothing to look for.
    """
    from lakemirror.cli.show import key_names, key_values
    from lakemirror.state.erasures import erased_names

    folder = Path.cwd()
    catalog = open_lake(folder, os.environ)
    found = known_erasure(catalog, erasure_id)
    if not keys and not canaries and not erased_names(catalog, erasure_id):
        raise CallError(
            "nothing personal is kept: give the key again by --key, or a value by --canary"
        )
    models = read_project(folder, os.environ).models
    known: KnownModel | None = {each.name: each for each in models.values()}.get(found.model)
    if known is None:
        raise CallError(f"no mirror {found.model}, which was erased from, is in the project")
    names = key_names(catalog, known, catalog.load_table(known.raw))
    given = [key_values(each, names) for each in keys]
    return prove(catalog, erasure_id, names, given, canaries, as_json)


def known_erasure(catalog: Any, erasure_id: str) -> Erasure:
    from lakemirror.layers import layers_of_catalog
    from lakemirror.state.erasures import ERASURES, erasure

    found = erasure(catalog, erasure_id)
    if found is None:
        known = f"{layers_of_catalog(catalog).ops}.{ERASURES.name}"
        raise CallError(f"there is no erasure {erasure_id}: {known} has their ids")
    return found


def prove(
    catalog: Any,
    erasure_id: str,
    names: Sequence[str],
    keys: Sequence[Mapping[str, str]],
    canaries: Sequence[str],
    as_json: bool,
) -> int:
    """Search every file that is left, and say what was read."""
    from lakemirror.cli.proof import Sought, search
    from lakemirror.state.erasures import erased_names, note_proof

    erasure = known_erasure(catalog, erasure_id)
    columns = erased_names(catalog, erasure_id)
    report = search(catalog, erasure.places, Sought(names, keys, canaries, columns))
    note_proof(catalog, erasure_id, report.files, len({found.file for found in report.found}))
    if as_json:
        print_json({"erasure_id": erasure_id, **report.as_json()})
    else:
        write_lines(proof_lines(erasure_id, report))
    return WRONG if report.found else RIGHT


def proof_lines(erasure_id: str, report: Any) -> Iterator[str]:
    """What was read, and where something is left."""
    size = report.size / 1e6
    for found in report.found[:SHOWN]:
        yield f"{found.file}: {found.what}"
    if len(report.found) > SHOWN:
        yield f"and {len(report.found) - SHOWN} more"
    read = f"{report.files} files ({size:.1f} MB) in {report.places} places were decoded"
    if report.found:
        yield f"The erasure {erasure_id} is not proven: {read}, and something is left."
    else:
        yield f"The erasure {erasure_id} is proven: {read}, and nothing is left."
