{# the floor is the newest TRUNCATE: it removed all that lies below its order #}
{% macro floor_condition(row, operator, floor) -%}
    {%- if floor -%}
        {{ source_order(row) }} {{ operator }} {{ floor_order(floor) | indent(8) }}
    {%- else -%}
        false
    {%- endif -%}
{%- endmacro %}
