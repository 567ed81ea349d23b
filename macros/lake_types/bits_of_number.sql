{% macro bits_of_number(value, conversion) -%}
lpad(conv(cast({{ value }} as string), 10, 2), {{ conversion.length }}, '0')
{%- endmacro %}
