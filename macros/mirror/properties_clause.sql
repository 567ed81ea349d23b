{% macro properties_clause(properties) -%}
    tblproperties (
        {%- for name, value in properties.items() %}
        '{{ name }}' = '{{ value }}'{{ ',' if not loop.last }}
        {%- endfor %}
    )
{%- endmacro %}
