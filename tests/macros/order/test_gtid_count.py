def test_every_interval_is_counted(macros, sql):
    assert sql(macros.gtid_count("gtid")) == sql("""
        aggregate(
            regexp_extract_all(gtid, ':([0-9]+(?:-[0-9]+)?)', 1),
            0L,
            (transactions, part) -> transactions + 1
                + cast(split_part(part, '-', -1) as bigint)
                - cast(split_part(part, '-', 1) as bigint)
        )
    """)
