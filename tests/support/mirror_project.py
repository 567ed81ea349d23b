"""A dbt project with mirrors of a recording's tables, as a user would write them."""

import json
import random
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from support.lake import Lake
from support.postgres_state import postgres_value
from support.recordings import feed, read
from support.small_project import DbtProject
from support.source_state import FIXTURES, Key, Rows, fixture_lines, key_of, lake_rows, source_value

PROJECT_FILE = """
name: recorded
profile: lakemirror
vars:
  metadata_columns: []
models:
  recorded:
    landing: {+schema: ops}
    staging: {+materialized: ephemeral}
    mirror: {+schema: mirror, +materialized: mirror}
"""
STAGING = """
with changes as (select * from {{{{ changes(source('{source}', '{table}')) }}}}),

parsed as (
    select *, {{{{ debezium_event(source('{source}', '{table}')) }}}} from changes
),

decoded as (
    select *, struct({{{{ debezium_columns(source('{source}', '{table}')) }}}}) as typed from parsed
)

select
    typed.*,
    {{{{ debezium_losses(source('{source}', '{table}')) }}}},
    {{{{ tx_rank(source('{source}', '{table}')) }}}},
    {{{{ metadata_columns() }}}}
from decoded
"""
# it knows operations that STAGING does not, such as xu for u
MENDED = (
    STAGING.replace("\n)\n\nselect", "\n),\n\nodd as (\nselect")
    + ")\nselect * except (_op), replace(_op, 'x', '') as _op from odd"
)
WATERMARKS = """
{{{{ config(materialized='table', schema='ops') }}}}
select
    '' as shard,
    timestamp '{heard_from}' as heard_from,
    timestamp '{complete_until}' as complete_until,
    '{proof}' as proof
"""
DAILY = """
{{{{ config(materialized='daily', schema='daily', {config}) }}}}
select * from {{{{ midnight(ref('mirror_{name}'), ref('stg_{name}'), ref('watermark_{source}')) }}}}
"""


class MirrorProject(DbtProject):
    """Mirrors of ``tables`` (columns ``name type, ...`` and key by name) of one source.

    Of ``columns`` the YAML declares what ``declares`` says; None stands for all.
    """

    def __init__(
        self,
        lake: Lake,
        source: str,
        connector: str,
        tables: dict[str, tuple[str, list[str]]],
        settings: dict[str, str] | None = None,
        declares: Mapping[str, Collection[str]] | None = None,
    ) -> None:
        super().__init__(lake, PROJECT_FILE)
        self.source, self.connector = source, connector
        self.tables = {
            name: (dict(column.split(" ", 1) for column in columns.split(", ")), key)
            for name, (columns, key) in tables.items()
        }
        self.copy("models/landing")
        declared = [
            {
                "name": name,
                "identifier": f"{source}__{name}",
                "columns": [
                    {"name": c, "data_type": kind}
                    for c, kind in columns.items()
                    if declares is None or c in declares.get(name, ())
                ],
            }
            for name, (columns, _) in self.tables.items()
        ]
        meta = {"debezium": {"connector": connector} | (settings or {})}
        raw = {"name": source, "schema": "raw", "config": {"meta": meta}, "tables": declared}
        self.write("models/sources.yml", json.dumps({"sources": [raw]}))
        for name in self.tables:
            self.write_mirror(name)

    def written_by_sink(self) -> None:
        """Declare that Iceberg's sink writes the source's raw tables."""
        sources = json.loads((self.folder / "models/sources.yml").read_text())
        sources["sources"][0]["config"]["meta"]["written_by"] = "iceberg_sink"
        self.write("models/sources.yml", json.dumps(sources))

    def write_mirror(self, table: str, config: str = "buckets=2") -> None:
        name, (_, key) = f"{self.source}__{table}", self.tables[table]
        staging = STAGING.format(source=self.source, table=table)
        self.write(f"models/staging/stg_{name}.sql", staging)
        mirror = f"select * from {{{{ ref('stg_{name}') }}}}"
        config = f"config(unique_key={json.dumps(key)}, {config})"
        self.write(f"models/mirror/mirror_{name}.sql", f"{{{{ {config} }}}}\n{mirror}")

    def declare(self, **columns: Mapping[str, Any]) -> None:
        """What the source's YAML says of columns of the first table from now on, by name."""
        sources = json.loads((self.folder / "models/sources.yml").read_text())
        sources["sources"][0]["tables"][0]["columns"] = [
            {"name": name, **column} for name, column in columns.items()
        ]
        self.write("models/sources.yml", json.dumps(sources))

    def hear(self, heard_from: str, complete_until: str, proof: str = "heartbeats") -> None:
        """Watermarks as if heartbeats had been heard in between."""
        heard = {"heard_from": heard_from, "complete_until": complete_until, "proof": proof}
        self.write(
            f"models/ops/watermark_{self.source}.sql",
            WATERMARKS.format(source=self.source, **heard),
        )

    def write_daily(
        self,
        table: str,
        heard_from: str,
        complete_until: str,
        proof: str = "heartbeats",
        **config: Any,
    ) -> None:
        """A daily table, and the watermarks that it waits for."""
        name, (_, key) = f"{self.source}__{table}", self.tables[table]
        self.hear(heard_from, complete_until, proof)
        given = {"unique_key": key, **config}
        settings = ", ".join(f"{setting}={json.dumps(value)}" for setting, value in given.items())
        daily = DAILY.format(source=self.source, name=name, config=settings)
        self.write(f"models/daily/daily_{name}.sql", daily)

    def feed(self, lines: Iterable[str], *models: str) -> None:
        """Let records arrive in raw, and run models."""
        landing = ["landing"] if feed(self.lake, lines) else []
        if landing or models:
            self.dbt("run", "--select", *landing, *models)

    def rows(self, table: str) -> Rows:
        return lake_rows(self.lake.catalog, f"mirror.{self.source}__{table}", self.tables[table][1])

    def expected(self, dump: str) -> dict[str, Rows]:
        """Table -> key -> row of a dump in tests/fixtures: the declared columns that it has."""
        value_of = postgres_value if self.connector == "postgresql" else source_value
        state: dict[str, dict[Key, dict[str, Any]]] = {name: {} for name in self.tables}
        for line in fixture_lines(dump):
            if "row" in line and line["table"] in state:
                columns, key = self.tables[line["table"]]
                cells = [(name, line["row"][name]) for name in columns if name in line["row"]]
                row = {name: value_of(columns[name], text) for name, text in cells}
                state[line["table"]][key_of(row, key)] = row
        return state


def deliver(recording: str, lake: Lake, batches: int, seed: int) -> Iterator[None]:
    """A recording's records, shuffled over all topics and partitions, batch by batch."""
    records = read(FIXTURES / recording)
    random.Random(seed).shuffle(records)
    for batch in range(batches):
        feed(lake, records[batch::batches])
        yield
