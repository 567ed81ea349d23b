"""A lake that an older commit has built, the project on it, and the records that still come.

tests/fixtures/older_lake/build.py builds it from here, with that commit's code.
"""

import json
import random
from pathlib import Path
from typing import Any

from support.lake import Lake
from support.mirror_project import STAGING, WATERMARKS
from support.one_table import DAY, change
from support.recordings import read
from support.small_project import DbtProject
from support.source_state import FIXTURES

# Iceberg's metadata has absolute paths, so the lake is built and unpacked at this one
PLACE = Path("/tmp/lakemirror-lake-of-0.1")
CONNECTORS = {"till": "mariadb", "shop": "mariadb", "public": "postgresql"}
# (source, table) -> columns, key, and the mirror's config
TABLES = {
    ("till", "t"): ("id int, v int", ["id"], "buckets=2"),
    ("till", "u"): ("id int, v int", ["id"], "merge_mode='copy-on-write', deletes='soft'"),
    ("shop", "trunc_me"): ("id int, v int", ["id"], "buckets=2"),
    ("shop", "stock"): (
        "wh char(3), sku varchar(20), qty int",
        ["sku", "wh"],
        "deletes='soft', format_version=3",
    ),
    ("shop", "order_lines"): (
        "order_id bigint, line_no smallint, sku varchar(20), qty int, price decimal(10,4)",
        ["order_id", "line_no"],
        "merge_mode='copy-on-write', buckets=2, bucket_by='order_id'",
    ),
    ("public", "t_toast"): (
        "id int, n int, big text, bigj json, bigb bytea",
        ["id"],
        "buckets=2, deletes='soft'",
    ),
}
MIRRORS = [f"mirror.{source}__{table}" for source, table in TABLES]
RECORDED = {
    "mariadb/plain": ("shop", "shop.shop.trunc_me", "shop.shop.stock", "shop.shop.order_lines"),
    "postgres/plain": ("pg.public.t_toast",),
}
# a source's own changes, batch by batch: (table, position in the log, day of January, op, key, v)
TILL: tuple[list[tuple[str, int, int, str, int, Any]], ...] = (
    [
        ("t", 10, 1, "c", 1, 10),
        ("t", 20, 1, "c", 2, 20),
        ("t", 30, 2, "c", 3, 30),
        ("u", 10, 1, "c", 1, 10),
        ("u", 20, 1, "c", 2, 20),
    ],
    [
        ("t", 40, 2, "u", 2, 21),
        ("t", 50, 2, "d", 1, 10),
        ("t", 70, 3, "c", 4, 40),
        ("u", 30, 2, "d", 1, 10),
        ("u", 40, 2, "u", 2, 21),
        ("u", 45, 2, "c", 9, "many"),  # no number
    ],
    [
        ("t", 80, 3, "u", 3, 31),
        ("t", 90, 3, "d", 2, 21),
        ("t", 110, 4, "c", 5, 50),
        ("u", 15, 1, "u", 1, 11),  # late: 1 is deleted
        ("u", 50, 3, "c", 3, 30),
        ("u", 60, 4, "c", 4, 40),
        ("u", 65, 4, "c", 8, "few"),
    ],
)
PROJECT_FILE = """
name: older
profile: lakemirror
vars: {metadata_columns: []}
models:
  older:
    landing: {+schema: ops}
    staging: {+materialized: ephemeral}
    mirror: {+schema: mirror, +materialized: mirror}
    log: {+schema: log, +materialized: log}
"""
DAILY = """
{{ config(materialized='daily', schema='daily', unique_key=['id']) }}
select * from {{ midnight(ref('mirror_till__t'), ref('stg_till__t'), ref('watermark_till')) }}
"""
CUT = """
{{ config(materialized='cut', schema='ops') }}
{{ at_cut(ref('mirror_till__t'), ref('stg_till__t'), ref('watermark_till')) }}
union all
{{ at_cut(ref('mirror_till__u'), ref('stg_till__u'), ref('watermark_till')) }}
"""
MART = """
{{ config(materialized='table', schema='marts') }}
select 't' as name, id from {{ as_of_cut(ref('mirror_till__t')) }}
union all
select 'u' as name, id from {{ as_of_cut(ref('mirror_till__u')) }} where not _is_deleted
"""


class OlderProject(DbtProject):
    """Mirrors of every kind, a log, a daily table and a cut, which any commit can go on with."""

    def __init__(self, lake: Lake) -> None:
        super().__init__(lake, PROJECT_FILE)
        self.copy("models/landing")
        sources = [
            {
                "name": name,
                "schema": "raw",
                "config": {"meta": {"debezium": {"connector": connector}}},
                "tables": [
                    {
                        "name": table,
                        "identifier": f"{source}__{table}",
                        "columns": declared(columns),
                    }
                    for (source, table), (columns, _, _) in TABLES.items()
                    if source == name
                ],
            }
            for name, connector in CONNECTORS.items()
        ]
        self.write("models/sources.yml", json.dumps({"sources": sources}))
        for (source, table), (_, key, config) in TABLES.items():
            name = f"{source}__{table}"
            staging = STAGING.format(source=source, table=table, connector=CONNECTORS[source])
            self.write(f"models/staging/stg_{name}.sql", staging)
            self.write(
                f"models/mirror/mirror_{name}.sql",
                f"{{{{ config(unique_key={key}, {config}) }}}}\n"
                f"select * from {{{{ ref('stg_{name}') }}}}",
            )
        self.write("models/log/log_till__t.sql", "select * from {{ ref('stg_till__t') }}")
        self.write("models/daily/daily_till__t.sql", DAILY)
        self.write("models/ops/consistent_cut.sql", CUT)
        self.write("models/marts/both.sql", MART)

    def hear(self, complete_until: str) -> None:
        """Say that the source till is complete until a time."""
        heard = {"heard_from": "2026-01-01", "complete_until": complete_until}
        watermarks = WATERMARKS.format(proof="heartbeats", **heard)
        self.write("models/ops/watermark_till.sql", watermarks)


def declared(columns: str) -> list[dict[str, str]]:
    pairs = (column.split(" ", 1) for column in columns.split(", "))
    return [{"name": name, "data_type": kind} for name, kind in pairs]


def batches() -> list[list[str]]:
    """The records that the older commit got in two runs, and those that come after it.

    Those of the recordings are shuffled: what is late comes before and after the change of code.
    """
    chance = random.Random(57)  # a TRUNCATE comes amid what it removes
    recorded = [
        line
        for recording, topics in RECORDED.items()
        for line in read(FIXTURES / f"{recording}.jsonl.gz")
        if json.loads(line)["topic"] in topics
    ]
    chance.shuffle(recorded)
    made = iter(range(1000))
    till = [[till_record(next(made), *sent) for sent in batch] for batch in TILL]
    return [recorded[n::3] + till[n] for n in range(3)]


def till_record(
    offset: int, table: str, position: int, day: int, op: str, key: int, value: Any
) -> str:
    time = 1767225600000 + (day - 1) * DAY + position
    line = change(position, op, key, value, ts_ms=time, db="till", table=table)
    return json.dumps(json.loads(line) | {"topic": f"till.till.{table}", "offset": offset})
