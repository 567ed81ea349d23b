{# on the run's branch: readers see nothing of it before the insert that follows brings the bookmark #}
{% macro remove_replaced(
    branch, stage, settings, changed, new_floor, is_judged, touched=[], join='broadcast'
) %}
    {%- if new_floor -%}
        {%- do run_query(
            'delete from ' ~ branch ~ ' as target where ' ~ floor_condition('target', '<', new_floor)
        ) -%}
    {%- endif -%}
    {%- if changed -%}
        {%- do run_query(remove_replaced_sql(branch, stage, settings, is_judged, touched, join)) -%}
    {%- endif -%}
{% endmacro %}
