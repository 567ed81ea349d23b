{% macro retried_sql(stage, changes, unique_key) %}
    create table {{ stage }}
    using iceberg
    as
    with

    judged as (

        select
            _kfk_partition,
            _kfk_offset,
            _src_ts,
            {{ change_outcome(unique_key) | indent(12) }} as _outcome
        from (
            {{ changes | indent(12) }}
        )

    )

    select
        _kfk_partition,
        _kfk_offset,
        min(_src_ts) as _src_ts,
        max(_outcome) as _outcome,
        bool_and(_outcome in ('change', 'ignored', 'truncate')) as is_usable
    from judged
    group by _kfk_partition, _kfk_offset
{% endmacro %}
