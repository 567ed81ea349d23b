"""A run of a daily table: which days are due, and each of them by one atomic overwrite."""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cached_property
from typing import Any

from lakemirror.runs import evolve, marks, messages
from lakemirror.runs.batch import begin_branch, carrying, fast_forward, report_foreign
from lakemirror.runs.day_audit import DayAudit, Written
from lakemirror.runs.model import Model
from lakemirror.runs.settings import DailySettings
from lakemirror.runs.state import Mirror, State, States, window_since
from lakemirror.runs.warehouse import Column, OvertakenError, Table, Warehouse, names_of, share
from lakemirror.source import evolution
from lakemirror.source.evolution import Evolution
from lakemirror.state import days, window
from lakemirror.state.ops_tables import LATE_EVENTS, NOW
from lakemirror.state.window import Window

DAY_COLUMN: Column = {"name": days.DAY, "data_type": "date"}
DAILY_PROPERTIES = {
    "write.parquet.compression-codec": "zstd",
    "write.distribution-mode": "none",
}
BRANCH_COLUMNS: tuple[Column, ...] = (
    {"name": "branch", "data_type": "string"},
    {"name": "snapshot_id", "data_type": "bigint"},
)


@dataclass(frozen=True)
class Heard:
    """How far a source is heard: the macro watermark_sql."""

    heard_from: str | None
    complete_until: Any
    proof: str


@dataclass(frozen=True)
class Plan:
    """The days of a run, decided at once.

    Attributes:
        days: those that are written, oldest first, as ``2026-01-31``.
        published: those that the table has.
        late: the number of changes that have come since the bookmark, by their day.
        is_reported: late changes are reported, and their days not written again.
        known_from: from when on the table is known.
        bookmark: the snapshot of raw that the published days have, once all is written.
        heard: how far the source is heard.
    """

    days: Sequence[str]
    published: Sequence[str]
    late: Mapping[str, int]
    is_reported: bool
    known_from: str | None
    bookmark: Any
    heard: Heard

    @property
    def changed(self) -> list[str]:
        """The published days that lack what has come since."""
        if not self.late or self.is_reported:
            return []
        return [day for day in self.published if day >= min(self.late)]

    def late_until(self, day: str) -> int:
        """How many late changes a day holds: those from before its end."""
        return sum(events for of, events in self.late.items() if of <= day)

    @property
    def late_days(self) -> dict[str, int]:
        """The published days that are written again for late changes, or reported, with the number
        of these."""
        again = self.published if self.is_reported else {*self.days} & {*self.published}
        counts = {day: self.late_until(day) for day in sorted(again)}
        return {day: events for day, events in counts.items() if events}


