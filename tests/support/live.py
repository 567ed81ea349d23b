"""A project that lands from running databases."""

import time
from collections.abc import Callable
from typing import Any

from pyiceberg.expressions import EqualTo
from stack.project import make_project
from stack.services import Stack

from support.dbt_process import committed
from support.lake import Lake, messages
from support.source_state import Rows, lake_rows

KEYS = {
    "customers": ["id"],
    "orders": ["id"],
    "order_lines": ["order_id", "line"],
    "visits": ["id"],
}


class Live:
    """A project that lands from the stack."""

    def __init__(self, stack: Stack, lake: Lake) -> None:
        self.stack, self.lake = stack, lake
        self.folder = lake.folder / "project"
        make_project(self.folder)
        self.arguments = ("--project-dir", str(self.folder))

    def dbt(self, *arguments: str, fails: bool | None = False) -> Any:
        return self.lake.dbt(*arguments, *self.arguments, fails=fails)

    def land_until(self, is_there: Callable[[], bool], seconds: float = 300) -> None:
        """Land again and again until something is in the lake."""
        end = time.monotonic() + seconds
        while not is_there():
            assert time.monotonic() < end, "it has not come"
            self.dbt("run", "--select", "landing", fails=None)

    def merge(self) -> None:
        self.dbt("run", "--select", "landing", "mirror.*")

    def raw_values(self, table: str) -> list[Any]:
        raw = self.lake.catalog.load_table(f"raw.{table}").scan(selected_fields=("value",))
        return raw.to_arrow()["value"].to_pylist()

    def rows(self, layer: str, source: str, table: str, day: str | None = None) -> Rows:
        relation, row_filter = f"{layer}.{source}__{table}", EqualTo("ds", day) if day else None
        return lake_rows(self.lake.catalog, relation, KEYS[table], row_filter)


def land_until(lake: Lake, dbt: Any, tables: set[str]) -> None:
    """Land again and again until raw has some tables."""
    end = time.monotonic() + 300
    while not tables <= committed(lake, "raw"):
        assert time.monotonic() < end, f"not there: {tables - committed(lake, 'raw')}"
        result = dbt("run", "--select", "landing", fails=None)
        # connectors may not have made their first topic
        assert result.success or "no topic of" in messages(result), messages(result)
