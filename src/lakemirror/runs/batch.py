"""What every run of changes begins and ends with: the window, the stage, and one commit that says
what it means."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, date, datetime, timedelta
from hashlib import sha256
from itertools import takewhile
from typing import Any, NoReturn, TypeVar

from lakemirror.landing import raw as raw_table
from lakemirror.runs import bad_rows, evolve, marks, messages
from lakemirror.runs.model import Model
from lakemirror.runs.warehouse import (
    Column,
    OvertakenError,
    Table,
    Warehouse,
    make_schema,
    make_table,
)
from lakemirror.source import evolution
from lakemirror.source.evolution import Evolution
from lakemirror.state import window
from lakemirror.state.erasures import ERASED_KEYS
from lakemirror.state.ops_tables import COUNTED
from lakemirror.state.order import ORDER
from lakemirror.state.rollback import Hold
from lakemirror.state.window import Snapshot, Window

Committed = TypeVar("Committed")
COMMIT_TRIES = 3
COMMIT_PROPERTY = "spark.sql.iceberg.snapshot-property."
ADDED_FILES = ("added-data-files", "added-delete-files")
# what a commit says of its own batch, and not of the table
OF_A_BATCH = {
    *(window.TAKEN_IN, window.MAINTAINS, window.DAY),
    *(window.PREFIX + name for name in ("unguarded", "unknown", "resync", "resync-removed")),
    *(window.PREFIX + name for name in ("repaired", "repair", "late-events")),
}
PART = {"part": "of the next commit"}  # what a commit carries that is nothing without the next
# what the query tells of a record, and the table does not keep
TOLD = ("_undecodable", "_undeclared", "_src_snapshot")


@dataclass(frozen=True)
class Batch:
    """What a run has to read and to follow.

    Attributes:
        raw: the raw table.
        window: what is read of it; None where there is nothing new.
        columns: the query's columns that the table keeps; empty where nothing is read.
        tells_undeclared: whether the query has ``_undeclared``.
        tells_snapshot: whether it has ``_src_snapshot``.
        previous: the table's newest own commit.
        is_rebuild: whether the table is made anew from raw.
        is_first: whether the table has no row yet.
        judged_by: what tells the query, and what it can use, from those of before.
        open: how many records of the model are in the quarantine.
        tries: whether another query than this one has judged some of them.
        foreign: the commits of others that the table's rows stem from.
    """

    raw: str
    window: Window | None
    columns: Sequence[Column]
    tells_undeclared: bool
    tells_snapshot: bool
    previous: Snapshot | None
    is_rebuild: bool
    is_first: bool
    judged_by: str = ""
    open: int = 0
    tries: bool = False
    foreign: Sequence[int] = ()


@dataclass(frozen=True)
class Counts:
    """What becomes of a batch's events: read = applied + stale + duplicate + ignored + quarantined.

    The macros batch_counts and log_counts_sql say what each is; ``unknown`` rows have a column
    that no change has told, None where there can be none; ``snapshot`` is the order of the newest
    full snapshot that ends in the batch, as JSON; ``nulls`` are the columns that the table needs a
    value of, and an applied row has none.
    """

    read: int = 0
    applied: int = 0
    stale: int = 0
    duplicate: int = 0
    ignored: int = 0
    quarantined: int = 0
    deletes: int = 0
    outdated: int = 0
    changed: int = 0
    ambiguous: int = 0
    partial: int = 0
    unguarded: int = 0
    incomplete: int = 0
    others: int = 0
    unknown: int | None = None
    max_src_ts: str | None = None
    snapshot: str | None = None
    undeclared: Sequence[str] = field(default_factory=list)
    nulls: Sequence[str] = field(default_factory=list)

    @classmethod
    def of(cls, rows: Iterable[Any]) -> "Counts":
        """The counts of the rows of a query together."""
        found = [{name: row[name] for name in row.keys()} for row in rows]  # noqa: SIM118, no mapping
        times = [row["max_src_ts"] for row in found if row["max_src_ts"]]
        numbers: dict[str, Any] = {n: sum(int(row.get(n, 0)) for row in found) for n in NUMBERS}
        return cls(
            **numbers,
            max_src_ts=max(times, default=None),
            snapshot=newest_snapshot(*(row.get("snapshot") for row in found)),
            undeclared=sorted({name for row in found for name in json.loads(row["undeclared"])}),
        )


NUMBERS = [each.name for each in fields(Counts) if each.type is int]


def newest_snapshot(*orders: str | None) -> str | None:
    """The newest of the orders of snapshots.

    >>> old, new = ('{"_tx_epoch": 0, "_tx_rank": %s, "_tx_order": -1}' % rank for rank in (9, 10))
    >>> newest_snapshot(new, old) == newest_snapshot(None, new) == new
    True
    """

    def place(order: str) -> list[Any]:
        found = json.loads(order)
        known = [found[name] for name in ORDER] + [found.get("_tx_log")]
        return [(value is not None, value) if value is not None else (False,) for value in known]

    return max(filter(None, orders), key=place, default=None)


class BatchRun:
    """A run that brings what raw has got since the bookmark into a table.

    Attributes:
        retried: the table of the quarantined records that are tried again, with what became of
            them; None where there is none.
        again: a query of those that can be used now, and are read beside the window; else empty.
        taken: how many they are.
    """

    retried: Any = None
    again = ""
    taken = 0

    def __init__(self, warehouse: Warehouse, model: Model, settings: Any) -> None:
        self.warehouse, self.model, self.settings = warehouse, model, settings
        self.target = model.target
        self.table = Table.read(warehouse, model.target) if model.existing is not None else None
        self.batch = self.begin()
        self.branch: str | None = None

    # -- the window --------------------------------------------------------------------------

    def begin(self) -> Batch:
        """What there is to read. Only a new table or a window needs the query's columns."""
        model, existing = self.model, self.model.existing
        allows = bool(model.var("allow_full_refresh", False))
        is_rebuild = existing is not None and model.is_full_refresh and allows
        try:
            raw = marks.raw_of_changes(model.sql)
        except marks.MarkError as error:
            self.warehouse.refuse(f"{model.name} {error}")
        self.refuse_to_lose(is_rebuild)
        if existing is None:
            self.await_raw(raw)
        table = self.table
        previous = table.own_commit if table else None
        refuse_newer(self.warehouse, previous, existing, model.name)
        foreign = self.report_foreign(table, is_rebuild)
        is_first = table is None or (previous is None and table.head is None)
        start = None if is_rebuild or model.var("replay", False) else previous
        if start is None:
            self.refuse_cut_log(raw, is_all=is_first or is_rebuild)
        found = next_window(self.warehouse, raw, start, model.name)
        judged_by = self.fingerprint()
        opened = self.warehouse.sources.quarantined(model.name)
        is_tried = any(by != judged_by for by in opened)
        if found is None and previous is not None and is_tried:
            bookmark = int(previous.summary[window.BOOKMARK])
            found = Window(bookmark, bookmark, 0)
        is_idle = found is None and existing is not None
        columns = [] if is_idle else self.warehouse.columns_of(self.pinned(raw, ""))
        return Batch(
            raw=raw,
            window=found,
            columns=[column for column in columns if column["name"] not in TOLD],
            tells_undeclared=any(column["name"] == "_undeclared" for column in columns),
            tells_snapshot=any(column["name"] == "_src_snapshot" for column in columns),
            previous=previous,
            is_rebuild=is_rebuild,
            is_first=is_first,
            judged_by=judged_by,
            open=sum(opened.values()),
            tries=is_tried,
            foreign=foreign,
        )

    def fingerprint(self) -> str:
        """Of the query and of what can be used of its rows: the settings, the schema and the code
        that a record was judged by are in them."""
        outcome = self.warehouse.sql("change_outcome", self.settings.key)
        return sha256(f"{self.model.sql}\n{outcome}".encode()).hexdigest()[:16]

    def refuse_to_lose(self, is_rebuild: bool) -> None:
        model, existing = self.model, self.model.existing
        if existing is not None and existing.is_view:
            self.warehouse.refuse(messages.is_a_view(model.name, existing))
        if existing is not None and model.is_full_refresh and not is_rebuild:
            self.warehouse.refuse(messages.full_refresh_refused(model.name, existing))

    def refuse_cut_log(self, raw: str, is_all: bool) -> None:
        """A table that is made of raw alone would lack the rows that have not changed since the
        hours that raw has dropped.

        Args:
            is_all: whether the table has nothing else.
        """
        since = Table.read(self.warehouse, raw).properties.get(window.RETAINED)
        if since is None:
            return
        if is_all and not self.model.var("from_retained_log", False):
            self.warehouse.refuse(messages.log_is_cut(self.model.name, raw, since))
        if not is_all:
            self.warehouse.warn(messages.replay_is_cut(self.model.name, raw, since))

    def report_foreign(self, table: Table | None, is_rebuild: bool) -> list[int]:
        """Say that others have changed the table: see report_foreign."""
        if table is None or is_rebuild or table.head is None:
            return []
        told = self.model.name, self.settings.on_foreign_commit
        return report_foreign(self.warehouse, table, *told)

    def warn_of_erased(self) -> None:
        """Say how many records of erased keys the window has: they are ignored, and lie in raw.
        Say too which columns are left out by an erasure alone."""
        raw, found = self.batch.raw, self.batch.window
        left_out = self.warehouse.sources.left_out(raw)
        if left_out:
            self.warehouse.warn(messages.columns_kept_out(self.model.name, raw, left_out))
        if found is None or found.is_empty or not self.warehouse.sources.is_kept_out(raw):
            return
        name = raw.replace("`", "")
        erased_keys = f"{self.warehouse.sources.layers_of(raw).ops}.{ERASED_KEYS.name}"
        records = f"{raw} {found.clause}"
        query = self.warehouse.sql("kept_out_count_sql", records, name, erased_keys)
        number = int(self.warehouse.rows(query)[0][0])
        if number:
            self.warehouse.warn(messages.kept_out(self.model.name, raw, number))

    def await_raw(self, raw: str) -> None:
        """Make the raw table of a topic that has had no record yet: its mirror is empty, and says
        so. Only in the schema that landing writes; elsewhere a table that is not there is an error.
        """
        schema, _, name = raw.replace("`", "").partition(".")
        if schema != self.warehouse.layers.raw:
            return
        make_schema(self.warehouse, schema)
        if name not in self.warehouse.tables(schema):
            self.warehouse.warn(messages.nothing_landed(self.model.name, raw))
            make_table(self.warehouse, schema, name, raw_table.create_sql(schema, name))

    def pinned(self, raw: str, clause: str) -> str:
        """The model's query with the records of a window in place of the raw table."""
        records = self.warehouse.sources.records_sql(raw, clause)
        return marks.pinned(self.model.sql, raw, records)

    @property
    def records(self) -> str:
        """What the batch is read from: the window, and the quarantined records that can be used
        now."""
        if self.window.is_empty:
            return self.again
        landed = self.warehouse.sources.records_sql(self.batch.raw, self.window.clause)
        if not self.again:
            return landed
        return f"(select * from {landed} union all select * from {self.again})"

    @property
    def landed(self) -> str:
        """All records up to the window's end, as raw's newest snapshot has them."""
        return self.warehouse.sources.records_sql(
            self.batch.raw, f"version as of {self.window.end}"
        )

    @property
    def window(self) -> Window:
        """The window of a batch that has one."""
        assert self.batch.window is not None
        return self.batch.window

    # -- the stage ---------------------------------------------------------------------------

    def stage_relation(self, is_cached: bool = False) -> Any:
        schema = None if is_cached else self.warehouse.layers.stage
        return stage_relation(self.target, self.model.invocation_id, schema)

    @contextmanager
    def dropping(self, staged: list[Any]) -> Iterator[list[Any]]:
        """Drop what has been staged, whatever happens: the newest first, which may read the rest.

        After an error a drop may fail too: the error is what counts, and what is left goes later.
        """
        try:
            yield staged
        except BaseException:
            with suppress(Exception):
                self.drop_all(staged)
            raise
        self.drop_all(staged)

    def drop_all(self, staged: Sequence[Any]) -> None:
        for stage in reversed(staged):
            self.warehouse.forget(stage)

    # -- the quarantine ----------------------------------------------------------------------

    def retry(self, staged: list[Any]) -> bool:
        """Judge the open records again that another query has put into the quarantine.

        Where the window begins at the table's bookmark, those that can be used now are read beside
        it; else it has them.

        Returns:
            Whether there is anything to merge.
        """
        if not self.batch.tries:
            return True
        sql, batch = self.warehouse.sql, self.batch
        places = sql("open_places_sql", self.model.name, batch.judged_by)
        changes = marks.pinned(self.model.sql, batch.raw, self.landed_at(places))
        beside = self.stage_relation()
        retried = beside.create(
            schema=self.warehouse.layers.stage, identifier=f"retried__{beside.identifier}"
        )
        staged.append(retried)
        self.warehouse.run(sql("retried_sql", retried, changes, self.settings.key))
        usable = f"(select * from {retried} where is_usable)"
        self.retried = retried
        query = f"select count(*) as taken, cast(min(_src_ts) as string) as first from {usable}"
        found = self.warehouse.rows(query)[0]
        self.taken = int(found["taken"])
        self.warn_of_days(found["first"])
        if self.taken and self.window.start is not None:
            self.again = self.landed_at(usable)
            records = self.window.records + self.taken
            self.batch = replace(batch, window=replace(self.window, records=records))
        if self.taken or not self.window.is_empty:
            return True
        self.settle()
        self.warn_of_quarantine(0)
        return False

    def warn_of_days(self, first: str | None) -> None:
        """Days that may be published already lack what is taken in.

        Args:
            first: the oldest source time of the records; None without a record or a time.
        """
        previous = self.batch.previous
        newest = previous.summary.get(window.NEWEST_EVENT) if previous else None
        if self.model.has_days and first and newest and first[:10] < newest[:10]:
            last = date.fromisoformat(newest[:10]) - timedelta(days=1)  # the newest is not over
            days = first[:10], last.isoformat()
            self.warehouse.warn(messages.days_lack_records(self.model.name, self.taken, *days))

    def landed_at(self, places: str) -> str:
        """The landed records at some places; only files with such offsets are read."""
        ranges = self.warehouse.rows(self.warehouse.sql("offset_ranges_sql", places))
        return self.warehouse.sql("open_records_sql", self.landed, places, ranges)

    def settle(self) -> None:
        """Settle what has been taken in. It comes behind the commit: a run that dies in between
        leaves the records open, and what the next merges again is stale or known."""
        if self.retried is None:
            return
        arguments = self.model.name, self.batch.judged_by, self.model.invocation_id
        self.warehouse.retry(self.warehouse.sql("settle_sql", self.retried, *arguments))
        if self.taken:
            self.warehouse.say(messages.taken_in(self.model.name, self.taken))

    def warn_of_quarantine(self, new: int) -> None:
        """Say how many records the table lacks: until none does, each run warns."""
        has_all = self.batch.window is not None and self.batch.window.start is None
        left = new if has_all else new + self.batch.open - self.taken
        if left:
            self.warehouse.warn(messages.quarantined(self.model.name, left, new))

    # -- what the batch tells ----------------------------------------------------------------

    def refuse_batch(self, problem: str) -> NoReturn:
        """Nothing of the batch is written; the next run reads it again."""
        self.warehouse.refuse(f"{self.model.name}: {problem} Nothing was written.")

    def report_undeclared(self, counts: Counts) -> None:
        """A schema that the connector tells is on its way, and the next landing has it; else nobody
        will tell it."""
        if not counts.undeclared:
            return
        names, policy = ", ".join(counts.undeclared), self.settings.on_undeclared
        is_coming = policy == "wait" and self.warehouse.sources.is_told(self.batch.raw)
        if policy == "fail" or is_coming:
            self.refuse_batch(messages.undeclared_refused(names))
        self.warehouse.warn(messages.undeclared_lost(names, self.model.name))

    def quarantine(self, stage: Any, counts: Counts) -> None:
        """Keep the records that cannot be used, with the reason."""
        name, judged_by = self.model.name, self.batch.judged_by
        if counts.quarantined:
            self.refuse_too_many(stage, counts)
            # the MERGE adds what is not there yet: models that meet here try again
            self.warehouse.retry(
                self.warehouse.sql("quarantine_batch_sql", stage, self.landed, name, judged_by)
            )
        if counts.quarantined and self.settings.on_bad_rows == "fail":
            self.refuse_batch(
                messages.bad_rows(counts.quarantined, name, self.warehouse.layers.ops)
            )
        self.warn_of_quarantine(counts.quarantined)

    def refuse_too_many(self, stage: Any, counts: Counts) -> None:
        """A setting that is wrong makes most records bad: then none is written, nor quarantined."""
        limit = self.settings.max_bad_rows_percent
        if not bad_rows.are_too_many(counts.quarantined, counts.read, limit):
            return
        sources = self.warehouse.sources
        columns = {column["name"]: column for column in sources.columns(self.batch.raw)}
        connector = sources.connector(self.batch.raw) if columns else None
        rows = self.warehouse.rows(self.warehouse.sql("bad_examples_sql", stage, self.landed))
        examples = [bad_rows.bad_example(row, columns, connector) for row in rows]
        self.refuse_batch(messages.too_many_bad(counts.quarantined, counts.read, limit, examples))

    # -- columns and properties --------------------------------------------------------------

    def plan_columns(self, own: Sequence[Column], **rules: Any) -> Evolution:
        """What the table needs for the batch's rows; a rebuilt one keeps no column of before."""
        batch = self.batch
        found = evolve.rules_of(self.warehouse, batch.raw, **rules)
        if batch.is_rebuild:
            return evolution.plan([], batch.columns, [], found)
        there = self.described.columns
        planned = evolution.plan(there, batch.columns, own, found)
        evolve.refuse_problems(self.warehouse, planned, self.target, own, self.model.name)
        return planned

    def fitted(self, plan: Evolution) -> str:
        """The window's changes as the table takes them."""
        query = marks.pinned(self.model.sql, self.batch.raw, self.records)
        return self.warehouse.sql("fitted_sql", query, plan)

    def follow(self, plan: Evolution) -> None:
        """Alter the table as planned."""
        evolve.follow(self.warehouse, self.target, plan, self.model.name)

    @property
    def described(self) -> Table:
        """What the table says of itself; one that is new is asked once it is made."""
        if self.table is None:
            self.table = Table.read(self.warehouse, self.target)
        return self.table

    def follow_properties(self, tombstones: Any = None) -> None:
        """Give a table the properties of its configuration; its tombstones first: where the table
        has its properties, they have theirs."""
        name, target = self.model.name, self.target
        properties = self.settings.properties
        changed = evolve.changed_properties(self.warehouse, self.described, properties, name)
        if not changed:
            return
        if tombstones is not None:
            own = tombstone_properties(changed)
            self.set_properties(tombstones, own)
        self.set_properties(target, changed)
        self.warehouse.say(f"{name}: {target} has new properties: {changed}")

    # -- the commit --------------------------------------------------------------------------

    def set_properties(self, relation: Any, properties: Mapping[str, Any]) -> None:
        clause = self.warehouse.sql("properties_clause", properties)
        self.warehouse.retry(f"alter table {relation} set {clause}")

    def properties(self, counts: Counts, merged_by: str, **more: Any) -> dict[str, Any]:
        """What the commit carries: the bookmark, the counts, and the newest source time there has
        been. A value of None is left out."""
        before = self.batch.previous.summary if self.batch.previous else {}
        lost = json.loads(before.get("lakemirror.undeclared", "[]"))
        lost = [] if self.batch.is_rebuild else lost
        undeclared = sorted({*lost, *counts.undeclared})
        times = [before.get(window.NEWEST_EVENT), counts.max_src_ts]
        return {
            "raw-table": self.batch.raw,
            "raw-snapshot-id": self.window.end,
            "merged-by": merged_by,
            "max-src-ts": max((time for time in times if time), default=None),
            **{name: getattr(counts, name) for name in COUNTED},
            "unguarded": counts.unguarded or None,
            "unknown": counts.unknown,
            "taken-in": self.taken or None,
            "undeclared": json.dumps(undeclared) if undeclared else None,
            "foreign-commits": json.dumps([*self.batch.foreign]) if self.batch.foreign else None,
            **more,
            "layout": window.LAYOUT,
            "invocation-id": self.model.invocation_id,
        }

    def begin_branch(self) -> str:
        """A branch of this run: a commit on it counts only if the table has not moved meanwhile."""
        self.branch = begin_branch(self.warehouse, self.target, self.model.invocation_id)
        return f"{self.target}.branch_{self.branch}"

    def refuse_overtaken(self) -> None:
        """Another run may have committed since this one began: its bookmark must not go back.

        Raises:
            OvertakenError: it has.
        """
        previous = self.batch.previous
        now = Table.read(self.warehouse, self.target)
        hold = Hold.of(now.properties)
        if hold is not None:
            self.drop_branch()
            raise OvertakenError(messages.held(self.model.name, hold.to))
        if previous is not None and now.head == previous.id:
            return
        newest = now.own_commit
        ids = (window.run_commit_id(commit) if commit else None for commit in (newest, previous))
        if len({*ids}) == 1:
            return
        self.drop_branch()
        raise OvertakenError(messages.overtaken(self.model.name, self.target))

    def until_committed(self, commit: Callable[[], Committed]) -> Committed:
        """Commit, and again where maintenance alone has committed meanwhile (F36): the rows that
        the batch was compared with are the same."""
        for _ in range(COMMIT_TRIES - 1):
            try:
                return commit()
            except OvertakenError:
                if not self.is_maintained():
                    raise
        return commit()

    def is_maintained(self) -> bool:
        """Whether all that the table has got since the run began is maintenance."""
        previous, now = self.batch.previous, Table.read(self.warehouse, self.target)
        if previous is None or now.head == previous.id or Hold.of(now.properties):
            return False
        lineage = window.lineage(now.snapshots, now.head)
        since = [*takewhile(lambda snapshot: snapshot.id != previous.id, lineage)]
        return len(since) < len(lineage) and all(
            snapshot.operation == "replace" or window.MAINTAINS in snapshot.summary
            for snapshot in since
        )

    def is_done(self) -> bool:
        """Whether another run has merged all that this one has read (F34, F35)."""
        newest = Table.read(self.warehouse, self.target).own_commit
        if newest is None or self.batch.window is None or self.batch.is_rebuild:
            return False
        raw = Table.read(self.warehouse, self.batch.raw)
        merged = window.lineage(raw.snapshots, int(newest.summary[window.BOOKMARK]))
        return self.batch.window.end in {snapshot.id for snapshot in merged}

    def drop_branch(self) -> None:
        if self.branch:
            self.warehouse.retry(f"alter table {self.target} drop branch {self.branch}")

    def commit(
        self,
        statement: str,
        properties: Mapping[str, Any],
        prove: Callable[[], None] | None = None,
    ) -> None:
        """One commit that says what it means; on a branch it becomes the table's, or never was."""
        place = self.target, self.branch, self.model.name
        commit(self.warehouse, statement, properties, *place, prove)

    def finish(self, counts: Counts, merged_by: str) -> dict[str, Any]:
        """Keep the window's end in raw, and say what was done."""
        tag = f"lakemirror_{self.target.schema}_{self.target.identifier}"  # the next starts here
        self.warehouse.retry(self.warehouse.sql("tag_sql", self.batch.raw, tag, self.window.end))
        did = {name: getattr(counts, name) for name in COUNTED} | {"unguarded": counts.unguarded}
        self.warehouse.say(messages.counts_line(self.model.name, did))
        self.settle()
        return did | {"merged_by": merged_by}


