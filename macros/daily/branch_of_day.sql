{# a branch and no tag: what is read by a branch has the columns that the table has now #}
{% macro branch_of_day(raw, mirror, unique_key, plan, day) %}
    {%- set snapshot = snapshot_of_state(raw, mirror, unique_key, plan) -%}
    {%- set name = branch_name(day) -%}
    {%- do adapter.execute_until_committed(
        'alter table ' ~ mirror ~ ' create or replace branch ' ~ name ~ ' as of version ' ~ snapshot
    ) -%}
    {{ return("select '" ~ name ~ "' as branch, " ~ snapshot ~ 'L as snapshot_id') }}
{% endmacro %}
