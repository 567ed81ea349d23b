{# a third table in the MERGE would cost it the join without a shuffle, so the batch is cut before #}
{% macro drop_outdated_sql(stage, tombstones, unique_key) %}
    delete from {{ stage }} as stage
    where exists (
        select 1
        from {{ tombstones }} as tombstones
        where
            {{ same_key('stage', 'tombstones', unique_key) }}
            and (
                {{ change_order('tombstones') }} > {{ change_order('stage') }}
                or {{ source_order('tombstones') }} = {{ source_order('stage') }}
                and stage._op <> 'd'
            )
    )
{% endmacro %}
