"""Any two relations, compared by a key: a table of before a migration, a backup, a replica."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from lakemirror.runs.audit import KEPT
from lakemirror.runs.project import Project
from lakemirror.runs.warehouse import Warehouse, quoted
from lakemirror.state.ops_tables import AUDITS, NOW

MEASURED = ("tinyint", "smallint", "int", "bigint", "float", "double", "decimal", "date")
TIMES = ("timestamp", "timestamp_ntz")
OWN = "_"  # how the columns of a mirror begin that its source does not have


@dataclass(frozen=True)
class Compared:
    """What the macros of a comparison are told.

    Attributes:
        name: what it is called in ops.audits.
        first: the relation that is judged.
        second: the one that it should equal.
        types: of the columns that both have, by name; ``text`` where they differ.
        tolerances: how far values may be from each other, by column: a number, of seconds for times
            and of days for dates.
    """

    name: str
    first: str
    second: str
    key: Sequence[str]
    types: Mapping[str, str]
    tolerances: Mapping[str, str]

    @property
    def compared(self) -> list[str]:
        """The columns that are compared."""
        return [name for name in self.types if name not in self.key]

    @property
    def shown(self) -> list[str]:
        """The columns of a row that is shown whole."""
        return [*self.types]


def compare(
    warehouse: Warehouse,
    project: Project,
    relations: Sequence[str],
    key: Sequence[str],
    tolerances: Mapping[str, Any],
    audit_id: str,
) -> int:
    """Compare two relations, and keep that in ops.audits.

    Args:
        relations: models, or tables as ``schema.table``; the first one is judged.

    Returns:
        How many differences there are.
    """
    started = time.monotonic()
    first, second = (relation_of(warehouse, project, name) for name in relations)
    rows, notes = columns_of(warehouse, relations, (first, second), key, tolerances)
    [counts] = warehouse.rows(warehouse.sql("unequal_counts_sql", rows))
    findings = int(counts["findings"])
    row = {
        "audit_id": audit_id,
        "model": rows.name,
        "audited_at": NOW,
        "part": 0,
        "parts": 1,
        "keys": int(counts["keys"]),
        "findings": findings,
        "unjudged": 0,
        "notes": "; ".join([f"{counts['equal']} keys are equal", *notes]),
        "seconds": round(time.monotonic() - started, 3),
    }
    if findings:
        warehouse.run(warehouse.sql("unequal_findings_sql", rows, audit_id, KEPT))
    warehouse.run(AUDITS.insert_sql(warehouse.layers.ops, [row]))
    warehouse.say(f"{rows.name}: {findings} differences; {row['notes']}")
    return findings


def relation_of(warehouse: Warehouse, project: Project, name: str) -> str:
    """The relation of a model, or a table by its name."""
    models = {model.name: model.relation for model in project.models}
    if name in models:
        return str(models[name])
    parts = name.replace("`", "").split(".")
    if len(parts) == 2:
        schema, table = parts
        there = warehouse.tables(schema) if schema in warehouse.schemas() else []
        if table in there:
            return f"{quoted(schema)}.{quoted(table)}"
    elif len(parts) == 3:  # of another catalog, which Spark knows
        return ".".join(map(quoted, parts))
    known = [*models, *(f"{parts[0]}.{table}" for table in there)] if len(parts) == 2 else [*models]
    close = get_close_matches(name, known, n=1)
    hint = f"; did you mean {close[0]}?" if close else ""
    warehouse.refuse(f"audit: there is no model or table {name}{hint}")


def columns_of(
    warehouse: Warehouse,
    names: Sequence[str],
    relations: Sequence[str],
    key: Sequence[str],
    tolerances: Mapping[str, Any],
) -> tuple[Compared, list[str]]:
    """What is compared, and which columns only one relation has."""
    first, second = (
        {c["name"]: c["data_type"] for c in warehouse.columns_of(f"select * from {relation}")}
        for relation in relations
    )
    kinds = {name.lower(): kind for name, kind in second.items()}
    types = {
        name: kind if kinds[name.lower()] == kind else "text"
        for name, kind in first.items()
        if name.lower() in kinds
    }
    by_name = {name.lower(): name for name in types}
    problems = [
        f"{what}: not both have a column {name}"
        for what, given in (("key", key), ("tolerance", tolerances))
        for name in given
        if name.lower() not in by_name
    ]
    if not problems:
        tolerances = {by_name[name.lower()]: value for name, value in tolerances.items()}
        problems = [problem for name in tolerances if (problem := unmeasured(name, types[name]))]
    if problems or not key:
        warehouse.refuse("audit: " + "; ".join(problems or ["a key is needed"]))
    alone = [
        f"only {of} has {', '.join(found)}"
        for of, columns, other in ((names[0], first, kinds), (names[1], second, by_name))
        if (found := [n for n in columns if n.lower() not in other and not n.startswith(OWN)])
    ]
    texts = [name for name, kind in types.items() if kind == "text"]
    if texts:
        alone.append(f"of two types, and compared as texts: {', '.join(texts)}")
    keys = [by_name[name.lower()] for name in key]
    name = f"{names[0]} and {names[1]}"
    return Compared(name, relations[0], relations[1], keys, types, dict(tolerances)), alone


def unmeasured(name: str, kind: str) -> str | None:
    """Why values of a column have no distance.

    >>> unmeasured("price", "decimal(9,2)"), unmeasured("at", "timestamp")
    (None, None)
    >>> unmeasured("name", "string")
    'tolerance: name is string, and has no distance'
    """
    base = kind.partition("(")[0]
    if base in (*MEASURED, *TIMES):
        return None
    said = "of two types" if kind == "text" else kind
    return f"tolerance: {name} is {said}, and has no distance"
