"""What DESCRIBE EXTENDED says of a table, as dbt's catalog has it."""

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Any

Described = Sequence[tuple[str, str, str]]


def rows_of(relation: Any, described: Described) -> Iterator[dict[str, Any]]:
    """A row per column with its DDL type and comment, and the table's size where it is known.

    Args:
        described: the rows of DESCRIBE EXTENDED.
    """
    columns = columns_of(described)
    details = {row[0]: row[1] for row in described[len(columns) :]}
    table = {
        "table_database": None,
        "table_schema": relation.schema,
        "table_name": relation.name,
        "table_type": relation.type,
        "table_owner": details.get("Owner"),
        "table_comment": details.get("Comment"),
        **statistics(details.get("Statistics") or ""),
    }
    for index, (name, data_type, comment) in enumerate(columns):
        yield {
            **table,
            "column_name": name,
            "column_type": data_type,
            "column_index": index,
            "column_comment": comment,
        }


def columns_of(described: Described) -> Described:
    """The rows of a DESCRIBE EXTENDED before the first header: a header has no type."""
    return list(takewhile(lambda row: row[0] and row[1], described))


def statistics(text: str) -> dict[str, Any]:
    """dbt's ``stats:*`` entries from Spark's text, such as ``1024 bytes, 3 rows``."""
    entries: dict[str, Any] = {}
    for unit in ("bytes", "rows"):
        found = re.search(rf"(\d+) {unit}", text)
        if found:
            entries |= {
                f"stats:{unit}:label": unit,
                f"stats:{unit}:value": int(found[1]),
                f"stats:{unit}:description": "",
                f"stats:{unit}:include": True,
            }
    return entries
