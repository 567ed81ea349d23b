"""A source table's columns: what raw.schema_history knows, and what is declared over that."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lakemirror.source import connect_types, defaults, evolution, types, unavailable
from lakemirror.source.ddl import ADDED_AT
from lakemirror.source.lake_types import LakeTypes, converted
from lakemirror.source.types import Settings
from lakemirror.state.technical import is_technical

UNKNOWN = (
    "none is declared, and the schema_history beside its raw table knows none. Let lakemirror "
    "generate ask the database (--database-env), or declare them (docs/guides/add-a-table.md)"
)
OWN_TYPES = LakeTypes()


class ColumnsError(ValueError):
    """All that is wrong with a table's columns."""


@dataclass(frozen=True)
class Declared:
    """What a project says of a column.

    Attributes:
        data_type: its type at the source; None where it is only named.
        renamed_from: the name that it has in older events; empty where it is not to be asked for.
        default: what the rows got that were there when it was added, as a statement has it.
    """

    data_type: str | None = None
    renamed_from: str | None = None
    default: str | None = None


def source_columns(
    declared: Mapping[str, Declared],
    known: Sequence[Mapping[str, Any]],
    connector: str,
    settings: Settings,
    lake_types: LakeTypes = OWN_TYPES,
) -> list[dict[str, Any]]:
    """Each column with how its values are read and decoded.

    Args:
        declared: the columns that a project names; a type that it gives goes over the known one.
        known: the columns that raw.schema_history has: see lakemirror.source.versions.
        connector: see lakemirror.source.types.
        settings: all of the connector's.
        lake_types: what the source wants in the lake in place of our own types.

    Returns:
        What types.Encoding says as ``type``, the source's own as ``data_type`` (None
        where only a Connect schema tells it), its type in the lake as ``lake`` with the
        ``conversion`` to it (see lakemirror.source.lake_types), and as ``unavailable`` the texts of
        a value that was not sent, beside ``name`` and ``connector``; in the order of the source.
        ``former`` has other names of the column in older events, ``unclear`` one that is not taken,
        since it may mean another column, ``is_dropped`` tells that only older events have it,
        ``older`` has what types.Encoding says of events from before
        ``until``, ``default`` is for events without it (see lakemirror.source.defaults) or None,
        and ``default_problem`` says why; ``added`` is where the source got it, or None;
        ``write_default`` and ``write_default_problem`` say the same of the source's default now,
        and ``is_required`` whether it has no null.

    Raises:
        ColumnsError: a column cannot be decoded or has no name of its own.
    """
    schemas, problems = renamed(declared, known)
    names = [*schemas, *(name for name in declared if name not in schemas)]
    lower = [name.lower() for name in names]
    problems += [] if names else ["has no columns: " + UNKNOWN]
    problems += [f"column {n} is there twice" for n in sorted(set(lower)) if lower.count(n) > 1]
    columns = []
    for name in names:
        schema, own = schemas.get(name, {}), declared.get(name, Declared())
        is_dropped = bool(schema.get("is_dropped")) and name not in declared
        try:
            columns.append(
                source_column(name, schema, own, connector, settings, lake_types)
                | {"is_dropped": is_dropped}
            )
        except (types.TypeMappingError, ColumnsError) as problem:
            if not is_dropped:
                problems.append(f"column {name}{problem}")
    if problems:
        raise ColumnsError("; ".join(problems))
    return columns


def names_of(declared: Mapping[str, Declared], known: Sequence[Mapping[str, Any]]) -> list[str]:
    """The names that the columns have in events of any time."""
    own = [name for n, column in declared.items() for name in (n, column.renamed_from) if name]
    return sorted({*own, *(name for column in known for name in spelled(column))})


def sent_names(columns: Sequence[Mapping[str, Any]], names: Sequence[str]) -> list[str]:
    """The columns that events have now, in the source's order, where a row's text can be written
    again from them: all are read, each as one plain value.

    Args:
        columns: see source_columns.
        names: those of all columns at any time, also of what is left out.

    Returns:
        Their names; none where a column is left out, or has parts.
    """
    read = {name for column in columns for name in (column["name"], *column["former"])}
    sent = [column for column in columns if not column["is_dropped"]]
    is_plain = all("<" not in column["type"]["json"] for column in sent)
    return [column["name"] for column in sent] if is_plain and {*names} <= read else []


