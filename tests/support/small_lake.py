"""A lake of a few tables that PyIceberg writes alone: for what reads lakes without Spark."""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.exceptions import NamespaceAlreadyExistsError

from lakemirror.lake import CATALOG, warehouse


def small_lake(folder: Path, tables: Mapping[str, pa.Table]) -> Any:
    """A catalog in the folder ``lake`` with tables by name, each of one commit."""
    lake = folder / "lake"
    lake.mkdir(exist_ok=True)
    catalog = SqlCatalog(CATALOG, uri=f"sqlite:///{lake / 'catalog.db'}", warehouse=warehouse(lake))
    for name, rows in tables.items():
        add_table(catalog, name, rows)
    return catalog


def add_table(catalog: Any, name: str, rows: pa.Table, **properties: str) -> Any:
    """A new table of these rows, whose commit has these properties."""
    with suppress(NamespaceAlreadyExistsError):
        catalog.create_namespace(name.partition(".")[0])
    table = catalog.create_table(name, schema=rows.schema)
    table.append(rows, snapshot_properties=properties)
    return table


RECORDS = pa.schema(
    [
        *(("key", pa.string()), ("value", pa.string())),
        *(("_src_ts", pa.timestamp("us", "UTC")), ("_landed_at", pa.timestamp("us", "UTC"))),
    ]
)
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def raw_record(key: int, op: str = "c", at: datetime = NOON, **row: Any) -> dict[str, Any]:
    """What landing makes of PostgreSQL's event of a row; without a row, of its tombstone."""
    sides = {"before": row, "after": None} if op == "d" else {"before": None, "after": row}
    block = {"connector": "postgresql", "db": "d", "schema": "shop", "table": "orders"}
    event = {**sides, "op": op, "source": block}
    value = json.dumps(event, separators=(",", ":")) if row else None
    times = {"_src_ts": at if row else None, "_landed_at": NOON}
    return {"key": json.dumps({"id": key}), "value": value, **times}


def raw_table(folder: Path, *files: Sequence[Mapping[str, Any]]) -> Any:
    """The raw table shop.orders, of files that each have these records."""
    catalog = small_lake(folder, {})
    raw = add_table(catalog, "raw.shop__orders", RECORDS.empty_table())
    for records in files:
        raw.append(pa.Table.from_pylist([*records], schema=RECORDS))
    return raw
