{% macro same_key(left, right, unique_key) -%}
    {%- for column in unique_key -%}
        {{ left }}.{{ quoted(column) }} = {{ right }}.{{ quoted(column) }}
        {%- if not loop.last %} and {% endif -%}
    {%- endfor -%}
{%- endmacro %}
