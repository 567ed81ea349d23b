"""What a mirror was at a time: its newest commit from before, and the changes since."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import md5
from typing import Any

from lakemirror.runs import evolve, marks, messages
from lakemirror.runs.batch import branch_head, refuse_newer, stage_relation, tombstones_of
from lakemirror.runs.mirror import base_tags
from lakemirror.runs.mirror_plan import soft_columns, unsent_columns
from lakemirror.runs.model import Model
from lakemirror.runs.warehouse import Column, Table, Warehouse, names_of
from lakemirror.source import evolution
from lakemirror.source.evolution import Rules
from lakemirror.state import order, window
from lakemirror.state.table_schema import SchemaChange
from lakemirror.state.tombstones import Memory
from lakemirror.state.window import Snapshot, Window

BASE = "_base_id"  # which column of bases_sql comes before those of a commit
NOTHING = "where false"  # the clause of a raw table of which nothing is read


@dataclass(frozen=True)
class State:
    """What a mirror was at a time is made of.

    Attributes:
        time: the time, as ``2026-01-31 00:00:00`` (UTC).
        key: the key columns.
        columns: the names of the mirror's columns.
        filled: those that are filled one by one: see lakemirror.runs.mirror.Shape.
        base: the commit that it starts from; None where it is made of raw alone.
        before: the rows of that commit, in the columns of now; None without.
        is_in_place: whether its files have these rows, and nothing has to be filled in.
        floor: the newest TRUNCATE that the commit knows.
        changes: the changes, as a relation or a query in parentheses.
        deletes: the remembered deletes.
        is_resynced: whether one of them may outdate a row of the commit that no change tells of.
        clause: which records of raw are read.
    """

    time: str
    key: Sequence[str]
    columns: Sequence[str]
    filled: Sequence[str]
    base: Snapshot | None
    before: str | None
    is_in_place: bool
    floor: Mapping[str, Any] | None
    changes: str
    deletes: str
    is_resynced: bool
    clause: str

    @property
    def is_base(self) -> bool:
        """Whether it is what the commit was, since nothing from before its time has come later."""
        return self.base is not None and self.clause == NOTHING and not self.is_resynced


@dataclass(frozen=True)
class Mirror:
    """A mirror that states are asked of.

    Attributes:
        relation: its table.
        changes: the staging model of its changes.
        raw: the raw table of these.
        key: the key columns.
    """

    relation: Any
    changes: str
    raw: str
    key: Sequence[str]


class States:
    """The states of one mirror; what does not depend on the time is asked once."""

    def __init__(
        self, warehouse: Warehouse, model: Model, mirror: Mirror, table: Table | None = None
    ) -> None:
        self.warehouse, self.model, self.mirror = warehouse, model, mirror
        self.table = table or Table.read(warehouse, mirror.relation)
        newest = window.newest_own_commit(self.lineage)
        refuse_newer(warehouse, newest, mirror.relation, model.name)

    @cached_property
    def raw(self) -> Table:
        return Table.read(self.warehouse, self.mirror.raw)

    @cached_property
    def memory(self) -> Memory:
        """The deletes that are remembered."""
        return Table.read(self.warehouse, tombstones_of(self.mirror.relation)).memory()

    @cached_property
    def columns(self) -> list[Column]:
        """The mirror's columns: a row that is deleted softly is in no state."""
        soft = names_of(soft_columns("soft"))
        return [column for column in self.table.columns if column["name"] not in soft]

    @cached_property
    def staged_columns(self) -> list[Column]:
        """The columns of the changes."""
        query = self.model.with_staging(f"select * from {self.mirror.changes}")
        return [*self.warehouse.columns_of(query)]

    @cached_property
    def rules(self) -> Rules:
        """A state follows the mirror, whatever has been decided there."""
        return evolve.rules_of(self.warehouse, self.mirror.raw, on_type_conflict="string")

    @cached_property
    def fitted(self) -> evolution.Evolution:
        """The changes as the mirror has taken them."""
        return evolution.plan(self.columns, self.staged_columns, [], self.rules)

    @cached_property
    def lineage(self) -> list[Snapshot]:
        """The mirror's history, newest first."""
        head = self.table.head
        return [] if head is None else window.lineage(self.table.snapshots, head)

    @cached_property
    def kept(self) -> Collection[int]:
        """The commits that tags keep, since days start from them. They are asked for only where
        expiry has cut the history."""
        oldest = self.lineage[-1:]
        if not oldest or oldest[0].parent is None:
            return ()
        return base_tags(self.warehouse, self.mirror.relation).values()

    @cached_property
    def outdated(self) -> set[int]:
        """The commits of the mirror that were not right by what was known later: see
        lakemirror.state.window.outdated."""
        return window.outdated(self.lineage, self.kept)

    def since(self, commit: Snapshot | None) -> Window | None:
        """What raw has got since the bookmark of a commit; all of it without a commit."""
        start = int(commit.summary[window.BOOKMARK]) if commit else None
        return window_since(self.warehouse, self.raw, start, self.model.name)

    def at(self, times: Sequence[str]) -> list[State]:
        """What the mirror was at each of ``times`` is made of. With a change from before what the
        tombstones remember, all of raw is read: it has the deletes; and so it is of a commit that
        lacks records which have come out of the quarantine since, or that was repaired."""
        bases = [self.base_of(time) for time in times]
        forgotten = self.forgotten([base for base in bases if base])
        bases = [
            None if base and (base.id in forgotten or base.id in self.outdated) else base
            for base in bases
        ]
        for time, base in zip(times, bases, strict=True):
            if base is None:
                self.refuse_lacking(time)
        before = self.before([base for base in bases if base])
        pairs = [*zip(times, bases, strict=True)]
        changed = self.changed([(time, base) for time, base in pairs if base])
        return [self.state(time, base, before, changed) for time, base in pairs]

    def changed(self, pairs: Sequence[tuple[str, Snapshot]]) -> set[tuple[str, int]]:
        """The times and commits, of some, between which a change has come from before the time."""
        asked = [
            (time, base.id, found.clause) for time, base in pairs if (found := self.since(base))
        ]
        if not asked:
            return set()
        counts = []
        for time, number, clause in asked:
            query = self.warehouse.sql("changes_before_sql", self.mirror.changes, time, number)
            counts.append(self.pinned(self.model.with_staging(query), clause))
        rows = self.warehouse.rows(
            " union all ".join(f"select * from ({query})" for query in counts)
        )
        return {(str(row["time"]), int(row["base"])) for row in rows if int(row["changes"])}

    def state(
        self,
        time: str,
        base: Snapshot | None,
        before: Mapping[int, tuple[str, bool]],
        changed: Collection[tuple[str, int]],
    ) -> State:
        """What the mirror was at a time is made of.

        Args:
            before: the rows of each commit by its id, and whether its files have them.
            changed: see ``changed``.
        """
        rows, is_in_place = before[base.id] if base else (None, False)
        is_changed = base is None or (time, base.id) in changed
        found = self.since(base) if is_changed else None
        names = names_of(self.columns)
        return State(
            time=time,
            key=self.mirror.key,
            columns=names,
            filled=unsent_columns(names, self.mirror.key),
            base=base,
            before=rows,
            is_in_place=is_in_place,
            floor=order.kept(base.summary, order.FLOOR, None) if base else None,
            changes=self.changes,
            deletes=self.memory.deletes,
            is_resynced=base is not None and window.is_resynced(self.lineage, base.id),
            clause=found.clause if found else NOTHING,
        )

    @cached_property
    def changes(self) -> str:
        """The changes with the mirror's columns."""
        changes = self.mirror.changes
        if not self.fitted.fitted:
            return changes
        return f"({self.warehouse.sql('fitted_sql', f'select * from {changes}', self.fitted)})"

    def base_of(self, time: str) -> Snapshot | None:
        """The newest commit of the mirror all whose events lie before ``time``. Expiry may have cut
        the history before it: then it is known by its tag."""
        if self.model.var("replay", False) or not self.lineage:
            return None
        table = self.table
        return window.newest_commit_before(time, table.snapshots, table.head, self.kept)

    def forgotten(self, bases: Sequence[Snapshot]) -> set[int]:
        """The commits since which a change came that a forgotten delete may outdate."""
        windows = {base.id: self.since(base) for base in bases}
        if not self.memory.pruned_until or not any(windows.values()):
            return set()
        records = {
            base: self.warehouse.sources.records_sql(self.mirror.raw, found.clause)
            for base, found in windows.items()
            if found
        }
        rows = self.warehouse.rows(self.warehouse.sql("changed_from_sql", records))
        return {int(row["base"]) for row in rows if self.memory.may_lack(row["changed_from"])}

    def before(self, bases: Sequence[Snapshot]) -> dict[int, tuple[str, bool]]:
        """The rows of commits by their ids; where the table had other columns then, as they are
        now. And whether a reader of the commit's files finds them, by the table's columns."""
        warehouse, raw = self.warehouse, self.mirror.raw
        defaults = evolve.default_values(warehouse, raw, [], self.model.name)
        unread = {}
        if bases and defaults:
            schema = warehouse.schema_of(self.mirror.relation)
            unread = evolve.unread(defaults, self.fitted.places, schema)
        returned, there = evolve.returned_columns(warehouse, raw), self.columns
        late = evolve.late_columns(warehouse, raw)
        by_id, found = {base.id: base for base in bases}, {}
        known = evolve.as_of_rows(warehouse, raw, defaults)
        for number, then in self.columns_then([*by_id]).items():
            base = by_id[number]
            projected = evolution.projected(there, then, self.rules, known)
            names = {column["name"] for column in then}
            both = [*returned, *(column for column in late if column["name"] in names)]
            back = evolve.to_renew(both, base, self.fitted.places, defaults, there)
            columns = evolve.renewed(warehouse, projected, back)
            rows = warehouse.sql("before_midnight_sql", self.mirror.relation, base, columns)
            found[number] = rows, not (back or evolution.fills(then, there, unread))
        return found

    def columns_then(self, ids: Sequence[int]) -> dict[int, list[Column]]:
        """The columns that the mirror had at each of some snapshots; all are asked for at once."""
        then: dict[int, list[Column]] = {}
        if not ids:
            return then
        query = self.warehouse.sql("bases_sql", self.mirror.relation, ids)
        rest = iter(ids)
        for column in self.warehouse.columns_of(query):
            if column["name"] == BASE:
                columns = then.setdefault(next(rest), [])
            else:
                columns.append(column)
        return then

    def refuse_lacking(self, time: str) -> None:
        """What a table was that is made of raw alone needs all of raw (F49)."""
        for row in self.lacking:
            self.warehouse.refuse(
                messages.state_lost(
                    self.model.name, self.mirror.relation, time, self.mirror.raw, row
                )
            )

    @cached_property
    def lacking(self) -> Sequence[Any]:
        """The partitions of which raw does not have all that was landed."""
        raw = self.mirror.raw
        records = self.warehouse.sources.records_sql(raw)
        landing = self.warehouse.sources.landing_of(raw, self.model.ref("landing"))
        name = raw.replace("`", "").split(".")[1]
        return self.warehouse.rows(self.warehouse.sql("lacking_sql", landing, name, records))

    def known_from(self, heard_from: str | None, told: str | None) -> str | None:
        """From when on the table is known: the first heartbeat, or the end of the snapshot that the
        connector has taken it up by. Days carry it on, since a later snapshot changes nothing of
        it.

        Args:
            told: what was known of it before.
        """
        found = None if told else self.since(None)
        if found is not None:
            is_told = "_src_snapshot" in names_of(self.staged_columns)
            query = self.warehouse.sql("snapshot_end_sql", self.mirror.changes, is_told)
            rows = self.warehouse.rows(self.pinned(self.model.with_staging(query), found.clause))
            told = max(filter(None, (rows[0][0], self.first_known)), default=None)
        times = [time for time in (heard_from, told) if time]
        return max(times) if heard_from else None

    @property
    def first_known(self) -> str | None:
        """Where raw has dropped hours, a state starts from a commit of the mirror: the newest event
        of the oldest one."""
        if window.RETAINED not in self.raw.properties:
            return None
        kept = {*self.kept, *(commit.id for commit in self.lineage)}
        newest = (
            s.summary.get(window.NEWEST_EVENT)
            for s in self.table.snapshots
            if s.id in kept and window.BOOKMARK in s.summary
        )
        return min(filter(None, newest), default=None)

    def pinned(self, query: str, clause: str) -> str:
        records = self.warehouse.sources.records_sql(self.mirror.raw, clause)
        return marks.pinned(query, self.mirror.raw, records)

    # -- as a snapshot of the mirror ---------------------------------------------------------

    def snapshot_of(self, state: State) -> int:
        """A snapshot of the mirror that has a state's rows, beside its history.

        A branch from the commit to start from gets what has changed since; without one, or where
        its rows lack what a column came with, all rows.
        Only live ones: a row that is deleted softly is in no day either.
        """
        warehouse, relation = self.warehouse, self.mirror.relation
        is_soft = "_is_deleted" in self.table.names
        if state.base and state.is_base and state.is_in_place and not is_soft:
            return state.base.id
        # two models of a run may do this at once
        names = self.model.invocation_id + self.model.unique_id
        branch = f"lakemirror_cut_{md5(names.encode()).hexdigest()}"
        into = f"{relation}.branch_{branch}"
        start = f" as of version {state.base.id}" if state.base else ""
        warehouse.retry(
            f"alter table {relation} create or replace branch {branch}{start} retain 1 days"
        )
        if state.is_in_place:
            if not state.is_base:
                self.remove_changed(into, state)
            if is_soft:
                warehouse.run(f"delete from {into} as target where target._is_deleted")
        soft = names_of(soft_columns("soft")) if is_soft else []
        values = ", false, cast(null as timestamp)" if is_soft else ""
        rows = warehouse.sql("state_sql", state, not state.is_in_place)
        query = self.model.with_staging(f"select *{values} from {rows}")
        listed = warehouse.sql("key_columns", [*state.columns, *soft])
        verb = "into" if state.is_in_place else "overwrite"
        statement = f"insert {verb} {into} ({listed}) {self.pinned(query, state.clause)}"
        try:
            warehouse.run(statement)
        except Exception:
            if not self.relax(rows, state.clause):
                raise
            warehouse.run(statement)
        head = branch_head(warehouse, relation, branch)
        warehouse.retry(f"alter table {relation} drop branch {branch}")
        return head

    def relax(self, rows: str, clause: str) -> bool:
        """Let columns be null that a state has a null in: they are required by the rows of now.

        It is asked once an insert has failed: to ask before would make each state twice.

        Args:
            rows: the state's, in parentheses.
            clause: which records of raw they are made of.

        Returns:
            Whether there were such columns.
        """
        warehouse, relation = self.warehouse, self.mirror.relation
        schema = warehouse.schema_of(relation)
        names = sorted(schema.required - {*schema.named(self.mirror.key)}) if schema else []
        if not names:
            return False
        query = self.model.with_staging(warehouse.sql("null_counts_sql", rows, names))
        counts = zip(names, warehouse.rows(self.pinned(query, clause))[0], strict=True)
        optional = [name for name, number in counts if number]
        if optional:
            warehouse.change_schema(relation, SchemaChange(optional=optional))
        return bool(optional)

    def remove_changed(self, into: str, state: State) -> None:
        """Delete the rows that state_sql makes anew or lets go of."""
        warehouse, sql = self.warehouse, self.warehouse.sql
        touched = stage_relation(self.mirror.relation, self.model.invocation_id, None)
        warehouse.configure({"spark.sql.legacy.storeAnalyzedPlanForView": "true"})
        query = self.model.with_staging(
            sql("changed_before_sql", state.changes, state.key, state.time)
        )
        warehouse.stage(touched, self.pinned(query, state.clause), None)
        try:
            found = warehouse.rows(sql("changed_counts_sql", touched))[0]
            if found["_tx_rank"] is not None:
                floor = {name: int(found[name]) for name in order.ORDER}
                condition = sql("floor_condition", "target", "<", floor)
                warehouse.run(f"delete from {into} as target where {condition}")
            if int(found["changes"]):
                warehouse.run(sql("remove_replaced_sql", into, touched, state.key, "broadcast"))
            if state.filled:
                warehouse.run(f"delete from {into} as target where target._unsent is not null")
            if state.is_resynced:
                deletes = state.deletes, state.key, state.time
                warehouse.run(sql("remove_deleted_sql", into, *deletes))
        finally:
            warehouse.forget(touched)


def window_since(warehouse: Warehouse, raw: Table, start: int | None, model: str) -> Window | None:
    """What a raw table has got since a bookmark, or all of it."""
    if raw.head is None or raw.head == start:
        return None
    try:
        return window.next_window(str(raw.relation), raw.snapshots, raw.head, start)
    except window.WindowError as error:
        warehouse.refuse(messages.window_lost(model, str(raw.relation), error))
