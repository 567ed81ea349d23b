{% macro unknown_names(names, gone=[]) -%}
nullif(to_json(filter(
    json_object_keys(get_json_object(event_text, '$.after')),
    name -> name not in (
        {{ texts(names) }}
    )
    {%- for column in gone %}
    or name in ({{ texts(column.names) }}) and coalesce(
        cast(event.source.server_id as string) = '{{ column.since.server_id }}'
        and {{ event_place() | indent(8) }} > {{ binlog_place(lakemirror_string(column.since.file), column.since.pos) }},
        false
    )
    {%- endfor %}
)), '[]')
{%- endmacro %}
