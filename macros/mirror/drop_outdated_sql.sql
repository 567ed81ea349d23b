{# a third table in the MERGE would cost it the join without a shuffle, so the batch is cut before #}
{% macro drop_outdated_sql(stage, tombstones, unique_key) %}
    merge into {{ stage }} as stage
    using (
        {{ remembered_sql(tombstones, unique_key) | indent(8) }}
    ) as remembered
    on
        {{ same_key('stage', 'remembered', unique_key) }}
        and stage._outcome = 'change'
    when matched and exists(
        remembered.deletes,
        tombstone -> {{ outdates('tombstone', 'stage') | indent(8) }}
    ) then delete
{% endmacro %}
