{# the changes as the mirror has taken them #}
{% macro fitted_changes(changes, columns, raw) %}
    {%- set staging = 'select * from ' ~ changes -%}
    {%- set query = ('with ' ~ model.extra_ctes | map(attribute='sql') | join(', ') ~ ' '
        if model.extra_ctes) ~ staging -%}
    {%- set evolution = adapter.plan_evolution(
        columns, query_columns(query), [], {'on_type_conflict': 'string'}, raw
    ) -%}
    {{ return('(' ~ fitted_sql(staging, evolution) ~ ')' if evolution.fitted else changes) }}
{% endmacro %}
