"""How a table follows the columns of its query: planned before anything is written."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from lakemirror.runs import messages
from lakemirror.runs.warehouse import Column, Table, Warehouse, quoted
from lakemirror.source import evolution
from lakemirror.source.evolution import Evolution, Rules, made
from lakemirror.state.table_schema import Default, SchemaChange, TableSchema
from lakemirror.state.window import Snapshot

RETURNED = "lakemirror.returned"
NO_NUMBERS = ("NaN", "Infinity", "-Infinity")
# the types that have literals: a Python value of Spark's text of one
LITERALS: dict[str, Callable[[str], Any]] = {
    "boolean": "true".__eq__,
    **dict.fromkeys(("int", "bigint"), int),
    **dict.fromkeys(("float", "double"), float),
    "binary": bytes.fromhex,
    **dict.fromkeys(("string", "decimal", "date", "timestamp", "timestamp_ntz"), str),
}


@dataclass(frozen=True)
class Updates:
    """What the rows of a table need that were there before a batch.

    Attributes:
        fills: columns that are new in all of them, by name and expression.
        returned: columns that came back: name, default, until and since.
    """

    fills: Sequence[dict[str, str]] = ()
    returned: Sequence[dict[str, Any]] = ()


def rules_of(warehouse: Warehouse, raw: str, **settings: Any) -> Rules:
    """How a source's columns are met: key, on_drop and on_type_conflict as they are given."""
    columns = warehouse.sources.columns(raw)
    return Rules(
        renamed={column["name"]: column["former"] for column in columns if column["former"]},
        dropped=[column["name"] for column in columns if column["is_dropped"]],
        **settings,
    )


def refuse_problems(
    warehouse: Warehouse, found: Evolution, target: Any, own: Sequence[Column], model: str
) -> None:
    """Refuse what a table cannot follow without a loss."""
    problems = list(found.problems)
    keeps_deleted = "_is_deleted" in found.names and "_is_deleted" not in map(name_of, own)
    if keeps_deleted:
        problems.append(
            "deletes was soft, and the rows that it keeps of deleted keys would count as live"
        )
    if problems:
        warehouse.refuse(messages.cannot_follow(target, problems, model))


def name_of(column: Column) -> str:
    return column["name"]


def follow(
    warehouse: Warehouse,
    target: Any,
    found: Evolution,
    model: str,
    defaults: Mapping[str, Default] | None = None,
) -> None:
    """Alter a table as planned. A run that dies in between plans the rest anew.

    Args:
        defaults: literals that the rows which are there read in columns that are added.
    """
    for line in found.lines:
        warehouse.say(f"{model}: {target} {line}")
    with_api = bool(defaults)
    for statement in found.statements[:-1] if with_api else found.statements:
        warehouse.retry(f"alter table {target} {statement}")
    if defaults:
        added = [(c["name"], c["data_type"], defaults.get(c["name"])) for c in found.adds]
        warehouse.change_schema(target, SchemaChange(added=added))


def literals(
    warehouse: Warehouse, expressions: Mapping[str, str], kinds: Mapping[str, str]
) -> dict[str, Default]:
    """Defaults as Iceberg's metadata has them, of the columns that it can have one of.

    Args:
        expressions: SQL by the column.
        kinds: the columns' types.
    """
    names = [name for name in expressions if kind(kinds.get(name, "")) in LITERALS]
    if not names:
        return {}
    texts = ", ".join(text_of(expressions[name], kinds[name]) for name in names)
    found = zip(names, warehouse.rows(f"select {texts}")[0], strict=True)
    nothing = {"float": NO_NUMBERS, "double": NO_NUMBERS}
    return {
        name: Default(kinds[name], LITERALS[kind(kinds[name])](text))
        for name, text in found
        if text is not None and text not in nothing.get(kinds[name], ())
    }


