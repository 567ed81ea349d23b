"""Audits of mirrors: dbt runs them on Spark, and the lake tells what they have found."""

import json
import os
import re
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lakemirror.cli.errors import RIGHT, WRONG, CallError, CommandError, hint, some
from lakemirror.cli.lakes import open_lake
from lakemirror.cli.models import KnownModel, read_project
from lakemirror.cli.operations import run_quietly
from lakemirror.cli.show import key_names, key_values
from lakemirror.cli.status_text import Part
from lakemirror.layers import layers_of_catalog
from lakemirror.state.audits import Audited, Finding, audits, findings
from lakemirror.state.ops_tables import AUDIT_FINDINGS, AUDITS

SHOWN = 100  # findings
LOST = "lost"  # what macros/audit/transaction_findings_sql.sql calls a finding


@dataclass(frozen=True)
class Report:
    """What an audit has found.

    Attributes:
        audits: one of each mirror.
        findings: those that are kept.
        sides: whose values are compared.
        left: the mirrors whose differences are to be looked at again, by another call.
        kept_in: the table that has all findings that are kept.
    """

    audit_id: str
    audits: Sequence[Audited]
    findings: Sequence[Finding]
    sides: tuple[str, str] = ("the mirror", "the log")
    left: Sequence[str] = ()
    kept_in: str = ""

    @classmethod
    def read(cls, catalog: Any, audit_id: str, **more: Any) -> "Report":
        """What the lake has of an audit."""
        kept_in = f"{layers_of_catalog(catalog).ops}.{AUDIT_FINDINGS.name}"
        found = audits(catalog, audit_id), findings(catalog, audit_id)
        return cls(audit_id, *found, kept_in=kept_in, **more)

    @property
    def code(self) -> int:
        """1 where something differs, or nothing could be judged of a mirror that is there."""
        is_wrong = any(audit.findings or audit.proves_nothing for audit in self.audits)
        return WRONG if is_wrong or self.left else RIGHT

    def as_json(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if name != "kept_in"}


def run(folder: Path, environment: Mapping[str, str], select: Sequence[str], full: bool) -> Report:
    """Audit mirrors of a project.

    Args:
        select: the models' names, or their tables; all of the project's where there is none.
        full: whether all keys are compared, and not the next part of them.

    Raises:
        CallError: there is no project, no lake, or no such mirror.
        CommandError: dbt has failed.
    """
    catalog = open_lake(folder, environment)
    known = read_project(folder, environment).models
    models = [mirror_of(name, known) for name in select]
    audit_id = uuid.uuid4().hex[:8]
    arguments = {"full": full, "audit_id": audit_id, "fail": False}
    run_quietly(folder, "audit", arguments | ({"model": models} if models else {}))
    report = Report.read(catalog, audit_id)
    if not report.audits and any(model.kind == "mirror" for model in known.values()):
        raise CommandError(
            f"the audit {audit_id} is not in this lake: dbt's target names another one. Nothing is "
            "proven"
        )
    return report


def compare(
    folder: Path,
    environment: Mapping[str, str],
    relations: tuple[str, str],
    key: Sequence[str],
    tolerances: Sequence[str],
) -> Report:
    """Compare any two relations by a key.

    Args:
        relations: models, or tables as ``schema.table``; the first one is judged.
        tolerances: as ``price=0.01``.

    Raises:
        CallError: there is no project, no lake or no key, or a tolerance is none.
        CommandError: dbt has failed: it names the relation or the column.
    """
    if not key:
        raise CallError("--compare needs the key's columns: --key id, or --key order_id line_no")
    catalog = open_lake(folder, environment)
    audit_id = uuid.uuid4().hex[:8]
    arguments = {
        "relations": [*relations],
        "key": [*key],
        "tolerances": dict(map(tolerance_of, tolerances)),
        "audit_id": audit_id,
        "fail": False,
    }
    run_quietly(folder, "compare", arguments)
    return Report.read(catalog, audit_id, sides=relations)


def tolerance_of(text: str) -> tuple[str, str]:
    """A column and how far its values may differ.

    Raises:
        CallError: it is none.

    >>> tolerance_of("price=0.01")
    ('price', '0.01')
    """
    name, _, number = text.partition("=")
    if not name or not re.fullmatch(r"[0-9]+([.][0-9]+)?", number):
        raise CallError(f"{text!r} is no tolerance such as price=0.01")
    return name, number


def repair(
    folder: Path, environment: Mapping[str, str], asked: "Repair", apply: bool
) -> tuple[Report, Report | None]:
    """Put right what differs from the log, or say what that is; of an audit against the source
    then also what differs from that.

    Args:
        apply: whether anything is written.

    Returns:
        The audit of the keys before, and after; None where nothing was written.

    Raises:
        CallError: there is no project, no lake, no such mirror or audit, or no such key.
        CommandError: dbt has failed.
    """
    catalog = open_lake(folder, environment)
    repair_id = uuid.uuid4().hex[:8]
    arguments = {"dry_run": not apply, "repair_id": repair_id, **asked.arguments(folder, catalog)}
    failure = None
    try:
        run_quietly(folder, "repair", arguments)
    except CommandError as error:
        failure = error
    before, after = (Report.read(catalog, each) for each in (repair_id, f"{repair_id}_after"))
    if failure and not after.audits:
        raise failure
    if asked.audit_id and any(each.is_of_source for each in audits(catalog, asked.audit_id)):
        from lakemirror.cli.source_audit import Wanted, repair_by_source

        wanted = Wanted(database_env=asked.database_env)
        return repair_by_source(folder, environment, asked.audit_id, wanted, apply)
    return before, after if after.audits else None


