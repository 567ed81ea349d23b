{# completed rows take the place of the staged batch #}
{% macro complete_batch(stage, target, tombstones, settings, columns, filled, floor, new_floor, updates, is_small, is_judged) %}
    {%- set completed = stage.incorporate(path={'identifier': 'completed__' ~ stage.identifier}) -%}
    {%- set changes = remaining_sql(stage, settings.deletes) if is_judged else stage -%}
    {#- a new TRUNCATE also completes rows that the batch does not meet -#}
    {%- set tombstones = touched_sql(tombstones, stage, settings.key)
        if is_small and not new_floor else tombstones -%}
    {%- do run_query(stage_sql(
        completed,
        completed_sql(
            changes, target, tombstones, settings, columns, filled, floor, new_floor, updates, is_small
        ),
        settings
    )) -%}
    {{ return(completed) }}
{% endmacro %}
