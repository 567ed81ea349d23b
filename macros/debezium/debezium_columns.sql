{% macro debezium_columns(raw) -%}
    {%- set row = 'coalesce(event.after, event.before)' -%}
    {%- set columns = adapter.declared_columns(raw) -%}
    {%- for column in columns -%}
    {{ debezium_column(row, column) }} as {{ quoted(column.name) }},
{% endfor -%}
    {{ undecodable(row, columns) }} as _undecodable,
    {{ undeclared(adapter.declared_names(raw), adapter.gone_names(raw)) }} as _undeclared
    {%- if 'postgresql' in columns | map(attribute='connector') | list %},
    {{ unsent(unsent_names(columns, row)) | indent(4) }} as _unsent
    {%- endif %}
{%- endmacro %}
