def test_a_source_is_as_far_as_its_last_shard(macros, sql):
    """Case 69, F22: a shard without a time holds up the source."""
    assert sql(macros.watermark_sql("ops.watermarks", "it's")) == sql(r"""
        select
            count(*) as shards,
            cast(min(heard_from) as string) as heard_from,
            if(count(*) = count(complete_until), min(complete_until), null) as complete_until,
            concat_ws(', ', sort_array(collect_set(proof))) as proof
        from ops.watermarks
        where source_name = 'it\'s'
    """)
