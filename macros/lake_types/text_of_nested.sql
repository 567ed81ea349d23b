{% macro text_of_nested(value, conversion) -%}
to_json({{ value }}, map('ignoreNullFields', 'false'))
{%- endmacro %}
