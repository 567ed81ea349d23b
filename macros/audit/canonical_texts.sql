{% macro canonical_texts(columns) -%}
array(
    {%- for column in columns %}
    {{ canonical_text(column) }}{{ ',' if not loop.last }}
    {%- endfor %}
)
{%- endmacro %}
