"""Records that cannot be used: counted, kept, and taken in once their cause is mended.

G2; cases 18, 29; F17.
"""

import json
import random
import sys
from collections.abc import Callable
from typing import Any

import pytest

from lakemirror.cli.main import main
from lakemirror.state.quarantine import groups, records, retry, settle
from support.deaths import DEATHS, DeathError, Hook, death_after, let_all_run
from support.depth import DEEP, deep_only, whole_only
from support.lake import Lake, messages
from support.mirror_project import MENDED, MirrorProject
from support.one_table import MIRROR, Shop, change
from support.recordings import feed


def quarantine(lake: Lake) -> list[dict[str, Any]]:
    rows = lake.catalog.load_table("ops.quarantine").scan().to_arrow().to_pylist()
    return sorted(rows, key=lambda row: row["_kfk_offset"])


def settled(lake: Lake) -> dict[int, str | None]:
    """What each quarantined record is settled as, by its offset."""
    return {row["_kfk_offset"]: row["settled_as"] for row in quarantine(lake)}


class Odd(Shop):
    """A shop whose events have operations that its staging model does not know, until it does."""

    def __init__(self, lake: Lake) -> None:
        super().__init__(lake)
        self.write_mirror("t", "max_bad_rows_percent=100")

    def mend(self) -> None:
        staging = MENDED.format(source="shop", table="t")
        self.write("models/staging/stg_shop__t.sql", staging)

    def send_odd(self, *changes: tuple[str, int, int]) -> None:
        """Changes with an operation of two letters; what its letter d has is a delete."""
        lines = []
        for op, key, value in changes:
            self.offset += 1
            record = json.loads(change(self.offset, op.replace("x", ""), key, value))
            event = json.loads(record["value"]) | {"op": op}
            lines.append(json.dumps(record | {"value": json.dumps(event)}))
        self.feed(lines)


def test_a_mended_cause_lets_the_records_in(lake: Lake, capfd: Any) -> None:
    """Those that are late are judged by their order, and nothing new has to come."""
    shop = Odd(lake)
    shop.send_odd(("c", 1, 10), ("xu", 1, 11), ("c", 2, 20), ("xd", 2, 0), ("xc", 3, 30))
    shop.send_odd(("xu", 4, 40), ("u", 4, 41), ("d", 3, 0))
    for _ in range(2):  # until they are in, each run says so
        capfd.readouterr()
        shop.merge()
        assert "WARN=1 ERROR=0" in capfd.readouterr().out
        assert shop.values() == {1: 10, 2: 20, 4: 41}
        assert settled(lake) == dict.fromkeys((2, 4, 5, 6))
    shop.mend()
    assert "4 quarantined" not in shop.merge()
    assert shop.values() == {1: 11, 4: 41}
    assert settled(lake) == dict.fromkeys((2, 4, 5, 6), "taken in")
    summary = lake.catalog.load_table(MIRROR).current_snapshot().summary
    assert (summary["lakemirror.read"], summary["lakemirror.taken-in"]) == ("4", "4")
    before = lake.snapshots(MIRROR)
    capfd.readouterr()
    shop.merge()
    assert "WARN=0 ERROR=0" in capfd.readouterr().out
    assert lake.snapshots(MIRROR) == before


def test_they_come_in_beside_what_is_new(lake: Lake) -> None:
    """In one commit; what cannot be used still stays, and is not tried again by the same query."""
    shop = Odd(lake)
    shop.send_odd(("c", 1, 10), ("xu", 1, 11), ("zz", 1, 12))
    shop.merge()
    shop.mend()
    shop.send(("c", 2, 20))
    shop.merge()
    assert shop.values() == {1: 11, 2: 20}
    assert settled(lake) == {2: "taken in", 3: None}
    before = lake.snapshots("ops.quarantine")
    shop.merge()
    assert lake.snapshots("ops.quarantine") == before


