{% macro array_of(value, type) -%}
{%- set element = decoded('element', type.element) -%}
if(
    exists({{ value }}, element -> {{ is_lost(element, 'element', type.element) }}),
    null,
    transform({{ value }}, element -> {{ element }})
)
{%- endmacro %}