class DailyRun:
    """Publish the days that are due."""

    def __init__(self, warehouse: Warehouse, model: Model, settings: DailySettings) -> None:
        self.warehouse, self.model, self.settings = warehouse, model, settings
        self.target = model.target
        try:
            raw = marks.raw_of_changes(model.sql)
            name, changes, self.heard_by = marks.midnight_of(model.sql)
        except marks.MarkError as error:
            warehouse.refuse(f"{model.name} {error}")
        schema, identifier = name.replace("`", "").split(".")[-2:]
        relation = model.target.create(schema=schema, identifier=identifier, type="table")
        self.table = Table.read(warehouse, model.target) if model.existing is not None else None
        self.refuse_layout()
        self.states = States(warehouse, model, Mirror(relation, changes, raw, settings.unique_key))
        self.refuse_day(names_of(self.states.columns), relation)
        self.foreign = self.report_foreign()
        self.plan = self.plan_days()

    @property
    def is_copy(self) -> bool:
        return self.settings.publish == "copy"

    # -- before anything is written ----------------------------------------------------------

    def refuse_layout(self) -> None:
        """Days that are copies do not become branches, nor the other way round."""
        model, problems = self.model, []
        plain = {"publish": "branch", "publish_when": "audited"}
        if not marks.is_plain_midnight(model.sql):
            asked = [name for name, value in plain.items() if getattr(self.settings, name) == value]
            problems += [messages.not_plain(name, plain[name]) for name in asked]
        if self.table is not None:
            has_branches = self.table.names == [*names_of(BRANCH_COLUMNS), "ds"]
            if has_branches == self.is_copy:
                problems.append(messages.other_layout(model.existing, self.settings.publish))
        if problems:
            self.warehouse.refuse(messages.not_configured(model.name, problems))

    def refuse_day(self, names: Sequence[str], mirror: Any) -> None:
        """A column of the source's cannot be called as the day is."""
        if days.has_day(names):
            self.warehouse.refuse(messages.has_day(self.model.name, mirror))

    def report_foreign(self) -> list[int]:
        """Say that others have changed the days, in each run until all are written again (G3).

        Returns:
            The ids of their commits.
        """
        table, name = self.table, self.model.name
        if table is None or table.head is None or self.model.var("replay", False):
            return []
        anew = f"dbt run --select {name} --vars '{{replay: true}}'"
        told = name, self.settings.on_foreign_commit, anew
        return report_foreign(self.warehouse, table, *told)

    @property
    def told_foreign(self) -> str | None:
        """What commits carry of the commits of others."""
        return json.dumps(self.foreign) if self.foreign else None

    def plan_days(self) -> Plan:
        """Which days are written, and what is known of those that are there."""
        model, settings, states = self.model, self.settings, self.states
        previous = self.table.own_commit if self.table else None
        start = None if model.var("replay", False) else previous
        bookmark = int(start.summary[window.BOOKMARK]) if start else None
        found = window_since(self.warehouse, states.raw, bookmark, model.name)
        heard = self.watermark()
        published = self.kept(self.published(), heard.complete_until)
        late = self.late(found, published)
        told = previous.summary.get("lakemirror.known-from") if previous else None
        known_from = states.known_from(heard.heard_from, told)
        restates = settings.late_events == "restate" or model.var("replay", False)
        try:
            wanted = wanted_days(model)
            due = days.days_to_publish(
                utc(known_from),
                utc(heard.complete_until),
                {date.fromisoformat(day) for day in published},
                date.fromisoformat(min(late)) if late and restates else None,
                wanted,
                settings.keep_days,
            )
        except days.DayError as error:
            self.warehouse.refuse(f"{model.name}: {error}. Nothing was published.")
        if found:
            end: Any = found.end
        else:
            end = previous.summary[window.BOOKMARK] if previous else None
        return Plan(
            days=[day.isoformat() for day in due],
            published=published,
            late=late,
            is_reported=bool(late) and not restates and not wanted,
            known_from=known_from,
            bookmark=end,
            heard=heard,
        )

    def watermark(self) -> Heard:
        """How far the source is heard; one that nobody hears is refused."""
        found = self.warehouse.rows(self.warehouse.sql("watermark_sql", self.heard_by))[0]
        if not found["shards"]:
            self.warehouse.refuse(messages.unheard(self.model.name, self.heard_by))
        return Heard(found["heard_from"], found["complete_until"], found["proof"])

    def published(self) -> list[str]:
        """The days that the table has."""
        return [] if self.table is None else published_days(self.warehouse, self.table)

    def kept(self, published: Sequence[str], complete_until: Any) -> list[str]:
        """Those of the published days that the table keeps."""
        return kept_days(published, complete_until, self.settings.keep_days)

    def late(self, found: Window | None, published: Sequence[str]) -> dict[str, int]:
        """What has come since the bookmark from before the end of the last published day, by its
        day. Without a bookmark nobody knows what the published days have: all count as changed."""
        if not published or found is None:
            return {}
        if found.start is None:
            return {published[0]: 0}
        records = self.warehouse.sources.records_sql(self.states.mirror.raw, found.clause)
        query = self.warehouse.sql("late_events_sql", records, end_of_day(published[-1]))
        return {row["ds"]: int(row["events"]) for row in self.warehouse.rows(query)}

    # -- the days ----------------------------------------------------------------------------

    def apply(self) -> dict[str, Any] | None:
        """Publish the days that are due.

        Returns:
            What was done; None where no day is due.
        """
        warehouse, plan = self.warehouse, self.plan
        if self.table is None:
            # without a day yet it is empty, and its data tests can say so
            columns = [*(self.states.columns if self.is_copy else BRANCH_COLUMNS), DAY_COLUMN]
            made = self.target, columns, [DAY_COLUMN["name"]], DAILY_PROPERTIES
            warehouse.run(warehouse.sql("create_table_sql", *made))
        if not plan.days and not plan.is_reported:
            return None
        share(warehouse, self.states.table.bytes)
        states = self.states.at([end_of_day(day) for day in plan.days])
        if plan.late_days:
            of_late = LATE_EVENTS.create_arguments(warehouse.layers.ops)
            warehouse.run(warehouse.sql("create_table_sql", *of_late))
        with Branch(warehouse, self.target, self.model, self.head) as branch:
            if plan.is_reported:
                self.report_late(branch)
            for number, (day, state) in enumerate(zip(plan.days, states, strict=True), 1):
                is_followed = {*plan.changed} <= {*plan.days[:number]}
                self.publish(branch, day, state, is_followed)
        if not plan.days:
            return None
        return {"message": f"published {', '.join(plan.days)}", "merged_by": "overwrite"}

    @property
    def head(self) -> int | None:
        """The table's newest snapshot when its days were planned."""
        return self.table.head if self.table else None

    @cached_property
    def evolution(self) -> Evolution:
        """What the table needs for the mirror's columns; then it is altered."""
        there = [] if self.table is None else self.table.columns
        there = [column for column in there if column["name"] != "ds"] or self.states.columns
        found = evolution.plan(there, self.states.columns, [], self.states.rules)
        evolve.follow(self.warehouse, self.target, found, self.model.name)
        return found

    def publish(self, branch: "Branch", day: str, state: State, is_followed: bool) -> None:
        """One atomic overwrite of one partition: by the day's rows, or by the name of a branch that
        has them.

        Args:
            is_followed: no published day lacks what has come since, once this one is written: the
                bookmark moves.
        """
        warehouse, plan = self.warehouse, self.plan
        late = plan.late_days.get(day)
        new = self.copy(branch, state) if self.is_copy else self.branch_of(state, day)
        branch.commit(
            warehouse.sql("day_sql", branch.into, new.query, new.names, day),
            {
                "raw-snapshot-id": plan.bookmark if is_followed else None,
                "known-from": plan.known_from,
                "watermark": plan.heard.complete_until,
                "proof": plan.heard.proof,
                "ds": day,
                "late-events": late,
                "base-snapshot-id": state.base.id if state.base else None,
                "foreign-commits": self.told_foreign,
            },
            lambda: self.prove_copy(branch, day, state),
        )
        if late:
            self.restated(new, day, late)
        else:
            warehouse.say(f"{self.model.name}: published {day}")

    def copy(self, branch: "Branch", state: State) -> "Day":
        """A day whose partition has its rows."""
        rows = self.warehouse.sql("state_sql", state)
        query = marks.at_midnight(self.model.sql, rows)
        query = self.states.pinned(query, state.clause)
        query = self.warehouse.sql("fitted_sql", query, self.evolution)
        return Day(query, self.evolution.names, branch.into, self.evolution.names)

    def branch_of(self, state: State, day: str) -> "Day":
        """A day whose partition has the name of a branch. A branch and no tag: what is read by a
        branch has the columns that the table has now."""
        relation, name = self.states.mirror.relation, branch_name(day)
        snapshot = self.states.snapshot_of(state)
        rows = self.rows_at(snapshot, day)
        self.prove(state, Written(day, rows, Evolution()))
        self.warehouse.retry(
            f"alter table {relation} create or replace branch {name} as of version {snapshot}"
        )
        query = f"select '{name}' as branch, {snapshot}L as snapshot_id"
        return Day(query, names_of(BRANCH_COLUMNS), rows, state.columns)

    def rows_at(self, snapshot: int, day: str) -> str:
        """The rows of a day that a snapshot of the mirror has."""
        relation = self.states.mirror.relation
        return f"(select *, date '{day}' as ds from {relation} version as of {snapshot})"

    def prove_copy(self, branch: "Branch", day: str, state: State) -> None:
        """Audit the rows of a day that are on the run's branch."""
        if self.is_copy:
            rows = f"(select * from {branch.into} where ds = date '{day}')"
            self.prove(state, Written(day, rows, self.evolution))

    def prove(self, state: State, written: Written) -> None:
        """Audit a day that nobody sees yet, where the settings say so."""
        if self.settings.publish_when == "audited":
            DayAudit(self.states, state, written).prove()

    # -- late changes ------------------------------------------------------------------------

    @property
    def then(self) -> str:
        """The daily table as it was when its days were planned."""
        return f"{self.target} version as of {self.head}"

    @cached_property
    def snapshots_then(self) -> dict[str, int]:
        """The snapshot of the mirror that each day had."""
        rows = self.warehouse.rows(f"select cast(ds as string) as ds, snapshot_id from {self.then}")
        return {row["ds"]: int(row["snapshot_id"]) for row in rows}

    @cached_property
    def names_then(self) -> list[str]:
        """The columns that the days had."""
        query = f"select * except (ds) from {self.then}"
        return names_of(self.warehouse.columns_of(query))

    def before(self, day: str) -> tuple[str, list[str]]:
        """The rows of a day before it is written again, and their columns."""
        if self.is_copy:
            return self.then, self.names_then
        rows = self.rows_at(self.snapshots_then[day], day)
        return rows, names_of(self.warehouse.columns_of(f"select * from {rows}"))

    def restated(self, new: "Day", day: str, late: int) -> None:
        """Keep what a day that is written again has got and lost, in the columns that it had before
        and has now."""
        warehouse, (before, names) = self.warehouse, self.before(day)
        columns = [name for name in names if name in new.columns]
        query = warehouse.sql("difference_sql", before, new.rows, columns, day)
        found = warehouse.rows(query)[0]
        added, removed = int(found["rows_added"]), int(found["rows_removed"])
        self.record_late([self.late_row(day, late, "restated", added, removed)])
        warehouse.say(
            f"{self.model.name}: published {day} again, for {late} late changes: {added} rows "
            f"added, {removed} removed"
        )

    def report_late(self, branch: "Branch") -> None:
        """The bookmark goes on, in a commit that changes nothing: nothing is reported twice."""
        plan = self.plan
        counts = plan.late_days.items()
        rows = [self.late_row(day, events, "reported") for day, events in counts]
        if rows:
            changes = sum(plan.late.values())
            told = self.model.name, changes, plan.published[-1], self.warehouse.layers.ops
            self.warehouse.warn(messages.late_days(*told))
            self.record_late(rows)
        branch.commit(
            f"insert into {branch.into} select * from {self.target} where false",
            {
                "raw-snapshot-id": plan.bookmark,
                "known-from": plan.known_from,
                "foreign-commits": self.told_foreign,
            },
        )

    def late_row(
        self,
        day: str,
        events: int,
        decision: str,
        added: int | None = None,
        removed: int | None = None,
    ) -> dict[str, Any]:
        """A row of ops.late_events; the rows added and removed where they are counted."""
        return {
            "invocation_id": self.model.invocation_id,
            "model": self.model.name,
            "ds": day,
            "events": events,
            "decision": decision,
            "rows_added": added,
            "rows_removed": removed,
            "found_at": NOW,
        }

    def record_late(self, rows: Sequence[Mapping[str, Any]]) -> None:
        self.warehouse.run(LATE_EVENTS.insert_sql(self.warehouse.layers.ops, rows))


