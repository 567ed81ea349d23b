{% macro newest_places_sql(changes) %}
    {%- set place = 'struct(_tx_epoch, _tx_rank, _tx_order, _kfk_partition, _kfk_offset)' %}
    select
        _tx_log,
        cast(max(_src_ts) as string) as newest,
        max({{ place }}) as place,
        max({{ place }}) filter (where _op in ('c', 'u', 'r')) as image
    from (
        {{ changes | indent(8) }}
    )
    where
        coalesce(_op, '') not in ('tombstone', 'm', '')
        and {{ is_placed() | indent(8) }}
    group by _tx_log
{% endmacro %}