@whole_only
def test_a_run_that_takes_records_in_may_die(lake: Lake, around: Callable[[Hook], None]) -> None:
    """Exactly once, whatever statement is the last."""
    shop = Odd(lake)
    deaths = 0
    for point in DEATHS:
        shop.write_mirror("t", "max_bad_rows_percent=100")  # with staging that does not know
        first, key = shop.offset, 10 * point
        shop.send_odd(("c", key, 0), ("xu", key, 1), ("xc", key + 1, 1))
        shop.merge()
        shop.mend()
        shop.send(("u", key + 1, 2))
        written: list[str] = []
        around(death_after(point, written))
        shop.merge(fails=None)
        around(let_all_run)
        shop.merge()
        found = shop.values()
        assert (found[key], found[key + 1]) == (1, 2), f"after a death behind {written[-1:]}"
        assert settled(lake)[first + 2] == settled(lake)[first + 3] == "taken in"
        if len(written) < point:
            break
        deaths += 1
    assert deaths > 8 / DEATHS.step


def test_a_rollback_opens_again_what_it_takes_out(lake: Lake) -> None:
    """They are behind the bookmark that the mirror goes on from: F29."""
    shop = Odd(lake)
    shop.send_odd(("c", 1, 10), ("xu", 1, 11))
    shop.merge()
    shop.send_odd(("c", 2, 20))
    shop.merge()
    shop.mend()
    shop.merge()
    assert (shop.values(), settled(lake)) == ({1: 11, 2: 20}, {2: "taken in"})
    for name, given in (("undo", "{model: mirror_shop__t, apply: true}"), ("release", None)):
        asked = given or "{model: mirror_shop__t}"
        shop.dbt("run-operation", name, "--args", asked)
    assert (shop.values(), settled(lake)) == ({1: 10, 2: 20}, {2: None})
    shop.merge()
    assert (shop.values(), settled(lake)) == ({1: 11, 2: 20}, {2: "taken in"})


@pytest.mark.parametrize("seed", range(30 if DEEP else 1))
@whole_only
def test_random_histories_end_as_if_nothing_had_been_odd(lake: Lake, seed: int) -> None:
    """Any order, any batches, mended at any time; also a TRUNCATE."""
    chance = random.Random(seed)
    shop = Odd(lake)
    expected: dict[int, int] = {}
    lines = []
    for position in range(1, 61):
        key = chance.randrange(6)
        op = "d" if key in expected and chance.random() < 0.3 else "u" if key in expected else "c"
        op = "t" if chance.random() < 0.03 else op
        record = json.loads(change(position, op, key, position))
        event = json.loads(record["value"])
        if op == "t":
            event |= {"before": None, "after": None}
            expected.clear()
        elif op == "d":
            del expected[key]
        else:
            expected[key] = position
        if chance.random() < 0.3:
            event["op"] = "x" + op
        lines.append(json.dumps(record | {"value": json.dumps(event)}))
    chance.shuffle(lines)
    mended = chance.randrange(1, 4)
    for batch in range(4):
        if batch == mended:
            shop.mend()
        feed(lake, lines[batch::4])
        shop.dbt("run", "--select", "landing", "mirror_shop__t")
    assert shop.values() == expected
    assert {*settled(lake).values()} == {"taken in"}


def prices(lake: Lake, records: int) -> MirrorProject:
    """A table whose connector sends decimals as texts, and whose YAML does not say so."""
    project = MirrorProject(lake, "shop", "mariadb", {"t": ("id int, price decimal(10,2)", ["id"])})
    lines = []
    for offset in range(1, records + 1):
        record = json.loads(change(offset, "c", offset, 0))
        event = json.loads(record["value"]) | {"after": {"id": offset, "price": f"{offset}.50"}}
        lines.append(json.dumps(record | {"value": json.dumps(event)}))
    project.feed(lines)
    return project


