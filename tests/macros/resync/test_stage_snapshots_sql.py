def test_only_the_rows_of_full_snapshots(macros, sql):
    """Case 25: incremental snapshots never count."""
    settings = {"key": ["id", "day"], "buckets": 16, "bucket_by": "id"}
    columns = macros.key_columns(["id", "day", *macros.order_columns(), "_src_snapshot"])
    assert sql(macros.stage_snapshots_sql("stage.s", "select * from stg", settings)) == sql(f"""
        create table stage.s
        using iceberg
        partitioned by (bucket(16, `id`))
        tblproperties (
            'write.distribution-mode' = 'hash',
            'write.parquet.compression-codec' = 'zstd',
            'write.parquet.dict-size-bytes' = '4096'
        )
        as
        select {columns}
        from ( select * from stg )
        where
            _op = 'r'
            and _src_snapshot in (
                'true', 'first', 'first_in_data_collection', 'last_in_data_collection', 'last'
            )
            and _tx_epoch is not null
            and _tx_rank is not null
            and _tx_order is not null
    """)


def test_without_buckets(macros, sql):
    settings = {"key": ["id"], "buckets": None, "bucket_by": "id"}
    statement = sql(macros.stage_snapshots_sql("stage.s", "select 1", settings))
    assert "'write.distribution-mode' = 'none'" in statement
    assert "partitioned by" not in statement