@dataclass(frozen=True)
class Repair:
    """What is to be repaired.

    Attributes:
        audit_id: the audit whose differences are meant.
        select: the mirror whose ``keys`` are meant, in place of an audit.
        database_env: see lakemirror.cli.source_audit.Wanted; of an audit against the source.
    """

    audit_id: str | None
    select: str | None
    keys: Sequence[str]
    database_env: str | None = None

    def arguments(self, folder: Path, catalog: Any) -> dict[str, Any]:
        """The arguments of the operation."""
        if self.audit_id and (self.select or self.keys):
            raise CallError("an audit has its own keys: give --audit, or --select and --key")
        if self.audit_id:
            if not audits(catalog, self.audit_id):
                kept_in = f"{layers_of_catalog(catalog).ops}.{AUDITS.name}"
                raise CallError(f"there is no audit {self.audit_id}: {kept_in} has their ids")
            return {"audit": self.audit_id}
        if not self.select or not self.keys:
            raise CallError("give an audit by --audit, or a mirror and its keys by --select, --key")
        models = read_project(folder, os.environ).models
        model = mirror_of(self.select, models)
        known = {each.name: each for each in models.values()}[model]
        table = catalog.load_table(known.raw)
        names = key_names(catalog, known, table)
        return {"model": model, "keys": [key_values(key, names) for key in self.keys]}


def mirror_of(name: str, models: Mapping[str, KnownModel]) -> str:
    """The mirror that is meant, by its model or its table.

    Raises:
        CallError: the project has no such.
    """
    mirrors = [model for model in models.values() if model.kind == "mirror"]
    known = {one: m.name for m in mirrors for one in (m.table, m.table.partition(".")[2], m.name)}
    if name not in known:
        raise CallError(f"no mirror {name} is in the project{hint(name, known)}")
    return known[name]


def finding_line(found: Finding, sides: tuple[str, str]) -> str:
    """A difference, on a line: model, key, order, column, value in the mirror, value by the log."""
    order = f" at {found.source_order}" if found.source_order else ""
    # of a connector's transactions; what a mirror lacks of its source is nothing in the mirror
    if found.kind == LOST and found.in_mirror is not None:
        return (
            f"{found.model} {found.unique_key}: {found.in_mirror} of {found.by_log} changes have "
            "landed"
        )
    where = f"{found.model} {found.unique_key}{order}: {found.kind}"
    if found.kind == "changed":
        where += f" {found.column_name}"
    values = (found.in_mirror, found.by_log)
    first, second = ("nothing" if value is None else quoted(found, value) for value in values)
    return f"{where}: {sides[0]} has {first}, {sides[1]} {second}"


def quoted(found: Finding, value: str) -> str:
    """A column's value in quotes, which show its spaces; a row is JSON already."""
    return json.dumps(value, ensure_ascii=False) if found.column_name else value


def lines(report: Report) -> list[str]:
    """A line for each finding; not more than can be read."""
    found = [finding_line(each, report.sides) for each in report.findings[:SHOWN]]
    rest = sum(audit.findings for audit in report.audits) - len(found)
    if rest:
        found.append(f"and {rest} more: {report.kept_in}, audit_id {report.audit_id}")
    return found


def part(report: Report) -> Part:
    """What was audited, a row each mirror."""
    header = ("mirror", "part", "keys", "differences", "not judged", "seconds")
    rows = [
        (
            audit.model,
            part_of(audit),
            audit.keys,
            audit.findings,
            audit.unjudged,
            f"{audit.seconds:.1f}",
        )
        for audit in report.audits
    ]
    nothing = "Nothing is judged yet." if report.left else "No mirror is in the project."
    return Part(header, rows, nothing)


def part_of(audit: Audited) -> str:
    """Which keys were compared."""
    if audit.is_of_transactions:
        return "all" if audit.parts else "new"
    if audit.part is None:
        return "some"
    return "all" if audit.parts == 1 else f"{audit.part + 1} of {audit.parts}"


def notes(report: Report) -> Iterable[str]:
    """What could not be judged, and what the findings ask for."""
    for audit in report.audits:
        if audit.notes:
            yield f"{audit.model}: {audit.notes}."
    for model in report.left:
        yield f"{model} has keys that differ: the next call lands and looks at them again."
    if any(audit.is_of_transactions and audit.findings for audit in report.audits):
        yield (
            "What has not landed no repair knows: let the connector take a snapshot of these "
            "tables (docs/audits.md)."
        )
    of_mirrors = [audit for audit in report.audits if not audit.is_of_transactions]
    names = some(audit.model for audit in of_mirrors if audit.findings)
    if names:
        yield f"The audit {report.audit_id} has found differences in {names}."
    if names and any(audit.is_of_source for audit in report.audits):
        yield (
            f"lakemirror repair --audit {report.audit_id} puts it right: what the log knows from "
            "there, and what no event has told from the source's rows (docs/audits.md)."
        )


def repaired_lines(before: Report, after: Report | None, apply: bool) -> Iterable[str]:
    """What has been done, or would be."""
    other = before.sides[1]
    if after:
        yield from lines(after)
    told = [*before.audits, *(after.audits if after else ())]
    yield from dict.fromkeys(f"{each.model}: {each.notes}." for each in told if each.notes)
    if not before.findings and before.code:
        yield "Nothing could be judged, and nothing was written."
    elif not before.code:
        yield f"Nothing differs from {other}: nothing was to be done."
    elif not apply:
        yield "Nothing was written: --apply puts it right."
    elif after and not after.code:
        yield f"Repaired, and audited again: these keys equal {other}."
    else:
        yield "Differences are left."
