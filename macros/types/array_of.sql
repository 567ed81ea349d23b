{% macro array_of(value, type) -%}
    if(
        exists({{ value }}, element -> {{ is_lost('element', type.element) }}),
        null,
        transform({{ value }}, element -> {{ decoded('element', type.element) }})
    )
{%- endmacro %}
