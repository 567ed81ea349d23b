"""A run of a mirror: stage, order, judge and count, refuse or go on; then one commit."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from lakemirror.class_data import JAVA_OPTIONS, QUICK
from lakemirror.runs import evolve, messages
from lakemirror.runs.audited_publication import prove_branch, prove_table
from lakemirror.runs.batch import (
    PART,
    Counts,
    carrying,
    newest_snapshot,
    tell_foreign,
    tombstone_properties,
    tombstones_of,
)
from lakemirror.runs.evolve import Updates
from lakemirror.runs.mirror_plan import Known, Place, Plan, Shape, soft_columns, unsent_columns
from lakemirror.runs.mirror_schema import SchemaRun
from lakemirror.runs.model import Model
from lakemirror.runs.route import Facts, Route, choose_route
from lakemirror.runs.settings import MirrorSettings
from lakemirror.runs.warehouse import SHUFFLE, Table, Warehouse, names_of, quoted, share
from lakemirror.source import evolution
from lakemirror.source.evolution import Evolution
from lakemirror.state import buckets, order, window
from lakemirror.state.rollback import TOMBSTONES, Hold
from lakemirror.state.technical import payload
from lakemirror.state.tombstones import Memory
from lakemirror.state.window import BASE_TAG

SNAPSHOT = "lakemirror.snapshot"
REQUIRED = "lakemirror.required"  # of a rebuild: the columns that its rows have no null in
ABSENT = "lakemirror.absent-rows"  # of the table: what it lacks of its newest full snapshot
MANY = 1_000_000  # records that are worth another compiler
ORDER_COLUMNS = (
    *("_tx_log", "_tx_epoch", "_tx_rank", "_tx_order"),
    *("_src_ts", "_kfk_partition", "_kfk_offset"),
)
SMALL_BATCH = {
    # a cached batch is planned once, in few tasks, and a thousand large rows fit in memory
    "spark.sql.legacy.storeAnalyzedPlanForView": "true",
    "spark.sql.optimizer.canChangeCachedPlanOutputPartitioning": "true",
    "spark.sql.inMemoryColumnarStorage.batchSize": "1000",
    "spark.sql.inMemoryColumnarStorage.compressed": "false",
    # its few deletes are one file a partition
    "spark.sql.iceberg.distribution-mode": "hash",
    # many small files of the mirror are one task, and no stage is planned anew
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.iceberg.read.adaptive-split-size.enabled": "false",
}
BUCKET_JOIN = {
    # with these, a join of two tables bucketed alike moves neither
    "spark.sql.sources.v2.bucketing.enabled": "true",
    "spark.sql.sources.v2.bucketing.pushPartValues.enabled": "true",
    "spark.sql.requireAllClusterKeysForCoPartition": "false",
    "spark.sql.iceberg.planning.preserve-data-grouping": "true",
}


class MirrorRun(SchemaRun):
    """Merge what raw has got since the bookmark."""

    def __init__(self, warehouse: Warehouse, model: Model, settings: MirrorSettings) -> None:
        super().__init__(warehouse, model, settings)
        self.tombstones = tombstones_of(self.target)
        self.has_buckets = bool(settings.buckets)

    def apply(self) -> dict[str, Any] | None:
        """Bring the mirror up to date.

        Returns:
            What was done, by the counts' names; None where nothing is new.
        """
        if self.is_held():
            return None
        self.refuse_key()
        if self.model.existing is None:
            self.create()
        elif self.batch.previous and not self.batch.is_rebuild:
            self.agree_anew(self.batch.previous.summary.get(REQUIRED))
        self.warn_of_names()
        if self.batch.window is None:
            self.warn_of_quarantine(0)
            if self.batch.previous:
                self.check_snapshot(self.batch.previous.summary.get(SNAPSHOT))
            return None
        self.warn_of_erased()
        with self.dropping([]) as staged:
            if not self.retry(staged):
                return None
            self.follow_settings()
            plan = self.plan()
            route = choose_route(self.facts(plan))
            stage = self.stage(plan, route, staged)
            logs = self.read_logs(stage, plan, route)
            place = self.read_order(logs)
            route = choose_route(self.facts(plan, place))
            known = self.known(stage, plan, place, route)
            stage, counts = self.judge(stage, known, plan, place, route, logs, staged)
            route = choose_route(self.facts(plan, place, counts))
            self.report(stage, known, plan, counts)
            updates = self.prepare(stage, plan, route, counts)
            self.cut(stage, known, place, route)
            if route.completes:
                stage, unknown = self.complete(stage, plan, updates, place, route, staged)
                counts = replace(counts, unknown=unknown)
            touched = self.touched_buckets(logs) if route.asks_buckets else ""
            return self.write(stage, plan, updates, place, route, counts, touched, staged)

    # -- before anything is written ----------------------------------------------------------

    def is_held(self) -> bool:
        """Whether a rollback holds the mirror: then its runs leave it alone, and warn."""
        hold = Hold.of(self.table.properties) if self.table else None
        if hold is not None:
            self.warehouse.warn(messages.held(self.model.name, hold.to))
        return hold is not None

    def create(self) -> None:
        """Make the tables, the tombstones first: a mirror that is there has them."""
        names = names_of(self.batch.columns)
        missing = [name for name in self.settings.key if name not in names]
        if missing:
            problem = f"unique_key: the query has no column {', '.join(missing)}"
            self.warehouse.refuse(messages.not_configured(self.model.name, [problem]))
        if self.settings.buckets and not self.settings.bucket_by:
            self.settings = replace(self.settings, bucket_by=self.choose_bucket_by())
        self.warehouse.run(self.tombstones_sql("create table if not exists"))
        made = [*self.batch.columns, *soft_columns(self.settings.deletes)]
        self.warehouse.run(
            self.warehouse.sql(
                "create_mirror_sql", self.target, made, self.settings, self.settings.properties
            )
        )

    def tombstones_sql(self, create: str) -> str:
        kept = {*self.settings.key, *ORDER_COLUMNS}
        return self.warehouse.sql(
            "create_mirror_sql",
            self.tombstones,
            [column for column in self.batch.columns if column["name"] in kept],
            self.settings,
            tombstone_properties(self.settings.properties),
            create,
        )

    def choose_bucket_by(self) -> str:
        """Of a new table: the column of its key that has the most values in its first changes."""
        clause = self.batch.window.clause if self.batch.window else ""
        types = {column["name"]: column["data_type"] for column in self.batch.columns}
        names = buckets.bucketable(types, [*self.settings.key])
        query = self.warehouse.sql(
            "key_facts_sql", f"({self.pinned(self.batch.raw, clause)})", names
        )
        facts = self.warehouse.rows(query)[0]
        values = {name: int(facts[f"key_{n}"]) for n, name in enumerate(names, 1)}
        advice = buckets.advise(0, values)
        self.warehouse.say(f"{self.model.name}: bucket_by={advice.bucket_by}: {advice.reason}")
        return advice.bucket_by

    def follow_settings(self) -> None:
        """Give the table what its configuration says, and see whether it has its buckets."""
        if self.model.existing is not None:
            self.settings = with_bucket_column(self.settings, self.described.partitioning)
        if self.batch.is_rebuild:
            return
        self.follow_properties(self.tombstones)
        settings = self.settings
        is_as_configured = buckets.are_as_configured(
            self.described.partitioning, settings.buckets, settings.bucket_by
        )
        if not is_as_configured:
            self.warehouse.warn(messages.other_buckets(self.target, self.model.name))
        self.has_buckets = bool(settings.buckets) and is_as_configured

    def plan(self) -> Plan:
        """What the tables need, and the rows that are there."""
        batch, settings, name = self.batch, self.settings, self.model.name
        mirror = self.plan_columns(
            soft_columns(settings.deletes),
            key=settings.key,
            on_drop=settings.on_drop,
            on_type_conflict=settings.on_type_conflict,
        )
        remembered = self.plan_tombstones(mirror)
        new_names = mirror.added if batch.previous else mirror.names
        defaults = evolve.default_values(self.warehouse, batch.raw, new_names, name)
        returned = evolve.returned_columns(self.warehouse, batch.raw)
        late = evolve.late_columns(self.warehouse, batch.raw)
        both = [*returned, *self.declared_before(late)]
        renewed = [c["name"] for c in evolve.unrenewed(both, batch.previous)]
        changed = [*(c["name"] for c in mirror.fitted), *mirror.added, *mirror.renamed]
        given = [mirror.places[n] for n in (*defaults, *renewed) if n in mirror.places]
        differs = bool(remembered.problems or remembered.fitted or remembered.added)
        filled = unsent_columns(mirror.names, settings.key)
        return Plan(
            shape=Shape(settings.key, mirror.names, filled, settings.deletes),
            mirror=mirror,
            tombstones=remembered,
            has_new_key=batch.is_rebuild and differs,
            defaults=defaults,
            returned=returned,
            late=late,
            incomparable=frozenset([*changed, *given]),
        )

    def plan_tombstones(self, mirror: Evolution) -> Evolution:
        """What the tombstones need. They follow their mirror, and are altered before it: where its
        key and order stay as they are, so do theirs."""
        kept = {*self.settings.key, *ORDER_COLUMNS}
        touched = {*(c["name"] for c in mirror.fitted), *mirror.added, *mirror.renamed}
        widened = any("alter column" in statement for statement in mirror.statements)
        if not self.batch.is_rebuild and not widened and not kept & touched:
            return Evolution()
        wanted = [column for column in self.batch.columns if column["name"] in kept]
        there = Table.read(self.warehouse, self.tombstones).columns
        rules = evolve.rules_of(self.warehouse, self.batch.raw, key=self.settings.key)
        return evolution.plan(there, wanted, [], rules)

    def warn_of_names(self) -> None:
        """Say where the source took the name of the table, or of a column, for something else."""
        raw, sources = self.batch.raw, self.warehouse.sources
        ending = sources.ending(raw)
        if ending:
            self.warehouse.warn(messages.ended(self.model.name, raw, ending))
        unclear = {c["name"]: c["unclear"] for c in sources.columns(raw) if c["unclear"]}
        if unclear:
            self.warehouse.warn(messages.unclear_name(self.model.name, unclear))

    # -- the batch ---------------------------------------------------------------------------

    def facts(self, plan: Plan, place: Place | None = None, counts: Counts | None = None) -> Facts:
        """What is known of the batch so far."""
        settings, batch = self.settings, self.batch
        facts = Facts(
            records=self.window.records,
            bytes=self.window.bytes,
            stage_from=settings.stage_from,
            merge_mode=settings.merge_mode,
            deletes=settings.deletes,
            buckets=settings.buckets,
            has_buckets=self.has_buckets,
            fills=bool(plan.shape.filled),
            is_rebuild=batch.is_rebuild,
            is_first=batch.is_first,
        )
        if place:
            facts = replace(
                facts,
                follows=place.follows,
                has_floor=place.floor is not None,
                has_new_floor=place.new_floor is not None,
            )
        if counts:
            facts = replace(
                facts,
                changed=counts.changed,
                outdated=counts.outdated,
                partial=counts.partial,
            )
        return facts

    def stage(self, plan: Plan, route: Route, staged: list[Any]) -> Any:
        """Decode and fold the window: one row a key."""
        shape, names = plan.shape, payload(plan.shape.columns)
        changes = self.fitted(plan.mirror)
        if route.is_cached:
            tasks = "1" if route.is_one_task else "2"
            self.warehouse.configure({**SMALL_BATCH, SHUFFLE: tasks})
        else:  # without buckets the mirror is shuffled, too
            beside = 0 if self.has_buckets or self.table is None else self.table.bytes
            share(self.warehouse, self.window.bytes + beside)
            if self.window.records >= MANY and QUICK in self.warehouse.setting(JAVA_OPTIONS, ""):
                self.warehouse.say(messages.quick_compiler(self.model.name, self.window.records))
        stage = self.stage_relation(route.is_cached)
        tells = self.batch.tells_snapshot
        folded = self.warehouse.sql("folded_sql", changes, shape.key, names, shape.filled, tells)
        self.keep(stage, folded, staged)
        if not route.is_cached and self.has_buckets:
            self.warehouse.configure(BUCKET_JOIN)
        return stage

    def keep(self, stage: Any, query: str, staged: list[Any]) -> None:
        """Stage the rows of a query, or cache them where the stage is a view."""
        staged.append(stage)
        self.warehouse.stage(stage, query, self.settings)

    @cached_property
    def memory(self) -> Memory:
        """The deletes that are remembered, as they were when the run first asked for them."""
        table = Table.read(self.warehouse, self.tombstones)
        self.report_forgotten(table)
        return table.memory()

    def report_forgotten(self, tombstones: Table) -> None:
        """Say that others have changed the remembered deletes: a late change may bring a row back,
        or be left out."""
        previous = self.batch.previous
        if previous is None or self.batch.is_rebuild or tombstones.head is None:
            return
        kept = previous.summary.get(TOMBSTONES)
        lineage = window.lineage(tombstones.snapshots, tombstones.head)
        commits = window.foreign_changes(lineage, int(kept) if kept else None)
        if commits:
            name, policy = self.model.name, self.settings.on_foreign_commit
            text = messages.foreign_commits(name, tombstones.relation, commits, 0)
            tell_foreign(self.warehouse, policy, text)
            ids = [commit.id for commit in reversed(commits)]
            self.batch = replace(self.batch, foreign=[*self.batch.foreign, *ids])

    def read_logs(self, stage: Any, plan: Plan, route: Route) -> Sequence[Any]:
        """What the batch has of each log: see the macro batch_logs_sql."""
        asked = self.settings if route.asks_buckets else None
        query = self.warehouse.sql(
            "batch_logs_sql", stage, self.batch, plan.shape, self.needed(plan), asked
        )
        return self.warehouse.rows(query)

    def read_order(self, logs: Sequence[Any]) -> Place:
        """Where the batch is in the source's order; refuses epochs that go back."""
        batch, rows = self.batch, [row for row in logs if row["is_ordered"]]
        summary = batch.previous.summary if batch.previous else None
        is_new = batch.is_first and self.memory.is_unwritten
        known_floor = None if batch.is_rebuild else order.kept(summary, order.FLOOR, None)
        known_end = order.kept(summary, order.END, {} if is_new else None)
        known_epochs = {} if batch.is_rebuild else order.kept(summary, order.EPOCHS, {})
        try:
            epochs = order.advance_epochs(known_epochs, rows)
        except order.EpochError as error:
            self.refuse_batch(messages.epochs_went_back(str(error), self.model.name))
        start = order.start_of(rows)
        if start and self.memory.may_lack(start["_src_ts"]):
            start = None  # which rows are new is asked of changes from before the horizon
        return Place(
            start=start,
            follows=start is not None and order.follows(rows, known_end, known_floor),
            end=None if known_end is None else order.end_of(known_end, rows),
            epochs=epochs,
            floor=order.newest_floor(known_floor, rows),
            known_floor=known_floor,
        )

    def known(self, stage: Any, plan: Plan, place: Place, route: Route) -> Known:
        """The rows and the deletes that the batch is compared with, before the table gets the
        columns that it brings. What makes a table anew is compared with no row, and with no delete
        where those are remembered by another key and are read again."""
        sql, start = self.warehouse.sql, place.start
        lacks_unsent = "_unsent" in plan.mirror.added
        rows, deletes = self.held(route), self.memory.deletes
        if self.batch.is_rebuild or self.batch.is_first:
            rows = f"(select * from {stage} where false)"
        elif start or lacks_unsent:
            rows = sql("rows_to_judge", rows, start, lacks_unsent)
        if plan.has_new_key or self.memory.is_unwritten:
            names = sql("key_columns", [*self.settings.key, *ORDER_COLUMNS])
            deletes = f"(select {names} from {stage} where false)"
        elif start:
            deletes = sql("rows_to_judge", deletes, start)
        return Known(rows, deletes)

    def held(self, route: Route) -> str:
        """The mirror's rows. A cached batch may be computed again: it reads them as they were."""
        return self.described.as_of_now() if route.is_cached else str(self.target)

    def judge(
        self,
        stage: Any,
        known: Known,
        plan: Plan,
        place: Place,
        route: Route,
        logs: Sequence[Any],
        staged: list[Any],
    ) -> tuple[Any, Counts]:
        """What becomes of each row of the batch, counted; and the stage that has it. The counts of
        one that follows have been asked with its order."""
        sql, shape, needed = self.warehouse.sql, plan.shape, self.needed(plan)
        if route.is_compared:
            source = sql("judged_sql", stage, known, shape, place, route.is_cached)
        else:
            source = sql("following_sql", stage, shape.filled)
        if route.keeps_verdicts:
            stage = named(stage, f"judged__{stage.identifier}")
            self.keep(stage, source, staged)
        source = stage if route.keeps_verdicts else f"({source})"
        if route.is_compared:
            pruned_until = self.memory.pruned_until if self.window.start is not None else None
            counted = sql("batch_counts", self.batch, shape, needed, pruned_until)
            logs = self.warehouse.rows(f"select {counted} from {source}")
        counts = Counts.of(logs)
        if counts.incomplete:
            applied = f"(select * from {source} where _outcome = 'change' and _is_applied)"
            query = sql("null_counts_sql", applied, needed)
            found = zip(needed, self.warehouse.rows(query)[0], strict=True)
            counts = replace(counts, nulls=[name for name, number in found if number])
        return stage, replace(counts, unknown=0) if shape.filled else counts

    def report(self, stage: Any, known: Known, plan: Plan, counts: Counts) -> None:
        """Say what the batch has that is not as it should be; refuse it where the settings do."""
        self.refuse_shared(plan)
        self.report_undeclared(counts)
        self.quarantine(stage, counts)
        if counts.ambiguous and not self.batch.is_rebuild:
            self.report_conflicts(stage, known, plan)
        if counts.unguarded:
            until = self.memory.pruned_until
            self.warehouse.warn(messages.unguarded(counts.unguarded, until, self.model.name))

    def report_conflicts(self, stage: Any, known: Known, plan: Plan) -> None:
        """Of two changes at one place of the order one stands, whatever the delivery; which keys
        have them is kept in ops.order_conflicts."""
        shape, name, ops = plan.shape, self.model.name, self.warehouse.layers.ops
        comparable = [c for c in payload(shape.columns) if c not in plan.incomparable]
        conflicts = self.warehouse.sql(
            "order_conflicts_sql", stage, known.rows, shape, comparable, name
        )
        found = self.warehouse.rows(f"select unique_key from ({conflicts})")
        if not found:
            return
        self.warehouse.retry(
            f"merge into {ops}.order_conflicts as old using ({conflicts}) as new "
            "on old.conflict_id = new.conflict_id "
            "when matched and old.conflict_id is null then delete when not matched then insert *"
        )
        message = messages.conflicts([row[0] for row in found], ops)
        if self.settings.on_order_conflict == "error":
            self.refuse_batch(message)
        self.warehouse.warn(f"{name}: {message}")

    # -- what is written before the commit, and harmless without it --------------------------

    def prepare(self, stage: Any, plan: Plan, route: Route, counts: Counts) -> Updates:
        """Alter the tables as planned, and remember the deletes.

        A rebuilt mirror's tombstones stay while the key does: raw has the deletes, and a rebuild
        remembers them by the new one. A delete is remembered also where its row lives on in another
        log.
        """
        warehouse, name = self.warehouse, self.model.name
        if plan.has_new_key:
            warehouse.run(self.tombstones_sql("create or replace table"))
        else:
            evolve.follow(warehouse, self.tombstones, plan.tombstones, name)
        if self.batch.is_rebuild:
            self.warn_of_defaults(plan)
        updates = Updates() if self.batch.is_rebuild else self.evolve(plan, counts)
        if counts.deletes:
            told = self.tombstones, stage, plan.shape.key, not route.is_one_task
            with carrying(warehouse, PART):
                warehouse.run(warehouse.sql("tombstones_sql", *told))
        return updates

    def cut(self, stage: Any, known: Known, place: Place, route: Route) -> None:
        """Cut what a TRUNCATE or a remembered delete outdates: a third table in the MERGE would
        cost it the join without a shuffle."""
        sql = self.warehouse.sql
        if route.cuts_truncated:
            below = sql("floor_condition", "stage", "<", place.floor)
            self.warehouse.run(
                f"delete from {stage} as stage where stage._outcome = 'change' and {below}"
            )
        if route.cuts_outdated:
            key = self.settings.key
            self.warehouse.run(sql("drop_outdated_sql", stage, known.deletes, key))

    def complete(
        self,
        stage: Any,
        plan: Plan,
        updates: Updates,
        place: Place,
        route: Route,
        staged: list[Any],
    ) -> tuple[Any, int]:
        """Give the batch's rows what the mirror knows of them, and the mirror's rows what a late
        change knows; and count those of which nobody knows all."""
        sql, shape = self.warehouse.sql, plan.shape
        completed = named(stage, f"completed__{stage.identifier}")
        changes = self.remaining(stage, route)
        deletes = str(self.tombstones)
        if route.is_cached and not place.new_floor:  # it completes rows that the batch has not
            deletes = sql("touched_sql", deletes, stage, shape.key)
        # a snapshot is read with the columns that it had
        rows = str(self.target) if plan.mirror.statements else self.held(route)
        known = Known(
            rows=None if self.batch.is_rebuild else rows,
            deletes=deletes,
            columns=evolve.updated(self.warehouse, shape.columns, updates),
        )
        query = sql("completed_sql", changes, known, shape, place, route.is_cached)
        self.keep(completed, query, staged)
        unknown_rows = "_op <> 'd' and exists(_unsent, unsent -> unsent._tx_epoch is null)"
        query = f"select count(*) as unknown from {completed} where {unknown_rows}"
        unknown = int(self.warehouse.rows(query)[0][0])
        if unknown:
            self.warehouse.warn(messages.unknown_values(self.model.name, unknown))
        return completed, unknown

    def remaining(self, stage: Any, route: Route) -> str:
        """The rows of the stage that still tell something: one that is deleted softly keeps what
        older changes know of it."""
        if not route.keeps_verdicts:
            return str(stage)
        outdated = " and not _is_outdated" if self.settings.deletes == "hard" else ""
        return f"(select * from {stage} where not _is_truncated{outdated})"

    # -- the commit --------------------------------------------------------------------------

    def write(
        self,
        stage: Any,
        plan: Plan,
        updates: Updates,
        place: Place,
        route: Route,
        counts: Counts,
        touched: str,
        staged: list[Any],
    ) -> dict[str, Any]:
        """One commit with the rows, the bookmark and the counts."""
        rows = ""
        if self.batch.is_rebuild:
            rows = self.warehouse.sql("rebuilt_rows_sql", stage, plan.shape)
            if self.settings.publish_when == "audited":
                rows = self.proven(rows, self.commit_properties(plan, place, route, counts), staged)
        self.keep_base(counts)

        def commit() -> dict[str, Any]:
            into = str(self.target) if self.batch.is_rebuild else self.begin_branch()
            self.refuse_overtaken()
            with carrying(self.warehouse, PART):
                self.update(into, updates)
                if route.writes == "replace":
                    self.remove_replaced(into, stage, place, route, touched)
            statement = self.statement(into, stage, plan, place, route, touched, rows)
            properties = self.commit_properties(plan, place, route, counts)
            changes_others = place.new_floor or updates.fills or updates.returned
            self.commit(statement, properties, self.prover(None if changes_others else stage))
            return properties

        properties = self.until_committed(commit)
        self.agree_anew(properties["required"], plan)
        did = self.finish(counts, route.merged_by)
        self.check_snapshot(properties["snapshot"], self.batch.is_rebuild)
        return did

    def check_snapshot(self, snapshot: str | None, is_new: bool = False) -> None:
        """Say how many rows a full snapshot that has ended does not have: nobody saw their deletes.

        A row that it lists has its order by now, or a newer one. Until there is none that is older,
        each run counts them again: the end of a snapshot may come before the rest of it, and they
        go by a resync. The table says what was counted, so that a run which dies counts too.

        Args:
            snapshot: the order of the newest one, as JSON.
            is_new: whether the table has just been made anew, and says nothing.
        """
        known = None if is_new else self.described.properties.get(ABSENT)
        if snapshot is None or known == absent_property(snapshot, 0):
            return
        absent = self.warehouse.sql("before_snapshot", "target", json.loads(snapshot))
        query = f"select count(*) as absent from {self.target} as target where {absent}"
        rows = int(self.warehouse.rows(query)[0][0])
        found = absent_property(snapshot, rows)
        if found != known:
            self.set_properties(self.target, {ABSENT: found})
        if rows:
            self.warehouse.warn(messages.absent_rows(self.model.name, self.target, rows))

    def keep_base(self, counts: Counts) -> None:
        """Before the first commit with a change of another day: the one that it follows is what
        days in between start from. What a mirror was before it is rebuilt, or takes in records of
        the quarantine, is no base of a day."""
        warehouse, target, previous = self.warehouse, self.target, self.batch.previous
        if self.batch.is_rebuild or self.taken:
            drop_base_tags(warehouse, target)
            return
        if previous is None or not self.model.has_days:
            return
        before, newest = previous.summary.get(window.NEWEST_EVENT), counts.max_src_ts
        if before and newest and before[:10] < newest[:10]:
            # a day that is published late starts from it
            tag = BASE_TAG + before[:10].replace("-", "_")
            warehouse.retry(warehouse.sql("tag_sql", target, tag, previous.id, "7 days"))

    def touched_buckets(self, logs: Sequence[Any]) -> str:
        """The condition of the buckets that a few changes fall in, of all of them, or a row that is
        there would seem new; nothing where they are all touched."""
        found = sorted({bucket for row in logs for bucket in json.loads(row["buckets"])})
        is_all = len(found) == self.settings.buckets
        return "" if is_all else self.warehouse.sql("in_buckets", self.settings, found)

    def update(self, into: str, updates: Updates) -> None:
        """Give the rows that are there what they get with the batch."""
        if updates.fills:
            self.warehouse.run(self.warehouse.sql("fill_sql", into, updates.fills))
        for column in updates.returned:
            self.warehouse.run(self.warehouse.sql("renew_sql", into, column))

    def remove_replaced(
        self, into: str, stage: Any, place: Place, route: Route, touched: str
    ) -> None:
        """On the run's branch: readers see nothing of it before the insert brings the bookmark."""
        sql = self.warehouse.sql
        if place.new_floor:
            condition = sql("floor_condition", "target", "<", place.new_floor)
            self.warehouse.run(f"delete from {into} as target where {condition}")
        if route.deletes_keys:
            key, changes = self.settings.key, self.applied(stage, route)
            self.warehouse.run(sql("remove_replaced_sql", into, changes, key, route.join, touched))

    def applied(self, stage: Any, route: Route) -> str:
        """The rows of the stage that change something."""
        has_verdicts = route.keeps_verdicts or (route.is_cached and route.completes)
        return f"(select * from {stage} where _is_applied)" if has_verdicts else str(stage)

    def statement(
        self,
        into: str,
        stage: Any,
        plan: Plan,
        place: Place,
        route: Route,
        touched: str,
        rebuilt: str,
    ) -> str:
        """The statement of the commit.

        Args:
            rebuilt: a query of the rows that a rebuild has; empty where it is none.
        """
        sql, shape = self.warehouse.sql, plan.shape
        if route.writes == "rebuild":
            return sql("rebuild_sql", into, rebuilt, self.settings)
        if route.writes == "merge":
            return sql("merge_sql", into, stage, shape, place.new_floor, touched)
        changes = self.applied(stage, route)
        is_moved = not (route.lies_in_buckets or route.is_one_task)
        return sql("insert_rows_sql", into, changes, shape, is_moved)

    def prover(self, stage: Any | None) -> Callable[[], None] | None:
        """The audit of the run's branch, where the settings have one.

        Args:
            stage: has the keys whose rows are changed; None where others are changed, too.
        """
        if self.settings.publish_when != "audited":
            return None

        def prove() -> None:
            self.forget_batch_settings()
            names = self.warehouse.sql("key_columns", self.settings.key)
            keys = f"select to_json(struct({names})) from {stage}" if stage is not None else ""
            prove_branch(self.warehouse, self.model, self.settings, str(self.branch), keys)

        return prove

    def forget_batch_settings(self) -> None:
        """An audit is planned as any query, and not as the batch."""
        self.warehouse.configure(dict.fromkeys((*SMALL_BATCH, *BUCKET_JOIN, SHUFFLE)))

    def proven(self, rows: str, properties: Mapping[str, Any], staged: list[Any]) -> str:
        """Rows of a rebuild in a table of their own, which is audited: what replaces the mirror at
        once is never on a branch of it. They are written twice.

        Returns:
            A query of the rows that were audited.
        """
        beside = self.stage_relation(is_cached=False)
        written = named(beside, f"rebuilt__{beside.identifier}")
        staged.append(written)
        with carrying(self.warehouse, properties):
            self.warehouse.run(self.warehouse.sql("rebuild_sql", written, rows, self.settings))
        self.forget_batch_settings()
        prove_table(self.warehouse, self.model, self.settings, written)
        return f"select * from {written}"

    @property
    def known_snapshot(self) -> str | None:
        """The order of the newest full snapshot that had ended before the batch."""
        previous = None if self.batch.is_rebuild else self.batch.previous
        return previous.summary.get(SNAPSHOT) if previous else None

    def commit_properties(
        self, plan: Plan, place: Place, route: Route, counts: Counts
    ) -> dict[str, Any]:
        renewals = [evolve.renewal(column) for column in (*plan.returned, *plan.late)]
        return self.properties(
            counts,
            route.merged_by,
            epochs=json.dumps(place.epochs, sort_keys=True) if place.epochs else None,
            floor=json.dumps(place.floor, sort_keys=True) if place.floor else None,
            end=None if place.end is None else json.dumps(place.end, sort_keys=True),
            returned=json.dumps(renewals) if renewals else None,
            key=json.dumps(self.settings.key),
            snapshot=newest_snapshot(self.known_snapshot, counts.snapshot),
            defaults=None if self.batch.is_rebuild else self.source_defaults(plan),
            required=self.promised(plan, counts),
            **{"tombstones-snapshot-id": self.remembered_by},
        )

    @property
    def remembered_by(self) -> int | None:
        """The snapshot of the tombstones that a commit belongs to: it has all that it deletes."""
        return Table.read(self.warehouse, self.tombstones).head

    def promised(self, plan: Plan, counts: Counts) -> str | None:
        """Of a rebuild: the columns, as JSON, that are required once its rows are there."""
        if not self.batch.is_rebuild:
            return None
        return json.dumps(sorted(self.required(plan) - {*counts.nulls}))


