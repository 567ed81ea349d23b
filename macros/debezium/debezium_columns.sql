{% macro debezium_columns(raw) -%}
    {%- set row = 'coalesce(event.after, event.before)' -%}
    {%- set columns = adapter.declared_columns(raw) -%}
    {%- for column in columns -%}
        {%- set value = row ~ '.' ~ quoted(column.name) -%}
        {%- set missing = is_unavailable(value, column) | trim -%}
        {{ 'if(' ~ missing ~ ', null, ' if missing }}{{ decoded(value, column.type) }}{{ ')' if missing }} as {{ quoted(column.name) }},
{% endfor -%}
    {{ undecodable(row, columns) }} as _undecodable
    {%- if 'postgresql' in columns | map(attribute='connector') | list %},
    {{ unsent(unsent_names(columns, row)) | indent(4) }} as _unsent
    {%- endif %}
{%- endmacro %}
