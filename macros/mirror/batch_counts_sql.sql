{# events of a key count as applied together: they were folded into what its row now is #}
{% macro batch_counts_sql(stage, target, tombstones, unique_key) %}
    with

    held as (

        select {{ key_columns(unique_key) }}, _tx_epoch, _tx_rank, _tx_order from {{ target }}
        union all
        select {{ key_columns(unique_key) }}, _tx_epoch, _tx_rank, _tx_order from {{ tombstones }}

    ),

    newest_held as (

        select
            {{ key_columns(unique_key) }},
            max({{ source_order('held') }}) as source_order
        from held
        group by {{ key_columns(unique_key) }}

    ),

    compared as (

        select
            stage._events,
            stage._orders,
            stage._op,
            stage._src_ts,
            stage._outcome,
            coalesce({{ source_order('stage') }} > newest_held.source_order, true) as is_newer,
            coalesce({{ source_order('stage') }} = newest_held.source_order, false) as is_same
        from {{ stage }} as stage
        left join newest_held on {{ same_key('stage', 'newest_held', unique_key) }}

    )

    select
        coalesce(sum(_events), 0) as read,
        coalesce(sum(_orders) filter (where _outcome = 'change' and is_newer), 0) as applied,
        coalesce(sum(_orders - int(is_same)) filter (where _outcome = 'change' and not is_newer), 0)
            as stale,
        coalesce(sum(_events - _orders + int(is_same)) filter (where _outcome = 'change'), 0)
            as duplicate,
        coalesce(sum(_events) filter (where _outcome = 'ignored'), 0) as ignored,
        coalesce(sum(_events) filter (where _outcome = 'truncate'), 0) as truncates,
        coalesce(sum(_events) filter (where _outcome not in ('change', 'ignored', 'truncate')), 0)
            as quarantined,
        count_if(_outcome = 'change' and is_newer and _op = 'd') as deletes,
        cast(max(_src_ts) filter (where _outcome = 'change') as string) as max_src_ts
    from compared
{% endmacro %}
