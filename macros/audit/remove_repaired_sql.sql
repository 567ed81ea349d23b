{% macro remove_repaired_sql(target, stage, unique_key) %}
    delete from {{ target }} as target
    where exists (
        select 1
        from {{ stage }} as repaired
        where {{ same_key('target', 'repaired', unique_key) }}
    )
{% endmacro %}
