{% macro undecodable(columns) -%}
concat_ws(
    ', ',
    if(
        event._corrupt_record is not null or value is not null and event is null,
        {{ unread(columns) | indent(8) }},
        null
    )
    {%- for column in columns if column.type.family != 'as_read' or column.older or column.conversion -%}
        {%- set value = source_value(column) -%}
        {%- set missing = is_unavailable(value, column) | trim -%}
        ,
    if({{ is_lost_value(value, column) | indent(4) }}
        {{- ' and not (' ~ missing ~ ')' if missing }}, {{ lakemirror_string(column.name) }}, null)
    {%- endfor %}
)
{%- endmacro %}
