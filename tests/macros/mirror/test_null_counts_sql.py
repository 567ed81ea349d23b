def test_the_nulls_of_each_column(macros, sql):
    assert sql(macros.null_counts_sql("rows", ["a`b", "c"])) == sql("""
        select
            count_if(`a``b` is null) as `a``b`,
            count_if(`c` is null) as `c`
        from rows
    """)
