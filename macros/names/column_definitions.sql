{% macro column_definitions(columns) -%}
    {%- for column in columns -%}
        {{ quoted(column.name) }} {{ column.data_type }}
        {%- if not loop.last %},
{% endif -%}
    {%- endfor -%}
{%- endmacro %}
