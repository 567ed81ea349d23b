{% macro debezium_columns(raw) -%}
{%- for column in adapter.source_of(raw).columns -%}
{{ debezium_column(column) }} as {{ quoted(column.name) }}{{ ',\n' if not loop.last }}
{%- endfor -%}
{%- endmacro %}
