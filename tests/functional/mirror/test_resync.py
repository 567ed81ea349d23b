"""Rows that a full snapshot does not have any more go, when an operator says so.

The binlog was lost for a while, and what was deleted meanwhile has no event.
Cases 23-27; F14, F32, F34, F35.
"""

import json
from collections.abc import Callable
from typing import Any

import pytest

from lakemirror.state.window import PREFIX
from support.audits import assert_healthy
from support.deaths import DEATHS, DeathError, Hook, death_after, let_all_run
from support.depth import deep_only, whole_only
from support.full_snapshots import WHOLE, snapshot, with_a_gap
from support.lake import Lake, messages
from support.mirror_project import MirrorProject
from support.one_table import DAY, MIRROR, Shop, change
from support.recorded_mirrors import project_of
from support.recordings import read, write
from support.source_state import FIXTURES, assert_same, differences

TOMBSTONES = f"{MIRROR}__tombstones"
DRY_RUN = ("--vars", "{resync: dry_run}")
APPLY = ("--vars", "{resync: apply}")


def land_and_merge(shop: Shop, *lines: str) -> None:
    shop.feed(lines, "mirror_shop__t")


def summary(lake: Lake) -> dict[str, str]:
    """What the mirror's newest commit says."""
    properties = lake.catalog.load_table(MIRROR).current_snapshot().summary.additional_properties
    return {k.removeprefix(PREFIX): v for k, v in properties.items() if k.startswith(PREFIX)}


def test_what_a_full_snapshot_does_not_have_goes(lake: Lake, capsys: pytest.CaptureFixture) -> None:
    """Case 26: what is newer stays, what came again stays, and what comes late is held back."""
    shop = with_a_gap(lake)
    shop.send(("c", 3, 33))
    shop.merge()
    before, deletes = lake.snapshots(MIRROR), lake.snapshots(TOMBSTONES)
    known = summary(lake)
    capsys.readouterr()

    assert "1 ROWS TO REMOVE" in shop.merge(*DRY_RUN)
    said = capsys.readouterr().out
    assert "the newest full snapshot has 3 rows, of 2026-01-01 01:13:20" in said
    assert 'such as {"id":2}.' in said
    assert "dbt run --select mirror_shop__t --vars '{resync: apply}'" in said
    assert (lake.snapshots(MIRROR), lake.snapshots(TOMBSTONES)) == (before, deletes)
    assert lake.catalog.list_tables("stage") == []

    shop.merge(*APPLY)
    expected = {1: 10, 3: 33, 5: 50, 6: 60}
    assert shop.values() == expected
    counts = ("read", "applied", "stale", "duplicate", "ignored", "quarantined")
    assert summary(lake) == {
        **known,
        **dict.fromkeys(counts, "0"),
        "merged-by": "resync",
        "invocation-id": summary(lake)["invocation-id"],
        "resync-removed": "1",
        "tombstones-snapshot-id": str(lake.snapshots(TOMBSTONES)[-1]),
        "resync": '{"_tx_epoch": 0, "_tx_log": null, "_tx_order": -1, "_tx_rank": 4294967503}',
    }
    after = lake.snapshots(MIRROR)
    assert "0 ROWS TO REMOVE" in shop.merge(*APPLY)
    assert lake.snapshots(MIRROR) == after
    assert lake.catalog.list_tables("stage") == []

    shop.feed([change(900, "u", 2, 22, pos=190)])  # older than the snapshot
    shop.merge()
    assert shop.values() == expected
    shop.merge("--vars", "{replay: true}")
    assert shop.values() == expected
    assert_healthy(shop)
    shop.merge("--full-refresh", "--vars", "{allow_full_refresh: true}")
    assert shop.values() == expected
    shop.send(("c", 2, 23))
    shop.merge()
    assert shop.values() == expected | {2: 23}


@pytest.mark.parametrize("publish", ["copy", "branch"])
def test_a_day_lacks_what_a_resync_has_removed(lake: Lake, publish: str) -> None:
    """It starts from a commit of before the resync, and no change tells what that has removed."""
    shop = Shop(lake)
    shop.write_daily("t", "2026-01-01", "2026-01-04", publish=publish)
    shop.deliver((10, 1, "c", 1), (20, 1, "c", 2), (30, 1, "c", 3))
    of_day_2 = {"pos": 200, "ts_ms": 1767230000000 + DAY}
    shop.feed(snapshot(shop, {1: 10, 3: 30, 4: 40}, WHOLE, **of_day_2), "mirror_shop__t")
    shop.deliver((300, 3, "c", 5))
    assert "1 rows removed" in shop.merge(*APPLY)
    shop.dbt("run", "--select", "watermark_shop", "daily_shop__t")
    rows = lake.catalog.load_table("daily.shop__t").scan().to_arrow().to_pylist()
    found: dict[str, list[int]] = {}
    for row in rows:
        keys = [row["id"]] if publish == "copy" else keys_at(lake, row["snapshot_id"])
        found.setdefault(str(row["ds"]), []).extend(keys)
    assert {day: sorted(keys) for day, keys in found.items()} == {
        "2026-01-02": [1, 3, 4],
        "2026-01-03": [1, 3, 4, 5],
    }


