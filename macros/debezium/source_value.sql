{# a column's value as it was read; older events have it under another name #}
{% macro source_value(row, column) -%}
    {%- if column.former -%}
        coalesce(
            {{ row }}.{{ quoted(column.name) }}
            {%- for name in column.former %},
            {{ row ~ '.' ~ quoted(name) if name | lower != column.name | lower
                else value_in_other_case(name, column.type.json) | indent(12) }}
            {%- endfor %}
        )
    {%- else -%}
        {{ row }}.{{ quoted(column.name) }}
    {%- endif -%}
{%- endmacro %}
