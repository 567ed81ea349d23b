{% macro tombstones_sql(tombstones, stage, unique_key) %}
    insert into {{ tombstones }}
    select
        {{ key_columns(unique_key) }},
        _tx_epoch,
        _tx_rank,
        _tx_order,
        _src_ts,
        _kfk_partition,
        _kfk_offset
    from {{ stage }}
    where _outcome = 'change' and _op = 'd'
{% endmacro %}
