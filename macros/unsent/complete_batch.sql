{# completed rows take the place of the staged batch #}
{% macro complete_batch(stage, target, tombstones, settings, columns, filled, floor, new_floor, updates) %}
    {%- set completed = stage.incorporate(path={'identifier': 'completed__' ~ stage.identifier}) -%}
    {%- do run_query(completed_sql(
        completed, stage, target, tombstones, settings, columns, filled, floor, new_floor, updates
    )) -%}
    {%- do drop_batch(stage) -%}
    {{ return(completed) }}
{% endmacro %}
