{# one row per key, one for all truncates, and one per record that cannot be folded #}
{% macro folded_sql(changes, unique_key, payload) %}
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

    folded_by_log as (

        select
            max_by(struct(*), {{ change_order('judged') | indent(12) }}) as row,
            max(struct(_src_ts, _tx_log, _tx_epoch)) as _latest,
            count(*) as _events,
            count(distinct {{ source_order('judged') }}) as _orders,
            count(distinct
                {{ source_order('judged') }}, _op, xxhash64({{ key_columns(payload) }})
            ) as _contents
        from judged
        group by
            {{ key_columns(unique_key) }},
            _tx_log,
            _outcome,
            {{ fold_apart() }}

    ),

    folded as (

        select
            {{ newest_change('collect_list(row)') | indent(12) }} as row,
            transform(
                filter(collect_list(row), row -> row._op = 'd'),
                row -> struct({{ key_columns(order_columns(), 'row') }})
            ) as _deletes,
            max(_latest) as _latest,
            sum(_events) as _events,
            sum(_orders) as _orders,
            sum(_contents) as _contents
        from folded_by_log
        group by
            {{ key_columns(unique_key, 'row') }},
            row._outcome,
            {{ fold_apart('row.') }}

    )

    select row.*, _deletes, _latest, _events, _orders, _contents from folded
{% endmacro %}
