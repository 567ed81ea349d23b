def test_schema_of_the_envelope(macros, sql):
    assert sql(macros.debezium_schema("`id`: int")) == sql("""
        struct<
            op: string, ts_ms: bigint, before: struct<`id`: int>, after: struct<`id`: int>,
            source: struct<
                name: string, ts_ms: bigint,
                db: string, keyspace: string, table: string, shard: string,
                snapshot: string, server_id: bigint, vgtid: string, file: string,
                pos: bigint, row: bigint,
                sequence: string
            >,
            transaction: struct<
                id: string, total_order: bigint, data_collection_order: bigint,
                transaction_epoch: bigint, transaction_rank: string
            >,
            _corrupt_record: string
        >
    """)
