def test_partitioned_where_there_are_buckets(macros):
    assert macros.bucket_clause(16, "order_id") == "partitioned by (bucket(16, `order_id`))"
    assert macros.bucket_clause(None, "order_id") == ""