def stage_relation(target: Any, invocation_id: str, schema: str | None) -> Any:
    """A name of its own for every run: two runs at once never touch each other's batch.

    Args:
        schema: None of a cached batch, which is a temporary view.
    """
    now = f"{datetime.now(UTC):%Y%m%dt%H%M%S}"
    name = f"{target.schema}__{target.identifier}__{now}_{invocation_id[:8]}"
    return target.create(schema=schema, identifier=name)


def next_window(warehouse: Warehouse, raw: str, own: Snapshot | None, model: str) -> Window | None:
    """What ``raw`` has got since the bookmark of a commit; all of it without a commit.

    See lakemirror.state.window.next_window.
    """
    bookmark = int(own.summary[window.BOOKMARK]) if own else None
    try:
        table = Table.read(warehouse, raw)
        if table.head == bookmark:
            return None
        return window.next_window(raw, table.snapshots, table.head, bookmark)
    except window.WindowError as error:
        warehouse.refuse(messages.window_lost(model, raw, error))


def refuse_newer(warehouse: Warehouse, commit: Snapshot | None, relation: Any, model: str) -> None:
    """Leave a table as it is that a newer lakemirror has written.

    Args:
        commit: its newest own one.
    """
    layout = int(commit.summary.get(window.LAYOUT_PROPERTY, 1)) if commit else 1
    if layout > window.LAYOUT:
        warehouse.refuse(messages.newer_layout(model, relation, layout))


