{% macro decimal_of_number(value, type) -%}
{%- set number = 'try_cast(' ~ value ~ ' as ' ~ type.lake ~ ')' -%}
if({{ number }} = {{ value }}, {{ number }}, null)
{%- endmacro %}
