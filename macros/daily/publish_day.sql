{# one atomic overwrite of one partition: by the day's rows, or by the name of a branch that has them #}
{% macro publish_day(target, raw, mirror, changes, unique_key, day, properties, late=none, publish='copy') %}
    {%- set columns = daily_columns(mirror) -%}
    {%- do run_query(create_daily_sql(target, days_columns(columns, publish))) -%}
    {%- set plan = plan_state(raw, mirror, changes, columns, end_of_day(day)) -%}
    {%- set evolution = plan_daily(target, columns, raw) if publish == 'copy' else none -%}
    {%- set branch = begin_branch(target) -%}
    {%- set previous = adapter.as_of_now(target) if late else none -%}
    {%- if publish == 'branch' -%}
        {%- set query = branch_of_day(raw, mirror, unique_key, plan, day) -%}
        {%- set names = days_columns(columns, publish) | map(attribute='name') | list -%}
    {%- else -%}
        {%- set mark = mirror ~ ' /* midnight(' ~ mirror ~ ', ' ~ changes ~ ') */' -%}
        {%- set query = compiled_code | replace(mark, planned_state_sql(plan, unique_key)) -%}
        {%- set query = fitted_sql(pinned(query, raw, plan.clause), evolution) -%}
        {%- set names = evolution.names -%}
        {%- do evolve(target, evolution, model.name) -%}
    {%- endif -%}
    {%- set query = day_sql(target ~ '.branch_' ~ branch, query, names, day) -%}
    {%- do commit_query(query, target, branch, dict(properties, ds=day, **{
        'late-events': late or none,
        'base-snapshot-id': plan.base.id if plan.base else none,
    })) -%}
    {%- if late -%}
        {%- do restated(
            day_rows(previous, mirror, day, publish),
            day_rows(adapter.as_of_now(target), mirror, day, publish),
            day,
            late
        ) -%}
    {%- else -%}
        {%- do log(model.name ~ ': published ' ~ day, info=true) -%}
    {%- endif -%}
{% endmacro %}
