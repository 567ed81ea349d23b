def test_a_snapshot_ends_with_its_last_row(macros, sql):
    """Cases 23, 69."""
    assert sql(macros.snapshot_end_sql("stg", True)) == sql("""
        select
            cast(coalesce(
                min(_src_ts) filter (where _src_snapshot in ('last', 'last_in_data_collection')),
                max(_src_ts) filter (where _op = 'r')
            ) as string) as known_from
        from stg
    """)
    assert "_src_snapshot" not in macros.snapshot_end_sql("stg", False)
