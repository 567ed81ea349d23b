def test_changes_and_truncates_of_each_log_and_epoch(macros, sql):
    found = sql(macros.batch_logs_sql("stage.s"))
    assert found.startswith("select _tx_log, _tx_epoch, _latest_log, _latest_epoch,")
    assert "if(_outcome = 'truncate', _tx_rank, null) as truncate_rank," in found
    assert found.endswith("from stage.s where _outcome in ('change', 'truncate') group by all")


def test_what_a_batch_is_compared_with(macros, sql):
    start = {"_tx_epoch": 1, "_tx_rank": 7, "_src_ts": "2026-01-01 00:00:00"}
    assert sql(macros.may_outdate(start)) == (
        "_tx_epoch > 1L or _tx_epoch = 1L and _tx_rank >= 7L "
        "or _src_ts >= timestamp '2026-01-01 00:00:00'"
    )
