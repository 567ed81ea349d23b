{% macro text_of_bytes(value, type) -%}
{{ scaled_text(integer_text(value), type.scale) }}
{%- endmacro %}
