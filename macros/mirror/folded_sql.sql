{# one row per key, and one per record that cannot be folded #}
{% macro folded_sql(changes, unique_key) %}
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

    folded as (

        select
            max_by(struct(*), {{ change_order('judged') | indent(12) }}) as newest,
            count(*) as _events,
            count(distinct {{ source_order('judged') }}) as _orders
        from judged
        group by
            {{ key_columns(unique_key) }},
            _outcome,
            if(_outcome in ('change', 'ignored'), null, struct(_kfk_partition, _kfk_offset))

    )

    select newest.*, _events, _orders from folded
{% endmacro %}
