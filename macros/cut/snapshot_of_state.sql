{# a branch from the commit to start from gets what has changed since; without one, all rows. Only live
   ones: a row that is deleted softly is in no day either #}
{% macro snapshot_of_state(raw, mirror, unique_key, plan) %}
    {#- two models of a run may do this at once -#}
    {%- set branch = 'lakemirror_cut_' ~ local_md5(invocation_id ~ model.unique_id) -%}
    {%- set into = mirror ~ '.branch_' ~ branch -%}
    {%- set start = ' as of version ' ~ plan.base.id if plan.base else '' -%}
    {%- do adapter.execute_until_committed(
        'alter table ' ~ mirror ~ ' create or replace branch ' ~ branch ~ start ~ ' retain 1 days'
    ) -%}
    {%- set there = columns_of_query('select * from ' ~ mirror) | map(attribute='name') | list -%}
    {%- set soft = soft_columns('soft' if '_is_deleted' in there else none) -%}
    {%- set state = with_staging(
        'select *' ~ (', false, cast(null as timestamp)' if soft else '') ~ ' from '
        ~ planned_state_sql(plan, unique_key, is_whole=plan.base is none)
    ) -%}
    {%- set columns = key_columns(plan.columns + soft | map(attribute='name') | list) -%}
    {%- set verb = 'into' if plan.base else 'overwrite' -%}
    {%- if plan.base -%}
        {%- do remove_changed(into, raw, mirror, unique_key, plan) -%}
        {%- if soft -%}
            {%- do run_query('delete from ' ~ into ~ ' as target where target._is_deleted') -%}
        {%- endif -%}
    {%- endif -%}
    {%- do run_query(
        'insert ' ~ verb ~ ' ' ~ into ~ ' (' ~ columns ~ ') ' ~ pinned(state, raw, plan.clause)
    ) -%}
    {%- set snapshot = run_query(
        'select snapshot_id from ' ~ mirror ~ ".refs where name = '" ~ branch ~ "'"
    ).rows[0][0] | int -%}
    {%- do adapter.execute_until_committed('alter table ' ~ mirror ~ ' drop branch ' ~ branch) -%}
    {{ return(snapshot) }}
{% endmacro %}
