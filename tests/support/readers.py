"""Engines that read a lake and do not write it."""

from functools import cache
from importlib.resources import files

import duckdb


@cache
def duck_db() -> duckdb.DuckDBPyConnection:
    """DuckDB with its own extension for Iceberg, from the package that carries it."""
    connection = duckdb.connect()
    for name in ("avro", "iceberg"):
        folder = files(f"duckdb_extension_{name}") / "extensions" / f"v{duckdb.__version__}"
        connection.execute(f"load '{folder / name}.duckdb_extension'")
    return connection
