"""Which days a run writes, and what it says of late changes."""

from types import SimpleNamespace

import pytest

from lakemirror import days
from lakemirror.runs import messages
from lakemirror.runs.daily import Heard, Plan, branch_name, end_of_day, kept_days, wanted_days

LATE = {"2026-01-30": 2, "2025-12-31": 1, "2026-02-01": 4}


def plan(late, published=(), is_reported=False, written=()):
    return Plan(written, published, late, is_reported, None, 7, Heard(None, None, "heartbeats"))


def test_a_day_has_the_changes_of_earlier_days():
    found = plan(LATE)
    assert [found.late_until(f"2026-01-{day}") for day in ("01", "30", "31")] == [1, 3, 3]
    assert found.late_until("2025-12-30") == 0


def test_the_days_that_lack_what_has_come():
    published = ["2026-01-29", "2026-01-30", "2026-01-31"]
    late = {"2026-01-30": 2}
    assert plan(late, published).changed == ["2026-01-30", "2026-01-31"]
    assert plan(late, published, is_reported=True).changed == []
    assert plan({}, published).changed == []


def test_the_days_whose_late_changes_are_told():
    """Case 74: those that are written again, or all of them where they are reported."""
    published, late = ["2026-01-29", "2026-01-30"], {"2026-01-30": 2, "2026-01-31": 1}
    assert plan(late, published, written=["2026-01-30", "2026-01-31"]).late_days == {
        "2026-01-30": 2
    }
    assert plan(late, published, is_reported=True, written=["2026-01-31"]).late_days == {
        "2026-01-30": 2
    }
    without_bookmark = {"2026-01-29": 0}
    assert plan(without_bookmark, published, written=published).late_days == {}


@pytest.mark.parametrize(
    ("day", "end"), [("2026-12-31", "2027-01-01"), ("2028-02-28", "2028-02-29")]
)
def test_a_day_ends_at_midnight(day, end):
    assert end_of_day(day) == f"{end} 00:00:00"


def test_a_branch_is_named_by_its_day():
    assert branch_name("2026-01-31") == "ds_2026_01_31"


def test_the_days_that_are_kept():
    written = ["2025-12-31", "2026-01-01", "2026-01-02"]
    assert kept_days(written, None, None) == written
    assert kept_days(written, None, 1) == ["2025-12-31", "2026-01-02"]
    assert kept_days(written, "2026-01-05 00:00:00", 1) == ["2025-12-31"]
    assert kept_days([], None, 1) == []


def model(event_time=None, **given):
    return SimpleNamespace(var=given.get, event_time=event_time)


def test_the_days_that_are_asked_for():
    assert wanted_days(model()) is None
    first, last = wanted_days(model(ds="2026-01-30"))
    assert (str(first), str(last)) == ("2026-01-30", "2026-01-30")
    with pytest.raises(days.DayError, match="comes after"):
        wanted_days(model(ds="2026-01-30", ds_to="2026-01-29"))
    with pytest.raises(days.DayError, match="the vars ds and ds_to"):
        wanted_days(model(ds="yesterday"))


def test_a_source_that_nobody_hears():
    assert messages.unheard("daily_t", "shop") == (
        "daily_t: ops.watermarks has no row for the source shop. "
        "Add its heartbeats to models/ops/watermarks.sql."
    )
