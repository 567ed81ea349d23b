{# _corrupt_record takes the text of an event with a value that does not have its type #}
{% macro debezium_schema(row) -%}
struct<
    op: string, ts_ms: bigint,
    before: struct<{{ row }}>,
    after: struct<{{ row }}>,
    source: struct<
        name: string, ts_ms: bigint, db: string, keyspace: string, table: string, shard: string,
        snapshot: string, server_id: bigint, vgtid: string, file: string, pos: bigint, row: bigint,
        sequence: string
    >,
    transaction: struct<
        id: string, total_order: bigint, data_collection_order: bigint,
        transaction_epoch: bigint, transaction_rank: string
    >,
    _corrupt_record: string
>
{%- endmacro %}
