{% macro debezium_event(raw) -%}
{%- set row = [] -%}
{%- for column in adapter.source_of(raw).columns -%}
    {%- do row.append(source_fields(column)) -%}
{%- endfor -%}
{{ event_text() }} as event_text,
from_json(
    event_text,
    {{ lakemirror_string(debezium_schema(row | join(', '))) }}
) as event,
coalesce(event.after, event.before) as image
{%- endmacro %}
