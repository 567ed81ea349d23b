{# one row per key, one for all truncates, and one per record that cannot be folded. The rows are
   brought together by key once; what follows takes them in steps: order, log, key #}
{% macro folded_sql(changes, unique_key, payload, filled=[]) %}
    with

    changes as (

        {{ changes | indent(8) }}

    ),

    judged as (

        select
            *,
            {{ change_outcome(unique_key) | indent(12) }} as _outcome
        from changes

    ),

    distributed as (

        select
            *,
            case
                when _outcome not in ('change', 'ignored', 'truncate')
                    then concat_ws(':', _kfk_partition, _kfk_offset)
            end as _apart
        from judged
        distribute by {{ key_columns(unique_key) }}

    ),
    {%- if filled %}

    filled as (

        {{ filled_sql('distributed', unique_key, filled, apart=['_outcome', '_apart']) | indent(8) }}

    ),
    {%- endif %}

    by_order as (

        select
            {{ key_columns(unique_key) }},
            _outcome,
            _apart,
            _tx_log,
            max_by(struct(*), struct(-_kfk_partition, -_kfk_offset)) as row,
            count(*) as _events,
            min(xxhash64(_op, {{ key_columns(payload) }}))
            <> max(xxhash64(_op, {{ key_columns(payload) }})) as _is_ambiguous
        from {{ 'filled' if filled else 'distributed' }}
        group by
            {{ key_columns(unique_key) }}, _outcome, _apart, _tx_log, _tx_epoch, _tx_rank, _tx_order

    ),

    by_log as (

        select
            {{ key_columns(unique_key) }},
            _outcome,
            _apart,
            max_by(row, {{ change_order('row') | indent(12) }}) as row,
            max(struct(row._src_ts, row._tx_log, row._tx_epoch)) as _latest,
            sum(_events) as _events,
            count(*) as _orders,
            bool_or(_is_ambiguous) as _is_ambiguous
        from by_order
        group by {{ key_columns(unique_key) }}, _outcome, _apart, _tx_log

    ),

    by_key as (

        select
            {{ newest_change('collect_list(row)') | indent(12) }} as row,
            {%- if filled %}
            any_value(row._deletes) as _deletes,
            {%- else %}
            transform(
                filter(collect_list(row), row -> row._op = 'd'),
                row -> struct({{ key_columns(order_columns(), 'row') }})
            ) as _deletes,
            {%- endif %}
            max(_latest) as _latest,
            sum(_events) as _events,
            sum(_orders) as _orders,
            bool_or(_is_ambiguous) as _is_ambiguous
        from by_log
        group by {{ key_columns(unique_key) }}, _outcome, _apart

    )

    select row.*{{ ' except (_deletes)' if filled }}, _deletes, _latest, _events, _orders, _is_ambiguous from by_key
{% endmacro %}
