"""A staged batch is joined to the mirror without moving either, whatever the key's type.

F42, F43: the plans of the statements that runs send. A batch that follows all that is there, and a
small one, which is broadcast, delete what they replace; any other is merged. Deep (``make
converge``), every type has each mode and format version, and is broadcast; else each mode and
version has one type.
"""

import re
from itertools import product

import pytest

from dbt.adapters.lakemirror.session import LakemirrorCursor
from support.depth import DEEP
from support.lake import Lake
from support.small_project import RawProject

pytestmark = pytest.mark.compiled

KEYS = {
    "bigint": "id",
    "int": "cast(id as int)",
    "string": "concat('key ', id)",
    "decimal": "cast(id as decimal(20, 2))",
    "date": "date_add(date '2026-01-01', cast(id as int))",
    "timestamp": "timestamp_seconds(id)",
    "binary": "cast(cast(id as string) as binary)",
    "composite": "cast(id as string)",
}
FORMATS = list(product(("merge-on-read", "copy-on-write"), (2, 3)))
STAGED = [
    (kind, *FORMATS[which], 0)
    for place, kind in enumerate(KEYS if DEEP else ("bigint", "string", "timestamp", "composite"))
    for which in (range(len(FORMATS)) if DEEP else [place])
]
# a batch that is broadcast is joined by its values, of whatever type
BROADCAST = [(kind, "merge-on-read", 2, 1000) for kind in (KEYS if DEEP else ["composite"])]
CASES = STAGED + BROADCAST
STAGING = """
{{{{ config(materialized='ephemeral') }}}}

select
    {key} as k,
    id % 7 as part,
    id as v,
    '' as _undecodable,
    {{{{ tx_rank('generic', '0', 'rank', '0') }}}},
    'u' as _op,
    _src_ts,
    _kfk_partition,
    _kfk_offset
from {{{{ changes(source('raw', 'rows')) }}}}
"""
MIRROR = """
{{{{
    config(
        unique_key={key},
        buckets=4,
        merge_mode='{mode}',
        format_version={version},
        stage_from={stage_from},
    )
}}}}

select * from {{{{ ref('stg_{kind}') }}}}
"""
RAW = """
    select
        id, {rank} as rank, timestamp_seconds({time} + id) as _src_ts, 'rows' as _kfk_topic,
        0 as _kfk_partition, {rank} * 1000 + id as _kfk_offset
    from range({rows})
"""


@pytest.fixture
def project(lake: Lake) -> RawProject:
    made = RawProject(lake)
    for kind, key in KEYS.items():
        made.write(f"models/stg_{kind}.sql", STAGING.format(key=key))
    for kind, mode, version, stage_from in CASES:
        key = ["k", "part"] if kind == "composite" else ["k"]
        text = MIRROR.format(kind=kind, key=key, mode=mode, version=version, stage_from=stage_from)
        name = f"mirror_{kind}_{mode.replace('-', '_')}_v{version}_from_{stage_from}"
        made.write(f"models/{name}.sql", text)
    return made


def between(plan: str, table: str) -> list[str]:
    """What a plan does to a table's rows before they are joined, from the scan upwards."""
    lines = plan.splitlines()
    at = next(n for n, line in enumerate(lines) if f"BatchScan lake.{table}" in line)
    depth, steps = indent(lines[at]), []
    for line in reversed(lines[:at]):
        if indent(line) < depth:
            depth = indent(line)
            steps.append(line.strip(" :+-*()0123456789"))
            if "Join" in steps[-1]:
                return steps
    raise AssertionError(f"{table} is not joined:\n{plan}")


def indent(line: str) -> int:
    return len(line) - len(line.lstrip(" :+-"))


def test_no_row_of_the_mirror_moves(
    project: RawProject, sql, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.dbt("run", "--select", "landing")
    sql("create namespace if not exists raw")
    sql(f"create table raw.rows using iceberg as {RAW.format(rank=1, time=0, rows=500)}")
    project.dbt("run", "--select", "path:models")
    execute, plans = LakemirrorCursor.execute, {}

    def explained(self: LakemirrorCursor, statement: str, *parameters: object) -> None:
        found = re.search(r"(merge|delete) (?:into|from) (\S+)\.branch_", statement)
        if found:
            self.session.conf.set("spark.sql.autoBroadcastJoinThreshold", "-1")
            plans[found[2]] = found[1], self.session.sql(f"explain {statement}").first()[0]
        execute(self, statement, *parameters)

    def merged(rank: int, time: int, rows: int) -> dict[str, tuple[str, str]]:
        plans.clear()
        sql(f"insert into raw.rows {RAW.format(rank=rank, time=time, rows=rows)}")
        project.dbt("run", "--select", "path:models")
        assert len(plans) == len(CASES)
        return plans

    monkeypatch.setattr(LakemirrorCursor, "execute", explained)
    for time in (0, 1000):  # late, and after all that is there
        for table, (statement, plan) in merged(rank=2 + time, time=time, rows=100).items():
            steps = between(plan, table)
            assert not [step for step in steps if "Exchange" in step], f"{table}: {steps}\n{plan}"
            is_broadcast = table.endswith("_from_1000")
            is_merged = not is_broadcast and (time == 0 or "copy_on_write" in table)
            assert statement == ("merge" if is_merged else "delete"), table
            join = "Broadcast" if is_broadcast else "SortMerge" if is_merged else "ShuffledHash"
            assert join in steps[-1], f"{table}: {steps}\n{plan}"

    for table, (_, plan) in merged(rank=2000, time=0, rows=1).items():
        assert re.search(rf"lake.{table}.*filters=.*bucket\[4\]\(k\)", plan), f"{table}:\n{plan}"
