{% macro remove_keys_sql(branch, touched, unique_key) %}
    merge into {{ branch }} as target
    using (
        select distinct {{ key_columns(unique_key) }}
        from {{ touched }}
        where _outcome = 'change'
    ) as changes
    on {{ same_key('target', 'changes', unique_key) }}
    when matched then delete
{% endmacro %}
