"""What every run of dbt begins and ends with: the tables of the schema ops, and what was done."""

import json
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from difflib import get_close_matches
from typing import Any

from lakemirror.runs.batch import carrying
from lakemirror.runs.project import Project
from lakemirror.runs.settings import SETTINGS, VARS
from lakemirror.runs.warehouse import Table, Warehouse, make_schema, make_table
from lakemirror.state import window
from lakemirror.state.ops_tables import COMMON, COUNTED, RAN, RUNS, OpsTable

LANDING = "landing"
BATCH = re.compile(r"__(\d{8}t\d{6})_[0-9a-f]{8}$")
FAILING = "failing"  # of ops.runs' commits: the models whose last run has failed, as JSON
BATCH_LIFE = timedelta(days=2)  # no run can still use a batch that is older


def needs_lake(project: Project) -> bool:
    """Whether a project has a model of lakemirror's, or lands."""
    return any(model.kind in SETTINGS or model.name == LANDING for model in project.models)


def prepare(warehouse: Warehouse, project: Project) -> None:
    """Make what runs need and is not there, and drop the staged batches of runs that died."""
    if not needs_lake(project):
        return
    schemas, ops, stage = warehouse.schemas(), warehouse.layers.ops, warehouse.layers.stage
    for schema in (ops, stage):
        if schema not in schemas:
            make_schema(warehouse, schema)
    there = warehouse.tables(ops) if ops in schemas else []
    for table in COMMON:
        if table.name in there:
            complete(warehouse, table)
        else:
            statement = warehouse.sql("create_table_sql", *table.create_arguments(ops))
            make_table(warehouse, ops, table.name, statement)
    now = datetime.now(UTC).replace(tzinfo=None)
    for name in warehouse.tables(stage) if stage in schemas else []:
        begun = BATCH.search(name)
        if begun and datetime.strptime(begun[1], "%Y%m%dt%H%M%S") < now - BATCH_LIFE:
            warehouse.run(f"drop table if exists {stage}.`{name}` purge")


def make_ops_table(warehouse: Warehouse, table: OpsTable) -> None:
    """Make a table of ops that only one operation needs, where it is not there."""
    ops = warehouse.layers.ops
    if ops not in warehouse.schemas():
        make_schema(warehouse, ops)
    if table.name not in warehouse.tables(ops):
        statement = warehouse.sql("create_table_sql", *table.create_arguments(ops))
        make_table(warehouse, ops, table.name, statement)


def complete(warehouse: Warehouse, table: OpsTable) -> None:
    """Give a table of an older lake the columns that it lacks."""
    relation = f"{warehouse.layers.ops}.{table.name}"
    names = Table.read(warehouse, relation).names
    added = [f"{name} {kind}" for name, kind in table.columns.items() if name not in names]
    if added:
        warehouse.retry(f"alter table {relation} add columns ({', '.join(added)})")


def record(warehouse: Warehouse, project: Project, results: Iterable[Any]) -> None:
    """One commit a run of dbt with what its models did, and none where nothing was new: that a
    model had nothing to do is told where its last run had failed."""
    ran = [
        (result, json.loads((result.adapter_response or {}).get("code") or "{}"))
        for result in results
        # an exposure has no materialization
        if getattr(result.node.config, "materialized", None) in SETTINGS
    ]
    if not ran:
        return
    failing = failing_models(warehouse)
    rows = [
        run_row(project, result, did)
        for result, did in ran
        if did or result.status not in RAN or result.node.name in failing
    ]
    if rows:
        now = {result.node.name: result.status not in RAN for result, _ in ran}
        left = sorted({name for name in failing if name not in now} | {n for n in now if now[n]})
        with carrying(warehouse, {FAILING: json.dumps(left)}):
            warehouse.run(RUNS.insert_sql(warehouse.layers.ops, rows))


def failing_models(warehouse: Warehouse) -> set[str]:
    """The models whose newest recorded run has failed or was skipped, as the newest commit of
    ops.runs says; where none says it, as its rows do."""
    there = Table.read(warehouse, f"{warehouse.layers.ops}.{RUNS.name}")
    if there.head is None:
        return set()
    for commit in window.lineage(there.snapshots, there.head):
        if window.PREFIX + FAILING in commit.summary:
            return {*json.loads(commit.summary[window.PREFIX + FAILING])}
    rows = warehouse.rows(warehouse.sql("failing_models_sql", [*RAN]))
    return {row[0] for row in rows}


def run_row(project: Project, result: Any, did: Mapping[str, Any]) -> dict[str, Any]:
    """A row of ops.runs."""
    return {
        "invocation_id": project.invocation_id,
        "model": result.node.name,
        "status": result.status,
        "message": result.message or None,
        "started_at": project.started_at,
        "seconds": result.execution_time,
        "merged_by": did.get("merged_by"),
        **{name: did.get(name) for name in (*COUNTED, "core_seconds")},
    }


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
