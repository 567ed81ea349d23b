def test_every_outcome_is_counted(macros, sql):
    counts = sql(macros.batch_counts_sql("judged", None))
    for name in ("read", "applied", "stale", "duplicate", "ignored", "quarantined", "max_src_ts"):
        assert f"as {name}" in counts


def test_undeclared_columns_of_rows_that_count(macros, sql):
    counts = sql(macros.batch_counts_sql("judged", None, tells_undeclared=True))
    names = sql(macros.undeclared_names("_outcome = 'change' and _is_applied", True))
    assert counts.startswith(f"select {names} as undeclared, ")
    assert (
        "filter ( where _undeclared is not null and (_outcome = 'change' and _is_applied "
        "or _outcome like 'cannot be decoded: %') )"
    ) in names
    assert macros.undeclared_names("true", False) == "'[]'"
    assert "'[]' as undeclared" in sql(macros.batch_counts_sql("judged", None))


def test_new_rows_from_before_the_horizon_are_unguarded(macros, sql):
    """F06: with the horizon of a prune, and without one."""
    pruned = sql(macros.batch_counts_sql("judged", "2026-01-13"))
    assert (
        "_is_new_row and _op <> 'd' and _src_ts < timestamp '2026-01-13' ) as unguarded" in pruned
    )
    assert "0 as unguarded" in sql(macros.batch_counts_sql("judged", None))


def test_rows_that_are_to_be_completed(macros, sql):
    assert "0 as partial" in sql(macros.batch_counts_sql("judged", None))
    partial = sql(macros.batch_counts_sql("judged", None, filled=["v"]))
    assert "count_if(_outcome = 'change' and _is_partial) as partial" in partial


def test_rows_that_lack_what_the_table_requires(macros, sql):
    assert "0 as incomplete" in sql(macros.batch_counts_sql("judged", None))
    counts = sql(macros.batch_counts_sql("judged", None, required=["a`b", "c"]))
    assert (
        "count_if(_outcome = 'change' and _is_applied and ( `a``b` is null or `c` is null ))"
        " as incomplete," in counts
    )


def test_the_end_of_a_snapshot_is_asked_where_it_is_told(macros, sql):
    assert "as snapshot" not in sql(macros.batch_counts_sql("judged", None))
    told = sql(macros.batch_counts_sql("judged", None, tells_snapshot=True))
    assert "to_json(max(_snapshot_end), map('ignoreNullFields', 'false')) as snapshot," in told
