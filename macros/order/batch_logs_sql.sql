{# which logs a batch has events of: their epochs with the newest time, and their newest TRUNCATE; and from
   where on its changes lie #}
{% macro batch_logs_sql(stage) %}
    with

    epochs as (

        select _tx_log, _tx_epoch, _src_ts
        from {{ stage }}
        where _outcome in ('change', 'truncate')

        union all

        select _latest_log, _latest_epoch, _latest_src_ts
        from {{ stage }}
        where _outcome in ('change', 'truncate')

    )

    select
        'epoch' as kind,
        _tx_log,
        _tx_epoch,
        cast(null as bigint) as _tx_rank,
        cast(null as bigint) as _tx_order,
        cast(max(_src_ts) as string) as _src_ts
    from epochs
    where _tx_log is not null and _src_ts is not null
    group by _tx_log, _tx_epoch

    union all

    select
        'floor' as kind,
        _tx_log,
        _tx_epoch,
        _tx_rank,
        _tx_order,
        cast(_src_ts as string) as _src_ts
    from {{ stage }}
    where _outcome = 'truncate'

    union all

    select
        'start' as kind,
        cast(null as string) as _tx_log,
        min(struct(_tx_epoch, _tx_rank))._tx_epoch,
        min(struct(_tx_epoch, _tx_rank))._tx_rank,
        cast(null as bigint) as _tx_order,
        if(count(*) = count(_src_ts), cast(min(_src_ts) as string), null) as _src_ts
    from {{ stage }}
    where _outcome = 'change'
{% endmacro %}
