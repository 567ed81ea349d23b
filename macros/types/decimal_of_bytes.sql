{% macro decimal_of_bytes(value, type) -%}
try_cast(concat({{ integer_text(value, type.precision) }}, 'E-{{ type.scale }}') as {{ type.lake }})
{%- endmacro %}
