"""A resync of a mirror: what the newest full snapshot does not have any more goes."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from lakemirror.runs import messages
from lakemirror.runs.batch import PART, carried_on, carrying
from lakemirror.runs.mirror import BUCKET_JOIN, MirrorRun, with_bucket_column
from lakemirror.runs.model import Model
from lakemirror.runs.settings import MirrorSettings
from lakemirror.runs.warehouse import Table, Warehouse, names_of
from lakemirror.state import window
from lakemirror.state.ops_tables import COUNTED
from lakemirror.state.window import BOOKMARK

MODES = ("dry_run", "apply")
ORDER = ("_tx_log", "_tx_epoch", "_tx_rank", "_tx_order")


@dataclass(frozen=True)
class Removal:
    """The order of the deletes of a resync, right before the snapshot: what is older stays out, and
    a row of the snapshot that comes late is newer.

    Attributes:
        snapshot: what the macro newest_snapshot_sql gives.
        order: expressions by the order's columns.
    """

    snapshot: Mapping[str, Any]
    order: Mapping[str, str]


class ResyncRun(MirrorRun):
    """Remove what a new full snapshot does not have; a dry run only says what."""

    def __init__(self, warehouse: Warehouse, model: Model, settings: MirrorSettings) -> None:
        self.mode = model.var("resync", None)
        problem = mode_problem(self.mode, model)
        if problem:
            warehouse.refuse(problem)
        super().__init__(warehouse, model, settings)

    def apply(self) -> dict[str, Any] | None:
        """Remove the rows, or say what they are.

        Returns:
            What was done; None where there was nothing to do, or nothing was to be done.
        """
        if self.is_held():
            return None
        self.refuse_unmerged()
        self.settings = with_bucket_column(self.settings, self.described.partitioning)
        with self.dropping([]) as staged:
            stage = self.stage_snapshots(staged)
            snapshot = self.newest_snapshot(stage)
            key, sql = self.settings.key, self.warehouse.sql
            absent = sql("absent_rows_sql", self.target, stage, key, snapshot)
            rows = int(self.warehouse.rows(f"select count(*) as absent from ({absent})")[0][0])
            some = f"select to_json(struct(*)) as absent_key from ({absent}) order by 1 limit 10"
            keys = [row[0] for row in self.warehouse.rows(some)]
            name, target = self.model.name, self.target
            self.warehouse.say(messages.resync_line(name, target, snapshot, rows, keys))
            if not rows or self.mode != "apply":
                return {"message": f"{rows} ROWS TO REMOVE"}
            self.remove(stage, snapshot, rows)
        return {"message": f"{rows} rows removed", "merged_by": "resync"}

    def refuse_unmerged(self) -> None:
        """A snapshot says nothing of a mirror that has not merged all that came with it."""
        name = self.model.name
        if self.batch.previous is None or self.batch.window is not None:
            self.warehouse.refuse(messages.unmerged(name))
        if "_src_snapshot" not in names_of(self.warehouse.columns_of(self.model.sql)):
            self.warehouse.refuse(messages.no_snapshot_column(name))

    @property
    def bookmark(self) -> str:
        """What the mirror has merged of raw."""
        assert self.batch.previous is not None
        return f"version as of {self.batch.previous.summary[BOOKMARK]}"

    def stage_snapshots(self, staged: list[Any]) -> Any:
        """The rows of full snapshots, with their order."""
        stage = self.stage_relation()
        staged.append(stage)
        changes = self.pinned(self.batch.raw, self.bookmark)
        self.warehouse.run(self.warehouse.sql("stage_snapshots_sql", stage, changes, self.settings))
        return stage

    def newest_snapshot(self, stage: Any) -> dict[str, Any]:
        """The newest full snapshot; one that may not be whole is refused."""
        raw = Table.read(self.warehouse, self.batch.raw)
        is_whole = window.RETAINED not in raw.properties
        rows = self.warehouse.rows(
            self.warehouse.sql("newest_snapshot_sql", stage, self.settings.key, is_whole)
        )
        snapshot = json.loads(rows[0][0]) if rows else None
        problem = messages.snapshot_problem(snapshot, self.warehouse.layers.ops)
        if snapshot is None or problem:
            self.refuse_batch(str(problem))
        return snapshot

    def is_done(self) -> bool:
        """No other run removes what this one would."""
        return False

    def remove(self, stage: Any, snapshot: Mapping[str, Any], rows: int) -> None:
        """On a branch: tombstones are harmless when the MERGE does not follow."""
        sql, key = self.warehouse.sql, self.settings.key
        into = self.begin_branch()
        self.refuse_overtaken()
        self.report_forgotten(Table.read(self.warehouse, self.tombstones))
        removal = Removal(snapshot, removal_order(sql, snapshot))
        absent = sql("absent_tombstones_sql", self.tombstones, into, stage, key, removal)
        with carrying(self.warehouse, PART):
            self.warehouse.run(absent)
        if self.settings.buckets:
            self.warehouse.configure(BUCKET_JOIN)
        statement = sql("resync_sql", into, stage, self.settings, removal)
        self.commit(statement, self.resync_properties(snapshot, rows), self.prover(None))

    def resync_properties(self, snapshot: Mapping[str, Any], rows: int) -> dict[str, Any]:
        """All that the mirror knows beside its rows goes on; no event was read."""
        assert self.batch.previous is not None
        foreign = json.dumps([*self.batch.foreign]) if self.batch.foreign else None
        return {
            **carried_on(self.batch.previous, "resync", self.model.invocation_id),
            **dict.fromkeys(COUNTED, 0),
            "resync": json.dumps({name: snapshot[name] for name in ORDER}, sort_keys=True),
            "resync-removed": rows,
            "tombstones-snapshot-id": self.remembered_by,
            "foreign-commits": foreign,
        }


def removal_order(sql: Callable[..., str], snapshot: Mapping[str, Any]) -> dict[str, str]:
    """Expressions by the order's columns, in the words of macros."""
    time = snapshot["_src_ts"]
    text = sql("lakemirror_string", time) if time else "null"
    return {
        "_tx_log": sql("snapshot_log", snapshot),
        "_tx_epoch": f"{snapshot['_tx_epoch']}L",
        "_tx_rank": f"{snapshot['_tx_rank']}L",
        "_tx_order": f"{snapshot['_tx_order'] - 1}L",
        "_src_ts": f"cast({text} as timestamp)",
        "_kfk_partition": str(snapshot["_kfk_partition"]),
        "_kfk_offset": f"{snapshot['_kfk_offset']}L",
    }


def mode_problem(mode: Any, model: Model) -> str | None:
    """What is wrong with the var resync, before anything is made."""
    run = f"dbt run --select {model.name}"
    if mode not in MODES:
        return (
            f"{model.name}: the var resync is dry_run or apply, and not {mode}: {run} --vars "
            "'{resync: dry_run}'"
        )
    if model.existing is None:
        return f"{model.name}: there is no mirror to resync yet. Run the model first: {run}"
    return None
