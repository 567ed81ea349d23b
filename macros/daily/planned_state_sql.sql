{% macro planned_state_sql(plan, unique_key, is_whole=true) -%}
{{ state_sql(
    plan.before, plan.floor, plan.changes, plan.deletes, unique_key, plan.columns, plan.time, is_whole
) }}
{%- endmacro %}
