"""dbt projects of a few models, with the repository's profile, on a lake of the test's own."""

import json
import shutil
from textwrap import dedent
from typing import Any

from support.lake import PROJECT, Lake


class DbtProject:
    """A project's files, and dbt on them."""

    def __init__(self, lake: Lake, project_file: str) -> None:
        self.lake = lake
        self.folder = lake.folder / "project"
        self.write("dbt_project.yml", project_file)

    def write(self, path: str, text: str) -> None:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(dedent(text), encoding="utf-8")

    def copy(self, path: str) -> None:
        """Take over a folder of the repository."""
        shutil.copytree(PROJECT / path, self.folder / path)

    def dbt(self, *arguments: str, fails: bool | None = False) -> Any:
        return self.lake.dbt(*arguments, "--project-dir", str(self.folder), fails=fails)


class Project(DbtProject):
    """A project of its own, and the tables that it builds in `marts`."""

    def __init__(self, lake: Lake) -> None:
        super().__init__(lake, "{name: small, profile: lakemirror, models: {+materialized: table}}")

    def artifact(self, name: str) -> dict[str, Any]:
        return json.loads((self.lake.folder / "target" / name).read_text(encoding="utf-8"))

    def table(self, name: str) -> Any:
        return self.lake.catalog.load_table(f"marts.{name}")

    def rows(self, name: str) -> list[dict[str, Any]]:
        return self.table(name).scan().to_arrow().to_pylist()

    def identity(self, name: str) -> tuple[str, list[int]]:
        """A table's uuid, and its snapshots from the oldest."""
        return str(self.table(name).metadata.table_uuid), self.lake.snapshots(f"marts.{name}")


RAW_PROJECT_FILE = """
name: small
profile: lakemirror
models: {+schema: mirror, +materialized: mirror}
"""


NOTHING_LANDED = """
{{ config(materialized='view') }}
select '' as topic, 0 as partition, 0L as from_offset, 0L as to_offset, 0L as rows, '' as raw_table,
    current_timestamp() as landed_at
where false
"""


class RawProject(DbtProject):
    """Mirrors of a table `raw.rows` that the test makes; nothing is landed."""

    def __init__(self, lake: Lake) -> None:
        super().__init__(lake, RAW_PROJECT_FILE)
        self.write("models/sources.yml", "sources: [{name: raw, tables: [{name: rows}]}]")
        self.write("models/landing.sql", NOTHING_LANDED)
