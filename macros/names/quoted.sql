{% macro quoted(name) -%}
`{{ name | replace('`', '``') }}`
{%- endmacro %}
