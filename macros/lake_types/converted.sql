{# a decoded value as the source's lake_types want it #}
{% macro converted(value, column) -%}
{{ context[column.conversion.macro](value, column.conversion) if column.conversion else value }}
{%- endmacro %}
