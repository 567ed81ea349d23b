def test_a_heartbeat_counts_when_its_landing_has_ended(macros, sql):
    """Case 71."""
    text = sql(macros.landed("stg_heartbeat"))
    assert set(macros.refs) == {"landing"}
    assert "from stg_heartbeat as changes left join (" in text
    assert text.endswith("where known.topic is null or changes._kfk_offset <= read.proven_offset )")
