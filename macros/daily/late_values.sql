{% macro late_values(day, events, decision, difference=none) -%}
(
    '{{ invocation_id }}',
    '{{ model.name }}',
    date '{{ day }}',
    {{ events }},
    '{{ decision }}',
    {{ difference['rows_added'] if difference else 'null' }},
    {{ difference['rows_removed'] if difference else 'null' }},
    current_timestamp()
)
{%- endmacro %}
