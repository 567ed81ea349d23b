{% macro ops_table(name) -%}
{{ target.schema_prefix }}ops.{{ name }}
{%- endmacro %}
