"""A run of a log: the changes of a table without a key, each kept once."""

from typing import Any

from lakemirror.runs import messages
from lakemirror.runs.batch import BatchRun, Counts
from lakemirror.runs.warehouse import share


class ChangelogRun(BatchRun):
    """Append the records of a window that the log lacks, by their Kafka coordinates."""

    def apply(self) -> dict[str, Any] | None:
        """Bring the log up to date.

        Returns:
            What was done, by the counts' names; None where nothing is new.
        """
        if self.model.existing is None:
            settings = self.settings
            place = self.target, self.batch.columns, settings.partition_by, settings.properties
            self.warehouse.run(self.warehouse.sql("create_table_sql", *place))
        if self.batch.window is None:
            self.warn_of_quarantine(0)
            return None
        self.warn_of_erased()
        with self.dropping([]) as staged:
            if not self.retry(staged):
                return None
            if self.batch.previous and not self.batch.is_rebuild:
                self.follow_properties()
            plan = self.plan_columns([], on_type_conflict=self.settings.on_type_conflict)
            stage = self.stage(self.fitted(plan), staged)
            counts = self.count(stage)
            self.quarantine(stage, counts)
            if not self.batch.is_rebuild:
                self.follow(plan)
            return self.append(stage, counts, plan.names)

    def stage(self, changes: str, staged: list[Any]) -> Any:
        """One row per record of the window, and whether the log has it."""
        warehouse, batch = self.warehouse, self.batch
        ranges = (
            []
            if batch.is_rebuild
            else warehouse.rows(warehouse.sql("offset_ranges_sql", self.records))
        )
        stage = self.stage_relation()
        staged.append(stage)
        share(warehouse, self.window.bytes)
        warehouse.run(warehouse.sql("log_stage_sql", stage, changes, self.target, ranges))
        return stage

    def count(self, stage: Any) -> Counts:
        """What becomes of the records; another record at a place that the log has is refused."""
        query = self.warehouse.sql("log_counts_sql", stage, self.batch.tells_undeclared)
        counts = Counts.of(self.warehouse.rows(query))
        if counts.others:
            self.refuse_batch(messages.reused_offsets(counts.others, self.batch.raw))
        self.report_undeclared(counts)
        return counts

    def append(self, stage: Any, counts: Counts, names: list[str]) -> dict[str, Any]:
        """One commit with the new records, the bookmark and the counts."""
        merged_by = self.until_committed(lambda: self.append_once(stage, counts, names))
        return self.finish(counts, merged_by)

    def append_once(self, stage: Any, counts: Counts, names: list[str]) -> str:
        sql = self.warehouse.sql
        if self.batch.is_rebuild:
            merged_by, into = "rebuild", str(self.target)
            statement = sql("rebuild_log_sql", into, stage, self.settings, names)
        else:
            merged_by, into = "append", self.begin_branch()
            new = sql("new_records_sql", stage, names)
            statement = f"insert into {into} ({sql('key_columns', names)}) {new}"
        self.refuse_overtaken()
        self.commit(statement, self.properties(counts, merged_by))
        return merged_by
