"""Full snapshots of the one table, and a mirror that lacks deletes which no event has told."""

from typing import Any

from support.lake import Lake
from support.one_table import Shop, change

WHOLE = ("first_in_data_collection", "true", "last_in_data_collection")


def snapshot(shop: Shop, rows: dict[int, int], marks: tuple[str, ...], **source: Any) -> list[str]:
    """A full snapshot's records: all have its position. The second mark is that of all between."""
    flags = [marks[0], *[marks[1]] * (len(rows) - 2), marks[2]][-len(rows) :]
    block = {"server_id": 0, "pos": 101 + shop.offset, "ts_ms": 1767230000000} | source
    lines = []
    for (key, value), mark in zip(rows.items(), flags, strict=True):
        shop.offset += 1
        lines.append(change(shop.offset, "r", key, value, snapshot=mark, **block))
    return lines


def with_a_gap(lake: Lake, config: str = "buckets=2") -> Shop:
    """Rows 2 and 3 were deleted, 4 was changed, 5 came, and no event says so but the snapshot."""
    shop = Shop(lake)
    shop.write_mirror("t", config)
    shop.send(*(("c", key, 10 * key) for key in (1, 2, 3, 4, 8)), ("d", 8, 80))
    shop.merge()
    shop.offset += 100
    shop.feed(snapshot(shop, {1: 10, 4: 41, 5: 50}, WHOLE))
    shop.send(("c", 6, 60), ("d", 4, 41))
    shop.merge()
    assert shop.values().items() >= {1: 10, 2: 20, 3: 30, 5: 50, 6: 60}.items()
    return shop
