"""A mirror reads every change of its raw table once, or says why it cannot.

Cases 20-22, 78-82; F23, F26-F29.
"""

import json
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from pyspark.sql import SparkSession

from support.lake import Lake, messages
from support.one_table import MIRROR, Shop, change
from support.recordings import write
from support.templates import copied


def two_rows(lake: Lake) -> Shop:
    shop = Shop(lake)
    shop.send(("c", 1, 10), ("c", 2, 20))
    shop.merge()
    return shop


@pytest.fixture
def shop(lake: Lake) -> Shop:
    return copied(lake, two_rows)


def test_a_topic_without_a_record_has_an_empty_mirror(lake: Lake) -> None:
    """Case 86: it says so, and the first records come like any others; its topic owns the table."""
    shop = Shop(lake)
    warned = lake.dbt(
        "--warn-error",
        "run",
        "--select",
        "mirror_shop__t",
        "--project-dir",
        str(shop.folder),
        fails=True,
    )
    assert "no record has landed in raw.shop__t" in messages(warned)
    shop.merge()
    assert shop.values() == {}
    shop.send(("c", 1, 10), ("d", 2, 20))
    shop.merge()
    assert shop.values() == {1: 10}
    other = json.loads(change(1, "c", 1, 1)) | {"topic": "other.shop.t"}
    write(lake.recordings, "other", [json.dumps(other)])
    warned = shop.dbt("run", "--select", "landing")
    assert "would both land in raw.shop__t" in messages(warned)
    assert lake.catalog.load_table("raw.shop__t").scan().count() == 2


def test_an_expired_bookmark_is_refused_and_replayed(shop: Shop, sql: Callable) -> None:
    """Case 78, F26."""
    shop.send(("u", 1, 11), ("d", 2, 20))
    sql("alter table raw.shop__t drop tag lakemirror_mirror_shop__t")
    sql("call lake.system.expire_snapshots('raw.shop__t', timestamp '2100-01-01', 1)")
    before = shop.lake.snapshots(MIRROR)
    said = shop.merge(fails=True)
    assert "has expired" in said
    assert "--vars '{replay: true}'" in said
    assert shop.lake.snapshots(MIRROR) == before
    shop.merge("--vars", "{replay: true}")
    assert shop.values() == {1: 11}


def test_the_tag_keeps_the_bookmark_from_expiry(shop: Shop, sql: Callable) -> None:
    shop.send(("u", 1, 11))
    sql("call lake.system.expire_snapshots('raw.shop__t', timestamp '2100-01-01', 1)")
    shop.merge()
    assert shop.values() == {1: 11, 2: 20}


def test_a_delete_in_raw_is_refused(shop: Shop, sql: Callable) -> None:
    """Case 79, F27: an incremental read would skip it in silence."""
    sql("delete from raw.shop__t where _kfk_offset = 1")
    shop.send(("u", 2, 21))
    assert "was changed by the" in shop.merge(fails=True)
    shop.merge("--vars", "{replay: true}")
    assert shop.values() == {1: 10, 2: 21}


def test_a_compaction_of_raw_is_nothing_new(shop: Shop, sql: Callable) -> None:
    """Case 79, F28."""
    before = shop.lake.snapshots(MIRROR)
    sql(
        "call lake.system.rewrite_data_files("
        "table => 'raw.shop__t', options => map('rewrite-all', 'true'))"
    )
    shop.merge()
    assert shop.lake.snapshots(MIRROR) == before
    shop.send(("u", 1, 11))
    shop.merge()
    assert shop.values() == {1: 11, 2: 20}


def test_a_rollback_of_raw_is_refused(shop: Shop, sql: Callable) -> None:
    """Case 80, F29."""
    [first] = shop.lake.snapshots("raw.shop__t")
    shop.send(("u", 1, 11))
    shop.merge()
    sql(f"call lake.system.rollback_to_snapshot('raw.shop__t', {first})")
    assert "was rolled back" in shop.merge(fails=True)


def test_a_raw_table_made_anew_is_refused(shop: Shop, sql: Callable) -> None:
    """F29: the bookmark is another table's."""
    sql("create table raw.other using iceberg as select * from raw.shop__t")
    sql("drop table raw.shop__t")
    sql("alter table raw.other rename to raw.shop__t")
    assert "the table is another" in shop.merge(fails=True)


def test_a_mirror_that_is_rolled_back_heals(shop: Shop, sql: Callable) -> None:
    """Case 81: the bookmark goes back with it."""
    first = shop.lake.snapshots(MIRROR)[-1]
    shop.send(("u", 1, 11), ("d", 2, 20))
    shop.merge()
    sql(f"call lake.system.rollback_to_snapshot('{MIRROR}', {first})")
    assert shop.values() == {1: 10, 2: 20}
    shop.merge()
    assert shop.values() == {1: 11}


def test_maintenance_of_the_mirror_keeps_the_bookmark(shop: Shop, sql: Callable) -> None:
    """Case 82: maintenance commits carry none."""
    sql(
        "call lake.system.rewrite_data_files("
        f"table => '{MIRROR}', options => map('rewrite-all', 'true'))"
    )
    compacted = shop.lake.snapshots(MIRROR)
    shop.merge()
    assert shop.lake.snapshots(MIRROR) == compacted
    shop.send(("c", 3, 30))
    shop.merge()
    assert shop.values() == {1: 10, 2: 20, 3: 30}


