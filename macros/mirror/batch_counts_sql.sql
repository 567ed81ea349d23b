{# events of a key count as applied together: they were folded into what its row now is #}
{% macro batch_counts_sql(stage, target, tombstones, unique_key, known_floor, floor) %}
    with

    remembered as (

        {{ remembered_sql(tombstones, unique_key) | indent(8) }}

    ),

    compared as (

        select
            stage._events,
            stage._orders,
            stage._contents,
            stage._deletes,
            stage._src_ts,
            stage._outcome,
            case stage._outcome
                when 'change' then
                    not ({{ floor_condition('stage', '<', floor) | indent(20) }})
                    and {{ is_newer('stage', 'target') | indent(20) }}
                    and not coalesce(
                        exists(
                            remembered.deletes,
                            tombstone -> {{ is_newer('tombstone', 'stage') | indent(28) }}
                        ),
                        false
                    )
                else not ({{ floor_condition('stage', '<=', known_floor) | indent(20) }})
            end as is_newer,
            case stage._outcome
                when 'change' then
                    {{ source_order('stage') }} = {{ source_order('target') }}
                    or coalesce(
                        exists(
                            remembered.deletes,
                            tombstone ->
                                {{ source_order('tombstone') }} = {{ source_order('stage') }}
                        ),
                        false
                    )
                else {{ floor_condition('stage', '=', known_floor) | indent(20) }}
            end as is_same
        from {{ stage }} as stage
        left join {{ target }} as target on {{ same_key('stage', 'target', unique_key) }}
        left join remembered on {{ same_key('stage', 'remembered', unique_key) }}

    )

    select
        coalesce(sum(_events), 0) as read,
        coalesce(sum(_orders) filter (where _outcome in ('change', 'truncate') and is_newer), 0)
            as applied,
        coalesce(
            sum(_orders - int(is_same))
                filter (where _outcome in ('change', 'truncate') and not is_newer),
            0
        ) as stale,
        coalesce(
            sum(_events - _orders + int(is_same and not is_newer))
                filter (where _outcome in ('change', 'truncate')),
            0
        ) as duplicate,
        coalesce(sum(_events) filter (where _outcome = 'ignored'), 0) as ignored,
        coalesce(sum(_events) filter (where _outcome not in ('change', 'ignored', 'truncate')), 0)
            as quarantined,
        coalesce(sum(size(_deletes)) filter (where _outcome = 'change'), 0) as deletes,
        count_if(_outcome = 'change' and (_contents > _orders or is_same and not is_newer))
            as ambiguous,
        cast(max(_src_ts) filter (where _outcome in ('change', 'truncate')) as string)
            as max_src_ts
    from compared
{% endmacro %}
