{# one struct cannot have two fields whose names differ in case alone #}
{% macro value_in_other_case(name, type) -%}
{{ image_as('struct<' ~ quoted(name) ~ ': ' ~ type ~ '>') }}.{{ quoted(name) }}
{%- endmacro %}
