"""Which days a run writes, and what it says of late changes."""

from types import SimpleNamespace

import pytest

from lakemirror.layers import Layers
from lakemirror.runs import messages
from lakemirror.runs.daily import (
    BRANCH_COLUMNS,
    DailyRun,
    Heard,
    Plan,
    branch_name,
    end_of_day,
    kept_days,
    wanted_days,
)
from lakemirror.runs.settings import DailySettings
from lakemirror.state import days
from lakemirror.state.window import Window

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
    assert messages.unheard("daily_t", "ops.watermark_shop") == (
        "daily_t: ops.watermark_shop has no row: its source is not heard, and no day of it is over."
    )


def test_all_days_are_kept_and_written_again_by_themselves():
    settings = DailySettings.read({"unique_key": "id"})
    assert (settings.late_events, settings.publish, settings.keep_days) == ("restate", "copy", None)


PLAIN = "with stg as (select 1) select * from m.t /* midnight(m.t, stg, w) */\n"


class RefusedError(Exception):
    """What a warehouse that refuses raises."""


class Recording:
    """A warehouse that keeps its statements."""

    layers = Layers()

    def __init__(self):
        self.statements = []

    def run(self, statement):
        self.statements.append(statement)

    def sql(self, macro, *arguments):
        return (macro, *arguments)

    def refuse(self, problem):
        raise RefusedError(problem)


def run(publish, sql=PLAIN, names=None, columns=()):
    """A run of a daily table that has the columns ``names``, or is not there."""
    return SimpleNamespace(
        warehouse=Recording(),
        target="daily.t",
        model=SimpleNamespace(name="daily_t", sql=sql, existing=names and "daily.t"),
        settings=SimpleNamespace(publish=publish, publish_when="written"),
        is_copy=publish == "copy",
        table=names and SimpleNamespace(names=names),
        plan=plan({}),
        states=SimpleNamespace(columns=columns),
    )


def refused(*given):
    with pytest.raises(RefusedError) as raised:
        DailyRun.refuse_layout(run(*given))
    return str(raised.value)


@pytest.mark.parametrize(
    "sql",
    [
        f"{PLAIN} where id > 1",
        "select id from m.t /* midnight(m.t, stg, w) */",
        "select * from (m.t /* midnight(m.t, stg, w) */)",
    ],
)
def test_a_branch_has_the_rows_of_the_mirror(sql):
    """A model that says more than that is refused."""
    DailyRun.refuse_layout(run("branch", PLAIN))
    DailyRun.refuse_layout(run("copy", sql))
    assert "can only be select *" in refused("branch", sql)


def test_days_stay_what_they_are():
    copies, branches = ["id", "ds"], ["branch", "snapshot_id", "ds"]
    DailyRun.refuse_layout(run("copy", PLAIN, copies))
    assert "the other way" in refused("branch", PLAIN, copies)
    DailyRun.refuse_layout(run("branch", PLAIN, branches))
    assert "the other way" in refused("copy", PLAIN, branches)


@pytest.mark.parametrize("publish", ["copy", "branch"])
def test_a_mirror_with_a_column_ds_has_no_days(publish):
    """B9: it would be there twice, or be taken for the day."""
    DailyRun.refuse_day(run(publish), ["id", "dst"], "mirror.t")
    with pytest.raises(RefusedError) as raised:
        DailyRun.refuse_day(run(publish), ["id", "DS"], "mirror.t")
    assert str(raised.value).startswith("daily_t: mirror.t has a column ds, and so is called")
    assert "delete the model, or leave the column out of the mirror (ignored_columns" in str(
        raised.value
    )


def test_the_columns_of_a_daily_table():
    """Without a day that is due, a new table is made all the same, and is empty."""
    columns = [{"name": "id", "data_type": "bigint"}]
    for publish, expected in (("copy", columns), ("branch", BRANCH_COLUMNS)):
        made = run(publish, columns=columns)
        assert DailyRun.apply(made) is None
        [statement] = made.warehouse.statements
        assert statement[:2] == ("create_table_sql", "daily.t")
        assert statement[2:4] == ([*expected, {"name": "ds", "data_type": "date"}], ["ds"])
    assert [column["name"] for column in BRANCH_COLUMNS] == ["branch", "snapshot_id"]


def test_late_is_what_lies_before_the_last_published_midnight():
    """Case 74, F21. Without a bookmark all days count as changed, and nothing is asked."""
    asked = []
    made = run("copy")
    made.states.mirror = SimpleNamespace(raw="raw.o")
    made.warehouse.sources = SimpleNamespace(records_sql=lambda raw, clause: f"{raw} {clause}")
    made.warehouse.rows = lambda query: asked.append(query) or [{"ds": "2026-01-30", "events": "2"}]
    found, published = Window(6, 7, 1), ["2026-01-30", "2026-01-31"]
    assert DailyRun.late(made, found, published) == {"2026-01-30": 2}
    assert asked == [("late_events_sql", f"raw.o {found.clause}", "2026-02-01 00:00:00")]
    assert DailyRun.late(made, None, published) == {}
    assert DailyRun.late(made, found, []) == {}
    assert DailyRun.late(made, Window(None, 7, 1), published) == {"2026-01-30": 0}
    assert len(asked) == 1
