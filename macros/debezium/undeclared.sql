{# from_json leaves out in silence what it is not asked for. To read the names takes two more readings of the event, so
   that they are asked only where the row, written again from what was read, is not the text that came. What has the
   name of a dropped column, and was sent surely after that had gone, behind it in the binlog of its server, is another
   one #}
{% macro undeclared(names, gone=[], sent=[]) -%}
{%- if sent -%}
if(
    event.after is null and event._corrupt_record is null
    or contains(event_text, concat('"after":', {{ row_text(sent) | indent(4) }}, ',"source":{')),
    null,
    {{ unknown_names(names, gone) | indent(4) }}
)
{%- else -%}
{{ unknown_names(names, gone) }}
{%- endif -%}
{%- endmacro %}
