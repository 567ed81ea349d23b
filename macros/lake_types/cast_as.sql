{% macro cast_as(value, conversion) -%}
try_cast({{ value }} as {{ conversion.lake }})
{%- endmacro %}
