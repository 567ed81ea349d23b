"""A dbt project with mirrors of a recording's tables, as a user would write them."""

import gzip
import json
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from conftest import PROJECT, Lake
from source_state import FIXTURES, Key, Rows, key_of, lake_rows, source_value

PROJECT_FILE = """
name: recorded
profile: lakemirror
vars:
  topic_sources: {}
  epochs: []
  allow_full_refresh: false
  metadata_columns: []
  replay: false
on-run-start: "{{ prepare_lake() }}"
models:
  recorded:
    landing: {+schema: ops}
    staging: {+materialized: ephemeral}
    mirror: {+schema: mirror, +materialized: mirror}
"""
STAGING = """
with changes as (select * from {{{{ changes(source('{source}', '{table}')) }}}}),

parsed as (
    select *, {{{{ debezium_event(source('{source}', '{table}')) }}}} as event from changes
)

select
    {{{{ debezium_columns(source('{source}', '{table}')) }}}},
    {{{{ tx_rank('{connector}') }}}},
    {{{{ metadata_columns() }}}}
from parsed
"""


class MirrorProject:
    """Mirrors of ``tables`` (columns ``name type, ...`` and key by name) of one source."""

    def __init__(
        self, lake: Lake, source: str, connector: str, tables: dict[str, tuple[str, list[str]]]
    ) -> None:
        self.lake, self.source, self.connector = lake, source, connector
        self.folder = lake.folder / "project"
        self.tables = {
            name: (dict(column.split(" ", 1) for column in columns.split(", ")), key)
            for name, (columns, key) in tables.items()
        }
        shutil.copytree(PROJECT / "macros", self.folder / "macros")
        shutil.copytree(PROJECT / "models/landing", self.folder / "models/landing")
        self.write("dbt_project.yml", PROJECT_FILE)
        declared = [
            {
                "name": name,
                "identifier": f"{source}__{name}",
                "columns": [{"name": c, "data_type": kind} for c, kind in columns.items()],
            }
            for name, (columns, _) in self.tables.items()
        ]
        sources = {"sources": [{"name": source, "schema": "raw", "tables": declared}]}
        self.write("models/sources.yml", json.dumps(sources))
        for name in self.tables:
            self.write_mirror(name)

    def write(self, path: str, text: str) -> None:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def write_mirror(self, table: str, config: str = "buckets=2") -> None:
        name, (_, key) = f"{self.source}__{table}", self.tables[table]
        staging = STAGING.format(source=self.source, table=table, connector=self.connector)
        self.write(f"models/staging/stg_{name}.sql", staging)
        mirror = f"select * from {{{{ ref('stg_{name}') }}}}"
        config = f"config(unique_key={json.dumps(key)}, {config})"
        self.write(f"models/mirror/mirror_{name}.sql", f"{{{{ {config} }}}}\n{mirror}")

    def dbt(self, *arguments: str, fails: bool | None = False) -> Any:
        return self.lake.dbt(*arguments, "--project-dir", str(self.folder), fails=fails)

    def rows(self, table: str) -> Rows:
        return lake_rows(self.lake.catalog, f"mirror.{self.source}__{table}", self.tables[table][1])

    def expected(self, dump: str) -> dict[str, Rows]:
        """Table -> key -> row of a dump in tests/fixtures: the declared columns that it has."""
        state: dict[str, dict[Key, dict[str, Any]]] = {name: {} for name in self.tables}
        for line in lines(FIXTURES / dump):
            if "row" in line and line["table"] in state:
                columns, key = self.tables[line["table"]]
                cells = [(name, line["row"][name]) for name in columns if name in line["row"]]
                row = {name: source_value(columns[name], text) for name, text in cells}
                state[line["table"]][key_of(row, key)] = row
        return state


def lines(file: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(file, "rt", encoding="utf-8") as texts:
        yield from map(json.loads, texts)


def deliver(recording: str, folder: Path, batches: int, seed: int) -> Iterator[None]:
    """A recording's records, shuffled over all topics and partitions, batch by batch."""
    with gzip.open(FIXTURES / recording, "rt", encoding="utf-8") as texts:
        records = texts.read().splitlines()
    random.Random(seed).shuffle(records)
    for batch in range(batches):
        (folder / f"batch-{batch}.jsonl").write_text("\n".join(records[batch::batches]) + "\n")
        yield
