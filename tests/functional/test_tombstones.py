"""Deletes are remembered for a time, and what comes back after it is counted.

Cases 14, 74; F06, F48.
"""

import json
from typing import Any

from conftest import Lake
from one_table import MIRROR, Shop, change

TOMBSTONES = f"{MIRROR}__tombstones"
DAY = 86_400_000


def deliver(shop: Shop, *changes: tuple[int, int, str, int]) -> None:
    """Land and merge changes of (position in the binlog, day of January, operation, key)."""
    lines = []
    for position, day, op, key in changes:
        shop.offset += 1
        record = json.loads(change(position, op, key, position))
        event = json.loads(record["value"])
        event["source"]["ts_ms"] += (day - 1) * DAY
        lines.append(json.dumps(record | {"offset": shop.offset, "value": json.dumps(event)}))
    shop.feed(lines, "mirror_shop__t")


def deleted(shop: Shop) -> list[int]:
    table = shop.lake.catalog.load_table(TOMBSTONES)
    return sorted(row["id"] for row in table.scan().to_arrow().to_pylist())


def newest(shop: Shop, relation: str) -> dict[str, Any]:
    """The summary of a table's newest commit."""
    return shop.lake.catalog.load_table(relation).current_snapshot().summary.additional_properties


def test_what_is_forgotten_may_come_back_and_is_counted(lake: Lake) -> None:
    shop = Shop(lake)
    deliver(shop, (10, 1, "c", 1), (20, 2, "d", 1), (30, 8, "c", 3))
    deliver(shop, (40, 20, "c", 4), (50, 19, "d", 3), (11, 1, "u", 1))
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
    shop.dbt("run", "--select", "watermarks", "daily_shop__t", "--vars", "{ds: 2026-01-08}")
    published = shop.lake.catalog.load_table("daily.shop__t").scan().to_arrow().to_pylist()
    assert [row["id"] for row in published] == [3]

    deliver(shop, (12, 1, "u", 1), (31, 18, "u", 3))
    assert shop.values() == {1: 12, 4: 40}  # 1 is back, 3 is remembered
    assert newest(shop, MIRROR)["lakemirror.unguarded"] == "1"
    assert newest(shop, MIRROR)["lakemirror.stale"] == "1"

    shop.merge("--full-refresh", "--vars", "{allow_full_refresh: true}")
    assert shop.values() == {4: 40}
    assert "lakemirror.unguarded" not in newest(shop, MIRROR)
