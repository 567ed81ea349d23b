{% macro time_of_units(value, type) -%}
{%- if type.unit == 'millis' -%}
    try_multiply({{ value }}, 1000L)
{%- elif type.unit == 'nanos' -%}
    if({{ value }} % 1000 = 0, {{ value }} div 1000, null)
{%- else -%}
    {{ value }}
{%- endif -%}
{%- endmacro %}
