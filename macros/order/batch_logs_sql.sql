{# few rows, whatever the batch: by plain columns, which Iceberg reads by columns and Spark sums without a
   sort. The counts are those of a batch that follows, so that one which does is asked nothing more; it begins behind
   any horizon. Grouped by expressions: a column of the source may have the name of an alias #}
{% macro batch_logs_sql(stage, batch, shape, required, settings=none) %}
    {%- set is_ordered = "_outcome in ('change', 'truncate')" %}
    {%- set truncate_rank = "if(_outcome = 'truncate', _tx_rank, null)" %}
    select
        {{ is_ordered }} as is_ordered,
        _tx_log,
        _tx_epoch,
        _latest_log,
        _latest_epoch,
        _tx_last_epoch,
        {{ truncate_rank }} as truncate_rank,
        min(_tx_rank) as first_rank,
        max(_tx_last_rank) as last_rank,
        max(_tx_order) as last_order,
        cast(min(_src_ts) as string) as first_src_ts,
        cast(max(_src_ts) as string) as last_src_ts,
        cast(max(_latest_src_ts) as string) as latest_src_ts,
        count_if(_src_ts is null) as untimed,
        {%- if settings %}
        to_json(collect_set({{ bucket_of('stage', settings) }}) filter (where _outcome = 'change')) as buckets,
        {%- endif %}
        {{ batch_counts(batch, shape, required) | indent(8) }}
    from (
        {{ following_sql(stage, shape.filled) | indent(8) }}
    ) as stage
    group by
        {{ is_ordered }},
        _tx_log,
        _tx_epoch,
        _latest_log,
        _latest_epoch,
        _tx_last_epoch,
        {{ truncate_rank }}
{% endmacro %}
