"""A mirror follows its configuration: properties by itself, buckets by an operation.

F42, F43, F32: its rows, its bookmark and its history stay.
"""

import re
from collections.abc import Callable
from typing import Any

import pytest
from pyiceberg.transforms import BucketTransform
from pyiceberg.types import IntegerType

from support.deaths import DeathError, Hook, let_all_run
from support.lake import Lake, messages
from support.one_table import MIRROR, Shop
from support.small_project import RawProject

TOMBSTONES = f"{MIRROR}__tombstones"
REBUCKET = ("run-operation", "rebucket", "--args", "{model: mirror_shop__t}")
WARNING = "has other buckets than its configuration says"


def partitionings(shop: Shop, relation: str) -> set[str]:
    """The partition fields of a table, and those of its live files."""
    table = shop.lake.catalog.load_table(relation)
    shown = {
        number: ", ".join(str(field.transform) for field in spec.fields)
        for number, spec in table.specs().items()
    }
    files = [task.file.spec_id for task in table.scan().plan_files()]
    return {shown[number] for number in (*files, table.spec().spec_id)}


def properties(shop: Shop, relation: str) -> tuple[int, str | None, str | None]:
    metadata = shop.lake.catalog.load_table(relation).metadata
    found = metadata.properties
    return metadata.format_version, found.get("write.merge.mode"), found.get("odd")


