{% macro source_value(column) -%}
{%- if column.former -%}
    coalesce(
        image.{{ quoted(column.name) }}
        {%- for name in column.former %},
        {{ 'image.' ~ quoted(name) if name | lower != column.name | lower
            else value_in_other_case(name, column.type.json) | indent(8) }}
        {%- endfor %}
    )
{%- else -%}
    image.{{ quoted(column.name) }}
{%- endif -%}
{%- endmacro %}
