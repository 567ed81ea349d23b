{# the rows of the commit before; where the table had other columns then, as they are now #}
{% macro before_midnight(mirror, base, columns, raw, places) %}
    {%- if base is none -%}
        {{ return(none) }}
    {%- endif -%}
    {%- set then = columns_of_query('select * from ' ~ mirror ~ ' version as of ' ~ base.id) -%}
    {%- set defaults = default_values(raw, [], model.name) -%}
    {%- set projected = adapter.projected_columns(columns, then, defaults, raw) -%}
    {%- set returned = returned_to_renew(
        adapter.returned_columns(raw), base, places, defaults, columns
    ) -%}
    {{ return(before_midnight_sql(mirror, base, renewed_columns(projected, returned))) }}
{% endmacro %}
