"""Tables are cared for, and nobody who still reads them loses anything.

F26, F28, F35, F36, F38; case 82.
"""

import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from lakemirror.cli.history import table_commits
from lakemirror.state.commits import properties
from lakemirror.state.window import BASE_TAG
from support.audits import assert_healthy
from support.dbt_process import DbtProcess
from support.deaths import Hook, dying_at, let_all_run
from support.depth import DEEP, WHOLE, whole_only
from support.lake import Lake
from support.one_table import MIRROR, Shop

DAILY = "daily.shop__t"
POLICY = "maintenance={'readers': '0s', 'snapshot_age': '1h', 'min_input_files': 5}"
RUN = "lakemirror_12345678_1234_1234_1234_123456789abc"  # a run's branch


def twenty_merges(lake: Lake) -> Shop:
    """A mirror of two buckets, merged on four days of January, and daily rows of the first three.
    Each merge changes two rows, and deletes one."""
    shop = Shop(lake)
    shop.write_daily("t", heard_from="2026-01-01", complete_until="2026-01-04")
    shop.write_mirror("t", f"buckets=2, {POLICY}")
    shop.deliver(*((10 + key, 1, "c", key) for key in range(400)))
    for n in range(20):
        place, day = 1000 + 10 * n, 1 + n // 5
        shop.deliver(
            (place, day, "u", n), (place + 1, day, "u", 200 + n), (place + 2, day, "d", 300 + n)
        )
    publish(shop)
    return shop


def publish(shop: Shop) -> None:
    shop.dbt("run", "--select", "watermark_shop", "daily_shop__t")


def maintain(shop: Shop, fails: bool = False, **arguments: Any) -> None:
    shop.dbt("run-operation", "maintain", "--args", json.dumps(arguments), fails=fails)


def bookmark(lake: Lake) -> str:
    """That of the newest commit of the mirror that has one."""
    commits = reversed(table_commits(lake.catalog.load_table(MIRROR)))
    return next(str(c.bookmark) for c in commits if c.bookmark is not None)


def days(lake: Lake) -> dict[str, dict[int, int]]:
    found: dict[str, dict[int, int]] = {}
    for row in lake.catalog.load_table(DAILY).scan().to_arrow().to_pylist():
        found.setdefault(str(row["ds"]), {})[row["id"]] = row["v"]
    return found


def everything(lake: Lake) -> dict[str, list[int]]:
    """The snapshots of all tables."""
    catalog = lake.catalog
    names = [name for schema in catalog.list_namespaces() for name in catalog.list_tables(schema)]
    return {".".join(name): lake.snapshots(".".join(name)) for name in names}


def statuses(lake: Lake, table: str) -> dict[str, str]:
    """The newest status of each action on a table."""
    rows = lake.catalog.load_table("ops.maintenance").scan().to_arrow().to_pylist()
    rows = sorted(rows, key=lambda row: row["started_at"])
    return {row["action"]: row["status"] for row in rows if row["table_name"] == table}


def bytes_on_disk(lake: Lake, table: str) -> int:
    folder = lake.folder / "warehouse" / table.replace(".", "/") / "data"
    return sum(file.stat().st_size for file in folder.rglob("*.parquet"))


def live_bytes(lake: Lake, table: str) -> int:
    snapshot = lake.catalog.load_table(table).current_snapshot()
    return int(properties(snapshot)["total-files-size"])


@whole_only
def test_twenty_merges_then_maintenance(
    lake: Lake, around: Callable[[Hook], None], sql: Any, monkeypatch: Any
) -> None:
    """The mirror, its bookmark and its days are as before, also where maintenance dies."""
    shop = twenty_merges(lake)
    before = shop.rows("t"), bookmark(lake), days(lake)
    assert sorted(before[2]) == ["2026-01-01", "2026-01-02", "2026-01-03"]

    there = everything(lake)
    maintain(shop, dry_run=True)
    assert everything(lake) == there

    # a run that is under way keeps its commit
    monkeypatch.setattr("lakemirror.runs.maintain.PATIENCE", 0)
    monkeypatch.setattr("lakemirror.runs.maintain.AT_LEAST_EVERY", 0)
    sql(f"alter table {DAILY} create branch {RUN}")
    maintain(shop, select="daily_shop__t")
    assert statuses(lake, DAILY) == {"compact": "waits", "remove orphans": "dry run"}
    sql(f"alter table {DAILY} drop branch {RUN}")

    for moment in ("publish", "expire_snapshots"):
        around(dying_at(moment))
        maintain(shop, fails=True, select="mirror_shop__t")
        around(let_all_run)
        assert (shop.rows("t"), bookmark(lake), days(lake)) == before
    maintain(shop, select=["mirror_shop__t", "daily_shop__t", "raw.shop__t", "ops.runs"])
    assert (shop.rows("t"), bookmark(lake), days(lake)) == before
    assert statuses(lake, MIRROR)["expire"] == "done"
    for table in (MIRROR, f"{MIRROR}__tombstones", "raw.shop__t", DAILY, "ops.runs"):
        assert statuses(lake, table)["compact"] == "done"
    commits = table_commits(lake.catalog.load_table(MIRROR))
    assert "maintenance" in {commit.what for commit in commits}
    assert not {"foreign"} & {commit.what for commit in commits}

    # what comes late reaches the day that it belongs to, and those after it
    shop.deliver((1052, 2, "u", 399), (2000, 4, "u", 1))
    publish(shop)
    late = {399: 1052}
    assert days(lake) == {
        day: rows | (late if day > "2026-01-01" else {}) for day, rows in before[2].items()
    }
    assert shop.values()[1] == 2000
    assert_healthy(shop)

    # a week later no day starts from a commit of now
    for name in lake.catalog.load_table(MIRROR).refs():
        if name.startswith(BASE_TAG):
            sql(f"alter table {MIRROR} drop tag {name}")
    maintain(shop, select="mirror_shop__t")
    assert bytes_on_disk(lake, MIRROR) <= 1.6 * live_bytes(lake, MIRROR)
    former = lake.catalog.load_table(MIRROR).metadata.metadata_log
    assert len(former) <= 10
    names = {
        file.name for file in (lake.folder / "warehouse/mirror/shop__t/metadata").glob("*.json")
    }
    assert names == {each.metadata_file.rpartition("/")[2] for each in former} | {
        lake.catalog.load_table(MIRROR).metadata_location.rpartition("/")[2]
    }
    assert shop.values()[1] == 2000


