"""The erasure of a column: its values in all rows of what stems from a source table.

The column stays in the tables, with null in each row, as one that the source has dropped. From its
beginning on every reader of changes leaves it out, and so does landing: see
lakemirror.state.erasures.ERASED_COLUMNS.
"""

import json
from collections.abc import Collection, Mapping
from functools import partial
from typing import Any, ClassVar

from lakemirror.runs import messages
from lakemirror.runs.erased_tables import ErasedTable
from lakemirror.runs.erasure import ErasureRun, hashed
from lakemirror.runs.erasure_plan import KEPT, Sought
from lakemirror.runs.project import ProjectModel, settings_of
from lakemirror.runs.warehouse import Table, Warehouse, quoted
from lakemirror.source.fields import key_without, value_without
from lakemirror.state.erasures import ERASED_COLUMNS, ERASURES, is_meant
from lakemirror.state.ops_tables import literal
from lakemirror.state.table_schema import SchemaChange
from lakemirror.state.technical import is_technical

KEY, VALUE = "lakemirror_key_without", "lakemirror_value_without"  # functions of the session
GIVEN = f"key = {KEY}(key), value = {VALUE}(value)"
IN_ROWS = ("in_mirror", "by_log")  # JSON of a row, in a finding
NO_VALUES = ("conflict",)  # of ops, what has none but the key's
text = partial(literal, "string")
IN_TEXTS = f"({KEY}(key) is distinct from key or {VALUE}(value) is distinct from value)"


class ColumnTable(ErasedTable):
    """A table that has the column, or may have had it: all of its files are rewritten.

    Attributes:
        columns: name and type of those that are meant.
    """

    rewrite = "options => map('rewrite-all', 'true', 'remove-dangling-deletes', 'true')"

    def __init__(
        self, warehouse: Warehouse, relation: Any, names: Collection[str], erasure_id: str
    ) -> None:
        self.there = Table.read(warehouse, relation).columns
        self.columns = {c["name"] for c in self.there if is_meant(c["name"], names)}
        condition = " or ".join(f"{quoted(n)} is not null" for n in sorted(self.columns))
        super().__init__(warehouse, relation, f"({condition or 'false'})", erasure_id)

    def erase(self) -> None:
        """Set the column to null, also where the table has it without one."""
        if not self.columns:
            return
        schema = self.warehouse.schema_of(self.relation)
        if schema is not None:
            said = {name: schema.columns.get(name, {}) for name in self.columns}
            change = SchemaChange(
                optional=[name for name, told in said.items() if told.get("required")],
                write_defaults={name: None for name, t in said.items() if "write-default" in t},
            )
            if change:
                self.warehouse.change_schema(self.relation, change)
        self.forget(sorted(self.columns))

    def kept_sql(self, place: str) -> str:
        listed = (
            f"cast(null as {c['data_type']}) as {quoted(c['name'])}"
            if c["name"] in self.columns
            else quoted(c["name"])
            for c in self.there
        )
        return f"select {', '.join(listed)} from {place}"