def by_time(runs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(runs, key=lambda run: run["started_at"])


def test_properties_follow_the_configuration(lake: Lake) -> None:
    """The next run that merges changes them, also of the tombstones; no version goes back."""
    shop = Shop(lake)
    shop.write_mirror("t", "format_version=2")
    shop.send(("c", 1, 10), ("d", 9, 90))
    shop.merge()
    assert properties(shop, MIRROR) == (2, "merge-on-read", None)
    odd = "table_properties={'odd': 'a,b=c'}"
    shop.write_mirror("t", f"format_version=3, merge_mode='copy-on-write', {odd}")
    shop.send(("u", 1, 11))
    shop.merge()
    assert properties(shop, MIRROR) == (3, "copy-on-write", "a,b=c")
    assert properties(shop, TOMBSTONES) == (3, "copy-on-write", "a,b=c")
    assert shop.values() == {1: 11}
    metadata = lake.catalog.load_table(MIRROR).metadata_location
    shop.merge()
    assert lake.catalog.load_table(MIRROR).metadata_location == metadata
    shop.write_mirror("t", "format_version=2")
    shop.send(("u", 1, 12))
    assert "configure format_version=3" in shop.merge(fails=True)
    shop.write_mirror("t", "format_version=3")
    shop.merge()
    assert shop.values() == {1: 12}


def test_buckets_are_changed_by_an_operation(lake: Lake, around: Callable[[Hook], None]) -> None:
    """Until then each merge warns, and is right: F43. It may die in between.

    ops.runs has how each run merged, or failed, and none that had nothing to do.
    """
    shop = Shop(lake)
    shop.write_mirror("t", "buckets=2, stage_from=0")
    shop.send(*(("c", key, key) for key in range(1, 9)), ("d", 1, 1))
    shop.merge()
    assert partitionings(shop, MIRROR) == {"bucket[2]"}
    tagged = lake.catalog.load_table("raw.shop__t").metadata.refs
    snapshots = lake.snapshots(MIRROR)

    shop.write_mirror("t", "buckets=3, stage_from=0")
    shop.send(("u", 2, 20), ("d", 3, 3), ("c", 9, 9))
    refused = shop.dbt("--warn-error", "run", "--select", "mirror_shop__t", fails=True)
    assert WARNING in messages(refused)
    shop.merge()
    expected = {2: 20, **{key: key for key in (4, 5, 6, 7, 8, 9)}}
    assert shop.values() == expected

    def die(statement: str, run: Callable[[], None]) -> None:
        if "rewrite_data_files" in statement and "__tombstones" not in statement:
            raise DeathError("the process died here")
        run()

    around(die)
    shop.dbt(*REBUCKET, fails=True)
    around(let_all_run)
    shop.dbt(*REBUCKET)
    for relation in (MIRROR, TOMBSTONES):
        assert partitionings(shop, relation) == {"bucket[3]"}
    assert shop.values() == expected
    assert [s for s in snapshots if s not in lake.snapshots(MIRROR)] == []
    assert {*tagged} <= {*lake.catalog.load_table("raw.shop__t").metadata.refs}
    before = lake.snapshots(MIRROR)
    shop.dbt("--warn-error", "run", "--select", "mirror_shop__t")
    assert lake.snapshots(MIRROR) == before  # the bookmark is there

    shop.write_mirror("t", "stage_from=0")
    shop.dbt(*REBUCKET)
    shop.send(("u", 2, 21), ("c", 1, 1), ("d", 9, 9))
    shop.dbt("--warn-error", "run", "--select", "mirror_shop__t")
    assert partitionings(shop, MIRROR) == {""}
    assert shop.values() == {k: v for k, v in expected.items() if k != 9} | {2: 21, 1: 1}
    runs = lake.catalog.load_table("ops.runs").scan().to_arrow().to_pylist()
    assert [(r["status"], r["merged_by"], r["applied"]) for r in by_time(runs)] == [
        ("success", "buckets", 9),
        ("error", None, None),  # the warning
        ("warn", "shuffle", 3),
        ("success", "shuffle", 3),
    ]
    assert WARNING in by_time(runs)[1]["message"]
    assert [bool(run["core_seconds"]) for run in by_time(runs)] == [True, False, True, True]
    shop.dbt("run-operation", "rebucket", "--args", "{model: mirror_shop__u}", fails=True)


def test_advice_changes_nothing(lake: Lake) -> None:
    """From the size of the files and the values of the key; a model without a table has none."""
    shop = Shop(lake)
    shop.write_mirror("t", "buckets=2")
    shop.dbt("run-operation", "bucket_advice")
    shop.send(("c", 1, 10), ("c", 2, 20))
    shop.merge()
    snapshots = lake.snapshots(MIRROR)
    shop.dbt("run-operation", "bucket_advice")
    [advice] = lake.catalog.load_table("ops.bucket_advice").scan().to_arrow().to_pylist()
    assert advice["live_rows"] == 2
    assert advice["size"] > 0
    assert (advice["buckets"], advice["advised_buckets"]) == (2, None)
    assert "id has about 2 values" in advice["reason"]
    assert lake.snapshots(MIRROR) == snapshots


@pytest.mark.parametrize(
    "config",
    [
        "buckets=16",
        "buckets=16, stage_from=0",
        "buckets=16, stage_from=0, merge_mode='copy-on-write'",
    ],
)
def test_few_changes_read_the_buckets_that_they_touch(
    lake: Lake, around: Callable[[Hook], None], config: str
) -> None:
    """F43b: without the bucket of a change, a row that is there would seem new; a late one too."""
    shop = Shop(lake)
    shop.write_mirror("t", config)
    shop.deliver(*((10 * key, 1, "c", key) for key in range(1, 101)))
    narrowed = []

    def note(statement: str, run: Callable[[], None]) -> None:
        narrowed.extend(re.findall(r"and system.bucket\(16, target.`id`\) in \((.*)\)", statement))
        run()

    around(note)
    shop.deliver((2001, 2, "u", 1), (2002, 2, "d", 2), (2003, 2, "c", 200), (5, 1, "u", 3))
    expected = {key: 10 * key for key in range(3, 101)} | {1: 2001, 200: 2003}
    assert shop.values() == expected
    bucket = BucketTransform(16).transform(IntegerType())
    assert narrowed == [", ".join(map(str, sorted({bucket(key) for key in (1, 2, 200, 3)})))]
    shop.deliver(*((3000 + key, 2, "u", key) for key in range(3, 36)))
    assert shop.values() == expected | {key: 3000 + key for key in range(3, 36)}
    assert len(narrowed) == 1


STAGING = """
{{ config(materialized='ephemeral') }}

select
    id % 3 as part,
    id,
    v,
    '' as _undecodable,
    {{ tx_rank('generic', '0', 'v', '0') }},
    'u' as _op,
    _src_ts,
    _kfk_partition,
    _kfk_offset
from {{ changes(source('raw', 'rows')) }}
"""
ROWS = """
    select
        id, {v}L as v, timestamp_seconds({v}) as _src_ts, 'rows' as _kfk_topic,
        0 as _kfk_partition, {v} * 100 + id as _kfk_offset
    from range(20)
"""


def bucketed_by(lake: Lake, relation: str) -> list[str]:
    table = lake.catalog.load_table(relation)
    return [table.schema().find_column_name(field.source_id) for field in table.spec().fields]


def test_a_new_table_is_bucketed_by_the_column_with_the_most_values(lake: Lake, sql) -> None:
    """It keeps the column, whatever comes; a configured one wins, and is changed by rebucket."""
    project = RawProject(lake)
    project.write("models/stg_rows.sql", STAGING)
    mirror = """
        {{{{ config(unique_key=['part', 'id'], buckets=2, stage_from=0{}) }}}}
        select * from {{{{ ref('stg_rows') }}}}
    """
    project.write("models/mirror_rows.sql", mirror.format(""))
    project.dbt("run", "--select", "landing")
    sql("create namespace if not exists raw")
    sql(f"create table raw.rows using iceberg as {ROWS.format(v=1)}")
    project.dbt("run", "--select", "mirror_rows")
    sql(f"insert into raw.rows {ROWS.format(v=2)}")
    project.dbt("--warn-error", "run", "--select", "mirror_rows")
    for relation in ("mirror.rows", "mirror.rows__tombstones"):
        assert bucketed_by(lake, relation) == ["id"]
    project.write("models/mirror_rows.sql", mirror.format(", bucket_by='part'"))
    rebucket = ("run-operation", "rebucket", "--args", "{model: mirror_rows}")
    project.dbt(*rebucket)
    project.write("models/mirror_rows.sql", mirror.format(""))
    sql(f"insert into raw.rows {ROWS.format(v=3)}")
    project.dbt("--warn-error", "run", "--select", "mirror_rows")
    project.dbt(*rebucket)
    for relation in ("mirror.rows", "mirror.rows__tombstones"):
        assert bucketed_by(lake, relation) == ["part"]
    rows = lake.catalog.load_table("mirror.rows").scan().to_arrow().to_pylist()
    assert sorted((row["id"], row["v"]) for row in rows) == [(n, 3) for n in range(20)]
