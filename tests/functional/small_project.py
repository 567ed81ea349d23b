"""A dbt project of a few models, with the repository's profile, on a lake of the test's own."""

import json
from textwrap import dedent
from typing import Any

from conftest import Lake


class Project:
    """The project's files, dbt on them, and the tables that it builds in `marts`."""

    def __init__(self, lake: Lake) -> None:
        self.lake = lake
        self.folder = lake.folder / "project"
        self.write(
            "dbt_project.yml", "{name: small, profile: lakemirror, models: {+materialized: table}}"
        )

    def write(self, path: str, text: str) -> None:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(dedent(text), encoding="utf-8")

    def dbt(self, *arguments: str, fails: bool = False) -> Any:
        return self.lake.dbt(*arguments, "--project-dir", str(self.folder), fails=fails)

    def artifact(self, name: str) -> dict[str, Any]:
        return json.loads((self.lake.folder / "target" / name).read_text(encoding="utf-8"))

    def table(self, name: str) -> Any:
        return self.lake.catalog.load_table(f"marts.{name}")

    def rows(self, name: str) -> list[dict[str, Any]]:
        return self.table(name).scan().to_arrow().to_pylist()

    def identity(self, name: str) -> tuple[str, list[int]]:
        """A table's uuid, and its snapshots from the oldest."""
        return str(self.table(name).metadata.table_uuid), self.lake.snapshots(f"marts.{name}")
