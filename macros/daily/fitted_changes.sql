{# the changes as the mirror has taken them, and the table's column by the query's #}
{% macro fitted_changes(changes, columns, raw) %}
    {%- set staging = 'select * from ' ~ changes -%}
    {%- set evolution = adapter.plan_evolution(
        columns, columns_of_query(with_staging(staging)), [], {'on_type_conflict': 'string'}, raw
    ) -%}
    {{ return({
        'rows': '(' ~ fitted_sql(staging, evolution) ~ ')' if evolution.fitted else changes,
        'places': evolution.places,
    }) }}
{% endmacro %}
