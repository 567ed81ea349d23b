def test_what_was_landed_and_is_not_there(macros, sql):
    """F49, F34: a topic's records by their number, and by the first landing; those that two runs
    have reported are counted once."""
    text = sql(macros.lacking_sql("ops.landing", "shop__t", "raw.`shop__t`"))
    assert "from ops.landing where raw_table = 'shop__t' and rows > 0 )" in text
    assert "from placed group by topic, partition, stretch, landed_at" in text
    assert "max(records) as records, min(first_until) as first_until from by_run" in text
    assert "from raw.`shop__t` group by _kfk_topic, _kfk_partition" in text
    assert (
        "where held.records is null or held.records < landed.records "
        "or held.first_offset > landed.first_until" in text
    )
