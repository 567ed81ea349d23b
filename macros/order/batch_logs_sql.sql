{# few rows, whatever the batch: by plain columns, which Iceberg reads by columns and Spark sums without a
   sort #}
{% macro batch_logs_sql(stage) %}
    select
        _tx_log,
        _tx_epoch,
        _latest_log,
        _latest_epoch,
        _tx_last_epoch,
        if(_outcome = 'truncate', _tx_rank, null) as truncate_rank,
        min(_tx_rank) as first_rank,
        max(_tx_last_rank) as last_rank,
        max(_tx_order) as last_order,
        cast(min(_src_ts) as string) as first_src_ts,
        cast(max(_src_ts) as string) as last_src_ts,
        cast(max(_latest_src_ts) as string) as latest_src_ts,
        count_if(_src_ts is null) as untimed
    from {{ stage }}
    where _outcome in ('change', 'truncate')
    group by all
{% endmacro %}
