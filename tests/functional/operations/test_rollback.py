"""A mirror is taken back with its tombstones, held, and goes on to what its source is: F06, F29,
F35."""

from typing import Any

import pytest

from lakemirror.runs.batch import BatchRun
from lakemirror.state.rollback import HELD, Hold
from support.dbt_process import DbtProcess
from support.lake import Lake
from support.one_table import MIRROR, Shop

TOMBSTONES = f"{MIRROR}__tombstones"


def rows(shop: Shop, table: str) -> list[int]:
    return sorted(
        r["id"] for r in shop.lake.catalog.load_table(table).scan().to_arrow().to_pylist()
    )


def operate(shop: Shop, name: str, fails: bool = False, **arguments: Any) -> None:
    given = ", ".join(f"{key}: {value}" for key, value in arguments.items())
    shop.dbt("run-operation", name, "--args", f"{{model: mirror_shop__t, {given}}}", fails=fails)


def test_there_and_back(lake: Lake, monkeypatch: Any) -> None:
    shop = Shop(lake)
    shop.deliver((10, 1, "c", 1), (11, 1, "c", 2), (12, 1, "d", 9))
    first = lake.catalog.load_table(MIRROR).current_snapshot().snapshot_id
    shop.deliver((20, 2, "d", 1), (21, 2, "c", 3))
    assert (rows(shop, MIRROR), rows(shop, TOMBSTONES)) == ([2, 3], [1, 9])
    before = lake.snapshots(MIRROR)

    operate(shop, "undo", apply="false")
    operate(shop, "release", fails=True)  # nothing holds it
    operate(shop, "rollback", fails=True, to="12345", apply="true")
    assert lake.snapshots(MIRROR) == before

    # a run that began before the rollback cannot bring back what that has taken
    refuse = BatchRun.refuse_overtaken

    def rolled_back_meanwhile(run: BatchRun) -> None:
        monkeypatch.setattr(BatchRun, "refuse_overtaken", refuse)
        refuse(run)
        call = ("run-operation", "rollback", "--args")
        given = f"{{model: mirror_shop__t, to: {first}, apply: true}}"
        with DbtProcess(lake, "other", *call, given, "--project-dir", str(shop.folder)) as other:
            assert other.wait(), other.console

    monkeypatch.setattr(BatchRun, "refuse_overtaken", rolled_back_meanwhile)
    with pytest.raises(AssertionError, match="mirror_shop__t"):  # its commit is refused
        shop.deliver((30, 3, "d", 2), (31, 3, "c", 4))
    assert (rows(shop, MIRROR), rows(shop, TOMBSTONES)) == ([1, 2], [9])
    hold = Hold.of(lake.catalog.load_table(MIRROR).properties)
    assert hold is not None
    assert (hold.to, hold.is_done) == (first, True)

    assert "is held at its snapshot" in shop.warn_error()
    assert rows(shop, MIRROR) == [1, 2]
    operate(shop, "release")
    assert HELD not in lake.catalog.load_table(MIRROR).properties
    shop.merge()
    assert (rows(shop, MIRROR), rows(shop, TOMBSTONES)) == ([3, 4], [1, 2, 9])
