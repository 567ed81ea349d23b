def test_one_field_is_changed(macros, sql):
    def changed(there, buckets):
        return sql(macros.rebucket_sql("mirror.t", there, buckets, "a`b"))

    field = "bucket(8, `a``b`)"
    replaced = f"alter table mirror.t replace partition field bucket(4, x) with {field}"
    assert changed(["bucket(4, x)"], 8) == replaced
    assert changed([], 8) == f"alter table mirror.t add partition field {field}"
    assert changed(["bucket(4, x)"], None) == (
        "alter table mirror.t drop partition field bucket(4, x)"
    )
