{% macro judged_sql(stage, known, shape, place, is_cached=false) %}
    {%- set rows = touched_sql(known.rows, stage, shape.key) if is_cached else known.rows %}
    {%- set deletes = touched_sql(known.deletes, stage, shape.key) if is_cached else known.deletes %}
    with

    remembered as (

        {{ remembered_sql(deletes, shape.key) | indent(8) }}

    ),

    compared as (

        select{{ ' /*+ broadcast(target, remembered) */' if is_cached }}
            stage.*,
            if(
                stage._outcome = 'truncate',
                {{ floor_condition('stage', '<=', place.known_floor) | indent(16) }},
                {{ floor_condition('stage', '<', place.floor) | indent(16) }}
            ) as _is_truncated,
            coalesce(
                exists(
                    remembered.deletes,
                    {%- if shape.filled %}
                    tombstone -> ({{ outdates('tombstone', 'stage') | indent(20) }})
                        and (
                            target._op is null
                            or {{ source_order('target') }} > {{ source_order('tombstone') }}
                        )
                    {%- else %}
                    tombstone -> {{ outdates('tombstone', 'stage') | indent(20) }}
                    {%- endif %}
                ),
                false
            ) as _is_outdated,
            target._op is null as _is_new_row,
            {%- if shape.filled %}
            coalesce(stage._unsent, target._unsent) is not null as _is_partial,
            {%- endif %}
            stage._outcome = 'truncate' or {{ is_newer('stage', 'target') | indent(12) }}
                {%- if shape.filled %}
                or {{ completes('stage', 'target') | indent(12) }}
                {%- endif %} as _is_newer,
            if(
                stage._outcome = 'truncate',
                {{ floor_condition('stage', '=', place.known_floor) | indent(16) }},
                target._op is not null and {{ same_place('stage', 'target') | indent(16) }}
                or coalesce(
                    exists(
                        remembered.deletes,
                        tombstone -> {{ same_place('tombstone', 'stage') | indent(24) }}
                    ),
                    false
                )
            ) as _is_same
        from {{ stage }} as stage
        left join {{ rows }} as target on {{ same_key('stage', 'target', shape.key) }}
        left join remembered on {{ same_key('stage', 'remembered', shape.key) }}

    )

    select
        *,
        _outcome in ('change', 'truncate') as _is_ordered,
        _is_newer and not _is_truncated and not _is_outdated as _is_applied
    from compared
{% endmacro %}