def gone_names(
    declared: Mapping[str, Declared], known: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """The names of columns that are dropped, and ``since`` which place at the source they are.

    Behind it in a server's binlog, an event that has such a name has another column.
    """
    own = names_of(declared, [])
    return [
        {"names": spelled(column), "since": column["gone"]}
        for column in known
        if column["gone"] and column["gone"]["file"] and not {*own} & {*spelled(column)}
    ]


def spelled(column: Mapping[str, Any]) -> list[str]:
    """A column's name in every case that events have it in."""
    return [column["name"], *column["spellings"]]


def renamed(
    declared: Mapping[str, Declared], known: Sequence[Mapping[str, Any]]
) -> tuple[dict[str, Mapping[str, Any]], list[str]]:
    """The known columns by their names now, and what is wrong with those that were renamed."""
    schemas = {column["name"]: column for column in known}
    problems = []
    for name, column in declared.items():
        old = column.renamed_from
        if old is None or old not in schemas:
            continue
        if name not in schemas:  # the history has not heard of it yet
            schemas = {name if n == old else n: schema for n, schema in schemas.items()}
        elif schemas[old].get("is_dropped"):
            del schemas[old]
        else:
            problems.append(f"column {name} is renamed_from {old}, which the source still has")
    return schemas, problems


def source_column(
    name: str,
    schema: Mapping[str, Any],
    own: Declared,
    connector: str,
    settings: Settings,
    lake_types: LakeTypes,
) -> dict[str, Any]:
    if is_technical(name):
        raise ColumnsError(
            " has the name of a technical column: ignored_columns of its YAML leaves it out"
        )
    data_type = own.data_type or schema.get("data_type")
    try:
        encoding = encoding_of({**schema, "data_type": data_type}, connector, settings)
        wanted = converted(encoding, data_type, connector, settings, lake_types)
    except types.TypeMappingError as problem:
        raise ColumnsError(f": {problem}") from problem
    declared = [own.renamed_from] if own.renamed_from else []
    former = dict.fromkeys([*declared, *schema.get("spellings", [])])  # the history may know it too
    return {
        "name": name,
        "connector": connector,
        "data_type": data_type,
        "type": encoding.as_dict(),
        **wanted,
        "unavailable": unavailable.unavailable_texts(encoding, settings),
        "unclear": schema.get("unclear") if own.renamed_from is None else None,
        "former": [n for n in former if n != name],
        "older": [] if own.data_type else older(schema, encoding, connector, settings),
        **default(schema, own, encoding, data_type or encoding.lake, connector, settings),
        **write_default(schema, own, encoding, data_type or encoding.lake, connector, settings),
        "added": schema.get("added"),
        "is_required": schema.get("now", {}).get("nullable") is False,
    }


def encoding_of(schema: Mapping[str, Any], connector: str, settings: Settings) -> types.Encoding:
    if schema.get("data_type"):
        return types.encoding(schema["data_type"], connector, settings)
    if schema.get("connect"):
        connect = json.loads(schema["connect"])
        return connect_types.connect_encoding(connect, connector, settings)
    raise ColumnsError(" has no data_type")


def older(
    schema: Mapping[str, Any], encoding: types.Encoding, connector: str, settings: Settings
) -> list[dict[str, Any]]:
    """Other encodings that older events have: another unit, another scale, another type.

    ``type`` is None for a former column of the name, whose successor came at ``since``; ``is_lost``
    where no cast gives what the database made of the values.
    """
    found: list[dict[str, Any]] = []
    for kind in schema.get("older", []):
        until = kind["until"]
        if kind.get("is_other"):
            other = {"since": kind["since"], "type": None, "is_lost": False}
            found.append({"until": until, **other})
            continue
        try:
            old = encoding_of(kind, connector, settings)
        except types.TypeMappingError:
            continue
        if not reads(encoding, old):
            is_lost = not evolution.can_cast(old.lake, encoding.lake)
            found.append({"until": until, "type": old.as_dict(), "is_lost": is_lost})
    return found


def reads(encoding: types.Encoding, old: types.Encoding) -> bool:
    """Whether values that were sent in an old way are decoded rightly by the new one."""
    whole = ("int", "bigint")
    is_plain = encoding.family == old.family == "as_read"
    if is_plain and old.json in whole and encoding.json in (*whole, "string"):
        return True
    return encoding.json == old.json and sent_as(encoding) == sent_as(old)


def sent_as(encoding: types.Encoding) -> tuple[Any, ...]:
    """What of an encoding makes another value of the same text."""
    options = {n: v for n, v in encoding.options.items() if n not in ("precision", "bits")}
    return encoding.family, options


def default(
    schema: Mapping[str, Any],
    own: Declared,
    encoding: types.Encoding,
    data_type: str,
    connector: str,
    settings: Settings,
) -> dict[str, Any]:
    """What a column came with when it was added, or why that is not known.

    ``type`` is there where it is sent as the column's values were then, and are no more.
    """
    text = schema.get("default") if schema.get("is_added") else None
    try:
        if own.default is not None:
            found = defaults.stated_default(own.default, encoding, data_type)
        elif text is None:
            return {"default": None, "default_problem": None}
        elif schema.get("default_connect"):
            then = {"connect": schema["default_connect"]}
            came = encoding if own.data_type else encoding_of(then, connector, settings)
            found = defaults.sent_default(text, came, bool(schema.get("nullable")), connector)
            if not reads(encoding, came):
                if not evolution.can_cast(came.lake, encoding.lake):
                    raise defaults.DefaultError(f"{text!r} is of another type than the column now")
                found["type"] = came.as_dict()
        else:
            found = defaults.stated_default(text, encoding, data_type)
    except (defaults.DefaultError, types.TypeMappingError) as problem:
        return {"default": None, "default_problem": str(problem)}
    return {"default": found, "default_problem": None}


def write_default(
    schema: Mapping[str, Any],
    own: Declared,
    encoding: types.Encoding,
    data_type: str,
    connector: str,
    settings: Settings,
) -> dict[str, Any]:
    """What the source gives a column now in a row that leaves it out, or why that is not known."""
    now = schema.get("now", {})
    if schema.get("is_dropped") or now.get("default") is None:
        return {"write_default": None, "write_default_problem": None}
    if now["default"].startswith(ADDED_AT):  # the next row gets another time
        return {"write_default": None, "write_default_problem": "CURRENT_TIMESTAMP is a function"}
    came = {**now, "is_added": True, "default_connect": now.get("connect")}
    plain = Declared(own.data_type, own.renamed_from)
    found = default(came, plain, encoding, data_type, connector, settings)
    return {
        "write_default": found["default"],
        "write_default_problem": found["default_problem"],
    }
