{# takes the place of the staged batch; says how many rows still lack a value that nothing has told #}
{% macro complete_batch(stage, target, tombstones, settings, columns, filled, floor, new_floor) %}
    {%- set completed = stage.incorporate(path={'identifier': 'completed__' ~ stage.identifier}) -%}
    {%- do run_query(completed_sql(
        completed, stage, target, tombstones, settings, columns, filled, floor, new_floor
    )) -%}
    {%- do run_query('drop table ' ~ stage ~ ' purge') -%}
    {{ return(completed) }}
{% endmacro %}
