{# what a table needs for a batch's rows, decided before anything is written; a rebuilt one has no columns
   that it would have to keep #}
{% macro plan_evolution(target, batch, own, settings, model_name) %}
    {%- if batch.is_rebuild -%}
        {{ return(adapter.plan_evolution([], batch.columns, [], settings, batch.raw)) }}
    {%- endif -%}
    {%- set there = columns_of_query('select * from ' ~ target) -%}
    {%- set names = there | map(attribute='name') | list -%}
    {%- set evolution = adapter.plan_evolution(there, batch.columns, own, settings, batch.raw) -%}
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
