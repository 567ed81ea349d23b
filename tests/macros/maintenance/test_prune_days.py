def test_whole_partitions_go(macros, sql):
    assert sql(macros.prune_days_sql("daily.o", ["2026-01-29", "2026-01-30"])) == (
        "delete from daily.o where ds in (date '2026-01-29', date '2026-01-30')"
    )
