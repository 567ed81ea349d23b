{% macro converted(value, column) -%}
{{ context[column.conversion.macro](value, column.conversion) if column.conversion else value }}
{%- endmacro %}
