def test_epochs_with_their_newest_time_and_the_newest_truncate(macros, sql):
    found = sql(macros.batch_logs_sql("stage.s"))
    assert "select _latest._tx_log, _latest._tx_epoch, _latest._src_ts from stage.s" in found
    assert "'epoch' as kind, _tx_log, _tx_epoch," in found
    assert found.endswith("from stage.s where _outcome = 'truncate'")