def report_foreign(
    warehouse: Warehouse, table: Table, model: str, policy: str, anew: str = ""
) -> list[int]:
    """Say that others have changed a table, in each run until it is made anew (G3).

    Args:
        policy: ``on_foreign_commit`` of its model.
        anew: the command that makes it anew; see lakemirror.runs.messages.foreign_commits.

    Returns:
        The ids of their commits.
    """
    own = table.own_commit
    known = json.loads(own.summary.get(window.FOREIGN, "[]")) if own else []
    commits = table.foreign_commits
    if known or commits:
        relation = table.relation
        text = messages.foreign_commits(model, relation, commits, len(known), anew)
        tell_foreign(warehouse, policy, text)
    return [*known, *(commit.id for commit in reversed(commits))]


def told_foreign(table: Table) -> dict[str, str]:
    """What a commit carries of the commits of others that a table has, of those too that no run has
    kept yet; nothing without."""
    own = table.own_commit
    known = json.loads(own.summary.get(window.FOREIGN, "[]")) if own else []
    ids = [*known, *(commit.id for commit in reversed(table.foreign_commits))]
    return {"foreign-commits": json.dumps(ids)} if ids else {}


def tell_foreign(warehouse: Warehouse, policy: str, text: str) -> None:
    """Warn of others' commits, or refuse to go on, as the policy says."""
    if policy != "ignore":
        tell = warehouse.refuse if policy == "fail" else warehouse.warn
        tell(text)


