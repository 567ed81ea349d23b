"""Mirrors and days that are audited before they are published: no reader sees what differs.

F50; I1; F40.
"""

import json
import re
from collections.abc import Callable

import pytest

from lakemirror.cli.proven import proofs
from lakemirror.state.audits import all_audits
from support.audits import assert_healthy, found_by
from support.deaths import Hook, dying_at, let_all_run
from support.depth import whole_only
from support.full_snapshots import with_a_gap
from support.lake import Lake, messages
from support.one_table import MIRROR, Shop, change
from support.recordings import feed

DAILY = "daily.shop__t"
AUDITED = "buckets=2, publish_when='audited'"


def changed_by(sql: Callable[[str], None], key: int = 2) -> Hook:
    """A merge that writes a wrong value: its branch has another one before it is published."""

    def change(statement: str, run: Callable[[], None]) -> None:
        run()
        branch = re.search(r"(?:insert|merge) into (\S+[.]branch_lakemirror_\w+)", statement)
        if branch:
            sql(f"update {branch[1]} set v = v + 1 where id = {key}")

    return change


def day_changed_by(sql: Callable[[str], None], table: str) -> Hook:
    """A day is written to a branch of ``table`` with a wrong value, a row less and one too many."""
    done: list[str] = []

    def change(statement: str, run: Callable[[], None]) -> None:
        run()
        named = statement.replace("`", "")
        written = re.search(rf"insert \w+ ({table}[.]branch_lakemirror_\w+)", named)
        if written and not done:
            done.append(relation := written[1])
            sql(f"update {relation} set v = v + 1 where id = 2")
            sql(f"delete from {relation} where id = 3")
            sql(f"insert into {relation} select 90, * except (id) from {relation} where id = 4")

    return change


def truncated(offset: int) -> str:
    """The record of a TRUNCATE."""
    record = json.loads(change(offset, "t", 0, 0))
    event = json.loads(record["value"]) | {"before": None, "after": None}
    return json.dumps(record | {"key": None, "value": json.dumps(event)})


def branches(lake: Lake) -> set[str]:
    return {*lake.catalog.load_table(MIRROR).refs()} - {"main"}


def test_what_differs_is_not_published(
    lake: Lake, around: Callable[[Hook], None], sql: Callable[[str], None]
) -> None:
    """From the first merge on; the same changes are merged by the next run."""
    shop = Shop(lake)
    shop.write_mirror("t", AUDITED)
    around(changed_by(sql))
    shop.send(("c", 1, 1), ("c", 2, 2))
    refused = shop.merge(fails=True)
    assert "differs from the log, and is not published. ops.audit_findings has the 1" in refused
    assert lake.snapshots(MIRROR) == [] or shop.values() == {}
    around(let_all_run)
    shop.merge()
    assert shop.values() == {1: 1, 2: 2}

    head = lake.catalog.load_table(MIRROR).current_snapshot().snapshot_id
    around(changed_by(sql))
    shop.send(("u", 2, 20), ("d", 1, 1), ("c", 3, 3))
    refused = shop.merge(fails=True)
    audit_id = re.search(r"by the audit (\w+)", refused)[1]
    [found] = found_by(lake, audit_id)
    assert (found.model, found.unique_key, found.column_name) == ("mirror_shop__t", '{"id":2}', "v")
    assert (found.in_mirror, found.by_log) == ("21", "20")
    assert lake.catalog.load_table(MIRROR).current_snapshot().snapshot_id == head
    assert branches(lake) == set()
    assert shop.values() == {1: 1, 2: 2}

    around(dying_at("insert into ops.audits"))
    shop.merge(fails=True)
    assert shop.values() == {1: 1, 2: 2}
    around(let_all_run)
    shop.merge()
    assert shop.values() == {2: 20, 3: 3}
    assert proofs(lake.catalog) == {}
    assert_healthy(shop)


