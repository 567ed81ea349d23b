{# PostgreSQL sends the key of a deleted row alone, and no large value that an update left as it was #}
{% macro unsent_names(columns) -%}
if(
    event.op = 'd',
    array(
        {{ texts(columns | map(attribute='name')) }}
    ),
    array_compact(array(
        {%- for column in columns %}
        {%- set condition = is_unavailable(source_value(column), column) | trim %}
        if({{ condition or 'false' }}, {{ lakemirror_string(column.name) }}, null)
        {{- ',' if not loop.last }}
        {%- endfor %}
    ))
)
{%- endmacro %}
