{# the bookmark goes on, in a commit that changes nothing: nothing is reported twice #}
{% macro report_late(target, late, published, properties) %}
    {%- set rows = [] -%}
    {%- for day in published if late_until(late, day) -%}
        {%- do rows.append(late_values(day, late_until(late, day), 'reported')) -%}
    {%- endfor -%}
    {%- if rows -%}
        {%- do record_late(rows) -%}
    {%- endif -%}
    {%- set branch = begin_branch(target) -%}
    {%- do commit_query(
        'insert into ' ~ target ~ '.branch_' ~ branch ~ ' select * from ' ~ target ~ ' where false',
        target, branch, properties
    ) -%}
    {%- if rows -%}
        {%- do exceptions.warn(
            model.name ~ ': ' ~ late.values() | sum ~ ' changes from before the end of '
            ~ published | last ~ ' came after it was published, and may not be in it '
            ~ '(ops.late_events). To write a day again: dbt run --select ' ~ model.name
            ~ " --vars '{ds: ...}'"
        ) -%}
    {%- endif -%}
{% endmacro %}