def test_another_server_is_refused_until_its_epoch_is_told(shop: Shop) -> None:
    """Cases 3, 4: binlog positions of two servers do not compare."""
    path = shop.lake.recordings / "other.jsonl"
    record = json.loads(change(99, "u", 1, 12))
    event = json.loads(record["value"])
    event["source"] |= {"server_id": 2, "pos": 4, "ts_ms": 1767225700000}
    path.write_text(json.dumps(record | {"value": json.dumps(event)}) + "\n")
    shop.dbt("run", "--select", "landing")
    before = shop.lake.snapshots(MIRROR)
    said = shop.merge(fails=True)
    assert "the logs 1" in said
    assert "hold the same keys, and both have epoch 0" in said
    assert shop.lake.snapshots(MIRROR) == before
    told = "{epochs: [{log: '2', epoch: 1}], allow_full_refresh: true}"
    shop.merge("--full-refresh", "--vars", told)
    assert shop.values() == {1: 12, 2: 20}


def test_two_changes_at_one_place_are_told(shop: Shop) -> None:
    """Case 2, F02: one stands, whatever came first, and the key is kept."""
    record = json.loads(change(1, "c", 1, 99)) | {"partition": 1, "offset": 7}
    (shop.lake.recordings / "clash.jsonl").write_text(json.dumps(record) + "\n")
    shop.dbt("run", "--select", "landing")
    shop.merge()
    assert shop.values() == {1: 10, 2: 20}
    conflicts = shop.lake.catalog.load_table("ops.order_conflicts").scan().to_arrow().to_pylist()
    assert [c["unique_key"] for c in conflicts] == ['{"id":1}']
    shop.write_mirror("t", "on_order_conflict='error'")
    assert "two different changes at one place" in shop.merge(
        "--vars", "{replay: true}", fails=True
    )


def test_what_cannot_be_used_is_kept_or_stops_the_run(shop: Shop) -> None:
    """Cases 18, 19; F13, F15: nothing is dropped in silence."""
    records = [json.loads(change(n, "c", n, n)) for n in (50, 51, 52, 53)]
    events = [json.loads(record["value"]) for record in records]
    events[0]["op"] = "x"
    events[1]["after"]["id"] = None
    events[2]["source"]["file"] = "binlog"
    events[3]["after"]["v"] = "many"
    lines = [
        json.dumps(record | {"value": json.dumps(event)})
        for record, event in zip(records, events, strict=True)
    ]
    (shop.lake.recordings / "bad.jsonl").write_text("\n".join(lines) + "\n")
    shop.dbt("run", "--select", "landing")
    shop.write_mirror("t", "on_bad_rows='fail'")
    assert "4 events cannot be used" in shop.merge(fails=True)
    shop.write_mirror("t")
    shop.merge()
    assert shop.values() == {1: 10, 2: 20}
    kept = shop.lake.catalog.load_table("ops.quarantine").scan().to_arrow().to_pylist()
    assert {row["_kfk_offset"]: row["reason"] for row in kept} == {
        50: "unknown operation",
        51: "no key",
        52: "no order",
        53: "cannot be decoded: v",
    }
    assert len(kept) == 4


def test_batches_of_dead_runs_go(shop: Shop, sql: Callable) -> None:
    """F32: not those that a run may still use."""
    recent = f"mirror__shop__t__{datetime.now(UTC):%Y%m%dt%H%M%S}_01234567"
    for name in ("mirror__shop__t__20200131t235959_01234567", recent, "somebodys"):
        sql(f"create table stage.{name} (id int) using iceberg")
    shop.merge()
    assert {name for _, name in shop.lake.catalog.list_tables("stage")} == {recent, "somebodys"}


def test_a_batch_leaves_nothing_in_sparks_cache(shop: Shop) -> None:
    """A build of many mirrors would fill its memory with them, and compare each query with all."""
    root = SparkSession.builder.getOrCreate()
    cache = root._jsparkSession.sharedState().cacheManager()
    cache.clearCache()
    kept = root.sparkContext._jsc.getPersistentRDDs
    before = {*kept()}
    shop.send(("c", 1, 1), ("c", 2, 2))
    shop.merge()
    shop.send(("u", 1, 3), ("d", 2, 2))
    shop.merge()
    assert shop.values() == {1: 3}
    assert cache.isEmpty()
    assert {*kept()} <= before


def test_soft_deletes_may_begin_and_not_end(shop: Shop) -> None:
    """Case 30: rows that are kept of deleted keys never count as live ones."""
    shop.write_mirror("t", "deletes='soft'")
    shop.send(("d", 1, 10))
    shop.merge()
    rows = shop.lake.catalog.load_table(MIRROR).scan().to_arrow().to_pylist()
    assert {row["id"]: row["_is_deleted"] for row in rows} == {1: True, 2: None}
    shop.write_mirror("t")
    shop.send(("u", 2, 21))
    assert "would count as live" in shop.merge(fails=True)
    shop.merge("--full-refresh", "--vars", "{allow_full_refresh: true}")
    assert shop.values() == {2: 21}
