HORIZON = "2026-01-13 00:00:00.000000"


def test_a_merge_carries_the_horizon(macros, sql):
    assert sql(macros.prune_sql("mirror.t", HORIZON)) == sql(f"""
        merge into mirror.t as tombstones
        using (select timestamp '{HORIZON}' as pruned_until) as horizon
        on tombstones._src_ts < horizon.pruned_until
        when matched then delete
    """)


def test_what_would_go(macros, sql):
    assert sql(macros.outlived_sql("mirror.t", HORIZON)) == (
        f"select count(*) as outlived from mirror.t where _src_ts < timestamp '{HORIZON}'"
    )
