"""Table care: what each table needs is planned by its figures, and done, the most urgent first.

It changes no row; of raw alone, records go that its retention names. What is rewritten is a commit
of Iceberg's kind ``replace``, in which runs, audits and incremental readers see maintenance. The
process may die after each statement: the next call plans anew.
"""

import re
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from lakemirror.runs.batch import add_nothing, begin_branch, carried_on, publish
from lakemirror.runs.cared import MAINTENANCE as BRANCH
from lakemirror.runs.cared import Cared, CaredTables, Declared
from lakemirror.runs.lake import make_ops_table
from lakemirror.runs.project import Project
from lakemirror.runs.retention import Retention, StillReadError
from lakemirror.runs.rewrite import Rewrite, young_rows
from lakemirror.runs.warehouse import LOST_RACES, OvertakenError, Table, Warehouse
from lakemirror.state import care, window
from lakemirror.state.care import (
    CLUSTER,
    COMPACT,
    DELETES,
    EXPIRE,
    HOURS,
    MANIFESTS,
    METADATA,
    ORPHANS,
    Figures,
    Outlived,
    Step,
    in_words,
)
from lakemirror.state.ops_tables import CARED, MAINTENANCE
from lakemirror.state.rollback import Hold
from lakemirror.state.window import HEAD, Snapshot

TRIES = 3
AT_LEAST_EVERY = 30.0  # seconds: what a call has done by then is kept, whatever becomes of it
PATIENCE, LOOK = 60.0, 0.5  # seconds: how long an action waits for runs, and how often it looks
CLUSTERED = window.PREFIX + "clustered-by"  # of a table: what all its files were ordered by
# of a run, before its commit is the table's: dbt's id of the invocation follows
RUNS_BRANCH = re.compile(r"lakemirror_(rollback_)?[0-9a-f]{8}(_[0-9a-f]{4}){3}_[0-9a-f]{12}")
# layers whose runs commit on a branch, which cannot become a table that has moved
BRANCHED = ("mirror", "log", "daily")
PATIENT = ("mirror", "log")  # whose runs commit anew where maintenance has been before them
RUN_LIFE = 3600  # seconds without a commit, after which a branch is taken for one of a dead run
LOST = (*LOST_RACES, "new delete", "Still referenced by refs", "does not exist")
PARTIAL = 10 * 1024**3  # bytes: what is rewritten and larger is committed in parts
AT_ONCE = 1000  # snapshots that expire in a statement
DONE, TRIAL, WAITS, FAILED = "done", "dry run", "waits", "failed"


class InFlightError(Exception):
    """A run is about to commit; says which branch it has."""


@dataclass(frozen=True)
class Limits:
    """What a call may take.

    Attributes:
        deadline: when no other action begins, by the process's clock; None: any time.
        bytes: that are read and written, as they are expected to be; None: as many as there are.
    """

    deadline: float | None = None
    bytes: int | None = None

    def has_room(self, spent: int) -> bool:
        return self.bytes is None or spent <= self.bytes


@dataclass(frozen=True)
class Plan:
    """What a table needs.

    Attributes:
        table: which.
        figures: by which that was planned.
        steps: in the order in which they are to be done.
    """

    table: Cared
    figures: Figures
    steps: Sequence[Step]

    @property
    def urgency(self) -> float:
        return max((step.urgency for step in self.steps), default=0)