def begin_branch(
    warehouse: Warehouse,
    target: Any,
    invocation_id: str,
    head: int | None = None,
    prefix: str = "lakemirror_",
) -> str:
    """A branch of a run.

    Args:
        head: the snapshot that it begins at; None for the table's newest.
        prefix: what its name begins with.
    """
    branch = prefix + invocation_id.replace("-", "_")
    start = f" as of version {head}" if head else ""
    warehouse.retry(f"alter table {target} create or replace branch {branch}{start} retain 1 days")
    return branch


def branch_head(warehouse: Warehouse, relation: Any, branch: str) -> int:
    """The newest snapshot of a branch."""
    rows = warehouse.rows(f"select snapshot_id from {relation}.refs where name = '{branch}'")
    return int(rows[0][0])


def commit(
    warehouse: Warehouse,
    statement: str,
    properties: Mapping[str, Any],
    target: Any,
    branch: str | None,
    model: str,
    prove: Callable[[], None] | None = None,
) -> None:
    """Run a statement whose commit carries ``properties``, and make its branch the table.

    Args:
        prove: raises an error where the branch is not to be the table.
    """
    with carrying(warehouse, properties):
        warehouse.run(statement)
    if branch:
        with dropped_on_error(warehouse, target, branch):
            if prove:
                prove()
            publish(warehouse, target, branch, model)


