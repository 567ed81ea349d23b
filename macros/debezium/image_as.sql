{% macro image_as(type) -%}
get(transform(
    array(from_json(event_text, {{ lakemirror_string('struct<before: ' ~ type ~ ', after: ' ~ type ~ '>') }})),
    other -> coalesce(other.after, other.before)
), 0)
{%- endmacro %}
