{# a number below zero, where the type has none, came in another encoding #}
{% macro decoded(value, type) -%}
{%- set found = context[type.family](value, type) -%}
{%- if type.is_unsigned is defined and type.lake != 'string' -%}
if({{ found }} >= 0, {{ found }}, null)
{%- else -%}
{{ found }}
{%- endif -%}
{%- endmacro %}
