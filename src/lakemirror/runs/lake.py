"""What every run of dbt begins and ends with: the tables of the schema ops, and what was done."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from difflib import get_close_matches
from functools import partial
from typing import Any

from lakemirror.runs.batch import COUNTED
from lakemirror.runs.project import Project
from lakemirror.runs.settings import SETTINGS, VARS
from lakemirror.runs.warehouse import Warehouse

# by which macro each table of ops is made
TABLES = {
    "quarantine": "quarantine_sql",
    "order_conflicts": "conflicts_table_sql",
    "runs": "runs_table_sql",
}
LANDING = "landing"
BATCH = re.compile(r"__(\d{8}t\d{6})_[0-9a-f]{8}$")
BATCH_LIFE = timedelta(days=2)  # no run can still use a batch that is older


def needs_lake(project: Project) -> bool:
    """Whether a project has a model of lakemirror's, or lands."""
    return any(model.kind in SETTINGS or model.name == LANDING for model in project.models)


def prepare(warehouse: Warehouse, project: Project) -> None:
    """Make what runs need and is not there, and drop the staged batches of runs that died."""
    if not needs_lake(project):
        return
    schemas = schemas_of(warehouse)
    for schema in ("ops", "stage"):
        if schema not in schemas:
            statement = f"create namespace if not exists {schema}"
            make(warehouse, statement, partial(has_schema, warehouse, schema))
    there = tables_in(warehouse, "ops") if "ops" in schemas else []
    for name, macro in TABLES.items():
        if name not in there:
            statement = warehouse.sql(macro)
            make(warehouse, statement, partial(has_table, warehouse, name))
    now = datetime.now(UTC).replace(tzinfo=None)
    for name in tables_in(warehouse, "stage") if "stage" in schemas else []:
        begun = BATCH.search(name)
        if begun and datetime.strptime(begun[1], "%Y%m%dt%H%M%S") < now - BATCH_LIFE:
            warehouse.run(f"drop table if exists stage.`{name}` purge")


def make(warehouse: Warehouse, statement: str, is_there: Callable[[], bool]) -> None:
    """Make what is missing; another run may do so at the same moment (F34)."""
    try:
        warehouse.run(statement)
    except Exception:
        if not is_there():
            raise


def schemas_of(warehouse: Warehouse) -> set[str]:
    return {row[0] for row in warehouse.rows("show namespaces")}


def has_schema(warehouse: Warehouse, schema: str) -> bool:
    return schema in schemas_of(warehouse)


def has_table(warehouse: Warehouse, name: str) -> bool:
    return name in tables_in(warehouse, "ops")


def tables_in(warehouse: Warehouse, schema: str) -> list[str]:
    return [row[1] for row in warehouse.rows(f"show tables in {schema}")]


def record(warehouse: Warehouse, project: Project, results: Iterable[Any]) -> None:
    """One commit a run of dbt with what its models did, and none where nothing was new."""
    rows = []
    for result in results:
        # an exposure has no materialization
        if getattr(result.node.config, "materialized", None) in SETTINGS:
            did = json.loads((result.adapter_response or {}).get("code") or "{}")
            if did or result.status != "success":
                rows.append(run_values(warehouse, project, result, did))
    if rows:
        warehouse.run(f"insert into ops.runs values {', '.join(rows)}")


def run_values(warehouse: Warehouse, project: Project, result: Any, did: Mapping[str, Any]) -> str:
    """A row of ops.runs."""

    def text(value: Any) -> str:
        return "null" if value is None else warehouse.sql("lakemirror_string", str(value))

    counts = [did.get(name) for name in COUNTED]
    values = [
        text(project.invocation_id),
        text(result.node.name),
        text(result.status),
        text(result.message or None),
        f"timestamp '{project.started_at}'",
        str(result.execution_time),
        text(did.get("merged_by")),
        *("null" if count is None else str(count) for count in counts),
    ]
    return f"({', '.join(values)})"


def unknown_vars(given: Iterable[str], code: Iterable[str]) -> list[str]:
    """A problem for each var that is given, and that nobody reads.

    Args:
        code: the texts of the project's and its packages' code: a var that one of them names is
            known.

    >>> unknown_vars(["replayy", "region"], ["{{ var('region') }}"])
    ['replayy: nobody reads a var of this name; did you mean replay?']
    """
    names = [name for name in given if name not in VARS]
    words = {word for text in code for word in re.findall(r"\w+", text)} if names else set()
    problems = []
    for name in sorted(names):
        if name not in words:
            close = get_close_matches(name, VARS, n=1)
            hint = f"; did you mean {close[0]}?" if close else ""
            problems.append(f"{name}: nobody reads a var of this name{hint}")
    return problems
