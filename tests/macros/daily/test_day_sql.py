def test_one_partition(macros, sql):
    written = macros.day_sql("daily.o.branch_b", "select 1", ["id", "a`b"], "2026-01-31")
    assert sql(written) == sql("""
        insert overwrite daily.o.branch_b partition (ds = date '2026-01-31') (`id`, `a``b`)
        select `id`, `a``b` from (
            select 1
        )
    """)
