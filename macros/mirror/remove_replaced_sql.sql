{% macro remove_replaced_sql(target, changes, unique_key, join, touched='') %}
    delete from {{ target }} as target
    where ({{ key_columns(unique_key, 'target') }}) in (
        select /*+ {{ join }}(changes) */ {{ key_columns(unique_key, 'changes') }}
        from {{ changes }} as changes
        where _outcome = 'change'
    )
    {{- touched }}
{% endmacro %}