def keys_at(lake: Lake, snapshot_id: int) -> list[int]:
    scan = lake.catalog.load_table(MIRROR).scan(snapshot_id=snapshot_id)
    return scan.to_arrow()["id"].to_pylist()


@deep_only
def test_each_run_counts_what_a_snapshot_does_not_have(
    lake: Lake, capsys: pytest.CaptureFixture, around: Callable[[Hook], None]
) -> None:
    """G4: until they are gone, also after a death; the first snapshot of all lacks nothing."""
    shop = Shop(lake)
    shop.feed(snapshot(shop, {1: 10, 2: 20, 3: 30}, WHOLE))
    assert "older and not in it" not in shop.merge()
    shop.offset += 100
    shop.feed(snapshot(shop, {1: 10, 4: 40}, WHOLE))
    shop.send(("u", 4, 41))  # it is folded over the row that ends the snapshot

    def die(statement: str, run: Callable[[], None]) -> None:
        if "lakemirror.absent-rows" in statement:
            raise DeathError("the process died here")
        run()

    around(die)
    shop.merge(fails=True)
    around(let_all_run)
    for _ in range(2):
        capsys.readouterr()
        said = shop.merge()
        assert "2 rows of mirror.shop__t are older and not in it" in said
        assert "--vars '{resync: dry_run}'" in said
        assert "WARN=1 ERROR=0" in capsys.readouterr().out
    assert "2 rows of mirror.shop__t" in shop.warn_error()
    shop.merge(*APPLY)
    capsys.readouterr()
    shop.merge()
    assert "WARN=0 ERROR=0" in capsys.readouterr().out
    assert shop.values() == {1: 10, 4: 41}


def test_the_end_of_a_snapshot_may_come_before_the_rest(lake: Lake) -> None:
    """G4: what is missing of it is no row that has gone."""
    shop = Shop(lake)
    shop.send(("c", 1, 10), ("c", 2, 20))
    shop.merge()
    shop.offset += 100
    first, last = snapshot(shop, {1: 11, 2: 21}, WHOLE)
    shop.feed([last])
    assert "1 rows of mirror.shop__t are older" in shop.merge()
    shop.feed([first])
    assert "are older and not in it" not in shop.merge()
    assert shop.values() == {1: 11, 2: 21}


@whole_only
def test_a_soft_delete_marks_the_rows(lake: Lake) -> None:
    """Case 26, with deletes: soft."""
    shop = with_a_gap(lake, "buckets=2, deletes='soft'")
    shop.merge(*APPLY)
    rows = lake.catalog.load_table(MIRROR).scan().to_arrow().to_pylist()
    found = {row["id"]: (row["v"], row["_op"], row["_is_deleted"]) for row in rows}
    assert {key: row for key, row in found.items() if row[2]} == {
        2: (20, "d", True),
        3: (30, "d", True),
        4: (41, "d", True),
        8: (80, "d", True),
    }
    [deleted_at] = {row["_deleted_at"].isoformat() for row in rows if row["id"] in (2, 3)}
    assert deleted_at == "2026-01-01T01:13:20+00:00"
    assert "0 ROWS TO REMOVE" in shop.merge(*APPLY)
    shop.feed([change(900, "u", 2, 22, pos=190)])
    shop.send(("c", 3, 33))
    shop.merge()
    rows = lake.catalog.load_table(MIRROR).scan().to_arrow().to_pylist()
    found = {row["id"]: (row["v"], row["_is_deleted"]) for row in rows if row["id"] in (2, 3)}
    assert found == {2: (20, True), 3: (33, False)}


@whole_only
def test_only_a_whole_full_snapshot_counts(lake: Lake) -> None:
    """Cases 25, 26: incremental, unfinished, begun before raw begins, not merged, out of order."""
    shop = Shop(lake)

    def refused() -> str:
        before, deletes = lake.snapshots(MIRROR), lake.snapshots(TOMBSTONES)
        said = shop.merge(*APPLY, fails=True)
        assert (lake.snapshots(MIRROR), lake.snapshots(TOMBSTONES)) == (before, deletes)
        assert lake.catalog.list_tables("stage") == []
        return said

    shop.send(*(("c", key, 10 * key) for key in (1, 2, 3)))
    assert "there is no mirror to resync" in shop.merge(*DRY_RUN, fails=True)
    shop.merge()
    assert "the var resync is dry_run or apply" in shop.merge("--vars", "{resync: 1}", fails=True)
    assert "no row of a full snapshot" in refused()

    land_and_merge(shop, *snapshot(shop, {1: 10, 2: 20}, ("incremental",) * 3, server_id=1))
    assert "incremental snapshots do not count" in refused()

    rows = {1: 11, 4: 40, 5: 50}
    first, *others = snapshot(shop, rows, WHOLE)
    land_and_merge(shop, others[0])
    shop.send(("u", 2, 21))  # after a snapshot that was given up, changes stream as well
    shop.merge()
    assert "not the record that marks its end" in refused()

    shop.feed([others[1]])
    assert "Run the model first" in refused()
    shop.merge()
    assert "not the record that marks its beginning" in refused()

    land_and_merge(shop, first)
    shop.merge(*APPLY)
    assert shop.values() == {1: 11, 2: 21, 4: 40, 5: 50}

    before = {"file": "binlog.000000", "ts_ms": 1767240000000}
    land_and_merge(shop, *snapshot(shop, {1: 11}, ("last",) * 3, **before))
    assert "the order of the source went back" in refused()