def text_of(expression: str, data_type: str) -> str:
    """The text of a value, as Iceberg reads the literals that it reads as texts."""
    value = f"try_cast({expression} as {data_type})"
    if data_type == "binary":
        return f"hex({value})"
    if data_type.startswith("timestamp"):
        zone = "'+00:00'" if data_type == "timestamp" else "''"  # sessions are in UTC
        return f"concat(replace(cast({value} as string), ' ', 'T'), {zone})"
    return f"cast({value} as string)"


def kind(data_type: str) -> str:
    """A type without its parameters."""
    return data_type.partition("(")[0]


def default_values(
    warehouse: Warehouse, raw: str, new_names: Iterable[str], model: str
) -> dict[str, str]:
    """The expressions of the defaults that are known, by the column; those of new columns that are
    not known are named, and null."""
    found, names = {}, {*new_names}
    for column in warehouse.sources.columns(raw):
        if column["default"]:
            found[column["name"]] = warehouse.sql("default_value", column)
        elif column["default_problem"] and column["name"] in names:
            problem = column["default_problem"]
            warehouse.warn(messages.unknown_default(model, column["name"], problem))
    return found


def places_of(warehouse: Warehouse, raw: str) -> dict[str, Mapping[str, Any]]:
    """Where the source has added a column, by its name, as far as that is told."""
    columns = warehouse.sources.columns(raw)
    return {c["name"]: c["added"] for c in columns if c["added"] and c["added"]["src_ts"]}


def as_of_rows(warehouse: Warehouse, raw: str, defaults: Mapping[str, str]) -> dict[str, str]:
    """Defaults as expressions over a row: null in one that is no older than its column.

    Such a row is there where the source had the column before the project did; what it has in it
    is not known.
    """
    added = places_of(warehouse, raw)

    def of_row(name: str, value: str) -> str:
        if name not in added:
            return value
        is_before = warehouse.sql("is_before", added[name], True)
        return f"case when {is_before} then {value} end"

    return {name: of_row(name, value) for name, value in defaults.items()}


def older_than_all(
    warehouse: Warehouse, raw: str, target: Any, newest: str | None, names: Iterable[str]
) -> set[str]:
    """Of new columns, those that no row of a table is from after.

    Args:
        newest: the source's time of the newest change in the table.
    """
    added = places_of(warehouse, raw)
    asked = [n for n in names if n in added and not is_later(added[n]["src_ts"], newest)]
    if not asked:
        return {*names}
    conditions = (warehouse.sql("is_before", added[name], True) for name in asked)
    query = ", ".join(f"coalesce(every({condition}), true)" for condition in conditions)
    found = zip(asked, warehouse.rows(f"select {query} from {target}")[0], strict=True)
    return {*names} - {name for name, is_older in found if not is_older}


def is_later(time: str, other: str | None) -> bool:
    """Whether a time of the source, in UTC, is later than another.

    >>> is_later("2026-01-01T00:00:01.500Z", "2026-01-01 00:00:01"), is_later("2026-01-01", None)
    (True, False)
    """
    if other is None:
        return False
    first, second = (datetime.fromisoformat(text).replace(tzinfo=UTC) for text in (time, other))
    return first > second


def unread(
    defaults: Mapping[str, str], places: Mapping[str, str], schema: TableSchema | None
) -> dict[str, str]:
    """The defaults that rows from before do not read by the table's schema.

    Args:
        places: the table's column of one of the query, where it is another.
    """
    read = schema.initial_defaults if schema else set()
    return {name: value for name, value in defaults.items() if places.get(name, name) not in read}


def returned_columns(warehouse: Warehouse, raw: str) -> list[dict[str, Any]]:
    """The columns that a source has dropped and added again: name, ``until`` when a row may have a
    value of the former one, and ``since`` when it has one of its own."""
    return [
        {"name": column["name"], "until": old["until"], "since": old["since"], "is_late": False}
        for column in warehouse.sources.columns(raw)
        for old in column["older"]
        if old["type"] is None
    ]


