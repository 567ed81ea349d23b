{# the rows that a judged batch has something newer of; their new rows are inserted #}
{% macro remove_replaced_sql(target, judged, unique_key) %}
    merge into {{ target }} as target
    using (
        select {{ key_columns(unique_key) }}
        from {{ judged }}
        where _outcome = 'change' and _is_applied
    ) as changes
    on {{ same_key('target', 'changes', unique_key) }}
    when matched then delete
{% endmacro %}
