"""What is known of a source's tables: by raw.schema_history, by the database, and by YAML."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from lakemirror.cli.column_defaults import came_with, with_default
from lakemirror.cli.errors import CommandError
from lakemirror.cli.evidence import Head, Say, head_of
from lakemirror.cli.lakes import mapping, rendered
from lakemirror.cli.sent_columns import sent_columns
from lakemirror.landing.topics import SIDE_TABLES, TOPIC_PROPERTY
from lakemirror.layers import KEY, RAW, layers_of_catalog
from lakemirror.source import types, versions
from lakemirror.source.connect_types import connect_encoding
from lakemirror.source.database import DatabaseColumn, DatabaseTable
from lakemirror.source.inference import Column
from lakemirror.source.schemas import CONNECT_SCHEMA, HISTORY, payload
from lakemirror.source.versions import Version
from lakemirror.source.wire import can_decode
from lakemirror.state.commits import tables_in


@dataclass
class SourceTable:
    """A table of a source that has landed.

    Attributes:
        name: the raw table's, without its source.
        raw: the raw table (pyiceberg).
        versions: what raw.schema_history has of it.
        declared: the table in the source's YAML; empty where it has none.
        described: the table in the source's database; None where that was not asked, or has none.
        sent: the columns that its events have; empty where the database was not asked.
        history: the table that has the versions.
    """

    source: str
    name: str
    raw: Any
    versions: Sequence[Version] = ()
    declared: Mapping[str, Any] = field(default_factory=dict)
    described: DatabaseTable | None = None
    sent: frozenset[str] = frozenset()
    history: str = f"{RAW}.{HISTORY}"

    def __str__(self) -> str:
        return f"{self.source}.{self.name}"

    @cached_property
    def head(self) -> Head:
        return head_of(self.raw)

    @cached_property
    def schema(self) -> Version:
        """The newest version that raw.schema_history has; empty where it knows nothing."""
        found = versions.in_order(self.versions)
        return found[-1] if found else {}

    @property
    def is_landed(self) -> bool:
        """Whether its records are texts, as landing writes them and a sink may not."""
        return {"key", "value"} <= {column.name for column in self.raw.schema().fields}

    @property
    def topic(self) -> str:
        return str(self.raw.properties.get(TOPIC_PROPERTY, ""))

    @property
    def names(self) -> tuple[str, ...]:
        """The database's names of its schema and of the table: as its events or its topic say."""
        return self.head.names[-2:] or tuple(self.topic.split(".")[-2:])

    def describe(self, described: DatabaseTable | None, say: Say) -> None:
        """Take what the database says, and look which columns the events have.

        All events are read, unless raw.schema_history has all columns that the database has: the
        newest ones may be from before an ALTER, or the oldest ones.

        Args:
            say: takes a line of progress.
        """
        self.described = described
        if described is None or not self.is_landed:
            return
        known = self.head.columns | {column["name"] for column in self.schema.get("columns") or []}
        wanted = {column.name for column in described.columns if not column.is_left_out}
        is_known = bool(self.schema) and wanted <= known
        self.sent = known if is_known else sent_columns(self.raw, str(self), known, say)

    @property
    def of_database(self) -> dict[str, DatabaseColumn]:
        """The columns that the database knows of, and that its events have."""
        columns = self.described.columns if self.described else []
        return {
            column.name: column
            for column in columns
            if (column.name in self.sent or not self.sent) and not column.is_left_out
        }

    @property
    def left_out(self) -> list[str]:
        """The columns that only snapshots have: a change would make null of them."""
        columns = self.described.columns if self.described else []
        return [column.name for column in columns if column.is_left_out]

    @property
    def ended(self) -> list[str]:
        """The columns that only older versions have, and of which nobody says why."""
        if self.described:
            return []
        known = versions.known_columns(self.versions)
        gone = [column["name"] for column in known if column["is_dropped"]]
        return [name for name in gone if name not in self.ignored]

    @property
    def ignored(self) -> list[str]:
        """The columns that the source's YAML leaves out: those that it does, and has to."""
        declared = meta_of(self.declared).get("ignored_columns") or []
        return [*dict.fromkeys([*declared, *self.left_out])]

    @property
    def unsent(self) -> list[str]:
        """The columns that the database has, and no event."""
        columns = self.described.columns if self.described else []
        there = {*self.of_database, *self.left_out}
        return [column.name for column in columns if column.name not in there]

    def declared_columns(self, kind: str, settings: types.Settings) -> list[dict[str, Any]]:
        """What the source's YAML is to say of its columns: what it says, and what it has to.

        That is what raw.schema_history does not know: all columns, or the types that a Connect
        schema does not tell.

        Args:
            settings: all of the connector's.
        """
        found = [dict(column) for column in self.declared.get("columns") or []]
        there = {column["name"] for column in found}
        known = {column["name"]: column for column in self.schema.get("columns") or []}
        for name, column in self.of_database.items():
            told = known.get(name, {})
            is_wanted = not known or is_told_more(told, column.data_type, kind, settings)
            if name not in there and is_wanted:
                found.append({"name": name, "data_type": column.data_type})
        return [with_default(column, self.came_with, kind, settings) for column in found]

    @cached_property
    def came_with(self) -> dict[str, str | None]:
        """By column that raw.schema_history does not know, what rows got that were there when it
        came; None where nobody knows."""
        is_asked = self.described and not self.schema
        return came_with(self.raw, self.of_database.values()) if is_asked else {}

    def default_lines(self, kind: str, settings: types.Settings) -> Iterator[str]:
        """What rows from before a column get, and where that is to be said by somebody.

        Args:
            settings: all of the connector's.
        """
        told = {c["name"]: meta_of(c) for c in self.declared.get("columns") or []}
        columns = {c["name"]: meta_of(c) for c in self.declared_columns(kind, settings)}
        asked = [n for n in self.came_with if n in columns and "default" not in told.get(n, {})]
        for name in asked:
            if "default" in columns[name]:
                yield (
                    f"{self}.{name}: rows from before it was added get "
                    f"{columns[name]['default']!r}, as the database says (config.meta.default). A "
                    "mirror that has the column already must be rebuilt for that"
                )
        unknown = [name for name in asked if "default" not in columns[name]]
        if unknown:
            yield (
                f"{self} got {', '.join(unknown)} later, and no literal says what the rows of "
                "before got: null. Say config.meta.default in YAML, or let the connector take a "
                "snapshot (docs/schema-changes.md)"
            )

    @property
    def gone(self) -> list[str]:
        """The columns that events have, and the database has not: dropped, or of another name."""
        if self.described is None or self.schema:
            return []
        there = {column.name for column in self.described.columns}
        there |= {column["name"] for column in self.declared.get("columns") or []}
        return sorted(self.sent - there)

    def comments(self) -> tuple[str | None, dict[str, str]]:
        """The comments of the table and of its columns, at the source."""
        columns = {c["name"]: c["comment"] for c in self.schema.get("columns") or []}
        of_database = {name: column.comment for name, column in self.of_database.items()}
        every = {**of_database, **{name: text for name, text in columns.items() if text}}
        of_table = self.described.comment if self.described else None
        return self.schema.get("comment") or of_table, {
            name: text for name, text in every.items() if text
        }

    def rows(self) -> int:
        """About how many rows the table has: as the database says, or as many as its records."""
        known = self.described.rows if self.described else None
        return self.records() if known is None else known

    def differences(self, kind: str, settings: types.Settings) -> Iterator[str]:
        """What raw.schema_history, YAML and the database say of the table, and not alike.

        Args:
            settings: all of the connector's.
        """
        if self.described is None:
            return
        known = {column["name"]: column for column in self.schema.get("columns") or []}
        told = {name: c.get("data_type") for name, c in known.items()}
        declared = {c["name"]: c.get("data_type") for c in self.declared.get("columns") or []}
        for where, kinds in ((self.history, told), ("the source's YAML", declared)):
            for name, own in kinds.items():
                column = self.of_database.get(name)
                if own and column and not are_alike(own, column.data_type, kind, settings):
                    kind_there = column.data_type
                    yield f"{self}.{name} is {own} in {where}, and {kind_there} in the database"
        lacking = sorted({*self.of_database} - {*known})
        if known and lacking:
            yield f"{self} has {', '.join(lacking)} in the database, and not in {self.history}"
        gone = sorted({*known} - {c.name for c in self.described.columns})
        if gone:
            yield f"{self} has {', '.join(gone)} in {self.history}, and not in the database"
        key = self.key()
        if self.described.key and key and sorted(self.described.key) != sorted(key):
            yield (
                f"{self} has the key ({', '.join(self.described.key)}) in the database, and its "
                f"records have ({', '.join(key)})"
            )

    def key(self) -> list[str]:
        """The names of the key's columns: as the schema has them, else those of a record's key.

        The database decides only where no record has a key that is JSON.
        """
        known = [*(self.schema.get("key") or self.head.key or payload(self.first_key))]
        return known or (self.described.key if self.described else [])

    @cached_property
    def first_key(self) -> str:
        """The key of one record; empty where none has a key."""
        return key_text(self.raw) if self.is_landed else ""

    @property
    def unread_key(self) -> str | None:
        """The key of a record, where no record's is JSON and nothing else tells it."""
        is_known = self.schema.get("key") or self.head.key or not self.first_key
        return None if is_known or payload(self.first_key) else self.first_key[:40]

    def records(self) -> int:
        """How many records the raw table has, by its newest commit's summary."""
        found = self.raw.current_snapshot()
        return int(found.summary["total-records"] or 0) if found and found.summary else 0

    def columns(self, kind: str) -> list[Column]:
        """Its columns now, as far as their types are known."""
        connect = self.connect_schemas()
        known = versions.known_columns(self.versions, has_one_log=kind != "vitess")
        there = {column["name"]: column for column in known if not column["is_dropped"]}
        declared = {c["name"]: c.get("data_type") for c in self.declared.get("columns") or []}
        names = [*there, *declared, *(() if there else self.of_database)]
        found = []
        for name in dict.fromkeys(names):
            column, schema = there.get(name, {}), connect.get(name)
            of_database = self.of_database.get(name)
            data_type = declared.get(name) or column.get("data_type")
            data_type = data_type or (of_database.data_type if of_database else None)
            if data_type or schema:
                spellings = (*column.get("spellings", ()),)
                since = type_since(column)
                found.append(Column(str(self), name, data_type, schema, spellings, since))
        return found

    def connect_schemas(self) -> dict[str, Mapping[str, Any]]:
        """By column, the newest Connect schema that the events brought."""
        told = [v for v in self.versions if v["origin"] == CONNECT_SCHEMA and v["columns"]]
        if not told:
            return {}
        newest = max(told, key=lambda version: versions.age(version["last_seen"]))
        columns = newest["columns"]
        return {c["name"]: json.loads(c["connect"]) for c in columns if c.get("connect")}


