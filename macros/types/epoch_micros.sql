{# microseconds of a number of millis, micros or nanos; null where that would lose something #}
{% macro epoch_micros(value, unit) -%}
{%- if unit == 'millis' -%}
    try_multiply({{ value }}, 1000L)
{%- elif unit == 'nanos' -%}
    if({{ value }} % 1000 = 0, {{ value }} div 1000, null)
{%- else -%}
    {{ value }}
{%- endif -%}
{%- endmacro %}