@whole_only
def test_a_resync_is_audited_by_all_keys(
    lake: Lake, around: Callable[[Hook], None], sql: Callable[[str], None]
) -> None:
    shop = with_a_gap(lake, AUDITED)
    before = shop.values()
    around(changed_by(sql, key=5))
    refused = shop.merge("--vars", "{resync: apply}", fails=True)
    assert "differs from the log, and is not published" in refused
    assert (shop.values(), branches(lake)) == (before, set())
    around(let_all_run)
    shop.merge("--vars", "{resync: apply}")
    assert shop.values() == {1: 10, 5: 50, 6: 60}
    assert_healthy(shop)


@pytest.mark.parametrize("stage_from", [0, pytest.param(250_000, marks=whole_only)])
def test_a_rebuild_is_audited_by_all_keys(
    lake: Lake, around: Callable[[Hook], None], sql: Callable[[str], None], stage_from: int
) -> None:
    """It replaces the table at once: what is audited is a table beside it, whose rows it gets."""
    shop = Shop(lake)
    shop.write_mirror("t", f"{AUDITED}, stage_from={stage_from}")
    shop.send(*(("c", key, key) for key in range(1, 9)), ("d", 5, 5))
    shop.merge()
    shop.send(("u", 1, 10), ("d", 6, 6))
    head = lake.catalog.load_table(MIRROR).current_snapshot().snapshot_id
    rebuild = ("--full-refresh", "--vars", "{allow_full_refresh: true}")

    def damage(statement: str, run: Callable[[], None]) -> None:
        run()
        written = re.search(r"create or replace table (\S*rebuilt__\S+)", statement)
        if written:
            sql(f"update {written[1]} set v = v + 1 where id = 2")

    around(damage)
    refused = shop.merge(*rebuild, fails=True)
    audit_id = re.search(r"by the audit (\w+)", refused)[1]
    [found] = found_by(lake, audit_id)
    assert (found.unique_key, found.in_mirror, found.by_log) == ('{"id":2}', "3", "2")
    assert lake.catalog.load_table(MIRROR).current_snapshot().snapshot_id == head
    assert lake.catalog.list_tables("stage") == []
    around(let_all_run)
    shop.merge(*rebuild)
    assert shop.values() == {1: 10, 2: 2, 3: 3, 4: 4, 7: 7, 8: 8}
    assert proofs(lake.catalog) == {}
    assert lake.catalog.list_tables("stage") == []
    shop.send(("u", 2, 20))
    shop.merge()
    assert_healthy(shop)


def test_a_healthy_merge_is_audited_by_its_keys(lake: Lake) -> None:
    """A staged batch, too; a TRUNCATE by all keys."""
    shop = Shop(lake)
    shop.write_mirror("t", AUDITED)
    shop.send(*(("c", key, key) for key in range(1, 9)))
    said = shop.merge()
    assert "8 applied" in said
    shop.write_mirror("t", f"{AUDITED}, stage_from=0")
    shop.send(("u", 2, 20), ("d", 1, 1))
    shop.merge()
    shop.offset += 2
    feed(lake, [truncated(shop.offset - 1), change(shop.offset, "c", 30, 30)])
    shop.land()
    shop.merge()
    assert shop.values() == {30: 30}
    done = lake.catalog.load_table("ops.audits").scan().to_arrow().to_pylist()
    assert {(row["findings"], row["unjudged"], row["against"]) for row in done} == {
        (0, 0, "branch")
    }