def is_told_more(
    known: Mapping[str, Any], data_type: str, kind: str, settings: types.Settings
) -> bool:
    """Whether a column's type tells what its Connect schema does not, or tells otherwise."""
    if known.get("data_type") or not known.get("connect"):
        return False
    try:
        by_schema = connect_encoding(json.loads(known["connect"]), kind, settings)
        by_type = types.encoding(data_type, kind, settings)
    except types.TypeMappingError:
        return can_decode(data_type, kind)
    return (by_schema.family, by_schema.lake) != (by_type.family, by_type.lake)


def are_alike(one: str, other: str, kind: str, settings: types.Settings) -> bool:
    """Whether two spellings of a type decode to the same: a display width does not count."""
    try:
        found = types.encoding(one, kind, settings) == types.encoding(other, kind, settings)
    except types.TypeMappingError:
        return one.lower() == other.lower()
    return found


def type_since(column: Mapping[str, Any]) -> float | None:
    """The source's time, in seconds, of the statement that gave a column the type it has now."""
    places = [older["until"] for older in column.get("older", ())]
    times = [place["src_ts"].timestamp() for place in places if place.get("src_ts")]
    return max(times, default=None)


def tables_of(catalog: Any, source: str, declared: Mapping[str, Any]) -> dict[str, SourceTable]:
    """The tables of a source that have landed, by their names.

    Args:
        catalog: of the lake (pyiceberg).
        declared: the source as its YAML declares it; empty where it has none.
    """
    of_yaml = {table["name"]: table for table in declared.get("tables") or []}
    schema = raw_schema(catalog, declared)
    known = histories(catalog, schema, source)
    found = {}
    for raw_name in raw_tables(catalog, schema, source):
        name = raw_name.removeprefix(f"{source}__")
        raw = catalog.load_table((schema, raw_name))
        told = known.get(raw_name, ()), of_yaml.get(name, {})
        found[name] = SourceTable(source, name, raw, *told, history=f"{schema}.{HISTORY}")
    return found


