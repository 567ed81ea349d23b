"""What of a mirror and of its table in the living source can be compared."""

from collections.abc import Mapping, Sequence
from typing import Any

from lakemirror.runs.audit import AuditRun
from lakemirror.source.canonical import Canonical, canonical
from lakemirror.source.database import DatabaseTable
from lakemirror.source.reading import SourceTable

Names = tuple[str, str]  # of a table's schema, and its own


def paired(run: AuditRun, names: Names, tables: Mapping[Names, DatabaseTable]) -> Any:
    """A mirror's table in the source, with the columns that are compared.

    Args:
        names: of the table in the source.
        tables: what the database has.

    Returns:
        It and the columns that are not compared, each with why; or why nothing can be.
    """
    if run.table is None or run.table.head is None:
        return "nothing was merged yet"
    described = tables.get(names)
    if described is None:
        return f"the database has no table {'.'.join(names)}, or its user may not see it"
    key = run.settings.key
    if sorted(map(str.lower, described.key)) != sorted(map(str.lower, key)):
        there = ", ".join(described.key) or "none"
        return f"the table's primary key is ({there}), and the mirror's ({', '.join(key)})"
    connector, _ = run.warehouse.sources.connector(run.raw)
    found, uncompared = columns_of(run, described, connector)
    of_key = {column.name.lower(): column for column in found}
    lacking = [name for name in key if name.lower() not in of_key]
    if lacking:
        return f"the key's {', '.join(lacking)} cannot be compared"
    by_key = [of_key[name.lower()] for name in key_order(described.key, key)]
    return SourceTable(connector, *names, by_key, found), uncompared


def key_order(described: Sequence[str], key: Sequence[str]) -> list[str]:
    """The key's columns as the database's index has them.

    >>> key_order(["line", "ORDER_ID"], ["order_id", "line"])
    ['line', 'order_id']
    """
    own = {name.lower(): name for name in key}
    return [own[name.lower()] for name in described]


def columns_of(
    run: AuditRun, described: DatabaseTable, connector: str
) -> tuple[list[Canonical], list[str]]:
    """The columns that both sides have a text of, and the others."""
    assert run.table is not None
    there = {column.name.lower(): column for column in described.columns}
    kinds = {column["name"].lower(): column["data_type"] for column in run.table.columns}
    found: list[Canonical] = []
    others: list[str] = []
    known = {column["name"].lower() for column in run.columns}
    for column in run.warehouse.sources.columns(run.raw):
        name = column["name"]
        of_database, lake = there.pop(name.lower(), None), kinds.get(name.lower())
        if column["is_dropped"] or name.lower() not in known or lake is None:
            continue
        if of_database is None:
            others.append(f"{name} (not in the database)")
            continue
        one = canonical(column, of_database.name, of_database.data_type, connector, lake)
        if isinstance(one, str):
            others.append(f"{name} ({one})")
        else:
            found.append(one)
    others += [f"{column.name} (not in the mirror)" for column in there.values()]
    return found, others
