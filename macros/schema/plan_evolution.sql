{# what a table needs for a query's rows, decided before anything is written #}
{% macro plan_evolution(target, columns, own, settings, raw, model_name) %}
    {%- set there = query_columns('select * from ' ~ target) -%}
    {%- set names = there | map(attribute='name') | list -%}
    {%- set evolution = adapter.plan_evolution(there, columns, own, settings, raw) -%}
    {%- if '_is_deleted' in names and '_is_deleted' not in own | map(attribute='name') | list -%}
        {%- do evolution.problems.append(
            'deletes was soft, and the rows that it keeps of deleted keys would count as live'
        ) -%}
    {%- endif -%}
    {%- if evolution.problems -%}
        {%- do exceptions.raise_compiler_error(
            evolution_problem(target, evolution.problems, model_name)
        ) -%}
    {%- endif -%}
    {{ return(evolution) }}
{% endmacro %}