class ColumnErasure(ErasureRun):
    """Erase a column of a mirror's source table.

    Attributes:
        names: of the column, at any time, in lower case.
    """

    kind = "column"
    names: frozenset[str]
    done: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("daily", "log", "mirror"), "column becomes null"),
        **dict.fromkeys(("raw", "archive", "quarantine"), "column taken out of key and value"),
        "run": "message becomes null",
    }

    def erase_column(
        self,
        model: str | None,
        column: str,
        by: str | None = None,
        reason: str | None = None,
        apply: bool = False,
    ) -> None:
        """Erase the column, or say where its values are."""
        self.asked_by, self.reason = by, reason
        self.scope = self.scope_of(model)
        raw = self.scope.raw
        self.names = frozenset(self.warehouse.sources.spellings(raw, column))
        self.sought = Sought([], {}, [])
        self.refuse_column(column)
        self.told = {"columns": sorted(self.names)}
        for name, without in ((KEY, key_without), (VALUE, value_without)):
            self.warehouse.function(name, without, self.names)
        self.carry_out(apply)

    def refuse_table(self, node: ProjectModel, table: Table) -> None:
        """A table without the column has none of its values."""

    def refuse_column(self, column: str) -> None:
        """Refuse a column of a key, one of ours, and one that nobody knows."""
        warehouse, scope = self.warehouse, self.scope
        if is_technical(column):
            warehouse.refuse(f"erase: {column} is a technical column, and none of the source")
        for each in (*scope.consumers, *scope.dailies):
            settings = settings_of(warehouse, each)
            keys = {*getattr(settings, "key", ()), *getattr(settings, "source_key", ())}
            if self.names & {name.lower() for name in keys}:
                warehouse.refuse(messages.is_of_key(column, each.name))
        if self.names & {name.lower() for name in warehouse.sources.known_key(scope.raw)}:
            warehouse.refuse(messages.is_of_key(column, scope.raw))
        tables = [Table.read(warehouse, each.relation).names for each in scope.consumers]
        there = sorted({name for names in tables for name in names if not is_technical(name)})
        is_known = column.lower() in warehouse.sources.known_names(scope.raw)
        if not is_known and not any(is_meant(name, self.names) for name in there):
            warehouse.refuse(messages.no_column_to_erase(column, scope.node.name, there))

    # -- what there is -----------------------------------------------------------------------

    def table(self, relation: Any, condition: str | None = None) -> ErasedTable:
        if condition is not None:
            return super().table(relation, condition)
        return ColumnTable(self.warehouse, relation, self.names, self.id)

    def kept(self, kind: str) -> ErasedTable:
        listed = [text(name) for name in sorted(self.names)]
        if kind == "run":
            told = [f"contains(lower(message), concat('whose ', {name}, ' '))" for name in listed]
        elif kind == "finding":
            rows = [f"contains(lower({row}), {name})" for name in listed for row in IN_ROWS]
            told = [f"column_name is null and ({' or '.join(rows)})"]
            told.append(f"lower(column_name) in ({', '.join(listed)})")
        else:
            told = [IN_TEXTS]
        models = ", ".join(map(text, self.scope.names))
        condition = f"model in ({models}) and ({' or '.join(told)})"
        return super().table(f"{self.ops}.{KEPT[kind][0]}", condition)

    def kinds_kept(self) -> list[str]:
        return [kind for kind in super().kinds_kept() if kind not in NO_VALUES]

    def keyed(self) -> list[tuple[str, Any]]:
        return [(kind, relation) for kind, relation in super().keyed() if kind != "tombstone"]

    def records(self) -> int:
        query = f"select count(*) from {self.scope.raw} where {IN_TEXTS}"
        return int(self.warehouse.rows(query)[0][0])

    def erase_archive(self, folder: str, dry_run: bool) -> int:
        taken = f"{KEY}(key) as key, {VALUE}(value) as value"
        return self.warehouse.erase_archive(
            folder,
            IN_TEXTS,
            lambda rows: f"select * except (key, value), {taken} from {rows}",
            dry_run,
        )

    def days_of(self, folder: str, dry_run: bool) -> int:
        return self.warehouse.erase_columns(folder, self.names, dry_run)

    # -- the act -----------------------------------------------------------------------------

    def fingerprint(self) -> str:
        there = {*self.warehouse.tables(self.ops)}
        named = json.dumps(["column", self.raw_name, *sorted(self.names)])
        return hashed("", named) if ERASURES.name in there else ""

    def remember(self) -> None:
        """Keep what the column is called, and whether it is left out from now on."""
        rows = [
            {
                "erasure_id": self.id,
                "raw_table": self.raw_name,
                "column_name": name,
                "is_kept_out": self.is_kept_out,
            }
            for name in sorted(self.names)
        ]
        self.warehouse.run(ERASED_COLUMNS.insert_sql(self.ops, rows))

    def erase_kept(self, kind: str) -> None:
        table = self.kept(kind)
        if kind == "quarantine":
            self.take_out(table)
        else:
            super().erase_kept(kind)

    def erase_records(self, raw: ErasedTable) -> None:
        self.take_out(super().table(self.scope.raw, IN_TEXTS))

    def take_out(self, table: ErasedTable) -> None:
        """Take the column out of texts of records."""
        with table.carrying():
            self.warehouse.unlogged(f"update {table.relation} set {GIVEN} where {table.condition}")
