import pytest


def test_late_is_what_lies_before_a_published_midnight(macros, sql):
    """Case 74, F21: the first moment of a day is not in the day before."""
    assert sql(macros.late_events_sql("raw.o", "version as of 7", "2026-01-31")) == sql("""
        select cast(cast(_src_ts as date) as string) as ds, count(*) as events
        from raw.o version as of 7
        where _src_ts < timestamp '2026-02-01 00:00:00'
        group by 1
    """)


def test_a_day_has_the_changes_of_earlier_days(macros):
    late = {"2026-01-30": 2, "2025-12-31": 1, "2026-02-01": 4}
    assert [macros.late_until(late, f"2026-01-{day}") for day in (1, 30, 31)] == [1, 3, 3]
    assert macros.late_until(late, "2025-12-30") == 0


def test_a_row_for_a_published_day(macros, sql):
    macros.context["invocation_id"] = "i"
    macros.context["model"].name = "daily_o"
    assert sql(macros.late_values("2026-01-31", 3, "reported")) == sql("""
        ( 'i', 'daily_o', date '2026-01-31', 3, 'reported', null, null, current_timestamp() )
    """)
    difference = {"rows_added": 2, "rows_removed": 0}
    assert "'restated', 2, 0, current" in sql(
        macros.late_values("2026-01-31", 3, "restated", difference)
    )
    columns = macros.late_table_sql().split("(", 1)[1].split(") using")[0].split(",")
    assert len(columns) == 8


def test_a_changed_row_is_added_and_removed(macros, sql):
    text = sql(macros.difference_sql("d version as of 1", "d", ["id", "v"], "2026-01-31"))
    row = "select unhex(md5(to_json(struct(`id`, `v`)))) as digest, {} as change from d"
    assert f"{row.format('1')} where ds = date '2026-01-31'" in text
    assert f"{row.format('-1')} version as of 1 where ds = date '2026-01-31'" in text
    assert "greatest(-rows, 0L)), 0L) as rows_removed" in text


def test_what_happens_to_late_changes_is_configured(macros):
    expected = {"late_events": "restate", "publish": "copy", "keep_days": None}
    assert macros.daily_settings({}, "daily_o") == expected
    assert macros.daily_settings({"keep_days": 30}, "daily_o")["keep_days"] == 30
    for wrong in (0, "many"):
        assert "keep_days: a number" in macros.error("daily_settings", {"keep_days": wrong}, "d")
    assert macros.daily_settings({"late_events": "report"}, "daily_o")["late_events"] == "report"
    problem = macros.error("daily_settings", {"late_events": "ignore"}, "daily_o")
    assert "late_events: restate or report is expected, and not ignore" in problem


@pytest.mark.parametrize(
    ("day", "end"), [("2026-12-31", "2027-01-01"), ("2028-02-28", "2028-02-29")]
)
def test_a_day_ends_at_midnight(macros, day, end):
    assert macros.end_of_day(day) == f"{end} 00:00:00"
