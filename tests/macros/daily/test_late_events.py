def test_late_is_what_lies_before_a_published_midnight(macros, sql):
    """Case 74, F21: the first moment of a day is not in the day before."""
    assert sql(macros.late_events_sql("raw.o version as of 7", "2026-02-01 00:00:00")) == sql("""
        select cast(cast(_src_ts as date) as string) as ds, count(*) as events
        from raw.o version as of 7
        where _src_ts < timestamp '2026-02-01 00:00:00'
        group by 1
    """)


def test_a_changed_row_is_added_and_removed(macros, sql):
    text = sql(macros.difference_sql("d version as of 1", "d", ["id", "v"], "2026-01-31"))
    nested = sql(macros.text_of_nested("struct(`id`, `v`)", None))
    row = f"select unhex(md5({nested})) as digest, {{}} as change from d"
    assert f"{row.format('1')} where ds = date '2026-01-31'" in text
    assert f"{row.format('-1')} version as of 1 where ds = date '2026-01-31'" in text
    assert "greatest(-rows, 0L)), 0L) as rows_removed" in text
