{% macro order_conflicts_sql(stage, rows, shape, payload, model_name) %}
    select
        sha2(
            concat_ws(
                '|',
                '{{ model_name }}',
                to_json(struct({{ key_columns(shape.key, 'stage') }})),
                stage._tx_epoch,
                stage._tx_rank,
                stage._tx_order
            ),
            256
        ) as conflict_id,
        '{{ model_name }}' as model,
        to_json(struct({{ key_columns(shape.key, 'stage') }})) as unique_key,
        stage._tx_log,
        stage._tx_epoch,
        stage._tx_rank,
        stage._tx_order,
        stage._kfk_partition,
        stage._kfk_offset,
        current_timestamp() as found_at
    from {{ stage }} as stage
    left join {{ rows }} as target
        on
            {{ same_key('stage', 'target', shape.key) }}
            and {{ same_place('stage', 'target') }}
    where
        stage._outcome = 'change'
        and (
            stage._is_ambiguous
            or target._op is not null
            and xxhash64({{ sent_by_both('stage', 'target', payload, shape.filled) }})
            <> xxhash64({{ sent_by_both('target', 'stage', payload, shape.filled) }})
        )
{% endmacro %}
