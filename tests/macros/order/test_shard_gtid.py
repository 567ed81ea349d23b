def test_the_position_of_the_shard(macros, sql):
    assert sql(macros.shard_gtid("vgtid", "shard")) == sql("""
        get(filter(
            from_json(vgtid, 'array<struct<shard: string, gtid: string>>'),
            part -> part.shard = shard
        ), 0).gtid
    """)
