def test_with_buckets_rows_are_written_by_bucket(macros, sql):
    folded = macros.folded_sql("select * from stg", ["id"], ["id", "v"])
    settings = {"key": ["id"], "buckets": 16, "bucket_by": "id"}
    assert sql(macros.stage_sql("stage.s", "select * from stg", settings, ["id", "v"])) == sql(f"""
        create table stage.s
        using iceberg
        partitioned by (bucket(16, `id`))
        tblproperties (
            'write.distribution-mode' = 'hash',
            'write.parquet.compression-codec' = 'zstd'
        )
        as
        {folded}
    """)


def test_without_buckets_rows_are_not_moved(macros, sql):
    folded = macros.folded_sql("select * from stg", ["id"], ["id", "v"])
    settings = {"key": ["id"], "buckets": None, "bucket_by": "id"}
    assert sql(macros.stage_sql("stage.s", "select * from stg", settings, ["id", "v"])) == sql(f"""
        create table stage.s
        using iceberg
        tblproperties (
            'write.distribution-mode' = 'none',
            'write.parquet.compression-codec' = 'zstd'
        )
        as
        {folded}
    """)