def carried_on(own: Snapshot, merged_by: str, invocation_id: str) -> dict[str, Any]:
    """What a commit that reads no event carries on of an own one: the bookmark and all else that
    the table knows beside its rows, but not what became of a batch.

    Returns:
        Its properties, without their prefix.

    >>> of = {"lakemirror.raw-snapshot-id": "7", "lakemirror.read": "9", "lakemirror.ds": "2"}
    >>> carried_on(Snapshot(3, None, "append", of), "repair", "0")
    {'raw-snapshot-id': '7', 'read': 0, 'merged-by': 'repair', 'invocation-id': '0'}
    """
    kept = {
        name.removeprefix(window.PREFIX): value
        for name, value in own.summary.items()
        if name.startswith(window.PREFIX) and name not in OF_A_BATCH
    }
    counts = {name: 0 for name in COUNTED if name in kept}
    return {**kept, **counts, "merged-by": merged_by, "invocation-id": invocation_id}


@contextmanager
def carrying(warehouse: Warehouse, properties: Mapping[str, Any]) -> Iterator[None]:
    """What is set here is written in the summary of the session's next commits."""
    given = {f"{COMMIT_PROPERTY}lakemirror.{n}": v for n, v in properties.items() if v is not None}
    warehouse.configure(given)
    try:
        yield
    finally:
        warehouse.configure(dict.fromkeys(given))


