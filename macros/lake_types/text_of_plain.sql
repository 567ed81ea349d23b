{% macro text_of_plain(value, conversion) -%}
cast({{ value }} as string)
{%- endmacro %}
