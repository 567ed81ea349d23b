def test_every_interval_is_counted_and_none_overflows(macros, sql):
    assert sql(macros.gtid_count("gtid")) == sql("""
        aggregate(
            regexp_extract_all(gtid, ':([0-9]+(?:-[0-9]+)?)', 1),
            0L,
            (transactions, part) -> try_add(
                transactions,
                try_add(
                    1L,
                    try_subtract(
                        try_cast(split_part(part, '-', -1) as bigint),
                        try_cast(split_part(part, '-', 1) as bigint)
                    )
                )
            )
        )
    """)
