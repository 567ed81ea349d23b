{# from_json leaves out in silence what it is not asked for. What has the name of a dropped column, and was
   sent surely after that had gone, behind it in the binlog of its server, is another one #}
{% macro undeclared(names, gone=[]) -%}
nullif(to_json(filter(
    {{ names_at("'$.after'") | indent(4) }},
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
