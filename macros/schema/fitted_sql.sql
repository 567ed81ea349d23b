{% macro fitted_sql(query, evolution) -%}
    {%- if evolution.fitted -%}
    select
        *{{ ' except (' ~ key_columns(evolution.replaced) ~ ')' if evolution.replaced }},
        {%- for column in evolution.fitted %}
        {{ column.expression }} as {{ quoted(column.name) }}{{ ',' if not loop.last }}
        {%- endfor %}
    from (
        {{ query | indent(8) }}
    )
    {%- else -%}
    {{ query }}
    {%- endif -%}
{%- endmacro %}
