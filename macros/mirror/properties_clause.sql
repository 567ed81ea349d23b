{% macro properties_clause(properties) -%}
    {%- if properties -%}
    tblproperties (
        {%- for name, value in properties.items() %}
        '{{ name }}' = '{{ value }}'{{ ',' if not loop.last }}
        {%- endfor %}
    )
    {%- endif -%}
{%- endmacro %}
