{% macro text_of_binary(value, conversion) -%}
hex({{ value }})
{%- endmacro %}
