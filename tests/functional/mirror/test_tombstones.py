"""Deletes are remembered for a time, and what comes back after it is counted.

Cases 14, 74; F06, F48.
"""

from collections.abc import Callable
from typing import Any

from support.dbt_process import DbtProcess
from support.deaths import Hook, let_all_run
from support.depth import deep_only
from support.lake import Lake
from support.one_table import DAY, MIRROR, Shop, change
from support.recordings import write

TOMBSTONES = f"{MIRROR}__tombstones"


def deleted(shop: Shop) -> list[int]:
    table = shop.lake.catalog.load_table(TOMBSTONES)
    return sorted(row["id"] for row in table.scan().to_arrow().to_pylist())


def newest(shop: Shop, relation: str) -> dict[str, Any]:
    """The summary of a table's newest commit."""
    return shop.lake.catalog.load_table(relation).current_snapshot().summary.additional_properties


def test_what_is_forgotten_may_come_back_and_is_counted(lake: Lake) -> None:
    shop = Shop(lake)
    shop.deliver((10, 1, "c", 1), (20, 2, "d", 1), (30, 8, "c", 3))
    shop.deliver((40, 20, "c", 4), (50, 19, "d", 3), (11, 1, "u", 1))
    assert shop.values() == {4: 40}  # the late change of 1 is held back
    assert deleted(shop) == [1, 3]

    shop.dbt("run-operation", "prune_tombstones")
    assert deleted(shop) == [1, 3]
    prune = ("run-operation", "prune_tombstones", "--args")
    shop.dbt(*prune, "{model: mirror_shop__u}", fails=True)
    shop.dbt(*prune, "{model: mirror_shop__t, dry_run: false}")
    assert deleted(shop) == [3]
    pruned_until = newest(shop, TOMBSTONES)["lakemirror.pruned-until"]
    assert pruned_until == "2026-01-13 00:00:00.040000"
    refs = shop.lake.catalog.load_table(TOMBSTONES).metadata.refs
    assert refs["lakemirror_pruned"].snapshot_id == refs["main"].snapshot_id

    # a day that was not published yet is still right: all of raw has the delete
    shop.write_daily("t", heard_from="2026-01-01", complete_until="2026-01-20")
    shop.dbt("run", "--select", "watermark_shop", "daily_shop__t", "--vars", "{ds: 2026-01-08}")
    published = shop.lake.catalog.load_table("daily.shop__t").scan().to_arrow().to_pylist()
    assert [row["id"] for row in published] == [3]

    shop.deliver((12, 1, "u", 1), (31, 18, "u", 3))
    assert shop.values() == {1: 12, 4: 40}  # 1 is back, 3 is remembered
    assert newest(shop, MIRROR)["lakemirror.unguarded"] == "1"
    assert newest(shop, MIRROR)["lakemirror.stale"] == "1"

    shop.merge("--full-refresh", "--vars", "{allow_full_refresh: true}")
    assert shop.values() == {4: 40}
    assert "lakemirror.unguarded" not in newest(shop, MIRROR)


@deep_only
def test_a_delete_beside_a_prune_is_remembered(lake: Lake, around: Callable[[Hook], None]) -> None:
    """F33: a run may remember a delete while what it remembered before is forgotten."""
    shop = Shop(lake)
    shop.deliver((10, 1, "c", 1), (20, 2, "d", 1), (30, 20, "c", 3))
    others: list[str] = []

    def delete_meanwhile(statement: str, run: Callable[[], None]) -> None:
        if statement.lstrip().startswith(f"merge into {TOMBSTONES}") and not others:
            others.append("begun")
            write(
                lake.recordings, "later", [change(40, "d", 3, 30, ts_ms=1767225600000 + 20 * DAY)]
            )
            select = ("run", "--select", "landing", "mirror_shop__t")
            with DbtProcess(lake, "other", *select, "--project-dir", str(shop.folder)) as other:
                assert other.wait(), other.console
        run()

    around(delete_meanwhile)
    prune = ("run-operation", "prune_tombstones", "--args", "{dry_run: false, all: true}")
    shop.dbt(*prune)
    around(let_all_run)
    assert others
    assert deleted(shop) == [3]
    assert shop.values() == {}