def test_files_are_ordered_once_as_readers_ask(lake: Lake, sql: Any) -> None:
    """By several columns, of a mirror and of a table of others; by another order once more."""
    shop = Shop(lake)
    shop.write_mirror("t", "buckets=2, maintenance={'z_order_by': ['v', 'id']}")
    shop.deliver(*((10 + key, 1, "c", key) for key in range(50)))
    shop.deliver((1000, 1, "u", 7))
    sql("create namespace if not exists others")
    sql("create table others.t using iceberg as select id, id % 3 as v from range(9)")
    project = (shop.folder / "dbt_project.yml").read_text()
    names = "vars:\n  maintenance_tables: {'oth*.*': {sort_by: [v]}}"
    shop.write("dbt_project.yml", project.replace("vars:", names))
    before, snapshots = shop.rows("t"), lake.snapshots(MIRROR)
    for expected in ("done", "done"):  # the second call leaves it as it is
        maintain(shop, select=["mirror_shop__t", "others.t"])
        assert (
            statuses(lake, MIRROR)["cluster"] == statuses(lake, "others.t")["cluster"] == expected
        )
        assert shop.rows("t") == before
        assert len(lake.snapshots(MIRROR)) == len(snapshots) + 2  # its own, and one that carries on
    assert lake.catalog.load_table(MIRROR).properties["lakemirror.clustered-by"] == "zorder(v, id)"
    [file] = lake.catalog.load_table("others.t").scan().plan_files()
    assert lake.catalog.load_table("others.t").scan().to_arrow()["v"].to_pylist() == [
        *[0] * 3,
        *[1] * 3,
        *[2] * 3,
    ]
    assert file.file.record_count == 9
    shop.write_mirror("t", "buckets=2, maintenance={'z_order_by': ['nothing']}")
    maintain(shop, select="mirror_shop__t", fails=True)
    assert_healthy(shop)


def test_only_files_with_young_rows_are_put_together(lake: Lake, sql: Any) -> None:
    """By a column of days, and by one of times; a column that is neither is refused."""
    shop = Shop(lake)
    sql("create namespace if not exists others")
    for name, kind in (("dated", "date"), ("timed", "timestamp")):
        sql(f"create table others.{name} (id bigint, at {kind}) using iceberg")
        for days_ago in (40, 40, 40, 1, 1, 1):
            values = f"select 1L, cast(current_date() - {days_ago} as {kind})"
            sql(f"insert into others.{name} {values}")
    project = (shop.folder / "dbt_project.yml").read_text()
    policy = "{compact_by: AT, compact_days: 7, min_input_files: 2}"
    names = f"vars:\n  maintenance_tables: {{'others.*': {policy}}}"
    shop.write("dbt_project.yml", project.replace("vars:", names))
    for _ in range(2):  # the second call has nothing to do
        maintain(shop, select=["others.dated", "others.timed"])
        for name in ("dated", "timed"):
            files = lake.catalog.load_table(f"others.{name}").scan().plan_files()
            assert sorted(each.file.record_count for each in files) == [1, 1, 1, 3]
            assert statuses(lake, f"others.{name}")["compact"] == "done"
    rows = lake.catalog.load_table("ops.maintenance").scan().to_arrow().to_pylist()
    assert sum(row["action"] == "compact" for row in rows) == 2
    shop.write("dbt_project.yml", project.replace("vars:", names.replace("AT", "id")))
    maintain(shop, select="others.dated", fails=True)


@pytest.mark.parametrize("seed", range(12 if DEEP else 1))
def test_merges_and_maintenance_in_any_order(seed: int, lake: Lake) -> None:
    """Compaction and expiry of another process before, after and while batches are merged."""
    draw = random.Random(seed)
    shop = Shop(lake)
    policy = "{'readers': '0s', 'snapshot_age': '0s', 'min_input_files': 2}"
    shop.write_mirror("t", f"buckets=2, maintenance={policy}")
    expected = {key: 10 + key for key in range(50)}
    shop.deliver(*((place, 1, "c", key) for key, place in expected.items()))
    place, given = 1000, json.dumps({"select": ["mirror_shop__t", "raw.shop__t"]})
    command = ["run-operation", "maintain", "--args", given, "--project-dir", str(shop.folder)]
    for number in range(6 if DEEP else 2 if WHOLE else 1):
        with DbtProcess(lake, f"maintain_{number}", *command) as maintaining:
            if draw.random() < 0.3:
                assert maintaining.wait(), maintaining.console
            for _ in range(draw.randint(1, 6)):
                changes = []
                for key in draw.sample(range(60), 5):
                    place += 1
                    op = draw.choice("ud") if key in expected else "c"
                    expected.pop(key, None)
                    if op != "d":
                        expected[key] = place
                    changes.append((place, 1, op, key))
                shop.deliver(*changes)
                assert shop.values() == expected
            assert maintaining.wait(), maintaining.console
        assert shop.values() == expected
    commits = table_commits(lake.catalog.load_table(MIRROR))
    assert "maintenance" in {commit.what for commit in commits}
    assert_healthy(shop)