def publish(warehouse: Warehouse, target: Any, branch: str, model: str) -> None:
    """Make a branch the table, and end it, in one commit where Iceberg's API is at hand, unless the
    table has moved since it began (F35).

    Raises:
        OvertakenError: it has moved.
    """
    with or_overtaken(target, model):
        is_done = warehouse.publish(target, branch)
    if not is_done:
        fast_forward(warehouse, target, branch, model)
        warehouse.retry(f"alter table {target} drop branch {branch}")


def fast_forward(warehouse: Warehouse, target: Any, branch: str, model: str) -> None:
    """Make a branch the table, likewise, and go on with it.

    Raises:
        OvertakenError: the table has moved.
    """
    name = warehouse.sql("lakemirror_string", target)
    with or_overtaken(target, model):
        warehouse.retry(f"call system.fast_forward({name}, 'main', '{branch}')")


@contextmanager
def dropped_on_error(warehouse: Warehouse, relation: Any, branch: str) -> Iterator[None]:
    """A branch that has not become the table goes; the error is what counts, and not its end."""
    try:
        yield
    except BaseException:
        with suppress(Exception):
            warehouse.retry(f"alter table {relation} drop branch if exists {branch}")
        raise


@contextmanager
def or_overtaken(target: Any, model: str) -> Iterator[None]:
    """What Iceberg says of a branch that does not begin at the table's newest snapshot."""
    try:
        yield
    except Exception as error:
        if "not an ancestor" not in str(error):
            raise
        raise OvertakenError(messages.committed_meanwhile(model, target)) from error


