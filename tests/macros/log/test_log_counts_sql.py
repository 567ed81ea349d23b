def test_every_outcome_is_counted(macros, sql):
    counts = sql(macros.log_counts_sql("stage.s"))
    for name in ("read", "applied", "stale", "duplicate", "ignored", "quarantined", "max_src_ts"):
        assert f"as {name}" in counts
