{% macro same_place(left, right) -%}
{{ source_order(left) }} = {{ source_order(right) }}
and {{ same_lineage(left ~ '._tx_log', right ~ '._tx_log') }}
{%- endmacro %}
