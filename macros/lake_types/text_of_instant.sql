{# the session counts in UTC #}
{% macro text_of_instant(value, conversion) -%}
concat(cast({{ value }} as string), '+00:00')
{%- endmacro %}
