"""A source table's columns: what raw.schema_history knows, and what is declared over that."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from lakemirror import connect_types, types, unavailable
from lakemirror.types import Settings

UNKNOWN = "none is declared, and raw.schema_history knows none (docs/guides/add-a-table.md)"


class ColumnsError(ValueError):
    """All that is wrong with a table's columns."""


def source_columns(
    declared: Mapping[str, str | None],
    known: Sequence[Mapping[str, Any]],
    connector: str,
    settings: Settings,
) -> list[dict[str, Any]]:
    """Each column with how its values are read and decoded.

    Args:
        declared: the columns that a project names and their types at the source; those without a
            type are only named.
        known: the newest columns that raw.schema_history has: name, data_type or connect.
        connector: see lakemirror.types.
        settings: all of the connector's.

    Returns:
        What lakemirror.types.Encoding says as ``type``, and as ``unavailable`` the texts of a value
        that was not sent, beside ``name`` and ``connector``; in the order of the source.

    Raises:
        ColumnsError: a column cannot be decoded or has no name of its own.
    """
    schemas = {column["name"]: column for column in known}
    names = [*schemas, *(name for name in declared if name not in schemas)]
    lower = [name.lower() for name in names]
    problems = [] if names else ["has no columns: " + UNKNOWN]
    problems += [f"column {n} is there twice" for n in sorted(set(lower)) if lower.count(n) > 1]
    problems += [
        f"column {n} has a name like the technical columns'" for n in names if n[:1] == "_"
    ]
    columns = []
    for name in names:
        data_type = declared.get(name) or schemas.get(name, {}).get("data_type")
        try:
            if data_type:
                encoding = types.encoding(data_type, connector, settings)
            elif name in schemas:
                schema = json.loads(schemas[name]["connect"])
                encoding = connect_types.connect_encoding(schema, connector, settings)
            else:
                problems.append(f"column {name} has no data_type")
                continue
        except types.TypeMappingError as problem:
            problems.append(f"column {name}: {problem}")
            continue
        columns.append(
            {
                "name": name,
                "connector": connector,
                "type": encoding.as_dict(),
                "unavailable": unavailable.unavailable_texts(encoding, settings),
            }
        )
    if problems:
        raise ColumnsError("; ".join(problems))
    return columns
