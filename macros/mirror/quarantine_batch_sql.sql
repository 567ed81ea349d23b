{# what was taken in once and is bad again is open again; what was left out by hand stays so #}
{% macro quarantine_batch_sql(stage, records, model_name, judged_by) %}
    {%- set columns = [
        'quarantine_id', 'model', 'reason', '_kfk_topic', '_kfk_partition', '_kfk_offset',
        'key', 'value', 'quarantined_at', 'judged_by'
    ] %}
    merge into {{ ops_table('quarantine') }} as old
    using (
        select distinct
            sha2(
                concat_ws('|', '{{ model_name }}', _kfk_topic, raw._kfk_partition, raw._kfk_offset),
                256
            ) as quarantine_id,
            '{{ model_name }}' as model,
            stage._outcome as reason,
            raw._kfk_topic,
            raw._kfk_partition,
            raw._kfk_offset,
            raw.key,
            raw.value,
            current_timestamp() as quarantined_at,
            '{{ judged_by }}' as judged_by
        from {{ stage }} as stage
        inner join {{ records }} as raw
            on
                stage._kfk_partition = raw._kfk_partition
                and stage._kfk_offset = raw._kfk_offset
        where stage._outcome not in ('change', 'ignored', 'truncate')
    ) as new
    on old.model = '{{ model_name }}' and old.quarantine_id = new.quarantine_id
    when matched and (
        old.settled_as = 'taken in'
        or old.settled_as is null and (
            old.judged_by is distinct from new.judged_by or old.reason <> new.reason
        )
    ) then update set
        old.reason = new.reason,
        old.judged_by = new.judged_by,
        old.settled_at = null,
        old.settled_as = null,
        old.settled_reason = null
    when not matched then insert ({{ key_columns(columns) }})
        values ({{ key_columns(columns, 'new') }})
{% endmacro %}
