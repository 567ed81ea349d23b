"""Versions of source tables' schemas, as schema-change events and Connect schemas tell them."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from lakemirror.landing.topics import source_and_table
from lakemirror.source.ddl import added_at, renamed_by

HISTORY = "schema_history"  # the table, in the schema raw
SCHEMA_CHANGE, CONNECT_SCHEMA, VITESS_DDL = "schema_change", "connect_schema", "vitess_ddl"
FLAGS = re.compile(r"(.*?)((?: (?:unsigned|signed|zerofill))*)")
# what the connector adds with column.propagate.source.type
SOURCE_COLUMN = "__debezium.source.column."
# Connect's types of times and dates
TIMES = ("io.debezium.time.", "org.apache.kafka.connect.data.Time")
NO_COLUMNS = "Vitess sends the statement alone: "


@dataclass(frozen=True)
class Column:
    """A column of a source table.

    Attributes:
        data_type: the source's own type; None where only the Connect schema is known.
        connect: the Connect schema (type, name, parameters, ...) as JSON; None where not known.
        generated: as the connector says it, which means auto-increment too; None where not known.
    """

    name: str
    data_type: str | None
    connect: str | None
    nullable: bool
    default: str | None
    generated: bool | None
    comment: str | None


@dataclass(frozen=True)
class Schema:
    """A version of a table's schema.

    Attributes:
        table_name: the database's own names of the table, from the outermost.
        origin: what told it.
        key: the names of the key's columns in their order.
        note: what there is to know of a version without columns.
        renamed: the former names of the columns that the statement renamed, by the new ones.
        former_name: the names that the statement took from the table; of one without columns those
            that it gave to it.
    """

    source: str
    raw_table: str
    table_name: tuple[str, ...]
    origin: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    comment: str | None = None
    note: str | None = None
    renamed: Mapping[str, str] | None = None
    former_name: tuple[str, ...] | None = None

    @property
    def hash(self) -> str:
        """Of all that the version says, and not of where it was seen."""
        content = [
            [asdict(column) for column in self.columns],
            *(self.table_name, self.key, self.comment, self.note),
            *([self.renamed, self.former_name] if self.renamed or self.former_name else []),
        ]
        text = json.dumps(content, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


def changed_schemas(value: str, topic_sources: Mapping[str, str]) -> Iterator[Schema]:
    """The schemas that a record of a schema-change topic tells.

    A table that a statement drops, or takes the name of, has a version without columns, whose
    ``former_name`` is then the name that it has now. A snapshot tells DROP of each table, which
    none of them was.
    """
    event = payload(value)
    block, changes = event.get("source") or {}, event.get("tableChanges") or []
    prefix = block.get("name")
    if not isinstance(prefix, str):
        return
    times, is_streamed = added_at(event), block.get("snapshot") in (None, False, "false")
    for change in changes:
        table, former = change.get("table"), change.get("previousId")
        names = table_names(change["id"])
        if is_streamed and (former or change.get("type") == "DROP"):
            gone = table_names(former) if former else names
            renamed_to = names if former else None
            place = _raw(prefix, gone, topic_sources)
            yield Schema(*place, gone, SCHEMA_CHANGE, (), (), former_name=renamed_to)
        if table and change.get("type") != "DROP":
            renamed = renamed_by(event, [column["name"] for column in table["columns"]])
            yield Schema(
                *_raw(prefix, names, topic_sources),
                names,
                SCHEMA_CHANGE,
                tuple(_changed_column(column, times) for column in table["columns"]),
                tuple(table.get("primaryKeyColumnNames") or ()),
                table.get("comment"),
                renamed=renamed or None,
                former_name=table_names(former) if former else None,
            )
    if not changes and block.get("connector") == "vitess" and block.get("table"):
        names = (block["keyspace"], block["table"])
        note = NO_COLUMNS + str(event.get("ddl"))
        yield Schema(*_raw(prefix, names, topic_sources), names, VITESS_DDL, (), (), None, note)


def connect_schema(
    topic: str, value_schema: str, key_schema: str | None, block: str, sources: Mapping[str, str]
) -> Iterator[Schema]:
    """The schema of a table's topic; none where the records are no changes of a table.

    Args:
        value_schema: the ``schema`` of JsonConverter's value.
        key_schema: of its key; None where the record has no key.
        block: the ``source`` block of an event, which has the table's own names.
        sources: the var topic_sources.
    """
    fields = {field.get("field"): field for field in as_json(value_schema).get("fields") or []}
    if not {"after", "op", "source"} <= fields.keys():
        return
    found = as_json(block)
    names = [found.get("db") or found.get("keyspace"), found.get("schema"), found.get("table")]
    yield Schema(
        *source_and_table(topic, sources),
        tuple(name for name in names if name),
        CONNECT_SCHEMA,
        tuple(_connect_column(field) for field in fields["after"]["fields"]),
        tuple(field["field"] for field in as_json(key_schema or "{}").get("fields") or []),
    )


def table_names(identifier: str) -> tuple[str, ...]:
    """The names in Debezium's ``"shop"."orders"``; of a renamed table the new ones.

    >>> table_names('"shop"."old","shop"."a ""new"" one"')
    ('shop', 'a "new" one')
    """
    quoted = re.findall(r'"((?:[^"]|"")*)"(.|$)', identifier)
    renamed = [n + 1 for n, (_, separator) in enumerate(quoted) if separator == ","]
    return tuple(name.replace('""', '"') for name, _ in quoted[max(renamed, default=0) :])


def data_type(
    expression: str, length: int | None, scale: int | None, values: Sequence[str] = ()
) -> str:
    """A type as a column's DDL has it.

    >>> data_type("DECIMAL UNSIGNED", 10, 2)
    'decimal(10,2) unsigned'
    """
    name = expression.lower()
    inside = ",".join(values or [str(digit) for digit in (length, scale) if digit is not None])
    found = FLAGS.fullmatch(name)
    if not inside or "(" in name or found is None:
        return name
    return f"{found[1]}({inside}){found[2]}"


def _changed_column(column: Mapping[str, Any], times: Mapping[str, str]) -> Column:
    expression, values = column.get("typeExpression"), column.get("enumValues") or ()
    return Column(
        column["name"],
        data_type(
            expression or column["typeName"], column.get("length"), column.get("scale"), values
        ),
        None,
        bool(column.get("optional")),
        times.get(column["name"].lower(), column.get("defaultValueExpression")),
        column.get("generated"),
        column.get("comment"),
    )


def _connect_column(field: Mapping[str, Any]) -> Column:
    connect = {k: v for k, v in field.items() if k not in ("field", "optional", "default", "doc")}
    parameters, default = field.get("parameters") or {}, field.get("default")
    own = parameters.get(SOURCE_COLUMN + "type")
    length, scale = (parameters.get(SOURCE_COLUMN + name) for name in ("length", "scale"))
    if scale and str(connect.get("name")).startswith(TIMES):  # PostgreSQL's length is how it shows
        length, scale = scale, None
    return Column(
        field["field"],
        data_type(own, length and int(length), scale and int(scale)) if own else None,
        json.dumps(connect, sort_keys=True, separators=(",", ":")),
        bool(field.get("optional")),
        default if default is None or isinstance(default, str) else json.dumps(default),
        None,
        parameters.get(SOURCE_COLUMN + "comment"),
    )


def _raw(prefix: str, names: tuple[str, ...], topic_sources: Mapping[str, str]) -> tuple[str, str]:
    """The source and the raw table of the topic that a table's changes come by."""
    topic = ".".join(re.sub(r"[^A-Za-z0-9._-]", "_", name) for name in (prefix, *names))
    return source_and_table(topic, topic_sources)


def as_json(text: str) -> dict[str, Any]:
    """A JSON object; an empty one where the text is none."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def payload(text: str) -> dict[str, Any]:
    """A record's key or value without its Connect schema; empty where it is no JSON object."""
    found = as_json(text)
    inner = found["payload"] if found.keys() == {"schema", "payload"} else found
    return inner if isinstance(inner, dict) else {}
