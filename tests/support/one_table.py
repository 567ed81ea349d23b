"""A shop of one table, whose changes are sent one file after the other."""

import json
from typing import Any

from support.lake import Lake, messages
from support.mirror_project import MirrorProject

MIRROR = "mirror.shop__t"
DAY = 86_400_000


def change(offset: int, op: str, key: int, value: int, **source: Any) -> str:
    """A record; ``source`` goes over what its source block has by the offset."""
    row = {"id": key, "v": value}
    block = {"ts_ms": 1767225600000 + offset, "file": "binlog.000001", "pos": 100 + offset}
    block |= {"server_id": 1, "row": 0, "db": "shop", "table": "t"}
    event = {
        "op": op,
        "ts_ms": 1767225600000,
        "before": row if op == "d" else None,
        "after": None if op == "d" else row,
        "source": block | source,
    }
    record = {"topic": "shop.shop.t", "partition": 0, "offset": offset, "timestamp": 1767225600000}
    return json.dumps(record | {"key": json.dumps({"id": key}), "value": json.dumps(event)})


class Shop(MirrorProject):
    """One table, and a change after the other."""

    def __init__(self, lake: Lake) -> None:
        super().__init__(lake, "shop", "mariadb", {"t": ("id int, v int", ["id"])})
        self.offset = 0

    def send(self, *changes: tuple[str, int, int]) -> None:
        lines = []
        for op, key, value in changes:
            self.offset += 1
            lines.append(change(self.offset, op, key, value))
        self.feed(lines)

    def deliver(self, *changes: tuple[int, int, str, int]) -> None:
        """Land and merge changes of (position in the binlog, day of January, operation, key)."""
        lines = []
        for position, day, op, key in changes:
            self.offset += 1
            record = json.loads(change(position, op, key, position))
            event = json.loads(record["value"])
            event["source"]["ts_ms"] += (day - 1) * DAY
            lines.append(json.dumps(record | {"offset": self.offset, "value": json.dumps(event)}))
        self.feed(lines, "mirror_shop__t")

    def land(self) -> None:
        self.dbt("run", "--select", "landing")

    def merge(self, *arguments: str, fails: bool | None = False) -> str:
        return messages(self.dbt("run", "--select", "mirror_shop__t", *arguments, fails=fails))

    def warn_error(self) -> str:
        """What a run says that fails, since a warning is an error to it."""
        return messages(self.dbt("--warn-error", "run", "--select", "mirror_shop__t", fails=True))

    def days(self) -> dict[str, list[int]]:
        """The keys of each day of the daily table."""
        found: dict[str, list[int]] = {}
        for row in self.lake.catalog.load_table("daily.shop__t").scan().to_arrow().to_pylist():
            found.setdefault(str(row["ds"]), []).append(row["id"])
        return {day: sorted(keys) for day, keys in found.items()}

    def values(self) -> dict[int, int]:
        return {key[0]: row["v"] for key, row in self.rows("t").items()}
