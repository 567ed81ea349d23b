{# a double keeps 15 digits: of more it cannot be told whether they are the source's #}
{% macro decimal_of_double(value, type) -%}
{%- set number = 'try_cast(' ~ value ~ ' as ' ~ type.lake ~ ')' -%}
if(
    cast({{ number }} as double) = {{ value }} and abs({{ value }}) < 1E{{ 15 - type.scale }}D,
    {{ number }},
    null
)
{%- endmacro %}
