{% macro log_stage_sql(stage, changes, target, ranges) %}
    create table {{ stage }}
    using iceberg
    tblproperties ('write.parquet.compression-codec' = 'zstd')
    as
    with

    judged as (

        select
            *,
            {{ change_outcome([]) | indent(12) }} as _outcome
        from (
            {{ changes | indent(12) }}
        )

    ),

    records as (

        select
            _kfk_partition,
            _kfk_offset,
            any_value(struct(*)) as row,
            count(*) as _events
        from judged
        group by _kfk_partition, _kfk_offset

    ),

    known as (

        select _kfk_partition, _kfk_offset, _src_ts, _op
        from {{ target }}
        where
            {{ offset_condition(ranges) | indent(8) }}

    )

    select
        records.row.*,
        records._events,
        known._kfk_offset is not null as _is_known,
        known._kfk_offset is not null
        and (
            records.row._op is distinct from known._op
            or records.row._src_ts is distinct from known._src_ts
        ) as _is_another
    from records
    left join known
        on
            records._kfk_partition = known._kfk_partition
            and records._kfk_offset = known._kfk_offset
{% endmacro %}
