"""A mirror is audited against the log: each damage is named, and nothing of a healthy row is said.

I1; G3; F50. Healthy mirrors of recordings and of random histories are audited where they are made.
"""

import json
from collections.abc import Callable
from typing import Any

import pytest

from lakemirror.cli import audit as command
from lakemirror.state.audits import audits
from support.audits import assert_healthy, audit, found_by
from support.deaths import DEATHS, Hook, death_after, let_all_run
from support.depth import deep_only, whole_only
from support.lake import Lake
from support.mirror_project import MENDED, MirrorProject

COLUMNS = "id int, v int, d double, at datetime(6), name varchar(20), b varbinary(4)"
MIRROR, MODEL = "mirror.shop__t", "mirror_shop__t"
AT = 1767225600000000


class Shop(MirrorProject):
    """A table with a column of each family of types."""

    def __init__(self, lake: Lake) -> None:
        super().__init__(lake, "shop", "mariadb", {"t": (COLUMNS, ["id"])})
        self.offset = 0

    def send(self, *changes: tuple[str, int], **values: Any) -> None:
        """Changes by operation and key; then land and merge."""
        lines = []
        for op, key in changes:
            self.offset += 1
            row = {"id": key, "v": key, "d": 0.0, "at": AT + key, "name": f"row {key}"}
            row |= {"b": "AQI="} | values
            source = {"ts_ms": 1767225600000 + self.offset, "file": "binlog.000001", "row": 0}
            source |= {"pos": 100 + self.offset, "server_id": 1, "db": "shop", "table": "t"}
            event = {"op": op, "source": source, "before" if op == "d" else "after": row}
            place = {"topic": "shop.shop.t", "partition": 0, "offset": self.offset}
            record = {"timestamp": 1767225600000, "key": json.dumps({"id": key})}
            lines.append(json.dumps(place | record | {"value": json.dumps(event)}))
        self.feed(lines, MODEL)


@pytest.fixture
def shop(lake: Lake) -> Shop:
    found = Shop(lake)
    found.send(*(("c", key) for key in range(1, 12)), ("d", 10), ("u", 2))
    return found


DAMAGE = (
    "delete from {} where id = 1",
    "update {} set v = v ^ 1 where id = 2",
    "update {} set d = -d where id = 3",
    "update {} set at = at + interval 1 microsecond where id = 4",
    "update {} set name = concat(name, ' ') where id = 5",
    "update {} set v = null where id = 6",
    "update {} set b = X'0103', _tx_rank = _tx_rank + 1 where id = 7",
    "insert into {0} select * from {0} where id = 8",
    "insert into {0} by name select * except (id), 10 as id from {0} where id = 9",
    "insert into {0} by name select * except (id), 99 as id from {0} where id = 9",
)


NAMED = {
    (1, "lost", None, None, "row 1"),
    (2, "changed", "v", "3", "2"),
    (3, "changed", "d", "-0.0", "0.0"),
    (4, "changed", "at", "2026-01-01 00:00:00.000005", "2026-01-01 00:00:00.000004"),
    (5, "changed", "name", "row 5 ", "row 5"),
    (6, "changed", "v", None, "6"),
    (7, "changed", "b", "0x0103", "0x0102"),
    (7, "changed", "_tx_rank", "4294967404", "4294967403"),
    (8, "doubled", None, "2 rows", "1 row"),
    (10, "added", None, "row 9", None),
    (99, "added", None, "row 9", None),
}


def named(lake: Lake, audit_id: str = "0") -> set[tuple[Any, ...]]:
    """The findings by key; of a whole row its name."""

    def value(kind: str, text: str | None) -> str | None:
        return json.loads(text)["name"] if text and kind in ("lost", "added") else text

    return {
        (
            *(json.loads(each.unique_key)["id"], each.kind, each.column_name),
            *(value(each.kind, text) for text in (each.in_mirror, each.by_log)),
        )
        for each in found_by(lake, audit_id)
    }


def test_each_damage_is_named(
    lake: Lake, shop: Shop, sql: Callable[[str], None], capfd: pytest.CaptureFixture[str]
) -> None:
    """By key, column and both values: a bit, a microsecond, a space, and whole rows."""
    for statement in DAMAGE:
        sql(statement.format(MIRROR))
    [done] = audit(shop)
    assert named(lake) == NAMED
    assert (done.keys, done.findings, done.unjudged, done.notes) == (12, 11, 0, None)
    [line] = [each for each in found_by(lake) if each.column_name == "name"]
    assert command.finding_line(line, ("the mirror", "the log")) == (
        'mirror_shop__t {"id":5} at 0,4294967401,1: changed name: the mirror has "row 5 ", the '
        'log "row 5"'
    )
    shop.dbt("run-operation", "audit", "--args", "{full: true}", fails=True)
    assert "Mirrors differ from the log" in capfd.readouterr().out


