HORIZON = "2026-01-13 00:00:00.000000"


def test_a_merge_carries_the_horizon(macros, sql):
    assert sql(macros.prune_sql("mirror.t", HORIZON)) == sql(f"""
        merge into mirror.t as tombstones
        using (select timestamp '{HORIZON}' as pruned_until) as horizon
        on tombstones._src_ts < horizon.pruned_until
        when matched then delete
    """)