def test_a_batch_of_which_too_much_is_bad_is_refused(lake: Lake) -> None:
    """G2: nothing is written, the quarantine neither; mended, all of it is merged."""
    project = prices(lake, 12)
    for _ in range(2):
        said = messages(project.dbt("run", "--select", "mirror_shop__t", fails=True))
        assert "mirror_shop__t: 12 of 12 records cannot be used" in said
        assert (
            "12 records: cannot be decoded: price, such as shop.shop.t 0:1, whose price "
            "(decimal(10,2)) is '1.50'. It looks like decimal.handling.mode=string" in said
        )
        assert quarantine(lake) == []
        assert lake.snapshots(MIRROR) == []
    sources = json.loads((project.folder / "models/sources.yml").read_text())
    debezium = sources["sources"][0]["config"]["meta"]["debezium"]
    debezium["decimal.handling.mode"] = "string"
    project.write("models/sources.yml", json.dumps(sources))
    project.dbt("run", "--select", "mirror_shop__t")
    assert len(project.rows("t")) == 12


def test_a_setting_that_is_mended_lets_the_records_in(lake: Lake) -> None:
    """G2: fewer than ten never stop a batch."""
    project = prices(lake, 9)
    project.dbt("run", "--select", "mirror_shop__t")
    assert project.rows("t") == {}
    assert len(quarantine(lake)) == 9
    sources = json.loads((project.folder / "models/sources.yml").read_text())
    debezium = sources["sources"][0]["config"]["meta"]["debezium"]
    debezium["decimal.handling.mode"] = "string"
    project.write("models/sources.yml", json.dumps(sources))
    project.dbt("run", "--select", "mirror_shop__t")
    assert len(project.rows("t")) == 9
    assert {*settled(lake).values()} == {"taken in"}


def test_a_log_takes_them_in_once(lake: Lake, around: Callable[[Hook], None]) -> None:
    """By their Kafka coordinates, also after a death between the commit and the settling."""
    shop = Odd(lake)
    config = "config(materialized='log', schema='log', max_bad_rows_percent=100)"
    model = f"{{{{ {config} }}}}\nselect * from {{{{ ref('stg_shop__t') }}}}"
    shop.write("models/log/log_shop__t.sql", model)
    shop.send_odd(("c", 1, 10), ("xu", 1, 11), ("xu", 1, 12))
    # to a log each operation is kept as it is, but for one that nobody knows
    shop.dbt("run", "--select", "log_shop__t")
    shop.mend()

    def die_at_the_settling(statement: str, run: Callable[[], None]) -> None:
        if statement.lstrip().startswith("merge into ops.quarantine"):
            raise DeathError("the process died here")
        run()

    around(die_at_the_settling)
    shop.dbt("run", "--select", "log_shop__t", fails=True)
    around(let_all_run)
    assert offsets(lake) == [1, 2, 3]
    assert settled(lake) == dict.fromkeys((2, 3))
    shop.dbt("run", "--select", "log_shop__t")
    assert offsets(lake) == [1, 2, 3]
    assert settled(lake) == dict.fromkeys((2, 3), "taken in")


def offsets(lake: Lake) -> list[int]:
    rows = lake.catalog.load_table("log.shop__t").scan().to_arrow().to_pylist()
    return sorted(row["_kfk_offset"] for row in rows)


def test_what_is_left_out_stays_out(lake: Lake, capfd: Any) -> None:
    """Without a warning, and also where raw is read again; a retry opens it."""
    shop = Odd(lake)
    shop.send_odd(("c", 1, 10), ("xu", 1, 11), ("xu", 1, 12))
    shop.merge()
    found = records(lake.catalog, "mirror_shop__t")
    assert [(group.records, group.state) for group in groups(found)] == [(2, "open")]
    assert settle(lake.catalog, found, "a test of the shop's") == 2
    for arguments in ([], ["--vars", "{replay: true}"]):
        shop.mend() if not arguments else shop.write_mirror("t", "max_bad_rows_percent=100")
        capfd.readouterr()
        shop.merge(*arguments)
        assert "WARN=0 ERROR=0" in capfd.readouterr().out or arguments
        assert shop.values() == {1: 10}
        assert settled(lake) == dict.fromkeys((2, 3), "left out")
    [last] = records(lake.catalog, ids=[found[1].quarantine_id[:12]])
    assert last.settled_reason == "a test of the shop's"
    assert retry(lake.catalog, [last]) == 1
    shop.mend()
    shop.merge()
    assert shop.values() == {1: 12}
    assert settled(lake) == {2: "left out", 3: "taken in"}


