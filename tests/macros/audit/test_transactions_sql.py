def test_where_transactions_begin_to_be_read(macros, sql):
    ended = sql(macros.ended_transactions_sql("raw.t version as of 1", "ops.landing", 5))
    assert "_landed_at >= timestamp_micros(5)" in ended
    assert "ended._kfk_offset <= read.proven_offset" in ended
    assert "_landed_at" not in sql(macros.ended_transactions_sql("raw.t", "ops.landing", None))


def test_changes_are_looked_for_around_their_transactions(macros, sql):
    lacking = sql(macros.lacking_transactions_sql("select 1", ["raw.a", "raw.b"], 1, 2))
    assert lacking.count("union all") == 1
    assert (
        "timestamp_micros(1) - interval 1 day and timestamp_micros(2) + interval 1 day" in lacking
    )
    assert "interval" not in sql(macros.lacking_transactions_sql("select 1", ["raw.a"], None, None))


def test_a_finding_has_both_numbers(macros, sql):
    found = sql(macros.transaction_findings_sql("select 1", "a", "raw.t", 9))
    assert "cast(landed as string) as in_mirror" in found
    assert "cast(events as string) as by_log" in found
    assert found.endswith("limit 9")
