{% macro order_columns() %}
    {{ return([
        '_tx_log', '_tx_epoch', '_tx_rank', '_tx_order', '_src_ts', '_kfk_partition', '_kfk_offset',
    ]) }}
{% endmacro %}
