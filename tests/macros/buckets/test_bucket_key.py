def test_bucket_of_the_column(macros):
    assert macros.bucket_key(16, "order`id") == "bucket(16, `order``id`)"