def late_columns(warehouse: Warehouse, raw: str) -> list[dict[str, Any]]:
    """The columns that a source has added with a default. A table that had one before, since the
    project declares it, has null in the rows from before ``until``, and they get the default."""
    return [
        {"name": column["name"], "until": column["added"], "since": None, "is_late": True}
        for column in warehouse.sources.columns(raw)
        if column["default"] and column["added"] and column["added"]["src_ts"]
        if not any(old["type"] is None for old in column["older"])
    ]


def renewal(column: Mapping[str, Any]) -> list[Any]:
    """Which time it was that a column went: a statement that is delivered again has another
    offset."""
    until = column["until"]
    names = ("file", "pos") if until["file"] else ("partition", "offset")
    return [column["name"], until["src_ts"], *(until[name] for name in names)]


def unrenewed(
    returned: Iterable[Mapping[str, Any]], previous: Snapshot | None
) -> list[Mapping[str, Any]]:
    """Of the columns that came back, those whose rows have not been renewed since."""
    done = json.loads(previous.summary.get(RETURNED, "[]")) if previous else []
    return [column for column in returned if renewal(column) not in done]


def to_renew(
    returned: Iterable[Mapping[str, Any]],
    previous: Snapshot | None,
    places: Mapping[str, str],
    defaults: Mapping[str, str],
    columns: Sequence[Column],
) -> list[dict[str, Any]]:
    """The unrenewed columns by their names in the table, with the default as it has it.

    Args:
        places: the table's column by the query's.
        columns: the table's.
    """
    kinds = {column["name"]: column["data_type"] for column in columns}
    found = []
    for column in unrenewed(returned, previous):
        name, value = places.get(column["name"], ""), defaults.get(column["name"])
        if name in kinds:
            default = f"cast({value} as {kinds[name]})" if value else None
            found.append({**column, "name": name, "default": default})
    return found


def renewed(
    warehouse: Warehouse, columns: Iterable[dict[str, str]], returned: Iterable[Mapping[str, Any]]
) -> list[dict[str, str]]:
    """Columns by name and expression, as fill_sql and renew_sql leave them, for a query."""
    values = {column["name"]: column["expression"] for column in columns}
    for back in returned:
        if back["name"] in values:
            value = values[back["name"]]
            is_outlived = warehouse.sql("is_outlived", back, value)
            default = back["default"] or "null"
            values[back["name"]] = f"case when {is_outlived} then {default} else {value} end"
    return [made(name, value) for name, value in values.items()]


def updated(warehouse: Warehouse, names: Iterable[str], updates: Updates) -> list[dict[str, str]]:
    """What a table's rows have once its updates have run, by name and expression."""
    fills = {column["name"]: column["expression"] for column in updates.fills}
    columns = [made(name, fills.get(name, quoted(name))) for name in names]
    return renewed(warehouse, columns, updates.returned)


def fills_since(
    warehouse: Warehouse,
    target: Any,
    previous: Snapshot | None,
    columns: Sequence[Column],
    defaults: Mapping[str, str],
) -> list[dict[str, str]]:
    """What a table has got since its bookmark is null in all rows, also when a run died meanwhile.

    Args:
        columns: the table's, as they are now.
        defaults: expressions of those that its rows do not read a default of.
    """
    made_text = any(column["name"].endswith(evolution.FORMER) for column in columns)
    if previous is None or not (defaults or made_text):
        return []
    before = warehouse.columns_of(f"select * from {target} version as of {previous.id}")
    return evolution.fills(before, columns, defaults)


def changed_properties(
    warehouse: Warehouse, table: Table, properties: Mapping[str, Any], model: str
) -> dict[str, str]:
    """Those of a configuration's properties that a table lacks or has otherwise."""
    known = table.properties
    changed = {name: str(v) for name, v in properties.items() if known.get(name) != str(v)}
    version = known["format-version"]
    if int(changed.get("format-version", version)) < int(version):
        warehouse.refuse(
            f"{model}: its table has format version {version}, and none goes back: "
            f"configure format_version={version}"
        )
    return changed
