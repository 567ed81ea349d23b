{# the rows of all days that a daily model has published as branches, with ds: for a view #}
{% macro days_of(daily, mirror) -%}
    {%- set days, names = [], [] -%}
    {%- if execute -%}
        {%- set names = daily_columns(mirror) | map(attribute='name') | list -%}
        {%- set days = run_query(
            'select cast(ds as string) as ds, branch from ' ~ daily ~ ' order by ds'
        ).rows -%}
    {%- endif -%}
    {{ days_of_sql(mirror, names, days) }}
{%- endmacro %}
