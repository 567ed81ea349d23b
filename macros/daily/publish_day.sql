{# one atomic overwrite of one partition #}
{% macro publish_day(target, raw, mirror, changes, unique_key, day, properties, late=none) %}
    {%- set midnight = end_of_day(day) -%}
    {%- set columns = daily_columns(mirror) -%}
    {%- do run_query(create_daily_sql(target, columns)) -%}
    {%- set evolution = plan_daily(target, columns, raw) -%}
    {%- set plan = plan_state(raw, mirror, changes, columns, midnight) -%}
    {%- set branch = begin_branch(target) -%}
    {%- set previous = adapter.as_of_now(target) if late else none -%}
    {%- set state = planned_state_sql(plan, unique_key) -%}
    {%- set mark = mirror ~ ' /* midnight(' ~ mirror ~ ', ' ~ changes ~ ') */' -%}
    {%- set query = compiled_code | replace(mark, state) -%}
    {%- set query = pinned(query, raw, plan.clause) -%}
    {%- do evolve(target, evolution, model.name) -%}
    {%- set query = day_sql(
        target ~ '.branch_' ~ branch, fitted_sql(query, evolution), evolution.names, day
    ) -%}
    {%- do commit_query(query, target, branch, dict(properties, ds=day, **{
        'late-events': late or none,
        'base-snapshot-id': plan.base.id if plan.base else none,
    })) -%}
    {%- if late -%}
        {%- do restated(previous, target, day, late) -%}
    {%- else -%}
        {%- do log(model.name ~ ': published ' ~ day, info=true) -%}
    {%- endif -%}
{% endmacro %}
