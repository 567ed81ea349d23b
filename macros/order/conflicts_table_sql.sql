{% macro conflicts_table_sql() %}
    create table if not exists ops.order_conflicts (
        conflict_id string,
        model string,
        unique_key string,
        _tx_log string,
        _tx_epoch bigint,
        _tx_rank bigint,
        _tx_order bigint,
        _kfk_partition int,
        _kfk_offset bigint,
        found_at timestamp
    ) using iceberg
    comment 'Keys with two different changes at one place of the source\'s order, and which one stands.'
    tblproperties ('write.merge.mode' = 'merge-on-read')
{% endmacro %}
