{% macro decoded(value, type) -%}
{{ context[type.family](value, type) }}
{%- endmacro %}
