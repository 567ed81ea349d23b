"""The table of a mirror follows its source: columns, defaults, and what its metadata says to other
engines of the key and of columns without a null."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from lakemirror.runs import evolve, messages
from lakemirror.runs.batch import Counts
from lakemirror.runs.evolve import Updates
from lakemirror.runs.mirror_key import KeyedRun
from lakemirror.runs.mirror_plan import Plan
from lakemirror.runs.model import Model
from lakemirror.runs.settings import MirrorSettings
from lakemirror.runs.warehouse import Column, Warehouse
from lakemirror.state import table_schema, window
from lakemirror.state.table_schema import Default, SchemaChange, TableSchema

DEFAULTS = "lakemirror.defaults"


class SchemaRun(KeyedRun):
    """What a run changes of its table's schema. Without the commit that follows it is harmless."""

    def __init__(self, warehouse: Warehouse, model: Model, settings: MirrorSettings) -> None:
        super().__init__(warehouse, model, settings)
        self._schema: list[TableSchema | None] = []  # empty where it is to be read

    def evolve(self, plan: Plan, counts: Counts) -> Updates:
        """Alter the mirror, and find what the rows that are there need with the batch."""
        warehouse, previous = self.warehouse, self.batch.previous
        evolve.follow(warehouse, self.target, plan.mirror, self.model.name, self.literals(plan))
        if plan.mirror.statements:
            self._schema.clear()
        self.agree(plan, counts)
        if previous is None:
            return Updates()
        now: Sequence[Column] = self.described.columns
        if plan.mirror.statements:
            now = self.warehouse.columns_of(f"select * from {self.target}")
        both = [*plan.returned, *self.declared_before(plan.late)]
        returned = evolve.to_renew(both, previous, plan.mirror.places, plan.defaults, now)
        for column in returned:
            came = "has come" if column.get("is_late") else "came back"
            warehouse.say(
                f"{self.model.name}: {column['name']} {came}; rows of before get its default"
            )
        known = evolve.as_of_rows(warehouse, self.batch.raw, plan.defaults)
        unread = evolve.unread(known, plan.mirror.places, self.schema)
        fills = evolve.fills_since(warehouse, self.target, previous, now, unread)
        return Updates(fills, returned)

    def declared_before(self, late: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Of the columns that the source has added, those that the table had before."""
        if self.batch.previous is None or self.batch.is_rebuild:
            return []
        return [column for column in late if column["name"] in self.described.names]

    def literals(self, plan: Plan) -> dict[str, Default]:
        """The defaults of columns that are new, where Iceberg's format gives them to the rows that
        are there, and all of these are from before the column: by the table's column.

        What a type conflict has made is not new at the source: rows of before have their values in
        the column of before.
        """
        previous, has_defaults = self.batch.previous, self.settings.format_version >= 3
        if previous is None or not has_defaults or self.schema is None:
            return {}
        there = {name.lower() for name in self.described.names}
        kinds = {
            column["name"]: column["data_type"]
            for column in plan.mirror.adds
            if plan.mirror.places.get(column["name"]) == column["name"]
            and column["name"].lower() not in there
            and not column["data_type"].startswith(table_schema.UNFILTERED)
        }
        newest = previous.summary.get(window.NEWEST_EVENT)
        names = [name for name in plan.defaults if name in kinds]
        given = evolve.older_than_all(
            self.warehouse, self.batch.raw, self.described.as_of_now(), newest, names
        )
        expressions = {name: plan.defaults[name] for name in names if name in given}
        return evolve.literals(self.warehouse, expressions, kinds)

    @property
    def schema(self) -> TableSchema | None:
        """The table's schema as it is read first, and again after each change."""
        if not self._schema:
            self._schema.append(self.warehouse.schema_of(self.target))
        return self._schema[0]

    def source_defaults(self, plan: Plan) -> str | None:
        """What tells whether the source's defaults are those of before, and in the same columns;
        None where the table's format has none."""
        if self.settings.format_version < 3:
            return None
        said = [
            (place, c["write_default"], c["write_default_problem"])
            for place, c in self.placed(plan).items()
        ]
        return table_schema.digest(said)

    def placed(self, plan: Plan) -> dict[str, dict[str, Any]]:
        """The source's columns that the query has, by the table's column."""
        places = {name.lower(): place for name, place in plan.mirror.places.items()}
        columns = self.warehouse.sources.columns(self.batch.raw)
        return {
            places[column["name"].lower()]: column
            for column in columns
            if column["name"].lower() in places and not column["is_dropped"]
        }

    def required(self, plan: Plan) -> set[str]:
        """The table's columns, beside the key, that have no null at the source. Where a change does
        not send all of its row, there are none."""
        if plan.shape.filled or self.schema is None:
            return set()
        back = {column["name"] for column in plan.returned}  # rows of before get null, or a default
        key = {name.lower() for name in self.settings.key}
        return {
            place
            for place, column in self.placed(plan).items()
            if column["is_required"] and column["name"] not in back and place.lower() not in key
        }

    def needed(self, plan: Plan) -> list[str]:
        """The columns, beside the key, that a null in the batch is looked for in: those that the
        table requires, also by a former name, and of a new one those that it may."""
        if self.schema is None:
            return []
        if self.batch.is_first or self.batch.is_rebuild:
            return sorted(self.required(plan))
        former, key = plan.mirror.renamed, {name.lower() for name in self.settings.key}
        names = [name for name in plan.shape.columns if name.lower() not in key]
        return [name for name in names if former.get(name, name) in self.schema.required]

    def agree(self, plan: Plan, counts: Counts) -> None:
        """Let the table's metadata say what other engines ask it: the key, the columns without a
        null, and what a row gets that leaves a column out.

        A column is required from the first rows on, and no more once the source, or a row, has null
        in it.
        """
        schema = self.schema
        if schema is None:
            return
        summary = self.batch.previous.summary if self.batch.previous else {}
        has_defaults = self.source_defaults(plan) not in (None, summary.get(DEFAULTS))
        key, allowed = schema.identifying(self.settings.key), self.required(plan) - {*counts.nulls}
        kept = {*schema.named(self.settings.key), *allowed}
        change = SchemaChange(
            key=None if sorted(schema.key) == sorted(key) else key,
            write_defaults=self.changed_defaults(plan, schema) if has_defaults else {},
            required=sorted(allowed - schema.required) if self.batch.is_first else (),
            optional=sorted(schema.required - kept),
        )
        self.change_schema(change)

    def agree_anew(self, required: str | None, plan: Plan | None = None) -> None:
        """The same of a table that has been made anew, with nothing of it, once its rows are there.

        What a run that died has left out is done by the next: the write defaults with its batch.

        Args:
            required: the columns, as JSON; None where the newest commit is no rebuild.
            plan: of the run that has just made it; None in a later one.
        """
        if required is None or (plan is None and self.described.foreign_commits):
            return
        self._schema.clear()
        schema = self.schema
        if schema is None or schema.key or schema.required:
            return
        defaults: Mapping[str, Default] = {}
        if plan is not None and self.source_defaults(plan) is not None:
            defaults, _ = self.write_defaults(plan, self.batch.columns)
        key = schema.identifying(self.settings.key) or None
        self.change_schema(SchemaChange((), defaults, key, json.loads(required)))

    def change_schema(self, change: SchemaChange) -> None:
        if change:
            self.warehouse.change_schema(self.target, change)
            self._schema.clear()

    def write_defaults(
        self, plan: Plan, columns: Sequence[Column]
    ) -> tuple[dict[str, Default], dict[str, str]]:
        """The source's defaults now, and why the others are no literal: by the table's column.

        Args:
            columns: the table's.
        """
        kinds = {column["name"]: column["data_type"] for column in columns}
        placed = {place: c for place, c in self.placed(plan).items() if place in kinds}
        expressions = {
            place: self.warehouse.sql("default_value", column | {"default": default})
            for place, column in placed.items()
            if (default := column["write_default"])
        }
        found = evolve.literals(self.warehouse, expressions, kinds)
        problems = {
            place: column["write_default_problem"] or f"it is no value of {kinds[place]}"
            for place, column in placed.items()
            if column["write_default_problem"] or place in {*expressions} - {*found}
        }
        return found, problems

    def changed_defaults(self, plan: Plan, schema: TableSchema) -> dict[str, Default | None]:
        """What the table is to have, with None for what the source has no more; what is no literal
        is named."""
        there = self.warehouse.columns_of(f"select * from {self.target}")
        found, problems = self.write_defaults(plan, there)
        if problems:
            self.warehouse.warn(messages.unknown_write_defaults(self.model.name, problems))
        return {**found, **dict.fromkeys(schema.write_defaults - {*found})}

    def warn_of_defaults(self, plan: Plan) -> None:
        """Name what is no literal before a rebuild's commit: where a warning is an error, it ends
        the run, and nothing is committed."""
        if self.source_defaults(plan) is None or self.schema is None:
            return
        _, problems = self.write_defaults(plan, self.batch.columns)
        if problems:
            self.warehouse.warn(messages.unknown_write_defaults(self.model.name, problems))
