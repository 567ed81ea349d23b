{% macro debezium_columns(raw) -%}
{%- for column in adapter.declared_columns(raw) -%}
{{ debezium_column(column) }} as {{ quoted(column.name) }}{{ ',\n' if not loop.last }}
{%- endfor -%}
{%- endmacro %}
