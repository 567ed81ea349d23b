"""The key of a mirror: one by which rows would be lost is refused, and one that moves is told."""

import json
from collections.abc import Sequence

from lakemirror.runs import messages
from lakemirror.runs.batch import BatchRun
from lakemirror.runs.mirror_plan import Plan
from lakemirror.runs.settings import MirrorSettings
from lakemirror.source.schemas import HISTORY
from lakemirror.source.schemas import payload as payload_of


class KeyedRun(BatchRun):
    """What a run asks of its key, before it writes anything."""

    settings: MirrorSettings

    def refuse_key(self) -> None:
        """Rows are compared by the key: one of another table, or of the table as it was, would lose
        some."""
        batch, key = self.batch, self.settings.key
        summary = batch.previous.summary if batch.previous else {}
        known = json.loads(summary.get("lakemirror.key", "null"))
        source_key = self.warehouse.sources.changed_key(batch.raw, key)
        is_other = known is not None and sorted(known) != sorted(key) and not batch.is_rebuild
        if source_key is not None or is_other:
            self.warehouse.refuse(
                messages.key_changed(self.model.name, key, known or key, source_key)
            )
        self.refuse_another_key()

    def refuse_another_key(self) -> None:
        """The key that is configured, or said to be the source's, is the one that
        raw.schema_history has, or the newest record: an old record has an old key. Where the
        records' own lacks a part of it, an update may have moved a row. Where nothing is merged
        nothing is judged."""
        if self.batch.window is None or self.batch.window.is_empty:
            return
        key = self.settings.source_key or self.settings.key
        schema = self.warehouse.sources.known_key(self.batch.raw)
        records = self.record_key()
        known = [names for names in (records, schema) if names]
        if known and not any(self.is_same_key(key, names) for names in known):
            configured = "source_key" if self.settings.source_key else "unique_key"
            history = f"{self.batch.raw.partition('.')[0]}.{HISTORY}"
            told = self.model.name, configured, key, records, schema, history
            self.warehouse.refuse(messages.not_the_key(*told))
        if records and not self.has_columns(records, self.settings.key):
            self.warn_of_moved_rows(records)

    def warn_of_moved_rows(self, records: Sequence[str]) -> None:
        """A record's key that lacks a part of the mirror's stays when that part changes: the change
        is one update, and no delete of the row of before."""
        landed = self.warehouse.sources.records_sql(self.batch.raw, self.window.clause)
        key = self.settings.key
        [[count, example]] = self.warehouse.rows(self.warehouse.sql("moved_rows_sql", landed, key))
        if count:
            self.warehouse.warn(messages.moved_rows(self.model.name, key, records, count, example))

    def record_key(self) -> list[str]:
        """The names in the newest key of the window; none where it has none that is JSON. Values
        are asked only where no record has a time."""
        raw = self.batch.raw
        if not self.warehouse.sources.has_keys(raw):
            return []
        landed = self.warehouse.sources.records_sql(raw, self.window.clause)
        for known in ("_src_ts", "value"):
            [[newest]] = self.warehouse.rows(self.warehouse.sql("newest_key_sql", landed, known))
            if newest:
                return [*payload_of(newest)]
        return []

    def is_same_key(self, key: Sequence[str], names: Sequence[str]) -> bool:
        """Whether two keys are one, by all names that their columns have had."""
        return len({name.lower() for name in names}) == len(key) and self.has_columns(names, key)

    def has_columns(self, names: Sequence[str], key: Sequence[str]) -> bool:
        """Whether some names are of each column of a key, by all names that they have had."""
        columns = self.warehouse.sources.columns(self.batch.raw)
        former = {c["name"].lower(): [n.lower() for n in c["former"]] for c in columns}
        wanted = [{name.lower(), *former.get(name.lower(), ())} for name in key]
        found = {name.lower() for name in names}
        return all(each & found for each in wanted)

    def refuse_shared(self, plan: Plan) -> None:
        """A key that is not the source's has at most one live row of the source each."""
        if not self.settings.source_key:
            return
        known = None if self.batch.is_first or self.batch.is_rebuild else self.target
        changes, key = self.fitted(plan.mirror), self.settings.key
        found = self.warehouse.rows(
            self.warehouse.sql("shared_keys_sql", changes, known, self.landed, key)
        )
        if found:
            self.refuse_batch(messages.shared_key(found[0][0], json.loads(found[0][1])))
