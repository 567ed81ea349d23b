{# in the columns that the day had before and has now #}
{% macro restated(before, after, day, late) %}
    {%- set there = columns_of_query('select * except (ds) from ' ~ before) | map(attribute='name') -%}
    {%- set here = columns_of_query('select * from ' ~ after) | map(attribute='name') | list -%}
    {%- set difference = run_query(difference_sql(
        before, after, there | select('in', here) | list, day
    )).rows[0] -%}
    {%- do record_late([late_values(day, late, 'restated', difference)]) -%}
    {%- do log(
        model.name ~ ': published ' ~ day ~ ' again, for ' ~ late ~ ' late changes: '
        ~ difference['rows_added'] ~ ' rows added, ' ~ difference['rows_removed'] ~ ' removed',
        info=true
    ) -%}
{% endmacro %}
