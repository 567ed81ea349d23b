"""A lake of a few tables that PyIceberg writes alone: for what reads lakes without Spark."""

from collections.abc import Mapping
from contextlib import suppress
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
