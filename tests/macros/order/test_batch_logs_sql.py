def test_epochs_with_their_newest_time_and_the_newest_truncate(macros, sql):
    found = sql(macros.batch_logs_sql("stage.s"))
    assert "select _latest_log, _latest_epoch, _latest_src_ts from stage.s" in found
    assert "'epoch' as kind, _tx_log, _tx_epoch," in found
    assert "from stage.s where _outcome = 'truncate' union all" in found


def test_where_the_changes_begin(macros, sql):
    found = sql(macros.batch_logs_sql("stage.s"))
    assert "min(struct(_tx_epoch, _tx_rank))._tx_rank," in found
    assert found.endswith(
        "if(count(*) = count(_src_ts), cast(min(_src_ts) as string), null) as _src_ts "
        "from stage.s where _outcome = 'change'"
    )
    start = {"_tx_epoch": 1, "_tx_rank": 7, "_src_ts": "2026-01-01 00:00:00"}
    assert sql(macros.may_outdate(start)) == (
        "_tx_epoch > 1L or _tx_epoch = 1L and _tx_rank >= 7L "
        "or _src_ts >= timestamp '2026-01-01 00:00:00'"
    )