def test_what_differs_is_repaired(
    lake: Lake, shop: Shop, sql: Callable[[str], None], capfd: pytest.CaptureFixture[str]
) -> None:
    """By an audit or by a key, in one commit that keeps what the mirror knows; a dry run writes
    nothing, and a row that equals the log is left."""
    was = rows(lake)
    for statement in DAMAGE:
        sql(statement.format(MIRROR))
    audit(shop)
    damaged = lake.snapshots(MIRROR)
    repair(shop, audit="0")
    assert lake.snapshots(MIRROR) == damaged
    repair(shop, model=MODEL, keys=[{"id": "5"}, {"id": 11}], dry_run=False)
    assert [row for row in rows(lake) if row["id"] == 5] == [row for row in was if row["id"] == 5]
    assert summary(lake)["lakemirror.repaired"] == "1"
    hands = json.loads(summary(lake)["lakemirror.foreign-commits"])  # a repair forgets none (G3)
    assert len(hands) == len(DAMAGE)
    repair(shop, audit="0", dry_run=False, repair_id="mended")
    assert rows(lake) == was
    assert summary(lake)["lakemirror.repaired"] == "9"
    assert summary(lake)["lakemirror.read"] == "0"
    assert [each.findings for each in audits(lake.catalog, "mended_after")] == [0]
    assert lake.catalog.list_tables("stage") == []
    shop.send(("u", 5), v=50)
    assert_healthy(shop, audit_id="2")
    shop.dbt("run-operation", "repair", "--args", "{model: mirror_shop__t}", fails=True)
    assert "it needs an audit, or a model and keys" in capfd.readouterr().out


@deep_only
def test_audits_and_repairs_may_die_after_any_statement(
    lake: Lake, shop: Shop, sql: Callable[[str], None], around: Callable[[Hook], None]
) -> None:
    """F32: the next one finds, and puts right, what is there then."""
    was, deaths = rows(lake), 0
    audit(shop, "made")  # the tables of audits
    for name in ("audit", "repair"):
        for point in DEATHS:
            sql(DAMAGE[1].format(MIRROR))
            audit(shop, f"before {name} {point}")
            asked = {"audit_id": f"{name} {point}", "full": True, "fail": False}
            if name == "repair":
                asked = {"audit": f"before {name} {point}", "dry_run": False}
            written: list[str] = []
            around(death_after(point, written))
            shop.dbt("run-operation", name, "--args", json.dumps(asked), fails=None)
            around(let_all_run)
            [done] = audit(shop, f"after {name} {point}")
            assert done.findings <= 1
            repair(shop, audit=done.audit_id, dry_run=False)
            assert rows(lake) == was, f"after a death of {name} behind {written[-1:]}"
            if len(written) < point:
                break
            deaths += 1
    assert deaths > 5
    assert_healthy(shop, audit_id="at last")


def rows(lake: Lake) -> list[dict[str, Any]]:
    found = lake.catalog.load_table(MIRROR).scan().to_arrow().to_pylist()
    return sorted(found, key=lambda row: row["id"])


def summary(lake: Lake) -> dict[str, str]:
    """What the newest commit of the mirror tells."""
    return lake.catalog.load_table(MIRROR).current_snapshot().summary.additional_properties


def repair(shop: Shop, **arguments: Any) -> None:
    shop.dbt("run-operation", "repair", "--args", json.dumps(arguments))


def test_the_parts_follow_one_another(lake: Lake, shop: Shop) -> None:
    """All keys are compared once in so many runs, and then again from the first part."""
    shop.write_mirror("t", "audit_parts=2")
    done = [audit(shop, str(n), full=False)[0] for n in range(3)]
    assert [each.part for each in done] == [0, 1, 0]
    first, second, again = (each.keys for each in done)
    assert (first or 0) + (second or 0) == 10
    assert again == first
    assert not any(each.findings for each in done)


@whole_only
def test_what_nobody_can_judge(lake: Lake, shop: Shop, sql: Callable[[str], None]) -> None:
    """What raw has no more, and what is still to come out of the quarantine, is no difference."""
    shop.send(("xu", 3), v=30)
    shop.write("models/staging/stg_shop__t.sql", MENDED.format(source="shop", table="t"))
    [done] = audit(shop)
    assert (done.findings, done.unjudged) == (0, 1)
    shop.dbt("run", "--select", MODEL)
    sql("delete from raw.shop__t where _kfk_offset in (1, 2)")
    shop.dbt("run", "--select", MODEL, "--vars", "{replay: true}")
    [done] = audit(shop, "1")
    assert (done.findings, done.unjudged) == (0, 1)
    assert "does not have all that has landed" in (done.notes or "")
    shop.write_mirror("t", "audit_parts=1")
    sql(f"delete from {MIRROR} where id = 5")
    [done] = audit(shop, "2")
    assert named(lake, "2") == {(5, "lost", None, None, "row 5")}