def add_nothing(
    warehouse: Warehouse, relation: Any, into: Any, properties: Mapping[str, Any]
) -> None:
    """A commit that changes no row, and carries ``properties``.

    Args:
        into: the table, or a branch of it.
    """
    with carrying(warehouse, properties):
        warehouse.run(f"insert into {into} select * from {relation} where false")


def drop_whole_files(
    warehouse: Warehouse,
    table: Table,
    branch: str,
    delete: Callable[[str], str],
    properties: Mapping[str, Any],
    name: str,
) -> None:
    """Let whole files go by metadata alone, on a branch that becomes the table; Spark gives such a
    commit no property, and the next one says that it was ours.

    Args:
        branch: one that has just begun; it is dropped.
        delete: the statement that drops the files of a branch.
        properties: what the next commit carries beside.
        name: what the table is called where it has moved.

    Raises:
        OvertakenError: the table has moved.
        RuntimeError: files would have been written; nothing has gone.
    """
    relation = table.relation
    into = f"{relation}.branch_{branch}"
    with dropped_on_error(warehouse, relation, branch):
        warehouse.run(delete(into))
        head = branch_head(warehouse, relation, branch)
        there = Table.read(warehouse, relation).snapshots
        summary = next(snapshot.summary for snapshot in there if snapshot.id == head)
        if any(int(summary.get(count, 0)) for count in ADDED_FILES):
            raise RuntimeError(f"{relation}: not by metadata alone: nothing has gone")
        add_nothing(warehouse, relation, into, {**properties, "dropped-by": head})
        publish(warehouse, relation, branch, name)


def tombstones_of(mirror: Any) -> Any:
    """The table of a mirror's remembered deletes."""
    return mirror.incorporate(path={"identifier": f"{mirror.identifier}__tombstones"})


def tombstone_properties(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Only pruning changes tombstones."""
    return {**properties, "write.merge.mode": "copy-on-write"}
