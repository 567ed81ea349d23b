{# the rows are brought together by key and sorted once: in a log the newest is first, and a repeat follows what
   it repeats. A tombstone of Kafka has no column of the key: in a few hundred groups they are no task's alone #}
{% macro folded_sql(changes, unique_key, payload, filled=[], tells_snapshot=false) %}
    {%- set rows = 'filled' if filled else 'distributed' -%}
    {%- set group = key_columns(unique_key) ~ ', _outcome, _apart' -%}
    with

    judged as (

        select
            *,
            {{ change_outcome(unique_key) | indent(12) }} as _outcome
        from (
            {{ changes | indent(12) }}
        )

    ),

    distributed as (

        select
            *,
            case
                when _outcome = 'ignored' then cast(pmod(_kfk_offset, 200) as string)
                when _outcome not in ('change', 'truncate')
                    then concat_ws(':', _kfk_partition, _kfk_offset)
            end as _apart
        from judged
        distribute by {{ key_columns(unique_key) }}, _apart

    ),
    {%- if filled %}

    filled as (

        {{ filled_sql('distributed', unique_key + ['_outcome', '_apart'], filled) | indent(8) }}

    ),
    {%- endif %}

    compared as (

        select
            *,
            struct(
                {{ source_order(rows) }} as place,
                xxhash64(_op, {{ key_columns(payload) }}) as content
            ) as _change
        from {{ rows }}

    ),

    ordered as (

        select
            *,
            lag(_change) over in_order as _before,
            row_number() over in_order = 1 as _is_newest
        from compared
        window in_order as (
            partition by {{ group }}, _tx_log
            order by _tx_epoch desc, _tx_rank desc, _tx_order desc, _kfk_partition, _kfk_offset
        )

    ),

    counted as (

        select
            * except (_change, _before),
            collect_list(
                if(_is_newest, struct({{ key_columns(order_columns()) }}, _op), null)
            ) over of_key as _logs,
            max(struct(_src_ts, _tx_log, _tx_epoch)) over of_key as _latest,
            count(*) over of_key as _events,
            count_if(_before is null or _before.place <> _change.place) over of_key as _orders,
            coalesce(bool_or(
                _before.place = _change.place and _before.content <> _change.content
            ) over of_key, false) as _is_ambiguous
            {%- if tells_snapshot %},
            max(if(
                _op = 'r' and _src_snapshot in ('last', 'last_in_data_collection'),
                struct(_tx_epoch, _tx_rank, _tx_order, _tx_log),
                null
            )) over of_key as _snapshot_end
            {%- endif %}
        from ordered
        window of_key as (partition by {{ group }})

    )

    select
        * except (_is_newest, _logs, _latest),
        _latest._src_ts as _latest_src_ts,
        _latest._tx_log as _latest_log,
        _latest._tx_epoch as _latest_epoch,
        if(
            size(_logs) = 1, _tx_epoch, array_max(transform(_logs, log -> log._tx_epoch))
        ) as _tx_last_epoch,
        if(
            size(_logs) = 1, _tx_rank, array_max(transform(_logs, log -> log._tx_rank))
        ) as _tx_last_rank,
        {%- if not filled %}
        if(
            size(_logs) = 1 and _op <> 'd',
            array(),
            transform(
                filter(_logs, log -> log._op = 'd'),
                log -> struct({{ key_columns(order_columns(), 'log') }})
            )
        ) as _deletes,
        {%- endif %}
        size(_deletes) as _delete_count
    from counted
    where
        _is_newest
        and (
            size(_logs) = 1
            or _tx_log <=> {{ newest_change('_logs') | indent(12) }}._tx_log
        )
{% endmacro %}
