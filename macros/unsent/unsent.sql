{# with no order, they are not known at all #}
{% macro unsent(names) -%}
transform(
    {{ names }},
    name -> struct(
        name,
        cast(null as bigint) as _tx_epoch,
        cast(null as bigint) as _tx_rank,
        cast(null as bigint) as _tx_order,
        cast(null as int) as _kfk_partition,
        cast(null as bigint) as _kfk_offset
    )
)
{%- endmacro %}
