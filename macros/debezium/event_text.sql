{# Connect's JsonConverter writes the schema first, and quotes inside of texts are escaped: what follows
   the first such name is the event, to the last bracket. It is cut out, since parsing would round numbers #}
{% macro event_text() -%}
{%- set payload = lakemirror_string(',"payload":') -%}
{%- set start = 'locate(' ~ payload ~ ', value)' -%}
if(
    startswith(value, '{"schema":') and contains(value, {{ payload }}),
    substr(value, {{ start }} + 11, length(value) - {{ start }} - 11),
    value
)
{%- endmacro %}
