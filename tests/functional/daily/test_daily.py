"""Days and what comes after them; cases 69, 71, 74; F20, F21, F48."""

import json
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from lakemirror.cli import main as cli
from lakemirror.state.commits import days_of
from lakemirror.state.window import BOOKMARK
from support.audits import audit
from support.dbt_process import DbtProcess
from support.depth import deep_only, whole_only
from support.lake import Lake, messages
from support.mirror_project import MirrorProject
from support.one_table import DAY, Shop, change
from support.recordings import demo_lines, feed, write
from support.templates import copied

DAILY = "daily.shop__t"
JANUARY = 1767225600000
LATE = ("ds", "events", "decision", "rows_added", "rows_removed")


def four_days(lake: Lake) -> Shop:
    """A mirror with a row of each of four days in January, and daily rows of the first three."""
    made = Shop(lake)
    made.write_daily("t", heard_from="2026-01-01", complete_until="2026-01-04")
    made.deliver((10, 1, "c", 1), (20, 2, "c", 2), (30, 3, "c", 3), (40, 4, "c", 4))
    publish(made)
    assert days(lake) == {"2026-01-01": [1], "2026-01-02": [1, 2], "2026-01-03": [1, 2, 3]}
    return made


@pytest.fixture
def shop(lake: Lake) -> Shop:
    return copied(lake, four_days)


def publish(shop: Shop, *arguments: str) -> str:
    return messages(shop.dbt("run", "--select", "watermark_shop", "daily_shop__t", *arguments))


def days(lake: Lake, table: str = DAILY) -> dict[str, list[int]]:
    rows = lake.catalog.load_table(table).scan().to_arrow().to_pylist()
    found: dict[str, list[int]] = {}
    for row in sorted(rows, key=lambda row: (row["ds"], row["id"])):
        found.setdefault(row["ds"].isoformat(), []).append(row["id"])
    return found


def late_events(lake: Lake) -> list[tuple[Any, ...]]:
    rows = lake.catalog.load_table("ops.late_events").scan().to_arrow().to_pylist()
    return sorted((row["ds"].isoformat(), *(row[name] for name in LATE[1:])) for row in rows)


def test_late_changes_restate_their_days(shop: Shop) -> None:
    """Case 74: what has changed is told; a change that came again changes nothing."""
    shop.deliver((21, 2, "c", 5), (22, 2, "d", 1), (20, 2, "c", 2), (50, 4, "c", 6))
    publish(shop)
    assert days(shop.lake) == {"2026-01-01": [1], "2026-01-02": [2, 5], "2026-01-03": [2, 3, 5]}
    assert late_events(shop.lake) == [
        ("2026-01-02", 3, "restated", 1, 1),
        ("2026-01-03", 3, "restated", 1, 1),
    ]
    summary = shop.lake.catalog.load_table(DAILY).current_snapshot().summary
    assert summary.additional_properties["lakemirror.late-events"] == "3"
    assert summary.additional_properties["lakemirror.watermark"] == "2026-01-04 00:00:00"
    before = shop.lake.snapshots(DAILY)
    publish(shop)
    assert shop.lake.snapshots(DAILY) == before


def test_late_changes_are_reported_once(shop: Shop) -> None:
    """Case 74: with late_events: report a published day stays as it is, unless it is asked for."""
    daily = shop.folder / "models/daily/daily_shop__t.sql"
    daily.write_text(daily.read_text().replace("config(", "config(late_events='report', "))
    published = days(shop.lake)
    shop.deliver((21, 2, "c", 5), (22, 3, "d", 1))
    for _ in range(2):
        publish(shop)
        assert days(shop.lake) == published
        assert late_events(shop.lake) == [
            ("2026-01-02", 1, "reported", None, None),
            ("2026-01-03", 2, "reported", None, None),
        ]
    right = {"2026-01-01": [1], "2026-01-02": [1, 2, 5], "2026-01-03": [2, 3, 5]}
    publish(shop, "--vars", "{ds: 2026-01-02, ds_to: 2026-01-03}")
    assert days(shop.lake) == right
    shop.deliver((5, 1, "c", 7))
    publish(shop, "--vars", "{replay: true}")
    assert days(shop.lake) == {day: [*keys, 7] for day, keys in right.items()}


