{# surely: in the binlog of the same server #}
{% macro is_behind(place) -%}
coalesce(
    cast(event.source.server_id as string) = '{{ place.server_id }}'
    and {{ event_place() | indent(4) }} > {{ binlog_place(lakemirror_string(place.file), place.pos) }},
    false
)
{%- endmacro %}