@dataclass(frozen=True)
class Day:
    """What a day's partition is overwritten by.

    Attributes:
        query: the rows of the partition.
        names: their columns.
        rows: what has the day's rows, and ds, once it is written.
        columns: the columns of these.
    """

    query: str
    names: Sequence[str]
    rows: str
    columns: Sequence[str]


class Branch:
    """A branch of a run, of which each commit becomes the table's, unless the table has moved since
    its days were planned (F35): a day would lose what another run knew of it."""

    def __init__(self, warehouse: Warehouse, target: Any, model: Model, head: int | None) -> None:
        self.warehouse, self.target, self.model, self.head = warehouse, target, model, head

    def __enter__(self) -> "Branch":
        name = begin_branch(self.warehouse, self.target, self.model.invocation_id, self.head)
        self.name, self.into = name, f"{self.target}.branch_{name}"
        # a branch of a table without a commit begins at whatever is there by now
        if self.head is None and Table.read(self.warehouse, self.target).head is not None:
            self.drop()
            raise OvertakenError(messages.committed_meanwhile(self.model.name, self.target))
        return self

    def __exit__(self, error: object, *_: object) -> None:
        # after an error it may fail too: the error is what counts
        with suppress(Exception) if error else nullcontext():
            self.drop()

    def drop(self) -> None:
        self.warehouse.retry(f"alter table {self.target} drop branch {self.name}")

    def commit(
        self,
        statement: str,
        properties: Mapping[str, Any],
        prove: Callable[[], None] = lambda: None,
    ) -> None:
        """Write on the branch, and make it the table.

        Args:
            prove: is called between the two, and ends the run where nobody is to see what it wrote.
        """
        with carrying(self.warehouse, properties):
            self.warehouse.run(statement)
        prove()
        fast_forward(self.warehouse, self.target, self.name, self.model.name)


