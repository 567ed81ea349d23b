{# with all digits of a time: without a format to_json cuts them to milliseconds #}
{% macro text_of_nested(value, conversion) -%}
{%- set time = "yyyy-MM-dd'T'HH:mm:ss.SSSSSS" -%}
to_json({{ value }}, map(
    'ignoreNullFields', 'false',
    'timestampFormat', {{ lakemirror_string(time ~ 'XXX') }},
    'timestampNTZFormat', {{ lakemirror_string(time) }}
))
{%- endmacro %}
