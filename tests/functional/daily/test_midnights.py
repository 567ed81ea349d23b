"""Every published day is the source's own state at its midnight, whatever came when.

Cases 69, 71, 74, 76; F19, F48, F49.

Random histories of four days arrive late and in any order, while the watermark says only what is
true; days are missed, snapshots of the mirror expire, runs die, and at last comes what no watermark
knew of. A cut is made of the mirror wherever the watermark is, and has the state at that time.
"""

import random
from collections.abc import Callable
from datetime import date, timedelta

import pytest

from lakemirror.state.audits import all_audits
from support.delivery import HISTORIES, SEED, START, UNSENT, Source, drawn_moves
from support.depth import DEEP, deep_only, whole_only
from support.history import INSTANTS, Row, play, truncate_events
from support.lake import Lake
from support.mirror_project import WATERMARKS

pytestmark = pytest.mark.compiled

DAY = 24  # instants
MIRRORS = {
    "shards": "unique_key=['id'], buckets=4",
    "servers": "unique_key=['id'], deletes='soft', merge_mode='copy-on-write'",
    "parts": "unique_key=['id'], format_version=3",
}
# with all tiers each day is audited before it is published, and none may differ from the log
AUDITED = "publish_when='audited'" if DEEP else "publish_when='written'"
DAILY = """
{{ config(materialized='daily', schema='daily', unique_key=['id'], AUDITED) }}
select * from {{ midnight(ref('mirror_t'), ref('stg'), ref('watermark_s')) }}
"""
BRANCHES = """
{{
    config(
        materialized='daily', schema='daily', unique_key=['id'], publish='branch', AUDITED
    )
}}
select * from {{ midnight(ref('mirror_t'), ref('stg'), ref('watermark_s')) }}
"""
VIEW = """
{{ config(materialized='table', schema='daily') }}
{{ days_of(ref('daily_b'), ref('mirror_t')) }}
"""
CUT = """
{{ config(materialized='cut', schema='ops') }}
{{ at_cut(ref('mirror_t'), ref('stg'), ref('watermark_s')) }}
"""
# the table joined the source when all began, and what its snapshots read later is not its first
JOINED = f", if(_src_ts = timestamp '{START:%Y-%m-%d}', 'last', 'incremental') as _src_snapshot"
Days = dict[date, dict[int, Row]]


def published(lake: Lake, table: str) -> Days:
    days: Days = {}
    for row in lake.catalog.load_table(table).scan().to_arrow().to_pylist():
        rows = days.setdefault(row["ds"], {})
        assert row["id"] not in rows, f"{row['ds']} has the key {row['id']} twice"
        rows[row["id"]] = {"v": row["v"], "w": row["w"]}
    return days


def cut(lake: Lake) -> dict[int, Row]:
    """The rows of the mirror at the newest cut."""
    [row] = lake.catalog.load_table("ops.consistent_cut").scan().to_arrow().to_pylist()
    table = lake.catalog.load_table("mirror.t").scan(snapshot_id=row["snapshot_id"])
    live = table.to_arrow().to_pylist()
    found = {row["id"]: {"v": row["v"], "w": row["w"]} for row in live}
    assert len(found) == len(live), "a key is there twice"
    return found


@pytest.mark.parametrize(
    "world",
    [pytest.param("shards", marks=deep_only), pytest.param("servers", marks=deep_only), "parts"],
)
@whole_only
def test_every_midnight_is_exact(
    lake: Lake, dies: Callable[[int], None], sql: Callable[[str], None], world: str
) -> None:
    chance = random.Random(SEED)
    moves = dict(enumerate(drawn_moves(world, HISTORIES), 1))
    late = {key for key in moves if key % 10 == 0}
    source = Source(
        lake,
        {"t": f"config({MIRRORS[world]})"},
        (UNSENT if world == "parts" else "") + JOINED,
        timedelta(hours=1),
    )
    source.write("models/daily_t.sql", DAILY.replace("AUDITED", AUDITED))
    source.write("models/daily_b.sql", BRANCHES.replace("AUDITED", AUDITED))
    source.write("models/daily_days.sql", VIEW)
    source.write("models/consistent_cut.sql", CUT)

    def expected(instant: int, keys: set[int]) -> dict[int, Row]:
        lives = [play(world, key, *moves[key], until=instant) for key in keys]
        return {life.key: life.value for life in lives if life.value is not None}

    def hear(instant: int) -> None:
        heard = {"heard_from": START, "complete_until": START + timedelta(hours=instant)}
        heard["proof"] = "heartbeats"
        source.write("models/watermark_s.sql", WATERMARKS.format(**heard))

    def assert_exact(instant: int, keys: set[int]) -> None:
        wanted = {
            (START + timedelta(hours=midnight - 1)).date(): expected(midnight, keys)
            for midnight in range(DAY, instant + 1, DAY)
        }
        assert wanted
        assert published(lake, "daily.days") == wanted, f"seed {SEED}: the branches are wrong"
        days = published(lake, "daily.t")
        assert sorted(days) == sorted(wanted)
        for day, rows in wanted.items():
            wrong = [k for k in rows.keys() | days[day].keys() if rows.get(k) != days[day].get(k)]
            for key in wrong[:1]:
                events = play(world, key, *moves[key]).events
                pytest.fail(
                    f"seed {SEED}, {day}: {len(wrong)} of {len(keys)} keys are wrong. Key {key} is "
                    f"{days[day].get(key)} and not {rows.get(key)} after its events: {events}"
                )

    on_time = moves.keys() - late
    waiting = [event for key in on_time for event in play(world, key, *moves[key]).events]
    waiting = [(e["ts"] + chance.uniform(0, 30), e) for e in waiting + truncate_events(world)]
    chance.shuffle(waiting)
    for arrived, is_published in ((60, True), (80, False), (105, True), (130, True)):
        source.deliver([event for arrival, event in waiting if arrival <= arrived])
        waiting = [(arrival, event) for arrival, event in waiting if arrival > arrived]
        complete = min((event["ts"] for _, event in waiting), default=INSTANTS)
        hear(complete)
        source.run("mirror_t")
        if arrived == 105:  # tags keep the bases of days that are not published yet
            sql("call lake.system.expire_snapshots('mirror.t', timestamp '2100-01-01', 1)")
        if is_published:
            dies(SEED + arrived)
            models = ("watermark_s", "daily_t", "daily_b", "daily_days", "consistent_cut")
            source.dbt("run", "--select", *models, fails=None)
            dies(0)
            source.run(*models)
            assert_exact(complete, on_time)
            assert cut(lake) == expected(complete, on_time), f"seed {SEED}, at {complete}"

    events = [event for key in late for event in play(world, key, *moves[key]).events]
    chance.shuffle(events)
    source.deliver(events)
    source.run("path:models")
    assert_exact(INSTANTS, set(moves))
    if DEEP:
        days = published(lake, "daily.t")
        source.dbt("run", "--select", "daily_t", "--vars", "{replay: true}")
        assert published(lake, "daily.t") == days
        audits = all_audits(lake.catalog)
        assert sum(audit.keys for audit in audits) > 2 * HISTORIES
        assert {(audit.model, audit.findings) for audit in audits} == {
            ("daily_t", 0),
            ("daily_b", 0),
        }
