def test_every_outcome_is_counted(macros, sql):
    counts = sql(macros.batch_counts_sql("judged", None))
    for name in ("read", "applied", "stale", "duplicate", "ignored", "quarantined", "max_src_ts"):
        assert f"as {name}" in counts


def test_new_rows_from_before_the_horizon_are_unguarded(macros, sql):
    """F06: with the horizon of a prune, and without one."""
    pruned = sql(macros.batch_counts_sql("judged", "2026-01-13"))
    assert (
        "_is_new_row and _op <> 'd' and _src_ts < timestamp '2026-01-13' ) as unguarded" in pruned
    )
    assert "0 as unguarded" in sql(macros.batch_counts_sql("judged", None))
