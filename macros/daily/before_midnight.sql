{# the rows of the commit before; where the table had other columns then, as they are now #}
{% macro before_midnight(mirror, base, columns, raw) %}
    {%- if base is none -%}
        {{ return(none) }}
    {%- endif -%}
    {%- set then = query_columns('select * from ' ~ mirror ~ ' version as of ' ~ base.id) -%}
    {{ return(before_midnight_sql(
        mirror,
        base,
        adapter.projected_columns(columns, then, default_values(raw, [], model.name), raw)
    )) }}
{% endmacro %}
