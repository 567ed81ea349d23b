"""A repair of a mirror: the rows of keys that differ from the log become what the log tells."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from lakemirror.runs import messages
from lakemirror.runs.audit import Audit, AuditRun, Verdict
from lakemirror.runs.batch import begin_branch, carried_on, commit, stage_relation, told_foreign
from lakemirror.runs.mirror import drop_base_tags
from lakemirror.runs.warehouse import OvertakenError, Table, Warehouse


class RepairRun:
    """Audit some keys of a mirror, put right what differs, and audit them again.

    Attributes:
        run: the audit of the keys.
    """

    def __init__(self, run: AuditRun) -> None:
        self.run = run
        self.warehouse, self.model = run.warehouse, run.model

    def apply(self, dry_run: bool) -> tuple[Verdict, int]:
        """Repair the mirror, or say what would be repaired.

        Returns:
            What the audit of the keys has found at last, and how many rows were written or
            removed.
        """
        verdict = self.run.apply([])
        if dry_run or not verdict.findings or self.run.audit is None:
            return verdict, 0
        with self.staged(self.run.audit) as stage:
            rows = int(self.warehouse.rows(f"select count(*) as repaired from {stage}")[0][0])
            self.write(stage, rows)
        again = replace(self.run.asked, id=f"{self.run.asked.id}_after")
        after = AuditRun(self.warehouse, self.model, self.run.settings, again)
        return after.apply([]), rows

    @contextmanager
    def staged(self, audit: Audit) -> Iterator[Any]:
        """The rows that differ, as the log has them; those that it has not say so."""
        schema = self.warehouse.layers.stage
        stage = stage_relation(self.model.target, self.model.invocation_id, schema)
        sql = self.warehouse.sql
        try:
            self.warehouse.run(
                sql("repaired_rows_sql", stage, self.run.changes, audit, self.columns)
            )
            yield stage
        finally:
            self.warehouse.forget(stage)

    @property
    def columns(self) -> list[str]:
        """The mirror's."""
        assert self.run.table is not None
        return self.run.table.names

    def write(self, stage: Any, rows: int) -> None:
        """On a branch of the audited snapshot: it becomes the table only if nobody has committed
        since (F34, F35)."""
        warehouse, target, sql = self.warehouse, self.model.target, self.warehouse.sql
        assert self.run.table is not None
        head = self.run.table.head
        branch = begin_branch(warehouse, target, self.model.invocation_id, head)
        into = f"{target}.branch_{branch}"
        if Table.read(warehouse, target).head != head:
            warehouse.retry(f"alter table {target} drop branch {branch}")
            raise OvertakenError(messages.overtaken(self.model.name, target))
        # what the mirror was before is no base of a day
        drop_base_tags(warehouse, target)
        warehouse.run(sql("remove_repaired_sql", into, stage, self.run.settings.key))
        statement = sql("insert_repaired_sql", into, stage, self.columns)
        commit(warehouse, statement, self.properties(rows), target, branch, self.model.name)

    def properties(self, rows: int) -> dict[str, Any]:
        """All that the mirror knows beside its rows goes on; no event was read."""
        assert self.run.commit is not None
        known = carried_on(self.run.commit, "repair", self.model.invocation_id)
        foreign = told_foreign(self.run.table) if self.run.table else {}
        return {**known, **foreign, "repair": self.run.asked.id, "repaired": rows}


def literal_keys(
    warehouse: Warehouse, table: Table, key: Sequence[str], given: Sequence[Any], model: str
) -> str:
    """Keys as findings have them, for a list of SQL's.

    Args:
        given: a value of each column of the key by its name.
    """
    kinds = {column["name"]: column["data_type"] for column in table.columns}
    found = []
    for values in given:
        if not isinstance(values, Mapping) or {*values} != {*key}:
            warehouse.refuse(messages.no_such_key(model, key, json.dumps(values, default=str)))
        texts = {name: str(values[name]) for name in key}
        try:
            [row] = warehouse.rows(warehouse.sql("key_text_sql", texts, kinds))
        except Exception:
            warehouse.refuse(messages.no_such_key(model, key, json.dumps(texts)))
        found.append(warehouse.sql("lakemirror_string", row[0]))
    return ", ".join(found)
