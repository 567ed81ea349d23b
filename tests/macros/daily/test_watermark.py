def test_a_source_is_as_far_as_its_last_shard(macros, sql):
    """Case 69, F22: a shard without a time holds up the source."""
    assert sql(macros.watermark_sql("ops.watermark_shop")) == sql("""
        select
            count(*) as shards,
            cast(min(heard_from) as string) as heard_from,
            if(count(*) = count(complete_until), min(complete_until), null) as complete_until,
            concat_ws(', ', sort_array(collect_set(proof))) as proof
        from ops.watermark_shop
    """)


def test_the_query_of_a_sources_freshness(macros, sql):
    """H12: a source's query has no ref(), and names its watermark's model."""
    macros.context["adapter"].relation_of = lambda model: f"ops.{model}"
    whole = macros.watermark_sql("ops.watermark_shop")
    assert sql(macros.complete_until("watermark_shop")) == sql(
        f"select complete_until from ({whole})"
    )