@pytest.mark.parametrize("publish", ["copy", pytest.param("branch", marks=whole_only)])
def test_a_day_that_differs_is_not_published(
    lake: Lake, around: Callable[[Hook], None], sql: Callable[[str], None], publish: str
) -> None:
    """Days before it are; the next run writes it again, and all that is late."""
    shop = Shop(lake)

    def until(day: str) -> None:
        given = {"publish": publish, "publish_when": "audited"}
        shop.write_daily("t", heard_from="2026-01-01", complete_until=day, **given)

    def run(*, fails: bool = False) -> str:
        return messages(shop.dbt("run", "--select", "watermark_shop", "daily_shop__t", fails=fails))

    def days() -> dict[str, list[int]]:
        if publish == "copy":
            return shop.days()
        mirror, found = lake.catalog.load_table(MIRROR), {}
        for row in lake.catalog.load_table(DAILY).scan().to_arrow().to_pylist():
            there = mirror.scan(snapshot_id=row["snapshot_id"]).to_arrow().to_pylist()
            found[str(row["ds"])] = sorted(each["id"] for each in there)
        return found

    until("2026-01-02")
    shop.deliver(*((100 + key, 1, "c", key) for key in range(1, 6)), (201, 2, "u", 2))
    run()
    right = {"2026-01-01": [1, 2, 3, 4, 5]}
    assert days() == right

    until("2026-01-03")
    shop.deliver((301, 3, "d", 5))
    # what raw has is judged all the same where the mirror's history is cut
    sql(f"call lake.system.expire_snapshots('{MIRROR}', timestamp '2100-01-01', 1)")
    around(day_changed_by(sql, DAILY if publish == "copy" else MIRROR))
    refused = run(fails=True)
    audit_id = re.search(r"by the audit (\w+)", refused)[1]
    assert "the day 2026-01-02, as this run has written it, differs from the log" in refused
    found = {(each.kind, each.unique_key): each for each in found_by(lake, audit_id)}
    assert found.keys() == {("changed", '{"id":2}'), ("lost", '{"id":3}'), ("added", '{"id":90}')}
    wrong = found["changed", '{"id":2}']
    assert (wrong.model, wrong.in_mirror, wrong.by_log) == ("daily_shop__t", "202", "201")
    assert days() == right
    if publish == "branch":
        assert "ds_2026_01_02" not in branches(lake)

    around(let_all_run)
    run()
    right |= {"2026-01-02": [1, 2, 3, 4, 5]}
    assert days() == right
    until("2026-01-04")
    shop.deliver((150, 1, "c", 7))  # late, and behind what the binlog has had
    run()
    right |= {"2026-01-03": [1, 2, 3, 4]}
    assert days() == {day: [*keys, 7] for day, keys in right.items()}
    assert {audit.findings for audit in all_audits(lake.catalog)} == {0, 3}
    assert proofs(lake.catalog) == {}


def test_a_column_that_is_ignored_by_now(lake: Lake) -> None:
    """A mirror keeps its old values, and the log has none: it is not compared."""
    shop = Shop(lake)
    shop.write_daily("t", "2026-01-01", "2026-01-02", publish_when="audited")
    shop.deliver((101, 1, "c", 1), (201, 2, "c", 2))
    shop.declare(id={"data_type": "int"})
    sources = json.loads((shop.folder / "models/sources.yml").read_text())
    sources["sources"][0]["tables"][0]["config"] = {"meta": {"ignored_columns": ["v"]}}
    shop.write("models/sources.yml", json.dumps(sources))
    shop.deliver((301, 3, "c", 3))
    said = messages(shop.dbt("run", "--select", "watermark_shop", "daily_shop__t"))
    assert "published 2026-01-01" in said
    assert shop.days() == {"2026-01-01": [1]}


def test_days_of_other_queries_are_not_audited(lake: Lake) -> None:
    """The log does not know what a query makes of its mirror: the configuration is refused."""
    shop = Shop(lake)
    shop.write_daily("t", "2026-01-01", "2026-01-03", publish_when="audited")
    model = shop.folder / "models/daily/daily_shop__t.sql"
    shop.write("models/daily/daily_shop__t.sql", model.read_text().replace("*", "*, v + 1 as w", 1))
    shop.deliver((101, 1, "c", 1))
    refused = messages(shop.dbt("run", "--select", "watermark_shop", "daily_shop__t", fails=True))
    assert "with publish_when='audited' a day is the mirror's rows" in refused
