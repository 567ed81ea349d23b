{# null where there is no room for it #}
{% macro number_as(value, conversion) -%}
try_cast({{ value }} as {{ conversion.lake }})
{%- endmacro %}
