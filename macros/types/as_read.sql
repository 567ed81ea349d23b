{% macro as_read(value, type) -%}
{{ value }}
{%- endmacro %}