def end_of_day(day: str) -> str:
    """The midnight (UTC) that ends a day.

    >>> end_of_day("2026-01-31")
    '2026-02-01 00:00:00'
    """
    return f"{days.end_of(date.fromisoformat(day)):%Y-%m-%d %H:%M:%S}"


def branch_name(day: str) -> str:
    return "ds_" + day.replace("-", "_")


def utc(time: Any) -> datetime | None:
    """A time of a query's result as dbt gives it: a text that means UTC."""
    return datetime.fromisoformat(str(time)).replace(tzinfo=UTC) if time else None


def published_days(warehouse: Warehouse, table: Table) -> list[str]:
    """The days that a daily table has: its commits tell those without a row, its partitions those
    whose commits have expired."""
    snapshots = table.snapshots if table.head is not None else []
    own = window.lineage(snapshots, table.head)
    committed = [s.summary[window.DAY] for s in own if window.DAY in s.summary]
    return sorted({*committed, *written_days(warehouse, table.relation)})


def written_days(warehouse: Warehouse, relation: Any) -> list[str]:
    """The days that a daily table has a partition of."""
    query = f"select cast(partition.ds as string) as ds from {relation}.partitions"
    return [row[0] for row in warehouse.rows(query)]


def kept_days(written: Sequence[str], complete_until: Any, keep_days: int | None) -> list[str]:
    """The days that a daily table keeps, of those that it has: see lakemirror.state.days.is_kept.

    Args:
        complete_until: how far the source is heard; None where the table's own newest day counts.
    """
    until = utc(complete_until)
    found = [date.fromisoformat(day) for day in written]
    newest = max([*found, *([until.date() - days.ONE_DAY] if until else [])], default=None)
    return [d.isoformat() for d in found if newest and days.is_kept(d, newest, keep_days)]


def wanted_days(model: Model) -> tuple[date, date] | None:
    """The first and the last day that a run is to publish, None for all that are due.

    The vars ``ds`` and ``ds_to`` say it, or ``--event-time-start`` and ``--event-time-end``: the
    days that end after the start, and begin before the end.
    """
    ds, ds_to = model.var("ds", None), model.var("ds_to", None)
    if ds or ds_to:
        try:
            first, last = (date.fromisoformat(str(day)) for day in (ds, ds_to or ds))
        except ValueError as error:
            raise days.DayError(f"the vars ds and ds_to: {error}") from error
        if first > last:
            raise days.DayError(f"the vars ds and ds_to: {first} comes after {last}")
        return first, last
    if model.event_time:
        start, end = model.event_time
        return start.date(), (end - timedelta(microseconds=1)).date()
    return None
