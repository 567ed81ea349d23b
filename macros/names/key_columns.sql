{% macro key_columns(unique_key, row=none) -%}
    {%- for column in unique_key -%}
        {{ row ~ '.' if row }}{{ quoted(column) }}
        {%- if not loop.last %}, {% endif -%}
    {%- endfor -%}
{%- endmacro %}