def test_the_commands(lake: Lake, capfd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is open is listed and shown; nothing is settled without a reason."""
    shop = Odd(lake)
    shop.send_odd(("c", 1, 10), ("xu", 1, 11), ("xd", 1, 0))
    shop.merge()

    def call(*arguments: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["lakemirror", "quarantine", *arguments])
        capfd.readouterr()
        code = main()
        return code, "".join(capfd.readouterr())

    [group] = json.loads(call("list", "--json")[1])
    assert (group["model"], group["records"]) == ("mirror_shop__t", 2)
    assert "mirror_shop__t  open         2" in call("list")[1]
    code, said = call("list", "--model", "mirror_shop__tt")
    assert (code, "did you mean mirror_shop__t?" in said) == (2, True)
    shown = json.loads(call("show", "--json")[1])
    assert [(r["_kfk_offset"], r["reason"]) for r in shown] == [
        (2, "unknown operation"),
        (3, "unknown operation"),
    ]
    first = shown[0]["quarantine_id"][:8]
    assert "shop.shop.t 0:2" in call("show", first)[1]
    assert call("settle", first)[0] == 2
    assert call("settle", "--reason", "x")[0] == 2
    assert call("settle", first, "--reason", " ")[0] == 2
    assert settled(lake) == dict.fromkeys((2, 3))
    assert call("settle", first, "--reason", "a test") == (0, "1 are left out.\n")
    assert settled(lake) == {2: "left out", 3: None}
    assert call("show", "zz")[0] == 2
    assert call("retry", "--model", "mirror_shop__t") == (
        0,
        "2 will be tried by the next run of dbt.\n",
    )
    assert settled(lake) == dict.fromkeys((2, 3))


@deep_only
def test_days_have_what_was_taken_in_once_they_are_written_again(lake: Lake) -> None:
    """The run names them; a day never starts from a commit that lacks a record."""
    shop = Odd(lake)
    shop.deliver((1, 1, "c", 1), (2, 1, "c", 2), (4, 2, "u", 2), (5, 3, "u", 2))
    odd = json.loads(change(3, "u", 1, 11))
    event = json.loads(odd["value"]) | {"op": "xu"}
    shop.feed([json.dumps(odd | {"offset": 90, "value": json.dumps(event)})], "mirror_shop__t")
    shop.write_daily("t", "2026-01-01 00:00:00", "2026-01-03 00:00:00")
    shop.dbt("run", "--select", "daily_shop__t", "watermark_shop")
    assert days(lake) == [(1, 1, 1), (1, 2, 2), (2, 1, 1), (2, 2, 4)]
    shop.mend()
    said = shop.merge()
    assert "1 of the quarantine are taken in, the oldest of 2026-01-01" in said
    assert "--vars '{ds: 2026-01-01, ds_to: 2026-01-02}'" in said
    again = ("--vars", "{ds: 2026-01-01, ds_to: 2026-01-02}")
    shop.dbt("run", "--select", "daily_shop__t", *again)
    assert days(lake) == [(1, 1, 11), (1, 2, 2), (2, 1, 11), (2, 2, 4)]


def days(lake: Lake) -> list[tuple[int, int, int]]:
    """Day of January, key and value of each row of the daily table."""
    rows = lake.catalog.load_table("daily.shop__t").scan().to_arrow().to_pylist()
    return sorted((row["ds"].day, row["id"], row["v"]) for row in rows)
