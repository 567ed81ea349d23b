{# a commit on it counts only if the table has not moved meanwhile: see adapter.fast_forward #}
{% macro begin_branch(relation) %}
    {%- set branch = 'lakemirror_' ~ invocation_id | replace('-', '_') -%}
    {%- do adapter.execute_until_committed(
        'alter table ' ~ relation ~ ' create or replace branch ' ~ branch ~ ' retain 1 days'
    ) -%}
    {{ return(branch) }}
{% endmacro %}
