def test_raw_is_compared_with_what_was_landed(macros, sql):
    """F49."""
    assert sql(macros.is_whole_sql("raw.t", "ops.landing")) == sql("""
        select coalesce(sum(rows), 0) <= (select count(*) from raw.t) as is_whole
        from ops.landing
        where topic = (select max(_kfk_topic) from (select _kfk_topic from raw.t limit 1))
    """)
