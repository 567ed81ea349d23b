{# the matched clauses stay even where nothing can match: without one, a MERGE is not checked #}
{% macro merge_sql(target, stage, unique_key, columns) %}
    merge into {{ target }} as target
    using (
        select {{ key_columns(columns) }} from {{ stage }} where _outcome = 'change'
    ) as changes
    on {{ same_key('target', 'changes', unique_key) }}
    when matched and {{ change_order('changes') }} > {{ change_order('target') }}
        and changes._op = 'd' then delete
    when matched and {{ change_order('changes') }} > {{ change_order('target') }} then update set
        {% for column in columns -%}
            target.{{ quoted(column) }} = changes.{{ quoted(column) }}{{ ',' if not loop.last }}
        {% endfor %}
    when not matched and changes._op <> 'd' then insert
        ({{ key_columns(columns) }})
        values ({{ key_columns(columns, 'changes') }})
{% endmacro %}
