"""Audits of mirrors against the living source: reads, lands, merges, and looks again."""

import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from lakemirror.cli.audit import Report, mirror_of
from lakemirror.cli.declared import declared_source
from lakemirror.cli.errors import CallError, CommandError
from lakemirror.cli.heartbeats import is_named_so
from lakemirror.cli.lakes import one_line, open_lake, target_of
from lakemirror.cli.models import KnownModel, read_manifest, read_project, schema_of_source
from lakemirror.cli.operations import run_quietly
from lakemirror.cli.source_tables import SourceTable, meta_of
from lakemirror.runs.source_audit import LOOKS
from lakemirror.source.reading import Limits
from lakemirror.state.commits import ops_table
from lakemirror.state.ops_tables import SOURCE_AUDITS

NAME = "database_env"  # of config.meta of a source
SIDES = "the mirror", "the source"
WAIT = 3  # seconds between looks: a key that is being changed may hold still


@dataclass(frozen=True)
class Wanted:
    """What an audit against the source is asked for.

    Attributes:
        select: the models' names, or their tables; all of the project's where there is none.
        database_env: the variable of the environment that has the database's URL; None for what the
            source's YAML says.
        limits: how it is read.
        lands: whether it lands and merges before it looks again.
    """

    select: Sequence[str] = ()
    database_env: str | None = None
    limits: Limits = field(default_factory=Limits)
    lands: bool = True


def run(
    folder: Path, environment: Mapping[str, str], wanted: Wanted, say: Callable[[str], object]
) -> Report:
    """Compare mirrors with the source's tables.

    Args:
        say: takes a line of progress.

    Raises:
        CallError: there is no project, no lake, no such mirror, or nothing names the database.
        CommandError: dbt has failed, or the database does not answer.
    """
    catalog = open_lake(folder, environment)
    models = read_project(folder, environment).models
    mirrors = {model.name: model for model in models.values() if model.kind == "mirror"}
    names = [mirror_of(name, models) for name in wanted.select] or sorted(mirrors)
    if not names:
        raise CallError("no mirror is in the project")
    tables = [
        table_of(folder, environment, catalog, mirrors[name], mirrors, wanted) for name in names
    ]
    audit_id = uuid.uuid4().hex[:8]
    limits = asdict(wanted.limits)
    arguments: dict[str, Any] = {"audit_id": audit_id, "tables": tables, "limits": limits}
    run_quietly(folder, "audit_source", arguments)
    for look in range(1, LOOKS + 1):
        left = unfinished(catalog, audit_id)
        if not left or not wanted.lands:
            break
        if look > 1:
            time.sleep(WAIT)
        land_and_merge(folder, tables)
        of_left = [table for table in tables if table["model"] in left]
        arguments |= {"tables": of_left, "look": look}
        run_quietly(folder, "audit_source", arguments)
    left = unfinished(catalog, audit_id)
    return Report.read(catalog, audit_id, sides=SIDES, left=left)


def repair_by_source(
    folder: Path, environment: Mapping[str, str], audit_id: str, wanted: Wanted, apply: bool
) -> tuple[Report, Report | None]:
    """Bring what an audit against the source has found into the log, from the source's rows, and
    merge it; or say what differs by now.

    Returns:
        The comparison of the keys before, and after; None where nothing was written.

    Raises:
        CallError, CommandError: as ``run`` does.
    """
    catalog = open_lake(folder, environment)
    models = read_project(folder, environment).models
    mirrors = {model.name: model for model in models.values() if model.kind == "mirror"}
    found = Report.read(catalog, audit_id)
    names = [each.model for each in found.audits if each.findings and each.model in mirrors]
    tables = [
        table_of(folder, environment, catalog, mirrors[name], mirrors, wanted) for name in names
    ]
    repair_id = uuid.uuid4().hex[:8]

    def compared(number: int, dry_run: bool) -> Report:
        own = f"{repair_id}_{number}" if number else repair_id
        arguments = {"audit": audit_id, "repair_id": own, "tables": tables, "dry_run": dry_run}
        run_quietly(folder, "repair_source", arguments)
        return Report.read(catalog, own, sides=SIDES)

    before = compared(0, dry_run=not apply)
    if not apply or not before.findings:
        return before, None
    for number in range(1, LOOKS + 1):
        if number > 1:
            time.sleep(WAIT)
        land_and_merge(folder, tables)
        after = compared(number, dry_run=True)
        if not after.code:  # what is written meanwhile is behind, at the most
            break
    return before, after


def table_of(
    folder: Path,
    environment: Mapping[str, str],
    catalog: Any,
    model: KnownModel,
    mirrors: Mapping[str, KnownModel],
    wanted: Wanted,
) -> dict[str, Any]:
    """What the operation is told of a mirror."""
    variable = wanted.database_env or named_database(folder, environment, model)
    if not variable:
        raise CallError(
            f"nothing names the database of {model.source}: let lakemirror generate --source "
            f"{model.source} --database-env NAME keep it, or give --database-env NAME"
        )
    if not environment.get(variable):
        raise CallError(f"the environment has no {variable}, the URL of {model.source}'s database")
    table = model.raw.partition(".")[2]
    raw = catalog.load_table(model.raw)
    names = SourceTable(model.source, table.partition("__")[2], raw).names
    if len(names) != 2:
        raise CommandError(f"no record of {model.raw} says which table of the source it is of")
    others = [other for other in mirrors.values() if other.source == model.source]
    beaten = [other.name for other in others if is_named_so(other.table.partition("__")[2])]
    siblings = sorted({model.name, *(beaten or (other.name for other in others))})
    found = {"model": model.name, "schema": names[0], "table": names[1], "siblings": siblings}
    return found | {NAME: variable}


def named_database(folder: Path, environment: Mapping[str, str], model: KnownModel) -> str | None:
    """The variable that the source's YAML names, as dbt's manifest or the file has it."""
    found = meta_of(declared_source(folder, model.source)).get(NAME)
    if found:
        return str(found)
    written = folder / environment.get("DBT_TARGET_PATH", "target")
    target = target_of(folder, environment)
    for source in read_manifest(written / "manifest.json").get("sources", {}).values():
        if f"{schema_of_source(source, target)}.{source['identifier']}" == model.raw:
            return (source.get("config", {}).get("meta") or {}).get(NAME)
    return None


def unfinished(catalog: Any, audit_id: str) -> list[str]:
    """The mirrors whose keys are to be looked at again."""
    from pyiceberg.expressions import EqualTo

    table = ops_table(catalog, SOURCE_AUDITS.name)
    if table is None:  # no mirror could be compared
        return []
    is_asked = EqualTo("audit_id", audit_id)  # type: ignore[misc, call-arg, arg-type]
    return sorted(
        {*table.scan(is_asked, selected_fields=("model",)).to_arrow()["model"].to_pylist()}
    )


def land_and_merge(folder: Path, tables: Sequence[Mapping[str, Any]]) -> None:
    """A round of mirrors and their siblings, as ``lakemirror run`` does it.

    Args:
        tables: see table_of; a mirror is one of its siblings.

    Raises:
        CommandError: dbt has failed.
    """
    from dbt.cli.main import dbtRunner

    models = sorted({name for table in tables for name in table["siblings"]})
    options = ["--log-level", "none", "--quiet"]
    result = dbtRunner().invoke([*options, "run", "--select", "landing", *models])
    if not result.success:
        failed = [
            f"{each.node.name}: {each.message}"
            for each in getattr(result.result, "results", ())
            if each.status in ("error", "fail")
        ]
        raise CommandError(f"dbt run: {one_line([*failed, result.exception][0])}")
