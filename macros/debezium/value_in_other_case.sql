{# one struct cannot have two fields whose names differ in case alone: the event is read once more #}
{% macro value_in_other_case(name, type) -%}
    {%- set field = quoted(name) ~ ': ' ~ type -%}
    get(
        transform(
            array(from_json(
                {{ event_text('value') | indent(16) }},
                {{ lakemirror_string('struct<before: struct<' ~ field ~ '>, after: struct<' ~ field ~ '>>') }}
            )),
            other -> coalesce(other.after, other.before).{{ quoted(name) }}
        ),
        0
    )
{%- endmacro %}