def raw_schema(catalog: Any, declared: Mapping[str, Any]) -> str:
    """The schema of a source's raw tables: as its YAML says, or that of the target's raw."""
    layers = layers_of_catalog(catalog)
    try:
        return rendered(declared.get("schema") or layers.raw, {}, target={KEY: layers.prefix})
    except CommandError:  # it names more than the prefix
        return layers.raw


def raw_tables(catalog: Any, schema: str, source: str) -> list[str]:
    """The raw tables of a source's own tables, without those of the connector's side topics."""
    sides = {f"{source}__{side}" for side in SIDE_TABLES.values()}
    names = tables_in(catalog, schema)
    return [name for name in names if name.startswith(f"{source}__") and name not in sides]


def sources_of(catalog: Any) -> set[str]:
    """The sources of which a table has landed."""
    parts = [name.partition("__") for name in tables_in(catalog, layers_of_catalog(catalog).raw)]
    return {
        source for source, is_one, table in parts if is_one and table not in SIDE_TABLES.values()
    }


def meta_of(node: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a node of YAML has in config.meta."""
    return mapping(mapping(node.get("config")).get("meta"))


def histories(catalog: Any, schema: str, source: str) -> dict[str, list[Version]]:
    """By raw table, the versions that the history of a schema has."""
    if HISTORY not in tables_in(catalog, schema):
        return {}
    found: dict[str, list[Version]] = {}
    for row in catalog.load_table((schema, HISTORY)).scan().to_arrow().to_pylist():
        if row["source"] == source and row["columns"]:
            found.setdefault(row["raw_table"], []).append(row)
    return found


def record_key(raw_table: Any) -> list[str]:
    """The names in the key of one of the table's records; none where no record has a key."""
    return [*payload(key_text(raw_table))]


def key_text(raw_table: Any) -> str:
    """The key of one of the table's records; empty where no record has one."""
    scan = raw_table.scan(row_filter="key is not null", selected_fields=("key",), limit=1)
    return next((row["key"] for row in scan.to_arrow().to_pylist()), "")
