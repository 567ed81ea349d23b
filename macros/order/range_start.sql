{% macro range_start(log) -%}
rpad(if({{ log }} like '%-%', lower(split_part({{ log }}, '-', 1)), ''), 32, '0')
{%- endmacro %}
