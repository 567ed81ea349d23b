{# one atomic overwrite of one partition. With a change from before what the tombstones remember, all
   of raw is read: it has the deletes #}
{% macro publish_day(target, raw, mirror, changes, unique_key, day, properties, late=none) %}
    {%- set midnight = end_of_day(day) -%}
    {%- set columns = daily_columns(mirror) -%}
    {%- do run_query(create_daily_sql(target, columns)) -%}
    {%- set evolution = plan_daily(target, columns, raw) -%}
    {%- set branch = begin_branch(target) -%}
    {%- set previous = adapter.as_of_now(target) if late else none -%}
    {%- set base = none if var('replay') else adapter.newest_commit_before(mirror, midnight) -%}
    {%- set window = adapter.next_window(raw, base, model.name) -%}
    {%- set memory = adapter.memory(tombstones_of(mirror)) -%}
    {%- if memory.pruned_until and memory.may_lack(changed_from(raw, window)) -%}
        {%- set base = none -%}
        {%- set window = adapter.next_window(raw, none, model.name) -%}
    {%- endif -%}
    {%- set floor = adapter.known_floor(base) -%}
    {%- set fitted = fitted_changes(changes, columns, raw) -%}
    {%- set state = state_sql(
        before_midnight(mirror, base, columns, raw, fitted.places),
        floor,
        fitted.rows,
        memory.deletes,
        unique_key,
        columns | map(attribute='name') | list,
        midnight
    ) -%}
    {%- set mark = mirror ~ ' /* midnight(' ~ mirror ~ ', ' ~ changes ~ ') */' -%}
    {%- set query = compiled_code | replace(mark, state) -%}
    {%- set query = pinned(query, raw, window.clause if window else 'where false') -%}
    {%- do evolve(target, evolution, model.name) -%}
    {%- set query = day_sql(
        target ~ '.branch_' ~ branch, fitted_sql(query, evolution), evolution.names, day
    ) -%}
    {%- do commit_query(query, target, branch, dict(properties, ds=day, **{'late-events': late or none})) -%}
    {%- if late -%}
        {%- do restated(previous, target, day, late) -%}
    {%- else -%}
        {%- do log(model.name ~ ': published ' ~ day, info=true) -%}
    {%- endif -%}
{% endmacro %}
