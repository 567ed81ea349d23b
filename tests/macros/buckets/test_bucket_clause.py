from types import SimpleNamespace


def test_partitioned_where_there_are_buckets(macros):
    settings = SimpleNamespace(buckets=16, bucket_by="order_id")
    assert macros.bucket_clause(settings).strip() == "partitioned by (bucket(16, `order_id`))"
    settings.buckets = None
    assert macros.bucket_clause(settings).strip() == ""
