"""The way back: a mirror with its tombstones as a merge has left them, held until it is released.

What says that the mirror is held comes first, so that whatever dies in between is a held mirror.
Setting back is a commit of its own above the old snapshot: a run in flight, whose branch does not
stem from it, cannot become the table.
"""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from lakemirror.runs import messages
from lakemirror.runs.batch import add_nothing, begin_branch, refuse_newer, tombstones_of
from lakemirror.runs.mirror import ABSENT, drop_base_tags
from lakemirror.runs.project import Project, ProjectModel, chosen
from lakemirror.runs.warehouse import Table, Warehouse
from lakemirror.state import rollback, window
from lakemirror.state.ops_tables import QUARANTINE
from lakemirror.state.rollback import BEFORE_TAG, HELD, HELD_TAG, Hold, TargetError
from lakemirror.state.window import DAY, PREFIX, Snapshot

RAW_TABLE, KEY = PREFIX + "raw-table", PREFIX + "key"


@dataclass(frozen=True)
class Plan:
    """What a rollback would do.

    Attributes:
        target: the snapshot that the mirror is set back to.
        own: the merge that made it what it is: its bookmark is gone on from.
        own_at: when that was committed (UTC).
        now: the newest merge.
        hold: what the table would say.
    """

    node: ProjectModel
    target: Snapshot
    own: Snapshot
    own_at: datetime
    now: Snapshot
    hold: Hold

    @property
    def raw(self) -> str:
        return self.own.summary[RAW_TABLE]

    @property
    def bookmark(self) -> int:
        return int(self.own.summary[window.BOOKMARK])


