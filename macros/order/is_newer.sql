{% macro is_newer(left, right) -%}
if(
    {{ same_lineage(left ~ '._tx_log', right ~ '._tx_log') }},
    {{ change_order(left) }} > {{ change_order(right) }},
    {{ time_order(left) }} > {{ time_order(right) }}
)
{%- endmacro %}
