{# of the event's text: a struct has the columns that it is asked for, and null where there is none #}
{% macro names_at(path) -%}
json_object_keys(get_json_object(event_text, {{ path }}))
{%- endmacro %}
