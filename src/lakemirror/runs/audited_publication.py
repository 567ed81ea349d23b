"""An audit of what a run has written, before readers see it."""

from typing import Any

from lakemirror.runs import messages
from lakemirror.runs.audit import Asked, AuditRun, make_tables
from lakemirror.runs.batch import branch_head
from lakemirror.runs.lake import LANDING
from lakemirror.runs.model import Model
from lakemirror.runs.settings import MirrorSettings
from lakemirror.runs.warehouse import Table, Warehouse


def prove_branch(
    warehouse: Warehouse, model: Model, settings: MirrorSettings, branch: str, only: str
) -> None:
    """Compare the branch of a mirror with the log, and keep that in ops.audits.

    Ends the run where a key differs, or where nothing could be judged: nothing is proven then.

    Args:
        only: a query of the keys that the batch has, as findings have them; empty where it changes
            rows of other keys, too.
    """
    prove(warehouse, model, settings, branch_head(warehouse, model.target, branch), only=only)


def prove_table(
    warehouse: Warehouse, model: Model, settings: MirrorSettings, relation: Any
) -> None:
    """Compare a table that is to replace a mirror, likewise, by all keys."""
    head = Table.read(warehouse, relation).head
    assert head is not None
    prove(warehouse, model, settings, head, relation=relation)


def prove(
    warehouse: Warehouse,
    model: Model,
    settings: MirrorSettings,
    head: int,
    only: str = "",
    relation: Any = None,
) -> None:
    make_tables(warehouse)
    ops = warehouse.layers.ops
    landing = f"{ops}.{LANDING}" if LANDING in warehouse.tables(ops) else None
    asked = Asked(model.invocation_id[:8], True, landing, only, head, relation)
    verdict = AuditRun(warehouse, model, settings, asked).apply([])
    if verdict.keys is None:
        warehouse.refuse(messages.not_proven(model.name, verdict.notes))
    if verdict.findings:
        warehouse.refuse(messages.not_published(model.name, asked.id, verdict.findings, ops))
    warehouse.say(messages.audit_line(f"{model.name}, before it is published", verdict))
