{# the matched clause never fires: without one, another run's commit would not be checked #}
{% macro quarantine_batch_sql(stage, records, model_name) %}
    merge into ops.quarantine as old
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
            current_timestamp() as quarantined_at
        from {{ stage }} as stage
        inner join {{ records }} as raw
            on
                stage._kfk_partition = raw._kfk_partition
                and stage._kfk_offset = raw._kfk_offset
        where stage._outcome not in ('change', 'ignored', 'truncate')
    ) as new
    on old.quarantine_id = new.quarantine_id
    when matched and old.quarantine_id is null then delete
    when not matched then insert *
{% endmacro %}
