{# the rows of all days that a daily model has published as branches, with ds: for a view #}
{% macro days_of(daily, mirror) -%}
    {%- set found = adapter.days_as_branches(daily, mirror) if execute else {'names': [], 'days': []} -%}
    {{ days_of_sql(mirror, found.names, found.days) }}
{%- endmacro %}
