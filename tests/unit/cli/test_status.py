"""What a status says, and how days and lags are written."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pyarrow as pa
import pytest

from lakemirror.cli import status_text
from lakemirror.cli.models import by_name
from lakemirror.cli.status import (
    Daily,
    Mirror,
    Run,
    Source,
    Status,
    not_mirrored,
)
from lakemirror.state.commits import Events, sum_of
from lakemirror.state.days import missing, overdue, ranges
from support.small_lake import small_lake

NOW = datetime(2026, 2, 1, tzinfo=UTC)
DAYS = [date(2026, 1, 31) + timedelta(n) for n in range(-5, 1)]
EMPTY = Status(NOW, (), (), (), (), (), {})
MIRROR = Mirror(
    *("mirror.shop__orders", "mirror_shop__orders", 7, NOW, 60.0, Events(9, 7, 1, 1), None),
    *(Run(NOW, 1.25, "success"), 0),
)


def text(found):
    lines = []
    for part in status_text.parts(found):
        lines += [part.header, *part.rows] if part.rows else [part.without]
    return [tuple(map(str, line)) if isinstance(line, tuple) else line for line in lines]


def test_a_lake_with_nothing_in_it_says_what_is_next():
    assert text(EMPTY) == [
        "No source yet: `dbt run --select landing` lands one.",
        "No mirror yet: `lakemirror generate` writes their models, and `dbt build` builds them.",
        "No daily table yet: `lakemirror generate` writes their models, and `dbt build` builds "
        "them.",
    ]
    assert list(status_text.notes(EMPTY)) == ["Grey: there is no mirror yet."]


def test_a_source_that_nobody_hears():
    silent = Source("shop", 3, None, None, None, 2)
    assert text(replace(EMPTY, sources=[silent]))[1] == (
        *("shop", "3", "unknown", "None", "no watermark", "2"),
    )


def test_the_events_of_a_mirror_add_up():
    found = replace(EMPTY, mirrors=[MIRROR])
    assert text(found)[2] == (
        *("mirror.shop__orders", "7", f"{NOW}", "1 min", "2026-02-01 00:00:00", "1.2", "0"),
    )
    header, row = text(found)[3:5]
    assert header == status_text.EVENTS
    assert row == ("mirror.shop__orders", "9", "7", "1", "1", "0", "0")
    read, *others = map(int, row[1:])
    assert read == sum(others)


def test_what_another_version_counts_has_a_column():
    counted = {"lakemirror.read": "9", "lakemirror.applied": "4", "lakemirror.parked": "5"}
    newer = replace(MIRROR, events=sum_of(iter([counted])))
    header, row = text(replace(EMPTY, mirrors=[newer]))[3:5]
    assert (header[-1], row[-1]) == ("+ other", "5")


def test_a_failed_run_and_expired_commits():
    failed = replace(MIRROR, last_run=Run(NOW, 3.0, "error"), counted_since=NOW)
    found = replace(EMPTY, mirrors=[failed], not_built=["a", "b"], quarantine={"landing": 3})
    found = replace(found, failed={"mirror_shop__orders": "error"})
    assert text(found)[2][4] == "2026-02-01 00:00:00 error"
    assert list(status_text.notes(found)) == [
        "Not built yet: a, b.",
        "The quarantine also has records of: landing 3.",
        "The events of mirror.shop__orders are counted from 2026-02-01 00:00:00 on: older commits "
        "have expired.",
        "Red: the last run of mirror_shop__orders has failed; 1 more.",
    ]


def test_raw_tables_that_nobody_reads(tmp_path):
    """B10: a table of which generate could make no mirror is not forgotten."""
    rows = pa.table({"value": ["x"]})
    names = ("orders", "visits", "left", "connector_heartbeat")
    catalog = small_lake(tmp_path, {f"raw.shop__{name}": rows for name in names})
    known = ("mirror_shop__orders", "log_shop__visits", "daily_shop__left")
    found = not_mirrored(catalog, [model for name in known if (model := by_name(name))])
    assert found == ["raw.shop__left"]
    said = [*status_text.notes(replace(EMPTY, mirrors=[MIRROR], not_mirrored=found))]
    assert said[0].startswith("Without a mirror or a log: raw.shop__left. `lakemirror generate`")


def test_days_are_ranges_with_what_is_missing_between():
    there = {DAYS[0], DAYS[1], DAYS[5]}
    gap = missing(there, None)
    assert gap == {*DAYS[2:5]}
    day = Daily("daily.shop__orders", ranges(there), ranges(gap))
    assert text(replace(EMPTY, daily=[day]))[-1] == (
        *("daily.shop__orders", "2026-01-26..2026-01-27, 2026-01-31", "2026-01-28..2026-01-30"),
    )


def test_days_that_a_table_does_not_keep_are_not_missing():
    """The last of a month stays, and those in between are gone on purpose."""
    there = {date(2025, 12, 31), date(2026, 1, 29), date(2026, 1, 31)}
    assert missing(there, 3) == {date(2026, 1, 30)}
    assert len(missing(there, None)) == 29
    assert missing(set(), None) == set()


@pytest.mark.parametrize(
    ("heard_until", "behind"),
    [
        (None, 0),
        (datetime(2026, 2, 1, 23, 59, tzinfo=UTC), 0),
        (datetime(2026, 2, 2, tzinfo=UTC), 1),
        (datetime(2026, 2, 3, 1, tzinfo=UTC), 2),
    ],
)
def test_days_that_the_source_has_passed_are_overdue(heard_until, behind):
    """Those after the newest published one: a table that has published none promises none."""
    published = {DAYS[0], DAYS[-1]}
    expected = {DAYS[-1] + timedelta(n + 1) for n in range(behind)}
    assert overdue(published, heard_until, None) == expected
    assert overdue(published, heard_until, 1) == {*sorted(expected)[-1:]}
    assert overdue(set(), heard_until, None) == set()


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (None, None),
        (-3, "0 s"),
        (0.4, "0 s"),
        (61, "1 min 1 s"),
        (3600, "1 h"),
        (90_061, "1 d 1 h"),
    ],
)
def test_a_lag_has_two_units(seconds, said):
    assert status_text.ago(seconds) == said
