{# the empty end is the end of all keys: 'g' is greater than every hex digit (NULLIF breaks a MERGE) #}
{% macro range_end(log) -%}
rpad(if({{ log }} like '%-_%', lower(split_part({{ log }}, '-', 2)), 'g'), 32, '0')
{%- endmacro %}