class Maintain:
    """Care for the tables of a project's lake."""

    def __init__(self, warehouse: Warehouse, project: Project, declared: Declared) -> None:
        self.warehouse, self.project, self.declared = warehouse, project, declared
        self.failed: list[str] = []
        self.archived: set[tuple[str, Outlived]] = set()
        self.raced = 0  # how many actions of a pass have lost a race
        self.told: set[str] = set()
        self.spent = 0  # bytes that were read and written
        self.rows: list[dict[str, Any]] = []  # of ops.maintenance, to be written
        self.written = time.monotonic()

    def maintain(
        self,
        select: Sequence[str] | str | None,
        dry_run: bool,
        budget: int | None,
        budget_bytes: int | None = None,
        until_done: bool = False,
    ) -> None:
        """Plan, say it, and do it.

        Args:
            select: models or tables; all without one.
            budget: seconds, after which no other action begins.
            budget_bytes: how many bytes are expected to be read and written at most.
            until_done: whether what has lost a race is planned and done again, until nothing has.
        """
        deadline = time.monotonic() + budget if budget else None
        limits = Limits(deadline, budget_bytes)
        names = [select] if isinstance(select, str) else [*(select or ())]
        left = self.round(names, dry_run, limits)
        while until_done and self.raced and not dry_run and not left:
            self.warehouse.say(f"maintain: {self.raced} actions had to wait, and are tried again")
            self.written = time.monotonic()
            time.sleep(LOOK)
            left = self.round(names, dry_run, limits)
        if left:
            self.warehouse.say(f"maintain: the budget is spent; {left} tables wait for the next")
        if self.failed:
            self.warehouse.refuse("maintain: " + "; ".join(dict.fromkeys(self.failed)))

    def round(self, names: Sequence[str], dry_run: bool, limits: Limits) -> int:
        """Plan all, and do it.

        Returns:
            For how many tables the budget is too small.
        """
        self.raced = 0
        self.tables = CaredTables(self.warehouse, self.project, self.declared)
        found = self.tables.chosen(names)
        if not dry_run:
            make_ops_table(self.warehouse, MAINTENANCE)
        plans = sorted(map(self.planned, found), key=lambda plan: -plan.urgency)
        plans = [plan for plan in plans if plan.steps]
        for plan in plans:
            for step in plan.steps:
                self.warehouse.say(step_line(plan.table.name, step))
        if not plans:
            self.warehouse.say("maintain: no table needs anything")
        try:
            return 0 if dry_run else sum(not self.care_for(plan, limits) for plan in plans)
        finally:
            self.write_rows()

    # -- the plan ----------------------------------------------------------------------------

    def planned(self, cared: Cared) -> Plan:
        """What a table needs; one that cannot be read is said, and the others are cared for."""
        try:
            return self.plan(cared)
        except Exception as error:
            text = " ".join(str(error).split())
            self.failed.append(f"{cared.name}: cannot be read: {text[:500]}")
            return Plan(cared, Figures(), ())

    def plan(self, cared: Cared) -> Plan:
        table = Table.read(self.warehouse, cared.relation)
        is_icebergs = HEAD in table.properties
        if not is_icebergs or table.head is None:
            return Plan(cared, Figures(), ())
        if Hold.of(table.properties):
            self.warehouse.say(f"{cared.name}: a rollback holds it, and it is left alone")
            return Plan(cared, Figures(), ())
        there = {name.lower() for name in table.names}
        unknown = [name for name in cared.sort_by if name.lower() not in there]
        if unknown:
            raise ValueError(f"files are to be ordered by {unknown[0]}, which is no column of it")
        figures = self.figures(cared, table)
        return Plan(cared, figures, care.steps(figures, cared.policy))

    def figures(self, cared: Cared, table: Table) -> Figures:
        """Its files and manifests, and the snapshots that may go."""
        found, policy = self.files(cared, table), cared.policy
        needs = self.tables.needs(cared, table)
        expiry = care.expirable(table.snapshots, table.head, needs, policy, found.live_bytes)
        return replace(
            found,
            snapshots=len(table.snapshots),
            old_bytes=expiry.old_bytes,
            expired=expiry.ids,
            expired_bytes=expiry.bytes,
            metadata_files=self.tables.former_metadata(table),
            orphans_checked=self.tables.since(cared.name, ORPHANS),
            outlived=self.outlived(cared, table),
            clustered_by=table.properties.get(CLUSTERED),
        )

    def outlived(self, cared: Cared, table: Table) -> Outlived | None:
        """The records of raw that may go; where somebody still reads them, that is said once."""
        try:
            return Retention(self.tables, cared, table).outlived()
        except StillReadError as reader:
            line = f"{cared.name}: {HOURS}: it waits: {reader}"
            if line not in self.told:
                self.told.add(line)
                self.warehouse.say(line)
            return None

    def files(self, cared: Cared, table: Table) -> Figures:
        """Its files and manifests; of a few files the newest commit tells enough."""
        policy = cared.policy
        young = young_rows(policy, table)
        head = next(snapshot for snapshot in table.snapshots if snapshot.id == table.head)
        found = care.few_files(head.summary, policy.min_input_files)
        if found is not None:
            return found
        told = policy, bool(table.partitioning), young
        query = self.warehouse.sql("figures_sql", cared.relation, *told)
        row = self.warehouse.rows(query)[0]
        counted: dict[str, Any] = {name: int(row[name] or 0) for name in FILES}
        return Figures(**counted)

    # -- the act -----------------------------------------------------------------------------

    def care_for(self, plan: Plan, limits: Limits) -> bool:
        """Do what a table needs, each action once; what one leaves behind is planned anew.

        Returns:
            Whether the budget had room for all of it.
        """
        done: set[str] = set()
        has_room = True
        while True:
            step = next((each for each in plan.steps if each.action not in done), None)
            if step is None:
                return has_room
            if limits.deadline is not None and time.monotonic() >= limits.deadline:
                return False
            done.add(step.action)
            if not limits.has_room(self.spent + step.reads + step.writes):
                has_room = False
                continue
            self.spent += step.reads + step.writes
            plan = self.perform(plan, step)

    def perform(self, plan: Plan, step: Step) -> Plan:
        """Do one action, time it, and keep what it was and what has become of it.

        Returns:
            What the table needs now.
        """
        started, clock = datetime.now(UTC), time.monotonic()
        status, detail = self.outcome(plan, step)
        seconds = round(time.monotonic() - clock, 3)
        after = self.planned(plan.table)
        row = {
            "maintenance_id": self.project.invocation_id[:8],
            "table_name": plan.table.name,
            "action": step.action,
            "why": step.why,
            "status": status,
            "detail": detail,
            "started_at": f"{started:%Y-%m-%d %H:%M:%S.%f}",
            "seconds": seconds,
            "bytes_to_read": step.reads,
            "bytes_to_write": step.writes,
            **{f"{name}_before": getattr(plan.figures, name) for name in CARED},
            **{f"{name}_after": getattr(after.figures, name) for name in CARED},
        }
        self.rows.append(row)
        if time.monotonic() - self.written > AT_LEAST_EVERY:
            self.write_rows()
        line = done_line(plan.table.name, step, status, detail, seconds)
        self.warehouse.say(line)
        if status == FAILED:
            self.failed.append(line)
        return after

    def write_rows(self) -> None:
        """Keep what was done: a commit an action would be most of what a small lake has."""
        rows, self.rows, self.written = self.rows, [], time.monotonic()
        if rows:
            self.warehouse.run(MAINTENANCE.insert_sql(self.warehouse.layers.ops, rows))

    def outcome(self, plan: Plan, step: Step) -> tuple[str, str | None]:
        """What has become of an action: lost races are tried again."""
        until = time.monotonic() + PATIENCE
        for attempt in range(1, TRIES + 1):
            try:
                return self.act(plan, step, until, insists=attempt == TRIES)
            except Exception as error:  # the other tables are cared for
                text = " ".join(str(error).split())
                is_raced = isinstance(error, OvertakenError | InFlightError)
                is_lost = is_raced or any(each in text for each in LOST)
                if not is_lost:
                    return FAILED, text[:500]
                if attempt == TRIES:
                    self.raced += 1
                    return WAITS, f"tried {TRIES} times: {text[:300]}"
        raise AssertionError

    def act(
        self, plan: Plan, step: Step, until: float, insists: bool = False
    ) -> tuple[str, str | None]:
        """Do it.

        Args:
            until: how long to wait for runs that are about to commit.
            insists: whether no run is waited for that can commit anew.
        """
        table = plan.table
        if step.action == HOURS:
            return self.drop_hours(table)
        if step.action == EXPIRE:
            return self.expire(table)
        if step.action == ORPHANS:
            return self.remove_orphans(plan)
        if step.action == METADATA:
            self.warehouse.retry(
                self.warehouse.sql("trim_metadata_sql", table.relation, table.policy)
            )
            return DONE, None
        is_free = insists and table.layer in PATIENT
        dead = None if is_free else self.when_quiet(table, until)
        if step.action in (COMPACT, CLUSTER):
            return self.compact(table, step, dead)
        macro = {DELETES: "rewrite_deletes_sql", MANIFESTS: "rewrite_manifests_sql"}[step.action]
        self.warehouse.rows(self.warehouse.sql(macro, table.relation, table.policy))
        return DONE, None

    def compact(self, table: Cared, step: Step, dead: set[str] | None) -> tuple[str, str | None]:
        """Rewrite files: on a branch, where runs commit on branches. Theirs goes first: the table
        that has moved meanwhile stays as it is, and nobody has seen the branch.

        Args:
            dead: branches of runs that have died; None: no run is waited for.
        """
        warehouse, relation = self.warehouse, table.relation
        commits = max(1, min(100, step.reads // PARTIAL))
        there = Table.read(warehouse, relation)
        if step.action == CLUSTER:
            rewrite = Rewrite(table.policy, table.sort_by, "all", commits)
        elif step.folds:
            rewrite = Rewrite(table.policy, table.sort_by, "deleted", commits)
        else:
            young = young_rows(table.policy, there)
            rewrite = Rewrite(table.policy, table.sort_by, "small", commits, young)
        if table.layer not in BRANCHED:
            warehouse.rows(warehouse.sql("rewrite_data_files_sql", relation, rewrite))
            self.note_clustering(table, step)
            return DONE, None
        self.tables.drop_dead_branches(there)
        branch = begin_branch(warehouse, relation, self.project.invocation_id, prefix=BRANCH)
        try:
            if Table.read(warehouse, relation).foreign_commits:
                return WAITS, "others have changed it, and its next run is to say so"
            rewrite = replace(rewrite, branch=branch)
            warehouse.rows(warehouse.sql("rewrite_data_files_sql", relation, rewrite))
            there = Table.read(warehouse, relation)
            if self.tables.refs(there)[branch] == there.head:
                return DONE, "there was nothing to rewrite"
            self.carry_on(relation, branch, there)
            if dead is not None:
                self.refuse_in_flight(table, dead)
            publish(warehouse, relation, branch, table.name)
            self.note_clustering(table, step)
        finally:
            warehouse.retry(f"alter table {relation} drop branch if exists {branch}")
        return DONE, None

    def note_clustering(self, table: Cared, step: Step) -> None:
        """Keep what all files are ordered by: from now on new ones are, when they are compacted."""
        if step.action == CLUSTER:
            clause = self.warehouse.sql("properties_clause", {CLUSTERED: table.policy.clustering})
            self.warehouse.retry(f"alter table {table.relation} set {clause}")

    def drop_hours(self, cared: Cared) -> tuple[str, str | None]:
        """Let the records of raw go that nobody needs, as it is now."""
        retention = Retention(self.tables, cared, Table.read(self.warehouse, cared.relation))
        try:
            found = retention.outlived()
        except StillReadError as reader:
            return WAITS, str(reader)
        if found is None:
            return DONE, "nothing is left to drop"
        return DONE, retention.drop(found, self.project.invocation_id, self.archived)

    def carry_on(self, relation: Any, branch: str, there: Table) -> None:
        """All that the table knows beside its rows goes on in a commit that adds nothing: what was
        before it may expire, with the files that were rewritten."""
        if there.own_commit is None:
            return
        properties = carried(there.own_commit, self.project.invocation_id)
        add_nothing(self.warehouse, relation, f"{relation}.branch_{branch}", properties)

    def when_quiet(self, table: Cared, until: float) -> set[str]:
        """Wait for the runs that are about to commit: see refuse_in_flight."""
        while True:
            try:
                return self.refuse_in_flight(table)
            except InFlightError:
                if time.monotonic() >= until:
                    raise
                time.sleep(LOOK)

    def refuse_in_flight(self, table: Cared, dead: Collection[str] = ()) -> set[str]:
        """A run whose branch begins at the table's newest snapshot would lose its commit.

        Args:
            dead: branches of runs that have died.

        Returns:
            Those that are there: nothing has become of them for an hour.

        Raises:
            InFlightError: there is one that is not among them.
        """
        if table.layer not in BRANCHED:
            return set()
        there = Table.read(self.warehouse, table.relation)
        found = {
            name
            for name, number in self.tables.refs(there).items()
            if RUNS_BRANCH.fullmatch(name)
            and there.head in {each.id for each in window.lineage(there.snapshots, number)}
        }
        new = sorted(found - {*dead})
        if new and self.tables.idle_seconds(table.relation) < RUN_LIFE:
            raise InFlightError(f"a run is under way: it has the branch {new[0]}")
        return found

    def expire(self, cared: Cared) -> tuple[str, str | None]:
        """Let snapshots go that nobody needs, as it is now."""
        table = Table.read(self.warehouse, cared.relation)
        ids = self.figures(cared, table).expired
        if not ids:
            return DONE, "nothing is left to expire"
        for place in range(0, len(ids), AT_ONCE):  # the oldest first
            some = ids[place : place + AT_ONCE]
            self.warehouse.rows(self.warehouse.sql("expire_sql", cared.relation, some))
        return DONE, f"{len(ids)} snapshots"

    def remove_orphans(self, plan: Plan) -> tuple[str, str | None]:
        """Remove files that no metadata names; the first time they are only counted (F38)."""
        table = plan.table
        others = self.tables.sharing(table)
        if others:
            return WAITS, f"{', '.join(others)} lies in its location: nothing is removed there"
        is_first = plan.figures.orphans_checked is None
        until = datetime.now(UTC) - timedelta(seconds=table.policy.seconds("orphan_age"))
        query = self.warehouse.sql(
            "remove_orphans_sql", table.relation, f"{until:%Y-%m-%d %H:%M:%S}", is_first
        )
        count = len(self.warehouse.rows(query))
        self.tables.looked_for_orphans(table.name)
        return (TRIAL, f"{count} files would go") if is_first else (DONE, f"{count} files")


FILES = (
    *("data_files", "data_bytes", "rows", "small_files", "small_bytes", "delete_files"),
    *("delete_bytes", "most_deletes", "deleted", "manifests", "manifest_bytes"),
)


def carried(own: Snapshot, invocation_id: str) -> dict[str, Any]:
    """What a commit carries on of an own one, with the run's commit that it is of."""
    known = carried_on(own, "maintenance", invocation_id)
    return {**known, "maintains": window.run_commit_id(own)}


def step_line(name: str, step: Step) -> str:
    """What is said of a step of the plan.

    >>> step_line("mirror.t", Step("compact", "9 of 9 data files are small", 1.8, 5000, 4000))
    'mirror.t: compact: 9 of 9 data files are small (reads 5.0 kB, writes 4.0 kB)'
    """
    size = f" (reads {in_words(step.reads)}, writes {in_words(step.writes)})" if step.reads else ""
    return f"{name}: {step.action}: {step.why}{size}"


def done_line(name: str, step: Step, status: str, detail: str | None, seconds: float) -> str:
    """What is said of a step that was tried."""
    more = f" ({detail})" if detail else ""
    return f"{name}: {step.action}: {status} in {seconds:.1f} s{more}"