def test_days_before_a_snapshot_are_not_known(lake: Lake) -> None:
    """Cases 23, 69: a table that joins a source does not look empty on the days before."""
    shop = Shop(lake)
    shop.write_daily("t", heard_from="2026-01-01", complete_until="2026-01-04")
    shop.feed(
        (
            change(n, "r", n, n, ts_ms=JANUARY + DAY + n, snapshot=snapshot)
            for n, snapshot in ((1, "first_in_data_collection"), (2, "last_in_data_collection"))
        ),
        "mirror_shop__t",
    )
    publish(shop)
    assert days(lake) == {"2026-01-02": [1, 2], "2026-01-03": [1, 2]}
    shop.write_daily("t", heard_from="2026-01-01", complete_until="2026-01-05")
    shop.deliver((10, 4, "c", 3))
    publish(shop)
    assert days(lake) == {"2026-01-02": [1, 2], "2026-01-03": [1, 2], "2026-01-04": [1, 2, 3]}
    ask = ("run", "--select", "daily_shop__t", "--vars", "{ds: 2026-01-01}")
    assert "known from 2026-01-02 00:00:00.002" in messages(shop.dbt(*ask, fails=True))


def test_a_producer_without_snapshots_has_days(lake: Lake) -> None:
    """The mark of a snapshot's rows is Debezium's; another producer's staging model has none."""
    shop = Shop(lake)
    shop.write_daily("t", heard_from="2026-01-01", complete_until="2026-01-03")
    staging = shop.folder / "models/staging/stg_shop__t.sql"
    text = staging.read_text()
    sources, query = text.rsplit(")\n\nselect\n", 1)
    text = f"{sources}),\n\nnamed as (select\n{query})"
    staging.write_text(f"{text}\n\nselect * except (_src_snapshot) from named\n")
    shop.deliver((10, 1, "c", 1), (20, 2, "c", 2))
    publish(shop)
    assert days(lake) == {"2026-01-01": [1], "2026-01-02": [1, 2]}


def test_days_are_chosen_as_batches_of_dbt_are(lake: Lake) -> None:
    """F48: a day that was skipped is itself, whenever it is written."""
    shop = Shop(lake)
    shop.write_daily("t", heard_from="2026-01-01", complete_until="2026-01-04")
    shop.deliver((10, 1, "c", 1), (20, 2, "c", 2), (21, 2, "d", 1), (30, 3, "c", 3))
    publish(shop, "--event-time-start", "2026-01-02", "--event-time-end", "2026-01-04")
    assert days(lake) == {"2026-01-02": [2], "2026-01-03": [2, 3]}
    command = ("run", "--select", "daily_shop__t", "--event-time-start")
    known = messages(shop.dbt(*command, "2025-12-30", "--event-time-end", "2026-01-02", fails=True))
    assert "2025-12-30 is not known" in known
    swapped = messages(
        shop.dbt(*command[:3], "--vars", "{ds: 2026-01-03, ds_to: 2026-01-02}", fails=True)
    )
    assert "2026-01-03 comes after 2026-01-02" in swapped
    shop.deliver((22, 2, "c", 9))  # case 74: late for days that were asked for
    publish(shop)
    assert days(lake) == {"2026-01-01": [1], "2026-01-02": [2, 9], "2026-01-03": [2, 3, 9]}


