{# what the columns say that the day had before #}
{% macro restated(previous, target, day, late) %}
    {%- set columns = columns_of_query('select * from ' ~ previous) | map(attribute='name') -%}
    {%- set difference = run_query(difference_sql(
        previous, adapter.as_of_now(target), columns | reject('equalto', 'ds') | list, day
    )).rows[0] -%}
    {%- do record_late([late_values(day, late, 'restated', difference)]) -%}
    {%- do log(
        model.name ~ ': published ' ~ day ~ ' again, for ' ~ late ~ ' late changes: '
        ~ difference['rows_added'] ~ ' rows added, ' ~ difference['rows_removed'] ~ ' removed',
        info=true
    ) -%}
{% endmacro %}
