"""A week of a lake: merges, days, maintenance, a merge that is taken back, an erasure, and a late
end. Every day and all mirrors are the source's own at last.

F26, F28, F35, F48, F49, F53.
"""

import json
import math
import random
from datetime import date, timedelta
from typing import Any

import pytest

from support.audits import assert_healthy
from support.delivery import SEED, START, Source, drawn_moves
from support.depth import deep_only
from support.history import INSTANTS, Row, play, truncate_events
from support.lake import Lake
from support.mirror_project import WATERMARKS

pytestmark = pytest.mark.compiled

WORLD, HISTORIES, DAYS = "servers", 150, 7
ERASED = (10, 20)
POLICY = "maintenance={'readers': '0s', 'snapshot_age': '0s'}"
MIRRORS = {
    "t": f"unique_key=['id'], buckets=2, {POLICY}",
    "u": f"unique_key=['id'], merge_mode='copy-on-write', {POLICY}",
}
DAILY = f"""
{{{{ config(materialized='daily', schema='daily', unique_key=['id'], {POLICY}) }}}}
select * from {{{{ midnight(ref('mirror_t'), ref('stg'), ref('watermark_s')) }}}}
"""
CUT = """
{{ config(materialized='cut', schema='ops') }}
{{ at_cut(ref('mirror_t'), ref('stg'), ref('watermark_s')) }}
"""
JOINED = f", if(_src_ts = timestamp '{START:%Y-%m-%d}', 'last', 'incremental') as _src_snapshot"
Rows = dict[int, Row]


class Week:
    """A source that lives for a week, and what the lake has of it."""

    def __init__(self, lake: Lake) -> None:
        self.lake, self.chance = lake, random.Random(SEED)
        self.moves = dict(enumerate(drawn_moves(WORLD, HISTORIES), 1))
        self.instant = timedelta(days=DAYS) / INSTANTS
        configs = {name: f"config({config})" for name, config in MIRRORS.items()}
        self.source = Source(lake, configs, JOINED, self.instant)
        self.source.write("models/daily_t.sql", DAILY)
        self.source.write("models/consistent_cut.sql", CUT)
        events = [e for key in self.moves for e in play(WORLD, key, *self.moves[key]).events]
        waiting = [(e["ts"] + self.chance.uniform(0, 20), e) for e in events]
        self.waiting = [*waiting, *((e["ts"], e) for e in truncate_events(WORLD))]
        self.erased: set[int] = set()

    def until(self, day: int) -> int:
        """The first instant that is not of a day any more."""
        return math.ceil(day * INSTANTS / DAYS)

    def pass_day(self, day: int) -> None:
        """Let a day's events come, and run the models."""
        arrived = [e for arrival, e in self.waiting if arrival < self.until(day) or day > DAYS]
        self.waiting = [(at, e) for at, e in self.waiting if at >= self.until(day) and day <= DAYS]
        self.chance.shuffle(arrived)
        self.source.deliver(arrived, has_keys=True)
        self.complete = min((e["ts"] for _, e in self.waiting), default=INSTANTS)
        complete_until = START + self.complete * self.instant
        heard = {"heard_from": START, "complete_until": complete_until, "proof": "heartbeats"}
        self.source.write("models/watermark_s.sql", WATERMARKS.format(**heard))
        others = {1: ["mirror_u"], 4: ["consistent_cut"], 5: ["mirror_u"]}  # each in its own time
        last = ["mirror_u", "consistent_cut"] if day > DAYS else []
        self.source.run("mirror_t", "watermark_s", "daily_t", *others.get(day, last))

    def operate(self, name: str, **arguments: Any) -> None:
        self.source.dbt("run-operation", name, "--args", json.dumps(arguments))

    def expected(self, instant: int) -> Rows:
        lives = [play(WORLD, key, *self.moves[key], until=instant) for key in self.moves]
        there = {life.key: life.value for life in lives if life.value is not None}
        return {key: row for key, row in there.items() if key not in self.erased}

    def rows(self, table: str, **scan: Any) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = (
            self.lake.catalog.load_table(table).scan(**scan).to_arrow().to_pylist()
        )
        return found

    def assert_days(self) -> None:
        """The days that are published are those that are complete, and exact."""
        days: dict[date, Rows] = {}
        for row in self.rows("daily.t"):
            days.setdefault(row["ds"], {})[row["id"]] = {"v": row["v"], "w": row["w"]}
        wanted = {
            (START + timedelta(days=day - 1)).date(): self.expected(self.until(day))
            for day in range(1, DAYS + 1)
            if self.until(day) <= self.complete
        }
        assert days == wanted, f"seed {SEED}"

    def assert_mirrors(self, *mirrors: str) -> None:
        for name in mirrors:
            found = {
                row["id"]: {"v": row["v"], "w": row["w"]} for row in self.rows(f"mirror.{name}")
            }
            assert found == self.expected(INSTANTS), f"seed {SEED}: {name}"


@deep_only
def test_a_week(lake: Lake) -> None:
    week = Week(lake)
    for day in range(1, DAYS + 1):
        week.pass_day(day)
        if day in (3, 6):
            week.operate("maintain", select=["mirror_t", "daily_t", "raw.rows"][: 6 // day + 1])
        if day == 4:
            before = len(week.rows("mirror.t"))
            week.operate("undo", model="mirror_t", apply=True)
            assert len(week.rows("mirror.t")) != before
            week.operate("release", model="mirror_t")
        if day == 5:
            week.operate(
                "erase",
                model="mirror_t",
                what={"keys": [{"id": key} for key in ERASED]},
                apply=True,
            )
            week.erased = {*ERASED}
        week.assert_days()
    assert {e["id"] for _, e in week.waiting} & week.erased
    week.pass_day(DAYS + 1)
    week.assert_days()
    week.assert_mirrors(*MIRRORS)
    [cut] = week.rows("ops.consistent_cut")
    at_cut = {row["id"] for row in week.rows("mirror.t", snapshot_id=cut["snapshot_id"])}
    assert at_cut == {*week.expected(INSTANTS)}
    statuses = {
        (row["table_name"], row["action"])
        for row in week.rows("ops.maintenance")
        if row["status"] == "done"
    }
    assert ("mirror.t", "expire") in statuses
    assert_healthy(week.source)
