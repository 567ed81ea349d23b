{# the matched clauses stay even where nothing can match: without one, a MERGE is not checked #}
{% macro merge_sql(target, stage, tombstones, unique_key, columns) %}
    merge into {{ target }} as target
    using (
        select {{ key_columns(columns, 'stage') }}
        from {{ stage }} as stage
        left anti join {{ tombstones }} as tombstones
            on
                {{ same_key('stage', 'tombstones', unique_key) }}
                and (
                    {{ change_order('tombstones') }} > {{ change_order('stage') }}
                    or {{ source_order('tombstones') }} = {{ source_order('stage') }}
                    and stage._op <> 'd'
                )
        where stage._outcome = 'change'
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
