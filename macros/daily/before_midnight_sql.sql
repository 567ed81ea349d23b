{% macro before_midnight_sql(mirror, base, columns) -%}
    select
        {%- for column in columns %}
        {{ column.expression }} as {{ quoted(column.name) }},
        {%- endfor %}
        true as _is_before
    from {{ mirror }} version as of {{ base.id }}
{%- endmacro %}
