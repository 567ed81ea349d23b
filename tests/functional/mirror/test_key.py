"""A mirror's key is the source's, or another one that is meant and that no two rows share.

G1; case 61.
"""

import json
from typing import Any

import pytest

from support.changing_shop import TIME, ChangingShop
from support.depth import deep_only
from support.lake import Lake, messages
from support.mirror_project import MirrorProject
from support.one_table import change

ITEMS = "mirror.shop__items"
MODEL = "mirror_shop__items"


class Items(MirrorProject):
    """The lines of orders, whose key is of two columns."""

    def __init__(self, lake: Lake) -> None:
        columns = "order_id int, line_no int, code varchar(9)"
        super().__init__(lake, "shop", "mariadb", {"items": (columns, ["order_id", "line_no"])})
        self.offset = 0

    def configure(self, config: str) -> None:
        mirror = "select * from {{ ref('stg_shop__items') }}"
        self.write(f"models/mirror/{MODEL}.sql", f"{{{{ config({config}) }}}}\n{mirror}")

    def send(self, *changes: tuple[str, int, int, str], key: Any = None) -> None:
        lines = []
        for op, order, line, code in changes:
            self.offset += 1
            record = json.loads(change(self.offset, op, 0, 0, table="items"))
            event = json.loads(record["value"])
            row = {"order_id": order, "line_no": line, "code": code}
            event |= {"before": row, "after": None} if op == "d" else {"after": row}
            texts = {
                "key": json.dumps({"order_id": order, "line_no": line} if key is None else key)
            }
            texts |= {"topic": "shop.shop.items", "value": json.dumps(event)}
            lines.append(json.dumps(record | texts))
        self.feed(lines)

    def merge(self, *arguments: str, fails: bool = False) -> str:
        return messages(self.dbt("run", "--select", MODEL, *arguments, fails=fails))

    def codes(self) -> set[str]:
        rows = self.lake.catalog.load_table(ITEMS).scan().to_arrow().to_pylist()
        return {row["code"] for row in rows}


@pytest.fixture
def items(lake: Lake) -> Items:
    found = Items(lake)
    found.send(("c", 1, 1, "a"), ("c", 1, 2, "b"), ("c", 2, 1, "c"))
    return found


def test_a_part_of_the_key_is_refused_on_a_first_run(items: Items) -> None:
    """G1: nothing is made, and both keys are named; the right one needs nothing else."""
    items.configure("unique_key=['order_id']")
    for _ in range(2):
        said = items.merge(fails=True)
        assert "unique_key is order_id, and the records' key is order_id, line_no" in said
        assert "Configure unique_key=['order_id', 'line_no']" in said
        assert "shop__items" not in {name for _, name in items.lake.catalog.list_tables("mirror")}
    items.configure("unique_key=['line_no', 'order_id']")
    items.merge()
    assert items.codes() == {"a", "b", "c"}


def test_the_records_of_a_later_batch_have_another_key(items: Items) -> None:
    """G1: nobody has told of the ALTER TABLE but the records themselves."""
    items.merge()
    items.send(("u", 1, 1, "A"), key={"code": "A"})
    assert "the records' key is code" in items.merge(fails=True)
    assert items.codes() == {"a", "b", "c"}


def test_a_connect_schema_is_no_part_of_the_key(items: Items) -> None:
    schema = {"type": "struct", "fields": []}
    names = {"ORDER_ID": 1, "line_no": 3}
    items.send(("c", 1, 3, "d"), key={"schema": schema, "payload": names})
    items.merge()
    assert items.codes() == {"a", "b", "c", "d"}


@pytest.mark.parametrize("key", ["text", {}])
def test_a_key_that_names_nothing_is_not_judged(items: Items, key: Any) -> None:
    items.send(("c", 1, 3, "d"), key=key)
    items.merge()
    assert items.codes() == {"a", "b", "c", "d"}


@pytest.mark.parametrize("config", ["buckets=2", "source_key=['part']"])
def test_an_update_that_the_records_key_does_not_tell(lake: Lake, config: str) -> None:
    """B18: the source's key is ``id``, and message.key.columns has ``part``; no run is silent."""
    shop = ChangingShop(lake)
    shop.configure(config)
    shop.alter({"id": "INT", "part": "INT"})
    for op, before, after in (("c", None, 1), ("c", None, 2), ("u", 2, 2)):
        send_keyed(shop, op, before, after)
    assert "another id" not in shop.run()
    send_keyed(shop, "u", 1, 3)
    said = shop.run()
    assert "1 updates gave their row another id, such as the record" in said
    assert "The records' key is part" in said
    assert {row["id"] for row in shop.table()} == {1, 2, 3}
    assert "another id" not in shop.run()


def send_keyed(shop: ChangingShop, op: str, before: int | None, after: int) -> None:
    """A change of a row whose record has the key ``part``."""
    shop.offset += 1
    block = {"server_id": 1, "row": 0, "db": "shop", "table": "t", **shop.place(shop.offset)}
    images = [id and {"id": id, "part": 7} for id in (before, after)]
    event = {"op": op, "ts_ms": TIME, "source": {"connector": "mariadb", **block}}
    shop.record("shop.shop.t", {"part": 7}, event | {"before": images[0], "after": images[1]})


MEANT = "unique_key=['code'], source_key=['order_id', 'line_no']"


@deep_only
def test_another_key_that_is_meant(items: Items) -> None:
    """G1: as long as no two rows share it, in a batch and in two; one may follow another."""
    items.configure("unique_key=['code'], source_key=['order_id']")
    assert "source_key is order_id, and the records' key is order_id" in items.merge(fails=True)
    items.configure(MEANT)
    items.merge()
    assert items.codes() == {"a", "b", "c"}
    items.send(("d", 1, 1, "a"), ("c", 7, 7, "a"), ("c", 7, 8, "g"))
    items.merge()
    assert items.codes() == {"a", "b", "c", "g"}
    before = items.lake.snapshots(ITEMS)
    items.send(("c", 9, 9, "b"))
    said = items.merge(fails=True)
    assert 'rows of the source share unique_key {"code":"b"}' in said
    assert '"order_id": 1' in said
    assert '"order_id": 9' in said
    assert items.lake.snapshots(ITEMS) == before
    items.send(("d", 1, 2, "b"))  # the delete is newer than the row that stays
    assert "rows of the source share" in items.merge(fails=True)
    items.send(("u", 9, 9, "b"))
    items.merge()
    assert items.codes() == {"a", "b", "c", "g"}


def test_a_key_that_two_rows_of_the_first_batch_share(items: Items) -> None:
    items.send(("c", 3, 1, "c"))
    items.configure(MEANT)
    assert 'share unique_key {"code":"c"}' in items.merge(fails=True)
    assert items.lake.snapshots(ITEMS) == []
