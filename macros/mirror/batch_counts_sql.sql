{# events of a key count as applied together: they were folded into what its row now is. Unguarded are
   new rows from before the horizon: a delete of theirs may be forgotten #}
{% macro batch_counts_sql(stage, target, tombstones, unique_key, known_floor, floor, pruned_until, filled=[]) %}
    with

    remembered as (

        {{ remembered_sql(tombstones, unique_key) | indent(8) }}

    ),

    compared as (

        select
            stage.*,
            if(
                stage._outcome = 'truncate',
                {{ floor_condition('stage', '<=', known_floor) | indent(16) }},
                {{ floor_condition('stage', '<', floor) | indent(16) }}
            ) as is_truncated,
            coalesce(
                exists(
                    remembered.deletes,
                    {%- if filled %}
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
            ) as is_outdated,
            target._op is null as is_new_row,
            stage._outcome = 'truncate' or {{ is_newer('stage', 'target') | indent(12) }}
                {%- if filled %}
                or {{ completes('stage', 'target') | indent(12) }}
                {%- endif %} as is_newer,
            if(
                stage._outcome = 'truncate',
                {{ floor_condition('stage', '=', known_floor) | indent(16) }},
                target._op is not null and {{ same_place('stage', 'target') | indent(16) }}
                or coalesce(
                    exists(
                        remembered.deletes,
                        tombstone -> {{ same_place('tombstone', 'stage') | indent(24) }}
                    ),
                    false
                )
            ) as is_same
        from {{ stage }} as stage
        left join {{ target }} as target on {{ same_key('stage', 'target', unique_key) }}
        left join remembered on {{ same_key('stage', 'remembered', unique_key) }}

    ),

    judged as (

        select
            *,
            _outcome in ('change', 'truncate') as is_ordered,
            is_newer and not is_truncated and not is_outdated as is_applied
        from compared

    )

    select
        coalesce(sum(_events), 0) as read,
        coalesce(sum(_orders) filter (where is_ordered and is_applied), 0) as applied,
        coalesce(sum(_orders - int(is_same)) filter (where is_ordered and not is_applied), 0)
            as stale,
        coalesce(
            sum(_events - _orders + int(is_same and not is_applied)) filter (where is_ordered), 0
        ) as duplicate,
        coalesce(sum(_events) filter (where _outcome = 'ignored'), 0) as ignored,
        coalesce(sum(_events) filter (where not is_ordered and _outcome <> 'ignored'), 0)
            as quarantined,
        coalesce(sum(size(_deletes)) filter (where _outcome = 'change'), 0) as deletes,
        count_if(_outcome = 'change' and is_outdated) as outdated,
        count_if(_outcome = 'change' and (_is_ambiguous or is_same and not is_applied))
            as ambiguous,
        {% if pruned_until -%}
        count_if(
            _outcome = 'change'
            and is_applied
            and is_new_row
            and _op <> 'd'
            and _src_ts < timestamp '{{ pruned_until }}'
        )
        {%- else -%}
        0
        {%- endif %} as unguarded,
        cast(max(_src_ts) filter (where is_ordered) as string) as max_src_ts
    from judged
{% endmacro %}
