{# as JSON, of which dbt does not guess types; `_src_ts` is when the connector began to read the table. One row alone
   is a whole snapshot, unless the log has lost the rows before it #}
{% macro newest_snapshot_sql(stage, unique_key, is_whole) %}
    with

    snapshots as (

        select
            _tx_log,
            _tx_epoch,
            _tx_rank,
            _tx_order,
            cast(min(_src_ts) as string) as _src_ts,
            coalesce(min(_src_ts) < max(min(_src_ts)) over (), false) as is_older,
            count(distinct {{ key_columns(unique_key) }}) as rows,
            count_if(
                {%- for column in unique_key %}
                {{ quoted(column) }} is null{{ ' or' if not loop.last }}
                {%- endfor %}
            ) as keyless,
            bool_or(_src_snapshot in ('first', 'first_in_data_collection')) as is_begun,
            max(struct(_kfk_partition, _kfk_offset)) filter (
                where _src_snapshot in ('last', 'last_in_data_collection')
            ) as end
        from {{ stage }}
        group by _tx_log, _tx_epoch, _tx_rank, _tx_order

    )

    select
        to_json(
            struct(
                * except (is_begun, end),
                is_begun{{ ' or rows = 1' if is_whole }} as has_begin,
                end is not null as has_end,
                end._kfk_partition,
                end._kfk_offset
            ),
            map('ignoreNullFields', 'false')
        ) as snapshot
    from snapshots
    order by _tx_epoch desc, _tx_rank desc, _tx_order desc, _tx_log
    limit 1
{% endmacro %}
