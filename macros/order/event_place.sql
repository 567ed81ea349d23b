{% macro event_place() -%}
case
    when event.source.pos between 0 and 4294967295
        then {{ binlog_place('event.source.file', 'event.source.pos') }}
end
{%- endmacro %}