@deep_only
def test_a_row_of_the_snapshot_that_comes_late_comes_back(lake: Lake) -> None:
    """F14: one partition may lag, and the mark of the end says nothing of the others."""
    shop = Shop(lake)
    shop.send(("c", 1, 10), ("c", 2, 20), ("c", 3, 30))
    shop.merge()
    first, late, last = snapshot(shop, {1: 10, 2: 20, 4: 40}, WHOLE)
    land_and_merge(shop, first, last)
    shop.merge(*APPLY)
    assert shop.values() == {1: 10, 4: 40}
    land_and_merge(shop, late)
    assert shop.values() == {1: 10, 2: 20, 4: 40}


@deep_only
def test_a_resync_may_die_after_any_statement(lake: Lake, around: Callable[[Hook], None]) -> None:
    """F32: the rows go at once or not at all, and another resync goes on."""
    shop = Shop(lake)
    shop.send(("c", 1, 10))
    shop.merge()
    deaths = 0
    for point in DEATHS:
        shop.offset += 1
        lost = change(shop.offset, "c", 2, 20)
        land_and_merge(shop, lost, *snapshot(shop, {1: 10}, ("last",) * 3))
        written: list[str] = []
        around(death_after(point, written))
        shop.merge(*APPLY, fails=None)
        around(let_all_run)
        assert shop.values() in ({1: 10, 2: 20}, {1: 10})
        if len(written) < point:
            break
        deaths += 1
        shop.merge(*APPLY)
        assert shop.values() == {1: 10}, f"after a death behind {written[-1:]}"
    assert deaths > 8 / DEATHS.step
    assert shop.values() == {1: 10}


def test_another_commit_wins(lake: Lake, around: Callable[[Hook], None]) -> None:
    """F34, F35: what was counted may not be so any more."""
    shop = with_a_gap(lake)

    def overtake(statement: str, run: Callable[[], None]) -> None:
        if f"merge into {MIRROR}.branch_" in statement:
            table = lake.catalog.load_table(MIRROR)
            table.append(table.scan().to_arrow().slice(0, 0))
        run()

    around(overtake)
    assert "another run has committed" in shop.merge(*APPLY, fails=True)
    around(let_all_run)
    assert shop.values() == {1: 10, 2: 20, 3: 30, 5: 50, 6: 60}
    shop.merge(*APPLY)
    assert shop.values() == {1: 10, 5: 50, 6: 60}


def resync(project: MirrorProject, table: str, how: str, fails: bool = False) -> str:
    select = ("--select", f"mirror_{project.source}__{table}")
    return messages(project.dbt("run", *select, "--vars", f"{{resync: {how}}}", fails=fails))


@pytest.mark.parametrize(
    ("recording", "topic", "source"),
    [
        ("mariadb/plain", "shop.shop.inc_snap", {"server_id": 1, "pos": 4}),
        ("postgres/plain", "pg.public.inc_snap", {"lsn": 1000, "sequence": '[null,"1000"]'}),
    ],
)
def test_recorded_snapshots(lake: Lake, recording: str, topic: str, source: dict[str, Any]) -> None:
    """Case 26: a snapshot, an incremental one of the same table, and a row that has no delete."""
    project = project_of(lake, recording)
    records = [r for r in read(FIXTURES / f"{recording}.jsonl.gz") if f'"{topic}"' in r]
    ghost = json.loads(records[0])
    event = json.loads(ghost["value"])
    event["op"], event["after"]["id"] = "c", 999
    event["source"] |= {"snapshot": "false", **source}
    lost = ghost | {"offset": 999, "key": '{"id":999}', "value": json.dumps(event)}
    write(lake.recordings, "all", [*records, json.dumps(lost)])
    project.dbt("run", "--select", "landing", f"mirror_{project.source}__inc_snap")
    assert (999,) in project.rows("inc_snap")
    assert "1 ROWS TO REMOVE" in resync(project, "inc_snap", "dry_run")
    resync(project, "inc_snap", "apply")
    expected = project.expected(f"{recording}.state_final.jsonl.gz")["inc_snap"]
    assert_same("inc_snap", differences(expected, project.rows("inc_snap")))


def test_a_copy_of_vitess_is_refused(lake: Lake) -> None:
    """Case 24: nothing marks its rows, and nothing its end."""
    project = project_of(lake, "vitess/copy")
    write(lake.recordings, "all", read(FIXTURES / "vitess/copy.jsonl.gz"))
    project.dbt("run", "--select", "landing", "mirror_commerce__users")
    assert "Vitess does not mark its copies" in resync(project, "users", "apply", fails=True)
