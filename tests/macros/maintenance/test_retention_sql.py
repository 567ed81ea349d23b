from lakemirror.state.care import Outlived

GOES = Outlived("2026-01-03 00:00:00", "2026-01-02 23:10:00.000000", 7, 900)
PAST = """(
    (_src_ts is not null and _src_ts < timestamp '2026-01-03 00:00:00')
    or (_src_ts is null and _landed_at < timestamp '2026-01-02 23:10:00.000000')
)"""


def test_what_goes_is_told_apart_from_what_has_no_time(macros, sql):
    """To Iceberg a partition without a time is before every time."""
    assert sql(macros.is_past(GOES)) == sql(PAST)
    assert sql(macros.drop_hours_sql("raw.`t`.branch_b", GOES)) == sql(
        f"delete from raw.`t`.branch_b where {PAST}"
    )


def test_files_are_counted_by_metadata(macros, sql):
    found = sql(macros.outlived_sql("raw.`t` version as of 7", 490_000))
    assert found.count("from raw.`t`.files version as of 7") == 2
    assert "where content = 0 and partition._src_ts_hour < 490000" in found
    assert found.endswith("where content = 0 and partition._src_ts_hour is null")


def test_what_is_unread_and_what_is_open(macros, sql):
    assert sql(macros.unread_from_sql("raw.`t` with (x)")) == sql("""
        select
            unix_micros(min(_src_ts)) as source_micros,
            unix_micros(min(_landed_at) filter (where _src_ts is null)) as landed_micros
        from raw.`t` with (x)
    """)
    found = sql(macros.open_from_sql("raw.`t` version as of 7", ["a", "b'"]))
    assert "and open.settled_at is null and open.model in ('a', 'b\\'')" in found


def test_a_day_of_the_archive(macros, sql):
    assert sql(macros.archived_days_sql("raw.`t`", GOES)).startswith(
        "select distinct cast(cast(coalesce(_src_ts, _landed_at) as date) as string) as ds"
    )
    found = sql(macros.archive_sql("raw.`t` version as of 7", GOES, "2026-01-01", "/a/ds=1"))
    assert found == sql(f"""
        insert overwrite directory '/a/ds=1'
        using parquet
        options (compression 'zstd')
        select * from raw.`t` version as of 7
        where {PAST}
        and cast(coalesce(_src_ts, _landed_at) as date) = date '2026-01-01'
    """)