@pytest.mark.parametrize(
    "zone",
    [
        pytest.param("America/New_York", marks=whole_only),
        pytest.param("Asia/Kathmandu", marks=deep_only),
    ],
)
def test_midnight_is_that_of_utc(lake: Lake, monkeypatch: pytest.MonkeyPatch, zone: str) -> None:
    """F20, F21: in any zone of the machine, also on the day when its clocks change."""
    monkeypatch.setenv("TZ", zone)
    shop = Shop(lake)
    shop.write_daily("t", heard_from="2026-03-07", complete_until="2026-03-10")
    midnight = int(datetime(2026, 3, 8, tzinfo=UTC).timestamp()) * 1_000_000
    hours = (0, 2, 5, 7, 24, 28)  # New York's midnight is at 5, and at 7 there are no 2 o'clock
    instants = [midnight - 1, *(midnight + 3_600_000_000 * hour for hour in hours)]
    write(
        lake.recordings,
        "changes",
        (
            change(n, "c", n, n, ts_us=instant, ts_ms=instant // 1000)
            for n, instant in enumerate(instants)
        ),
    )
    with DbtProcess(lake, "zone", "run", "--project-dir", str(shop.folder)) as run:
        assert run.wait(), run.console
    assert days(lake) == {
        "2026-03-07": [0],
        "2026-03-08": [0, 1, 2, 3, 4],
        "2026-03-09": [0, 1, 2, 3, 4, 5, 6],
    }


def test_a_published_day_stays_when_its_commit_expires(
    shop: Shop, sql: Callable[[str], None]
) -> None:
    """F41, F49: maintenance makes no day due again."""
    sql(f"call lake.system.expire_snapshots('{DAILY}', timestamp '2100-01-01', 1)")
    before = shop.lake.snapshots(DAILY)
    assert len(before) == 1
    publish(shop)
    assert shop.lake.snapshots(DAILY) == before
    published = days_of(shop.lake.catalog.load_table(DAILY))
    assert published == {"2026-01-01", "2026-01-02", "2026-01-03"}


def test_waiting_for_a_day(
    shop: Shop, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Case 69, F22: an orchestrator learns whether a day is there, and if not, why."""

    def wait(*arguments: str) -> tuple[int, str]:
        at_once = ["--timeout", "1s", "--every", "0.1s"]
        monkeypatch.setattr(sys, "argv", ["lakemirror", "wait", *arguments, *at_once])
        capsys.readouterr()
        code = cli.main()
        return code, "".join(capsys.readouterr())

    there = wait("--source", "shop", "--ds", "2026-01-03", "--tables", "t")
    assert there == (0, "shop: 2026-01-03 is complete and published.\n")
    # of the project where it is called, which has daily_shop__orders
    code, said = wait("--source", "shop", "--ds", "2026-01-04", "--tables", "t", "orders")
    assert code == 1
    assert said.count("waiting: the source is complete until 2026-01-04 00:00:00\n") == 1
    assert "waiting: daily.shop__t has not published 2026-01-04\n" in said
    assert "waiting: daily.shop__orders is not there yet\n" in said
    assert said.endswith("shop: 2026-01-04 is not there after 0:00:01.\n")
    code, said = wait("--source", "shop", "--ds", "2025-12-31")
    assert (code, said) == (
        2,
        "2025-12-31 will not come: shop is heard from 2026-01-01 00:00:00 on.\n",
    )


def test_a_mirror_with_a_column_ds_is_refused(lake: Lake) -> None:
    """B9: in a sentence that says what mends it, and no table is made."""
    made = MirrorProject(lake, "shop", "mariadb", {"t": ("id int, ds date", ["id"])})
    made.write_daily("t", "2026-01-01", "2026-01-04")
    record = json.loads(change(1, "c", 1, 1))
    event = json.loads(record["value"])
    event["after"] = {"id": 1, "ds": 20454}
    made.feed([json.dumps(record | {"value": json.dumps(event)})], "mirror_shop__t")
    select = ("run", "--select", "watermark_shop", "daily_shop__t")
    said = messages(made.dbt(*select, fails=True))
    assert "daily_shop__t: mirror.shop__t has a column ds, and so is called the day" in said
    assert "delete the model, or leave the column out" in said
    assert not lake.catalog.table_exists(DAILY)


@whole_only
def test_old_days_go_and_do_not_come_back(shop: Shop, sql: Callable[[str], None]) -> None:
    """F49, 74: also when a late change comes from before them, which the kept days then have."""
    shop.write_daily("t", "2026-01-01", "2026-01-05", keep_days=2)
    publish(shop)
    every = ["2026-01-01", "2026-01-02", "2026-01-03", "2026-01-04"]
    shop.dbt("run-operation", "prune_days")
    assert list(days(shop.lake)) == every
    shop.dbt("run-operation", "prune_days", "--args", "{dry_run: false}", fails=True)
    assert list(days(shop.lake)) == every
    shop.dbt("run-operation", "prune_days", "--args", "{dry_run: false, all: true}")
    assert list(days(shop.lake)) == every[2:]
    before = shop.lake.snapshots(DAILY)
    publish(shop)
    assert shop.lake.snapshots(DAILY) == before
    sql(
        f"call lake.system.expire_snapshots(table => '{DAILY}', retain_last => 1, "
        "older_than => current_timestamp())"
    )
    shop.deliver((21, 2, "c", 7))
    publish(shop)
    assert days(shop.lake) == {"2026-01-03": [1, 2, 3, 7], "2026-01-04": [1, 2, 3, 4, 7]}
    before = shop.lake.snapshots(DAILY)  # the bookmark has followed: nothing is late any more
    publish(shop)
    assert shop.lake.snapshots(DAILY) == before


def test_a_weaker_proof_is_named(
    shop: Shop, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Case 70: whoever reads a day that no heartbeat proves can know it."""
    shop.write_daily("t", "2026-01-01", "2026-01-05", proof="newest event")
    shop.dbt("run", "--select", "watermark_shop", "daily_shop__t")
    commit = shop.lake.catalog.load_table(DAILY).current_snapshot().summary.additional_properties
    assert commit["lakemirror.ds"] == "2026-01-04"
    assert commit["lakemirror.proof"] == "newest event"
    waiting = ["lakemirror", "wait", "--source", "shop", "--timeout", "0s", "--ds"]
    for day, code in (("2026-01-04", 0), ("2026-01-05", 1)):
        monkeypatch.setattr(sys, "argv", [*waiting, day])
        capsys.readouterr()
        assert cli.main() == code
        assert "(by newest event, not by heartbeats)" in "".join(capsys.readouterr())


def test_a_day_that_is_not_published_fails_its_test(shop: Shop) -> None:
    """Case 69, F22: a late table says so, to dbt test as well."""
    test = {"days_are_published": {"arguments": {"watermark": "{{ ref('watermark_shop') }}"}}}
    described = {"models": [{"name": "daily_shop__t", "data_tests": [test]}]}
    shop.write("models/daily/daily.yml", json.dumps(described))
    command = ("test", "--select", "daily_shop__t")
    shop.dbt(*command)
    shop.dbt(*command, "--vars", "{ds: 2026-01-03}")
    shop.dbt(*command, "--vars", "{ds: 2026-01-03, ds_to: 2026-01-04}", fails=True)
    shop.write_daily("t", heard_from="2026-01-01", complete_until="2026-01-06")
    shop.dbt("run", "--select", "watermark_shop")
    assert "Got 2 results" in messages(shop.dbt(*command, fails=True))
    publish(shop)
    shop.dbt(*command)


def test_a_heartbeat_counts_when_its_landing_has_ended(lake: Lake) -> None:
    """Case 71: what another landing, still under way, has put in raw proves nothing yet."""
    lines = [line for line in demo_lines("commerce") if is_heartbeat(line)]
    others = [line for line in demo_lines("shop") if "heartbeat" in json.loads(line)["topic"]]
    write(lake.recordings, "first", lines[: len(lines) // 2] + others)
    heard = watermarks(lake)
    assert set(heard) == {"-40", "40-80", "80-"}
    assert not feed(lake, lines[len(lines) // 2 :])
    assert watermarks(lake) == heard
    write(lake.recordings, "second", lines[len(lines) // 2 :])
    later = watermarks(lake)
    assert set(later) == {"-80", "80-"}  # case 69: a retired shard holds up nothing
    assert later["80-"] > heard["80-"]


def test_the_first_shard_past_midnight_completes_nothing(lake: Lake) -> None:
    """Cases 69, 71: a midnight is over when the last live shard says so.

    H1: and whatever of another source has never landed.
    """
    midnight = datetime(2026, 11, 21, tzinfo=UTC)

    def is_ahead(line: str) -> bool:
        source = json.loads(json.loads(line)["value"])["source"]
        return source["shard"] == "80-" and source["ts_ms"] >= midnight.timestamp() * 1000

    lines = [line for line in demo_lines("commerce") if is_heartbeat(line)]
    write(lake.recordings, "first", [line for line in lines if not is_ahead(line)])
    heard = watermarks(lake)
    assert min(heard.values()) < midnight < max(heard.values())
    write(lake.recordings, "second", [line for line in lines if is_ahead(line)])
    assert min(watermarks(lake).values()) > midnight


def is_heartbeat(line: str) -> bool:
    return json.loads(line)["topic"] == "vt.commerce.heartbeat"


def watermarks(lake: Lake) -> dict[str, Any]:
    """By shard, how far the source commerce is complete."""
    lake.dbt("run", "--select", "landing", "watermark_commerce")
    rows = lake.catalog.load_table("ops.watermark_commerce").scan().to_arrow().to_pylist()
    return {r["shard"]: r["complete_until"] for r in rows}


def test_the_base_of_a_day_outlives_the_mirrors_history(
    shop: Shop, sql: Callable[[str], None]
) -> None:
    """F48, F49: by a tag, and without it by all of raw; where raw is not whole, no day is made."""
    mirror = "mirror.shop__t"
    base = shop.lake.catalog.load_table(mirror).current_snapshot().snapshot_id
    shop.deliver((50, 5, "c", 5))
    shop.deliver((60, 5, "d", 1))
    sql(f"call lake.system.expire_snapshots('{mirror}', timestamp '2100-01-01', 1)")
    shop.write_daily("t", heard_from="2026-01-01", complete_until="2026-01-05")
    publish(shop)
    assert days(shop.lake)["2026-01-04"] == [1, 2, 3, 4]
    assert base_of(shop.lake) == str(base)

    again = ("--vars", "{ds: 2026-01-04}")
    sql(f"alter table {mirror} drop tag lakemirror_base_2026_01_04")
    publish(shop, *again)
    assert days(shop.lake)["2026-01-04"] == [1, 2, 3, 4]
    assert base_of(shop.lake) is None

    published = shop.lake.snapshots(DAILY)
    sql("delete from raw.shop__t where _kfk_offset <= 4")
    ask = ("run", "--select", "daily_shop__t", "--vars", "{ds: 2026-01-04, replay: true}")
    said = messages(shop.dbt(*ask, fails=True))
    assert "what mirror.shop__t was at 2026-01-05 00:00:00 cannot be made" in said
    assert "raw.shop__t has 2 of the 4 records" in said
    assert shop.lake.snapshots(DAILY) == published


def test_days_of_a_mirror_that_was_damaged_and_repaired(
    shop: Shop, sql: Callable[[str], None]
) -> None:
    """G3; F48: they are made of no commit that had the damage."""
    mirror = "mirror.shop__t"
    sql(f"delete from {mirror} where id = 1")
    shop.deliver((50, 5, "c", 5))
    shop.deliver((60, 6, "c", 6))
    audit(shop)
    asked = json.dumps({"audit": "0", "dry_run": False})
    shop.dbt("run-operation", "repair", "--args", asked)
    shop.write_daily("t", heard_from="2026-01-01", complete_until="2026-01-07")
    publish(shop)
    found = days(shop.lake)
    wanted = [[1, 2, 3, 4], [1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 6]]
    assert [found[f"2026-01-0{day}"] for day in (4, 5, 6)] == wanted


def test_days_of_a_mirror_that_was_set_back(shop: Shop, sql: Callable[[str], None]) -> None:
    """F48: none is made of what was taken back, though a tag keeps it."""
    mirror = "mirror.shop__t"
    sql(f"update {mirror} set v = -1 where id = 1")
    shop.deliver((50, 5, "c", 5))
    shop.deliver((60, 6, "c", 6))
    commits = shop.lake.catalog.load_table(mirror).snapshots()
    first = next(s.snapshot_id for s in commits if BOOKMARK in s.summary.additional_properties)
    asked = f"{{model: mirror_shop__t, to: {first}, apply: true}}"
    shop.dbt("run-operation", "rollback", "--args", asked)
    shop.dbt("run-operation", "release", "--args", "{model: mirror_shop__t}")
    shop.dbt("run", "--select", "mirror_shop__t")
    shop.write_daily("t", heard_from="2026-01-01", complete_until="2026-01-07")
    publish(shop)
    rows = shop.lake.catalog.load_table(DAILY).scan().to_arrow().to_pylist()
    assert {row["v"] for row in rows if row["id"] == 1} == {10}
    assert days(shop.lake)["2026-01-06"] == [1, 2, 3, 4, 5, 6]


def test_a_rebuilt_mirror_has_no_bases(shop: Shop) -> None:
    """F49: what it was before is no base of a day after it."""
    shop.deliver((50, 5, "c", 5))
    table = shop.lake.catalog.load_table("mirror.shop__t")
    assert "lakemirror_base_2026_01_04" in table.metadata.refs
    rebuild = ("--full-refresh", "--vars", "{allow_full_refresh: true}")
    shop.dbt("run", "--select", "mirror_shop__t", *rebuild)
    assert [*table.refresh().metadata.refs] == ["main"]


@whole_only
def test_days_as_branches(lake: Lake) -> None:
    """Cases 69, 74; F47: restated, let go of, and never another kind of table."""
    shop = Shop(lake)
    shop.write_daily("t", "2026-01-01", "2026-01-04", publish="branch")
    config = "{{{{ config(materialized='{}', schema='daily') }}}}"
    view = "{{ days_of(ref('daily_shop__t'), ref('mirror_shop__t')) }}"
    shop.write("models/daily/daily_view.sql", config.format("view") + view)
    mart = "select * from {{ ref('daily_view') }}"
    shop.write("models/daily/daily_days.sql", config.format("table") + mart)
    shop.deliver((10, 1, "c", 1), (20, 2, "c", 2), (30, 3, "c", 3), (40, 4, "c", 4))
    publish(shop, "daily_view", "daily_days")
    expected = {"2026-01-01": [1], "2026-01-02": [1, 2], "2026-01-03": [1, 2, 3]}
    assert days(lake, "daily.days") == expected

    shop.deliver((21, 2, "d", 1))
    publish(shop, "daily_view", "daily_days")
    expected |= {"2026-01-02": [2], "2026-01-03": [2, 3]}
    assert days(lake, "daily.days") == expected
    assert late_events(lake) == [
        ("2026-01-02", 1, "restated", 0, 1),
        ("2026-01-03", 1, "restated", 0, 1),
    ]

    shop.write_daily("t", "2026-01-01", "2026-01-04", publish="branch", keep_days=2)
    shop.dbt("run-operation", "prune_days", "--args", "{dry_run: false, all: true}")
    publish(shop, "daily_view", "daily_days")
    expected.pop("2026-01-01")
    assert days(lake, "daily.days") == expected
    refs = lake.catalog.load_table("mirror.shop__t").metadata.refs
    assert {*refs} == {"main", "ds_2026_01_02", "ds_2026_01_03"}

    shop.write_daily("t", "2026-01-01", "2026-01-05")
    said = messages(shop.dbt("run", "--select", "watermark_shop", "daily_shop__t", fails=True))
    assert "daily.shop__t keeps its days the other way" in said


def base_of(lake: Lake) -> str | None:
    """The mirror's snapshot that the newest day has started from."""
    summary = lake.catalog.load_table(DAILY).current_snapshot().summary.additional_properties
    return summary.get("lakemirror.base-snapshot-id")
