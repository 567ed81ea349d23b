{# lengths before the texts: no other row has the same #}
{% macro canonical_row(columns) -%}
concat(
    {%- for column in columns %}
    coalesce(concat(length({{ canonical_text(column) }}), ':', {{ canonical_text(column) }}), '-'),
    {%- endfor %}
    '.'
)
{%- endmacro %}
