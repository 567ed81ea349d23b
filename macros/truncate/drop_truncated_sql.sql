{% macro drop_truncated_sql(stage, floor) %}
    delete from {{ stage }} as stage
    where
        stage._outcome = 'change'
        and {{ floor_condition('stage', '<', floor) }}
{% endmacro %}
