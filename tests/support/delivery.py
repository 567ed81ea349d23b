"""A raw table that random histories are delivered to, and a project of mirrors that read it.

``LAKEMIRROR_HISTORIES`` and ``LAKEMIRROR_SEED`` set how many there are, and which.
"""

import json
import os
import random
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from support.drawn import drawn
from support.history import steps
from support.lake import Lake
from support.small_project import RawProject

HISTORIES = int(os.environ.get("LAKEMIRROR_HISTORIES", "500"))
SEED = int(os.environ.get("LAKEMIRROR_SEED", "20261121"))
START = datetime(2026, 1, 1, tzinfo=UTC)
STAGING = """
with changes as (select * from {{ changes(source('raw', 'rows')) }}),

parsed as (
    select
        *,
        from_json(
            value,
            'op string, id bigint, v bigint, w bigint, unsent array<string>, log string, '
            'epoch bigint, rank bigint, order bigint'
        ) as event
    from changes
)

select
    event.id,
    event.v,
    event.w,
    '' as _undecodable,
    {{ tx_rank('generic', 'event.epoch', 'event.rank', 'event.order', 'event.log') }},
    if(value is null, 'tombstone', event.op) as _op,
    _src_ts,
    _kfk_partition,
    _kfk_offset"""
UNSENT = ", {{ unsent('event.unsent') }} as _unsent"
RAW = pa.schema(
    [
        ("key", pa.string()),
        ("value", pa.string()),
        ("_kfk_partition", pa.int32()),
        ("_kfk_offset", pa.int64()),
        ("_kfk_topic", pa.string()),
        ("_src_ts", pa.timestamp("us", "UTC")),
    ]
)


def drawn_moves(world: str, how_many: int) -> list[tuple[int, list[tuple[int, str, int, int]]]]:
    """That many random histories, not played yet: where each begins, and its moves."""
    return drawn(st.tuples(st.integers(0, 3), steps(world)), how_many, SEED)


class Source(RawProject):
    """The raw table that the histories are delivered to, and mirrors of it by their config.

    ``columns`` go behind those of STAGING; ``instant`` is the time from one to the next.
    """

    def __init__(
        self,
        lake: Lake,
        mirrors: dict[str, str],
        columns: str,
        instant: timedelta = timedelta(seconds=1),
    ) -> None:
        super().__init__(lake)
        models = {
            f"models/mirror_{name}.sql": f"{{{{ {config} }}}} select * from {{{{ ref('stg') }}}}"
            for name, config in mirrors.items()
        }
        staging = "{{ config(materialized='ephemeral') }}" + STAGING + f"{columns}\nfrom parsed"
        for name, text in {"models/stg.sql": staging, **models}.items():
            self.write(name, text)
        self.instant = instant
        self.offsets = count()
        self.run("landing")  # which makes the catalog

    def deliver(self, events: list[dict[str, Any]], has_keys: bool = False) -> None:
        rows = [
            {
                "key": json.dumps({"id": event["id"]}) if has_keys and event["id"] else None,
                "value": json.dumps(event),
                "_kfk_partition": random.Random(json.dumps(event)).randrange(3),
                "_kfk_offset": next(self.offsets),
                "_kfk_topic": "rows",
                "_src_ts": START + event["ts"] * self.instant,
            }
            for event in events
        ]
        table = pa.Table.from_pylist(rows, schema=RAW)
        self.lake.catalog.create_namespace_if_not_exists("raw")
        self.lake.catalog.create_table_if_not_exists("raw.rows", schema=RAW).append(table)

    def run(self, *select: str, fails: bool = False) -> None:
        self.dbt("run", "--select", *select, fails=fails)
