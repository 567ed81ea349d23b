{% macro source_fields(column) -%}
{{ quoted(column.name) }}: {{ column.type.json }}
{%- for name in column.former if name | lower != column.name | lower -%}
    , {{ quoted(name) }}: {{ column.type.json }}
{%- endfor -%}
{%- endmacro %}
