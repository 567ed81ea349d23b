{# the floor is the newest TRUNCATE: it removed all that lies below its order #}
{% macro floor_condition(row, operator, floor) -%}
    {%- if floor -%}
        {{ source_order(row) }}
        {{ operator }} struct({{ floor._tx_epoch }}L, {{ floor._tx_rank }}L, {{ floor._tx_order }}L)
    {%- else -%}
        false
    {%- endif -%}
{%- endmacro %}
