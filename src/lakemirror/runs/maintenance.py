"""What operators ask for by dbt run-operation: macros/ops has the names and the arguments."""

from collections.abc import Mapping, Sequence
from typing import Any

from lakemirror.runs.batch import (
    begin_branch,
    carrying,
    drop_whole_files,
    refuse_newer,
    tombstones_of,
)
from lakemirror.runs.daily import branch_name, kept_days, written_days
from lakemirror.runs.mirror import with_bucket_column
from lakemirror.runs.policies import policy_of
from lakemirror.runs.project import Project, ProjectModel, chosen, settings_of
from lakemirror.runs.rewrite import Rewrite
from lakemirror.runs.settings import DailySettings, MirrorSettings
from lakemirror.runs.warehouse import OvertakenError, Table, Warehouse
from lakemirror.state import buckets, tombstones, window
from lakemirror.state.buckets import Advice
from lakemirror.state.ops_tables import BUCKET_ADVICE, NOW


class Maintenance:
    """The operations on the tables of a project."""

    def __init__(self, warehouse: Warehouse, project: Project) -> None:
        self.warehouse, self.project = warehouse, project

    # -- deletes that are remembered ---------------------------------------------------------

    def prune_tombstones(
        self, model: str | None = None, dry_run: bool = True, everything: bool = False
    ) -> None:
        """Forget the deletes from before the horizon of a mirror, or of all, or say how many would
        go."""
        asked = model, "prune_tombstones", dry_run or everything
        for node in chosen(self.warehouse, self.project, "mirror", *asked):
            self.prune_mirror(node, dry_run)

    def prune_mirror(self, node: ProjectModel, dry_run: bool) -> None:
        """A tag keeps the horizon: expiry never removes a tagged snapshot."""
        warehouse, sql = self.warehouse, self.warehouse.sql
        settings: MirrorSettings = settings_of(warehouse, node)
        table = tombstones_of(node.relation)
        horizon = self.horizon(node, table, settings.tombstone_retention_days)
        if horizon is None:
            warehouse.say(f"{node.name}: has merged no change yet")
            return
        outlived_rows = f"from {table} where _src_ts < timestamp '{horizon}'"
        outlived = int(warehouse.rows(f"select count(*) as outlived {outlived_rows}")[0][0])
        if outlived and not dry_run:
            with carrying(warehouse, {"pruned-until": horizon}):
                warehouse.run(sql("prune_sql", table, horizon))
        prune = Table.read(warehouse, table).memory().prune
        if prune and not dry_run:
            warehouse.retry(sql("tag_sql", table, "lakemirror_pruned", prune.id))
        end = "would go" if dry_run else "are gone"
        warehouse.say(f"{node.name}: {outlived} tombstones from before {horizon} {end}")

    def horizon(self, node: ProjectModel, table: Any, retention_days: int) -> str | None:
        """The source time before which deletes go: see lakemirror.state.tombstones.horizon."""
        if not self.project.exists(node.relation):
            return None
        mirror = Table.read(self.warehouse, node.relation)
        own = mirror.own_commit if mirror.head is not None else None
        newest = own.summary.get(window.NEWEST_EVENT) if own else None
        if not newest:
            return None
        memory = Table.read(self.warehouse, table).memory()
        return tombstones.horizon(newest, retention_days, memory.pruned_until)

    # -- days --------------------------------------------------------------------------------

    def prune_days(
        self, model: str | None = None, dry_run: bool = True, everything: bool = False
    ) -> None:
        """Remove the days that a daily table, or any, need not keep, by its own newest day."""
        asked = model, "prune_days", dry_run or everything
        for node in chosen(self.warehouse, self.project, "daily", *asked):
            settings: DailySettings = settings_of(self.warehouse, node)
            outlived = self.outlived_days(node, settings.keep_days)
            if outlived and not dry_run:
                self.remove_days(node, outlived)
                if settings.publish == "branch":
                    self.drop_branches(node, outlived)
            end = "would go" if dry_run else "are gone"
            listed = f": {', '.join(outlived)}" if outlived else ""
            self.warehouse.say(f"{node.name}: {len(outlived)} days {end}{listed}")

    def remove_days(self, node: ProjectModel, outlived: Sequence[str]) -> None:
        """Remove whole partitions."""
        warehouse, table = self.warehouse, Table.read(self.warehouse, node.relation)
        branch = begin_branch(warehouse, node.relation, self.project.invocation_id, table.head)
        listed = ", ".join(f"date '{day}'" for day in outlived)
        try:
            drop_whole_files(
                warehouse,
                table,
                branch,
                lambda into: f"delete from {into} where ds in ({listed})",
                {},
                node.name,
            )
        except OvertakenError as error:
            warehouse.refuse(f"prune_days: {error}")

    def outlived_days(self, node: ProjectModel, keep_days: int | None) -> list[str]:
        if not keep_days or not self.project.exists(node.relation):
            return []
        written = written_days(self.warehouse, node.relation)
        return sorted({*written} - {*kept_days(written, None, keep_days)})

    def drop_branches(self, node: ProjectModel, days: Sequence[str]) -> None:
        """The branches of days, of the mirror that a daily model is made of."""
        for mirror in self.project.of_kind("mirror"):
            if mirror.unique_id in node.depends_on:
                for day in days:
                    self.warehouse.retry(
                        f"alter table {mirror.relation} drop branch if exists {branch_name(day)}"
                    )

    # -- buckets -----------------------------------------------------------------------------

    def bucket_advice(self, model: str | None = None) -> None:
        """Say which buckets mirrors should have, and keep that in ops.bucket_advice."""
        warehouse, sql = self.warehouse, self.warehouse.sql
        rows = []
        for node in chosen(warehouse, self.project, "mirror", model, "bucket_advice"):
            if not self.project.exists(node.relation):
                continue
            settings = self.bucket_settings(node, Table.read(warehouse, node.relation))
            query = sql("key_facts_sql", node.relation, settings.key, f"{node.relation}.data_files")
            facts = warehouse.rows(query)[0]
            advice = advised(facts, settings.key)
            rows.append(advice_row(node.name, settings, facts, advice))
            warehouse.say(
                f"{node.name}: buckets={advice.buckets}, bucket_by={advice.bucket_by} (it has "
                f"{settings.buckets}, {settings.bucket_by}): {advice.reason}"
            )
        if rows:
            ops = warehouse.layers.ops
            warehouse.run(sql("create_table_sql", *BUCKET_ADVICE.create_arguments(ops)))
            warehouse.run(BUCKET_ADVICE.insert_sql(ops, rows))

    def rebucket(self, model: str | None = None) -> None:
        """Give a mirror's table the buckets of its configuration. The mirror comes last: until it
        is done, each run of the model says that it is to be done."""
        warehouse, sql = self.warehouse, self.warehouse.sql
        if not model:
            names = sorted(each.name for each in self.project.of_kind("mirror"))
            warehouse.refuse(
                "rebucket: it rewrites a table, and needs a model: dbt run-operation rebucket "
                f"--args '{{model: ...}}'. There are: {', '.join(names)}"
            )
        [node] = chosen(warehouse, self.project, "mirror", model, "rebucket")
        if not self.project.exists(node.relation):
            warehouse.refuse(f"rebucket: {node.name} has no table yet")
        table = Table.read(warehouse, node.relation)
        refuse_newer(warehouse, table.own_commit, node.relation, node.name)
        settings = self.bucket_settings(node, table)
        wanted = settings.buckets, settings.bucket_by
        for relation in (tombstones_of(node.relation), node.relation):
            there = Table.read(warehouse, relation).partitioning
            if not buckets.are_as_configured(there, *wanted):
                warehouse.retry(sql("rebucket_sql", relation, there, *wanted))
            warehouse.say(f"{node.name}: rewriting {relation}")
            # files of a former partitioning would keep it
            policy = policy_of("mirror", settings.maintenance)
            sort_by = settings.key if relation == node.relation else ()
            rewrite = Rewrite(policy, sort_by, "all")
            warehouse.run(sql("rewrite_data_files_sql", relation, rewrite))
        warehouse.say(f"{node.name}: its table has the buckets of its configuration")

    def bucket_settings(self, node: ProjectModel, table: Table) -> MirrorSettings:
        return with_bucket_column(settings_of(self.warehouse, node), table.partitioning)


def advised(facts: Any, key: Sequence[str]) -> Advice:
    """The buckets that a mirror is to have, by the row of key_facts_sql."""
    values: Mapping[str, int] = {n: int(facts[f"key_{place}"]) for place, n in enumerate(key, 1)}
    return buckets.advise(int(facts["size"] or 0), values)


def advice_row(name: str, settings: MirrorSettings, facts: Any, advice: Advice) -> dict[str, Any]:
    """A row of ops.bucket_advice."""
    return {
        "model": name,
        "live_rows": facts["live_rows"],
        "size": facts["size"] or 0,
        "buckets": settings.buckets,
        "bucket_by": settings.bucket_by,
        "advised_buckets": advice.buckets,
        "advised_bucket_by": advice.bucket_by,
        "reason": advice.reason,
        "advised_at": NOW,
    }
