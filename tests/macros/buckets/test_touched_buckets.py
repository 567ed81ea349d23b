SETTINGS = {"buckets": 4, "bucket_by": "a`b"}


def test_the_buckets_of_all_changes(macros, sql):
    """F43b: a stale change too, or its row would seem new."""
    assert sql(macros.touched_buckets_sql("s", SETTINGS)) == (
        "select distinct system.bucket(4, stage.`a``b`) as bucket "
        "from s as stage where _outcome = 'change' order by bucket"
    )
    assert sql(macros.in_buckets(SETTINGS, [0, 3])) == (
        "and system.bucket(4, target.`a``b`) in (0, 3)"
    )
