def test_a_heartbeat_counts_when_its_landing_has_ended(macros, sql):
    """Case 71."""
    text = sql(macros.landed("stg_heartbeat"))
    assert macros.refs == ["landing"]
    assert (
        "from stg_heartbeat as changes inner join ( select topic, partition, max(to_offset)" in text
    )
    assert "and changes._kfk_offset <= read.to_offset )" in text
