RANGES = [
    {"_kfk_partition": 0, "first_offset": 3, "last_offset": 9},
    {"_kfk_partition": 2, "first_offset": 1, "last_offset": 1},
]


def test_the_log_is_read_where_the_windows_offsets_are(macros, sql):
    staged = sql(macros.log_stage_sql("stage.s", "select 1", "log.v", RANGES))
    assert (
        "from log.v where _kfk_partition = 0 and _kfk_offset >= 3 and _kfk_offset <= 9 "
        "or _kfk_partition = 2 and _kfk_offset >= 1 and _kfk_offset <= 1 )"
    ) in staged
    assert f"{sql(macros.change_outcome([]))} as _outcome" in staged


def test_a_rebuild_takes_everything(macros, sql):
    assert "from log.v where false )" in sql(macros.log_stage_sql("stage.s", "", "log.v", []))


def test_the_ranges_of_a_window(macros, sql):
    assert sql(macros.offset_ranges_sql("raw.v version as of 7")) == sql("""
        select
            _kfk_partition,
            min(_kfk_offset) as first_offset,
            max(_kfk_offset) as last_offset
        from raw.v version as of 7
        group by _kfk_partition
    """)