def absent_property(snapshot: str, rows: int) -> str:
    """What a table's properties say of the rows that a snapshot does not have."""
    return json.dumps({"snapshot": json.loads(snapshot), "rows": rows}, sort_keys=True)


def with_bucket_column(settings: MirrorSettings, partitioning: Sequence[str]) -> MirrorSettings:
    """The settings of a mirror whose table is there, with the column that its buckets have."""
    kept = (partitioning, settings.key, settings.buckets, settings.bucket_by)
    return replace(settings, bucket_by=buckets.kept_column(*kept))


def named(stage: Any, identifier: str) -> Any:
    """A stage beside another, of the same kind."""
    return stage.create(schema=stage.schema, identifier=identifier)


def base_tags(warehouse: Warehouse, mirror: Any) -> dict[str, int]:
    """The snapshots of a mirror that days start from, by their tags."""
    rows = warehouse.rows(
        f"select name, snapshot_id from {mirror}.refs "
        f"where type = 'TAG' and startswith(name, '{BASE_TAG}')"
    )
    return {row[0]: int(row[1]) for row in rows}


def drop_base_tags(warehouse: Warehouse, mirror: Any) -> None:
    """Let no day start from what a mirror was, where that was not right."""
    for tag in base_tags(warehouse, mirror):
        warehouse.retry(f"alter table {mirror} drop tag if exists {quoted(tag)}")