class Rollback:
    """Set mirrors back, and let them go on."""

    def __init__(self, warehouse: Warehouse, project: Project) -> None:
        self.warehouse, self.project = warehouse, project

    def rollback(self, model: str | None = None, to: Any = None, apply: bool = False) -> None:
        """Set a mirror back to a snapshot, a tag or a time, or say what that would change."""
        if to is None:
            self.warehouse.refuse("rollback: to is needed: a snapshot, a tag or a time (UTC)")
        self.set_back(self.node_of(model, "rollback"), str(to), apply)

    def undo(self, model: str | None = None, apply: bool = False) -> None:
        """Take back a mirror's newest merge, or what others have committed since."""
        self.set_back(self.node_of(model, "undo"), None, apply)

    def release(self, model: str | None = None) -> None:
        """Let a held mirror go on from its own bookmark."""
        node = self.node_of(model, "release")
        table = Table.read(self.warehouse, node.relation)
        hold = Hold.of(table.properties)
        if hold is None:
            self.warehouse.refuse(f"release: {node.name} is not held")
        again = f"lakemirror rollback {node.name} --to {hold.to} --apply"
        if not hold.is_done:
            self.warehouse.refuse(
                f"release: the rollback of {node.name} has not ended. Call it again: {again}"
            )
        own, held = table.own_commit, self.own_of(table, hold.to)
        if own is None or held is None or own.id != held.id:
            last = f"lakemirror rollback {node.name} --to {own.id} --apply" if own else again
            self.warehouse.refuse(
                f"release: {node.relation} has been merged or made anew since the rollback, and "
                f"its tombstones may not belong to it: {last} brings both together"
            )
        raw, bookmark = own.summary[RAW_TABLE], int(own.summary[window.BOOKMARK])
        name = f"{node.relation.schema}_{node.relation.identifier}"
        sql = self.warehouse.sql
        self.warehouse.retry(sql("tag_sql", raw, f"lakemirror_{name}", bookmark))
        self.reopen(node, self.times(node.relation)[own.id])
        self.warehouse.retry(f"alter table {node.relation} unset tblproperties ('{HELD}')")
        self.warehouse.retry(f"alter table {raw} drop tag if exists `{HELD_TAG}{name}`")
        self.warehouse.say(f"{node.name}: is released, and goes on from raw's snapshot {bookmark}")

    def reopen(self, node: ProjectModel, since: datetime) -> None:
        """Let the next run judge the quarantined records again that the mirror has lost since: they
        are behind its bookmark."""
        warehouse = self.warehouse
        if QUARANTINE.name in warehouse.tables(warehouse.layers.ops):
            time = f"{since:%Y-%m-%d %H:%M:%S}"
            warehouse.retry(warehouse.sql("reopen_sql", node.name, time))

    # -- the plan ----------------------------------------------------------------------------

    def node_of(self, model: str | None, operation: str) -> ProjectModel:
        [*found] = chosen(
            self.warehouse, self.project, "mirror", model, operation, may_be_all=False
        )
        if not self.project.exists(found[0].relation):
            self.warehouse.refuse(f"{operation}: {found[0].name} has no table yet")
        return found[0]

    def own_of(self, table: Table, number: int) -> Snapshot | None:
        """The newest own commit among a snapshot and its parents."""
        return window.newest_own_commit(window.lineage(table.snapshots, number))

    def plan(self, node: ProjectModel, to: str | None) -> Plan:
        """What is to be done; what cannot be is refused, with the reason."""
        table = Table.read(self.warehouse, node.relation)
        head, now = table.head, table.own_commit
        refuse_newer(self.warehouse, now, node.relation, node.name)
        if head is None or now is None:
            self.warehouse.refuse(f"{node.name}: has merged nothing yet")
        times = self.times(node.relation)
        try:
            if to is None:
                target = rollback.previous_commit(table.snapshots, head)
            else:
                refs = self.refs(node.relation)
                target = rollback.target(to, table.snapshots, head, refs, times.__getitem__)
        except TargetError as error:
            self.warehouse.refuse(f"{node.name}: {error}. Nothing was changed")
        own = self.own_of(table, target.id)
        assert own is not None
        lineage = window.lineage(table.snapshots, target.id)
        hold = Hold(target.id, rollback.tombstones_of(lineage), head)
        found = Plan(node, target, own, times[own.id], now, hold)
        self.refuse_lost(found)
        return found

    def refuse_lost(self, plan: Plan) -> None:
        """A mirror that could not go on, or whose deletes are gone, stays as it is."""
        warehouse, name = self.warehouse, plan.node.name
        if plan.own.summary.get(KEY) != plan.now.summary.get(KEY):
            warehouse.refuse(f"{name}: had another key at {plan.target.id}. Nothing was changed")
        raw = Table.read(warehouse, plan.raw)
        try:
            if raw.head != plan.bookmark:
                window.next_window(plan.raw, raw.snapshots, raw.head, plan.bookmark)
        except window.WindowError as error:
            warehouse.refuse(
                f"{name}: could not go on from {plan.target.id}: {error} Nothing was changed"
            )
        kept = Table.read(warehouse, tombstones_of(plan.node.relation))
        ids = {snapshot.id for snapshot in kept.snapshots} if kept.head is not None else set()
        if plan.hold.tombstones is not None and plan.hold.tombstones not in ids:
            warehouse.refuse(
                f"{name}: the deletes that belong to {plan.target.id} have expired (snapshot "
                f"{plan.hold.tombstones} of {kept.relation}). Nothing was changed"
            )

    def times(self, relation: Any) -> dict[int, datetime]:
        """When each snapshot of a table was committed."""
        query = f"select snapshot_id, cast(committed_at as string) from {relation}.snapshots"
        return {
            int(row[0]): datetime.fromisoformat(row[1]).replace(tzinfo=UTC)
            for row in self.warehouse.rows(query)
        }

    def refs(self, relation: Any) -> dict[str, int]:
        rows = self.warehouse.rows(f"select name, snapshot_id from {relation}.refs")
        return {row[0]: int(row[1]) for row in rows if row[0] != "main"}

    def days_since(self, plan: Plan) -> list[str]:
        """What daily tables of the mirror have published since, as ``daily_shop__orders: ...``."""
        found: list[str] = []
        for daily in self.project.of_kind("daily"):
            if plan.node.unique_id in daily.depends_on and self.project.exists(daily.relation):
                table = Table.read(self.warehouse, daily.relation)
                times = self.times(daily.relation)
                snapshots = table.snapshots if table.head is not None else []
                days = {
                    snapshot.summary[DAY]
                    for snapshot in snapshots
                    if DAY in snapshot.summary and times[snapshot.id] > plan.own_at
                }
                found += [f"{daily.name}: {', '.join(sorted(days))}"] if days else []
        return found

    def set_back(self, node: ProjectModel, to: str | None, apply: bool) -> None:
        plan = self.plan(node, to)
        say, name = self.warehouse.say, node.name
        before, after = (
            self.warehouse.rows(f"select count(*) from {node.relation} version as of {number}")
            for number in (plan.hold.before, plan.target.id)
        )
        verb = "is" if apply else "would be"
        if apply:
            self.act(plan)
        say(f"{name}: {verb} set back from {plan.hold.before} to {plan.target.id}")
        say(f"{name}: rows: {before[0][0]} before, {after[0][0]} after")
        was = plan.now.summary[window.BOOKMARK]
        say(f"{name}: bookmark: raw's snapshot {was} before, {plan.bookmark} after")
        kept = plan.hold.tombstones
        say(f"{name}: deletes that are remembered: {kept or 'stay, its commit names none'}")
        for days in self.days_since(plan):
            say(f"{name}: published since, and not changed: {days}")
        say(
            messages.held(name, plan.hold.to)
            if apply
            else f"{name}: nothing was changed: --apply does it"
        )

    # -- the act -----------------------------------------------------------------------------

    def act(self, plan: Plan) -> None:
        """Hold, set back both tables, and say that it is done; each step may come twice."""
        node, warehouse = plan.node, self.warehouse
        tag = f"{HELD_TAG}{node.relation.schema}_{node.relation.identifier}"
        warehouse.retry(warehouse.sql("tag_sql", plan.raw, tag, plan.bookmark))
        self.say_held(node.relation, plan.hold, {ABSENT: ""})
        self.move(node.relation, plan.target.id)
        # what a mirror was before is no base of a day
        drop_base_tags(warehouse, node.relation)
        if plan.hold.tombstones is not None:
            self.move(tombstones_of(node.relation), plan.hold.tombstones)
        self.say_held(node.relation, replace(plan.hold, is_done=True), {})

    def say_held(self, relation: Any, hold: Hold, more: dict[str, str]) -> None:
        properties = {HELD: hold.as_property(), **more}
        clause = self.warehouse.sql("properties_clause", properties)
        self.warehouse.retry(f"alter table {relation} set {clause}")

    def move(self, relation: Any, number: int) -> None:
        """Set a table back by a commit that adds nothing; what it was before is kept for a week."""
        warehouse, head = self.warehouse, Table.read(self.warehouse, relation).head
        warehouse.retry(warehouse.sql("tag_sql", relation, f"{BEFORE_TAG}{head}", head, "7 days"))
        begun = warehouse, relation, self.project.invocation_id, number, "lakemirror_rollback_"
        branch = begin_branch(*begun)
        told = {"rolled-back-to": number, "rolled-back-from": head}
        add_nothing(warehouse, relation, f"{relation}.branch_{branch}", told)
        table = f"{relation.schema}.{relation.identifier}"
        warehouse.retry(f"call system.set_current_snapshot(table => '{table}', ref => '{branch}')")
        warehouse.retry(f"alter table {relation} drop branch {branch}")
